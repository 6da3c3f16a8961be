# SPDX-License-Identifier: Apache-2.0
"""Loss scaler policies as plain arithmetic, for the oracle; nothing shared with Mantissa's own code.

`Rules` follows the words of core/precision/loss_scaler.h. `DeepSpeed` and `Megatron` follow what those projects'
dynamic scalers do, in the terms that they think in: DeepSpeed in numbers of iterations, Megatron in two trackers
(sources in core/spec/scaler_settings.h; make_scaler_policies.py can compare them with the projects' own files).
"""

import math
import struct

PRESETS = {
    "pytorch": {},
    "deepspeed": {"init_scale": 2.0**16, "growth_interval": 1000, "hysteresis": 2, "growth_delay": 1, "floor": 1.0,
                  "at_floor": "stop"},
    "megatron": {"init_scale": 2.0**32, "growth_interval": 1000, "hysteresis": 2, "floor": 1.0},
}
DEFAULTS = {"init_scale": 2.0**16, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 2000,
            "hysteresis": 1, "hysteresis_refill": "growth", "growth_delay": 0, "floor": 0.0, "ceiling": 0.0,
            "at_floor": "continue"}


def settings_of(table):
    """The settings of a [trial.scaler] table: defaults, then the preset, then the keys that stand there."""
    table = dict(table)
    preset = table.pop("preset", "pytorch")
    return DEFAULTS | PRESETS[preset] | {k: v for k, v in table.items() if k != "enabled"}


def has_rules(settings):
    """Whether anything stands around PyTorch's own scaler."""
    return settings["hysteresis"] > 1 or any(settings[k] > 0 for k in ("growth_delay", "floor", "ceiling"))


def float32(value):
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


class Rules:
    """One call of `move` an update; `scale` and `tracker` are what the trainer sees."""

    def __init__(self, settings):
        self.s = settings
        self.scale = float32(settings["init_scale"])
        self.tracker = 0
        self.tolerance = settings["hysteresis"] - 1
        self.delay = settings["growth_delay"]

    def move(self, overflow):
        """Whether an overflow found the scale at its floor."""
        return self.overflow() if overflow else self.clean()

    def overflow(self):
        self.tracker = 0
        self.delay = self.s["growth_delay"]
        if self.tolerance > 0:
            self.tolerance -= 1
            return False
        floor = float32(self.s["floor"])
        at_floor = floor > 0 and self.scale <= floor
        self.scale = max(float32(self.scale * self.s["backoff_factor"]), floor)
        return at_floor

    def clean(self):
        full = self.s["hysteresis"] - 1
        if self.s["hysteresis_refill"] == "clean-step":
            self.tolerance = full
        if self.delay > 0:
            self.delay -= 1
            return False
        self.tracker += 1
        if self.tracker < self.s["growth_interval"]:
            return False
        self.tracker = 0
        grown = float32(self.scale * self.s["growth_factor"])
        if math.isfinite(grown):
            self.scale = grown
        if self.s["ceiling"] > 0:
            self.scale = min(self.scale, float32(self.s["ceiling"]))
        if self.s["hysteresis_refill"] == "growth":
            self.tolerance = full
        return False


class DeepSpeed:
    """The dynamic scaler of DeepSpeed: everything follows from the number of the last iteration that overflowed."""

    def __init__(self, init_scale, window, min_scale, hysteresis, refill_at_clean_step):
        self.scale, self.window, self.min_scale = init_scale, window, min_scale
        self.hysteresis, self.refill_at_clean_step = hysteresis, refill_at_clean_step
        self.left = hysteresis
        self.iteration, self.last_overflow = 0, -1

    def move(self, overflow):
        """Whether it would end the run: an overflow at the least scale."""
        ends = False
        if overflow:
            if self.left > 1:
                self.left -= 1
            elif self.scale == self.min_scale:
                ends = True
            else:
                self.scale = max(self.scale / 2, self.min_scale)
            self.last_overflow = self.iteration
        else:
            clean_before_this = self.iteration - self.last_overflow - 1
            grows = clean_before_this > 0 and clean_before_this % self.window == 0
            if grows:
                self.scale *= 2
            if grows or self.refill_at_clean_step:
                self.left = self.hysteresis
        self.iteration += 1
        return ends


class Megatron:
    """The dynamic scaler of Megatron: a growth tracker and a hysteresis tracker, clamped at the least scale."""

    def __init__(self, init_scale, window, min_scale, hysteresis, growth, backoff):
        self.scale, self.window, self.min_scale = init_scale, window, min_scale
        self.growth, self.backoff, self.hysteresis = growth, backoff, hysteresis
        self.clean, self.left = 0, hysteresis

    def move(self, overflow):
        if overflow:
            self.clean = 0
            self.left -= 1
            if self.left < 1:
                self.scale = max(float32(self.scale * self.backoff), self.min_scale)
            return False
        self.clean += 1
        if self.clean == self.window:
            self.clean = 0
            self.left = self.hysteresis
            self.scale = float32(self.scale * self.growth)
        return False
