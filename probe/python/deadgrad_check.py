"""Runs a TorchScript module with grad mode and under a guard, and writes what each retains: deadgrad_check.py REQUEST RESULT, both JSON.

The request names the module, its inputs ("1x3x64x64:f32" or a number), the device, how many steps to run, and which input the result
replaces. On `meta` nothing is computed or allocated: the bytes are those that the module would retain.
"""

import json
import os
import sys

import torch

import deadgrad_probe

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
          "i64": torch.int64, "i32": torch.int32, "u8": torch.uint8, "bool": torch.bool}
WARM_UP = 2  # TorchScript saves other tensors before it has specialized a graph


def input_of(text, device):
    shape, separator, dtype = text.partition(":")
    if not separator:
        return float(text) if "." in text else int(text)
    sizes = [int(size) for size in shape.split("x")]
    kind = DTYPES[dtype]
    if kind.is_floating_point:
        return torch.randn(sizes, device=device, dtype=kind)
    return torch.zeros(sizes, device=device, dtype=kind)


def module_on(path, device):
    module = torch.jit.load(path, map_location="cpu").eval()
    if device != "meta":
        return module.to(device)
    for part in module.modules():  # .to() would copy data into parameters that have none
        for name, tensor in [*part.named_parameters(recurse=False), *part.named_buffers(recurse=False)]:
            part._c.setattr(name, tensor.detach().to("meta").requires_grad_(tensor.requires_grad))
    return module


def first_tensor(result):
    return first_tensor(result[0]) if isinstance(result, (tuple, list)) else result


class Memory:
    """Bytes in use on the device: exact on CPU, LibTorch's own figures on CUDA, none on meta."""

    def __init__(self, core, device):
        self.core, self.device = core, device

    def live(self):
        if self.device.startswith("cuda"):
            return torch.cuda.memory_allocated()
        if self.device == "mps":
            return torch.mps.current_allocated_memory()
        return self.core.totals().live if self.device == "cpu" else None

    def peak(self):
        if self.device.startswith("cuda"):
            return torch.cuda.max_memory_allocated()
        return self.core.totals().live_peak if self.device == "cpu" else None

    def reserved(self):
        return torch.cuda.memory_reserved() if self.device.startswith("cuda") else None

    def reset(self):
        self.core.reset()
        if self.device.startswith("cuda"):
            torch.cuda.reset_peak_memory_stats()


def above(value, base):
    return None if value is None or base is None else value - base


def run(core, request, guard):
    device = request["device"]
    module = module_on(request["module"], device)
    inputs = [input_of(text, device) for text in request["inputs"]]
    memory = Memory(core, device)
    with guard():
        for _ in range(WARM_UP):
            module(*inputs)
        memory.reset()
        base = memory.live()
        saved, live = [core.totals().saved_only], [0]
        for _ in range(request["steps"]):
            result = module(*inputs)
            if request["carry"] is not None:
                inputs[request["carry"]] = first_tensor(result)
            saved.append(core.totals().saved_only)
            live.append(above(memory.live(), base))
        output = first_tensor(result)
        totals = core.totals()
        return {"live": live[-1], "peak": above(memory.peak(), base), "retained": totals.saved_only, "reserved": memory.reserved(),
                "output": output.numel() * output.element_size(), "saved_by_step": saved, "live_by_step": live}


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    torch.manual_seed(0)
    core = deadgrad_probe.Native(deadgrad_probe.core_path())
    core.install(deadgrad_probe.ALLOCATOR | deadgrad_probe.SAVED)
    result = {"schema": "deadgrad.probe-check/1", "torch": torch.__version__, "device": request["device"], "steps": request["steps"],
              "grad": run(core, request, torch.enable_grad), "guard": run(core, request, torch.inference_mode)}
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)


def run_main(main):
    try:
        main()
    except (RuntimeError, ValueError, KeyError, IndexError, NotImplementedError, OSError) as error:
        sys.exit(f"deadgrad: {type(error).__name__}: {error}")


if __name__ == "__main__":
    run_main(main)
