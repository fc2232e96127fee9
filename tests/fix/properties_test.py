"""What must hold of every fixed file, over all fixtures and over mutated fixtures and real files.

A fixed file parses, its finding is gone and no other appears, a second run changes nothing, and nothing but guards,
their imports and the place of lines is different. Usage beyond ctest:

    properties_test.py --binary deadgrad --mutants 2000 [--seed 1] [--cpp] FOLDER...
"""

import argparse
import ast
import collections
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutations

ROOT = pathlib.Path(os.environ.get("DEADGRAD_SOURCE", pathlib.Path(__file__).parents[2]))
GUARDS = {"no_grad", "inference_mode", "set_grad_enabled", "enable_grad"}
LEAKS = re.compile("DG1|DG202|DG203|DG301")
warnings.simplefilter("ignore")


class Violation(Exception):
    pass


def run(binary, folder, *arguments):
    done = subprocess.run([binary, "check", "-j1", *arguments, "."], cwd=folder, capture_output=True, timeout=600)
    if done.returncode not in (0, 1):
        raise Violation(f"exit code {done.returncode}: {done.stderr.decode()[-500:]}")
    return done


def findings(binary, folder):
    return json.loads(run(binary, folder, "--output-format", "json").stdout)


def tally(log):
    leaks, others = collections.Counter(), collections.Counter()
    for finding in log["findings"]:
        if LEAKS.match(finding["rule"]):
            sites = [related for related in finding["related"] if related["role"] == "site"]
            leaks.update(site["where"]["path"] for site in sites)
            if finding["rule"] not in ("DG202", "DG203"):
                leaks[finding["where"]["path"]] += 1
        else:
            others[(finding["rule"], finding["where"]["path"], finding["function"], finding["message"])] += 1
    return leaks, others


def is_guard(node):
    """A use of a guard: `torch.no_grad()`, `th.inference_mode()`, `no_grad()`."""
    if isinstance(node, ast.Call):
        node = node.func
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in GUARDS or name == "__enter__"


class WithoutGuards(ast.NodeTransformer):
    def generic_visit(self, node):
        node = super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if not isinstance(body, list):
                continue
            flat = []
            for statement in body:
                if isinstance(statement, ast.With) and not statement.items:
                    flat += statement.body
                elif not self.is_dropped(statement):
                    flat.append(statement)
            setattr(node, field, flat)
        return node

    def is_dropped(self, statement):
        if isinstance(statement, ast.Import):
            statement.names = [name for name in statement.names if not (name.name == "torch" and name.asname is None)]
            return not statement.names
        return isinstance(statement, ast.Pass) or (isinstance(statement, ast.Expr) and is_guard(statement.value))

    def visit_Call(self, node):
        node = self.generic_visit(node)
        detaches = isinstance(node.func, ast.Attribute) and node.func.attr == "detach" and not node.args
        return node.func.value if detaches else node

    def visit_With(self, node):
        node.items = [item for item in node.items if not is_guard(item.context_expr)]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        node.decorator_list = [one for one in node.decorator_list if not is_guard(one)]
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef


def structure(data):
    """The program without its guards."""
    return ast.dump(WithoutGuards().visit(ast.parse(data)))


def comments_of(data):
    text = data.decode(tokenize.detect_encoding(io.BytesIO(data).readline)[0])
    stream = io.StringIO(text.replace("\r\n", "\n").replace("\r", "\n"))
    return [token.string for token in tokenize.generate_tokens(stream.readline) if token.type == tokenize.COMMENT]


def check_python(before, after):
    try:
        wanted = structure(before)
    except (SyntaxError, ValueError):
        return  # Python 2
    try:
        found = structure(after)
    except (SyntaxError, ValueError) as error:
        raise Violation(f"the fixed file does not parse: {error}")
    if wanted != found:
        raise Violation("something else than guards is different")
    if comments_of(before) != comments_of(after):
        raise Violation("comments are different")


CPP_GUARD = re.compile(rb"(auto \w+ = std::make_unique<[\w:]+>\(\)|(?:\w+::)*(?:InferenceMode|NoGradGuard|AutoGradMode|Guard)\b"
                       rb"[^;]*|(?:\w+::)*set_enabled\([^;]*|guard|inference|no_grad)\s*;?")


