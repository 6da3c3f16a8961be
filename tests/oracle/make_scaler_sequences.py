#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays random call sequences against torch.amp.GradScaler and writes down what it did.

    make_scaler_sequences.py [COUNT]     writes fixtures/scaler_sequences.txt.gz (README.md describes the lines)

Most iterations are in order; calls are dropped, doubled and inserted at random, so that every error of call order
comes up, and so does what happens after it.
"""

import gzip
import random
import struct
import sys
import warnings
from pathlib import Path

import torch

OUT = Path(__file__).resolve().parent / "fixtures" / "scaler_sequences.txt.gz"

# letter: dtype, struct code of its bits, hexadecimal digits
DTYPES = {"f": torch.float32, "h": torch.float16, "b": torch.bfloat16, "d": torch.float64, "i": torch.int32}
BITS = {"f": (torch.int32, 8), "h": (torch.int16, 4), "b": (torch.int16, 4), "d": (torch.int64, 16),
        "i": (torch.int32, 8)}
LETTER = {dtype: letter for letter, dtype in DTYPES.items()}

ERRORS = [  # word in the file, part of PyTorch's message
    ("no-scale", "_scale is None"),
    ("unscaled-twice", "unscale_() has already been called"),
    ("unscaled-late", "unscale_() is being called after step()"),
    ("stepped-twice", "step() has already been called"),
    ("no-gradient", "No inf checks were recorded for this optimizer"),
    ("nothing-checked", "No inf checks were recorded prior to update"),
    ("fp16-gradient", "Attempting to unscale FP16 gradients"),
    ("new-scale", "new_scale should be a float"),
    ("new-scale", "output with shape []"),
    ("beyond-float32", "cannot be converted to type float without overflow"),
    ("growth-factor", "The growth factor must be > 1.0"),
    ("backoff-factor", "The backoff factor must be < 1.0"),
    ("empty-state", "The source state dict is empty"),
]


def error_word(error):
    for word, part in ERRORS:
        if part in str(error):
            return "!" + word
    raise error


def bits(tensor):
    """A tensor's elements as hexadecimal words; every NaN is the word nan."""
    as_integer, digits = BITS[LETTER[tensor.dtype]]
    words = tensor.detach().reshape(-1).view(as_integer).tolist()
    nan = tensor.detach().reshape(-1).isnan().tolist()
    return ",".join("nan" if n else format(w % (1 << (4 * digits)), f"0{digits}x") for w, n in zip(words, nan))


def tensor_of(values, letter, dimensions):
    tensor = torch.tensor(values, dtype=torch.float64).to(DTYPES[letter])
    return tensor.reshape(()) if dimensions == 0 else tensor


class Recorder(torch.optim.Optimizer):
    """Counts its steps; with `unscales_itself` it is one of those that get scale and overflow flag as tensors."""

    def __init__(self, parameters, unscales_itself):
        super().__init__(parameters, {})
        self.unscales_itself = unscales_itself
        if unscales_itself:
            self._step_supports_amp_scaling = True
        self.seen = None

    def step(self, closure=None):
        if self.unscales_itself and hasattr(self, "found_inf"):
            scale = "-" if self.grad_scale is None else bits(self.grad_scale)
            self.seen = f"c:{scale}:{float(self.found_inf):g}"
        else:
            self.seen = "1"


