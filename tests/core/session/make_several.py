# SPDX-License-Identifier: Apache-2.0
"""Makes several_dict.pt, several_tuple.pt and several_named.pt with official PyTorch (then packaging/plain_torchscript.py):
networks with several outputs whose weights are powers of two, so that what BF16 makes of them is hand arithmetic."""
from typing import Dict, NamedTuple, Tuple

import torch


class Heads(torch.nn.Module):
    """score = z, boxes = (x, 2x, 4z) of an input (x, z)."""

    def __init__(self):
        super().__init__()
        self.score = torch.nn.Linear(2, 1, bias=False)
        self.boxes = torch.nn.Linear(2, 3, bias=False)
        with torch.no_grad():
            self.score.weight.copy_(torch.tensor([[0.0, 1.0]]))
            self.boxes.weight.copy_(torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 4.0]]))


class InDictionary(Heads):
    def forward(self, x) -> Dict[str, torch.Tensor]:
        boxes = self.boxes(x)
        return {
            "score": self.score(x),
            "boxes": boxes,
            "logs": torch.log(x[:, 0] - 1.0),  # -Infinity where x is 1
            "count": (boxes > 1.0).sum(1),  # integers
            "total": boxes.sum(0),  # an entry for each column
            "mean": boxes.mean(),  # a scalar
        }


class InTuple(Heads):
    def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor]:
        return self.score(x), self.boxes(x)


class Found(NamedTuple):
    score: torch.Tensor
    boxes: torch.Tensor


class InNamedTuple(Heads):
    def forward(self, x) -> Found:
        return Found(self.score(x), self.boxes(x))


for name, model in (("dict", InDictionary()), ("tuple", InTuple()), ("named", InNamedTuple())):
    torch.jit.script(model).save(f"several_{name}.pt")
