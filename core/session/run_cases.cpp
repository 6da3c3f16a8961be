// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_cases.h"

#include <optional>
#include <vector>

#include "core/archive/reader.h"
#include "core/base/error.h"

namespace mantissa::session {
namespace {

[[noreturn]] void refuse_trial(const record::TrialRow& trial, const std::string& problem) {
  throw Error(ErrorKind::UnknownTrial,
              {problem, "", 0, 0, "--cases-from", "trial " + std::to_string(trial.id) + " (" + trial.start.name + ')',
               "a finished trial of this version", ""});
}

FrozenCases same_cases(const Prepared& prepared, const std::string& archive, std::int64_t taken_from) {
  const archive::Reader reader(archive);
  const record::TrialRow trial = reader.trial(taken_from);
  const std::vector<record::CaseRow> members = reader.cases(taken_from);
  if (members.empty()) refuse_trial(trial, "the trial has no frozen cases: it did not come to its end");
  const std::optional<record::CaseSet> set = reader.case_set(trial.experiment_id);
  if (!set || set->sha256.empty()) {
    refuse_trial(trial, "no hash of the trial's frozen set is kept, so nothing shows that it is the same");
  }
  return freeze_same_cases(prepared.experiment, prepared.dataset, members, set->sha256);
}

}  // namespace

FrozenCases frozen_cases_of_run(const Prepared& prepared, const std::string& archive, std::int64_t taken_from) {
  FrozenCases cases =
      taken_from == 0 ? freeze_cases(prepared.experiment, prepared.dataset) : same_cases(prepared, archive, taken_from);
  if (!cases.is_complete() && prepared.experiment.training.evaluate_every) {
    cases.notes.emplace_back(
        "Evaluations during the training are over the frozen cases without the boundary cases, which the final "
        "reference chooses; the last one is over all of them.");
  }
  if (prepared.prediction_is_loss) {
    for (record::CaseRow& row : cases.rows) row.target.clear();  // nothing that an output could be compared with
  }
  return cases;
}

std::int64_t cases_taken_from(const std::string& archive, std::int64_t experiment) {
  const std::optional<record::CaseSet> set = archive::Reader(archive).case_set(experiment);
  return set ? set->taken_from : 0;
}

record::CaseSet case_set_of(const FrozenCases& cases, std::int64_t taken_from) {
  record::CaseSet set;
  set.sha256 = cases.members_sha256;
  set.cases = static_cast<std::int64_t>(cases.rows.size());
  set.taken_from = taken_from;
  return set;
}

}  // namespace mantissa::session
