# SPDX-License-Identifier: Apache-2.0
"""Writes sigmoid_mlp.pt: a TorchScript model that ends in a sigmoid, so that its output is a probability for BCELoss.

30 inputs (breast_cancer), one hidden layer of 64, weights of torch.manual_seed(1). Made with PyTorch 2.11:
    python make_sigmoid_mlp.py
then packaging/plain_torchscript.py.
"""
import torch
from torch import nn


class SigmoidMlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x)


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.jit.script(SigmoidMlp()).save("sigmoid_mlp.pt")
