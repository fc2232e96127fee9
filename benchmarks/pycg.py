#!/usr/bin/env python3
"""The engine's call graph against PyCG's micro-benchmark: which cases have no false edge, and which miss none.

    git clone https://github.com/vitsalis/PyCG && benchmarks/pycg.py PyCG build/bin/deadgrad

Takes a checkout of github.com/vitsalis/PyCG (119 cases) or of github.com/vitsalis/pycg-evaluation (the 112 cases of the
paper). Each case is a small program with its call graph; a case is complete if deadgrad prints no edge that is not in it,
and sound if it prints every edge that is.

                 112 cases of the paper      119 cases of PyCG's repository
                 complete    sound           complete    sound
    PyCG         111         103             113         109
    deadgrad     111         110             115         116

PyCG's first two numbers are those of table 3 in Salis et al., "PyCG: Practical Call Graph Generation in Python" (ICSE 2021,
arXiv 2103.00587; data/results/table3.txt of the artifact). Its other two are counted here, with its version 0.0.8.

What deadgrad gets wrong: an entry of a dictionary keeps what it was before it is overwritten (the paper's graphs want it so,
those of the repository do not), and text given to `eval` is not read. Methods of literals are edges in one of PyCG's graphs
and none in another. The other edges it misses never run: `map` with its arguments swapped, which raises, and a function that
two wrappers call, as if called by who calls these.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

FOLDERS = ["micro-benchmark/snippets", "data/micro-benchmark"]


def edges(graph):
    return {(caller, callee) for caller, callees in graph.items() for callee in callees}


def call_graph(binary, case):
    command = [binary, "dev", "callgraph", "--format", "pycg", "--package", case, case]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("-v", "--verbose", action="store_true", help="print the edges that differ")
    arguments = parser.parse_args()
    cases = sorted(path.parent for folder in FOLDERS for path in arguments.checkout.glob(f"{folder}/*/*/callgraph.json"))
    if not cases:
        sys.exit(f"{arguments.checkout}: no cases below {' or '.join(FOLDERS)}")

    counts = collections.defaultdict(lambda: [0, 0, 0])
    for case in cases:
        found = edges(call_graph(arguments.binary, case))
        expected = edges(json.loads((case / "callgraph.json").read_text()))
        for line in counts[case.parent.name], counts["total"]:
            line[0] += 1
            line[1] += not found - expected
            line[2] += not expected - found
        if arguments.verbose:
            for mark, differing in ("false", found - expected), ("missed", expected - found):
                for caller, callee in sorted(differing):
                    print(f"{case.parent.name}/{case.name}: {mark} {caller} -> {callee}")
    print(f"{'category':<16}{'cases':>8}{'complete':>10}{'sound':>8}")
    for name in [*sorted(counts.keys() - {"total"}), "total"]:
        cases_count, complete, sound = counts[name]
        print(f"{name:<16}{cases_count:>8}{complete:>10}{sound:>8}")


if __name__ == "__main__":
    main()
