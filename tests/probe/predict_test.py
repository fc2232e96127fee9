"""`deadgrad probe check` and `deadgrad probe account`: what is predicted is what is measured."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import support

CHROMIUM = shutil.which("chromium") or ""
PYTHON = os.environ.get("DEADGRAD_TORCH_PYTHON", "")
GPT = {"n_layer": 3, "n_embd": 64, "n_head": 4, "vocab_size": 512, "n_positions": 64}
LLAMA = {"num_hidden_layers": 3, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
         "vocab_size": 512, "hidden_act": "silu", "torch_dtype": "float32"}
LLAMA_3_8B = {"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
              "vocab_size": 128256, "hidden_act": "silu", "torch_dtype": "bfloat16"}
SAVE = """
import torch
from torch import nn

class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 128))

    def forward(self, x):
        return x - self.net(x + 1.0)

torch.jit.script(Denoiser().eval()).save("denoiser.pt")
"""
# Of the denoiser, for 64 rows: the first layer's input and two hidden tensors.
STEP = 64 * 128 * 4 + 2 * 64 * 512 * 4


class PredictTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(support.BUILD / "probe-cache"))

    def probe(self, *arguments, code=0):
        done = self.run_program("probe", *arguments, "--output-format", "json", env=self.environment)
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        return json.loads(done.stdout) if code == 0 else done.stderr.decode()

    def account(self, config, *arguments, code=0):
        self.write("config.json", json.dumps(config))
        return self.probe("account", "--config", "config.json", *arguments, code=code)


class Account(PredictTest):
    def test_the_textbook_figures_of_a_model_everyone_knows(self):
        bf16 = self.account(LLAMA_3_8B, "--length", "8192")
        self.assertEqual(bf16["parameters"], 8030261248)
        self.assertEqual(bf16["inference"]["weights"], 2 * 8030261248)
        self.assertEqual(bf16["inference"]["kv_cache"], 2 * 8192 * 32 * 8 * 128 * 2)  # 1 GiB
        self.assertEqual([bf16["training"]["recipe"], bf16["training"]["bytes_per_parameter"]], ["pure-16-bit-adamw", 8])
        mixed = self.account(LLAMA_3_8B, "--mixed")["training"]
        states = sum(mixed[name] for name in ("weights", "gradients", "master_weights", "moments"))
        self.assertEqual([mixed["recipe"], states], ["mixed-adamw", 16 * 8030261248])
        full = self.account(LLAMA_3_8B, "--dtype", "f32")["training"]
        self.assertEqual([full["recipe"], full["bytes_per_parameter"]], ["fp32-adamw", 16])

    def test_attention_grows_with_the_square_of_the_length(self):
        short, long = (self.account(LLAMA, "--length", length)["training"]["attention_per_layer"] for length in ("100", "200"))
        self.assertEqual(long, 4 * short)

    def test_what_fits_a_budget(self):
        account = self.account(LLAMA_3_8B, "--budget", "24GB", "--length", "2048")
        self.assertTrue(account["inference"]["fits"])
        self.assertFalse(account["training"]["fits"])
        variants = account["variants"]
        self.assertLess(variants["qlora"]["total"], variants["lora"]["total"])
        self.assertLess(variants["checkpointed"]["total"], account["training"]["total"])
        self.assertEqual(variants["lora"]["adapter_parameters"], 32 * 16 * (4096 + 4096 + 4096 + 1024))
        self.assertIsNone(account["reserved"])
        self.assertIsNone(self.account(LLAMA)["inference"]["fits"])

    def test_the_header_of_a_safetensors_file(self):
        header = json.dumps({"__metadata__": {"a": "b"}, "w": {"dtype": "BF16", "shape": [3, 5], "data_offsets": [0, 30]},
                             "b": {"dtype": "F32", "shape": [], "data_offsets": [30, 34]}}).encode()
        self.write("model.safetensors", struct.pack("<Q", len(header)) + header)
        account = self.probe("account", "--safetensors", "model.safetensors")
        self.assertEqual([account["parameters"], account["stored_weights"]], [16, 34])

    def test_hostile_files(self):
        for content in [b"", b"\xff" * 8, struct.pack("<Q", 4) + b"{}", struct.pack("<Q", 100000) + b"[" * 100000,
                        struct.pack("<Q", 25) + b'{"w":{"dtype":"X","shape"']:
            self.write("model.safetensors", content)
            self.assertIn("model.safetensors", self.probe("account", "--safetensors", "model.safetensors", code=2))
        for config in [[], {}, dict(LLAMA, hidden_size=0), dict(LLAMA, num_hidden_layers="3"), dict(LLAMA, vocab_size=1 << 40)]:
            self.assertIn("config.json", self.account(config, code=2))
        self.assertIn("no size", self.account(LLAMA, "--budget", "16 bananas", code=2))

    @unittest.skipUnless(PYTHON, "no Python here has torch")
    def test_predicted_is_measured(self):
        for config in (GPT, LLAMA, dict(LLAMA, num_key_value_heads=4, tie_word_embeddings=True)):
            for dtype in ("f32", "bf16"):
                account = self.account(config, "--dtype", dtype, "--batch", "2", "--length", "32", "--measure", "--python", PYTHON)
                measured = account["measured"]
                self.assertEqual(account["parameters"], measured["parameters"])
                for name in ("weights", "activations", "gradients"):
                    row = account["compared"][name]
                    self.assertEqual(row["predicted"], row["measured"], (name, config, dtype))
                # AdamW counts its steps, in a tensor of four bytes for each parameter tensor.
                row = account["compared"]["moments"]
                self.assertEqual(row["predicted"] + 4 * measured["tensors"], row["measured"])


@unittest.skipUnless(PYTHON, "no Python here has torch")
class Check(PredictTest):
    def setUp(self):
        super().setUp()
        self.write("save.py", SAVE)  # TorchScript reads the source
        subprocess.run([PYTHON, "save.py"], cwd=self.folder, check=True)

    def check_module(self, *arguments, code=0):
        return self.probe("check", "denoiser.pt", "--python", PYTHON, *arguments, code=code)

    def test_a_loop_grows_in_grad_mode_only(self):
        result = self.check_module("--input", "64x128:f32", "--loop", "50", "--carry", "0")
        grad, guard = result["grad"], result["guard"]
        self.assertEqual(grad["saved_by_step"], [STEP * step for step in range(51)])
        self.assertEqual([grad["retained"], grad["growth_per_step"]], [50 * STEP, STEP])
        self.assertEqual(grad["live"] - guard["live"], 50 * STEP)
        self.assertEqual([guard["retained"], guard["growth_per_step"]], [0, 0])
        self.assertIsNone(grad["reserved"])

    def test_the_picture_stands_alone_and_shows_both_lines(self):
        done = self.run_program("probe", "check", "denoiser.pt", "--python", PYTHON, "--input", "64x128:f32", "--loop", "50", "--carry", "0",
                                "--output-format", "html", "-o", "out.html", env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        html = (self.folder / "out.html").read_text()
        self.assertNotRegex(html, r"https?:|src=|url\(|<script")
        page = xml.etree.ElementTree.fromstring(html.split("\n", 1)[1].replace('<meta charset="utf-8">', ""))
        lines = [line.get("points").split() for line in page.iter("polyline")]
        self.assertEqual([len(points) for points in lines], [51] * 4)
        heights = [float(point.split(",")[1]) for point in lines[0]]
        self.assertEqual(heights, sorted(heights, reverse=True))
        self.assertEqual(len({point.split(",")[1] for point in lines[1]}), 1)

    @unittest.skipUnless(CHROMIUM, "Chromium is not installed")
    def test_the_picture_in_a_browser(self):
        self.run_program("probe", "check", "denoiser.pt", "--python", PYTHON, "--input", "64x128:f32", "--loop", "50", "--carry", "0",
                         "--output-format", "html", "-o", "out.html", env=self.environment)
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=1000", "--dump-dom", "--screenshot=page.png",
                               f"file://{self.folder}/out.html"], cwd=self.folder, capture_output=True, timeout=120)
        self.assertEqual(done.stdout.count(b"<polyline"), 4, done.stderr.decode())
        self.assertGreater((self.folder / "page.png").stat().st_size, 10000)

    def test_without_a_carried_input_nothing_grows(self):
        grad = self.check_module("--input", "64x128:f32", "--loop", "4")["grad"]
        self.assertEqual(grad["growth_per_step"], 0)

    def test_meta_predicts_75_gigabytes_without_allocating_them(self):
        rows = 64 * 5100
        result = self.check_module("--input", f"{rows}x128:f32", "--loop", "50", "--carry", "0", "--device", "meta")
        self.assertEqual(result["grad"]["retained"], 50 * STEP * 5100)  # 75.2 GB
        self.assertIsNone(result["grad"]["live"])

    def test_wrong_inputs_are_said(self):
        self.assertIn("could not measure", self.check_module("--input", "64x3:f32", code=2))
        self.assertIn("could not measure", self.check_module("--input", "64x128:f9", code=2))


if __name__ == "__main__":
    support.main()
