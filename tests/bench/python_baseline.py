#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps a second of the official PyTorch package, for a driver that interleaves it with Mantissa.

    python_baseline.py [--threads 2] [--data-folder FOLDER]

says `{"ready": …}` on stdout once everything is warm, then answers each line `WORK STEPS` on stdin with one JSON line:

    amp-step 500
    {"work": "amp-step", "steps": 500, "fused": 0.1712, "foreach": 0.2093}

Seconds for STEPS optimizer steps, with the fused and the foreach optimizer in turn; the driver keeps the faster of their
medians. `quit` or the end of input ends it; a line that is not understood gets {"error": …}.

WORK: amp-step              Linear(16, 1), MSE, AdamW, batch 64, FP16 autocast with GradScaler, clipping at 1
      digits-mlp-float32    64-256-256-10, GELU, cross entropy, AdamW, batch 64
      digits-mlp-bfloat16   the same under BF16 autocast

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
LINEAR = {"kind": "linear"}
MLP = {"kind": "mlp", "hidden": [256, 256], "activation": "gelu"}
WARM_UP_STEPS = 100


class Work:
    """One training that goes on for as long as it is asked to."""

    def __init__(self, data, model, implementation, data_folder, dtype=None, clip_norm=None, loss="cross_entropy"):
        self.experiment = {"data": data, "model": model, "training": {"seed": 1, "batch": 64, "loss": loss}}
        self.part = reference_run.load_training_part(self.experiment, Path("."), data_folder)
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
            loss = self.loss_of(self.model(x), y)
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
    def pair(*arguments, **settings):
        return {name: Work(*arguments, name, data_folder, **settings) for name in ("fused", "foreach")}
    return {
        "amp-step": pair(GAUSSIAN, LINEAR, dtype=torch.float16, clip_norm=1.0, loss="mse"),
        "digits-mlp-float32": pair(DIGITS, MLP),
        "digits-mlp-bfloat16": pair(DIGITS, MLP, dtype=torch.bfloat16),
    }


def answer(line, all_works):
    try:
        name, steps = line.split()
        pair, steps = all_works[name], int(steps)
    except (ValueError, KeyError):
        return {"error": f"expected WORK STEPS with WORK one of {', '.join(all_works)}; found {line.strip()!r}"}
    return {"work": name, "steps": steps} | {kind: work.seconds(steps) for kind, work in pair.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data-folder", type=Path, default=reference_run.DATA_FOLDER)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    all_works = works(arguments.data_folder)
    for pair in all_works.values():
        for work in pair.values():
            work.seconds(WARM_UP_STEPS)
    ready = {"torch": torch.__version__, "threads": torch.get_num_threads(),
             "cpu_capability": torch.backends.cpu.get_cpu_capability(), "works": list(all_works)}
    print(json.dumps({"ready": ready}), flush=True)
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        if line.strip():
            print(json.dumps(answer(line, all_works)), flush=True)


if __name__ == "__main__":
    main()
