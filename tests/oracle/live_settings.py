#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws experiments that nobody has seen before and lets official PyTorch run them.

    live_settings.py --seed N --count N --out FOLDER

writes FOLDER/NNN/ with the files of a fixture (README.md): experiment.toml, one CSV and one safetensors file an arm,
made_with.json. One seed gives the same experiments on every machine. An experiment whose FP32 arm goes non-finite has no defined
continuation without a scaler; it is counted, said, and another one is drawn.

Three more of LSTMs in BF16 are the same every time: FOLDER/lstm and its like, where the processor has them.

The instruction set is the machine's own, on both sides (fixtures are bound to AVX2).
"""

import argparse
import math
import os
import random
import shutil
import sys
from pathlib import Path

os.environ["MANTISSA_ORACLE_NATIVE"] = "1"

import make_fixtures
import reference_run
from make_fixtures import experiment, optimizer


def table(header, settings):
    """A table of the experiment file from keys whose values may be any of TOML's plain types."""
    return "\n\n" + header + "\n" + "\n".join(f"{key} = {toml(value)}" for key, value in settings.items())


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return repr(value)


class Draw:
    """One experiment after another from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, probability):
        return self.random.random() < probability

    def magnitude(self, low, high):
        """A number whose logarithm is uniform, rounded to four digits."""
        return float(f"{10 ** self.random.uniform(math.log10(low), math.log10(high)):.4g}")

    # --- data and model: every entry says which losses fit ---------------------------------------------------------

    def data(self):
        r = self.random
        data_seed = r.randrange(1000)
        choices = [
            (make_fixtures.CLOUDS, ["cross_entropy"]),
            (make_fixtures.PLANE, ["mse", "l1", "huber"]),
            (make_fixtures.YES_NO, ["bce_with_logits"]),
            (make_fixtures.PAIR, ["mse", "huber"]),
            (make_fixtures.GAUSSIAN.replace("seed = 3", f"seed = {data_seed}")
             .replace("outputs = 1", f"outputs = {r.choice([1, 2, 5])}")
             .replace("features = 16", f"features = {r.choice([1, 3, 16, 33])}"), ["mse", "l1", "huber"]),
        ]
        text, losses = r.choice(choices)
        text = text.replace("../data/", str(make_fixtures.FIXTURES / "data") + "/")
        if self.chance(0.2):
            text += 'order = "file"\n'
        return text, r.choice(losses)

    def model(self):
        r = self.random
        if self.chance(0.2):
            return 'kind = "linear"' + ("" if self.chance(0.7) else "\nbias = false")
        settings = {
            "kind": "mlp",
            "hidden": [r.choice([3, 8, 16, 21, 40]) for _ in range(r.choice([1, 1, 2, 3]))],
            "activation": r.choice(["relu", "gelu", "sigmoid", "silu"]),
        }
        if self.chance(0.3):
            settings["dropout"] = r.choice([0.1, 0.25, 0.5])
        if self.chance(0.15):
            settings["bias"] = False
        return "\n".join(f"{key} = {toml(value)}" for key, value in settings.items())

    # --- training ---------------------------------------------------------------------------------------------------

    def optimizer(self):
        r = self.random
        kind = r.choice(["sgd", "adam", "adamw", "rmsprop"])
        settings = {"kind": kind, "lr": self.magnitude(1e-4, 0.1)}
        if self.chance(0.4):
            settings["weight_decay"] = self.magnitude(1e-4, 0.1)
        if self.chance(0.1):
            settings["maximize"] = True
            settings["lr"] = min(settings["lr"], 1e-3)
        if kind == "sgd" and self.chance(0.6):
            settings["momentum"] = r.choice([0.5, 0.9, 0.99])
            if self.chance(0.3):
                settings["nesterov"] = True
            elif self.chance(0.3):
                settings["dampening"] = 0.1
        if kind == "rmsprop":
            settings |= {"alpha": r.choice([0.9, 0.99]), "momentum": r.choice([0.0, 0.5]), "centered": self.chance(0.3)}
        if kind in ("adam", "adamw"):
            if self.chance(0.3):
                settings["betas"] = [r.choice([0.5, 0.8, 0.9]), r.choice([0.9, 0.99, 0.999])]
            if self.chance(0.3):
                settings["amsgrad"] = True
            if self.chance(0.2):
                settings["eps"] = self.magnitude(1e-10, 1e-4)
        if self.chance(0.15):
            settings["clip_norm"] = self.magnitude(0.01, 5.0)
        return settings

    def schedule(self, steps):
        r = self.random
        if self.chance(0.5):
            return None
        kind = r.choice(["constant", "step", "exponential", "cosine", "linear"])
        settings = {"kind": kind, "warmup": r.choice([0, 0, 1, 5, 17])}
        if kind == "step":
            settings |= {"every": r.randrange(1, steps), "gamma": r.choice([0.1, 0.5, 0.9, 1.1])}
        if kind == "exponential":
            settings["gamma"] = r.choice([0.9, 0.99, 1.001])
        if kind in ("cosine", "linear"):
            settings["total"] = settings["warmup"] + r.randrange(1, 2 * steps)
        if kind == "cosine" and self.chance(0.5):
            settings["min_lr"] = self.magnitude(1e-6, 1e-3)
        if self.chance(0.3):
            settings["per"] = "iteration"
        return settings

    def recomputation(self, model):
        """Blocks that Mantissa computes again in backward. PyTorch does, too, where models.py says so."""
        has_blocks = 'kind = "linear"' not in model and 'kind = "lstm"' not in model
        return {"activation_checkpointing": "blocks"} if has_blocks and self.chance(0.3) else {}

    def training(self, loss, model):
        r = self.random
        steps = r.randrange(40, 110)
        settings = {"seed": r.randrange(10_000), "steps": steps, "batch": r.choice([1, 7, 16, 30, 64]), "loss": loss}
        if self.chance(0.3):
            settings["accumulate"] = r.choice([2, 3, 5])
        if self.chance(0.2):
            settings["drop_last"] = True
        if self.chance(0.2):
            settings["reduction"] = "sum"
        if self.chance(0.4):
            settings["clip_norm"] = self.magnitude(0.05, 10.0)
        settings |= self.recomputation(model)
        text = "\n".join(f"{key} = {toml(value)}" for key, value in settings.items())
        text += optimizer(**self.optimizer())
        schedule = self.schedule(steps)
        return text + (table("[training.schedule]", schedule) if schedule else "")

    # --- trials -----------------------------------------------------------------------------------------------------

    def scaler(self):
        r = self.random
        settings = {
            "enabled": True,
            "init_scale": 2.0 ** r.randrange(4, 30),
            "growth_interval": r.choice([1, 3, 10, 50, 2000]),
        }
        if self.chance(0.3):
            settings["growth_factor"] = r.choice([1.5, 4.0])
        if self.chance(0.3):
            settings["backoff_factor"] = r.choice([0.25, 0.9])
        if self.chance(0.3):
            settings["preset"] = r.choice(["deepspeed", "megatron"])
        if self.chance(0.3):
            settings["hysteresis"] = r.choice([2, 3, 5])
            settings["hysteresis_refill"] = r.choice(["growth", "clean-step", "never"])
        if self.chance(0.2):
            settings["growth_delay"] = r.choice([1, 2])
        if self.chance(0.2):
            settings["ceiling"] = settings["init_scale"] * r.choice([1.0, 3.0])
        return table("[trial.scaler]", settings)

    def trial(self, autocast):
        r = self.random
        text = f'name = "{autocast}"\nautocast = "{autocast}"'
        if self.chance(0.2) and autocast != "off":
            text += '\nfloat32_regions = ["loss"]'
        if autocast == "float16" or self.chance(0.3):
            text += self.scaler()
        return text

    # --- pictures, sequences and texts: small models, few steps ------------------------------------------------------

    def large_model(self):
        """Data, model and autocast words of one of the larger architectures."""
        r = self.random
        dropout = r.choice([0.0, 0.0, 0.2])
        kind = r.choice(["cnn", "resnet", "transformer", "lstm", "lstm"])
        words = ["bfloat16", "off"]
        if kind == "cnn":
            settings = {"kind": kind, "channels": r.choice([[4], [3, 8]]), "kernel": r.choice([3, 5]), "dropout": dropout}
            data = {"source": "fashion"}
        elif kind == "resnet":
            settings = {"kind": kind, "depth": 8, "width": r.choice([4, 8])}
            data = {"source": "fashion"}
        elif kind == "transformer":
            heads = r.choice([1, 2, 4])
            settings = {"kind": kind, "width": heads * r.choice([4, 8]), "heads": heads, "layers": r.choice([1, 2]),
                        "attention": r.choice(["own", "sdpa"]), "dropout": dropout}
            data = {"source": "shakespeare8", "context": r.choice([8, 16, 33])}
            words.append("float16")
        else:
            layers = r.choice([1, 2])
            settings = {"kind": kind, "cells": r.choice([8, 16, 20]), "layers": layers,
                        "dropout": dropout if layers > 1 else 0.0}
            if self.chance(0.3):
                data = {"source": "shakespeare8", "context": r.choice([8, 16])}
            else:
                data = {"source": "japanese_vowels"}
                settings["bidirectional"] = self.chance(0.5)
        text = table("[data]", data).strip() + "\n"
        return text, "\n".join(f"{key} = {toml(value)}" for key, value in settings.items()), words

    def large_experiment(self, says):
        r = self.random
        data, model, words = self.large_model()
        settings = {"seed": r.randrange(10_000), "steps": r.randrange(4, 9), "batch": r.choice([4, 8, 11]),
                    "loss": "cross_entropy"}
        if self.chance(0.3):
            settings["accumulate"] = 2
        if self.chance(0.5):
            settings["clip_norm"] = self.magnitude(0.05, 10.0)
        settings |= self.recomputation(model)
        training = "\n".join(f"{key} = {toml(value)}" for key, value in settings.items()) + optimizer(**self.optimizer())
        return experiment(says, data, model, training, *[self.trial(word) for word in r.sample(words, 2)])

    def experiment(self, says):
        if self.chance(0.3):
            return self.large_experiment(says)
        data, loss = self.data()
        model = self.model()
        training = self.training(loss, model)
        trials = [self.trial(word) for word in self.random.sample(["float16", "bfloat16", "off"], 2)]
        return experiment(says, data, model, training, *trials)


# What no fixture can hold, whatever the seed: LSTMs in BF16 need more than the fixtures' instruction set.
LSTM_BF16 = {
    "lstm": ('kind = "lstm"\ncells = 16', '[data]\nsource = "japanese_vowels"\n'),
    "lstm-bidirectional": ('kind = "lstm"\ncells = 8\nlayers = 2\nbidirectional = true\ndropout = 0.2',
                           '[data]\nsource = "japanese_vowels"\n'),
    "lstm-characters": ('kind = "lstm"\ncells = 12\nlayers = 2', '[data]\nsource = "shakespeare8"\ncontext = 16\n'),
}


def run_lstms(out):
    for name, (model, data) in LSTM_BF16.items():
        folder = out / name
        folder.mkdir(parents=True)
        file = folder / "experiment.toml"
        training = "seed = 5\nsteps = 10\nbatch = 8\nclip_norm = 1.0" + optimizer(kind="adamw", lr=0.01)
        file.write_text(experiment("An LSTM in BF16.", data, model, training, make_fixtures.BF16))
        try:
            reference_run.run(file, folder)
        except RuntimeError as error:
            if "could not create a primitive descriptor" not in str(error):
                raise
            print(f"{name}: this processor has no LSTM in BF16", file=sys.stderr)
            shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    run_lstms(arguments.out)
    draw = Draw(arguments.seed)
    made = drawn_again = 0
    while made < arguments.count:
        folder = arguments.out / f"{made:03}"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "experiment.toml"
        file.write_text(draw.experiment(f"Experiment {made} of seed {arguments.seed}."))
        try:
            reference_run.run(file, folder)
        except reference_run.WithoutContinuation:
            drawn_again += 1
            if drawn_again > 10 * arguments.count:
                sys.exit("Almost every experiment diverges: the ranges of live_settings.py are wrong.")
            for stale in folder.iterdir():
                stale.unlink()
            continue
        made += 1
    print(f"seed {arguments.seed}: {made} experiments, {drawn_again} drawn again", file=sys.stderr)


if __name__ == "__main__":
    main()
