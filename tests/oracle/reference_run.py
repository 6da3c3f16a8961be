#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains an experiment file's reference and trials with the official PyTorch package.

This is the judge of Mantissa's numbers, so it is written to be read: plain torch, one function a decision of the
experiment file's documentation (mantissa-cli help experiment), nothing shared with Mantissa's own code.

    reference_run.py experiment.toml --out FOLDER

writes into FOLDER, for the reference and each trial, `<arm>.csv` (one row an attempted step) and
`<arm>.safetensors` (the final weights), and `made_with.json` (versions and environment).
README.md beside this file describes the formats.
"""

import os

# Read by libtorch, oneDNN and MKL when they are loaded, so set before torch is imported. README.md says why these.
INSTRUCTION_SET = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "MKL_CBWR": "COMPATIBLE",
}
if os.environ.get("MANTISSA_ORACLE_NATIVE") != "1":
    os.environ.update(INSTRUCTION_SET)

import argparse
import csv
import fnmatch
import gzip
import json
import math
import struct
import sys
import tomllib
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import data_sets
import models
import torch
import torch.nn.functional as F
from torch import nn
from torchscript_model import TorchScriptModel

import cast_rules
import scaler_policies
import scripted_models

DATA_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "data"
BUILT_IN = {"digits": "digits.csv.gz", "breast_cancer": "breast_cancer.csv", "wine": "wine.csv",
            "diabetes": "diabetes.csv", "concrete": "concrete.csv"}
CLASSIFICATION_SETS = {"digits", "breast_cancer", "wine", "fashion", "japanese_vowels"}
DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "silu": nn.SiLU}
CLASS_LOSSES = {"cross_entropy", "nll"}


def seeded(seed):
    return torch.Generator().manual_seed(seed)


# --- data -----------------------------------------------------------------------------------------------------------


@dataclass
class Training:
    """The training part, ready for the model."""

    inputs: torch.Tensor  # float32 [rows, features]
    targets: torch.Tensor  # float32 [rows, targets], or int64 [rows] for class losses
    outputs: int  # width of the model's output


def read_table(path):
    """Column names (or None) and rows of numbers as double."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    names = None
    try:
        [float(cell) for cell in rows[0]]
    except ValueError:
        names, rows = rows[0], rows[1:]
    return names, [[float(cell) for cell in row] for row in rows]


def columns_of(spec, names, width):
    """Indices of input and target columns: the last column is the target unless the file says otherwise."""
    wanted = spec.get("columns", {})
    index = (lambda name: names.index(name)) if names else (lambda name: int(name))
    target = wanted.get("target")
    targets = [width - 1] if target is None else [index(t) for t in ([target] if isinstance(target, str) else target)]
    inputs = [index(c) for c in wanted["inputs"]] if "inputs" in wanted else \
        [c for c in range(width) if c not in targets]
    return inputs, targets


def training_rows(rows, spec):
    """Row numbers of the training part: a seeded permutation, whose head is the test part. No test part, no shuffle."""
    test = spec.get("test", {})
    fraction = test.get("fraction", 0.2)
    if fraction == 0:
        return list(range(rows))
    permutation = torch.randperm(rows, generator=seeded(test.get("seed", 7))).tolist()
    return permutation[round(fraction * rows):]


def standardized(columns):
    """Each column minus its mean, divided by its population standard deviation; all in double, summed in row order."""
    result = []
    for column in columns:
        mean = sum(column) / len(column)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in column) / len(column))
        result.append([(value - mean) / (deviation if deviation > 0 else 1.0) for value in column])
    return result


