#!/usr/bin/env python3
"""CPU seconds of `deadgrad check` on C++ against clang-tidy with one check, on named files of public repositories.

usage: bench_cpp.py CHECKOUTS BINARY [--torch PREFIX] [--clang-tidy PROGRAM] [--sample N]

CHECKOUTS holds a folder owner+name@commit7 for each of FILES. Each file is one run of each program, started in the repository's folder.
Stub: deadgrad with the headers it brings. Real: with LibTorch's own from PREFIX. Cold is the first run with an empty cache folder, warm
every other. clang-tidy reads LibTorch's own headers, as it must. --sample also measures N files with torch in them, spread evenly over
all of CHECKOUTS, in stub mode.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

FILES = """\
AllentDan+LibtorchTutorials@2494519 lesson5-TrainingVGG/vgg.cpp
AllentDan+LibtorchTutorials@2494519 lesson7-Detection/src/models/yolo4_tiny.cpp
AllentDan+LibtorchTutorials@2494519 lesson7-Detection/src/utils/util.cpp
Alic-Li+rwkv_lightning_libtorch@ee16cb8 src/infer/rwkv_model.cpp
Alic-Li+rwkv_lightning_libtorch@ee16cb8 src/model_load/model_loader.cpp
Augustusmyc+Alpha-Zero-implemented-through-Libtorch@029f01c src/libtorch.cpp
Augustusmyc+Alpha-Zero-implemented-through-Libtorch@029f01c src/mcts.cpp
Augustusmyc+Alpha-Zero-implemented-through-Libtorch@029f01c src/play.cpp
Thxios+apv-mcts-cpp-impl@0fa9eb2 Tests/torch_test.cpp
cemlyn007+ale-libtorch-ppo@f4e3ac3 src/ai/buffer.cc
cemlyn007+ale-libtorch-ppo@f4e3ac3 src/ai/gae.cc
dhpollack+huggingface_libtorch@6041d69 src/tokenizer_base.cpp
fan-ziqi+rl_sar@e384912 src/rl_sar/library/core/inference_runtime/inference_runtime.cpp
koba-jon+pytorch_cpp@51dab93 Anomaly_Detection/AnoGAN2d/src/loss.cpp
koba-jon+pytorch_cpp@51dab93 Generative_Modeling/DCGAN/src/loss.cpp
rystylee+ofxLibTorch@ea1fe58 src/BaseModel.cpp
thisisi3+libtorch-faster-rcnn@1b6c917 frcnn/anchor.cpp
thisisi3+libtorch-faster-rcnn@1b6c917 frcnn/necks.cpp
threeYANG+mmdetection_libtorch@02a40ae src/nms/nms.cpp
threeYANG+mmdetection_libtorch@02a40ae src/roi_align/RoIAlign.cpp
"""
SOURCES = {".cpp", ".cc", ".cxx"}


def cpu_seconds(command, folder, cache):
    """User and system time of one run, with its children and threads."""
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{folder}: {' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def tidy_command(program, folder, path, torch):
    include = torch / "include"
    # A header that is not found ends its run early, so it may look wherever the repository has any.
    headers = sorted({header.parent.relative_to(folder).as_posix() for header in folder.rglob("*.h*") if header.is_file()})
    folders = dict.fromkeys([*(parent.as_posix() for parent in pathlib.Path(path).parents), *headers])
    command = [program, "--checks=-*,bugprone-unused-raii", path, "--", "-std=gnu++17", *(f"-I{name}" for name in folders),
               f"-isystem{include}/torch/csrc/api/include"]
    # Where the compiler looks anyway, it must not be told to look earlier.
    return command if include == pathlib.Path("/usr/include") else [*command, f"-isystem{include}"]


def line(name, seconds):
    print(f"{name:<36} median {statistics.median(seconds):6.2f}  mean {statistics.mean(seconds):6.2f}  "
          f"worst {max(seconds):6.2f}  sum {sum(seconds):7.1f}")


def torch_sources(checkouts):
    for path in sorted(checkouts.rglob("*")):
        if path.suffix in SOURCES and path.is_file() and re.search(r"#\s*include\s*[<\"](torch|ATen|c10)/", path.read_text(errors="replace")):
            repository = checkouts / path.relative_to(checkouts).parts[0]
            yield repository, path.relative_to(repository).as_posix()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=pathlib.Path)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--torch", type=pathlib.Path, default=pathlib.Path("/usr"))
    parser.add_argument("--clang-tidy", default="clang-tidy-19")
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    options = parser.parse_args()
    checkouts, binary = options.checkouts.resolve(), options.binary.resolve()
    files = [(checkouts / repository, path) for repository, path in map(str.split, FILES.splitlines())]
    missing = [f"{folder.name}/{path}" for folder, path in files if not (folder / path).is_file()]
    if missing:
        sys.exit("not there: " + ", ".join(missing))

    stub, real = [binary, "check"], [binary, "check", "--torch", options.torch]
    with tempfile.TemporaryDirectory() as cache:
        folder, path = files[0]
        print(f"CPU seconds of one run for each of {len(files)} files\n")
        stub_cold = cpu_seconds([*stub, path], folder, cache)
        real_cold = cpu_seconds([*real, path], folder, cache)
        for folder, path in files:  # other macros may need another precompiled header
            cpu_seconds([*real, path], folder, cache)
        stub_warm = [cpu_seconds([*stub, path], folder, cache) for folder, path in files]
        real_warm = [cpu_seconds([*real, path], folder, cache) for folder, path in files]
        tidy = [cpu_seconds(tidy_command(options.clang_tidy, folder, path, options.torch), folder, cache) for folder, path in files]
        line("deadgrad, stub headers, warm", stub_warm)
        line("deadgrad, LibTorch's headers, warm", real_warm)
        line("clang-tidy, bugprone-unused-raii", tidy)
        print(f"first run with an empty cache: stub {stub_cold:.2f}, LibTorch's own {real_cold:.2f}")
        print(f"fewer CPU seconds than clang-tidy: stub {sum(tidy) / sum(stub_warm):.0f} times, LibTorch's own {sum(tidy) / sum(real_warm):.0f} times; "
              f"lowest of a file {min(t / s for t, s in zip(tidy, stub_warm)):.0f} and {min(t / s for t, s in zip(tidy, real_warm)):.0f}")
        if options.sample:
            sources = list(torch_sources(checkouts))
            chosen = [sources[i * len(sources) // options.sample] for i in range(min(options.sample, len(sources)))]
            line(f"stub, {len(chosen)} of {len(sources)} files", [cpu_seconds([*stub, path], folder, cache) for folder, path in chosen])


if __name__ == "__main__":
    main()
