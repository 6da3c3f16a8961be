// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/record/trial.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// The settings of a run as its archive holds them, and whether they are still what was written: a flipped bit must not
/// become another batch or another learning rate. Damage is an Error ArchiveDamaged that names table, row and column.
class ArchivedSettings {
 public:
  /// Compares every text that has a hash with it. \param archive  for messages
  /// \throws Error ArchiveDamaged.
  ArchivedSettings(record::ExperimentStart archived, std::int64_t experiment_id, std::string archive);

  const record::ExperimentStart& start() const { return archived_; }

  /// The experiment of the archived text, compared with what it came to when it was run, value by value; what the run
  /// filled in follows from the data, and is not in the text. \param file  where its relative paths begin
  spec::Experiment experiment(const std::string& file) const;

  /// What the run came to with every default filled in.
  const nlohmann::json& resolved() const { return resolved_; }

  /// What locked the reference.
  const nlohmann::json& lock() const { return lock_; }

  /// The --set of a trial's newest resumption: its list, which has no hash.
  std::vector<std::string> overrides(const std::string& list, std::int64_t trial) const;

  /// Refuses the archive. \param place  "table trials, row 7, column kind"
  [[noreturn]] void fail(const std::string& place, const std::string& problem, const std::string& found = {},
                         const std::string& expected = {}) const;

  /// Of a column of the run's experiment, for `fail`.
  std::string place_of(const std::string& column) const;

 private:
  void check_hash(const std::string& text, const std::string& hash, const std::string& column) const;
  nlohmann::json parsed(const std::string& text, const std::string& column) const;

  record::ExperimentStart archived_;
  std::int64_t id_;
  std::string archive_;
  nlohmann::json resolved_;
  nlohmann::json lock_;
};

/// Every value of a document under its key path: "training.optimizer[0].lr".
std::map<std::string, nlohmann::json> flattened(const nlohmann::json& document);

}  // namespace mantissa::session