def load_training_part(experiment, folder, data_folder):
    spec = experiment["data"]
    source = spec.get("source")
    if (own := data_sets.load(spec, folder, data_folder)) is not None:
        return Training(*own)
    if source == "gaussian":
        generator = seeded(spec["seed"])
        x = torch.randn(spec["rows"], spec["features"], generator=generator)
        y = torch.randn(spec["rows"], spec["outputs"], generator=generator)
        rows = torch.cat([x, y], dim=1).double().tolist()
        inputs = list(range(spec["features"]))
        targets = list(range(spec["features"], spec["features"] + spec["outputs"]))
    else:
        path = data_folder / BUILT_IN[source] if source else folder / spec["path"]
        names, rows = read_table(path)
        inputs, targets = columns_of(spec, names, len(rows[0]))

    part = [rows[r] for r in training_rows(len(rows), spec)]
    columns = [[row[c] for row in part] for c in inputs]
    if spec.get("standardize", source in BUILT_IN):
        columns = standardized(columns)
    x = torch.tensor(columns, dtype=torch.float64).t().contiguous().float()
    if "shape" in spec:
        x = x.reshape(-1, *spec["shape"])

    if loss_name(experiment) in CLASS_LOSSES:
        y = torch.tensor([int(row[targets[0]]) for row in part], dtype=torch.int64)
        classes = spec.get("classes", max(int(row[targets[0]]) for row in rows) + 1)
        return Training(x, y, classes)
    y = torch.tensor([[row[c] for c in targets] for row in part], dtype=torch.float64).float()
    return Training(x, y, len(targets))


def microbatches(experiment, rows, epoch):
    """The row numbers of each microbatch of an epoch (counted from 0)."""
    training = experiment["training"]
    batch = training.get("batch", min(64, rows))
    if experiment["data"].get("order", "shuffled") == "file":
        order = torch.arange(rows)
    else:
        order = torch.randperm(rows, generator=seeded(training.get("seed", 1) + epoch))
    batches = list(order.split(batch))
    if training.get("drop_last", False) and len(batches[-1]) < batch:
        batches.pop()
    return batches


def windows(experiment, rows):
    """(epoch, microbatches of one optimizer step) without end. A window ends at its epoch, then it is shorter."""
    accumulate = experiment["training"].get("accumulate", 1)
    epoch = 0
    while True:
        batches = microbatches(experiment, rows, epoch)
        for first in range(0, len(batches), accumulate):
            yield epoch, batches[first:first + accumulate]
        epoch += 1


# --- model, loss, optimizer -------------------------------------------------------------------------------------------


def build_model(spec, inputs, outputs):
    """The model for inputs [rows, …] as they are given to it."""
    if spec["kind"] == "torchscript":
        return TorchScriptModel(spec)
    if spec["kind"] not in ("linear", "mlp"):
        return models.build(spec, inputs, outputs)
    bias, width = spec.get("bias", True), inputs[0].numel()
    if spec["kind"] == "linear":
        return nn.Linear(width, outputs, bias=bias)
    layers = []
    for hidden in spec.get("hidden", [128]):
        layers += [nn.Linear(width, hidden, bias=bias), ACTIVATIONS[spec.get("activation", "relu")]()]
        if spec.get("dropout", 0.0) > 0:
            layers.append(nn.Dropout(spec["dropout"]))
        width = hidden
    layers.append(nn.Linear(width, outputs, bias=bias))
    return nn.Sequential(*layers)


def loss_name(experiment):
    spec = experiment["data"]
    classification = spec.get("task") == "classification" or spec.get("source") in CLASSIFICATION_SETS or \
        data_sets.is_text(spec)
    return experiment["training"].get("loss", "cross_entropy" if classification else "mse")


def flat(output, targets):
    """A language model's positions [rows, context] as one row of positions."""
    return (output.flatten(0, 1), targets.flatten()) if targets.dim() == 2 else (output, targets)


