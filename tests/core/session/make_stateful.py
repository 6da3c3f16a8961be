# SPDX-License-Identifier: Apache-2.0
"""Makes stateful.pt and carrying.pt with official PyTorch (then packaging/plain_torchscript.py): networks that keep values
between calls which are neither parameters nor buffers. stateful.pt keeps one of each kind that a checkpoint can hold, and
all of them reach its output; carrying.pt keeps a tensor with its history of gradients, which no checkpoint can."""
from typing import Dict, List, Optional, Tuple

import torch


class Cell(torch.nn.Module):
    held: Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.held = None
        self.calls = 0

    def forward(self, x):
        held = self.held
        self.calls += 1
        self.held = x.mean(0).detach()
        return x if held is None else x + 0.01 * self.calls * held


class Stateful(torch.nn.Module):
    history: List[float]
    seen: Dict[str, torch.Tensor]
    pair: Tuple[int, torch.Tensor]
    layers: List[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(6, 1)
        self.cell = Cell()
        self.mean = torch.zeros(6)
        self.total = torch.zeros(2)
        self.same = self.total
        self.history = []
        self.seen = {}
        self.pair = (0, torch.zeros(1))
        self.layers = [torch.zeros(6), torch.ones(6)]
        self.odd = False
        self.label = "even"
        self.scale = 1.0

    def forward(self, x):
        y = self.fc(self.cell(x))
        self.mean = 0.9 * self.mean + 0.1 * x.mean(0).detach()
        self.total[0] += x.sum().detach()
        self.same.mul_(0.5)
        self.layers[1].mul_(0.99)
        self.history.append(float(x.mean()))
        if len(self.history) > 3:
            self.history = self.history[1:]
        first, tensor = self.pair
        self.pair = (first + 1, tensor + 0.1)
        self.seen["last" if self.odd else "other"] = x[0].detach()
        self.odd = not self.odd
        self.label = "odd" if self.odd else "even"
        self.scale = self.scale * 0.999
        extra = self.mean.sum() + 0.01 * self.total.sum() + sum(self.history) + self.layers[1].sum()
        for key in self.seen:
            extra = extra + 0.1 * self.seen[key].sum()
        if self.label == "odd":
            extra = extra + 0.05 * self.pair[1].sum() * self.pair[0]
        return y * self.scale + 0.01 * extra


class Carrying(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(6, 1)
        self.carried = torch.zeros(1)

    def forward(self, x):
        self.carried = self.carried + self.fc.bias
        return self.fc(x) + 0.01 * self.carried


torch.manual_seed(5)
for name, model in (("stateful.pt", Stateful()), ("carrying.pt", Carrying())):
    torch.jit.script(model).save(name)
