// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/network.h"

namespace mantissa::model {

/// The tensors of a safetensors file, in the order of their data.
///
/// As strict as the official reader: a header of at most 100 MB that is one JSON object with unique names, every tensor
/// as large as its dtype and shape say, and the tensors covering the data without a hole, an overlap or a rest. Nothing
/// is allocated before the header is known to be sound.
/// \throws Error FileProblem with the cause and the tensor.
std::vector<NamedTensor> read_safetensors(const std::string& path);

}  // namespace mantissa::model
