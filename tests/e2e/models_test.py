"""`--models`: rows of the user's own, by the example of docs/models.md."""

import re
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support


def blocks(language):
    """The code blocks of docs/models.md in that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (support.ROOT / "docs/models.md").read_text(), re.M | re.S)


class Models(support.ProgramTest):
    def setUp(self):
        super().setUp()
        (self.program,) = blocks("python")
        (self.rows,) = blocks("toml")
        self.finding, self.error = blocks("text")
        self.write("app.py", self.program)
        self.write("acme.toml", self.rows)

    def lines_reported(self, *arguments):
        text = self.check("app.py", "--exit-zero", *arguments, code=0).decode()
        return sorted({int(line) for line in re.findall(r"\bapp\.py:(\d+):", text)})

    def test_the_example(self):
        text = self.check("app.py", "--models", "acme.toml", code=1).decode()
        self.assertIn(self.finding.strip(), text)
        self.assertEqual(self.lines_reported("--models", "acme.toml"), [4])
        self.assertEqual(self.lines_reported(), [])

    def test_what_the_page_says_of_single_rows(self):
        self.write("no_maker.toml", self.rows.replace('"acme.load_network"', '"acme.other"'))
        self.write("no_guard.toml", self.rows.replace('forward = "guarded"', 'forward = "calls_argument"\ncallee = 0'))
        self.assertEqual(self.lines_reported("--models", "no_maker.toml"), [])
        self.assertEqual(self.lines_reported("--models", "no_guard.toml"), [4, 5])

    def test_a_later_file_wins(self):
        self.write("plain.toml", '[[effect]]\nsymbol = "acme.load_network"\nresult = { shape = "plain" }\n')
        self.assertEqual(self.lines_reported("--models", "acme.toml", "--models", "plain.toml"), [])
        self.assertEqual(self.lines_reported("--models", "plain.toml", "--models", "acme.toml"), [4])

    def test_rows_win_over_built_in_ones(self):
        self.write("net.py", "import torch\n\nnet = torch.nn.Linear(8, 2)\nprint(net(torch.ones(1, 8)).argmax(1))\n")
        self.assertIn(b"DG101", self.check("net.py", code=0))
        self.write("frozen.toml", '[[class]]\nsymbol = "torch.nn.Linear"\nbases = ["torch.nn.Module"]\nhas_parameters = false\n')
        self.assertNotIn(b"DG101", self.check("net.py", "--models", "frozen.toml", code=0))

    def test_why_reads_them_too(self):
        done = self.run_program("why", "app.py:5", "--models", "acme.toml")
        self.assertIn(b"guard of its own", done.stdout)

    def test_mistakes(self):
        self.write("acme.toml", self.rows.replace('"guarded"', '"guardd"'))
        for arguments, message in ((("acme.toml",), self.error), (("none.toml",), "none.toml: No such file or directory"),
                                   ((".",), ".: not a regular file")):
            done = self.run_program("check", "app.py", "--models", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message.strip(), done.stderr.decode())


if __name__ == "__main__":
    support.main()
