// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/network.h"

namespace mantissa::model {

/// The tensors of a `.pt` file that `torch.save(model.state_dict(), path)` wrote (the zip format of PyTorch 1.6 and
/// later), in the dictionary's order.
///
/// The pickle inside is read by a machine of our own that knows the few opcodes and globals a dictionary of tensors
/// needs (OrderedDict, the tensor and parameter rebuilders, the storage types); nothing is ever executed, and anything
/// else is refused by its name. Sizes, strides and offsets are checked against the storages' real sizes.
/// \throws Error FileProblem: old format, damaged, a TorchScript model, other content (its keys are named).
std::vector<NamedTensor> read_state_dict(const std::string& path);

}  // namespace mantissa::model