def loss_function(experiment):
    reduction = experiment["training"].get("reduction", "mean")
    ignore = experiment["training"].get("ignore_index", -100)
    if loss_name(experiment) == "output":  # the model returns it
        return None
    functions = {
        "cross_entropy": lambda o, t: F.cross_entropy(*flat(o, t), reduction=reduction, ignore_index=ignore),
        "nll": lambda o, t: F.nll_loss(*flat(o, t), reduction=reduction, ignore_index=ignore),
        "mse": lambda o, t: F.mse_loss(o, t, reduction=reduction),
        "l1": lambda o, t: F.l1_loss(o, t, reduction=reduction),
        "huber": lambda o, t: F.huber_loss(o, t, reduction=reduction),
        "bce": lambda o, t: F.binary_cross_entropy(o, t, reduction=reduction),
        "bce_with_logits": lambda o, t: F.binary_cross_entropy_with_logits(o, t, reduction=reduction),
    }
    return functions[loss_name(experiment)]


def build_optimizer(spec, model):
    patterns = spec.get("parameters", ["*"])
    parameters = [p for name, p in model.named_parameters()
                  if any(fnmatch.fnmatchcase(name, g) or name.startswith(g + ".") for g in patterns)]
    settings = {k: v for k, v in spec.items() if k not in ("kind", "parameters", "clip_norm", "schedule")}
    if "betas" in settings:
        settings["betas"] = tuple(settings["betas"])
    kind = spec.get("kind", "adamw")
    if kind in ("rmsprop", "lbfgs"):  # PyTorch's own defaults; neither has a fused kernel
        return {"rmsprop": torch.optim.RMSprop, "lbfgs": torch.optim.LBFGS}[kind](parameters, **settings)
    settings.setdefault("lr", 1e-3)
    classes = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
    # The fused kernel takes no sparse gradients; torch.optim.SGD's plain path does.
    sparse = kind == "sgd" and isinstance(model, TorchScriptModel) and model.sparse
    optimizer = classes[kind](parameters, fused=not sparse, **settings)
    # A fused optimizer is always called and skips inside its kernel. torch.optim.SGD then believes that its first step
    # was made although the momentum buffers still hold uninitialised memory. The scaler's other path does not call a
    # skipped optimizer at all; the arithmetic is the same.
    optimizer._step_supports_amp_scaling = False
    return optimizer


class Schedule:
    """Warm-up by lr * (k + 1) / warmup, then PyTorch's class from its own beginning."""

    def __init__(self, spec, optimizer, run_length):
        self.spec, self.optimizer, self.k = spec, optimizer, 0
        self.warmup = spec.get("warmup", 0)
        self.horizon = spec.get("total", run_length[spec.get("per", "applied-update")]) - self.warmup
        self.lr = self.group()["lr"]
        self.inner = None
        self.set_rate()

    def group(self):
        return self.optimizer.param_groups[0]

    def after_step(self, applied, microbatches):
        counts = microbatches if self.spec.get("per") == "iteration" else int(applied)
        for _ in range(counts):
            self.k += 1
            self.set_rate()

    def set_rate(self):
        if self.k < self.warmup:
            self.group()["lr"] = self.lr * (self.k + 1) / self.warmup
        elif self.inner is None:
            self.group()["lr"] = self.lr
            self.inner = self.begin()
        else:
            self.inner.step()

    def begin(self):
        classes, spec = torch.optim.lr_scheduler, self.spec
        kind = spec.get("kind", "constant")
        if kind == "step":
            return classes.StepLR(self.optimizer, spec["every"], gamma=spec.get("gamma", 0.1))
        if kind == "exponential":
            return classes.ExponentialLR(self.optimizer, gamma=spec.get("gamma", 0.1))
        if kind == "cosine":
            return classes.CosineAnnealingLR(self.optimizer, self.horizon, eta_min=spec.get("min_lr", 0.0))
        if kind == "linear":
            return classes.LinearLR(self.optimizer, 1, spec.get("end_factor", 0.1), self.horizon)
        return classes.LambdaLR(self.optimizer, lambda _: 1.0)


class WithoutContinuation(Exception):
    """What follows is a policy of Mantissa's (on_non_finite), not PyTorch's: there is nothing to compare with."""


# --- training ---------------------------------------------------------------------------------------------------------


