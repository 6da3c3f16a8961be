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

/// Stores tensors a few pieces at a time, so that other writers and other work get their turn; the rows that name the
/// pieces come last, all in one transaction: a reader sees all tensors or none.
class TensorPieces {
 public:
  /// \param tensors  must outlive this.
  /// \param outside  pieces go into files in the folder `<archive>.chunks` instead of the archive itself.
  TensorPieces(const std::vector<record::TensorBytes>& tensors, bool outside);

  /// Stores up to 4 MiB in a transaction of its own. False where everything is stored. After an exception it may be
  /// called again.
  bool store_some(Connection& connection);

  /// The rows of an arm's moment, inside the caller's transaction. Stores again what another process has removed.
  void insert_rows(Connection& connection, std::int64_t trial, const std::string& moment) const;

  /// SHA-256 of each tensor's pieces, complete once `store_some` returns false.
  const std::vector<std::vector<std::string>>& digests() const { return digests_; }

 private:
  const std::vector<record::TensorBytes>& tensors_;
  bool outside_;
  std::size_t tensor_ = 0;  // the next piece to store
  std::size_t offset_ = 0;
  std::vector<std::vector<std::string>> digests_;
};

/// All of it at once. Replaces what stood there.
void store_tensors(Connection& connection, std::int64_t trial, const std::string& moment,
                   const std::vector<record::TensorBytes>& tensors);

/// The tensors whose names begin with `prefix`, in order; empty where the arm has none of that moment. `digests`, if
/// given, receives the SHA-256 of their pieces. \param what  names them in errors: "the weights".
/// \throws Error ArchiveDamaged where a hash or a size is wrong, or a piece is missing; the tensor stands in it.
std::vector<record::TensorBytes> load_tensors(Connection& connection, std::int64_t trial, const std::string& moment,
                                              const std::string& what, const std::string& prefix = {},
                                              std::vector<std::vector<std::string>>* digests = nullptr);

/// Removes the rows inside the caller's transaction and returns the pieces that they named.
std::vector<std::int64_t> remove_tensors(Connection& connection, std::int64_t trial, const std::string& moment);

/// Removes a piece that no tensor names any more, in a transaction of its own.
void remove_unused_piece(Connection& connection, std::int64_t piece);

/// "[64, 16]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace mantissa::archive
