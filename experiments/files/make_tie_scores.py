# SPDX-License-Identifier: Apache-2.0
"""Makes tie_scores.pt (then packaging/plain_torchscript.py): a linear layer that passes two scores on unchanged."""
import torch


class Scores(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(2, 2, bias=False)
        with torch.no_grad():
            self.head.weight.copy_(torch.eye(2))

    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        return self.head(scores)


torch.jit.script(Scores()).save("tie_scores.pt")
