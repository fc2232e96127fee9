"""`deadgrad why` and `check --explain`: each kind of answer, and what proves it."""

import sys
import unittest

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import support

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def train(net, loader, optimizer):
    for x, y in loader:
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()


def validate(net, x):
    return net(x).argmax(1)


@torch.no_grad()
def predict(net, x):
    return net(x).argmax(1)


def score(net: Net, x):
    return net(x)


def compare(a, x):
    teacher = Net().requires_grad_(False)
    return (teacher(x) - a).sum().item()


if __name__ == "__main__":
    net = Net()
    train(net, [(torch.randn(2, 8), torch.zeros(2))], torch.optim.SGD(net.parameters(), 0.1))
    print(validate(net, torch.randn(2, 8)))
    print(predict(net, torch.randn(2, 8)), compare(0, torch.randn(2, 8)))
"""


def line_of(text, nth=0):
    return [i + 1 for i, line in enumerate(PROGRAM.split("\n")) if text in line][nth]


class Why(support.ProgramTest):
    def why(self, place, code=0):
        done = self.run_program("why", place)
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        return done.stdout.decode() if code == 0 else done.stderr.decode()

    def ask(self, text, nth=0):
        self.write("net.py", PROGRAM)
        return self.why(f"net.py:{line_of(text, nth)}")

    def test_a_leak_names_its_path_and_rule(self):
        answer = self.ask("net(x).argmax(1)")
        self.assertIn("`net` in `validate`: leaks", answer)
        self.assertIn("`<module>` calls `validate`", answer)
        self.assertIn(f"rule: DG101 at net.py:{line_of('net(x).argmax(1)')}", answer)

    def test_a_training_forward_names_the_backward(self):
        answer = self.ask("cross_entropy(net(x)")
        self.assertIn("`net` in `train`: trains", answer)
        self.assertIn(f"net.py:{line_of('loss.backward()')}:9: `loss.backward` differentiates", answer)
        self.assertNotIn("rule:", answer)

    def test_a_guarded_forward_names_the_guard(self):
        answer = self.ask("net(x).argmax(1)", 1)
        self.assertIn("`net` in `predict`: guarded", answer)
        self.assertIn(f"net.py:{line_of('@torch.no_grad()')}:2: `torch.no_grad` holds from here on", answer)

    def test_a_frozen_module(self):
        self.assertIn("its module is frozen", self.ask("teacher(x)"))

    def test_an_unknown_fate_says_what_speaks_for_it(self):
        answer = self.ask("    return net(x)", 2)
        self.assertIn("`net` in `score`: not certain enough to report", answer)
        self.assertIn("returned to callers that are not in view", answer)
        self.assertIn("= evidence:", answer)

    def test_a_layer_is_part_of_its_forward(self):
        self.assertIn("part of a forward", self.ask("self.layer(x)"))

    def test_a_column_picks_one_call(self):
        self.write("two.py", PROGRAM.replace("net(x).argmax(1)", "net(x) - net(net(x))", 1))
        line = line_of("net(x).argmax(1)")
        self.assertEqual(self.why(f"two.py:{line}").count(": `net` in `validate`"), 3)
        self.assertEqual(self.why(f"two.py:{line}:12").count(": `net` in `validate`"), 1)

    def test_a_line_without_a_forward(self):
        self.assertEqual(self.ask("import torch"), "net.py:1: no forward of a model is known here\n")

    def test_a_guard_in_another_file_of_the_folder_is_seen(self):
        self.write("net.py", PROGRAM.split("\n\nif __name__")[0].replace("def validate(net,", "def validate(net: Net,"))
        self.write("main.py", "import torch, net\n\nwith torch.no_grad():\n    net.validate(net.Net(), torch.ones(1, 8))\n")
        answer = self.why(f"net.py:{line_of('net(x).argmax(1)')}")
        self.assertIn("guarded", answer)
        self.assertIn("main.py:3:", answer)

    def test_bad_places(self):
        self.write("net.py", PROGRAM)
        for place, message in (("net.py", "is not FILE:LINE"), ("net.py:0", "is not FILE:LINE"),
                               ("net.py:9999", "there is no line 9999"), ("none.py:1", "none.py"),
                               ("net.py:x", "is not FILE:LINE")):
            self.assertIn(message, self.why(place, code=2))

    def test_explain_adds_the_proof_to_a_finding(self):
        self.write("net.py", PROGRAM)
        plain = self.check("net.py", code=0).decode()
        explained = self.check("net.py", "--explain", code=0).decode()
        self.assertNotIn("= proof:", plain)
        self.assertIn(f"= proof: net.py:{line_of('net(x).argmax(1)')}:12: it runs with autograd on", explained)


if __name__ == "__main__":
    support.main()