PYTORCH_SETTINGS = ["init_scale", "growth_factor", "backoff_factor", "growth_interval"]


class PolicyScaler(torch.amp.GradScaler):
    """PyTorch's scaler whose update follows scaler_policies.Rules."""

    def __init__(self, settings):
        super().__init__("cpu", **{k: settings[k] for k in PYTORCH_SETTINGS})
        self.rules = scaler_policies.Rules(settings)
        self.at_floor = False

    def update(self):
        states = self._per_optimizer_states.values()
        overflow = any(found.item() != 0 for s in states for found in s["found_inf_per_device"].values())
        self.at_floor = self.rules.move(overflow)
        super().update(self.rules.scale)  # sets the scale and ends the iteration
        self._growth_tracker.fill_(self.rules.tracker)


@dataclass
class Arm:
    """The reference (no autocast, no scaler) or one [[trial]]."""

    name: str
    spec: dict = field(default_factory=dict)
    path: object = None  # of the running module, where casts depend on it

    def autocast(self):
        word = self.spec.get("autocast", "off")
        return nullcontext() if word == "off" else torch.autocast("cpu", dtype=DTYPES[word])

    def casts_by_hand(self):
        return self.spec.get("cast_policy") == "cuda" or any(True for _ in cast_rules.regions_of(self.spec))

    def casts(self):
        return cast_rules.applied(self.spec, DTYPES.get(self.spec.get("autocast")), self.path)

    def loss_in_float32(self):
        return "loss" in self.spec.get("float32_regions", [])

    def scaler(self):
        table = self.spec.get("scaler", {})
        settings = scaler_policies.settings_of(table)
        enabled = table.get("enabled", self.spec.get("autocast") == "float16")
        if enabled and scaler_policies.has_rules(settings):
            return PolicyScaler(settings)
        return torch.amp.GradScaler("cpu", enabled=enabled, **{k: settings[k] for k in PYTORCH_SETTINGS})


def forward_and_loss(arm, model, loss_of, x, y):
    if isinstance(model, TorchScriptModel):
        return model.forward_and_loss(arm, loss_of, x, y, own_loss=loss_of is None)
    with arm.autocast(), arm.casts(), torch.jit.optimized_execution(arm.spec.get("cast_policy") == "jit"):
        output = model(x)
        if not arm.loss_in_float32():
            return loss_of(output, y)
    return loss_of(output.float(), y)


