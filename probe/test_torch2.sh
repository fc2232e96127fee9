#!/usr/bin/env bash
# The probe's tests against the current torch of PyPI: test_torch2.sh FOLDER puts an environment (6 GB, with CUDA's libraries) and a
# build into the folder and uses what is there already. PYTHON=python3.12 chooses another Python: from 3.12 on lines are watched
# differently. Needs pip's index; no part of ./test.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?usage: test_torch2.sh FOLDER}
python=$folder/python/bin/python
[ -x "$python" ] || "${PYTHON:-python3}" -m venv "$folder/python"
"$python" -c "import torch" 2>/dev/null || "$python" -m pip install --quiet torch numpy
torch=$("$python" -c "import os, torch; print(os.path.dirname(torch.__file__))")
"$python" -c "import platform, torch; print('Python', platform.python_version(), 'torch', torch.__version__, 'with CUDA' if torch.cuda.is_available() else 'without CUDA')"
cmake -S "$root" -B "$folder/build" -G Ninja -DDEADGRAD_CPP_FRONTEND=OFF -DDEADGRAD_PROBE=ON -DDEADGRAD_TORCH_DIR="$torch" \
  -DDEADGRAD_TORCH_PYTHON="$python" >/dev/null
ninja -C "$folder/build" deadgrad deadgrad_probe probe_ledger_test probe_bytes_test probe_program
ctest --test-dir "$folder/build" -R '^probe' --output-on-failure
