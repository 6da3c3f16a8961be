# SPDX-License-Identifier: Apache-2.0
"""The built-in models as plain torch.nn, written from their documentation (core/model/*.h): same names, same order of
construction, so that one seed gives the same initial weights."""

import functools
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Cnn(nn.Module):
    def __init__(self, row_shape, outputs, channels, kernel, dropout):
        super().__init__()
        before, height, width = row_shape
        layers = []
        for after in channels:
            layers += [nn.Conv2d(before, after, kernel, padding=kernel // 2), nn.ReLU(), nn.MaxPool2d(2)]
            before, height, width = after, height // 2, width // 2
        self.features = nn.Sequential(*layers)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(before * height * width, outputs)

    def forward(self, x):
        return self.head(self.dropout(self.features(x).flatten(1)))


class ResidualBlock(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.shortcut = nn.Identity()
        if stride != 1 or before != after:
            self.shortcut = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class Resnet(nn.Module):
    def __init__(self, row_shape, outputs, depth, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(row_shape[0], width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        blocks, before = [], width
        for stage, after in enumerate([width, 2 * width, 4 * width]):
            for block in range((depth - 2) // 6):
                blocks.append(ResidualBlock(before, after, 2 if stage > 0 and block == 0 else 1))
                before = after
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(before, outputs)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1).flatten(1))


class Attention(nn.Module):
    def __init__(self, width, heads, attention, dropout):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.dropout = nn.Dropout(dropout)
        self.proj = nn.Linear(width, width)
        self.heads, self.attention = heads, attention

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (part.view(batch, time, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(x).split(width, 2))
        if self.attention == "sdpa":
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout.p if self.training else 0.0,
                                               is_causal=True)
        else:
            q, k, v = (part.reshape(batch * self.heads, time, width // self.heads) for part in (q, k, v))
            scores = torch.bmm(q, k.transpose(1, 2)) * (1.0 / math.sqrt(width // self.heads))
            later = torch.ones(time, time, dtype=torch.bool).triu(1)
            probabilities = self.dropout(torch.softmax(scores.masked_fill(later, float("-inf")), -1))
            y = torch.bmm(probabilities, v).view(batch, self.heads, time, width // self.heads)
        return self.proj(y.transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    def __init__(self, width, heads, attention, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attn = Attention(width, heads, attention, dropout)
        self.dropout = nn.Dropout(dropout)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.dropout(self.attn(self.norm1(x)))
        return x + self.dropout(self.mlp(self.norm2(x)))


class Transformer(nn.Module):
    def __init__(self, row_shape, outputs, width, layers, heads, attention, dropout):
        super().__init__()
        self.token_embedding = nn.Embedding(outputs, width)
        self.position_embedding = nn.Embedding(row_shape[0], width)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.Sequential(*[Block(width, heads, attention, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, outputs, bias=False)

    def forward(self, x):
        positions = torch.arange(x.size(1))
        return self.head(self.norm(self.blocks(self.dropout(self.token_embedding(x) +
                                                            self.position_embedding(positions)))))


class Lstm(nn.Module):
    def __init__(self, row_shape, outputs, cells, layers, bidirectional, dropout, characters):
        super().__init__()
        self.embedding = nn.Embedding(outputs, cells) if characters else None
        self.lstm = nn.LSTM(cells if characters else row_shape[1], cells, layers, batch_first=True, dropout=dropout,
                            bidirectional=bidirectional)
        self.head = nn.Linear(cells * (2 if bidirectional else 1), outputs)

    def forward(self, x):
        if self.embedding is not None:
            return self.head(self.lstm(self.embedding(x))[0])
        return self.head(self.lstm(x)[0].mean(1))


def build(spec, inputs, outputs):
    """The model of an experiment file's [model] for inputs [rows, …] as they are given to it."""
    row_shape, size = list(inputs.shape[1:]), spec.get
    dropout = size("dropout", 0.0)
    if spec["kind"] == "cnn":
        return Cnn(row_shape, outputs, size("channels", [16, 32]), size("kernel", 3), dropout)
    if spec["kind"] == "resnet":
        return Resnet(row_shape, outputs, size("depth", 20), size("width", 16))
    if spec["kind"] == "transformer":
        return Transformer(row_shape, outputs, size("width", 128), size("layers", 4), size("heads", 4),
                           size("attention", "sdpa"), dropout)
    if spec["kind"] == "lstm":
        return Lstm(row_shape, outputs, size("cells", 64), size("layers", 1), size("bidirectional", False), dropout,
                    characters=inputs.dtype == torch.int64)
    raise ValueError(spec["kind"])


def recompute_blocks(model):
    """Lets PyTorch's own checkpointing compute the blocks of a transformer again in backward. Other models keep their
    activations: around a BatchNorm it would move the running statistics a second time, and Mantissa does not."""
    if isinstance(model, Transformer):
        for block in model.blocks:
            block.forward = functools.partial(checkpoint, block.forward, use_reentrant=False)
