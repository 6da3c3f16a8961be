#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes greedy.pt (then packaging/plain_torchscript.py): y = w·x + b that asks for more memory than any machine has (2^50 elements of BF16) as soon as its
product is in BF16, so that only a BF16 trial runs out of memory. In evaluation, `greedy_in_evaluation.pt` alone does.
hungry.pt asks for 1 GiB (2^29 elements) in training, which a machine has unless a limit forbids it."""

from pathlib import Path

import torch


class Greedy(torch.nn.Module):
    def __init__(self, in_training: bool, elements: int):
        super().__init__()
        self.fc = torch.nn.Linear(1, 1)
        self.in_training = in_training
        self.elements = elements
        with torch.no_grad():
            self.fc.weight.fill_(0.5)
            self.fc.bias.fill_(0.0)

    def forward(self, x):
        y = self.fc(x)
        if y.dtype == torch.bfloat16 and self.training == self.in_training:
            y = y + torch.empty([self.elements], dtype=torch.bfloat16)[0]
        return y


for name, in_training, elements in (
    ("greedy.pt", True, 1 << 50),
    ("greedy_in_evaluation.pt", False, 1 << 50),
    ("hungry.pt", True, 1 << 29),
):
    torch.jit.script(Greedy(in_training, elements)).save(str(Path(__file__).resolve().parent / name))
