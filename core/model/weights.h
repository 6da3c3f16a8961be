// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/network.h"

namespace mantissa::model {

/// Whether a file should be read as a TorchScript model: a zip archive that is not called .safetensors and is no
/// archive of torch.save. \throws Error FileProblem where the archive is damaged.
bool is_torchscript(const std::string& path);

/// The tensors of a weights file: safetensors, or a `.pt` state dict. The kind is found by the content; a file that is
/// called .safetensors must be one.
/// \throws Error FileProblem, as the readers.
std::vector<NamedTensor> read_weights(const std::string& path);

/// Puts the tensors of a weights file in the place of a network's parameters and buffers.
///
/// Strict: every name of the network must be there (of names that share one tensor, one is enough), no other, and
/// shapes must be equal. Dtypes are equal, or floats that are widened exactly; nothing is ever rounded. Nothing is
/// changed where anything does not fit.
/// \return notes: which dtype was widened.
/// \throws Error FileProblem as read_weights; ModelProblem that lists the first eight names that are missing,
///         unexpected, or of another shape or dtype.
std::vector<std::string> load_weights(Network& network, const std::string& path);

}  // namespace mantissa::model