def train(arm, experiment, data, before_step=None):
    """The rows of the arm's steps and the trained model. `before_step(step, window, model)` may look at each step."""
    training = experiment["training"]
    seed = training.get("seed", 1)
    torch.manual_seed(seed)
    if experiment["model"]["kind"] == "torchscript" and scripted_models.knows(experiment["model"]["path"]):
        model = scripted_models.load(experiment["model"]["path"], arm.casts_by_hand())
    else:
        model = build_model(experiment["model"], data.inputs, data.outputs)
    if training.get("activation_checkpointing") == "blocks":
        models.recompute_blocks(model)
    if arm.casts_by_hand():
        cast_rules.keep_modules(model, arm.spec)
        arm.path = cast_rules.ModulePath(model)
    torch.manual_seed(seed)  # dropout
    model.train()
    loss_of = loss_function(experiment)
    specs = training.get("optimizer", [{}])
    optimizers = [build_optimizer(spec, model) for spec in specs]
    clip_norms = [spec.get("clip_norm", training.get("clip_norm")) for spec in specs]
    skip_norm = training.get("skip_norm", math.inf)
    steps, run_length = length(experiment, len(data.inputs))
    schedules = [Schedule(spec.get("schedule", training.get("schedule", {})), optimizer, run_length)
                 for spec, optimizer in zip(specs, optimizers)]
    scaler = arm.scaler()

    rows, iteration, samples, applied = [], 0, 0, 0
    applied_each = [0] * len(optimizers)
    for step, (epoch, window) in zip(range(1, steps + 1), windows(experiment, len(data.inputs))):
        if before_step is not None:
            before_step(step, window, model)
        row = {"step": step, "epoch": epoch + 1}
        row |= per_optimizer("lr", [o.param_groups[0]["lr"] for o in optimizers])
        samples += sum(len(batch) for batch in window)

        def evaluate():
            """Mean loss of the window; the gradients are left in the parameters."""
            nonlocal iteration
            for optimizer in optimizers:
                optimizer.zero_grad()
            losses = []
            for batch in window:
                loss = forward_and_loss(arm, model, loss_of, data.inputs[batch], data.targets[batch])
                losses.append(loss.item())
                # The whole window is divided by its number of microbatches, whether the loss is a mean or a sum.
                scaler.scale(loss / len(window)).backward()
                iteration += 1
            return sum(losses) / len(losses)

        row |= {"loss": evaluate(), "samples": samples,
                "scale_before": scaler.get_scale() if scaler.is_enabled() else None}

        found_inf, norms = [], []
        for optimizer, clip_norm in zip(optimizers, clip_norms):
            scaler.unscale_(optimizer)
            found_inf.append(scaler.is_enabled() and
                             any(v.item() != 0 for v in scaler._found_inf_per_device(optimizer).values()))
            norms.append(gradient_norm_and_clip(optimizer, clip_norm))
        row |= per_optimizer("grad_norm", norms)

        # The gradients were finite before unscaling and are not after it: the scale is too small. Neither the
        # optimizer nor the scaler is told; the arm ends here.
        if scaler.is_enabled() and scale_too_small(optimizers, found_inf):
            row |= {"scale_after": scaler.get_scale(), "growth_tracker": scaler._get_growth_tracker(), "skipped": 1,
                    "applied_updates": applied, "iteration": iteration}
            rows.append(row)
            break

        # An update above skip_norm is not made; the scaler is not told.
        skipped = [refused or not norm <= skip_norm for refused, norm in zip(found_inf, norms)]
        for i, (optimizer, schedule) in enumerate(zip(optimizers, schedules)):
            if isinstance(optimizer, torch.optim.LBFGS):
                if not skipped[i]:
                    step_lbfgs(optimizer, row["loss"], evaluate)
            elif found_inf[i] or not skipped[i]:
                scaler.step(optimizer)
            schedule.after_step(not skipped[i], len(window))
            applied_each[i] += not skipped[i]
        scaler.update()
        applied += not any(skipped)
        row |= {"scale_after": scaler.get_scale() if scaler.is_enabled() else None, "iteration": iteration,
                "growth_tracker": scaler._get_growth_tracker(), "skipped": int(any(skipped)),
                "applied_updates": applied}
        if len(optimizers) > 1:
            row |= per_optimizer("skipped", [int(refused) for refused in skipped])
            row |= per_optimizer("applied_updates", list(applied_each))
        rows.append(row)
        if not scaler.is_enabled() and not all(math.isfinite(n) for n in norms):
            raise WithoutContinuation(f"{arm.name}, step {step}: a non-finite gradient without a scaler")
        if getattr(scaler, "at_floor", False):
            action = scaler.rules.s["at_floor"]
            if action == "stop":
                break
            if action.startswith("switch:"):
                arm = Arm(arm.name, next(t for t in experiment["trial"] if t["name"] == action[len("switch:"):]))
                scaler = arm.scaler()
    return rows, model


def length(experiment, rows):
    """Steps of the run, and its length in what a schedule may count."""
    training = experiment["training"]
    accumulate = training.get("accumulate", 1)
    batches = len(microbatches(experiment, rows, 0))
    per_epoch = math.ceil(batches / accumulate)
    steps = training["epochs"] * per_epoch if "epochs" in training else training.get("steps", 1000)
    iterations = steps // per_epoch * batches + steps % per_epoch * accumulate
    return steps, {"applied-update": steps, "iteration": iterations}


