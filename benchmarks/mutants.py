#!/usr/bin/env python3
"""Deletes one guard at a time from guarded Python code and asks whether the forwards below it are then reported.

    benchmarks/mutants.py CHECKOUTS… --deadgrad PROGRAM [--count 300] [--seed 1] [--jobs 2] [--show FILE]

CHECKOUTS are folders of repositories. The candidates are the guards that cover a forward outside test code
(`deadgrad dev guards`), are a decorator or a `with` of their own, and which some path reaches with autograd on: a guard
inside another one changes nothing when it is deleted. Nor does one all of whose forwards are reported already, since
other paths lead to them. The order in which they are drawn is fixed before anything is run:
shuffled by the seed, one of each repository in turn. In each mutant the decorator becomes a comment, or the `with`
becomes `if True`; lines stay where they are.

A mutant is found if a leak is reported at a forward, or at a call that leads to it, that is not reported in the code as
it was. Two kinds of mutants are no programs with a missing guard, and the next candidate takes their place; each is
counted and shown, to be checked by hand: one in which backward goes through the forward now, so that the guard stopped a
gradient ("trains"), and one that raises, since the result is read by what raises on a tensor with a graph. For the rest
`deadgrad why` says the reason.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import shutil
import subprocess
import tempfile

LEAK_RULES = {"DG101", "DG102", "DG103", "DG104", "DG201", "DG202", "DG203", "DG301"}
REPLACED = ("trains", "raises")
CLOSED_REASONS = ("guarded", "frozen", "not reached", "test code")


def run(binary, folder, *arguments):
    done = subprocess.run([binary, *arguments], cwd=folder, capture_output=True, timeout=900)
    return done.stdout.decode(errors="replace")


def line_of(source, offset):
    return source.count(b"\n", 0, offset) + 1


def mutate(source, begin, end):
    """The file without the guard written at [begin, end), or None if it is no decorator or `with` of its own."""
    line_begin = source.rfind(b"\n", 0, begin) + 1
    line_end = source.find(b"\n", end)
    line_end = len(source) if line_end < 0 else line_end
    before, after = source[line_begin:begin].strip(), source[end:line_end].strip()
    if before == b"@" and not after.replace(b"()", b"").strip():
        at = line_begin + source[line_begin:begin].index(b"@")
        return source[:at] + b"#" + source[at + 1:]
    if before == b"with" and after.startswith(b":"):
        at = line_begin + source[line_begin:begin].index(b"with")
        return source[:at] + b"if True" + source[end:]
    return None


class Candidate:
    def __init__(self, checkout, guard):
        self.checkout, self.path = checkout, guard["where"]["path"]
        source = (checkout / self.path).read_bytes()
        self.line = line_of(source, guard["where"]["begin"])
        self.mutated = mutate(source, guard["where"]["begin"], guard["where"]["end"])
        self.forwards = [(one["path"], line_of((checkout / one["path"]).read_bytes(), one["begin"]))
                         for one in guard["forwards"]]


def reported(binary, folder):
    """The places of leaks."""
    places = set()
    for finding in json.loads(run(binary, folder, "check", ".", "--output-format", "json"))["findings"]:
        if finding["rule"] in LEAK_RULES:
            for place in [finding, *(one for one in finding.get("related", []) if one["role"] == "site")]:
                places.add((place["where"]["path"], place["where"]["start"]["line"]))
    return places


def candidates_in(binary, checkout):
    """The candidates of a repository, and what is reported in it."""
    guards = [json.loads(line) for line in run(binary, checkout, "dev", "guards", ".").splitlines()]
    found = [Candidate(checkout, guard) for guard in guards if guard["needed"] and guard["where"]["path"].endswith(".py")]
    before = reported(binary, checkout) if found else set()
    return [one for one in found if one.mutated is not None and not before.issuperset(one.forwards)], before


def copy_sources(checkout, to):
    def others(folder, names):
        return [name for name in names if not name.endswith((".py", ".ipynb", ".toml", ".cfg", ".txt"))
                and not (pathlib.Path(folder) / name).is_dir()]
    shutil.copytree(checkout, to, symlinks=True, ignore=others)


def why(binary, folder, path, line):
    """Verdict and sentence for each forward in a line."""
    answers = []
    for text in run(binary, folder, "why", f"{path}:{line}", ".").splitlines():
        if "`: " in text and text.startswith(path):
            answers.append([text.rsplit("`: ", 1)[1], ""])
        elif text.strip().startswith("= why: ") and answers:
            answers[-1][1] = text.split("= why: ")[1]
    return [("raises" if "raises on a tensor" in sentence else verdict, sentence) for verdict, sentence in answers]


def try_mutant(binary, candidate, before):
    """(what became of it, the sentence that says so)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        copy_sources(candidate.checkout, copy)
        (copy / candidate.path).write_bytes(candidate.mutated)
        found = reported(binary, copy) - before
        if found & set(candidate.forwards):
            return "found at the forward", ""
        if found:
            return "found at a call that leads to it", ""
        answers = [answer for path, line in candidate.forwards[:3] for answer in why(binary, copy, path, line)]
        for reason in ("not certain enough to report", "no graph", "part of a forward", *REPLACED, *CLOSED_REASONS):
            for verdict, sentence in answers:
                if verdict == reason:
                    return reason, sentence
        return "no forward is known", ""


def in_turn(by_repository, seed):
    """The order of the draw."""
    draw = random.Random(seed)
    for candidates in by_repository:
        draw.shuffle(candidates)
    while any(by_repository):
        for candidates in by_repository:
            if candidates:
                yield candidates.pop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkouts", type=pathlib.Path, nargs="+")
    parser.add_argument("--deadgrad", required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=argparse.FileType("w"), help="write each mutant and what became of it")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.deadgrad).resolve())

    checkouts = sorted(path for folder in arguments.checkouts for path in folder.iterdir() if path.is_dir())
    outcomes, chosen, replaced = collections.Counter(), [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        read = list(pool.map(lambda one: candidates_in(binary, one), checkouts))
        before = {checkout: places for checkout, (_, places) in zip(checkouts, read)}
        by_repository = [found for found, _ in read if found]
        total = sum(map(len, by_repository))
        order = in_turn(by_repository, arguments.seed)
        while len(chosen) < arguments.count:
            drawn = [one for one in (next(order, None) for _ in range(arguments.count - len(chosen))) if one is not None]
            if not drawn:
                break
            results = pool.map(lambda one: try_mutant(binary, one, before[one.checkout]), drawn)
            for one, (outcome, sentence) in zip(drawn, results):
                (replaced if outcome in REPLACED else chosen).append(one)
                outcomes[outcome] += 1
                if arguments.show:
                    print(f"{outcome}: {one.checkout} {one.path}:{one.line} {sentence}", file=arguments.show, flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:5} {outcome}{' (replaced)' if outcome in REPLACED else ''}")
    found = sum(count for outcome, count in outcomes.items() if outcome.startswith("found"))
    closed = sum(outcomes[reason] for reason in CLOSED_REASONS)
    print(f"{len(chosen)} mutants of {total} candidates in {len({one.checkout for one in chosen})} repositories, "
          f"{len(replaced)} replaced: found {found} ({found / max(1, len(chosen)):.3f}), "
          f"closed reasons {closed} ({closed / max(1, len(chosen)):.3f})")


if __name__ == "__main__":
    main()
