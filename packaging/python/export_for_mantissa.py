# SPDX-License-Identifier: Apache-2.0
"""Brings a model of your own to Mantissa: a TorchScript file for [model] kind = "torchscript".

    from export_for_mantissa import export
    export(model, "model.pt", example)          # example: one microbatch, or a tuple of inputs

Scripted where TorchScript understands the module, traced where it does not; a trace holds the path of the example alone,
so its output on another batch size is compared with the module's before the file is written. Weights and buffers stay
in their dtypes, on the CPU, and the module is left as it was.
"""
import copy

import torch


def export(model, path, example):
    """Returns "script" or "trace". Raises ValueError where the file would not compute what the module computes."""
    inputs = example if isinstance(example, tuple) else (example,)
    inputs = tuple(one.detach().cpu() for one in inputs)
    plain = copy.deepcopy(model).cpu().eval()
    try:
        way, made = "script", torch.jit.script(plain)
    except Exception:  # whatever TorchScript does not understand
        way, made = "trace", torch.jit.trace(plain, inputs, check_trace=False)
    smaller = tuple(one[:1] for one in inputs)
    with torch.no_grad():
        for given in (inputs, smaller):
            if not torch.equal(made(*given), plain(*given)):
                raise ValueError(f"the {way} computes something else than the module on a batch of {len(given[0])}")
    made.train(model.training)
    made.save(str(path))
    return way
