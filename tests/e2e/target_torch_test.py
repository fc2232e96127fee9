"""`--target-torch`, and what a project's files say where it is not given."""

import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support

LEAK = """\
import torch
from torch import nn

net = nn.Linear(8, 2)


def predict(x):
    return net(x).argmax(1).tolist()


print(predict(torch.ones(1, 8)))
"""
OLD, NEW = "@torch.no_grad()", "@torch.inference_mode()"


class TargetTorch(support.ProgramTest):
    def assert_fix(self, wanted, *arguments, **options):
        text = self.check("--exit-zero", *arguments, code=0, **options).decode()
        self.assertIn(f"add `{wanted}` above", text)
        self.assertNotIn(OLD if wanted == NEW else NEW, text)

    def test_the_option(self):
        self.write("app.py", LEAK)
        self.assert_fix(NEW, "app.py")
        for version, wanted in (("1.8", OLD), ("1.8.1", OLD), ("1.9", NEW), ("1.13.1+cu117", NEW), ("2", NEW)):
            self.assert_fix(wanted, "app.py", "--target-torch", version)
        self.assertIn(b"DG501", self.check("--select", "DG501", "--target-torch", "2.1", self.guarded(), code=0))
        self.assertNotIn(b"DG501", self.check("--select", "DG501", "--target-torch", "1.8", self.guarded(), code=0))

    def guarded(self):
        self.write("guarded.py", LEAK.replace("def predict", OLD + "\ndef predict"))
        return "guarded.py"

    def test_no_version(self):
        self.write("app.py", LEAK)
        done = self.run_program("check", "app.py", "--target-torch", "new")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.decode(), "deadgrad: error: target-torch: 'new' is no release such as 2.1\n")

    def test_the_nearest_folder_that_says_it(self):
        self.write("pkg/deep/app.py", LEAK)
        self.write("requirements-dev.txt", "torch==1.8.1\n")
        self.assert_fix(OLD, ".")
        self.assert_fix(OLD, "pkg/deep/app.py")
        self.write("pkg/pyproject.toml", '[project]\nname = "pkg"\ndependencies = ["torch"]\n')
        self.assert_fix(OLD, ".")
        self.write("pkg/pyproject.toml", '[project]\nname = "pkg"\ndependencies = ["torch>=2"]\n')
        self.assert_fix(NEW, ".")
        self.assert_fix(OLD, ".", "--target-torch", "1.7")

    def test_the_lowest_of_one_folder(self):
        self.write("app.py", LEAK)
        self.write("pyproject.toml", '[project]\nname = "pkg"\ndependencies = ["torch>=1.8"]\n')
        self.write("uv.lock", '[[package]]\nname = "torch"\nversion = "2.6.0"\n')
        self.assert_fix(OLD, ".")

    def test_folders_outside_of_the_project_are_not_asked(self):
        self.write("requirements.txt", "torch==1.8.1\n")
        self.write("project/app.py", LEAK)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.assert_fix(NEW, self.folder / "project", cwd=elsewhere)
        self.assert_fix(OLD, self.folder / "project", cwd=self.folder)
        (self.folder / "project/.git").mkdir()
        self.assert_fix(NEW, self.folder / "project", cwd=self.folder)


if __name__ == "__main__":
    support.main()
