"""`pip install .` in a fresh virtual environment gives a `deadgrad` command that works."""

import os
import subprocess
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support


class PipInstall(support.ProgramTest):
    def call(self, *command, code=0, **options):
        done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done.stdout[-4000:])
        return done.stdout

    def untracked(self):
        return {path.name for path in support.ROOT.iterdir()}

    def test_in_a_fresh_environment(self):
        self.call(sys.executable, "-m", "venv", "venv")
        environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": "2", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        environment.pop("PYTHONPATH", None)
        places = [("node_modules/tree-sitter", "node_modules/tree-sitter-python"),
                  ("git/tree-sitter", "git/tree-sitter-python")]
        for core, grammar in places:  # what this build fetched spares a download
            if (support.BUILD / "third_party" / grammar).is_dir():
                environment["CMAKE_ARGS"] = (f"-DDEADGRAD_TREE_SITTER_DIR={support.BUILD}/third_party/{core} "
                                             f"-DDEADGRAD_TREE_SITTER_PYTHON_DIR={support.BUILD}/third_party/{grammar}")
                break
        before = self.untracked()
        self.call("venv/bin/pip", "install", support.ROOT, env=environment)
        self.assertEqual(self.untracked(), before, "the build left something in the source tree")
        self.assertIn("deadgrad 0.", self.call("venv/bin/deadgrad", "--version"))
        self.assertIn("deadgrad 0.", self.call("venv/bin/python", "-m", "deadgrad", "--version"))
        self.write("bad.py", "import torch\n\nnet = torch.nn.Linear(8, 8)\nx = torch.zeros(8)\nfor _ in range(9):\n"
                   "    x = net(x)\nprint(x.argmax())\n")
        self.assertIn("DG102", self.call("venv/bin/deadgrad", "check", "bad.py", code=1))
        if support.CPP:  # then what it needs is installed here, and pip's build found it too
            self.write("bad.cpp", "#include <torch/script.h>\nvoid f() { torch::NoGradGuard(); }\n")
            self.assertIn("DG201", self.call("venv/bin/deadgrad", "check", "bad.cpp", code=1))
        self.assertIn("nowhere.py", self.call("venv/bin/deadgrad", "check", "nowhere.py", code=2))


if __name__ == "__main__":
    support.main()
