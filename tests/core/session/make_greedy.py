#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes greedy.pt (then packaging/plain_torchscript.py): y = w·x + b that asks for more memory than any machine has (2^50 elements of BF16) as soon as its
product is in BF16, so that only a BF16 trial runs out of memory. In evaluation, `greedy_in_evaluation.pt` alone does."""

from pathlib import Path

import torch


class Greedy(torch.nn.Module):
    def __init__(self, in_training: bool):
        super().__init__()
        self.fc = torch.nn.Linear(1, 1)
        self.in_training = in_training
        with torch.no_grad():
            self.fc.weight.fill_(0.5)
            self.fc.bias.fill_(0.0)

    def forward(self, x):
        y = self.fc(x)
        if y.dtype == torch.bfloat16 and self.training == self.in_training:
            y = y + torch.empty([1 << 50], dtype=torch.bfloat16)[0]
        return y


for name, in_training in (("greedy.pt", True), ("greedy_in_evaluation.pt", False)):
    torch.jit.script(Greedy(in_training)).save(str(Path(__file__).resolve().parent / name))
