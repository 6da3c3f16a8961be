#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second of the official PyTorch package, for a driver that interleaves it with Mantissa.

    python_baseline.py [--threads 2] [--data-folder FOLDER]

says `{"ready": …}` on stdout, then answers each line `WORK STEPS` on stdin with one JSON line:

    amp-step 500
    {"work": "amp-step", "steps": 500, "fused": 0.1712, "foreach": 0.2093}

or `script MODEL PATH`, which saves the model (resnet-20, transformer, lstm) as a TorchScript file, with {"script": PATH}.
Seconds are for STEPS optimizer steps, with the fused and the foreach optimizer in turn; the driver keeps the faster of their
medians. A work is built and warmed up when it is first asked for. `quit` or the end of input ends it; a line that is not understood gets {"error": …}.

WORK: amp-step              Linear(16, 1), MSE, AdamW, batch 64, FP16 autocast with GradScaler, clipping at 1
      digits-mlp-float32    64-256-256-10, GELU, cross entropy, AdamW, batch 64
      digits-mlp-bfloat16   the same under BF16 autocast
      resnet-20-DTYPE       64 random images [1, 28, 28], 10 classes, AdamW
      transformer-DTYPE     16 × 128 random characters of 96, width 128, 4 layers, 4 heads, AdamW
      lstm-DTYPE            64 random sequences [25, 12], 9 classes, 2 bidirectional layers of 128 cells, AdamW

The loop is the plain one of PyTorch's documentation and does no more than it must: nothing is read back or recorded
but what the scaler itself reads. Model, optimizer and scaler live from one command to the next; what is timed is
choosing the batch, forward, backward, clipping, step and update. Processor features are those of the machine.
"""

import argparse
import json
import os
import sys
import time
from contextlib import nullcontext
from pathlib import Path

os.environ["MANTISSA_ORACLE_NATIVE"] = "1"  # reference_run would otherwise pin an older instruction set
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))

import reference_run
import torch
from torch import nn

GAUSSIAN = {"source": "gaussian", "rows": 512, "features": 16, "outputs": 1, "seed": 3, "test": {"fraction": 0.2}}
DIGITS = {"source": "digits", "test": {"fraction": 0.2, "seed": 7}}
RANDOM_ROWS = 512
LINEAR = {"kind": "linear"}
MLP = {"kind": "mlp", "hidden": [256, 256], "activation": "gelu"}
WARM_UP_STEPS = 100
WARM_UP_STEPS_OF_MODELS = 3


def images():
    return torch.randn(RANDOM_ROWS, 1, 28, 28), torch.randint(10, (RANDOM_ROWS,)), 10


def characters():
    text = torch.randint(96, (RANDOM_ROWS, 129))
    return text[:, :-1].contiguous(), text[:, 1:].contiguous(), 96


def sequences():
    return torch.randn(RANDOM_ROWS, 25, 12), torch.randint(9, (RANDOM_ROWS,)), 9


MODELS = {
    "resnet-20": ({"kind": "resnet", "depth": 20, "width": 16}, images, 64),
    "transformer": ({"kind": "transformer", "width": 128, "layers": 4, "heads": 4}, characters, 16),
    "lstm": ({"kind": "lstm", "cells": 128, "layers": 2, "bidirectional": True}, sequences, 64),
}


class Work:
    """One training that goes on for as long as it is asked to."""

    def __init__(self, data, model, implementation, data_folder, dtype=None, clip_norm=None, loss="cross_entropy",
                 part=None, batch=64):
        self.experiment = {"data": data, "model": model, "training": {"seed": 1, "batch": batch, "loss": loss}}
        self.part = part or reference_run.load_training_part(self.experiment, Path("."), data_folder)
        torch.manual_seed(1)
        self.model = reference_run.build_model(model, self.part.inputs, self.part.outputs).train()
        self.loss_of = reference_run.loss_function(self.experiment)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3, **{implementation: True})
        self.parameters = list(self.model.parameters())
        self.dtype, self.clip_norm = dtype, clip_norm
        self.scaler = torch.amp.GradScaler("cpu") if dtype == torch.float16 else None
        self.windows = reference_run.windows(self.experiment, len(self.part.inputs))

    def seconds(self, steps):
        begin = time.perf_counter()
        for _ in range(steps):
            self.step()
        return time.perf_counter() - begin

    def step(self):
        _, (batch,) = next(self.windows)
        x, y = self.part.inputs[batch], self.part.targets[batch]
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", dtype=self.dtype) if self.dtype else nullcontext():
            output = self.model(x)
            if y.dim() == 2 and not y.is_floating_point():  # characters: every position is a case of its own
                output, y = output.flatten(0, 1), y.flatten()
            loss = self.loss_of(output, y)
        if self.scaler is None:
            loss.backward()
            if self.clip_norm is not None:
                nn.utils.clip_grad_norm_(self.parameters, self.clip_norm)
            self.optimizer.step()
            return
        self.scaler.scale(loss).backward()
        if self.clip_norm is not None:
            self.scaler.unscale_(self.optimizer)
            nn.utils.clip_grad_norm_(self.parameters, self.clip_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()


def works(data_folder):
    """For each name what builds it: a pair of works, one with the fused and one with the foreach optimizer."""
    def pair(*arguments, **settings):
        return lambda: {name: Work(*arguments, name, data_folder, **settings) for name in ("fused", "foreach")}

    def model(name, dtype):
        settings, data, batch = MODELS[name]
        return lambda: pair({"task": "classification"}, settings, dtype=dtype, part=reference_run.Training(*data()),
                            batch=batch)()
    all_works = {
        "amp-step": pair(GAUSSIAN, LINEAR, dtype=torch.float16, clip_norm=1.0, loss="mse"),
        "digits-mlp-float32": pair(DIGITS, MLP),
        "digits-mlp-bfloat16": pair(DIGITS, MLP, dtype=torch.bfloat16),
    }
    for name in MODELS:
        all_works[f"{name}-float32"] = model(name, None)
        all_works[f"{name}-bfloat16"] = model(name, torch.bfloat16)
    return all_works


def warm(build, name):
    pair = build()
    for work in pair.values():
        work.seconds(WARM_UP_STEPS_OF_MODELS if name.rsplit("-", 1)[0] in MODELS else WARM_UP_STEPS)
    return pair


def script(name, path):
    settings, data, _ = MODELS[name]
    part = reference_run.Training(*data())
    torch.jit.script(reference_run.build_model(settings, part.inputs, part.outputs).train()).save(path)
    return {"script": path}


def answer(line, all_works, warm_works):
    if line.startswith("script "):
        return script(*line.split()[1:])
    try:
        name, steps = line.split()
        build, steps = all_works[name], int(steps)
    except (ValueError, KeyError):
        return {"error": f"expected WORK STEPS with WORK one of {', '.join(all_works)}; found {line.strip()!r}"}
    if name not in warm_works:
        warm_works[name] = warm(build, name)
    return {"work": name, "steps": steps} | {kind: work.seconds(steps) for kind, work in warm_works[name].items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data-folder", type=Path, default=reference_run.DATA_FOLDER)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    all_works, warm_works = works(arguments.data_folder), {}
    ready = {"torch": torch.__version__, "threads": torch.get_num_threads(),
             "cpu_capability": torch.backends.cpu.get_cpu_capability(), "works": list(all_works)}
    print(json.dumps({"ready": ready}), flush=True)
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        if line.strip():
            print(json.dumps(answer(line, all_works, warm_works)), flush=True)


if __name__ == "__main__":
    main()
