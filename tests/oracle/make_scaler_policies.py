#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays random overflow patterns through the emulations of scaler_policies.py and writes down the scales.

    make_scaler_policies.py                                        writes fixtures/scaler_policies.txt.gz
    make_scaler_policies.py --deepspeed FILE --megatron FILE       compares the emulations with the projects' own
                                                                   loss_scaler.py and grad_scaler.py, writes nothing

README.md describes the lines. Needs no package unless it compares (torch).
"""

import argparse
import gzip
import random
import re
import sys
import types
from pathlib import Path

import scaler_policies
from scaler_policies import DeepSpeed, Megatron, Rules

OUT = Path(__file__).resolve().parent / "fixtures" / "scaler_policies.txt.gz"
COUNT = 2000  # of each family


def pattern(r):
    """Overflows in bursts, so that scales come down to their floor and up again."""
    bits = []
    while len(bits) < r.choice([10, 30, 60, 90]):
        bits += [r.random() < r.choice([0.0, 0.05, 0.3, 0.8, 1.0])] * r.choice([1, 1, 2, 3, 5, 12])
    return bits


def deepspeed_case(r):
    floor = r.choice([1.0, 1.0, 0.25, 4.0, 1024.0])
    init = floor * 2.0 ** r.choice([0, 1, 2, 4, 16]) * r.choice([1, 1, 1.5, 3])
    keys = {"init_scale": init, "growth_interval": r.choice([1, 2, 3, 5, 9]), "floor": floor}
    if r.random() < 0.7:  # else the preset's 2
        keys["hysteresis"] = r.choice([1, 2, 3, 5])
    if r.random() < 0.3:
        keys["hysteresis_refill"] = "clean-step"
    s = scaler_policies.settings_of({"preset": "deepspeed"} | keys)
    return keys, DeepSpeed(s["init_scale"], s["growth_interval"], s["floor"], s["hysteresis"],
                           s["hysteresis_refill"] == "clean-step")


def megatron_case(r):
    floor = r.choice([1.0, 1.0, 0.5, 8.0, 3.0])
    keys = {"init_scale": floor * 2.0 ** r.choice([0, 1, 3, 8, 32]) * r.choice([1, 1.25]), "floor": floor,
            "growth_interval": r.choice([1, 2, 3, 6])}
    if r.random() < 0.7:
        keys["hysteresis"] = r.choice([1, 2, 4])
    if r.random() < 0.3:
        keys |= {"growth_factor": 4.0, "backoff_factor": 0.25}
    s = scaler_policies.settings_of({"preset": "megatron"} | keys)
    return keys, Megatron(s["init_scale"], s["growth_interval"], s["floor"], s["hysteresis"], s["growth_factor"],
                          s["backoff_factor"])


def rules_case(r):
    """Everything at once, in numbers that FP32 rounds."""
    floor = r.choice([0.0, 0.0, 0.1, 1.0, 7.0])
    init = r.choice([max(floor, 1.0), max(floor, 65536.0), max(floor, 1000.3), 2.0**126])
    ceiling = r.choice([0.0, 0.0, init, init * 1.7])
    keys = {"init_scale": init, "growth_factor": r.choice([2.0, 1.1, 3.0]),
            "backoff_factor": r.choice([0.5, 0.9, 0.3]), "growth_interval": r.choice([1, 2, 3, 4, 7]),
            "hysteresis": r.choice([1, 1, 2, 3, 6]), "hysteresis_refill": r.choice(["growth", "clean-step", "never"]),
            "growth_delay": r.choice([0, 0, 1, 3]), "floor": floor, "ceiling": ceiling,
            "at_floor": r.choice(["continue", "stop"]) if floor else "continue"}
    return keys, Rules(scaler_policies.settings_of(keys))


FAMILIES = {"deepspeed": deepspeed_case, "megatron": megatron_case, "pytorch": rules_case}


def text(value):
    return value if isinstance(value, str) else repr(value)


def line_of(family, r):
    keys, scaler = FAMILIES[family](r)
    stops = (scaler_policies.settings_of({"preset": family} | keys))["at_floor"] == "stop"
    bits, scales, last = [], [], None
    for overflow in pattern(r):
        at_floor = scaler.move(overflow)
        bits.append(overflow)
        if scaler.scale != last:
            last = scaler.scale
            scales.append(f"{len(bits)}:{last!r}")
        if at_floor and stops:
            break
    else:
        at_floor = False
    settings = " ".join(f"{k}={text(v)}" for k, v in keys.items())
    return f"{family} {settings}|{''.join('1' if b else '0' for b in bits)}|{' '.join(scales)}|{int(at_floor)}"


def official(file, stubs):
    """The module in that file, with what it imports beyond torch replaced."""
    for name, members in stubs.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(members)
    source = file.read_text().replace("device='cuda'", "device='cpu'")
    module = types.ModuleType("official")
    sys.modules["official"] = module
    exec(compile(source, str(file), "exec"), module.__dict__)  # run on purpose: a file that the caller vouches for
    return module


def compare(deepspeed_file, megatron_file):
    quiet = types.SimpleNamespace(info=lambda *_: None)
    same = lambda value, name=None: value
    theirs = official(deepspeed_file, {
        "deepspeed": {"comm": types.SimpleNamespace(get_rank=lambda: 1)}, "deepspeed.runtime": {},
        "deepspeed.runtime.config_utils": {"DeepSpeedConfigObject": object}, "deepspeed.utils": {"logger": quiet},
        "deepspeed.runtime.loss_scale_validation": {
            "validate_loss_scale_value": same, "validate_positive_finite": same, "validate_positive_int": same}})
    megatrons = official(megatron_file, {}).DynamicGradScaler
    moves = 0
    for number in range(COUNT):
        for family in ("deepspeed", "megatron"):
            r = random.Random(f"{family} {number}")
            _, ours = FAMILIES[family](r)
            if family == "deepspeed":
                other = theirs.DynamicLossScaler(ours.scale, ours.window, ours.min_scale, ours.hysteresis,
                                                 ours.refill_at_clean_step)
            else:
                other = megatrons(ours.scale, ours.min_scale, ours.growth, ours.backoff, ours.window, ours.hysteresis)
            for overflow in pattern(r):
                ends = ours.move(overflow)
                try:
                    other.update_scale(overflow) if family == "deepspeed" else other.update(overflow)
                except Exception as error:
                    assert ends and re.search("already at minimum", str(error)), error
                    break
                assert not ends
                found = other.cur_scale if family == "deepspeed" else other.scale.item()
                assert found == ours.scale, (family, number, found, ours.scale)
                moves += 1
    print(f"{2 * COUNT} sequences, {moves} updates: equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deepspeed", type=Path)
    parser.add_argument("--megatron", type=Path)
    arguments = parser.parse_args()
    if arguments.deepspeed and arguments.megatron:
        return compare(arguments.deepspeed, arguments.megatron)
    lines = [line_of(family, random.Random(f"{family} {number}")) for family in FAMILIES for number in range(COUNT)]
    data = ("\n".join(lines) + "\n").encode()
    with open(OUT, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9, mtime=0, filename="") as out:
        out.write(data)
    ended = {f: sum(line.endswith("|1") for line in lines if line.startswith(f)) for f in FAMILIES}
    print(f"{len(lines)} sequences, ended at the floor: {ended}, {len(data)} bytes, {OUT.stat().st_size} packed")


if __name__ == "__main__":
    main()
