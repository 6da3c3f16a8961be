// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/trial.h"
#include "core/record/verdict.h"
#include "core/spec/experiment.h"

namespace mantissa::judge {

/// How the task decides (EXPERIMENT.md 1, decision 6).
enum class DecisionKind {
  None,         ///< regression: no decision
  ArgMax,       ///< lowest index on ties
  Probability,  ///< bce: class 1 if p >= threshold
  Logit,        ///< bce_with_logits: class 1 if logit >= 0
};

struct DecisionRule {
  DecisionKind kind = DecisionKind::None;
  double threshold = 0.5;  ///< Probability only
  std::string ties = "lowest-index";
};

/// Fills in everything of the rows that follows from ids, kinds, targets and the three outputs: decisions, ties,
/// margins, flips, errors, correct. `rows` is the whole frozen set: case_relative needs its RMS.
void compare(std::vector<record::CaseRow>& rows, const DecisionRule& decision);

/// How targets go back to their own unit (data/dataset.h says the same for tensors).
struct TargetUnit {
  std::vector<double> scale;
  std::vector<double> offset;
  bool log10 = false;
};

/// accuracy, rmse or mae of one of the three outputs; NaN where outputs are non-finite and the metric needs them.
/// rmse and mae are in the target's own unit.
double quality(const std::vector<record::CaseRow>& rows, const std::string& metric, spec::Of of, bool reference,
               const TargetUnit& unit);

/// What was measured of one trial: everything a verdict may rest on.
struct Evidence {
  std::string device = "cpu";
  std::string cast_policy = "device";
  std::string autocast;  ///< "off", "float16", "bfloat16"
  record::Status status = record::Status::Finished;
  std::string failure, failure_text;
  record::Counts counts;
  std::int64_t max_consecutive_skips = 0;
  std::int64_t first_non_finite_loss_step = 0;  ///< of a step that was applied or not explained by the scaler; 0: none
  std::vector<std::string> non_finite;  ///< what else was non-finite: "parameter fc1.weight", "buffer bn.running_mean"
  std::vector<std::string> non_finite_reference;  ///< the same of the reference: makes it unfit, verdict undecided
  bool reference_finished = true;
  bool cases_are_training_rows = false;  ///< there was no test part; the verdict says so
  DecisionRule decision;
  spec::Task task = spec::Task::Classification;
  TargetUnit unit;
  std::vector<record::CaseRow> cases;  ///< after `compare`
};

/// Judges a trial by the rules that were fixed before its first step. The worst rule decides: rejected, then
/// undecided, then accepted. Without rules only `non_finite` applies and a clean trial is undecided.
record::Verdict judge(const std::optional<spec::Rules>& rules, const std::string& rules_sha256,
                      const Evidence& evidence);

}  // namespace mantissa::judge