def step_lbfgs(optimizer, loss, evaluate):
    """The first evaluation was made already: its loss is known and its gradients are in the parameters."""
    first = True

    def closure():
        nonlocal first
        if first:
            first = False
            return loss
        return evaluate()

    optimizer.step(closure)


def per_optimizer(column, values):
    """One column where there is one optimizer, `column[i]` where there are several."""
    return {column: values[0]} if len(values) == 1 else {f"{column}[{i}]": v for i, v in enumerate(values)}


def gradient_norm_and_clip(optimizer, clip_norm):
    """The 2-norm before clipping, in float32."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if clip_norm is not None:
        return nn.utils.clip_grad_norm_(parameters, clip_norm).item()
    return nn.utils.get_total_norm([elements(p.grad) for p in parameters if p.grad is not None]).item()


def elements(gradient):
    """Those of a sparse gradient that are not zero, each once."""
    return gradient.coalesce().values() if gradient.is_sparse else gradient


def scale_too_small(optimizers, found_inf):
    def finite(optimizer):
        return all(elements(p.grad).isfinite().all() for g in optimizer.param_groups for p in g["params"] if p.grad is not None)

    return any(not refused and not finite(o) for o, refused in zip(optimizers, found_inf))


# --- output -----------------------------------------------------------------------------------------------------------

COLUMNS = ["step", "iteration", "applied_updates", "samples", "epoch", "loss", "scale_before", "scale_after",
           "growth_tracker", "skipped", "lr", "grad_norm"]


def cell(value):
    """Shortest text that reads back as the same double; an empty cell where there is no value."""
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    return repr(value)


def write_rows(path, rows):
    columns = [c for c in COLUMNS if c in rows[0]] + sorted(c for c in rows[0] if c not in COLUMNS)
    with open(path, "w", newline="\n") as file:
        file.write(",".join(columns) + "\n")
        for row in rows:
            file.write(",".join(cell(row.get(c)) for c in columns) + "\n")


def write_safetensors(path, tensors):
    """The safetensors format: header length (u64), JSON header, raw little-endian data."""
    header, chunks, offset = {}, [], 0
    for name, tensor in tensors.items():
        assert tensor.is_contiguous()
        dtype = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16", torch.int64: "I64",
                 torch.bool: "BOOL"}[tensor.dtype]
        data = (tensor if dtype != "BF16" else tensor.view(torch.int16)).numpy().tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [offset, offset + len(data)]}
        chunks.append(data)
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(chunks))


def run(experiment_file, out, data_folder=DATA_FOLDER):
    """Runs all arms; returns the rows by arm."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="Detected call of `lr_scheduler.step\\(\\)` before")
    experiment = tomllib.loads(experiment_file.read_text())
    if "path" in experiment["model"]:
        experiment["model"]["path"] = str(experiment_file.parent / experiment["model"]["path"])
    data = load_training_part(experiment, experiment_file.parent, data_folder)
    out.mkdir(parents=True, exist_ok=True)
    result = {}
    for arm in [Arm("reference")] + [Arm(t["name"], t) for t in experiment.get("trial", [])]:
        rows, model = train(arm, experiment, data)
        write_rows(out / f"{arm.name}.csv", rows)
        write_safetensors(out / f"{arm.name}.safetensors", {k: v.detach() for k, v in model.state_dict().items()})
        result[arm.name] = rows
    made_with = {"torch": torch.__version__, "threads": torch.get_num_threads(),
                 "cpu_capability": torch.backends.cpu.get_cpu_capability(),
                 "environment": {k: os.environ[k] for k in INSTRUCTION_SET if k in os.environ}}
    (out / "made_with.json").write_text(json.dumps(made_with, indent=1) + "\n")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data-folder", type=Path, default=DATA_FOLDER)
    arguments = parser.parse_args()
    for name, rows in run(arguments.experiment, arguments.out, arguments.data_folder).items():
        print(f"{name}: {len(rows)} steps, {sum(r['skipped'] for r in rows)} skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
