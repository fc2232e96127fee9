#!/usr/bin/env python3
"""What the probe costs: probe_overhead.py DEADGRAD [--python PYTHON] [--rounds N]

Times a residual net of 18 layers (11 million parameters, 1x3x224x224, one thread): inference with autograd on, in turns alone, under
`deadgrad probe run` and under `probe run --sarif` with a finding in its loop; and training steps with the probe on and off.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = '''
import sys, time, torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)


class Part(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after)
        self.conv2, self.norm2 = nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after)
        self.relu, self.down = nn.ReLU(inplace=True), None
        if stride != 1 or before != after:
            self.down = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x)))))
        return self.relu(y + (x if self.down is None else self.down(x)))


layers, width = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
for after in (64, 128, 256, 512):
    for stride in (1 if after == 64 else 2, 1):
        layers.append(Part(width, after, stride))
        width = after
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).eval()
image = torch.randn(1, 3, 224, 224)


def step():
    start = time.process_time()
    y = net(image)  # forward
    if sys.argv[1] == "training":
        y.pow(2).mean().backward()
    return time.process_time() - start


for _ in range(2):
    step()
if sys.argv[1] == "inference":
    print(min(step() for _ in range(10)), file=sys.stderr)
else:  # equal training runs differ by more than the probe costs, so it is switched on and off in one
    import deadgrad_probe
    core, ratios = deadgrad_probe.Native(deadgrad_probe.core_path()), []
    for _ in range(6):
        core.uninstall()
        alone = min(step() for _ in range(8))
        core.install()
        ratios.append(min(step() for _ in range(8)) / alone)
    print(sorted(ratios)[len(ratios) // 2], file=sys.stderr)
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("deadgrad", type=pathlib.Path)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    deadgrad = str(arguments.deadgrad.resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "net.py").write_text(PROGRAM)
        line = PROGRAM.splitlines().index("    y = net(image)  # forward") + 1
        place = {"physicalLocation": {"artifactLocation": {"uri": "net.py"}, "region": {"startLine": line}}}
        (folder / "log.sarif").write_text(json.dumps({"runs": [{"results": [
            {"ruleId": "DG101", "message": {"text": ""}, "locations": [place], "properties": {"probeCanConfirm": True}}]}]}))
        run = [deadgrad, "probe", "run", "-o", "out.txt"]

        def figure(words, what):
            done = subprocess.run([*words, arguments.python, "net.py", what], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
            return float(done.stderr.split()[-1])

        ways = {"alone": [], "probe run": [*run, "--"], "probe run --sarif": [*run, "--sarif", "log.sarif", "--"]}
        rounds = [{way: figure(words, "inference") for way, words in ways.items()} for _ in range(arguments.rounds)]
        # Other work on the machine only adds: the least is what a step takes.
        least = {way: min(times[way] for times in rounds) for way in ways}
        for way, seconds in least.items():
            print(f"inference, {way}: {seconds * 1000:.1f} ms of CPU a step, {100 * (seconds / least['alone'] - 1):+.1f} %")
        print(f"training, probe run: {100 * (figure(ways['probe run'], 'training') - 1):+.1f} %")


if __name__ == "__main__":
    sys.exit(main())
