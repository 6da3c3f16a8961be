#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What official PyTorch finds where a trial runs from the reference's weights: the judge of the columns shadow_*.

    shadow_run.py           makes shadow/NAME/ARM.csv anew for every shadow/NAME/experiment.toml

At every shadow_every-th step of the reference a copy of its model makes a forward and a backward under the trial's
autocast, on the same window with the same random numbers, its loss multiplied by the scale that the trial has at that
step; the gradients are divided by it again. Statistics are taken in float64 over everything as one long vector.
Not defined here: the distance in units in the last place (tests/core/observe has it by hand).
"""

import copy
import math
import tomllib
from pathlib import Path

import reference_run
from reference_run import Arm, cell, forward_and_loss

import torch

FOLDER = Path(__file__).resolve().parent / "shadow"
COLUMNS = ["step", "shadow_output_max", "shadow_output_rmse", "shadow_output_relative", "shadow_output_cosine",
           "shadow_loss", "shadow_gradient_relative", "shadow_gradient_cosine"]


def forward_backward(arm, model, loss_of, data, window, scale):
    """Outputs, mean loss and true gradients of one window, from a model of its own."""
    model = copy.deepcopy(model)
    for parameter in model.parameters():
        parameter.grad = None
    outputs, losses = [], []
    for batch in window:
        seen = []
        hook = model.register_forward_hook(lambda module, inputs, output: seen.append(output.detach()))
        loss = forward_and_loss(arm, model, loss_of, data.inputs[batch], data.targets[batch])
        hook.remove()
        outputs.append(seen[0])
        losses.append(loss.item())
        loss = loss / len(window)
        (loss if scale is None else loss * scale).backward()
    inverse = 1.0 if scale is None else torch.tensor(scale).double().reciprocal().float()
    gradients = [p.grad * inverse for p in model.parameters()]
    return one_vector(outputs), sum(losses) / len(losses), one_vector(gradients)


def one_vector(tensors):
    return torch.cat([t.flatten().double() for t in tensors])


def deviations(reference, trial):
    (outputs, loss, gradients), (found_outputs, found_loss, found_gradients) = reference, trial
    difference = found_outputs - outputs
    return {"shadow_output_max": difference.abs().max().item(),
            "shadow_output_rmse": difference.square().mean().sqrt().item(),
            "shadow_output_relative": (difference.norm() / outputs.norm()).item(),
            "shadow_output_cosine": cosine(outputs, found_outputs),
            "shadow_loss": found_loss - loss,
            "shadow_gradient_relative": ((found_gradients - gradients).norm() / gradients.norm()).item(),
            "shadow_gradient_cosine": cosine(gradients, found_gradients)}


def cosine(a, b):
    return (torch.dot(a, b) / (a.norm() * b.norm())).item()


def shadow(experiment_file):
    torch.set_num_threads(1)
    experiment = tomllib.loads(experiment_file.read_text())
    data = reference_run.load_training_part(experiment, experiment_file.parent, reference_run.DATA_FOLDER)
    loss_of = reference_run.loss_function(experiment)
    trials = [Arm(t["name"], t) for t in experiment["trial"]]
    scales = {t.name: [row["scale_before"] for row in reference_run.train(t, experiment, data)[0]] for t in trials}
    rows = {t.name: [] for t in trials}

    def before_step(step, window, model):
        state = torch.get_rng_state()
        for trial in trials:
            if step % trial.spec["shadow_every"] != 0:
                continue
            sides = []
            for arm, scale in [(Arm("reference"), None), (trial, scales[trial.name][step - 1])]:
                torch.set_rng_state(state)
                sides.append(forward_backward(arm, model, loss_of, data, window, scale))
            rows[trial.name].append({"step": step} | deviations(*sides))
        torch.set_rng_state(state)

    reference_run.train(Arm("reference"), experiment, data, before_step)
    for name, found in rows.items():
        with open(experiment_file.parent / f"{name}.csv", "w", newline="\n") as file:
            file.write(",".join(COLUMNS) + "\n")
            for row in found:
                file.write(",".join(cell(row[c]) for c in COLUMNS) + "\n")
        broken = sum(not math.isfinite(row["shadow_gradient_relative"]) for row in found)
        print(f"{experiment_file.parent.name}, {name}: {len(found)} steps, {broken} with non-finite gradients")


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*/experiment.toml")):
        shadow(file)
