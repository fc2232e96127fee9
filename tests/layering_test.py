"""Every #include respects the table of layers in ARCHITECTURE.md: who may include whom, and who may do I/O.

Run without arguments it checks the tree, and itself on small files that break each rule.
"""

import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("DEADGRAD_SOURCE", pathlib.Path(__file__).parent.parent))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".c", ".def"}
OURS = ("analyzer/", "rules/", "frontends/", "integrations/", "probe/", "tests/", "benchmarks/")
LLVM = ("llvm/", "llvm-c/", "clang/", "clang-c/", "clang-tidy/")
TORCH = ("torch/", "ATen/", "c10/")
# Headers that read or write files, start processes or talk to the network.
IO = {"fstream", "filesystem", "iostream", "unistd.h", "fcntl.h", "sys/stat.h", "sys/socket.h", "dirent.h"}
# Serialization and TOML are the analyzer's only libraries.
ANALYZER_LIBRARIES = ("toml++/", "flatbuffers/")
TREE_SITTER = ("tree_sitter/",)
# User code that the C++ frontend reads; nothing compiles it.
# Programs that are read, not built.
CXX_PROGRAMS = ("tests/frontend_cpp/stub_programs/", "tests/frontend_cpp/cases/")


def layer_of(path):
    """The first folder, or the first two below frontends/."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "frontends" else parts[0]


def allowed_ours(path, header):
    layer = layer_of(path)
    if header.startswith("tests/") or header.startswith("benchmarks/"):
        return layer == layer_of(header)
    if layer == "analyzer":
        return header.startswith("analyzer/")
    if layer == "rules":
        if path.startswith("rules/models/"):  # the embedded data is loaded here
            return header.startswith(("rules/models/", "analyzer/model/", "analyzer/base/"))
        if re.match(r"rules/dg\d+_", path):
            return header == "rules/rules.h"
        return header.startswith(("rules/", "analyzer/query/", "analyzer/findings/", "analyzer/base/")) or header == "analyzer/analyze.h"
    if layer.startswith("frontends/"):
        # A frontend also spells the fixes that findings ask for.
        return header.startswith((layer + "/", "analyzer/ir/", "analyzer/model/", "analyzer/base/", "analyzer/findings/"))
    if layer == "integrations":
        return header.startswith(("analyzer/", "rules/", "frontends/", "integrations/"))
    if layer == "probe":
        return header.startswith("probe/")
    return layer in ("tests", "benchmarks")


def problem_of(path, quote, header):
    """Why `path` may not include `header`, or None."""
    layer = layer_of(path)
    if layer == "fixtures" or path.startswith(CXX_PROGRAMS):
        return None
    # Its tests bring their own file system.
    if header.startswith(LLVM) and layer != "frontends/cpp" and not path.startswith("tests/frontend_cpp/"):
        return "LLVM and Clang belong to frontends/cpp alone"
    if header.startswith(TORCH) and layer != "probe" and not path.startswith("tests/probe/"):
        return "LibTorch belongs to probe alone"
    if header.startswith(TREE_SITTER) and layer not in ("frontends/python", "benchmarks"):
        return "tree-sitter belongs to frontends/python"
    if header in IO and layer in ("analyzer", "rules", "frontends/python"):
        return "only integrations do I/O"
    if header.startswith(ANALYZER_LIBRARIES) and layer not in ("analyzer", "integrations", "tests"):
        return "TOML and serialization belong to the analyzer"
    if layer == "analyzer" and quote == "<" and ("/" in header or header.endswith(".hpp")) \
            and not header.startswith(ANALYZER_LIBRARIES):
        return "the analyzer includes the standard library, TOML and serialization only"
    if header.startswith(OURS) and not allowed_ours(path, header):
        return f"{layer} may not include {layer_of(header)}"
    return None


def problems_in(path, text):
    return [f"{path}: {header}: {why}" for quote, header in INCLUDE.findall(text) if (why := problem_of(path, quote, header))]


class Layering(unittest.TestCase):
    def test_the_tree(self):
        checked, problems = 0, []
        for top in [name.rstrip("/") for name in OURS]:
            for file in sorted((ROOT / top).rglob("*")):
                if file.suffix not in SOURCES or "node_modules" in file.parts:
                    continue
                checked += 1
                problems += problems_in(file.relative_to(ROOT).as_posix(), file.read_text(errors="replace"))
        self.assertGreater(checked, 20)
        self.assertEqual(problems, [])

    def test_violations_are_caught(self):
        for path, line in [
            ("analyzer/engine/x.cpp", '#include "frontends/python/python.h"'),
            ("analyzer/engine/x.cpp", "#include <fstream>"),
            ("analyzer/engine/x.cpp", "#include <nlohmann/json.hpp>"),
            ("analyzer/ir/x.h", "#  include <llvm/ADT/StringRef.h>"),
            ("rules/dg101_x.cpp", '#include "analyzer/ir/ir.h"'),
            ("rules/dg101_x.cpp", '#include "analyzer/query/query.h"'),
            ("rules/rules.cpp", '#include "analyzer/ir/ir.h"'),
            ("rules/dg101_x.cpp", '#include "integrations/driver/check.h"'),
            ("frontends/python/x.cpp", '#include "analyzer/engine/facts.h"'),
            ("frontends/python/x.cpp", '#include "rules/rules.h"'),
            ("frontends/python/x.cpp", '#include "clang/AST/AST.h"'),
            ("frontends/cpp/x.cpp", '#include "frontends/python/python.h"'),
            ("frontends/cpp/x.cpp", "#include <tree_sitter/api.h>"),
            ("integrations/cli/x.cpp", "#include <llvm/Support/JSON.h>"),
            ("tests/driver/x.cpp", '#include "llvm/Support/JSON.h"'),
            ("integrations/cli/x.cpp", "#include <tree_sitter/api.h>"),
            ("probe/x.cpp", '#include "analyzer/findings/finding.h"'),
        ]:
            self.assertEqual(len(problems_in(path, line + "\n")), 1, f"{path} {line}")

    def test_what_is_allowed_passes(self):
        for path, line in [
            ("analyzer/model/x.cpp", "#include <toml++/toml.h>"),
            ("analyzer/ir/x.cpp", "#include <vector>"),
            ("rules/dg101_x.cpp", '#include "rules/rules.h"'),
            ("frontends/python/x.cpp", "#include <tree_sitter/api.h>"),
            ("frontends/cpp/x.cpp", '#include "clang/AST/AST.h"'),
            ("tests/frontend_cpp/x.cpp", '#include "llvm/Support/VirtualFileSystem.h"'),
            ("integrations/driver/x.cpp", '#include "frontends/python/python.h"'),
            ("integrations/driver/x.cpp", "#include <filesystem>"),
            ("probe/x.cpp", "#include <torch/torch.h>"),
        ]:
            self.assertEqual(problems_in(path, line + "\n"), [], f"{path} {line}")


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