def check_cpp(before, after):
    def rest(data):
        return re.sub(rb"[\s{}()]+|\.detach\(\)", b"", CPP_GUARD.sub(b"", data))
    if rest(before) != rest(after):
        raise Violation("something else than guards is different")


def check_bytes(path, before, after):
    if before.startswith(b"\xef\xbb\xbf") != after.startswith(b"\xef\xbb\xbf"):
        raise Violation("the byte order mark")
    ends = lambda data: {kind for kind in re.findall(rb"\r\n|\r|\n", data)}
    if not ends(after) <= (ends(before) or {b"\n"}):
        raise Violation("other line ends")
    if before.endswith((b"\n", b"\r")) != after.endswith((b"\n", b"\r")):
        raise Violation("the end of the last line")
    if path.suffix == ".py":
        check_python(before, after)
    else:
        check_cpp(before, after)


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def offered_in(log, *, unsafe):
    """How many findings come with edits."""
    kinds = ("safe", "unsafe") if unsafe else ("safe",)
    return sum(bool(one["fix"] and one["fix"]["edits"] and one["fix"]["safety"] in kinds) for one in log["findings"])


def check_program(binary, folder, *, unsafe):
    """Fixes the program in `folder`: how many findings that took away, how many fixes were offered and taken back.

    Raises Violation.
    """
    before_log = findings(binary, folder)
    if not before_log["findings"]:
        return 0, 0
    flags = ["--unsafe-fixes"] if unsafe else []
    before = contents(folder)
    offered = run(binary, folder, "--diff", *flags)
    if contents(folder) != before:
        raise Violation("--diff wrote a file")
    done = run(binary, folder, "--fix", *flags)
    after = contents(folder)
    if set(after) != set(before):
        raise Violation("files came or went")
    changed = [path for path in before if after[path] != before[path]]
    if bool(changed) != (offered.returncode == 1):
        raise Violation("--diff and --fix disagree")
    said = re.search(rb"Fixed (\d+) finding", done.stdout)
    if bool(changed) != bool(said):
        raise Violation("changes and the report disagree")
    after_log = findings(binary, folder)
    (leaks, others), (leaks_left, others_left) = tally(before_log), tally(after_log)
    if leaks_left - leaks or others_left - others:
        raise Violation(f"a new finding: {leaks_left - leaks} {others_left - others}")
    if said and sum(leaks.values()) + sum(others.values()) < sum(leaks_left.values()) + sum(others_left.values()) + int(said.group(1)):
        raise Violation("a finding is still there")
    errors = lambda log: [unit["compiler_errors"] for unit in log["summary"]["cpp_files"]["read"]]
    if len(after_log["notices"]) > len(before_log["notices"]) or errors(after_log) != errors(before_log):
        raise Violation("a fixed file is not read without errors")
    for path in changed:
        check_bytes(path, before[path], after[path])
    run(binary, folder, "--fix", *flags)
    if contents(folder) != after:
        raise Violation("a second run changes something")
    return int(said.group(1)) if said else 0, offered_in(after_log, unsafe=unsafe)


def is_program_folder(path):
    return path.is_dir() and (path.name.startswith(("bad_", "ok_")) or path.parent.name == "quiet")


def fixtures(suffixes):
    """Files and folders that are one program each."""
    found = []
    for path in sorted((ROOT / "fixtures").rglob("*")):
        inside = any(is_program_folder(parent) for parent in path.parents)
        if inside or "support" in path.parts or "__pycache__" in path.parts:
            continue
        if is_program_folder(path) and any(one.suffix in suffixes for one in path.rglob("*")):
            if suffixes >= {one.suffix for one in path.rglob("*") if one.is_file()}:
                found.append(path)
        elif path.is_file() and path.suffix in suffixes and path.name.startswith(("bad_", "ok_")):
            found.append(path)
    return found


def copy_to(folder, program):
    if program.is_dir():
        shutil.copytree(program, folder / program.name)
    else:
        shutil.copy(program, folder / program.name)


def mutate(path, generator):
    """A mutant of a file, in place. False if none could be made."""
    is_python = path.suffix == ".py"
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    text = text.replace("\r\n", "\n")
    kinds = mutations.PYTHON if is_python else mutations.CPP
    done = 0
    for mutation in generator.sample(kinds, generator.randrange(1, 5)):
        try:
            changed = mutation(text, generator)
            if is_python:
                ast.parse(changed)
        except (SyntaxError, ValueError, tokenize.TokenError, IndexError):
            continue
        done += changed != text
        text = changed
    data = mutations.encoded(text, generator, is_python)
    if is_python:
        try:
            ast.parse(data)
        except (SyntaxError, ValueError):
            return False
    path.write_bytes(data)
    return done > 0


