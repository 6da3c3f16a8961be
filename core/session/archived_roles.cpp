// SPDX-License-Identifier: Apache-2.0
#include "core/session/archived_roles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/spec/names.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

using nlohmann::json;
using record::TrialKind;
using record::TrialRow;

std::string in_quotes(std::string_view text) { return '\'' + std::string(text) + '\''; }

std::string with_id(std::int64_t id) { return id == 0 ? "none" : "trial " + std::to_string(id); }

struct Repeat {
  TrialKind kind;
  std::string name;
};

/// What a run measures its reference with, in the order in which it begins them.
std::vector<Repeat> repeats_of(const spec::Experiment& run) {
  std::vector<Repeat> repeats;
  for (std::int64_t i = 1; i <= run.reference.repeats; ++i) {
    repeats.push_back({TrialKind::Repeat, spec::repeat_name(static_cast<std::size_t>(i))});
  }
  for (std::int64_t i = 1; i <= run.reference.rounding_repeats; ++i) {
    repeats.push_back({TrialKind::Rounding, spec::rounding_name(static_cast<std::size_t>(i))});
  }
  if (run.reference.float64) repeats.push_back({TrialKind::Rounding, spec::float64_name});
  return repeats;
}

class Roles {
 public:
  Roles(const std::vector<TrialRow>& rows, const ArchivedSettings& settings, const spec::Experiment& run)
      : rows_(rows), settings_(settings), run_(run), repeats_(repeats_of(run)) {}

  void check(bool has_checkpoints) {
    find_reference();
    for (const TrialRow& row : rows_) check_row(row);
    check_count_of_repeats(has_checkpoints);
  }

 private:
  [[noreturn]] void fail(const TrialRow& row, const char* column, const std::string& found,
                         const std::string& expected) const {
    settings_.fail("table trials, row " + std::to_string(row.id) + ", column " + column,
                   "an arm is not what the run was begun with", found, expected);
  }

  void require(const TrialRow& row, const char* column, const std::string& found, const std::string& expected) const {
    if (found != expected) fail(row, column, in_quotes(found), in_quotes(expected));
  }

  /// A run begins its reference first.
  void find_reference() {
    const TrialRow& first = rows_.front();
    if (first.start.kind != TrialKind::Reference) {
      fail(first, "kind", in_quotes(to_text(first.start.kind)), "'reference', the first arm of a run");
    }
    reference_ = first.id;
  }

  void check_row(const TrialRow& row) {
    const bool first = row.id == reference_;
    const std::int64_t compared_with = first ? 0 : reference_;
    switch (row.start.kind) {
      case TrialKind::Reference:
        if (!first) fail(row, "kind", "'reference'", "one reference: trial " + std::to_string(reference_));
        require(row, "name", row.start.name, spec::reference_name);
        break;
      case TrialKind::Trial:
        check_trial(row);
        break;
      case TrialKind::Repeat:
      case TrialKind::Rounding:
        check_repeat(row);
        break;
      case TrialKind::Foreign:  // also a word that there is not
        fail(row, "kind", "an arm that was not trained here", "'trial'");
    }
    if (row.start.reference != compared_with) {
      fail(row, "reference", with_id(row.start.reference), with_id(compared_with));
    }
  }

  void check_trial(const TrialRow& row) {
    const auto is_named = [&row](const spec::Trial& trial) { return trial.name == row.start.name; };
    const auto trial = std::find_if(run_.trials.begin(), run_.trials.end(), is_named);
    if (trial == run_.trials.end()) {
      const bool of_reference = row.start.name == spec::reference_name;
      const bool of_repeat = std::any_of(repeats_.begin(), repeats_.end(),
                                         [&row](const Repeat& repeat) { return repeat.name == row.start.name; });
      if (of_reference || of_repeat) fail(row, "kind", "'trial'", "the kind of arm that is called " + row.start.name);
      fail(row, "name", in_quotes(row.start.name), "a trial of the experiment");
    }
    const auto place = std::distance(run_.trials.begin(), trial);
    if (next_repeat_ > 0 || place < next_trial_) {
      fail(row, "name", in_quotes(row.start.name), "every trial once, in the experiment's order, before the repeats");
    }
    next_trial_ = place + 1;
    require(row, "autocast", row.start.autocast, spec::to_text(trial->autocast));
    require(row, "cast_policy", row.start.cast_policy, trial->cast_policy);
    // With what was run, not with what the text comes to now: another version may know other keys.
    const auto blocks = settings_.resolved().find("trial");
    if (blocks == settings_.resolved().end() || !blocks->is_array() || blocks->size() != run_.trials.size()) {
      settings_.fail(settings_.place_of("resolved"), "it lacks the trials of the run");
    }
    const json& block = blocks->at(static_cast<std::size_t>(place));
    const json policy = json::parse(row.start.policy, nullptr, false);
    if (policy.is_discarded() || policy != block) {
      fail(row, "policy", row.start.policy, block.dump());
    }
  }

  void check_repeat(const TrialRow& row) {
    if (next_repeat_ == repeats_.size()) {
      fail(row, "kind", in_quotes(to_text(row.start.kind)),
           repeats_.empty() ? "no repeat: the experiment asks for none"
                            : "no more than the " + std::to_string(repeats_.size()) + " repeats of the experiment");
    }
    const Repeat& expected = repeats_[next_repeat_++];
    if (row.start.kind != expected.kind) {
      fail(row, "kind", in_quotes(to_text(row.start.kind)), in_quotes(to_text(expected.kind)));
    }
    require(row, "name", row.start.name, expected.name);
  }

  /// A run that was killed while it began its arms has a part of them, and nothing to go on from.
  void check_count_of_repeats(bool has_checkpoints) {
    if (!has_checkpoints || next_repeat_ == 0 || next_repeat_ == repeats_.size()) return;
    fail(rows_.back(), "id", std::to_string(next_repeat_) + " repeats of the reference",
         std::to_string(repeats_.size()) + ": the rows after it are missing");
  }

  const std::vector<TrialRow>& rows_;
  const ArchivedSettings& settings_;
  const spec::Experiment& run_;
  std::vector<Repeat> repeats_;
  std::int64_t reference_ = 0;
  std::ptrdiff_t next_trial_ = 0;  // the first place in the experiment that may follow
  std::size_t next_repeat_ = 0;
};

}  // namespace

void check_roles(const std::vector<TrialRow>& rows, const ArchivedSettings& settings, const spec::Experiment& run,
                 bool has_checkpoints) {
  Roles(rows, settings, run).check(has_checkpoints);
}

}  // namespace mantissa::session
