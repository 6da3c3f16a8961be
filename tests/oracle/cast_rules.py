# SPDX-License-Identifier: Apache-2.0
"""What a trial casts otherwise than autocast does, written the way a Python user would write it.

Module regions wrap a submodule's forward in `autocast(enabled=False)` and `x.float()`. Operator regions and CUDA's lists
watch the functions that a model calls (a TorchFunctionMode), and cast their arguments by hand. Nothing here is shared with
Mantissa's own way, which sits in the dispatcher.
"""

import fnmatch
from contextlib import ExitStack, contextmanager

import torch
from torch.overrides import TorchFunctionMode

REDUCED = (torch.float16, torch.bfloat16)


def regions_of(spec):
    """(module glob or None, operator glob or None) of each region but the loss."""
    for text in spec.get("float32_regions", []):
        if text == "loss":
            continue
        module = operator = None
        for part in text.split("/"):
            if part.startswith("module:"):
                module = part.removeprefix("module:")
            else:
                operator = part.removeprefix("operator:")
        yield module, operator


def in_float32(value):
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in REDUCED else value
    if isinstance(value, (list, tuple)):
        return type(value)(in_float32(item) for item in value)
    return value


def keep_modules(model, spec):
    """Wraps the forward of every module that a module region names."""

    def wrapped(forward):
        def kept(*inputs):
            with torch.autocast("cpu", enabled=False), CudaCasts.suspended():
                return forward(*in_float32(inputs))
        return kept

    for module_glob, operator in regions_of(spec):
        for path, module in model.named_modules():
            if operator is None and path and fnmatch.fnmatchcase(path, module_glob):
                module.forward = wrapped(module.forward)


class ModulePath:
    """The path of the module that runs, by hooks."""

    def __init__(self, model):
        self.stack = [""]
        for path, module in model.named_modules():
            module.register_forward_pre_hook(lambda m, i, path=path: self.stack.append(path))
            module.register_forward_hook(self.leave)

    def leave(self, module, inputs, output):
        self.stack.pop()

    def lies_in(self, glob):
        parts = self.stack[-1].split(".")
        return any(fnmatch.fnmatchcase(".".join(parts[:n]), glob) for n in range(1, len(parts) + 1))


class OperatorsInFloat32(TorchFunctionMode):
    def __init__(self, spec, path):
        super().__init__()
        self.regions = [region for region in regions_of(spec) if region[1] is not None]
        self.path = path

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        name = getattr(function, "__name__", "")
        if any(fnmatch.fnmatchcase(name, operator) and (module is None or self.path.lies_in(module))
               for module, operator in self.regions):
            with torch.autocast("cpu", enabled=False):
                return function(*in_float32(arguments), **{k: in_float32(v) for k, v in keywords.items()})
        return function(*arguments, **keywords)


# torch.amp, "CUDA Op-Specific Behavior", by the names under which models of the fixtures call them.
CUDA_LOWER_PRECISION = {"linear", "matmul", "__matmul__", "bmm", "mm", "addmm", "conv1d", "conv2d", "prelu"}
CUDA_FLOAT32 = {"softmax", "log_softmax", "nll_loss", "mse_loss", "l1_loss", "huber_loss",
                "binary_cross_entropy_with_logits", "layer_norm", "exp", "log", "pow", "__pow__", "rsqrt", "reciprocal",
                "sum", "softplus"}


class CudaCasts(TorchFunctionMode):
    """CUDA's casts on CPU tensors, with autocast off. `mean`, `gelu`, `silu` … are unlisted and follow their inputs."""

    off = False

    @classmethod
    @contextmanager
    def suspended(cls):
        cls.off = True
        yield
        cls.off = False

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        name = "" if self.off else getattr(function, "__name__", "")
        if name == "cross_entropy":
            # Documented as FP32, but made of a log_softmax that is told the input's dtype, which autocast respects, and
            # an nll_loss in FP32.
            logarithms = torch.log_softmax(arguments[0], 1, dtype=arguments[0].dtype)
            return torch.nn.functional.nll_loss(in_float32(logarithms), arguments[1], reduction=keywords["reduction"],
                                                ignore_index=keywords["ignore_index"])
        if name in CUDA_LOWER_PRECISION:
            to = lambda v: v.to(self.dtype) if isinstance(v, torch.Tensor) and v.is_floating_point() else v
        elif name in CUDA_FLOAT32:
            to = in_float32
        else:
            return function(*arguments, **keywords)
        return function(*map(to, arguments), **{k: to(v) for k, v in keywords.items()})


@contextmanager
def applied(spec, dtype, path):
    """The casts around one forward and its loss; open it inside autocast."""
    with ExitStack() as stack:
        if spec.get("cast_policy") == "cuda" and dtype is not None:
            stack.enter_context(torch.autocast("cpu", enabled=False))
            stack.enter_context(CudaCasts(dtype))
        if dtype is not None and any(operator for _, operator in regions_of(spec)):
            stack.enter_context(OperatorsInFloat32(spec, path))
        yield
