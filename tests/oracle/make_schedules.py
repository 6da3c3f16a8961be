#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets the classes of torch.optim.lr_scheduler give 260 learning rates each for random settings: fixtures/schedules.txt.

A line is `kind gamma every min_lr end_factor warmup total lr` and the rates, as shortest texts of doubles. Horizons are
short enough to be passed, once or many times.
"""

import random
from pathlib import Path

import torch

from reference_run import Schedule

COUNTS = 260


def rates(spec, lr):
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=lr)
    schedule = Schedule(spec, optimizer, {"applied-update": spec["total"]})
    result = []
    for _ in range(COUNTS):
        result.append(schedule.group()["lr"])
        schedule.after_step(True, 1)
    return result


def main():
    r = random.Random(4)
    lines = []
    for number in range(30):
        kind = ["constant", "step", "exponential", "cosine", "linear"][number % 5]
        warmup = r.choice([0, 0, 1, 2, 7, 33])
        spec = {"kind": kind, "gamma": r.choice([0.1, 0.5, 0.97, 0.999, 1.01]), "every": r.choice([1, 3, 10, 50]),
                "min_lr": r.choice([0.0, 1e-5, 0.003]), "end_factor": r.choice([0.0, 0.05, 0.1, 1 / 3, 1.0]),
                "warmup": warmup, "total": warmup + r.choice([1, 2, 3, 10, 64, 100, 200, 1000])}
        lr = r.choice([0.1, 1e-3, 3e-4, 0.7])
        lines.append(" ".join([kind] + [repr(spec[k]) for k in
                                        ("gamma", "every", "min_lr", "end_factor", "warmup", "total")] + [repr(lr)] +
                              [repr(rate) for rate in rates(spec, lr)]))
    path = Path(__file__).resolve().parent / "fixtures" / "schedules.txt"
    path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines)} schedules")


if __name__ == "__main__":
    main()
