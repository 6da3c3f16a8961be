# SPDX-License-Identifier: Apache-2.0
"""Makes norm.pt with official PyTorch (then packaging/plain_torchscript.py): a small network with BatchNorm, whose running
statistics belong to its state."""
import torch

torch.manual_seed(5)
network = torch.nn.Sequential(
    torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Linear(8, 1)
)
torch.jit.script(network).save("norm.pt")
