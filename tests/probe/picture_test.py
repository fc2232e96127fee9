"""The pages that the probe draws: they stand alone, show what was measured, and look so in a browser."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
import support

CHROMIUM = shutil.which("chromium") or ""
PYTHON = os.environ.get("DEADGRAD_TORCH_PYTHON", "")
FIRST, SECOND = (0xC0, 0x39, 0x2B), (0x24, 0x71, 0xA3)  # the colours of a chart's first and second line
STEPS = 50
SAMPLER = """
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))

    def forward(self, x):
        return x - self.net(x)

GUARD
def sample(model, x):
    for t in range(50):
        x = model(x)
    return x


if __name__ == "__main__":
    model = Denoiser()
    torch.jit.script(model).save("denoiser.pt")
    sample(model, torch.randn(64, 128))
"""


def pixels(png):
    """The colours in a picture of 8 bits a channel, as browsers write it, with the number of their pixels."""
    data, at, packed = png.read_bytes(), 8, b""
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        if kind == b"IHDR":
            width, channels = int.from_bytes(data[at + 8:at + 12], "big"), {2: 3, 6: 4}[data[at + 17]]
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, stride, above, found = zlib.decompress(packed), width * channels, bytes(width * channels), {}
    for begin in range(0, len(raw), stride + 1):
        kind, line = raw[begin], bytearray(raw[begin + 1:begin + 1 + stride])
        for i in range(stride if kind else 0):
            left, up, corner = (line[i - channels], above[i], above[i - channels]) if i >= channels else (0, above[i], 0)
            near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            line[i] = line[i] + (0, left, up, (left + up) // 2, near)[kind] & 255
        above = line
        for i in range(0, stride, channels):
            color = tuple(line[i:i + 3])
            found[color] = found.get(color, 0) + 1
    return found


@unittest.skipUnless(PYTHON, "no Python here has torch")
class Pictures(support.ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(support.BUILD / "probe-cache"))
        self.write("sampler.py", SAMPLER.replace("GUARD", ""))
        self.write("fixed.py", SAMPLER.replace("GUARD", "\n@torch.inference_mode()"))

    def page(self, *arguments, code=0):
        """The page as a tree, looked at in a browser where there is one."""
        done = self.run_program(*arguments[:-1], "--output-format", "html", "-o", "out.html", *arguments[-1], env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        html = (self.folder / "out.html").read_text()
        self.assertNotRegex(html, r"https?:|src=|url\(|<script")
        if CHROMIUM:
            self.look(self.folder / "out.html")
        return xml.etree.ElementTree.fromstring(html.split("\n", 1)[1].replace('<meta charset="utf-8">', ""))

    def look(self, page):
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=800,1600", "--screenshot=page.png", page.as_uri()],
                              cwd=self.folder, capture_output=True, timeout=120)
        self.assertTrue((self.folder / "page.png").exists(), done.stderr.decode())
        colors = pixels(self.folder / "page.png")
        for color in (FIRST, SECOND):
            self.assertGreater(colors.get(color, 0), 100)

    def lines(self, page, title):
        """The heights of each line of the chart with the title, in pixels from above."""
        body = list(page.iter("body"))[0]
        at = [element.text for element in body].index(title)
        return [[float(point.split(",")[1]) for point in line.get("points").split()] for line in body[at + 1].iter("polyline")]

    def assert_grows(self, heights):
        self.assertEqual(heights, sorted(heights, reverse=True))
        self.assertGreater(heights[0] - heights[-1], 200)

    def test_of_a_module_with_and_without_a_guard(self):
        subprocess.run([PYTHON, "sampler.py"], cwd=self.folder, check=True)
        page = self.page("probe", "check", "denoiser.pt", "--python", PYTHON, "--input", "64x128:f32", "--loop", str(STEPS), "--carry", "0", ())
        for title in ("Kept by autograd alone, step by step", "Live memory, step by step"):
            leaky, guarded = self.lines(page, title)
            self.assertEqual([len(leaky), len(guarded)], [STEPS + 1, STEPS + 1])
            self.assert_grows(leaky)
            self.assertEqual(len(set(guarded)), 1)

    def test_of_a_program_with_and_without_the_fix(self):
        self.run_program("check", "sampler.py", "--output-format", "sarif", "--exit-zero", "-o", "findings.sarif")
        page = self.page("confirm", "findings.sarif", ("--", PYTHON, "sampler.py"), code=1)
        self.assertIn("sampler.py:17 confirmed", [text.text for text in page.iter("text")])
        visits, = self.lines(page, "Kept by each finding's lines, visit by visit")
        self.assertEqual(len(visits), STEPS)
        self.assert_grows(visits)

        self.run_program("confirm", "findings.sarif", "--output-format", "json", "-o", "before.json", "--", PYTHON, "sampler.py", env=self.environment)
        page = self.page("probe", "run", "--before", "before.json", ("--", PYTHON, "fixed.py"))
        before, now = self.lines(page, "Saved for backward over the run")
        self.assert_grows(before)
        self.assertEqual(len(set(now)), 1)
        before, now = self.lines(page, "Live memory over the run")
        self.assertGreater(min(now) - min(before), 100)

    def test_of_what_is_predicted_and_measured(self):
        self.write("config.json", json.dumps({"n_layer": 2, "n_embd": 64, "n_head": 4, "vocab_size": 512, "n_positions": 32}))
        page = self.page("probe", "account", "--config", "config.json", "--measure", "--python", PYTHON, ())
        body = list(page.iter("body"))[0]
        chart = body[[element.text for element in body].index("Predicted and measured") + 1]
        widths = [float(bar.get("width")) for bar in chart.iter("rect")][:-2]  # the last two are the legend's
        self.assertGreater(len(widths), 20)
        self.assertEqual(widths[0::2], widths[1::2])


if __name__ == "__main__":
    support.main()
