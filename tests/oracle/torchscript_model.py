# SPDX-License-Identifier: Apache-2.0
"""TorchScript models for reference_run.py: the file as Python runs it, with the executor's optimisation off.

A trace is compared with its script: Python's autocast on a CPU does not cast the convolutions that tracing records, and
Mantissa rewrites them. `oracle_path` in the experiment's [model] would be an unknown key there, so a file NAME_trace.pt
has its script beside it as NAME_script.pt.
"""
from pathlib import Path

import torch


class TorchScriptModel:
    """A loaded module behind the few calls that reference_run.train makes."""

    def __init__(self, spec):
        path = Path(spec["path"])
        if path.stem.endswith("_trace"):
            path = path.with_name(path.name.replace("_trace", "_script"))
        self.module = torch.jit.load(path)
        # aten::embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse). Functions are inlined only while the
        # optimisation is on, and nodes live no longer than their graph.
        torch._C._set_graph_executor_optimize(True)
        graph = self.module.inlined_graph
        self.sparse = any(list(node.inputs())[4].toIValue() for node in graph.findAllNodes("aten::embedding"))
        torch._C._set_graph_executor_optimize(False)
        self.inputs = spec.get("inputs", ["x"])
        self.prediction = spec.get("prediction", "output")
        self.input_dtype = None
        narrow = [p.dtype for p in self.module.parameters() if p.dtype in (torch.float16, torch.bfloat16)]
        if narrow and spec.get("stored_dtype", "widen") == "keep":
            self.input_dtype = narrow[0]
        elif narrow:
            self.module.float()

    def train(self):
        self.module.train()

    def parameters(self):
        return self.module.parameters()

    def named_parameters(self):
        return self.module.named_parameters()

    def state_dict(self):
        return self.module.state_dict()

    def argument(self, entry, x, y):
        """Columns of generated data are x1, x2 … and y1, y2 …; everything else is a constant."""
        if not isinstance(entry, str):
            return entry
        if entry == "x":
            return x
        if entry == "targets":
            return y
        column = int(entry[1:]) - 1
        return (x if entry[0] == "x" else y)[:, column:column + 1]

    def forward_and_loss(self, arm, loss_of, x, y, own_loss):
        if hasattr(self.module, "reset_states"):
            self.module.reset_states()
        if self.input_dtype is not None and x.is_floating_point():
            x = x.to(self.input_dtype)
        with arm.autocast(), torch.jit.optimized_execution(arm.spec.get("cast_policy") == "jit"):
            output = self.module(*[self.argument(entry, x, y) for entry in self.inputs])
            prediction = eval(self.prediction, {"output": output})
            if own_loss:
                return next(part for part in output if part.dim() == 0) if isinstance(output, tuple) else output
            narrow = prediction.dtype in (torch.float16, torch.bfloat16) and not torch.is_autocast_enabled("cpu")
            if not narrow and not arm.loss_in_float32():
                return loss_of(prediction, y)
        return loss_of(prediction.float(), y)
