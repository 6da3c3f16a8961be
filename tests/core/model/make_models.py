# SPDX-License-Identifier: Apache-2.0
"""Makes tied.pt with official PyTorch: y = b(a(x)) where a and b are one layer without bias, weight 1."""
import torch


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.ones_(self.a.weight)
        self.b = self.a

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


torch.jit.script(Tied()).save("tied.pt")
