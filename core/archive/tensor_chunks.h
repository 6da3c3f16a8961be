// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/sqlite.h"
#include "core/record/trial.h"

namespace mantissa::archive {

/// Tensors are cut into pieces of this size; equal pieces are stored once.
inline constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

/// Stores the tensors, a transaction a piece so that other writers get their turn; the rows that name the pieces come
/// last, all in one transaction: a reader sees all tensors or none. Replaces what stood there.
void store_tensors(Connection& connection, std::int64_t trial, const std::string& moment,
                   const std::vector<record::TensorBytes>& tensors);

/// Empty where the arm has no tensors of that moment. \throws Error ArchiveDamaged where a hash or a size is wrong.
std::vector<record::TensorBytes> load_tensors(Connection& connection, std::int64_t trial, const std::string& moment);

}  // namespace mantissa::archive