class Tester:
    def __init__(self, binary, keep, verbose):
        self.binary, self.keep, self.verbose = binary, keep, verbose
        self.programs = self.fixed = self.with_fixes = self.taken_back = 0
        self.violations = []

    def test(self, name, prepare, *, unsafe):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary).resolve()
            if prepare(folder) is False:
                return
            start = {path.relative_to(folder): data for path, data in contents(folder).items()}
            self.programs += 1
            try:
                fixed, taken_back = check_program(self.binary, folder, unsafe=unsafe)
                self.fixed += fixed
                self.with_fixes += fixed > 0
                self.taken_back += taken_back
                if taken_back and self.verbose:
                    print("taken back:", name)
            except (Violation, subprocess.TimeoutExpired, UnicodeDecodeError) as violation:
                self.violations.append(f"{name}{' (unsafe)' if unsafe else ''}: {violation}")
                if self.keep:
                    for path, data in start.items():
                        target = self.keep / f"{len(self.violations)}" / path
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(data)

    def test_program(self, program, *, unsafe):
        self.test(str(program), lambda folder: copy_to(folder, program), unsafe=unsafe)

    def test_mutant(self, program, seed, *, unsafe):
        def prepare(folder):
            copy_to(folder, program)
            files = [path for path in contents(folder) if path.suffix in (".py", ".cpp", ".h")]
            return any([mutate(path, random.Random(f"{seed} {path.name}")) for path in files])
        self.test(f"{program} seed {seed}", prepare, unsafe=unsafe)

    def summary(self):
        return (f"{self.programs} programs, {self.with_fixes} with fixes, {self.fixed} findings fixed, "
                f"{self.taken_back} fixes taken back, {len(self.violations)} violations")


def leaky_files(binary, folders, suffix):
    """The files of real projects in which something is found when they stand alone."""
    found = []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*" + suffix)):
            if not path.is_file() or path.stat().st_size > 200_000 or b"torch" not in path.read_bytes():
                continue
            done = subprocess.run([binary, "check", "-j1", "--output-format", "json", str(path)], capture_output=True)
            if done.returncode in (0, 1) and json.loads(done.stdout)["findings"]:
                found.append(path)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", help="real code to mutate besides the fixtures")
    parser.add_argument("--binary", default=os.environ.get("DEADGRAD", "deadgrad"))
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0, help="only this many of the fixtures")
    parser.add_argument("--cpp", action="store_true", help="C++ instead of Python")
    parser.add_argument("--verbose", action="store_true", help="name the programs with fixes that were taken back")
    parser.add_argument("--keep", type=pathlib.Path, help="where programs with violations are kept")
    arguments = parser.parse_args()
    cache = tempfile.TemporaryDirectory()
    os.environ["XDG_CACHE_HOME"] = cache.name
    arguments.binary = shutil.which(arguments.binary) or arguments.binary
    suffixes = {".cpp", ".h"} if arguments.cpp else {".py"}
    tester = Tester(arguments.binary, arguments.keep, arguments.verbose)
    programs = [one for one in fixtures(suffixes) if one.name.startswith("bad_")]
    order = random.Random(arguments.seed)
    plain = order.sample(programs, arguments.sample) if arguments.sample else programs
    for program in plain:
        for unsafe in (False, True):
            tester.test_program(program, unsafe=unsafe)
            print(tester.summary(), end="\r", file=sys.stderr)
    programs += leaky_files(arguments.binary, arguments.folders, ".cpp" if arguments.cpp else ".py")
    seed, wanted = arguments.seed * 1_000_000, tester.programs + arguments.mutants
    while tester.programs < wanted:
        seed += 1
        tester.test_mutant(order.choice(programs), seed, unsafe=order.random() < 0.6)
        print(tester.summary(), end="\r", file=sys.stderr)
    for violation in tester.violations:
        print(violation)
    print(tester.summary())
    sys.exit(bool(tester.violations))


if __name__ == "__main__":
    main()
