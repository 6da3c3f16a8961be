# SPDX-License-Identifier: Apache-2.0
"""Writes what `mantissa-cli judge` needs of a training of your own in PyTorch, on whatever device.

    from record_for_mantissa import Steps, write_reference, write_trial

    with Steps("S.csv") as steps:                    # around the loop of the mixed-precision training
        ...
        scaler.unscale_(optimizer)
        steps.before(model, scaler)
        scaler.step(optimizer)
        scaler.update()
        steps.after(loss, scaler)                    # without a scaler: leave it out in both

    write_reference("R.csv", ids, fp32_model(x), targets)
    with torch.autocast("cuda", torch.float16):      # both as they would be deployed
        write_trial("T.csv", ids, amp_model(x), same_weights=fp32_model(x))

    mantissa-cli judge --reference R.csv --trial T.csv --steps S.csv --rules rules.toml --autocast float16 --device cuda
"""
import csv
import math

import torch


def text(value):
    value = float(value)
    return repr(value) if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def flat(tensor):
    return tensor.detach().double().cpu().reshape(len(tensor), -1).tolist()


def write(path, ids, columns):
    """One row a case; `columns` maps a name to a tensor [cases, …] or a list of texts."""
    rows, header = [[str(one)] for one in ids], ["case"]
    for name, values in columns.items():
        is_tensor = isinstance(values, torch.Tensor)
        cells = [[text(v) for v in row] for row in flat(values)] if is_tensor else [[str(v)] for v in values]
        if len(cells) != len(rows):
            raise ValueError(f"{name}: {len(cells)} cases, {len(rows)} ids")
        one = not is_tensor or (name == "target" and len(cells[0]) == 1)
        header += [name] if one else [f"{name}[{i}]" for i in range(len(cells[0]))]
        rows = [row + more for row, more in zip(rows, cells)]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header] + rows)


def write_reference(path, ids, outputs, targets=None, **texts):
    """`texts`: kind=[…] (ordinary, edge, boundary), slice=[…]."""
    write(path, ids, {"output": outputs, **({} if targets is None else {"target": targets}), **texts})


def write_trial(path, ids, outputs, same_weights=None):
    """`same_weights`: outputs of the reference's own weights in the trial's precision."""
    write(path, ids, {"output": outputs, **({} if same_weights is None else {"output_same_weights": same_weights})})


class Steps:
    """One row an attempted step: loss, whether its update was skipped, gradient norm, change of the weights."""

    def __init__(self, path):
        self.file, self.step = open(path, "w", newline="", encoding="utf-8"), 0
        self.rows = csv.writer(self.file, lineterminator="\n")
        self.rows.writerow(["step", "loss", "scale_before", "scale_after", "skipped", "grad_norm", "weight_change"])

    def before(self, model, scaler=None):
        """After unscaling, before clipping and the optimizer's step. Keeps a copy of the weights until `after`."""
        self.scale = scaler.get_scale() if scaler is not None else None
        self.weights = [p for p in model.parameters() if p.requires_grad]
        self.old = [p.detach().clone() for p in self.weights]
        norms = [p.grad.double().norm() for p in self.weights if p.grad is not None]
        self.norm = torch.stack(norms).norm() if norms else torch.tensor(0.0)

    def after(self, loss, scaler=None):
        self.step += 1
        change = torch.stack([(p.detach() - old).double().norm() for p, old in zip(self.weights, self.old)]).norm()
        scales = [] if scaler is None else [self.scale, scaler.get_scale()]
        skipped = scales and scales[1] < scales[0]  # torch.amp.GradScaler backs off exactly when it skips
        row = [self.step, text(loss.detach()), *([text(one) for one in scales] or ["", ""]), int(bool(skipped))]
        self.rows.writerow(row + [text(self.norm), text(change)])
        self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
