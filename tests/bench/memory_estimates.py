#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other estimators say of the models of ledger_bench, on their Python twins.

    memory_estimates.py EXPERIMENT.json

EXPERIMENT.json holds `model` as tests/oracle/reference_run.py builds it, `inputs` (the shape of one sample), `outputs`,
`dtype` of the inputs and `microbatch`. Prints one JSON line of bytes; null where a package is not installed:

    accelerate  accelerate.utils.calculate_maximum_sizes: the total size, four times of it for training with Adam, as
                `accelerate estimate-memory` multiplies it
    torchinfo   torchinfo.summary: input, forward/backward pass and parameters
    deepspeed   the formula of estimate_zero2_model_states_mem_needs on one device without offload: 4 bytes a parameter
                and 16 bytes a parameter
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracle"))

import reference_run
import torch


def accelerate_bytes(model):
    try:
        from accelerate.utils import calculate_maximum_sizes
    except ImportError:
        return None
    return 4 * int(calculate_maximum_sizes(model)[0])


def torchinfo_bytes(model, sample):
    try:
        import torchinfo
    except ImportError:
        return None
    summary = torchinfo.summary(model, input_data=sample, verbose=0)
    return int(summary.total_input + summary.total_output_bytes + summary.total_param_bytes)


def main():
    experiment = json.loads(Path(sys.argv[1]).read_text())
    shape = [experiment["microbatch"], *experiment["inputs"]]
    if experiment["dtype"] == "int64":
        sample = torch.randint(experiment["outputs"], shape)
    else:
        sample = torch.randn(shape)
    model = reference_run.build_model(experiment["model"], sample, experiment["outputs"])
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(
        json.dumps(
            {
                "parameters": parameters,
                "accelerate": accelerate_bytes(model),
                "torchinfo": torchinfo_bytes(model, sample),
                "deepspeed": 4 * parameters + 16 * parameters,
            }
        )
    )


if __name__ == "__main__":
    main()
