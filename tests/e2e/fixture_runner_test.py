"""`deadgrad dev fixtures` fails when an expectation and the findings disagree, in either direction."""

import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support

LEAK = """\
import torch
from torch import nn


def sample(x, steps):
    model = nn.Linear(8, 8)
    for t in steps:
        x = model(x){comment}
    return x


print(sample(torch.zeros(8), range(9)).argmax())
"""
LOOP = 8


class FixtureRunner(support.ProgramTest):
    def fixtures(self, code, *arguments):
        done = self.run_program("dev", "fixtures", ".", *arguments)
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        return done.stdout.decode()

    def put(self, comment, name="bad_loop.py"):
        self.write(f"dg102_x/{name}", LEAK.format(comment=comment))

    def test_what_is_announced_passes(self):
        for comment in ["  # expect: DG102", "  # expect: DG102@13", '  # expect: DG102@13 "model"', '  # expect: DG102 "model"']:
            self.put(comment)
            self.assertIn("1 programs, 1 expectations, 0 known gaps, 0 failures", self.fixtures(0))

    def test_a_comment_alone_speaks_for_the_next_line_of_code(self):
        self.write("dg102_x/bad_loop.py", LEAK.format(comment="").replace("        x = ", "        # expect: DG102\n\n        # why\n        x = "))
        self.fixtures(0)

    def test_an_unannounced_finding_fails(self):
        self.put("")
        self.assertIn(f"bad_loop.py:{LOOP}: unexpected finding", self.fixtures(1))

    def test_a_missing_finding_fails(self):
        self.write("dg102_x/bad_quiet.py", "x = 1  # expect: DG102\n")
        self.assertIn("bad_quiet.py:1: expected DG102, but it is not found", self.fixtures(1))

    def test_wrong_column_text_or_rule_fails(self):
        for comment in ["  # expect: DG102@2", '  # expect: DG102 "no such words"', "  # expect: DG101"]:
            self.put(comment)
            self.assertIn("2 failures", self.fixtures(1), comment)

    def test_a_rule_that_does_not_exist_fails(self):
        self.put("  # expect: DG102, DG999")
        self.assertIn("names no rule that exists", self.fixtures(1))

    def test_known_gaps_pass_until_behaviour_changes(self):
        self.put("  # known-false: DG102 the loop is short")
        self.write("dg102_x/bad_miss.py", "x = 1  # known-miss: DG101 needs types\n")
        text = self.fixtures(0, "--count")
        self.assertIn("known false  DG102", text)
        self.assertIn("the loop is short", text)
        self.assertIn("known miss   DG101", text)
        self.assertIn("2 known gaps", text)
        self.write("dg102_x/bad_miss.py", "x = 1  # known-false: DG101 was reported once\n")
        self.put("  # known-miss: DG102 needs a loop")
        text = self.fixtures(1)
        self.assertIn("no longer missed", text)
        self.assertIn("no longer reported", text)

    def test_a_folder_is_one_program(self):
        self.write("dg102_x/bad_two/net.py", "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
                   "        super().__init__()\n        self.f = nn.Linear(8, 8)\n\n    def forward(self, x):\n        return self.f(x)\n")
        self.write("dg102_x/bad_two/main.py", "import torch\nfrom net import Net\n\nnet = Net()\nx = torch.zeros(8)\n"
                   "for _ in range(9):\n    x = net(x)  # expect: DG102\nprint(x.argmax())\n")
        self.assertIn("1 programs, 1 expectations", self.fixtures(0))

    def test_fixed_twins_and_support_are_no_programs(self):
        self.put("", name="bad_loop.fixed.py")
        self.write("support/x.py", LEAK.format(comment=""))
        self.assertIn("0 programs", self.fixtures(0))


if __name__ == "__main__":
    support.main()
