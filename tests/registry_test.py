"""Every rule has its four parts, and every part belongs to a rule."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("DEADGRAD_SOURCE", pathlib.Path(__file__).parent.parent))
BINARY = os.environ.get("DEADGRAD")


class Registry(unittest.TestCase):
    def setUp(self):
        self.stems = re.findall(r"DEADGRAD_RULE\((\w+)\)", (ROOT / "rules/rules.def").read_text())

    def test_each_rule_has_source_page_and_fixtures(self):
        self.assertTrue(self.stems)
        for stem in self.stems:
            for part in [f"rules/{stem}.cpp", f"rules/{stem}.md"]:
                self.assertTrue((ROOT / part).is_file(), part)
            names = [path.name for path in (ROOT / "fixtures" / stem).glob("*")]
            self.assertTrue([name for name in names if name.startswith("bad_")], f"fixtures/{stem}/bad_*")
            self.assertTrue([name for name in names if name.startswith("ok_")], f"fixtures/{stem}/ok_*")

    def test_each_part_belongs_to_a_rule(self):
        for pattern in ["rules/dg*.cpp", "rules/dg*.md", "fixtures/dg*"]:
            for path in ROOT.glob(pattern):
                self.assertIn(path.stem, self.stems, path)

    def test_ids_and_names_agree_with_the_files(self):
        for stem in self.stems:
            text = (ROOT / f"rules/{stem}.cpp").read_text()
            rule_id, name = re.search(r'\.id = "(\w+)"', text)[1], re.search(r'\.name = "([\w-]+)"', text)[1]
            self.assertEqual(stem, f"{rule_id.lower()}_{name.replace('-', '_')}")

    @unittest.skipUnless(BINARY, "needs the built program")
    def test_the_program_lists_them_all(self):
        listed = subprocess.run([BINARY, "rule", "--all"], capture_output=True, text=True, check=True).stdout
        self.assertEqual([line.split()[0].lower() for line in listed.splitlines()], [stem.split("_")[0] for stem in self.stems])
        for stem in self.stems:
            rule_id = stem.split("_")[0].upper()
            page = subprocess.run([BINARY, "rule", rule_id], capture_output=True, text=True, check=True).stdout
            lines = (ROOT / f"rules/{stem}.md").read_text().splitlines(keepends=True)
            self.assertEqual(page, "".join(line for line in lines if not line.startswith("<!-- ")), rule_id)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
