# SPDX-License-Identifier: Apache-2.0
"""Makes with official PyTorch (then packaging/plain_torchscript.py): set_buffers.pt, whose forward sets its buffers to
other tensors; growing_buffer.pt, which sets one to a longer tensor, too; written_buffers.pt, the same as set_buffers.pt,
whose forward writes into them in place; set_parameter.pt, whose forward sets a parameter to another tensor; forked.pt,
whose submodule calls a function that calls torch.jit.fork. In the fifth call in training mode the first three answer
with numbers beyond FP16."""
import torch


class SetBuffers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(6, 1)
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("a", torch.ones(1))
        self.register_buffer("b", torch.full((1,), 2.0))
        self.register_buffer("queue", torch.zeros(3))
        self.register_buffer("seen", torch.zeros(6), persistent=False)
        self.earlier = torch.zeros(())
        self.calls = 0

    def forward(self, x):
        y = self.fc(x)
        if self.training:
            self.calls += 1
            if self.calls == 5:
                y = y * 1e7
            self.earlier = self.mean
            self.mean = 0.9 * self.mean + 0.1 * y.detach().mean().float()
            self.count = self.count + 1
            self.a, self.b = self.b, self.a
            self.queue = torch.cat([self.queue[1:], x.detach().mean().reshape(1)])
            self.seen = self.seen + x.detach().mean(0)
        return y + 0.01 * (self.mean + self.earlier + self.a - self.b + self.queue.sum() + self.seen.sum())


class GrowingBuffer(SetBuffers):
    def __init__(self):
        super().__init__()
        self.register_buffer("grown", torch.zeros(1))

    def forward(self, x):
        y = self.fc(x)
        if self.training:
            self.calls += 1
            if self.calls == 5:
                y = y * 1e7
            self.earlier = self.mean
            self.mean = 0.9 * self.mean + 0.1 * y.detach().mean().float()
            self.count = self.count + 1
            self.a, self.b = self.b, self.a
            self.queue = torch.cat([self.queue[1:], x.detach().mean().reshape(1)])
            self.seen = self.seen + x.detach().mean(0)
            self.grown = torch.cat([self.grown, x.detach().mean().reshape(1)])
        return y + 0.01 * (self.mean + self.earlier + self.a - self.b + self.queue.sum() + self.seen.sum()
                           + self.grown.sum())


class WrittenBuffers(SetBuffers):
    def forward(self, x):
        y = self.fc(x)
        if self.training:
            self.calls += 1
            if self.calls == 5:
                y = y * 1e7
            self.earlier = self.mean.clone()
            self.mean.copy_(0.9 * self.mean + 0.1 * y.detach().mean().float())
            self.count.add_(1)
            was = self.a.clone()
            self.a.copy_(self.b)
            self.b.copy_(was)
            self.queue.copy_(torch.cat([self.queue[1:], x.detach().mean().reshape(1)]))
            self.seen.add_(x.detach().mean(0))
        return y + 0.01 * (self.mean + self.earlier + self.a - self.b + self.queue.sum() + self.seen.sum())


class SetParameter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1, 6))

    def forward(self, x):
        self.weight = self.weight * 0.5
        return torch.nn.functional.linear(x, self.weight)


def doubled(x):
    return x * 2


def beside(x):
    future = torch.jit.fork(doubled, x)
    return torch.jit.wait(future)


class Encoder(torch.nn.Module):
    def forward(self, x):
        return beside(x)


class Forked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.fc = torch.nn.Linear(6, 1)

    def forward(self, x):
        return self.fc(self.encoder(x))


for name, kind in (("set_buffers.pt", SetBuffers), ("growing_buffer.pt", GrowingBuffer),
                   ("written_buffers.pt", WrittenBuffers), ("set_parameter.pt", SetParameter), ("forked.pt", Forked)):
    torch.manual_seed(5)
    torch.jit.script(kind()).save(name)
