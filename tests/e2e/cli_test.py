"""`deadgrad check` from arguments to bytes: exit codes, formats, selection, odd input, determinism."""

import json
import os
import pty
import subprocess
import sys
import unittest

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support

LEAK = """\
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def denoise(self, x, t):
        return self.layer(x) + t


def sample(model: Denoiser, x, steps):
    for t in range(steps):
        x = model.denoise(x, t)
    return x


if __name__ == "__main__":
    print(sample(Denoiser(), torch.randn(1, 8), 50).argmax())
"""
CLEAN = LEAK.replace("def sample", "@torch.inference_mode()\ndef sample")
LOOP_LINE = 16


class Check(support.ProgramTest):
    def test_the_leaky_sampler(self):
        self.write("sampler.py", LEAK)
        text = self.check(".", code=1).decode()
        self.assertIn(f"sampler.py:{LOOP_LINE}:", text)
        self.assertIn("error DG102 [graph-carried-across-steps]", text)
        self.assertIn("x = model.denoise(x, t)", text)
        self.assertIn("^^^", text)
        self.assertIn("@torch.inference_mode()", text)
        self.assertIn("Found 1 error in 1 Python file.", text)
        self.assertNotIn("\033", text)

    def test_the_clean_sampler(self):
        self.write("sampler.py", CLEAN)
        self.assertEqual(self.check(".", code=0).decode(), "No findings in 1 Python file.\n")

    def test_a_guard_in_the_adapter_of_another_file_is_seen(self):
        self.write("sampler.py", LEAK.split("\n\nif __name__")[0] + "\n")
        self.write("adapter.py", """\
import torch
from sampler import Denoiser, sample


class Adapter:
    def __init__(self):
        self.model = Denoiser()

    @torch.inference_mode()
    def generate(self, x):
        return sample(self.model, x, 50)
""")
        self.check(".", code=0)

    def test_json(self):
        self.write("sampler.py", LEAK)
        log = json.loads(self.check("sampler.py", "--output-format", "json", code=1))
        self.assertEqual(log["schema_version"], 1)
        [finding] = log["findings"]
        self.assertEqual(finding["rule"], "DG102")
        self.assertEqual(finding["severity"], "error")
        self.assertEqual(finding["where"]["path"], "sampler.py")
        self.assertEqual(finding["where"]["start"]["line"], LOOP_LINE)
        self.assertEqual(finding["fix"]["function"].split(".")[-1], "sample")
        self.assertEqual(log["summary"]["errors"], 1)

    def test_sarif(self):
        self.write("sampler.py", LEAK)
        log = json.loads(self.check(".", "--output-format", "sarif", code=1))
        self.assertEqual(log["version"], "2.1.0")
        [run] = log["runs"]
        rules = run["tool"]["driver"]["rules"]
        [result] = run["results"]
        self.assertEqual(rules[result["ruleIndex"]]["id"], "DG102")
        self.assertEqual(result["level"], "error")
        region = result["locations"][0]["physicalLocation"]["region"]
        self.assertEqual((region["startLine"], region["endLine"]), (LOOP_LINE, LOOP_LINE))
        self.assertLess(region["startColumn"], region["endColumn"])
        self.assertIn("primaryLocationLineHash", result["partialFingerprints"])
        roles = {other["properties"]["role"] for other in result.get("relatedLocations", [])}
        self.assertLessEqual(roles, {"site", "guard", "loop", "container", "entry", "other"})
        self.assertIn("loop", roles)
        self.assertTrue(result["codeFlows"][0]["threadFlows"][0]["locations"])

    def test_output_file(self):
        self.write("sampler.py", LEAK)
        self.assertEqual(self.check(".", "-o", "report.sarif", "--output-format", "sarif", code=1), b"")
        self.assertEqual(json.loads((self.folder / "report.sarif").read_text())["version"], "2.1.0")

    def test_selection(self):
        self.write("sampler.py", LEAK)
        self.check(".", "--select", "DG102", code=1)
        self.check(".", "--select", "DG1", "--ignore", "graph-carried-across-steps", code=0)
        self.check(".", "--select", "DG2,DG104", code=0)
        self.check(".", "--ignore", "ALL", code=0)
        self.check(".", "--exit-zero", code=0)

    def test_an_empty_folder_and_an_empty_file(self):
        self.check(".", code=0)
        self.write("empty.py", "")
        self.check(".", code=0)

    def test_cpp_files_are_counted(self):
        self.write("a.cpp", "int main() {}")
        self.write("b.cu", "")
        self.assertRegex(self.check(".", code=0).decode(), "2 C\\+\\+ files (not analysed|without torch)")

    def test_notebooks_are_counted(self):
        self.write("a.ipynb", "{}")
        self.assertIn("1 notebook not analysed", self.check(".", code=0).decode())

    def test_the_library_of_a_project_is_not_reported(self):
        self.write("third_party/sampler.py", LEAK)
        self.check(".", code=0)
        self.check("third_party", code=1)


