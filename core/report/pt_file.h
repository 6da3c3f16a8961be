// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/record/trial.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// Tensors as `torch.save(state_dict, path)` of PyTorch 1.6 and later writes them: what
/// `torch.load(path, weights_only=True)` gives back as an OrderedDict. Equal weights give equal files.
/// \throws Error CallOrder for a dtype that torch has no storage class for or a tensor whose bytes do not fit its
/// shape;
///         InvalidSetting for more than 4 GB, which wants safetensors.
void write_pt(const std::vector<record::TensorBytes>& tensors, const Sink& sink);

}  // namespace mantissa::report
