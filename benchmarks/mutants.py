#!/usr/bin/env python3
"""Deletes one guard at a time from guarded Python code and asks whether the forwards below it are then reported.

    benchmarks/mutants.py CHECKOUTS DEADGRAD [--count 300] [--seed 1] [--jobs 2] [--show]

CHECKOUTS is a folder of repositories. Guards that cover a forward (`deadgrad dev guards`) and are a decorator or a `with`
of their own are the candidates; `--count` of them are drawn before anything is run, so that each repository gives about
as many. In each mutant the decorator becomes a comment, or the `with` becomes `if True`; lines stay where they are. It is
found if a finding stands at one of the forwards. For the rest `deadgrad why` says the reason.
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

CLOSED_REASONS = ("guarded", "no graph", "not reached", "test code", "part of a forward")


def guards(binary, checkout):
    done = subprocess.run([binary, "dev", "guards", "."], cwd=checkout, capture_output=True, timeout=600)
    return [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


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


def line_of(source, offset):
    return source.count(b"\n", 0, offset) + 1


def try_mutant(binary, checkout, guard):
    """(whether it is found, the reason if not)."""
    path = guard["where"]["path"]
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        shutil.copytree(checkout, copy, symlinks=True, ignore=lambda _, names: [
            name for name in names if "." in name and not name.endswith((".py", ".toml", ".cfg"))
            and not (pathlib.Path(_) / name).is_dir()])
        mutated = mutate((copy / path).read_bytes(), guard["where"]["begin"], guard["where"]["end"])
        (copy / path).write_bytes(mutated)
        done = subprocess.run([binary, "check", ".", "--output-format", "json"], cwd=copy, capture_output=True,
                              timeout=600)
        found = set()
        for finding in json.loads(done.stdout)["findings"]:
            for place in [finding, *finding.get("related", [])]:
                found.add((place["where"]["path"], place["where"]["start"]["line"]))
        wanted = [(one["path"], line_of((copy / one["path"]).read_bytes(), one["begin"]))
                  for one in guard["forwards"]]
        if any(one in found for one in wanted):
            return True, ""
        answers = []
        for one_path, line in wanted[:3]:
            why = subprocess.run([binary, "why", f"{one_path}:{line}", "."], cwd=copy, capture_output=True, timeout=600)
            heads = [text for text in why.stdout.decode(errors="replace").splitlines() if "`: " in text]
            answers += [head.rsplit("`: ", 1)[1] for head in heads] or ["no forward is known"]
        for reason in ("not certain enough to report", "trains", *CLOSED_REASONS):
            if reason in answers:
                return False, reason
        return False, answers[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkouts", type=pathlib.Path)
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="print each mutant that is not found")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())

    by_repository = {}
    for checkout in sorted(path for path in arguments.checkouts.iterdir() if path.is_dir()):
        candidates = [guard for guard in guards(binary, checkout)
                      if guard["where"]["path"].endswith(".py")
                      and mutate((checkout / guard["where"]["path"]).read_bytes(), guard["where"]["begin"],
                                 guard["where"]["end"]) is not None]
        if candidates:
            by_repository[checkout] = candidates
    draw = random.Random(arguments.seed)
    for candidates in by_repository.values():
        draw.shuffle(candidates)
    chosen = []
    while len(chosen) < arguments.count and any(by_repository.values()):
        for checkout, candidates in by_repository.items():
            if candidates and len(chosen) < arguments.count:
                chosen.append((checkout, candidates.pop()))

    reasons = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda one: try_mutant(binary, *one), chosen)
        for (checkout, guard), (found, reason) in zip(chosen, results):
            reasons["found" if found else reason] += 1
            if arguments.show and not found:
                source = (checkout / guard["where"]["path"]).read_bytes()
                print(f"{reason}: {checkout.name} {guard['where']['path']}:{line_of(source, guard['where']['begin'])}")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    closed = sum(reasons[reason] for reason in CLOSED_REASONS)
    print(f"{len(chosen)} mutants in {len({one[0] for one in chosen})} repositories: found {reasons['found']} "
          f"({reasons['found'] / max(1, len(chosen)):.3f}), closed reasons {closed} ({closed / max(1, len(chosen)):.3f})")


if __name__ == "__main__":
    main()
