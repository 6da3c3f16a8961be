#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes all of fixtures/ anew: small data files, experiment files, and what official PyTorch makes of them.

    make_fixtures.py [NAME …]      all of them, or only those named
"""

import os
import random
import shutil
import sys
from pathlib import Path

import reference_run
import scripted_models
import set_fixtures
import torchscript_fixtures

FIXTURES = Path(__file__).resolve().parent / "fixtures"

# --- data: a few hundred numbers each, written with few decimals so that every reader gets the same doubles -----------


def write_csv(name, header, rows):
    path = FIXTURES / "data" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ([",".join(header)] if header else []) + [",".join(row) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def make_data():
    r = random.Random(20)
    rows = []
    for _ in range(180):  # three clouds in six dimensions, integer labels
        label = r.randrange(3)
        rows.append([f"{r.gauss(1.5 * (label == f % 3), 1.0):.3f}" for f in range(6)] + [str(label)])
    write_csv("clouds.csv", [f"x{i}" for i in range(6)] + ["label"], rows)

    rows = []
    for _ in range(150):  # a noisy plane, no header
        x = [round(r.gauss(0, 1), 3) for _ in range(5)]
        rows.append([f"{v:.3f}" for v in x] + [f"{2 * x[0] - x[1] + 0.5 * x[4] + r.gauss(0, 0.1):.4f}"])
    write_csv("plane.csv", None, rows)

    rows = []
    for i in range(160):  # raw magnitudes; two rows hold a value beyond FP16's 65504
        x = [r.uniform(0, 3000), r.uniform(-1, 1), r.uniform(0, 0.01), r.uniform(100, 200)]
        if i in (40, 120):
            x[0] = 70000.0 + i
        rows.append([f"{x[0]:.1f}", f"{x[1]:.3f}", f"{x[2]:.5f}", f"{x[3]:.2f}", f"{x[1] + x[3] / 100:.4f}"])
    write_csv("raw.csv", ["area", "slope", "share", "level", "price"], rows)

    rows = []
    for _ in range(140):  # a yes/no target
        x = [round(r.gauss(0, 1), 3) for _ in range(4)]
        rows.append([f"{v:.3f}" for v in x] + ["1" if x[0] * x[1] + r.gauss(0, 0.3) > 0 else "0"])
    write_csv("yes_no.csv", ["a", "b", "c", "d", "yes"], rows)

    rows = []
    for _ in range(130):  # two targets that do not stand last
        x = [round(r.gauss(0, 1), 3) for _ in range(4)]
        rows.append([f"{x[0] + x[1]:.3f}", f"{x[2] * x[3]:.3f}"] + [f"{v:.3f}" for v in x])
    write_csv("pair.csv", ["sum", "product", "a", "b", "c", "d"], rows)


# --- experiments ------------------------------------------------------------------------------------------------------

CLOUDS = """[data]
path = "../data/clouds.csv"
task = "classification"
labels = "index"
classes = 3
test = { fraction = 0.2, seed = 7 }
standardize = true
"""
PLANE = """[data]
path = "../data/plane.csv"
task = "regression"
test = { fraction = 0.2, seed = 11 }
standardize = false
"""
RAW = PLANE.replace("plane", "raw")
YES_NO = PLANE.replace("plane", "yes_no").replace("regression", "classification")
PAIR = PLANE.replace("plane", "pair") + 'columns = { inputs = ["a", "b", "c", "d"], target = ["sum", "product"] }\n'
DIGITS = """[data]
source = "digits"
test = { fraction = 0.2, seed = 7 }
standardize = true
"""
GAUSSIAN = """[data]
source = "gaussian"
rows = 512
features = 16
outputs = 1
seed = 3
task = "regression"
test = { fraction = 0.25, seed = 5 }
standardize = false
"""


def experiment(says, data, model, training, *trials):
    return f"""# SPDX-License-Identifier: Apache-2.0
mantissa = 1
description = "{says}"

{data}
[model]
{model}

