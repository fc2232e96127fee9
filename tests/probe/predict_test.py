"""`deadgrad probe check` and `deadgrad probe account`: what is predicted is what is measured."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import support

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

model = Denoiser().eval()
model.register_buffer("table", torch.zeros(7, dtype=torch.long))
torch.jit.script(model).save("denoiser.pt")
torch.jit.freeze(torch.jit.script(model)).save("frozen.pt")
torch.jit.script(model.to(torch.bfloat16)).save("half.pt")
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
        # In 4 bits are the matrices of the layers, not the embedding, the head and the norms.
        matrices = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
        self.assertEqual(variants["qlora"]["base"], 2 * (8030261248 - matrices) + matrices // 2 + matrices // 64 + matrices // 4096)
        self.assertIsNone(account["reserved"])
        self.assertIsNone(self.account(LLAMA)["inference"]["fits"])

    def test_the_header_of_a_safetensors_file(self):
        header = json.dumps({"__metadata__": {"a": "b"}, "w": {"dtype": "BF16", "shape": [3, 5], "data_offsets": [0, 30]},
                             "b": {"dtype": "F32", "shape": [], "data_offsets": [30, 34]}}).encode()
        self.write("model.safetensors", struct.pack("<Q", len(header)) + header)
        account = self.probe("account", "--safetensors", "model.safetensors")
        self.assertEqual([account["parameters"], account["stored_weights"]], [16, 34])

    def test_no_more_tokens_than_positions(self):
        self.assertIn("64 positions", self.account(GPT, "--length", "65", code=2))
        self.assertEqual(self.account(GPT)["length"], 64)
        self.assertEqual(self.account(LLAMA)["length"], 1024)

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
                self.assertEqual(len(account["compared"]), 15)
                for name, row in account["compared"].items():
                    # The kernels of 16-bit numbers take working memory of their own.
                    same = self.assertLessEqual if (name, dtype) == ("inference_beyond_weights", "bf16") else self.assertEqual
                    same(row["predicted"], row["measured"], (name, config, dtype))


@unittest.skipUnless(PYTHON, "no Python here has torch")
class ModuleTest(PredictTest):
    def setUp(self):
        super().setUp()
        self.write("save.py", SAVE)  # TorchScript reads the source
        subprocess.run([PYTHON, "-W", "ignore", "save.py"], cwd=self.folder, check=True)


class AccountOfModule(ModuleTest):
    WEIGHTS = 128 * 512 + 512 + 512 * 512 + 512 + 512 * 128 + 128
    TABLE = 7 * 8

    def of(self, *arguments, code=0):
        return self.probe("account", *arguments, "--python", PYTHON, code=code)

    def test_types_decide_the_recipe(self):
        full = self.of("denoiser.pt", "--budget", "5MB")
        self.assertEqual([full["parameters"], full["inference"]["weights"]], [self.WEIGHTS, 4 * self.WEIGHTS + self.TABLE])
        self.assertEqual([full["training"]["recipe"], full["training"]["total"]], ["fp32-adamw", 16 * self.WEIGHTS + self.TABLE])
        self.assertEqual([full["inference"]["fits"], full["training"]["fits"]], [True, False])
        self.assertIsNone(full["training"]["activations"])
        half = self.of("half.pt")
        self.assertEqual([half["training"]["recipe"], half["training"]["total"]], ["pure-16-bit-adamw", 8 * self.WEIGHTS + self.TABLE])
        mixed = self.of("half.pt", "--mixed")
        self.assertEqual([mixed["training"]["recipe"], mixed["training"]["total"]], ["mixed-adamw", 16 * self.WEIGHTS + self.TABLE])
        lora = full["variants"]["lora, without activations"]
        self.assertEqual(lora["adapter_parameters"], 16 * (128 + 512 + 512 + 512 + 512 + 128))

    def test_a_frozen_module_has_its_weights_as_constants(self):
        frozen = self.of("frozen.pt")
        self.assertEqual([frozen["parameters"], frozen["training"]["recipe"]], [0, "nothing to train"])
        self.assertEqual(frozen["inference"]["weights"], 4 * self.WEIGHTS)

    def test_predicted_is_measured(self):
        compared = self.of("denoiser.pt", "--input", "64x128:f32", "--measure")["compared"]
        self.assertEqual(list(compared), ["weights", "gradients", "moments", "activations"])
        self.assertEqual(compared["activations"]["predicted"], STEP)
        for name in ("gradients", "moments", "activations"):
            self.assertEqual(compared[name]["predicted"], compared[name]["measured"], name)
        # The file's own records are read through the same allocator.
        weights = compared["weights"]
        self.assertTrue(0 <= weights["measured"] - weights["predicted"] < 16384, weights)

    def test_what_is_wrong_is_said(self):
        self.assertIn("needs --input", self.of("denoiser.pt", "--measure", code=2))
        self.assertIn("could not measure", self.of("save.py", code=2))
        self.assertIn("name one of", self.of("denoiser.pt", "--config", "config.json", code=2))


class Check(ModuleTest):
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
