# SPDX-License-Identifier: Apache-2.0
"""A user's own training loop in official PyTorch: FP32 and mixed precision, recorded by packaging/python.

    foreign_run.py --out FOLDER

For bf16 and fp16: FOLDER/DTYPE/{R,T,S}.csv and rules.toml for `mantissa-cli judge`, and expected.json with what NumPy finds in
the very tensors. FOLDER/model.pt is the model by export_for_mantissa.py.
"""
import argparse
import copy
import json
import pathlib
import sys

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging" / "python"))
from export_for_mantissa import export  # noqa: E402
from record_for_mantissa import Steps, write_reference, write_trial  # noqa: E402

RULES = """mantissa = 1
[rules]
flips = {{ of = "trained", max = 1000 }}
quality = [{{ name = "trained", of = "trained", max_drop = 1 }}, {{ name = "same", of = "same_weights", max_drop = 1 }}]
progress = {{ min_applied_fraction = 0.0, max_consecutive_skips = 1000 }}
[[rules.output]]
name = "largest"
of = "trained"
measure = "abs"
reduce = "max"
max = 1000
[[rules.output]]
name = "quantile"
measure = "case_relative"
q = 0.9
max = {{ {dtype} = 1000 }}
"""


def train(model, x, y, dtype, steps_file=None, scaler=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    record = Steps(steps_file) if steps_file else None
    applied = []
    for _ in range(30):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        (scaler.scale(loss) if scaler else loss).backward()
        if scaler:
            scaler.unscale_(optimizer)
        if record:
            record.before(model, scaler)
        before = [p.detach().numpy().copy() for p in model.parameters()]
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        if record:
            record.after(loss, scaler)
        applied.append(any((a != b.detach().numpy()).any() for a, b in zip(before, model.parameters())))
    if record:
        record.__exit__()
    return applied, float(loss.detach())


def longest_run(flags):
    longest = now = 0
    for flag in flags:
        now = now + 1 if flag else 0
        longest = max(longest, now)
    return longest


def compared(folder, dtype, word, scaler):
    folder.mkdir()
    generator = torch.Generator().manual_seed(5)
    x, y = torch.randn(200, 6, generator=generator), torch.randint(0, 3, (200,), generator=generator)
    torch.manual_seed(1)
    first = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    reference, trial = copy.deepcopy(first), copy.deepcopy(first)
    train(reference, x[:150], y[:150], None)
    applied, last_loss = train(trial, x[:150], y[:150], dtype, folder / "S.csv", scaler)
    ids, x, y = [f"row {i}" for i in range(150, 200)], x[150:], y[150:]
    with torch.no_grad():
        wanted = reference(x)
        with torch.autocast("cpu", dtype):
            got, same = trial(x), reference(x)
    write_reference(folder / "R.csv", ids, wanted, y, kind=["ordinary"] * 50)
    write_trial(folder / "T.csv", ids, got, same)
    (folder / "rules.toml").write_text(RULES.format(dtype=word))

    r, t, s = (one.double().numpy() for one in (wanted, got, same))
    truth = y.numpy()
    scale = np.maximum(np.abs(r).max(axis=1), np.sqrt((r * r).mean()))
    skips = [not one for one in applied]
    expected = {
        "output.largest": float(np.abs(t - r).max()),
        "output.quantile": float(np.quantile(np.abs(s - r).max(axis=1) / scale, 0.9)),
        "flips": int((t.argmax(axis=1) != r.argmax(axis=1)).sum()),
        "quality.trained": float((t.argmax(axis=1) == truth).mean()),
        "quality.same": float((s.argmax(axis=1) == truth).mean()),
        "progress.min_applied_fraction": float(np.mean(applied)),
        "progress.max_consecutive_skips": longest_run(skips),
    }
    arm = {"attempted": len(applied), "applied": sum(applied), "skipped": sum(skips), "final_loss": last_loss,
           "quality_reference": float((r.argmax(axis=1) == truth).mean())}
    (folder / "expected.json").write_text(json.dumps({"autocast": word, "rules": expected, "arm": arm}))
    return first, x


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--out", type=pathlib.Path, required=True)
    out = arguments.parse_args().out
    torch.set_num_threads(1)
    model, x = compared(out / "bf16", torch.bfloat16, "bfloat16", None)
    # Too large a scale: the first steps overflow FP16 and are skipped.
    compared(out / "fp16", torch.float16, "float16", torch.amp.GradScaler("cpu", init_scale=2.0**40))
    if export(model, out / "model.pt", x) != "script":
        raise SystemExit("the model was not scripted")


if __name__ == "__main__":
    main()
