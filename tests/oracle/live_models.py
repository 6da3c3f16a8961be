#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets official PyTorch train TorchScript files of real sizes for a few steps.

    live_models.py --models FOLDER --out FOLDER

writes OUT/NAME/ with the files of a fixture (README.md) for each model below. They are too large to store beside the
fixtures. The instruction set is the machine's own, on both sides.

A traced CNN is compared with its script: Python's autocast on a CPU does not cast the convolutions that tracing records, and
Mantissa rewrites them.
"""

import argparse
import os
from pathlib import Path

os.environ["MANTISSA_ORACLE_NATIVE"] = "1"

import reference_run
from make_fixtures import BF16, FP16, experiment, optimizer, scaler

BF16_JIT = 'name = "bf16-jit"\nautocast = "bfloat16"\ncast_policy = "jit"'
FP16_JIT = 'name = "fp16-jit"\nautocast = "float16"\ncast_policy = "jit"'
SCALED = 'name = "fp32-scaled"\nautocast = "off"' + scaler(enabled=True, init_scale=1024.0, growth_interval=2)
FEW_CASES = "\n\n[cases]\nholdout = 4"
SGD = optimizer(kind="sgd", lr=0.05, momentum=0.9)
ADAMW = optimizer(kind="adamw", lr=0.003)

PICTURES = '[data]\nsource = "fashion"\n'
CHARACTERS = '[data]\nsource = "shakespeare8"\ncontext = 24\nclasses = 96\n'
VOWELS = '[data]\nsource = "japanese_vowels"\n'
CONCRETE = '[data]\nsource = "concrete"\n'
NOISE = '[data]\nsource = "gaussian"\nrows = 40\nseed = 5\ntask = "regression"\nstandardize = false\n'
FACES = NOISE + "features = 1728\noutputs = 4\nshape = [3, 24, 24]\n"
SOUND = NOISE + "features = 512\noutputs = 1\n"

RESNET = (PICTURES, "", "seed = 3\nsteps = 4\nbatch = 8" + SGD + FEW_CASES, BF16, BF16_JIT)
FACE = (FACES, 'prediction = "output[0]"', 'seed = 6\nsteps = 5\nbatch = 8\nloss = "mse"' + ADAMW + FEW_CASES, BF16,
        FP16 + scaler(init_scale=4096.0, growth_interval=2))

# name: (file, file that Python runs, data, keys of [model], training, trials)
MODELS = {
    "resnet20-script": ("resnet20_fashion.script.pt", "resnet20_fashion.script.pt", *RESNET),
    "resnet20-trace": ("resnet20_fashion.trace_train.pt", "resnet20_fashion.script.pt", *RESNET[:3], BF16),
    "chargpt": ("chargpt_manual_1e9.script.pt", "chargpt_manual_1e9.script.pt", CHARACTERS, "",
                "seed = 4\nsteps = 4\nbatch = 2\nclip_norm = 1.0" + ADAMW + FEW_CASES, BF16, BF16_JIT,
                FP16_JIT + scaler(init_scale=2.0**14, growth_interval=2)),
    "lstm-vowels": ("lstm_vowels.script.pt", "lstm_vowels.script.pt", VOWELS, "",
                    "seed = 5\nsteps = 4\nbatch = 6" + ADAMW + FEW_CASES, BF16, SCALED),
    "mlp-concrete-script": ("mlp_concrete.script.pt", "mlp_concrete.script.pt", CONCRETE, "",
                            "seed = 6\nsteps = 12\nbatch = 24" + ADAMW + FEW_CASES, BF16,
                            FP16 + scaler(init_scale=256.0, growth_interval=2), BF16_JIT),
    "mlp-concrete-trace": ("mlp_concrete.trace_eval.pt", "mlp_concrete.trace_eval.pt", CONCRETE, "",
                           "seed = 6\nsteps = 12\nbatch = 24" + ADAMW + FEW_CASES, BF16,
                           FP16 + scaler(init_scale=256.0, growth_interval=2)),
    "mtcnn-rnet-script": ("real_mtcnn_RNet.script.pt", "real_mtcnn_RNet.script.pt", *FACE),
    "mtcnn-rnet-trace": ("real_mtcnn_RNet.trace.pt", "real_mtcnn_RNet.script.pt", *FACE),
    "silero-vad": ("silero_vad.jit", "silero_vad.jit", SOUND, 'inputs = ["x", 16000]',
                   'seed = 7\nsteps = 5\nbatch = 8\nloss = "mse"' + ADAMW + FEW_CASES, BF16,
                   FP16 + scaler(init_scale=4096.0, growth_interval=2)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("names", nargs="*", default=list(MODELS))
    arguments = parser.parse_args()
    for name in arguments.names:
        file, judged, data, keys, training, *trials = MODELS[name]
        folder = arguments.out / name
        folder.mkdir(parents=True, exist_ok=True)

        def text(model_file):
            path = (arguments.models / model_file).resolve()
            return experiment(f"{model_file} for a few steps.", data, f'kind = "torchscript"\npath = "{path}"\n{keys}',
                              training, *trials)

        (folder / "experiment.toml").write_text(text(judged))
        reference_run.run(folder / "experiment.toml", folder)
        (folder / "experiment.toml").write_text(text(file))


if __name__ == "__main__":
    main()
