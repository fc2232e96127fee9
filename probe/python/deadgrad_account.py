"""Measures on CPU what `deadgrad probe account` predicts for a decoder: deadgrad_account.py REQUEST RESULT, both JSON."""

import gc
import json
import sys

import torch

import deadgrad_decoder
import deadgrad_probe


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


class Account:
    def __init__(self, request):
        self.shape, self.rank = request["shape"], request["lora_rank"]
        self.dtype = {4: torch.float32, 2: torch.bfloat16}[request["weight_bytes"]]
        self.ids = torch.zeros(request["batch"], request["length"], dtype=torch.long)
        self.core = deadgrad_probe.Native(deadgrad_probe.core_path())
        self.core.install(deadgrad_probe.ALLOCATOR | deadgrad_probe.SAVED)

    def live(self):
        gc.collect()
        return self.core.totals().live

    def decoder(self, dtype=None):
        return deadgrad_decoder.Decoder(self.shape).to(dtype or self.dtype)

    def inference(self, model):
        cache = []
        with torch.inference_mode():
            before = self.live()
            logits = model(self.ids, cache)
            kv_cache = self.live() - before - bytes_of([logits])
            del logits, cache
            self.core.reset()
            before = self.live()
            model(self.ids)
            return {"kv_cache": kv_cache, "inference_beyond_weights": self.core.totals().live_peak - before}

    def saved_by(self, model, **options):
        """What the forward keeps for backward, and the most that there is until backward ends."""
        logits = model(self.ids, **options)
        stored = self.core.totals().saved_only
        self.core.reset()
        logits.backward(torch.ones_like(logits))
        # The embedding saves its indices, which are ours too.
        return stored, self.core.totals().saved_peak - bytes_of([self.ids])

    def stepped(self, parameters):
        """What an optimizer keeps after a step, beside its parameters and gradients."""
        before = self.live()
        optimizer = torch.optim.AdamW(parameters)
        optimizer.step()
        added = self.live() - before
        # It counts its steps, in a tensor of four bytes for each parameter.
        return added - 4 * len(parameters)

    def training(self):
        model = self.decoder()
        parameters = list(model.parameters())
        activations, _ = self.saved_by(model)
        gradients = bytes_of([parameter.grad for parameter in parameters])
        moments = self.stepped(parameters)
        stored, peak = self.saved_by(model, checkpointed=True)
        return {"activations": activations, "gradients": gradients, "moments": moments, "checkpointed_stored": stored,
                "checkpointed_peak": peak}

    def mixed(self):
        """Weights and gradients in 16 bits, and an optimizer of 32-bit copies."""
        before = self.live()
        model = self.decoder(torch.bfloat16)
        self.saved_by(model)
        parameters = list(model.parameters())
        masters = [parameter.detach().float().requires_grad_() for parameter in parameters]
        for master, parameter in zip(masters, parameters):
            master.grad = parameter.grad.float()
        optimizer = torch.optim.AdamW(masters)
        optimizer.step()
        for master, parameter in zip(masters, parameters):
            master.grad = None
            parameter.data.copy_(master.data)
        return self.live() - before - 4 * len(parameters)

    def adapted(self, quantized):
        before = self.live()
        model = self.decoder()
        if quantized:
            deadgrad_decoder.quantize_layers(model)
        base = self.live() - before
        before = self.live()
        adapters = deadgrad_decoder.add_adapters(model, self.rank)
        activations, _ = self.saved_by(model)
        moments = self.stepped(adapters)
        return {"base": base, "states": self.live() - before + moments, "activations": activations}


def main():
    with open(sys.argv[1]) as file:
        account = Account(json.load(file))
    start = account.live()
    model = account.decoder()
    weights = account.live() - start
    result = {"torch": torch.__version__, "device": "cpu", "reserved": None,
              "parameters": sum(parameter.numel() for parameter in model.parameters()), "weights": weights}
    result.update(account.inference(model))
    del model
    result.update(account.training())
    result["mixed_states"] = account.mixed()
    for name, quantized in (("lora", False), ("qlora", True)):
        measured = account.adapted(quantized)
        result.update({f"{name}_{part}": measured[part] for part in ("base", "states", "activations")})
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)


main()
