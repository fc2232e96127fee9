"""A decoder of a given shape, with attention written out, and the ways to train it whose memory `deadgrad probe account` predicts."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


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
        self.adapters = None

    def heads(self, x, count):
        return x.view(x.size(0), x.size(1), count, self.shape["head_width"]).transpose(1, 2)

    def repeated(self, x, times):
        return x[:, :, None].expand(-1, -1, times, -1, -1).reshape(x.size(0), -1, x.size(2), x.size(3))

    def projected(self, y):
        query, key, value = self.query(y), self.key(y), self.value(y)
        if self.adapters is None:
            return query, key, value
        full = y.float()
        return query + self.adapters[0](full).to(y.dtype), key, value + self.adapters[1](full).to(y.dtype)

    def attention(self, y, cache):
        count, kv_count = self.shape["heads"], self.shape["kv_heads"]
        query, key, value = self.projected(y)
        query, key, value = self.heads(query, count), self.heads(key, kv_count), self.heads(value, kv_count)
        if cache is not None:
            cache.append((key, value))
        if kv_count != count:
            key, value = (self.repeated(part, count // kv_count) for part in (key, value))
        mixed = torch.softmax(query @ key.transpose(-2, -1), -1) @ value
        return self.out(mixed.transpose(1, 2).reshape(y.size(0), y.size(1), -1))

    def feed_forward(self, y):
        if self.gate is None:
            return self.down(nn.functional.gelu(self.up(y)))
        return self.down(nn.functional.silu(self.gate(y)) * self.up(y))

    def forward(self, x, cache=None):
        x = x + self.attention(self.norm1(x), cache)
        return x + self.feed_forward(self.norm2(x))


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

    def forward(self, ids, cache=None, checkpointed=False):
        x = self.embedding(ids)
        if self.positions is not None:
            x = x + self.positions.weight[: ids.size(1)]
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True, preserve_rng_state=False) if checkpointed else layer(x, cache)
        return self.head(self.norm(x))


def add_adapters(model, rank):
    """LoRA on queries and values: the adapters in 32 bits, everything else frozen. Gives the adapters' parameters."""
    model.requires_grad_(False)
    added = []
    for layer in model.layers:
        layer.adapters = nn.ModuleList(
            nn.Sequential(nn.Linear(base.in_features, rank, bias=False), nn.Linear(rank, base.out_features, bias=False))
            for base in (layer.query, layer.value))
        added += layer.adapters.parameters()
    return added


class Dequantized(torch.autograd.Function):
    """A product with a matrix that is unpacked for the product only, in backward once more."""

    @staticmethod
    def forward(ctx, x, packed):
        ctx.packed = packed
        return x @ packed.unpacked(x.dtype).t()

    @staticmethod
    def backward(ctx, gradient):
        return gradient @ ctx.packed.unpacked(gradient.dtype), None


class Packed(nn.Module):
    """A frozen matrix in 4 bits: a constant in 8 bits for each 64 numbers, and one in 32 for each 256 constants."""

    def __init__(self, linear):
        super().__init__()
        weight = linear.weight.detach().float()
        self.out_features, self.in_features, self.bias = *weight.shape, linear.bias
        blocks = self.blocks(weight.flatten(), 64)
        constants = blocks.abs().amax(1)
        outer = self.blocks(constants, 256).amax(1)
        small = (constants / outer.repeat_interleave(256)[: constants.numel()] * 255).ceil().clamp(1, 255).to(torch.uint8)
        self.register_buffer("constants", small)
        self.register_buffer("outer", outer)
        numbers = ((blocks / self.scales()[:, None]) * 7).round().clamp(-7, 7).add(7).to(torch.uint8).flatten()[: weight.numel()]
        self.register_buffer("numbers", numbers[0::2] | nn.functional.pad(numbers, (0, 1))[1::2][: (numbers.numel() + 1) // 2] << 4)

    @staticmethod
    def blocks(numbers, size):
        return nn.functional.pad(numbers, (0, -numbers.numel() % size)).view(-1, size)

    def scales(self):
        return self.constants.float() / 255 * self.outer.repeat_interleave(256)[: self.constants.numel()]

    def unpacked(self, dtype):
        count = self.out_features * self.in_features
        numbers = torch.stack([self.numbers & 15, self.numbers >> 4], 1).flatten()[:count].float() - 7
        return (self.blocks(numbers, 64) / 7 * self.scales()[:, None]).flatten()[:count].view(self.out_features, -1).to(dtype)

    def forward(self, x):
        y = Dequantized.apply(x, self)
        return y if self.bias is None else y + self.bias


def quantize_layers(model):
    for layer in model.layers:
        for name, linear in list(layer.named_children()):
            if isinstance(linear, nn.Linear):
                setattr(layer, name, Packed(linear))
