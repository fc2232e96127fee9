"""rules/new_rule.py writes a complete rule: it compiles, is registered in order, and has a page and fixtures."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("DEADGRAD_SOURCE", pathlib.Path(__file__).parent.parent))
SCRIPT = ROOT / "rules" / "new_rule.py"


class Scaffold(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "rules").mkdir()
        for name in ["CMakeLists.txt", "rules/rules.def"]:
            (self.root / name).write_text((ROOT / name).read_text())

    def scaffold(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments, "--root", self.root], capture_output=True, text=True)

    def test_all_four_parts(self):
        done = self.scaffold("DG199", "graph-kept-by-cache", "--summary", "a cache keeps graphs")
        self.assertEqual(done.returncode, 0, done.stderr)
        stem = "dg199_graph_kept_by_cache"
        lines = (self.root / "rules/rules.def").read_text().splitlines()
        self.assertIn(f"DEADGRAD_RULE({stem})", lines)
        numbers = [int(re.search(r"dg(\d+)_", line)[1]) for line in lines]
        self.assertEqual(numbers, sorted(numbers))
        self.assertIn("<!-- fixture: bad_example.py -->", (self.root / f"rules/{stem}.md").read_text())
        self.assertIn("# expect: DG199", (self.root / f"fixtures/{stem}/bad_example.py").read_text())
        self.assertNotIn("expect", (self.root / f"fixtures/{stem}/ok_example.py").read_text())
        compiler = os.environ.get("CXX", "c++")
        done = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", ROOT, self.root / f"rules/{stem}.cpp"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_bad_names_are_refused(self):
        for arguments in [("DG1", "some-name"), ("DG199", "Name"), ("DG199", "missing-guard"), ("DG101", "other-name")]:
            done = self.scaffold(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertFalse(list(self.root.glob("rules/*.cpp")), arguments)

    def test_a_second_rule_of_the_same_id_is_refused(self):
        self.assertEqual(self.scaffold("DG199", "graph-kept-by-cache").returncode, 0)
        self.assertEqual(self.scaffold("DG199", "graph-kept-by-hook").returncode, 2)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
