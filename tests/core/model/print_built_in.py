#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what built_in_model_tests.cpp expects: names, shapes and the last drawn parameter of the models of
tests/oracle/models.py, as official PyTorch makes them from seed 7."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "oracle"))

import models
import torch


def show(kind, inputs, outputs, **sizes):
    torch.manual_seed(7)
    model = models.build({"kind": kind} | sizes, inputs, outputs)
    print(kind, sizes)
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        print(f'"{name} {list(tensor.shape)}",')
    print([parameter.flatten().tolist() for parameter in model.parameters()][-1])


show("cnn", torch.zeros(1, 2, 8, 6), 3, channels=[4, 5])
show("resnet", torch.zeros(1, 1, 8, 8), 3, depth=8, width=2)
show("transformer", torch.zeros(1, 6, dtype=torch.int64), 2, width=4, layers=1, heads=2)
show("lstm", torch.zeros(1, 6, 3), 2, cells=2, layers=2, bidirectional=True)
show("lstm", torch.zeros(1, 6, dtype=torch.int64), 2, cells=2)
