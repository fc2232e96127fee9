"""`check --fix` and its kin from arguments to bytes: exit codes, diffs, files on disk, edits in reports."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
import support

LEAK = """\
import torch
from torch import nn

net = nn.Linear(8, 8)


def embed(x):
    return net(x).tolist()


for row in torch.rand(100, 1, 8):
    print(embed(row))
"""
CLEAN = LEAK.replace("def embed", "@torch.inference_mode()\ndef embed")
# Trains, so that what is done about its forward in between is not safe.
UNSAFE = """\
import torch
from torch import nn

net = nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.load("rows.pt"):
    loss = net(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(net(x).argmax())
"""


class Fix(support.ProgramTest):
    def text_of(self, path):
        return (self.folder / path).read_bytes().decode()

    def test_fix_changes_the_file_and_reports_what_is_left(self):
        self.write("a.py", LEAK)
        self.assertEqual(self.check("--fix", ".", code=0).decode(),
                         "No findings in 1 Python file.\nFixed 1 finding in 1 file.\n")
        self.assertEqual(self.text_of("a.py"), CLEAN)
        self.assertEqual(self.check("--fix", ".", code=0).decode(), "No findings in 1 Python file.\n")

    def test_what_is_not_safe_waits_for_unsafe_fixes(self):
        self.write("a.py", UNSAFE)
        self.assertIn("1 finding fixable with --fix --unsafe-fixes.", self.run_program("check", ".").stdout.decode())
        self.run_program("check", "--fix", ".")
        self.assertEqual(self.text_of("a.py"), UNSAFE)
        self.check("--fix", "--unsafe-fixes", ".", code=0)
        self.assertIn("    with torch.no_grad():\n        print(net(x).argmax())\n", self.text_of("a.py"))

    def test_the_report_says_what_can_be_fixed(self):
        self.write("a.py", LEAK)
        self.assertIn("1 finding fixable with --fix.\n", self.check(".", code=1).decode())

    def test_fix_only_reports_nothing_else(self):
        self.write("a.py", LEAK)
        self.write("b.py", UNSAFE)
        self.assertEqual(self.check("--fix-only", ".", code=0).decode(), "Fixed 1 finding in 1 file.\n")
        self.assertEqual(self.text_of("a.py"), CLEAN)

    def test_diff_writes_no_file_and_patch_reads_it(self):
        self.write("pkg/a.py", LEAK.replace("\n", "\r\n"))
        self.write("b.py", CLEAN)
        done = self.run_program("check", "--diff", ".")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.decode(), "Would fix 1 finding in 1 file.\n")
        self.assertTrue(done.stdout.decode().startswith("--- pkg/a.py\n+++ pkg/a.py\n@@ "), done.stdout)
        self.assertEqual(self.text_of("pkg/a.py"), LEAK.replace("\n", "\r\n"))
        if shutil.which("patch"):
            subprocess.run(["patch", "-p0", "--binary"], input=done.stdout, cwd=self.folder, check=True, capture_output=True)
            self.assertEqual(self.text_of("pkg/a.py"), CLEAN.replace("\n", "\r\n"))
            self.assertEqual(self.run_program("check", "--diff", ".").returncode, 0)

    def test_a_file_that_was_not_asked_for_stays(self):
        self.write("main.py", "from vendor.lib import embed\nimport torch\n\nprint(embed(torch.rand(1, 8)))\n")
        self.write("vendor/lib.py", LEAK.split("\n\nfor")[0] + "\n")
        before = self.text_of("vendor/lib.py")
        self.run_program("check", "--fix", "--unsafe-fixes", ".")
        self.assertEqual(self.text_of("vendor/lib.py"), before)

    def test_links_lead_to_the_file(self):
        self.write("real/a.py", LEAK)
        os.chmod(self.folder / "real/a.py", 0o750)
        (self.folder / "a.py").symlink_to("real/a.py")
        self.check("--fix", "a.py", code=0)
        self.assertTrue((self.folder / "a.py").is_symlink())
        self.assertEqual(self.text_of("real/a.py"), CLEAN)
        self.assertEqual((self.folder / "real/a.py").stat().st_mode & 0o777, 0o750)

    def test_a_file_that_cannot_be_written_is_an_error(self):
        if os.getuid() == 0 and subprocess.run(["true"], user="nobody", check=False).returncode:
            self.skipTest("no other user")
        self.write("a.py", LEAK)
        os.chmod(self.folder / "a.py", 0o444)
        os.chmod(self.folder, 0o555)
        options = {"user": "nobody"} if os.getuid() == 0 else {}
        try:
            done = self.run_program("check", "--fix", "--no-cache", ".", **options)
        except PermissionError:
            self.skipTest("another user cannot run the program from here")
        if done.returncode == 126:
            self.skipTest("another user cannot run the program from here")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a.py: Permission denied", done.stderr.decode())
        self.assertEqual(self.text_of("a.py"), LEAK)

    def test_a_broken_file_is_left_alone(self):
        self.write("a.py", LEAK + "def (:\n")
        self.check("--fix", ".", code=1)
        self.assertEqual(self.text_of("a.py"), LEAK + "def (:\n")

    def apply(self, text, edits):
        """Edits with lines and columns from 1, applied from the last to the first."""
        lines = text.splitlines(keepends=True)
        offset = lambda place: sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1
        for begin, end, inserted in sorted(((offset(a), offset(b), c) for a, b, c in edits), reverse=True):
            text = text[:begin] + inserted + text[end:]
        return text

    def test_json_carries_the_edits(self):
        self.write("a.py", "# \U0001f642\n" + LEAK)
        log = json.loads(self.check("--output-format", "json", ".", code=1))
        edits = [(one["where"]["start"], one["where"]["end"], one["text"]) for one in log["findings"][0]["fix"]["edits"]]
        self.assertEqual(self.apply("# \U0001f642\n" + LEAK, edits), "# \U0001f642\n" + CLEAN)

    def test_sarif_carries_the_edits(self):
        self.write("a.py", LEAK)
        log = json.loads(self.check("--output-format", "sarif", ".", code=1))
        [fix] = log["runs"][0]["results"][0]["fixes"]
        self.assertEqual(fix["description"]["text"], "add `@torch.inference_mode()` above `def embed`.")
        [change] = fix["artifactChanges"]
        self.assertEqual(change["artifactLocation"]["uri"], "a.py")
        edits = []
        for replacement in change["replacements"]:
            region = replacement["deletedRegion"]
            edits.append(({"line": region["startLine"], "column": region["startColumn"]},
                          {"line": region["endLine"], "column": region["endColumn"]},
                          replacement.get("insertedContent", {"text": ""})["text"]))
        self.assertEqual(self.apply(LEAK, edits), CLEAN)

    def test_what_is_done_by_hand_has_no_edits(self):
        self.write("a.py", "import torch\nfrom torch import nn\n\nnet = nn.Linear(4, 2)\nscore = lambda x: net(x).argmax()\n"
                           "for row in torch.rand(9, 4):\n    print(score(row))\n")
        log = json.loads(self.check("--output-format", "json", ".", code=1))
        self.assertEqual(log["findings"][0]["fix"]["edits"], [])
        self.assertNotIn("fixable", self.check(".", code=1).decode())

    def test_fixtures_as_they_are_fixed(self):
        for expected in sorted((support.ROOT / "fixtures").rglob("*.fixed.*")):
            if expected.suffix != ".py" and not support.CPP:
                continue
            with self.subTest(expected.name):
                name = expected.name.replace(".fixed.", ".")
                shutil.copy(expected.with_name(name), self.folder / name)
                self.run_program("check", "--fix", "--unsafe-fixes", name)
                self.assertEqual(self.text_of(name), expected.read_text())


if __name__ == "__main__":
    support.main()
