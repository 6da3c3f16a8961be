// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/session/prepared.h"

namespace mantissa::session {

/// Everything that fixes the reference, as JSON with sorted keys: model and training settings, data and its order,
/// initial weights, preprocessing, mode, seeds, code version, LibTorch build, CPU, threads, flags. Two references with
/// equal locks are the same reference. Of a TorchScript model also the SHA-256 of its file: equal weights may stand in
/// files with other code.
/// \param initial_weights_sha256  `state_sha256` of the prepared network.
std::string reference_lock(const Prepared& prepared, const std::string& initial_weights_sha256);

/// The tensors of a network as bytes, by state_dict name.
std::vector<record::TensorBytes> state_bytes(const model::Network& network);

/// SHA-256 over names, types, shapes and bytes of all tensors.
std::string state_sha256(const model::Network& network);
std::string state_sha256(const std::vector<record::TensorBytes>& tensors);

}  // namespace mantissa::session
