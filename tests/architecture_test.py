"""Every path that ARCHITECTURE.md, README.md and CONTRIBUTING.md name in backquotes exists, and ARCHITECTURE.md is short enough to be read."""

import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("DEADGRAD_SOURCE", pathlib.Path(__file__).parent.parent))
FOLDERS = ("analyzer", "rules", "frontends", "integrations", "probe", "fixtures", "tests", "benchmarks", "cmake", "tools", ".github", "third_party")


def named_paths(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for quoted in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[\w./*{},-]+", quoted) and quoted.split("/")[0] in FOLDERS and "/" in quoted:
            yield quoted


def expand(pattern):
    """Braces as in a shell: a/{b,c}.h"""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [path for part in match[1].split(",") for path in expand(pattern[: match.start()] + part + pattern[match.end():])]


class Paths(unittest.TestCase):
    def test_paths_exist(self):
        named = 0
        for document in ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"]:
            for pattern in named_paths((ROOT / document).read_text()):
                for path in expand(pattern):
                    named += 1
                    self.assertTrue(list(ROOT.glob(path.rstrip("/"))), f"{document} names {path}, which does not exist")
        self.assertGreater(named, 10)

    def test_length(self):
        self.assertLessEqual(len((ROOT / "ARCHITECTURE.md").read_text().splitlines()), 250)

    def test_a_wrong_path_is_seen(self):
        self.assertEqual(list(named_paths("see `analyzer/none.h` and `model(x)` and `a/b`")), ["analyzer/none.h"])


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