class Errors(support.ProgramTest):
    def expect_error(self, *arguments, says):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, b"")
        self.assertIn("deadgrad: error: ", done.stderr.decode())
        self.assertIn(says, done.stderr.decode())

    def test_could_not_run(self):
        self.write("a.py", "")
        os.mkfifo(self.folder / "pipe.py")
        self.expect_error("check", "nowhere.py", says="nowhere.py: No such file or directory")
        self.expect_error("check", "a.py", "nowhere", says="nowhere")
        self.expect_error("check", "pipe.py", says="neither a file nor a folder")
        self.expect_error("check", says="PATH")
        self.expect_error("check", "a.py", "--output-format", "xml", says="xml")
        self.expect_error("check", "a.py", "-j", "0", says="jobs")
        self.expect_error("check", "a.py", "-j", "many", says="jobs")
        self.expect_error("check", "a.py", "--unknown", says="--unknown")
        self.expect_error("check", "a.py", "-o", "no/such/folder", says="no/such/folder")
        self.expect_error("chek", says="did you mean 'check'")
        self.expect_error("rule", "DG10x", says="did you mean 'DG10")
        self.expect_error(says="")

    def test_unknown_rules_name_the_nearest(self):
        self.write("a.py", "")
        self.expect_error("check", "a.py", "--select", "DG1002", says="did you mean 'DG102'")
        self.expect_error("check", "a.py", "--ignore", "unguarded-forwards", says="did you mean 'unguarded-forward'")

    def test_help_and_version(self):
        for arguments, says in [(["--help"], b"check"), (["check", "--help"], b"--select"), (["--version"], b"deadgrad 0.")]:
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0)
            self.assertIn(says, done.stdout)

    def test_a_reader_that_goes_away_is_no_crash(self):
        self.write("sampler.py", LEAK)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([support.BINARY, "check", "."], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (1, b""))

    def test_a_full_disk_is_an_error(self):
        self.write("sampler.py", LEAK)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([support.BINARY, "check", "."], cwd=self.folder, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)


