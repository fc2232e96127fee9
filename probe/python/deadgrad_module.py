"""What `deadgrad probe account` must know of a TorchScript module: deadgrad_module.py REQUEST RESULT, both JSON.

Parameters, buffers and their types are those of the file; nothing of the module runs for them. With inputs, what its forward saves is
predicted on the meta device, and with "measure" its training and inference are measured on CPU.
"""

import gc
import json
import sys
import zipfile

import torch

import deadgrad_probe
from deadgrad_check import WARM_UP, first_tensor, input_of, module_on, run_main


def tensors_of(module):
    counts = {}
    for kind, tensors in (("parameter", module.parameters()), ("buffer", module.buffers())):
        for tensor in tensors:
            key = (kind, str(tensor.dtype).replace("torch.", ""), tensor.element_size(), tensor.requires_grad)
            counts[key] = counts.get(key, 0) + tensor.numel()
    return [{"kind": kind, "type": dtype, "bytes": size, "trains": trains, "count": count}
            for (kind, dtype, size, trains), count in counts.items()]


def constants_of(path):
    """Bytes of the tensors that are constants of the code: the weights of a module that was frozen before it was saved."""
    with zipfile.ZipFile(path) as archive:
        return sum(entry.file_size for entry in archive.infolist() if "/constants/" in entry.filename)


def linear_of(module):
    weights = [part.weight for part in module.modules() if getattr(part, "original_name", "") == "Linear"]
    return [{"rows": weight.size(0), "columns": weight.size(1), "bytes": weight.element_size()} for weight in weights]


def forward_on(core, request, device):
    """The module in training mode and the result of a forward, beside which autograd keeps what it saved."""
    module = module_on(request["module"], device).train()
    inputs = [input_of(text, device) for text in request["inputs"]]
    for _ in range(WARM_UP):
        module(*inputs)
    core.reset()
    return module, first_tensor(module(*inputs))


def predicted_activations(core, request):
    try:
        kept = forward_on(core, request, "meta")
    except (RuntimeError, NotImplementedError) as error:
        lines = [line for line in str(error).splitlines() if line.startswith("RuntimeError: ")] or str(error).splitlines()
        print(f"deadgrad: activations are not predicted, the meta device cannot run this module: {lines[0]}", file=sys.stderr)
        return None
    saved = core.totals().saved_only
    del kept
    return saved


def live(core):
    gc.collect()
    return core.totals().live


def measured(core, request):
    before = live(core)
    module = module_on(request["module"], "cpu")
    weights = live(core) - before
    inputs = [input_of(text, "cpu") for text in request["inputs"]]
    with torch.inference_mode():
        for _ in range(WARM_UP):
            module(*inputs)
        core.reset()
        before = live(core)
        module(*inputs)
        beyond = core.totals().live_peak - before
    module, output = forward_on(core, request, "cpu")
    activations = core.totals().saved_only
    result = {"device": "cpu", "reserved": None, "weights": weights, "inference_beyond_weights": beyond, "activations": activations}
    parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
    if not parameters:
        return result
    output.backward(torch.ones_like(output))
    result["gradients"] = sum(parameter.grad.numel() * parameter.grad.element_size() for parameter in parameters if parameter.grad is not None)
    before = live(core)
    optimizer = torch.optim.AdamW(parameters)
    optimizer.step()
    # It counts its steps, in a tensor of four bytes for each parameter.
    return dict(result, moments=live(core) - before - 4 * len(optimizer.state))


def main():
    with open(sys.argv[1]) as file:
        request = json.load(file)
    torch.manual_seed(0)
    module = torch.jit.load(request["module"], map_location="cpu")
    result = {"torch": torch.__version__, "tensors": tensors_of(module), "constants": constants_of(request["module"]),
              "linear": linear_of(module), "activations": None}
    del module
    if request["inputs"]:
        core = deadgrad_probe.Native(deadgrad_probe.core_path())
        core.install(deadgrad_probe.ALLOCATOR | deadgrad_probe.SAVED)
        result["activations"] = predicted_activations(core, request)
        if request["measure"]:
            result["measured"] = measured(core, request)
    with open(sys.argv[2], "w") as file:
        json.dump(result, file)


run_main(main)