class Player:
    """One scaler, two optimizers of two parameters (one and two elements), and the lines about them."""

    def __init__(self, options, dtypes, kinds):
        self.lines = []
        self.shown = (None, None)
        self.state = None
        self.parameters = [[torch.nn.Parameter(torch.ones(n, dtype=DTYPES[letter])) for n in (1, 2)]
                           for letter in dtypes]
        self.optimizers = [Recorder(p, kind == "s") for p, kind in zip(self.parameters, kinds)]
        init, growth, backoff, interval, enabled = options
        call = f"N {init!r} {growth!r} {backoff!r} {interval} {int(enabled)} {dtypes} {kinds}"
        self.scaler = None

        def construct():
            self.scaler = torch.amp.GradScaler("cpu", init, growth, backoff, interval, enabled)
            return "ok"
        self.play(call, construct)

    def play(self, call, action):
        try:
            result = action()
        except (RuntimeError, AssertionError, ValueError) as error:
            result = error_word(error)
        line = f"{call}|{result}"
        if self.scaler is not None:
            now = (repr(float(self.scaler.get_scale())), self.scaler._get_growth_tracker())
            line += f" s{now[0]}" if now[0] != self.shown[0] else ""
            line += f" t{now[1]}" if now[1] != self.shown[1] else ""
            self.shown = now
        self.lines.append(line)

    def gradients(self, o):
        return ";".join("-" if p.grad is None else bits(p.grad) for p in self.parameters[o])

    def scale(self, letter, dimensions, values):
        tensor = tensor_of(values, letter, dimensions)
        def action():
            result = self.scaler.scale(tensor)
            return f"{LETTER[result.dtype]}:{bits(result)}"
        self.play(f"S {letter} {dimensions} {bits(tensor)}", action)

    def set_gradient(self, o, p, values):
        parameter = self.parameters[o][p]
        def action():
            parameter.grad = None if values is None else torch.tensor(values, dtype=torch.float64).to(parameter.dtype)
            return "ok"
        action()
        self.play(f"G {o} {p} {'-' if values is None else bits(parameter.grad)}", lambda: "ok")

    def unscale(self, o):
        def action():
            self.scaler.unscale_(self.optimizers[o])
            return self.gradients(o)
        self.play(f"U {o}", action)

    def step(self, o):
        def action():
            self.optimizers[o].seen = "0"
            self.scaler.step(self.optimizers[o])
            return f"{self.optimizers[o].seen} {self.gradients(o)}"
        self.play(f"T {o}", action)

    def update(self):
        self.play("A", lambda: self.scaler.update() or "ok")

    def update_to(self, value):
        self.play(f"A {value!r}", lambda: self.scaler.update(value) or "ok")

    def update_to_tensor(self, letter, dimensions, values, requires_grad):
        tensor = tensor_of(values, letter, dimensions).requires_grad_(requires_grad)
        self.play(f"V {letter} {dimensions} {int(requires_grad)} {bits(tensor)}",
                  lambda: self.scaler.update(tensor) or "ok")

    def state_dict(self):
        def action():
            self.state = self.scaler.state_dict()
            return " ".join(repr(v) for v in self.state.values()) if self.state else "-"
        self.play("D", action)

    def load(self, state):
        text = " ".join(repr(v) for v in state.values()) if state else "-"
        self.play(f"L {text}", lambda: self.scaler.load_state_dict(state) or "ok")

    def resume(self):
        """A fresh scaler of default settings takes over the state last seen by D."""
        if not self.state or self.state["scale"] == 1e300:  # README.md, exception 2
            return
        def action():
            self.scaler = torch.amp.GradScaler("cpu")
            self.scaler.load_state_dict(self.state)
            return "ok"
        self.play("R", action)

    def set_factor(self, which, value):
        setter = {"g": "set_growth_factor", "b": "set_backoff_factor", "i": "set_growth_interval"}[which]
        self.play(f"F {which} {value!r}", lambda: getattr(self.scaler, setter)(value) or "ok")


GRADIENTS = [0.0, 1.0, -2.5, 1e-30, 1e-45, 65504.0, 1e30, 3e38, 0.0123]
BAD = [float("inf"), float("-inf"), float("nan")]
SCALES = [65536.0, 1.0, 2.0**24, 2.0**-24, 2.0**127, 2.0**-126, 1e-39, 3.0, 0.1, 1000.0, 0.0, float("inf"), float("nan"),
          -4.0, 1e300]


def gradient(r, elements, overflow):
    if r.random() < 0.12:
        return None
    values = [r.choice(GRADIENTS) * r.choice([1, 1, -1]) for _ in range(elements)]
    if r.random() < overflow:
        values[r.randrange(elements)] = r.choice(BAD)
    return values


