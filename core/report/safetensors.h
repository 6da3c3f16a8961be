// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/record/checkpoint.h"
#include "core/record/trial.h"
#include "core/report/table_writer.h"

namespace mantissa::report {

/// Tensors as a safetensors file: what `safetensors.torch.load_file` reads. Laid out as the official writer does,
/// widest dtype first, then by name, so that every tensor is aligned and equal weights give equal files. \throws Error
/// CallOrder where two tensors share a name, or bytes and shape of one do not fit.
void write_safetensors(const std::vector<record::TensorBytes>& tensors, const Sink& sink);

/// A state as a safetensors file: its tensors under their names (core/train/checkpoint.h lists them), its numbers as
/// texts in the file's metadata.
void write_checkpoint(const record::ArmState& state, const Sink& sink);

}  // namespace mantissa::report
