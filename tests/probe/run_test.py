"""`deadgrad probe run` and `deadgrad confirm` on programs that run: every line gets the right verdict, byte for byte."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import support

PYTHON = os.environ.get("DEADGRAD_TORCH_PYTHON", "")
NATIVE = os.environ.get("DEADGRAD_PROBE_PROGRAM", "")
PROGRAMS = pathlib.Path(__file__).parent / "programs"
# A Python number that a tensor is multiplied with is an 8-byte tensor to torch 1.13, which saves it; 2.x does not.
NUMBER = 8 if PYTHON and subprocess.check_output([PYTHON, "-c", "import torch; print(torch.__version__)"]).startswith(b"1.") else 0
# Of the denoiser in programs/mixed.py with 16 rows: the first layer's input and the ReLU's result.
NATIVE_STEP = 16 * 32 * 4 + 16 * 64 * 4
STEP = NATIVE_STEP + NUMBER

MODEL = """
import os, sys, threading, torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)  # OpenMP's threads do not survive a fork
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))
x = torch.randn(16, 32)
HIDDEN = 16 * 64 * 4
"""
HIDDEN = 16 * 64 * 4


def line_of(path, text):
    """The number of the one line that has the text."""
    lines = [number for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1) if text in line]
    assert len(lines) == 1, (text, lines)
    return lines[0]


def log_of(*places):
    """A SARIF log with a finding for each (path, first line, last line)."""
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "deadgrad"}}, "results": [
        {"ruleId": "DG101", "level": "warning", "message": {"text": "Text."}, "properties": {"probeCanConfirm": True},
         "locations": [{"physicalLocation": {"artifactLocation": {"uri": str(path)}, "region": {"startLine": first, "endLine": last}}}]}
        for path, first, last in places]}]})


class ProbeTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        # The user's cache is left alone; what is compiled once serves all tests.
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(support.BUILD / "probe-cache"))

    def run_probe(self, *arguments, code):
        done = self.run_program(*arguments, env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        return done

    def measure(self, program, *arguments, code=0, engine=()):
        """The measurement of a Python program with MODEL before it."""
        self.write("program.py", MODEL + program)
        self.run_probe("probe", "run", *engine, "--output-format", "json", "-o", "out.json", "--", PYTHON, "program.py", *arguments, code=code)
        return json.loads((self.folder / "out.json").read_text())

    def retained(self, program, *arguments, **options):
        """What the only process of the program retained."""
        processes = self.measure(program, *arguments, **options)["processes"]
        self.assertEqual(len(processes), 1)
        return processes[0]["retained"]

    def confirm(self, log, *command, code):
        self.write("log.sarif", log)
        self.run_probe("confirm", "log.sarif", "--output-format", "json", "-o", "out.json", "--", *command, code=code)
        return json.loads((self.folder / "out.json").read_text())["findings"]


@unittest.skipUnless(PYTHON, "no Python here has torch")
class PythonPrograms(ProbeTest):
    def test_check_then_confirm(self):
        self.write("mixed.py", (PROGRAMS / "mixed.py").read_bytes())
        self.run_probe("check", "mixed.py", "--output-format", "sarif", "--exit-zero", "-o", "findings.sarif", code=0)
        done = self.run_probe("confirm", "findings.sarif", "--", PYTHON, "mixed.py", code=1)
        text = done.stdout.decode()
        self.assertIn("mixed.py:18: confirmed DG102", text)
        self.assertIn(f"{8 * STEP:,} bytes saved and never used; {STEP:,} more at each of 8 visits", text)
        self.assertIn("mixed.py:37: confirmed DG301", text)
        self.assertIn("mixed.py:41: not-reached DG101", text)
        self.assertNotIn("tensor(", text)
        self.assertIn("tensor(", done.stderr.decode())

    def test_the_log_gets_the_verdicts(self):
        self.write("mixed.py", (PROGRAMS / "mixed.py").read_bytes())
        self.run_probe("check", "mixed.py", "--output-format", "sarif", "--exit-zero", "-o", "findings.sarif", code=0)
        done = self.run_probe("confirm", "findings.sarif", "--output-format", "sarif", "-o", "out.sarif", "--", PYTHON, "mixed.py", code=1)
        self.assertIn("tensor(", done.stdout.decode())
        results = json.loads((self.folder / "out.sarif").read_text())["runs"][0]["results"]
        self.assertEqual([(result["properties"]["probe"]["verdict"], result["rank"]) for result in results],
                         [("confirmed", 100), ("confirmed", 100), ("not-reached", 50)])
        self.assertEqual(results[0]["properties"]["probe"]["growthPerVisit"], STEP)
        self.assertIn("Measured: confirmed", results[0]["message"]["text"])

    def test_probe_run_judges_findings_too(self):
        path = PROGRAMS / "mixed.py"
        self.write("log.sarif", log_of((path, 18, 18), (path, 25, 25)))
        texts = []
        for words in (["confirm", "log.sarif"], ["probe", "run", "--sarif", "log.sarif"]):
            self.run_probe(*words, "-o", "out.txt", "--", PYTHON, path, code=1)
            texts.append((self.folder / "out.txt").read_text())
        self.assertEqual(texts[0], texts[1])
        self.assertIn("mixed.py:18: confirmed", texts[0])
        self.assertIn("--sarif", self.run_probe("probe", "run", "--output-format", "sarif", "--", PYTHON, path, code=2).stderr.decode())

    def test_an_earlier_run_is_set_beside(self):
        self.write("program.py", MODEL + "if len(sys.argv) > 1:\n    torch.set_grad_enabled(False)\nkept = [model(x) for _ in range(9)]\n")
        self.run_probe("probe", "run", "--output-format", "json", "-o", "before.json", "--", PYTHON, "program.py", code=1)
        text = self.run_probe("probe", "run", "--before", "before.json", "--", PYTHON, "program.py", "guarded", code=0).stdout.decode()
        self.assertRegex(text, r"before: [\d,]+ bytes saved at the peak, [\d,]+ wasted")
        self.assertIn("now   : 0 bytes saved at the peak, 0 wasted", text)
        self.write("broken.json", '{"schema": "deadgrad.probe/1"}')
        for name in ("broken.json", "missing.json"):
            done = self.run_probe("probe", "run", "--before", name, "--", PYTHON, "program.py", code=2)
            self.assertIn(name, done.stderr.decode())

    def test_every_line_has_its_verdict(self):
        path = PROGRAMS / "mixed.py"
        log = log_of((path, 18, 18), (path, 25, 25), (path, 31, 31), (path, 37, 37), (path, 41, 41), (path, 54, 54))
        leaky, guarded, trained, thread, never, checkpointed = self.confirm(log, PYTHON, path, code=1)
        self.assertEqual([leaky["verdict"], leaky["wastedBytes"], leaky["visits"], leaky["growthPerVisit"]], ["confirmed", 8 * STEP, 8, STEP])
        self.assertEqual([guarded["verdict"], guarded["visits"]], ["ran-without-autograd", 8])
        self.assertEqual([trained["verdict"], trained["wastedBytes"]], ["refuted", 0])
        self.assertGreaterEqual(trained["usedBytes"], STEP)
        self.assertEqual([thread["verdict"], thread["wastedBytes"]], ["confirmed", STEP])
        self.assertEqual(never["verdict"], "not-reached")
        self.assertNotEqual(checkpointed["verdict"], "confirmed")

    def test_a_log_from_elsewhere_is_matched_by_the_end_of_its_paths(self):
        self.write("here/mixed.py", (PROGRAMS / "mixed.py").read_bytes())
        self.write("log.sarif", log_of(("here/mixed.py", 18, 18)))
        done = self.run_probe("confirm", "log.sarif", "--root", "/nowhere", "--", PYTHON, "here/mixed.py", code=1)
        self.assertIn("here/mixed.py:18: confirmed DG101 Text.", done.stdout.decode())
        self.write("log.sarif", log_of(("there/mixed.py", 18, 18)))
        done = self.run_probe("confirm", "log.sarif", "--root", "/nowhere", "--", PYTHON, "here/mixed.py", code=0)
        self.assertIn("there/mixed.py:18: not-reached", done.stdout.decode())

    def test_only_good_verdicts_give_no_exit_code(self):
        path = PROGRAMS / "mixed.py"
        self.confirm(log_of((path, 25, 25), (path, 31, 31)), PYTHON, path, code=0)

    def test_a_call_on_several_lines_is_one_visit(self):
        self.write("program.py", MODEL + "for _ in range(5):\n    model(\n        x\n    )\n")
        first = line_of(self.folder / "program.py", "    model(")
        finding, = self.confirm(log_of(("program.py", first, first + 2)), PYTHON, "program.py", code=1)
        self.assertEqual([finding["visits"], finding["bytesPerVisit"], finding["growthPerVisit"]], [5, finding["wastedBytes"] // 5, 0])

    def test_results_that_are_collected_grow(self):
        self.write("program.py", MODEL + "kept = []\nfor _ in range(6):\n    kept.append(model(x))\n")
        line = line_of(self.folder / "program.py", "kept.append")
        finding, = self.confirm(log_of(("program.py", line, line)), PYTHON, "program.py", code=1)
        self.assertEqual(finding["growthPerVisit"], HIDDEN)

    def test_a_function_that_also_trains_is_judged_by_its_worst_caller(self):
        self.write("program.py", MODEL + "def run():\n    return model(x)\nrun().sum().backward()\nrun()\n")
        line = line_of(self.folder / "program.py", "return model(x)")
        finding, = self.confirm(log_of(("program.py", line, line)), PYTHON, "program.py", code=1)
        self.assertEqual([finding["verdict"], finding["wastedOnlyBytes"]], ["confirmed", HIDDEN])

    def test_resnet18(self):
        retained = self.retained(RESNET, code=1)
        arithmetic, allocator = map(int, (self.folder / "bytes.txt").read_text().split())
        self.assertEqual(allocator, arithmetic)
        self.assertEqual(retained["saved_only_peak"], arithmetic)

    def test_torchscript(self):
        retained = self.retained("script = torch.jit.script(model)\nfor _ in range(3):\n    y = script(x)\n    del y\n", code=1)
        self.assertEqual(retained["wasted_only"], 3 * HIDDEN)

    @unittest.skipIf(NUMBER, "torch 1.13 has no torch.compile")
    def test_compiled_functions(self):
        """What a compiled forward saves goes through SavedVariable too."""
        program = "compiled = torch.compile(model, backend='aot_eager')\ny = compiled(x)\ndel y\n"
        retained = self.retained(program, code=1)
        self.assertEqual(retained["wasted_only"], HIDDEN)
        self.assertEqual(self.retained("compiled = torch.compile(model, backend='aot_eager')\ncompiled(x).sum().backward()\n")["wasted"], 0)

    def test_exceptions_and_exits(self):
        program = "y = model(x)\nif sys.argv[1] == 'raise':\n    raise ValueError('mine')\nif sys.argv[1] == '_exit':\n    os._exit(4)\nsys.exit(5)\n"
        for how, status in [("raise", 1), ("_exit", 4), ("exit", 5)]:
            measured = self.measure(program, how, code=1)
            self.assertEqual(measured["exit_status"], status)
            self.assertEqual(measured["processes"][0]["retained"]["wasted_only"], HIDDEN, how)

    def test_a_program_that_fails_before_it_imports_torch_could_not_be_measured(self):
        self.write("program.py", "raise ValueError('mine')\n")
        done = self.run_probe("probe", "run", "--", PYTHON, "program.py", code=2)
        self.assertIn("reported nothing", done.stderr.decode())
        done = self.run_probe("probe", "run", "--", "./no_such_program", code=2)
        self.assertIn("no_such_program: No such file", done.stderr.decode())

    def test_a_core_for_another_torch_is_refused(self):
        program = ("import deadgrad_probe\ncore = deadgrad_probe.Native(deadgrad_probe.core_path())\n"
                   "try:\n    core.refuse_other_torch('0.9.1')\nexcept RuntimeError as error:\n    open('refused', 'w').write(str(error))\n")
        self.measure(program)
        self.assertIn("the core was compiled for torch 0.9.1, and this is torch", (self.folder / "refused").read_text())

    def test_a_guarded_program_is_clean(self):
        self.assertEqual(self.retained("with torch.inference_mode():\n    model(x)\n")["tensors"], 0)

    def test_workers_of_a_data_loader(self):
        program = ("from torch.utils.data import DataLoader, TensorDataset\nmodel(x)\n"
                   "print(sum(len(batch[0]) for batch in DataLoader(TensorDataset(x), batch_size=4, num_workers=2)))\n")
        self.assertEqual(self.retained(program, code=1)["wasted_only"], HIDDEN)

    def test_a_forked_process_reports_what_it_saved_itself(self):
        program = ("y = model(x)\nif os.fork() == 0:\n    z = [model(x), model(x)]\n    os._exit(0)\nos.wait()\n")
        wasted = sorted(process["retained"]["wasted_only"] for process in self.measure(program, code=1)["processes"])
        self.assertEqual(wasted, [HIDDEN, 2 * HIDDEN])

    def test_the_programs_own_hooks_come_first(self):
        retained = self.retained("with torch.autograd.graph.save_on_cpu():\n    y = model(x)\ny.sum().backward()\n")
        self.assertEqual([retained["wasted"], retained["tensors"]], [0, 0])
        self.assertGreater(retained["left_to_user_hooks"], 0)

    def test_modification_in_place_still_raises(self):
        program = ("a = torch.randn(4, requires_grad=True)\nb = a.exp()\nb.add_(1)\n"
                   "try:\n    b.sum().backward()\nexcept RuntimeError as error:\n    open('raised', 'w').write(str(error))\n")
        self.measure(program, code=1)
        self.assertIn("modified by an inplace operation", (self.folder / "raised").read_text())

    def test_a_sitecustomize_of_the_users_runs_too(self):
        self.write("site/sitecustomize.py", "open('customized', 'w').write('yes')\n")
        self.environment["PYTHONPATH"] = str(self.folder / "site")
        self.retained("model(x)\n", code=1)
        self.assertEqual((self.folder / "customized").read_text(), "yes")

    def test_the_python_engine_gives_the_same_bytes(self):
        program = ("for _ in range(3):\n    model(x)\nmodel(x).sum().backward()\n"
                   "thread = threading.Thread(target=lambda: model(x + 1))\nthread.start()\nthread.join()\n")
        native = self.measure(program, code=1)["processes"][0]
        python = self.measure(program, code=1, engine=["--python-engine"])["processes"][0]
        self.assertEqual([native["engine"], python["engine"]], ["native", "python"])
        for name in ("used", "wasted", "tensors"):
            self.assertEqual(native["retained"][name], python["retained"][name], name)
        self.assertIsNone(python["retained"]["wasted_only"])

    def test_hostile_logs(self):
        for log in ["", "[" * 100000, "{}", '{"runs": 3}', '{"runs": [{"results": [{}]}]}']:
            self.write("log.sarif", log)
            done = self.run_probe("confirm", "log.sarif", "--", PYTHON, "-c", "import torch", code=2)
            self.assertIn("log.sarif", done.stderr.decode(), log[:20])


# The residual net of 18 layers, and the bytes that its evaluation saves: every convolution, normalization and ReLU keeps its input
# or its result, and equal storages count once.
RESNET = """
import deadgrad_probe, gc

