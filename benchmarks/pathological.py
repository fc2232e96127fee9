#!/usr/bin/env python3
"""CPU seconds of `deadgrad check` on programs that are made to be hard, at n and at 2n.

    benchmarks/pathological.py PROGRAM [--runs 3]

Each run is a process of its own; the least of the runs counts. Doubling the size may cost at most 2.5 times as much, and
none may take 10 s. Exits with 1 if one does.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HEAD = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)

"""


def ring(n):
    """Functions that all lead to one another: each calls the next and one that was drawn."""
    draw = random.Random(n)
    text = [HEAD]
    for k in range(n):
        text.append(f"def f{k}(net, x, depth):\n"
                    f"    if depth == 0:\n        return net(x)\n"
                    f"    y = f{(k + 1) % n}(net, x, depth - 1)\n"
                    f"    return y + f{draw.randrange(n)}(net, y, depth - 1)\n\n")
    text.append("print(f0(Net(), torch.zeros(8), 5).argmax())\n")
    return "".join(text)


def knot(n):
    """Functions that carry a graph around in a loop and hand a callback to one another."""
    draw = random.Random(n)
    text = [HEAD]
    for k in range(n):
        text.append(f"def g{k}(net, x, then):\n"
                    f"    for _ in range(3):\n        x = net(x)\n"
                    f"    return then(net, x, g{draw.randrange(n)}) if x.sum() > {k} else g{(k + 1) % n}(net, x, then)\n\n")
    text.append("print(g0(Net(), torch.zeros(8), g1).argmax())\n")
    return "".join(text)


def hierarchy(n):
    """Classes each derived from the one before, with a method that calls its base and an attribute of its own."""
    text = [HEAD, "class C0(Net):\n    def run(self, x):\n        return self(x)\n\n"]
    for k in range(1, n):
        text.append(f"class C{k}(C{k - 1}):\n"
                    f"    def __init__(self):\n        super().__init__()\n        self.own{k} = torch.nn.Linear(8, 8)\n\n"
                    f"    def run(self, x):\n        return super().run(self.own{k}(x))\n\n")
    text.append(f"print(C{n - 1}().run(torch.zeros(8)).argmax())\n")
    return "".join(text)


def long_function(n):
    """One function of n lines: straight lines, branches and loops that carry a graph."""
    text = [HEAD, "def main():\n    net = Net()\n    x = torch.zeros(8)\n    total = []\n"]
    for k in range(n // 10):
        text.append(f"    for i in range({k}):\n        x = net(x)\n        if i > 3:\n            x = x + {k}\n"
                    f"        else:\n            y{k % 50} = x * 2\n        total.append(x.item())\n"
                    f"    y{k % 50} = net(x)\n    print(y{k % 50}.argmax())\n    x = torch.zeros({k})\n")
    text.append("main()\n")
    return "".join(text)


# What, at which n; the first three are the sizes that are promised.
PROGRAMS = [("mutually recursive functions", ring, 10_000), ("classes in one line of descent", hierarchy, 1_000),
            ("lines in one function", long_function, 50_000), ("functions with callbacks and loops", knot, 2_000)]


def seconds(binary, text):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "program.py").write_text(text)
        process = subprocess.Popen([binary, "check", "."], cwd=folder, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            sys.exit(f"deadgrad ended with {process.returncode}")
        return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    failed = False
    print("| what | n | at n/2 | at n | at 2n | 2n / n |\n|---|---|---|---|---|---|")
    for what, program, n in PROGRAMS:
        half, one, two = (min(seconds(binary, program(size)) for _ in range(arguments.runs)) for size in (n // 2, n, 2 * n))
        print(f"| {what} | {n:,} | {half:.2f} | {one:.2f} | {two:.2f} | {two / one:.2f} |", flush=True)
        failed |= two > 2.5 * one or one >= 10
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
