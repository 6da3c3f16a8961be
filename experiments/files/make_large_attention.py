# SPDX-License-Identifier: Apache-2.0
"""Makes large_attention.pt (then packaging/plain_torchscript.py): one attention over the rows of an 8 × 8 image, with
queries and keys of some hundreds.

The products of queries and keys lie beyond 65,504 and are divided only afterwards, so that the attention itself is an
ordinary one.
"""
import torch
from torch import nn

WIDTH = 16
GAIN = 256.0


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(WIDTH, WIDTH, bias=False)
        self.k = nn.Linear(WIDTH, WIDTH, bias=False)
        self.v = nn.Linear(WIDTH, WIDTH)
        with torch.no_grad():
            self.q.weight.mul_(GAIN)
            self.k.weight.mul_(GAIN)
        self.factor = GAIN**-2 * WIDTH**-0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = torch.bmm(self.q(x), self.k(x).transpose(1, 2)) * self.factor
        return torch.matmul(torch.softmax(scores, dim=-1), self.v(x))


class LargeAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Linear(8, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.attn = Attention()
        self.head = nn.Linear(8 * WIDTH, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.rows(x.reshape(-1, 8, 8))
        h = h + self.attn(self.norm(h))
        return self.head(torch.relu(h).flatten(1))


if __name__ == "__main__":
    torch.manual_seed(3)
    torch.jit.script(LargeAttention()).save("large_attention.pt")
