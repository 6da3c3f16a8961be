# SPDX-License-Identifier: Apache-2.0
"""Makes the files of weights/ with official PyTorch 2.11 and safetensors 0.8: run it in that folder.

All hold the same layer of two inputs and one output with weight [0.1, -2.5] and bias [3], or go wrong in one way.
"""
import collections
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

sys.path.append(str(Path(__file__).resolve().parents[3] / "packaging"))
import plain_torchscript

layer = torch.nn.Linear(2, 1)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[0.1, -2.5]]))
    layer.bias.fill_(3)
state = layer.state_dict()

torch.save(state, "linear.pt")
torch.save(state, "linear_protocol4.pt", pickle_protocol=4)
torch.save({"weight": layer.weight, "bias": layer.bias}, "parameters.pt")
storage = torch.tensor([9.0, 0.1, 9.0, -2.5, 3.0])
torch.save({"weight": storage[1:4:2].view(1, 2), "bias": storage[4:]}, "one_storage.pt")
torch.save({name: tensor.half() for name, tensor in state.items()}, "linear_fp16.pt")
torch.save({name: tensor.double() for name, tensor in state.items()}, "linear_fp64.pt")
torch.save({"weight": torch.ones(2, 1), "wieght": torch.ones(1, 2)}, "names.pt")
save_file(state, "linear.safetensors")

torch.save({"epoch": 3, "state_dict": state}, "checkpoint.pt")
torch.save(state, "old_format.pt", _use_new_zipfile_serialization=False)
torch.save(layer, "whole_module.pt")
torch.save([1, 2], "list.pt")


class Runs:
    def __reduce__(self):
        return (exec, ("raise SystemExit('this must never run')",))


torch.save(collections.OrderedDict(weight=Runs()), "runs_code.pt")
torch.jit.script(layer).save("torchscript.pt")
plain_torchscript.remove_paths("torchscript.pt")
