// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/clock.h"
#include "core/archive/process_identity.h"
#include "core/archive/sqlite.h"
#include "core/archive/tensor_chunks.h"
#include "core/record/checkpoint.h"

namespace mantissa::archive {

/// Writes a set of checkpoints in pieces, between which other work is done; then removes what need not be kept.
class CheckpointWork {
 public:
  /// \param largest_inside  states of more bytes go into files beside the archive
  CheckpointWork(record::CheckpointSet set, std::int64_t largest_inside);

  /// One piece, at most 4 MiB. False where all is done. After an exception it may be called again: nothing of the set
  /// shows before its last piece is there.
  bool step(Connection& connection);

 private:
  void insert_set(Connection& connection);

  record::CheckpointSet set_;
  std::vector<TensorPieces> pieces_;  // of each arm
  std::size_t arm_ = 0;               // the arm whose tensors are being stored
  bool inserted_ = false;
  std::vector<std::int64_t> unused_;  // pieces of removed checkpoints
};

/// The state of an arm at a step, every byte and number checked.
/// \throws Error UnknownTrial where there is no such checkpoint; ArchiveDamaged, which names what is damaged.
record::ArmState read_state(Connection& connection, std::int64_t trial, std::int64_t step);

void insert_evaluation(Connection& connection, const record::Evaluation& evaluation);

record::History read_history(Connection& connection, std::int64_t trial);

/// Opens the arms again at a checkpoint, inside the caller's transaction: they run in this process, and what stood in
/// the archive after that step, or was made of it, is gone. Returns pieces that may be unused now.
/// \throws Error InvalidSetting where an arm still runs.
std::vector<std::int64_t> reopen_trials(Connection& connection, const std::vector<std::int64_t>& trials,
                                        std::int64_t step, const std::string& overrides, const ProcessIdentity& who,
                                        UtcTime now);

/// 'checkpoint 500'
std::string checkpoint_moment(std::int64_t step);

}  // namespace mantissa::archive
