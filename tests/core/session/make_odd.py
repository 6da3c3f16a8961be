#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes models of y = w·x + b that end badly (then packaging/plain_torchscript.py): double_output.pt answers in FP64,
complex_output.pt in complex numbers, beyond_memory.pt asks for 2^50 elements whatever the type, talking.pt prints a line
with a terminal's escape sequence, dict_output.pt returns its answer in a dict. unknown_operator.pt calls an operator that LibTorch does not have (made
last, and left out of plain_torchscript.py, which could not load it)."""

import zipfile
from pathlib import Path
from typing import Dict

import torch


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 1)
        with torch.no_grad():
            self.fc.weight.fill_(0.5)
            self.fc.bias.fill_(0.0)

    def forward(self, x):
        return self.fc(x)


class DoubleOutput(Plain):
    def forward(self, x):
        return self.fc(x).double()


class ComplexOutput(Plain):
    def forward(self, x):
        return self.fc(x).to(torch.complex64)


class BeyondMemory(Plain):
    def forward(self, x):
        return self.fc(x) + torch.empty([1 << 50])[0]


class Talking(Plain):
    def forward(self, x):
        print("\x1b]0;title\x07batch of", x.shape)
        return self.fc(x)


class DictOutput(Plain):
    def forward(self, x) -> Dict[str, torch.Tensor]:
        return {"score": self.fc(x), "input": x}


for name, model in (
    ("double_output.pt", DoubleOutput()),
    ("complex_output.pt", ComplexOutput()),
    ("beyond_memory.pt", BeyondMemory()),
    ("talking.pt", Talking()),
    ("dict_output.pt", DictOutput()),
):
    torch.jit.script(model).save(str(Path(__file__).resolve().parent / name))

folder = Path(__file__).resolve().parent
torch.jit.script(Plain()).save(str(folder / "plain.pt"))
with zipfile.ZipFile(folder / "plain.pt") as made, zipfile.ZipFile(folder / "unknown_operator.pt", "w") as changed:
    for entry in made.infolist():
        if not entry.filename.endswith(".debug_pkl"):
            changed.writestr(entry.filename, made.read(entry).replace(b"torch.linear", b"torch.lineal"))
(folder / "plain.pt").unlink()
