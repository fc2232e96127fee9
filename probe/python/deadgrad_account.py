"""Measures on CPU what `deadgrad probe account` predicts: deadgrad_account.py REQUEST RESULT, both JSON. The decoder is built from the
request's shape, with attention written out."""

import json
import sys

import torch
from torch import nn

import deadgrad_probe


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        # A sum in place of the mean, which keeps its input in older versions.
        return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6) * self.weight


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        width, query, key = shape["width"], shape["heads"] * shape["head_width"], shape["kv_heads"] * shape["head_width"]
        gated, hidden = shape["gated"], shape["hidden"]
        norm = RmsNorm if gated else nn.LayerNorm
        self.norm1, self.norm2 = norm(width), norm(width)
        self.query, self.key, self.value = (nn.Linear(width, out, bias=not gated) for out in (query, key, key))
        self.out = nn.Linear(query, width, bias=not gated)
        self.up, self.down = nn.Linear(width, hidden, bias=not gated), nn.Linear(hidden, width, bias=not gated)
        self.gate = nn.Linear(width, hidden, bias=False) if gated else None

    def heads(self, x, count):
        return x.view(x.size(0), x.size(1), count, self.shape["head_width"]).transpose(1, 2)

    def repeated(self, x, times):
        return x[:, :, None].expand(-1, -1, times, -1, -1).reshape(x.size(0), -1, x.size(2), x.size(3))

    def forward(self, x):
        count, kv_count = self.shape["heads"], self.shape["kv_heads"]
        y = self.norm1(x)
        query, key, value = self.heads(self.query(y), count), self.heads(self.key(y), kv_count), self.heads(self.value(y), kv_count)
        if kv_count != count:
            key, value = (self.repeated(part, count // kv_count) for part in (key, value))
        mixed = torch.softmax(query @ key.transpose(-2, -1), -1) @ value
        x = x + self.out(mixed.transpose(1, 2).reshape(x.size(0), x.size(1), -1))
        y = self.norm2(x)
        if self.gate is None:
            return x + self.down(nn.functional.gelu(self.up(y)))
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self, shape):
        super().__init__()
        width, vocabulary = shape["width"], shape["vocabulary"]
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(shape["positions"], width) if shape["positions"] else None
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape["layers"]))
        self.norm = (RmsNorm if shape["gated"] else nn.LayerNorm)(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        if shape["tied"]:
            self.head.weight = self.embedding.weight

    def forward(self, ids):
        x = self.embedding(ids)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    shape, batch, length = request["shape"], request["batch"], request["length"]
    core = deadgrad_probe.Native(deadgrad_probe.core_path())
    core.install(deadgrad_probe.ALLOCATOR | deadgrad_probe.SAVED)

    def live():
        return core.totals().live

    start = live()
    model = Decoder(shape).to({4: torch.float32, 2: torch.bfloat16}[request["weight_bytes"]])
    weights = live() - start
    ids = torch.zeros(batch, length, dtype=torch.long)
    with torch.inference_mode():
        core.reset()
        before = live()
        model(ids)
        inference_peak = core.totals().live_peak - before
    logits = model(ids)
    activations = core.totals().saved_only
    before = live()
    loss = logits.float().pow(2).mean()
    del logits
    loss.backward()
    del loss
    gradients = sum(parameter.grad.numel() * parameter.grad.element_size() for parameter in model.parameters())
    before = live()
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer.step()
    result = {"parameters": sum(parameter.numel() for parameter in model.parameters()),
              "tensors": len(list(model.parameters())), "weights": weights, "inference_peak_beyond_weights": inference_peak,
              "activations": activations, "gradients": gradients, "optimizer": live() - before,
              "steady_training": live() - start - ids.numel() * ids.element_size(), "device": "cpu", "reserved": None,
              "torch": torch.__version__}
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)


main()
