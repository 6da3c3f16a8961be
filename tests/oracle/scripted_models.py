# SPDX-License-Identifier: Apache-2.0
"""Small TorchScript models for fixtures, and the Python modules that they were made from."""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[2] / "packaging"))
import plain_torchscript


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.factor = width ** -0.5

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = torch.bmm(q, k.transpose(1, 2)) * self.factor
        return self.proj(torch.bmm(torch.softmax(scores, dim=-1), v))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attn = Attention(width)
        self.fc = nn.Linear(width, 2 * width)
        self.out = nn.Linear(2 * width, width)

    def forward(self, x):
        x = x + self.attn(self.norm(x))
        return x + self.out(F.gelu(self.fc(x)))


class SmallAttention(nn.Module):
    """Every feature is a token."""

    def __init__(self, features=6, width=8, blocks=2, outputs=3):
        super().__init__()
        self.up = nn.Linear(1, width)
        self.blocks = nn.Sequential(*[Block(width) for _ in range(blocks)])
        self.head = nn.Linear(features * width, outputs)

    def forward(self, x):
        return self.head(self.blocks(self.up(x.unsqueeze(-1))).flatten(1))


TWINS = {"small_attention": SmallAttention}


def knows(path):
    """Whether a file has a twin here; others are run as they are (torchscript_model.py)."""
    return Path(path).stem in TWINS


def save(folder):
    for name, twin in TWINS.items():
        torch.manual_seed(5)
        file = Path(folder) / f"{name}.pt"
        torch.jit.script(twin()).save(str(file))
        plain_torchscript.remove_paths(file)


def load(path, as_python):
    """The file, or, for casts that only Python code can be given by hand, the module it was made from."""
    scripted = torch.jit.load(path)
    if not as_python:
        return scripted
    model = TWINS[Path(path).stem]()
    model.load_state_dict(scripted.state_dict())
    return model