class OddInput(support.ProgramTest):
    def test_control_characters_are_escaped(self):
        name = "sam\x1b[2Jpler.py"
        self.write(name, LEAK.replace("x = model.denoise(x, t)", "x = model.denoise(x, t)  # \x1b]0;owned\x07 \u202e \u009b"))
        for form in ["text", "json", "sarif"]:
            out = self.check(".", "--output-format", form, code=1)
            for byte in [b"\x1b", b"\x07", "\u202e".encode() if form == "text" else b"\x1b"]:
                self.assertNotIn(byte, out, form)

    def test_bytes_that_are_not_utf8(self):
        self.write("latin.py", LEAK.encode().replace(b"50", b"50  # \xe9\xff") + b"s = '\xe9'\n")
        for form in ["text", "json", "sarif"]:
            self.check(".", "--output-format", form, code=1).decode()  # strict

    def test_line_ends_and_byte_order_marks_do_not_move_positions(self):
        self.write("sampler.py", LEAK)
        plain = self.check(".", code=1).decode().splitlines()[0]
        for content in [b"\xef\xbb\xbf" + LEAK.encode(), LEAK.replace("\n", "\r\n").encode()]:
            self.write("sampler.py", content)
            self.assertEqual(self.check(".", code=1).decode().splitlines()[0], plain)

    def test_broken_code_hides_no_other_function(self):
        self.write("sampler.py", LEAK + "\ndef broken(:\n    y = model(\n")
        self.assertIn("sampler.py", self.check(".", code=1).decode())

    def test_deep_nesting(self):
        self.write("deep.py", "x = " + "(" * 200_000 + ")" * 200_000 + "\n")
        self.write("minus.py", "x = " + "-" * 200_000 + "1\n")
        self.write("calls.py", "x = f" + "()" * 100_000 + "\n")
        self.write("attributes.py", "x = a" + ".b" * 100_000 + "\n")
        self.write("ifs.py", "".join(" " * i + "if x:\n" for i in range(1000)) + " " * 1000 + "pass\n")
        self.check(".", code=0)

    def test_large_files_are_named(self):
        self.write("big.py", b"#" * (5 << 20))
        self.assertIn("big.py: skipped: larger than 4 MB", self.check(".", code=0).decode())

    def test_pipes_devices_and_link_loops_are_passed_over(self):
        os.mkfifo(self.folder / "pipe.py")
        (self.folder / "loop").symlink_to(".")
        (self.folder / "null.py").symlink_to("/dev/zero")
        self.write("a.py", "")
        self.assertIn("in 1 Python file.", self.check(".", code=0).decode())


class Colors(support.ProgramTest):
    def on_a_terminal(self, *arguments, **environment):
        """What the program writes when its standard output is a terminal."""
        parent, child = pty.openpty()
        process = subprocess.Popen([support.BINARY, "check", *arguments], cwd=self.folder, stdout=child,
                                   stderr=subprocess.PIPE, env={**os.environ, **environment})
        os.close(child)
        out = b""
        while True:
            try:
                chunk = os.read(parent, 65536)
            except OSError:  # how Linux reports that the other end is closed
                break
            if not chunk:
                break
            out += chunk
        os.close(parent)
        process.communicate()
        return out

    def test_only_on_a_terminal_or_on_demand(self):
        self.write("sampler.py", LEAK)
        self.assertNotIn(b"\033", self.check(".", code=1))
        self.assertIn(b"\033[", self.check(".", "--color", "always", code=1))
        self.assertIn(b"\033[", self.on_a_terminal("."))
        self.assertNotIn(b"\033", self.on_a_terminal(".", "--color", "never"))
        self.assertNotIn(b"\033", self.on_a_terminal(".", NO_COLOR="1"))
        self.assertNotIn(b"\033", self.check(".", "--color", "always", "--output-format", "json", code=1))


class Determinism(support.ProgramTest):
    def test_a_project_of_300_files(self):
        for i in range(100):
            package = f"pkg{i % 10}"
            self.write(f"{package}/__init__.py", "")
            self.write(f"{package}/net{i}.py", LEAK.split("\n\ndef sample")[0] + "\n")
            self.write(f"{package}/use{i}.py", f"from {package}.net{i} import Denoiser\n\n\ndef sample(x):\n"
                       "    model = Denoiser()\n    for t in range(9):\n        x = model.denoise(x, t)\n    return x\n")
            self.write(f"{package}/main{i}.py", f"from .use{i} import sample\nprint(sample(1).argmax())\n")
        for form in ["text", "json", "sarif"]:
            outputs = {self.check(".", "--output-format", form, "-j", jobs, code=1) for jobs in (1, 2, 7, 1)}
            self.assertEqual(len(outputs), 1, form)
        findings = json.loads(self.check(".", "--output-format", "json", code=1))["findings"]
        self.assertEqual(len({finding["where"]["path"] for finding in findings}), 100)
        places = [(f["where"]["path"], f["where"]["start"]["line"], f["where"]["start"]["column"]) for f in findings]
        self.assertEqual(places, sorted(places))

    def test_the_order_of_arguments_does_not_matter(self):
        for name in "abc":
            self.write(f"{name}.py", LEAK)
        self.assertEqual(self.check("a.py", "b.py", "c.py", code=1), self.check("c.py", "a.py", "b.py", "a.py", code=1))


if __name__ == "__main__":
    support.main()