def random_call(r, player):
    choice = r.randrange(12)
    o = r.randrange(2)
    if choice == 0:
        player.scale(r.choice("fhbd"), r.choice([0, 0, 1]), [r.choice([1.0, 0.5, 1e-6, 3000.0])])
    elif choice == 1:
        player.unscale(o)
    elif choice == 2:
        player.step(o)
    elif choice == 3:
        player.update()
    elif choice == 4:
        player.update_to(float(r.choice(SCALES)))
    elif choice == 5:
        dimensions, count = r.choice([(0, 1), (0, 1), (0, 1), (1, 1), (1, 2)])
        letter = r.choice("ffdi")
        values = [r.choice([512.0, 2.0**20, 7.0]) for _ in range(count)]
        player.update_to_tensor(letter, dimensions, values, letter != "i" and r.random() < 0.2)
    elif choice == 6:
        player.state_dict()
    elif choice == 7:
        state = {} if r.random() < 0.2 else {
            "scale": r.choice([4096.0, 2.0**30, 0.3, 1e-40]), "growth_factor": r.choice([2.0, 1.5]),
            "backoff_factor": r.choice([0.5, 0.1]), "growth_interval": r.choice([1, 2, 5, 2000]),
            "_growth_tracker": r.choice([0, 1, 4])}
        player.load(state)
    elif choice == 8:
        player.resume()
    elif choice == 9:
        player.set_factor("g", r.choice([2.0, 1.1, 8.0, 0.5]))
    elif choice == 10:
        player.set_factor("b", r.choice([0.5, 0.9, 0.01, 1.5]))
    else:
        player.set_factor("i", r.choice([1, 2, 3, 10, 0, -1]))


def iteration(r, player, overflow):
    """The calls of one iteration in order, a few of them lost, doubled or followed by something else."""
    calls = [lambda: player.scale(*r.choice([("f", 0, [1.0]), ("f", 0, [0.37]), ("h", 0, [1.0]), ("b", 1, [2.0, 0.1])]))]
    used = r.choice([[0], [0], [0, 1], [0, 1], [1]])
    for o in used:
        for p in (0, 1):
            if r.random() < 0.8:
                calls.append(lambda o=o, p=p: player.set_gradient(o, p, gradient(r, p + 1, overflow)))
    for o in used:
        if r.random() < 0.4:
            calls.append(lambda o=o: player.unscale(o))
    for o in used:
        calls.append(lambda o=o: player.step(o))
    calls.append(player.update)
    for call in calls:
        chance = r.random()
        if chance < 0.04:
            continue
        call()
        if chance > 0.97:
            call()
        if r.random() < 0.03:
            random_call(r, player)


def sequence(number):
    r = random.Random(number)
    init = r.choice(SCALES) if r.random() < 0.3 else r.choice([65536.0, 8.0, 1024.0, 2.0**126])
    growth = r.choice([2.0, 2.0, 1.5, 4.0, 1.0001]) if r.random() > 0.01 else r.choice([1.0, 0.5])
    backoff = r.choice([0.5, 0.5, 0.25, 0.9, 0.001]) if r.random() > 0.01 else r.choice([1.0, 2.0])
    interval = r.choice([1, 1, 2, 3, 5]) if r.random() > 0.03 else r.choice([0, -1, 2000])
    dtypes = "".join(r.choice("ffffffhb") for _ in range(2))
    kinds = "".join(r.choice("pppps") for _ in range(2))
    player = Player((init, growth, backoff, interval, r.random() > 0.02), dtypes, kinds)
    if player.scaler is None:
        return player.lines
    overflow = r.choice([0.0, 0.05, 0.3, 0.9])
    for _ in range(r.choice([1, 2, 3, 4, 6]) if r.random() > 0.01 else 60):
        iteration(r, player, overflow)
    return player.lines


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 12000
    torch.set_num_threads(1)
    warnings.filterwarnings("error", message=".*disabl.*")
    lines = [f"# torch {torch.__version__}, {count} sequences"]
    words = {}
    for number in range(count):
        played = sequence(number)
        lines += played
        for line in played:
            result = line.split("|")[1].split(" ")[0]
            if result.startswith("!"):
                words[result] = words.get(result, 0) + 1
    data = ("\n".join(lines) + "\n").encode()
    with open(OUT, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9, mtime=0, filename="") as out:
        out.write(data)
    print(f"{count} sequences, {len(lines) - 1} calls, {len(data)} bytes, {OUT.stat().st_size} packed", words)


if __name__ == "__main__":
    main()