[training]
threads = 1
{training}
""" + "".join(f"\n[[trial]]\n{trial}\n" for trial in trials)


ATTENTION = 'kind = "torchscript"\npath = "../data/small_attention.pt"'
FP16 = 'name = "fp16"\nautocast = "float16"'
BF16 = 'name = "bf16"\nautocast = "bfloat16"'


def plain(settings):
    """Keys of a table whose values are texts, numbers, booleans or lists of them."""
    words = {True: "true", False: "false"}
    return "\n".join(f'{k} = "{v}"' if isinstance(v, str) else f"{k} = {words[v] if isinstance(v, bool) else v}"
                     for k, v in settings.items())


def optimizer(**settings):
    return "\n\n[[training.optimizer]]\n" + plain(settings)


def own_schedule(**settings):
    """Of the optimizer block before it."""
    return "\n\n[training.optimizer.schedule]\n" + plain(settings)


def schedule(**settings):
    return "\n\n[training.schedule]\n" + plain(settings)


def scaler(**settings):
    words = {True: "true", False: "false"}
    text = {k: f'"{v}"' if isinstance(v, str) else words[v] if isinstance(v, bool) else v for k, v in settings.items()}
    return "\n\n[trial.scaler]\n" + "\n".join(f"{k} = {v}" for k, v in text.items())


EXPERIMENTS = {
    "linear-sgd": experiment(
        "Plain SGD on a plane; the last microbatch of an epoch is short.",
        PLANE, 'kind = "linear"',
        'seed = 4\nsteps = 120\nbatch = 16\nloss = "mse"' + optimizer(kind="sgd", lr=0.05),
        BF16, FP16 + scaler(growth_interval=25)),
    "mlp-sgd-momentum": experiment(
        "SGD with momentum and dampening, FP16 with a scaler that first has to come down.",
        CLOUDS, 'kind = "mlp"\nhidden = [24]\nactivation = "relu"',
        'seed = 1\nsteps = 120\nbatch = 32' + optimizer(kind="sgd", lr=0.02, momentum=0.9, dampening=0.1),
        FP16 + scaler(init_scale=2.0**24, growth_interval=20), BF16),
    "mlp-sgd-nesterov": experiment(
        "Nesterov momentum with weight decay in BF16; GELU.",
        CLOUDS, 'kind = "mlp"\nhidden = [16, 16]\nactivation = "gelu"',
        'seed = 2\nsteps = 120\nbatch = 24' +
        optimizer(kind="sgd", lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.001),
        BF16),
    "linear-adam-l1": experiment(
        "Adam on the L1 loss.",
        PLANE, 'kind = "linear"',
        'seed = 3\nsteps = 110\nbatch = 20\nloss = "l1"' + optimizer(kind="adam", lr=0.01),
        FP16 + scaler(growth_interval=10), BF16),
    "digits-adamw": experiment(
        "The digits with AdamW, GELU and clipping.",
        DIGITS, 'kind = "mlp"\nhidden = [32, 32]\nactivation = "gelu"',
        "seed = 1\nsteps = 120\nbatch = 64\nclip_norm = 1.0" + optimizer(kind="adamw", lr=0.001),
        BF16, FP16),
    "mlp-amsgrad-huber": experiment(
        "AdamW with AMSGrad and other betas on the Huber loss; SiLU.",
        PLANE, 'kind = "mlp"\nhidden = [20]\nactivation = "silu"',
        'seed = 8\nsteps = 120\nbatch = 30\nloss = "huber"' +
        optimizer(kind="adamw", lr=0.005, betas=[0.8, 0.99], eps=1e-6, amsgrad=True, weight_decay=0.05),
        BF16, FP16),
    "adam-amsgrad-decay": experiment(
        "Adam with L2 weight decay and AMSGrad.",
        CLOUDS, 'kind = "mlp"\nhidden = [16]\nactivation = "relu"',
        "seed = 12\nsteps = 110\nbatch = 48" + optimizer(kind="adam", lr=0.01, amsgrad=True, weight_decay=0.01),
        BF16),
    "amp-step": experiment(
        "The smallest complete AMP step: Linear(16, 1), AdamW, FP16, clipping at 1.",
        GAUSSIAN, 'kind = "linear"',
        'seed = 1\nsteps = 200\nbatch = 64\nloss = "mse"\nclip_norm = 1.0' + optimizer(kind="adamw", lr=0.001),
        FP16 + scaler(growth_interval=30), BF16),
    "accumulate-short-window": experiment(
        "Windows of three microbatches; the last window of an epoch has two, the last of them short.",
        CLOUDS, 'kind = "mlp"\nhidden = [16]\nactivation = "gelu"',
        "seed = 6\nsteps = 110\nbatch = 18\naccumulate = 3" + optimizer(kind="adam", lr=0.01),
        FP16 + scaler(init_scale=2.0**22, growth_interval=15), BF16),
    "accumulate-sum": experiment(
        "Accumulation with a summed loss, still divided by the window's count; clipped.",
        PLANE, 'kind = "linear"',
        'seed = 5\nsteps = 110\nbatch = 25\naccumulate = 2\nloss = "mse"\nreduction = "sum"\nclip_norm = 5.0' +
        optimizer(kind="sgd", lr=0.002, momentum=0.5),
        FP16 + scaler(init_scale=1024.0, growth_interval=12), BF16),
    "step-schedule-overflows": experiment(
        "Fifteen and more planned overflows at the start: the schedule waits for applied updates.",
        CLOUDS, 'kind = "mlp"\nhidden = [16]\nactivation = "relu"',
        "seed = 9\nsteps = 130\nbatch = 36" + optimizer(kind="sgd", lr=0.1) +
        '\n\n[training.schedule]\nkind = "step"\nevery = 7\ngamma = 0.9',
        FP16 + scaler(init_scale=2.0**40, growth_interval=5), BF16),
    "growth-probes": experiment(
        "A small interval and a factor of 4: growth probes overflow again and again.",
        PLANE, 'kind = "mlp"\nhidden = [12]\nactivation = "relu"',
        'seed = 10\nsteps = 140\nbatch = 40\nloss = "mse"\nclip_norm = 0.5' + optimizer(kind="adamw", lr=0.01) +
        '\n\n[training.schedule]\nkind = "step"\nevery = 20\ngamma = 0.5',
        FP16 + scaler(init_scale=2.0**20, growth_factor=4.0, backoff_factor=0.25, growth_interval=4)),
    "raw-inputs": experiment(
        "Raw magnitudes, some beyond FP16: their microbatches overflow at any scale.",
        RAW, 'kind = "linear"',
        'seed = 2\nsteps = 110\nbatch = 16\nloss = "huber"' + optimizer(kind="adamw", lr=0.0005),
        FP16 + scaler(growth_interval=3), BF16),
    "dropout": experiment(
        "Dropout: every arm draws the same stream.",
        CLOUDS, 'kind = "mlp"\nhidden = [20, 12]\nactivation = "relu"\ndropout = 0.25',
        "seed = 13\nsteps = 120\nbatch = 32" + optimizer(kind="adamw", lr=0.005),
        FP16 + scaler(growth_interval=40), BF16),
    "yes-no": experiment(
        "Binary cross-entropy on logits.",
        YES_NO, 'kind = "mlp"\nhidden = [16]\nactivation = "silu"',
        'seed = 14\nsteps = 120\nbatch = 28\nloss = "bce_with_logits"' +
        optimizer(kind="adamw", lr=0.01, weight_decay=0.1),
        FP16, BF16),
    "float32-loss": experiment(
        "The loss in FP32 outside autocast.",
        CLOUDS, 'kind = "mlp"\nhidden = [16]\nactivation = "gelu"',
        "seed = 15\nsteps = 110\nbatch = 32" + optimizer(kind="adam", lr=0.003),
        FP16 + '\nfloat32_regions = ["loss"]' + scaler(init_scale=2.0**18, growth_interval=10),
        BF16 + '\nfloat32_regions = ["loss"]'),
    "scaled-float32": experiment(
        "A scaler without autocast and one on BF16: overflow of FP32's own range, and growth that is refused there.",
        PLANE, 'kind = "linear"',
        'seed = 16\nsteps = 120\nbatch = 32\nloss = "mse"' + optimizer(kind="sgd", lr=0.05, momentum=0.9),
        'name = "fp32-scaled"\nautocast = "off"' + scaler(enabled=True, init_scale=2.0**127, growth_interval=2),
        BF16 + scaler(enabled=True, init_scale=2.0**120, growth_interval=1)),
    "file-order-epochs": experiment(
        "File order, short microbatches dropped, length given in epochs; no bias, sigmoid, two targets.",
        PAIR + 'order = "file"\n', 'kind = "mlp"\nhidden = [10]\nactivation = "sigmoid"\nbias = false',
        'seed = 17\nepochs = 21\nbatch = 20\ndrop_last = true\nloss = "mse"' + optimizer(kind="sgd", lr=0.1, momentum=0.5),
        BF16, FP16),
    "scaler-policies": experiment(
        "DeepSpeed's and Megatron's settings, and a floor, a ceiling and hysteresis of one's own.",
        PLANE, 'kind = "mlp"\nhidden = [8]\nactivation = "relu"',
        'seed = 21\nsteps = 110\nbatch = 32\nloss = "mse"' + optimizer(kind="adamw", lr=0.01),
        'name = "deepspeed"\nautocast = "float16"' + scaler(preset="deepspeed", init_scale=2.0**30, growth_interval=6),
        'name = "megatron"\nautocast = "float16"' + scaler(preset="megatron", growth_interval=4, hysteresis=3),
        'name = "bounded"\nautocast = "float16"' +
        scaler(init_scale=2.0**21, growth_interval=3, hysteresis=2, hysteresis_refill="clean-step", floor=2.0**10,
               ceiling=2.0**21)),
    "at-floor": experiment(
        "Overflows at the floor: one trial stops, one goes on in BF16, one keeps skipping.",
        RAW, 'kind = "linear"',
        'seed = 22\nsteps = 60\nbatch = 16\nloss = "huber"' + optimizer(kind="adamw", lr=0.0005),
        'name = "stops"\nautocast = "float16"' +
        scaler(init_scale=2.0**6, growth_interval=5, floor=2.0**5, at_floor="stop"),
        'name = "switches"\nautocast = "float16"' +
        scaler(init_scale=2.0**6, growth_interval=5, floor=2.0**5, at_floor="switch:bf16"),
        'name = "continues"\nautocast = "float16"' + scaler(init_scale=2.0**6, growth_interval=5, floor=2.0**5),
        BF16),
    "float32-operators": experiment(
        "Operators kept in FP32: one that autocast casts, and one that takes what an FP16 one returned.",
        CLOUDS, 'kind = "mlp"\nhidden = [16, 12]\nactivation = "gelu"',
        "seed = 21\nsteps = 100\nbatch = 32" + optimizer(kind="adam", lr=0.003),
        FP16 + '\nfloat32_regions = ["operator:gelu"]',
        BF16 + '\nfloat32_regions = ["operator:gelu"]',
        'name = "bf16-both"\nautocast = "bfloat16"\nfloat32_regions = ["operator:*gelu", "operator:cross_entropy_loss"]'),
    "float32-regions": experiment(
        "Modules, operators and operators inside modules of a TorchScript model kept in FP32.",
        CLOUDS, ATTENTION, "seed = 22\nsteps = 40\nbatch = 24" + optimizer(kind="adamw", lr=0.003),
        FP16 + '\nfloat32_regions = ["module:blocks.0.attn"]',
        BF16 + '\nfloat32_regions = ["module:blocks.*.attn", "module:head", "loss"]',
        'name = "bf16-block"\nautocast = "bfloat16"\nfloat32_regions = ["module:blocks.1"]',
        'name = "bf16-inside"\nautocast = "bfloat16"\n'
        'float32_regions = ["module:blocks.*/operator:bmm", "operator:layer_norm", "module:blocks.1.attn/operator:softmax"]'),
    "cuda-casts": experiment(
        "CUDA's operator lists on the CPU, forward and backward.",
        CLOUDS, ATTENTION, "seed = 23\nsteps = 40\nbatch = 24" + optimizer(kind="adamw", lr=0.003),
        FP16 + '\ncast_policy = "cuda"', BF16 + '\ncast_policy = "cuda"',
        'name = "bf16-kept"\nautocast = "bfloat16"\ncast_policy = "cuda"\nfloat32_regions = ["module:blocks.0.attn"]'),
    "cuda-casts-mlp": experiment(
        "CUDA's operator lists on the CPU over accumulated microbatches with a loss in FP32 there.",
        YES_NO, 'kind = "mlp"\nhidden = [16]\nactivation = "silu"',
        'seed = 24\nsteps = 100\nbatch = 20\naccumulate = 2\nloss = "bce_with_logits"' + optimizer(kind="adamw", lr=0.01),
        FP16 + '\ncast_policy = "cuda"', BF16 + '\ncast_policy = "cuda"'),
    "jit-casts": experiment(
        "TorchScript's own autocast pass, as Python runs a file by default.",
        CLOUDS, ATTENTION, "seed = 25\nsteps = 60\nbatch = 24" + optimizer(kind="adamw", lr=0.003),
        FP16 + '\ncast_policy = "jit"', BF16 + '\ncast_policy = "jit"',
        'name = "bf16-device"\nautocast = "bfloat16"'),
    "scale-too-small": experiment(
        "A scale whose reciprocal is infinite: finite gradients turn infinite, and the trial stops before the update.",
        PLANE, 'kind = "linear"',
        'seed = 19\nsteps = 20\nbatch = 32\nloss = "mse"' + optimizer(kind="sgd", lr=0.05),
        'name = "fp32-scaled"\nautocast = "off"' + scaler(enabled=True, init_scale=2.0**-130)),
    "two-optimizers": experiment(
        "Two optimizers under one scaler: at the edge of FP16 the head overflows while the body does not.",
        CLOUDS, 'kind = "mlp"\nhidden = [16]\nactivation = "relu"',
        "seed = 20\nsteps = 80\nbatch = 24" + optimizer(kind="adamw", lr=0.01, parameters=["0"]) +
        optimizer(kind="sgd", lr=0.05, momentum=0.9, parameters=["2.*"]),
        FP16 + scaler(init_scale=2.0**24, growth_interval=2), BF16),
    "two-schedules": experiment(
        "Two optimizers with schedules and clipping of their own, accumulating.",
        CLOUDS, 'kind = "mlp"\nhidden = [12, 12]\nactivation = "gelu"',
        "seed = 21\nsteps = 70\nbatch = 16\naccumulate = 2\nclip_norm = 0.8" +
        optimizer(kind="adam", lr=0.01, parameters=["*.weight"]) + own_schedule(kind="cosine", total=50, warmup=5) +
        optimizer(kind="rmsprop", lr=0.002, clip_norm=0.1, parameters=["*.bias"]) +
        schedule(kind="exponential", gamma=0.97),
        FP16 + scaler(init_scale=2.0**23, growth_interval=3), BF16),
    "three-optimizers": experiment(
        "Three optimizers, one of them by iteration; a parameter that belongs to none stays.",
        PLANE, 'kind = "mlp"\nhidden = [10, 8]\nactivation = "silu"',
        'seed = 22\nsteps = 70\nbatch = 20\nloss = "huber"' + optimizer(kind="sgd", lr=0.05, parameters=["0.weight"]) +
        optimizer(kind="adamw", lr=0.01, parameters=["2"]) + own_schedule(kind="step", every=9, per="iteration") +
        optimizer(kind="rmsprop", lr=0.001, momentum=0.5, parameters=["4.weight", "4.bias"]),
        FP16 + scaler(init_scale=2.0**21, growth_interval=2)),
    "rmsprop": experiment(
        "RMSprop with PyTorch's defaults, under skips.",
        CLOUDS, 'kind = "mlp"\nhidden = [16]\nactivation = "relu"',
        "seed = 23\nsteps = 80\nbatch = 30" + optimizer(kind="rmsprop"),
        FP16 + scaler(init_scale=2.0**22, growth_interval=8), BF16),
    "rmsprop-centered-momentum": experiment(
        "RMSprop, centered, with momentum and weight decay.",
        PLANE, 'kind = "mlp"\nhidden = [14]\nactivation = "gelu"',
        'seed = 24\nsteps = 80\nbatch = 24\nloss = "mse"\nclip_norm = 2.0' +
        optimizer(kind="rmsprop", lr=0.002, alpha=0.9, eps=1e-6, weight_decay=0.01, momentum=0.8, centered=True),
        FP16 + scaler(growth_interval=10), BF16),
    "lbfgs": experiment(
        "LBFGS without line search: several evaluations of a window in one step.",
        CLOUDS, 'kind = "mlp"\nhidden = [12]\nactivation = "sigmoid"',
        "seed = 25\nsteps = 25\nbatch = 144" + optimizer(kind="lbfgs", lr=0.5, max_iter=6, history_size=4),
        'name = "again"\nautocast = "off"'),
    "lbfgs-strong-wolfe": experiment(
        "LBFGS with its line search, accumulating, with dropout and a learning rate that falls; BF16 without a scaler.",
        PLANE, 'kind = "mlp"\nhidden = [8]\nactivation = "gelu"\ndropout = 0.1',
        'seed = 26\nsteps = 25\nbatch = 40\naccumulate = 2\nloss = "mse"' +
        optimizer(kind="lbfgs", max_iter=8, line_search_fn="strong_wolfe") + schedule(kind="exponential", gamma=0.9),
        BF16),
    "constant-warmup": experiment(
        "Warm-up to a constant rate; skips hold it back.",
        CLOUDS, 'kind = "linear"', "seed = 27\nsteps = 60\nbatch = 36" + optimizer(kind="sgd", lr=0.1) +
        schedule(warmup=13), FP16 + scaler(init_scale=2.0**30, growth_interval=6)),
    "step-warmup": experiment(
        "Warm-up, then steps; skips hold both back.",
        CLOUDS, 'kind = "linear"', "seed = 28\nsteps = 80\nbatch = 36" + optimizer(kind="adam", lr=0.03) +
        schedule(kind="step", warmup=7, every=10, gamma=0.7), FP16 + scaler(init_scale=2.0**28, growth_interval=5)),
    "exponential-warmup": experiment(
        "Warm-up, then an exponential fall, under skips.",
        PLANE, 'kind = "linear"', 'seed = 29\nsteps = 80\nbatch = 32\nloss = "huber"' +
        optimizer(kind="adamw", lr=0.02) + schedule(kind="exponential", warmup=6, gamma=0.955),
        FP16 + scaler(init_scale=2.0**27, growth_interval=4)),
    "cosine-warmup": experiment(
        "Warm-up, then a cosine to its horizon and past it, under skips.",
        CLOUDS, 'kind = "linear"', "seed = 30\nsteps = 110\nbatch = 36" + optimizer(kind="sgd", lr=0.2) +
        schedule(kind="cosine", warmup=9, total=40, min_lr=0.003), FP16 + scaler(init_scale=2.0**30, growth_interval=7)),
    "linear-warmup": experiment(
        "Warm-up, then a linear fall to the end of the run, under skips.",
        CLOUDS, 'kind = "linear"', "seed = 31\nsteps = 80\nbatch = 36" + optimizer(kind="adamw", lr=0.02) +
        schedule(kind="linear", warmup=5, end_factor=0.05), FP16 + scaler(init_scale=2.0**28, growth_interval=7)),
    "cosine-per-iteration": experiment(
        "A cosine that counts microbatches, to the end of the run: skips do not hold it back.",
        CLOUDS, 'kind = "linear"', "seed = 32\nepochs = 14\nbatch = 30\naccumulate = 2" +
        optimizer(kind="sgd", lr=0.1, momentum=0.9) + schedule(kind="cosine", warmup=4, per="iteration"),
        FP16 + scaler(init_scale=2.0**28, growth_interval=7)),
    "adam-decoupled": experiment(
        "Adam with decoupled weight decay and AMSGrad.",
        CLOUDS, 'kind = "mlp"\nhidden = [12]\nactivation = "relu"',
        "seed = 33\nsteps = 70\nbatch = 36" +
        optimizer(kind="adam", lr=0.01, weight_decay=0.1, decoupled_weight_decay=True, amsgrad=True),
        FP16 + scaler(init_scale=2.0**20, growth_interval=9), BF16),
    "maximize": experiment(
        "Uphill with small steps: SGD with momentum and dampening beside RMSprop.",
        YES_NO, 'kind = "mlp"\nhidden = [8]\nactivation = "sigmoid"',
        'seed = 34\nsteps = 60\nbatch = 28\nloss = "bce_with_logits"' +
        optimizer(kind="sgd", lr=0.001, momentum=0.7, dampening=0.3, maximize=True, parameters=["0"]) +
        optimizer(kind="rmsprop", lr=0.0001, maximize=True, weight_decay=0.01, parameters=["2"]), FP16, BF16),
    "skip-norm": experiment(
        "Updates above a norm are refused, the scaler grows on.",
        PLANE, 'kind = "linear"',
        'seed = 35\nsteps = 80\nbatch = 8\nloss = "mse"\nskip_norm = 4.0\nclip_norm = 3.0' +
        optimizer(kind="sgd", lr=0.02, momentum=0.9) + schedule(kind="step", every=5, gamma=0.9),
        FP16 + scaler(init_scale=2.0**18, growth_interval=6), BF16),
    "accumulate-skips": experiment(
        "Accumulation at the edge of FP16, with Nesterov momentum: overflows in the middle of windows.",
        CLOUDS, 'kind = "mlp"\nhidden = [12]\nactivation = "relu"',
        "seed = 36\nsteps = 70\nbatch = 10\naccumulate = 4" +
        optimizer(kind="sgd", lr=0.05, momentum=0.9, nesterov=True),
        FP16 + scaler(init_scale=2.0**21, growth_interval=2)),
}


IMAGES = DIGITS + "shape = [1, 8, 8]\n"
SEQUENCES = DIGITS + "shape = [8, 8]\n"
SCALED_FP32 = 'name = "fp32-scaled"\nautocast = "off"' + scaler(enabled=True, init_scale=2.0**127, growth_interval=4)

# One file a built-in architecture and way through it; few steps of tiny sizes. An LSTM under autocast runs in no type
# under the fixed instruction set.
EXPERIMENTS |= {
    "cnn": experiment(
        "Two convolutional stages with dropout; FP16 tiny.",
        IMAGES, 'kind = "cnn"\nchannels = [3, 4]\ndropout = 0.2',
        "seed = 21\nsteps = 12\nbatch = 16" + optimizer(kind="adamw", lr=0.01),
        BF16, FP16 + scaler(init_scale=2.0**24, growth_interval=4)),
    "cnn-kernel": experiment(
        "One stage of kernels of five, SGD with momentum, accumulation.",
        IMAGES, 'kind = "cnn"\nchannels = [5]\nkernel = 5',
        "seed = 22\nsteps = 20\nbatch = 12\naccumulate = 2" + optimizer(kind="sgd", lr=0.05, momentum=0.9), BF16),
    "resnet": experiment(
        "Eight layers, BatchNorm's buffers included.",
        IMAGES, 'kind = "resnet"\ndepth = 8\nwidth = 4',
        "seed = 23\nsteps = 20\nbatch = 24" + optimizer(kind="adamw", lr=0.01), BF16),
    "resnet-20": experiment(
        "Twenty layers, clipped, a schedule.",
        IMAGES, 'kind = "resnet"\nwidth = 3',
        "seed = 24\nsteps = 10\nbatch = 16\nclip_norm = 0.5" + optimizer(kind="sgd", lr=0.1, momentum=0.9) +
        '\n\n[training.schedule]\nkind = "step"\nevery = 4\ngamma = 0.5', BF16),
    "resnet-fp16": experiment(
        "BatchNorm and skipped steps in FP16, tiny.",
        IMAGES, 'kind = "resnet"\ndepth = 8\nwidth = 2',
        "seed = 25\nsteps = 8\nbatch = 8" + optimizer(kind="adamw", lr=0.01),
        FP16 + scaler(init_scale=2.0**19, growth_interval=3)),
    "lstm": experiment(
        "One layer in one direction over the rows of an image.",
        SEQUENCES, 'kind = "lstm"\ncells = 6',
        "seed = 26\nsteps = 40\nbatch = 32" + optimizer(kind="adamw", lr=0.01), SCALED_FP32),
    "lstm-bidirectional": experiment(
        "Two layers in both directions with dropout between them, clipped.",
        SEQUENCES, 'kind = "lstm"\ncells = 5\nlayers = 2\nbidirectional = true\ndropout = 0.3',
        "seed = 27\nsteps = 40\nbatch = 32\nclip_norm = 1.0" + optimizer(kind="sgd", lr=0.5, momentum=0.5),
        SCALED_FP32),
}


EXPERIMENTS |= torchscript_fixtures.experiments(experiment, optimizer, scaler, FP16, BF16)
EXPERIMENTS |= set_fixtures.experiments(experiment, optimizer, schedule, scaler, FP16, BF16)


def main():
    make_data()
    scripted_models.save(FIXTURES / "data")
    for stale in FIXTURES.iterdir():
        if stale.is_dir() and stale.name != "data" and stale.name not in EXPERIMENTS:
            shutil.rmtree(stale)
    names = sys.argv[1:] or list(EXPERIMENTS)
    for name in names:
        folder = FIXTURES / name
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "experiment.toml"
        file.write_text(EXPERIMENTS[name])
        for old in [*folder.glob("*.csv"), *folder.glob("*.safetensors")]:
            old.unlink()
        arms = reference_run.run(file, folder)
        print(name, ", ".join(f"{arm}: {len(rows)} steps, {sum(r['skipped'] for r in rows)} skipped"
                              for arm, rows in arms.items()))


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # TorchScript writes the constants of a module in the order of a set
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})
    main()
