# SPDX-License-Identifier: Apache-2.0
"""Makes the files of models/ with official PyTorch 2.11: run it in that folder. Weights are written out or seeded."""
import sys
from pathlib import Path
from typing import Dict, NamedTuple, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.append(str(Path(__file__).resolve().parents[3] / "packaging"))
import plain_torchscript


def scripted(module, name):
    torch.jit.script(module).save(name)


def ones_linear(inputs, outputs, bias=False):
    layer = nn.Linear(inputs, outputs, bias=bias)
    nn.init.ones_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class Tied(nn.Module):
    """y = b(a(x)) where a and b are one layer without bias, weight 1."""

    def __init__(self):
        super().__init__()
        self.a = ones_linear(1, 1)
        self.b = self.a

    def forward(self, x: Tensor) -> Tensor:
        return self.b(self.a(x))


class DoublesItsInput(nn.Module):
    """w · (2 x), where x itself is doubled in place."""

    def __init__(self):
        super().__init__()
        self.fc = ones_linear(1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(x.mul_(2.0))


class TwoInputs(nn.Module):
    """gain · w·a + b: two columns and a constant, which has a default."""

    def __init__(self):
        super().__init__()
        self.fc = ones_linear(1, 1)

    def forward(self, a: Tensor, b: Tensor, gain: float = 2.0) -> Tensor:
        return gain * self.fc(a) + b


class Boxes(NamedTuple):
    boxes: Tensor
    scores: Tensor


class Nested(nn.Module):
    """A tuple of a named tuple and a dictionary; every tensor is a multiple of w·x."""

    def __init__(self):
        super().__init__()
        self.fc = ones_linear(1, 1)

    def forward(self, x: Tensor) -> Tuple[Boxes, Dict[str, Tensor]]:
        y = self.fc(x)
        return Boxes(y, 2 * y), {"logits": 3 * y, "box scores": 4 * y}


class OwnLoss(nn.Module):
    """The mean squared error against the targets it is given, and the prediction."""

    def __init__(self):
        super().__init__()
        self.fc = ones_linear(2, 1)

    def forward(self, x: Tensor, targets: Tensor) -> Tuple[Tensor, Tensor]:
        prediction = self.fc(x)
        return F.mse_loss(prediction, targets), prediction


class OnlyLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.own = OwnLoss()

    def forward(self, x: Tensor, targets: Tensor) -> Tensor:
        return self.own(x, targets)[0]


class Stateful(nn.Module):
    """Adds what it gave the last time, with its graph: a second backward reaches into the first."""

    def __init__(self):
        super().__init__()
        self.fc = ones_linear(1, 1)
        self.last: Tensor = torch.zeros(1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x) + self.last.mean()
        self.last = y
        return y


class Resettable(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Stateful()

    @torch.jit.export
    def reset_states(self, batch: int = 1):
        self.inner.last = torch.zeros(batch)

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


class Cnn(nn.Module):
    """Every kind of convolution that tracing records as aten::_convolution, with batch norm and dropout."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.grouped = nn.Conv2d(4, 4, 3, stride=2, groups=2)
        self.up = nn.ConvTranspose2d(4, 3, 2, stride=2)
        self.line = nn.Conv1d(3, 2, 3, dilation=2)
        self.fc = nn.Linear(2, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.norm(self.first(x)))
        x = self.up(F.relu(self.grouped(x)))
        x = self.line(x.flatten(2))
        return self.fc(x.mean(2))


class SparseEmbedding(nn.Module):
    """Rounds its inputs to indices of a table whose gradients are sparse, and adds up what it finds there."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3, sparse=True)
        self.fc = nn.Linear(3, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.table((x.abs() * 2).clamp(max=4.0).to(torch.int64)).sum(1))


class Choosy(nn.Module):
    """y = w·x + b, but refuses numbers above 50."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)

    def forward(self, x: Tensor) -> Tensor:
        if bool((x > 50).any()):
            raise ValueError("a number above 50")
        return self.fc(x)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 5, 2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(10, 2)

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.lstm(x)
        return self.fc(y.mean(1))


def main():
    scripted(Tied(), "tied.pt")
    scripted(DoublesItsInput(), "doubles_its_input.pt")
    scripted(TwoInputs(), "two_inputs.pt")
    scripted(Nested(), "nested.pt")
    scripted(OwnLoss(), "own_loss.pt")
    scripted(OnlyLoss(), "only_loss.pt")
    scripted(Stateful(), "stateful.pt")
    scripted(Resettable(), "resettable.pt")
    scripted(ones_linear(1, 1).half(), "linear_fp16.pt")
    scripted(ones_linear(1, 1).bfloat16(), "linear_bf16.pt")
    scripted(ones_linear(1, 1).double(), "linear_fp64.pt")

    torch.manual_seed(1)
    cnn = Cnn()
    torch.jit.trace(cnn.train(), torch.randn(4, 1, 6, 6), check_trace=False).save("cnn_trace.pt")
    scripted(cnn, "cnn_script.pt")  # after the trace, which moved the running statistics

    scripted(SparseEmbedding(), "embedding_sparse.pt")
    scripted(Choosy(), "choosy.pt")
    scripted(Lstm(), "lstm.pt")
    scripted(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).bfloat16(), "mlp_bf16.pt")

    dropping = nn.Sequential(ones_linear(2, 8), nn.Dropout(0.5), ones_linear(8, 1))
    torch.jit.trace(dropping.train(), torch.ones(4, 2), check_trace=False).save("dropout_trace.pt")
    normed = nn.Sequential(ones_linear(2, 4), nn.BatchNorm1d(4), ones_linear(4, 1))
    torch.jit.trace(normed.eval(), torch.ones(4, 2)).save("batch_norm_trace_eval.pt")
    torch.jit.freeze(torch.jit.script(normed.eval())).save("frozen.pt")
    for file in Path(".").glob("*.pt"):
        plain_torchscript.remove_paths(file)


main()