class Part(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after)
        self.conv2, self.norm2 = nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or before != after:
            self.down = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x)))))
        return self.relu(y + (x if self.down is None else self.down(x)))

layers, width, counted = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64, 0
size = 64 // 2
counted += 2 * 64 * size * size * 4       # norm's input; the ReLU's result, which the pool keeps too
size //= 2
counted += 64 * size * size * (4 + 8)     # the pool's result and its indices
for after in (64, 128, 256, 512):
    for stride in (1 if after == 64 else 2, 1):
        layers.append(Part(width, after, stride))
        size //= stride
        map = after * size * size * 4
        counted += 4 * map                # two norms' inputs, two ReLUs' results: the sum's own input is not kept
        if layers[-1].down is not None:
            counted += map                # the shortcut's norm's input
        width = after
counted += 512 * 4                        # the pooled vector, kept by the last layer
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).eval()
image = torch.randn(1, 3, 64, 64)
core = deadgrad_probe.Native(deadgrad_probe.core_path())
with torch.inference_mode():
    before = core.totals().live
    y = net(image)
    guarded = core.totals().live - before
    del y
before = core.totals().live
y = net(image)
open("bytes.txt", "w").write(f"{counted} {core.totals().live - before - guarded}")
"""


@unittest.skipUnless(NATIVE, "the native program was not built")
class NativePrograms(ProbeTest):
    SOURCE = PROGRAMS / "mixed.cpp"

    def place(self, mark):
        line = line_of(self.SOURCE, "// " + mark)
        return self.SOURCE, line, line

    def test_every_line_has_its_verdict(self):
        log = log_of(*map(self.place, ["leaky", "guarded", "trained", "thread", "never", "checkpointed", "recomputed", "applied"]))
        leaky, guarded, trained, thread, never, checkpointed, recomputed, applied = self.confirm(log, NATIVE, code=1)
        self.assertEqual([leaky["verdict"], leaky["wastedBytes"], leaky["visits"], leaky["growthPerVisit"]], ["confirmed", 8 * NATIVE_STEP, 8, NATIVE_STEP])
        self.assertTrue(leaky["visitsInferred"])
        self.assertEqual(guarded["verdict"], "ran-without-autograd")
        self.assertEqual([trained["verdict"], trained["wastedBytes"]], ["refuted", 0])
        self.assertEqual([thread["verdict"], thread["wastedBytes"]], ["confirmed", NATIVE_STEP])
        self.assertEqual(never["verdict"], "not-reached")
        self.assertEqual(checkpointed["verdict"], "ran-without-autograd")
        for part in (recomputed, applied):
            self.assertEqual([part["verdict"], part["wastedBytes"]], ["refuted", 0])

    def test_exit_without_handlers(self):
        self.run_probe("probe", "run", "--output-format", "json", "-o", "out.json", "--", NATIVE, "_exit", code=1)
        measured = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(measured["exit_status"], 3)
        self.assertEqual(measured["processes"][0]["retained"]["wasted"], 9 * NATIVE_STEP)

    @unittest.skipUnless(support.CPP, "this build has no C++ frontend")
    def test_check_then_confirm(self):
        self.run_probe("check", self.SOURCE, "--output-format", "sarif", "--include-tests", "--exit-zero", "-o", "findings.sarif", code=0)
        text = self.run_probe("confirm", "findings.sarif", "--", NATIVE, code=1).stdout.decode()
        self.assertRegex(text, r"confirmed DG102[^\n]*\n  = measured: " + f"{8 * NATIVE_STEP:,} bytes")


class Library(ProbeTest):
    def test_what_is_missing_is_said(self):
        done = self.run_probe("probe", "build", "--torch", self.folder, code=2)
        self.assertIn("neither a libtorch_cpu", done.stderr.decode())
        self.write("lib/libtorch_cpu.so", "")
        done = self.run_probe("probe", "build", "--torch", self.folder, code=2)
        self.assertIn("headers", done.stderr.decode())
        done = self.run_probe("probe", "doctor", "--python", self.folder / "no_python", code=2)
        self.assertIn("LibTorch: missing", done.stdout.decode())

    @unittest.skipUnless(PYTHON, "no Python here has torch")
    def test_a_core_is_compiled_once_for_a_library_that_we_were_not_built_for(self):
        told = self.run_probe("probe", "doctor", "--python", PYTHON, code=0).stdout.decode()
        real = pathlib.Path(told.split(" in ", 1)[1].split("\n")[0])
        # Another file of the same LibTorch: a key of its own, so the core beside the binary does not fit.
        link = self.folder / "libtorch_cpu.so"
        shutil.copy(real, link)
        (self.folder / "libc10.so").symlink_to(real.parent / real.name.replace("libtorch_cpu", "libc10"))
        (self.folder / "include").symlink_to(told.split("headers: ", 1)[1].split("\n")[0])
        first = self.run_probe("probe", "build", "--torch", link, code=0)
        self.assertIn("compiling the probe", first.stderr.decode())
        second = self.run_probe("probe", "build", "--torch", link, code=0)
        self.assertEqual(second.stdout, first.stdout)
        self.assertEqual(second.stderr, b"")
        self.assertTrue(pathlib.Path(first.stdout.decode().strip()).exists())


if __name__ == "__main__":
    support.main()
