// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/case_row.h"
#include "core/record/trial.h"
#include "core/record/verdict.h"
#include "core/spec/experiment.h"

namespace mantissa::judge {

/// How the task decides.
enum class DecisionKind {
  None,         ///< regression: no decision
  ArgMax,       ///< lowest index on ties
  Probability,  ///< bce: class 1 if p >= threshold
  Logit,        ///< bce_with_logits: class 1 if logit >= 0
  Threshold,    ///< regression with rules.threshold: class 1 if output >= threshold, both in the model's units
};

struct DecisionRule {
  DecisionKind kind = DecisionKind::None;
  double threshold = 0.5;  ///< Probability and Threshold
  /// What flips, ties and margins are of. Qualities and utilities are of the task's own decision whatever stands here.
  spec::FlipsDecision form = spec::FlipsDecision::Task;  ///< another one: ArgMax only
  std::int64_t k = 0;                                    ///< of TopK: at least 1, less than the outputs of a decision
  std::string ties = "lowest-index";                     ///< as spec::FlipsRule
  double tie_within = 0.0;                               ///< in the model's units
  std::int64_t ignore_index = -100;  ///< ArgMax: a target with this index is neither right nor wrong
  std::int64_t positions = 0;        ///< ArgMax at every one of these positions (language models); 0: one a case
  bool log_probabilities = false;    ///< of positions: outputs are log-probabilities (loss nll), not logits
};

/// Fills in everything of the rows that follows from ids, kinds, targets and the three outputs: decisions, ties,
/// margins, flips, errors, correct. `rows` is the whole frozen set: case_relative needs its RMS.
///
/// Non-finite outputs: the difference of a NaN and anything is NaN, of two unequal infinities or an infinity and a
/// number +infinity, of two equal infinities 0; units in the last place are FP32's, and +infinity where two numbers
/// differ of which FP32 cannot hold one (1e300, 1e-300); the RMS and the largest reference output are taken over what
/// is finite. A case with a non-finite output has no decision on that side, which counts as a flip. A missing (empty)
/// output makes its errors NaN and is no flip; exports leave such cells empty.
///
/// Decisions (decision.h has the words for people): arg-max takes the largest output, of tied ones by the rule of ties,
/// margin = top - second (nothing with one class); class 1 where the output reaches the threshold (0 for logits),
/// margin = the distance from there. With several binary outputs a case, bit i of the decision is output i, the margin
/// is the smallest one, a tie anywhere is a tie; beyond 62 of them flips and `correct` still hold but `decision` is
/// empty. top-k: bit i of the decision is set where output i is among the k largest, margin = k-th - (k+1)-th output,
/// correct where the target is among them. ranking: `decision` is empty, margin = the smallest gap between neighbours
/// in the order, correct where the target comes first.
///
/// Tie: the margin is at most tie_within. ties = "lowest-index", "highest-index": of tied outputs the lower, or higher,
/// index comes first; on which side of a threshold a value falls they do not change. "tie-is-a-decision": the tie is
/// the outcome (`decision` is -1), another one than any class and than a tie of other outputs, and never correct unless
/// the tie leaves the target's place alone (top-k, ranking).
///
/// With positions a case's outputs are positions × classes: decisions, ties, flips and correct ones are counted over
/// the positions (positions.h), `decision` and `correct` stay empty, and outputs and targets are dropped at the end.
/// "Correct" is there by the task's own decision. \throws Error (DataProblem) if the outputs of a case differ in
/// length, (InvalidSetting) for unknown `ties`.
void compare(std::vector<record::CaseRow>& rows, const DecisionRule& decision);

/// How far an output is from another decision: `margin_reference` of `compare`, and of a case with positions the
/// smallest one. Nothing where no decision is made.
std::optional<double> margin(const DecisionRule& decision, const std::vector<double>& output);

/// Sums up over which reference outputs `compare` takes the RMS, for rows that are compared one by one.
class ReferenceScale {
 public:
  void add(const std::vector<double>& output_reference);
  double rms() const;

 private:
  double sum_ = 0.0;
  double largest_ = 0.0;
  double sum_of_shares_ = 0.0;  // of squares divided by that of largest_, for values that cannot be squared
  std::int64_t count_ = 0;
};

/// The same for one row of a set with this RMS.
void compare(record::CaseRow& row, const DecisionRule& decision, double rms);

/// How targets go back to their own unit (data/dataset.h says the same for tensors).
struct TargetUnit {
  std::vector<double> scale;
  std::vector<double> offset;
  bool log10 = false;
};

/// One of spec::metrics_of of one of the three outputs over the cases that have a target, after `compare`.
///
/// rmse, mae, worst_error (the largest) and extreme_error (the mean over a tenth of the cases, at least one, whose
/// targets are farthest from the median target; of several targets the first one says) are in the target's own unit,
/// and NaN or infinite where an output is. For accuracy a case without a decision is a wrong one. f1 is the plain mean
/// over the classes (scores.h), with a case without a decision as a class of its own that is never right; auc ranks by
/// the second output less the first one, or by the single output; log_loss takes the softmax of outputs, a probability
/// as it is (NaN outside 0 to 1), and the logistic function of a logit. NaN where a metric needs another kind of
/// output. With positions accuracy is the share of right ones, and perplexity the exponential of the mean negative
/// log-likelihood over all positions of all cases, in FP64. NaN where no case has a target, or where a case lacks the
/// output. \throws Error (InvalidSetting) for an unknown metric, (DataProblem) if a target's length is not the
/// output's.
double quality(const std::vector<record::CaseRow>& rows, const std::string& metric, spec::Of of, bool reference,
               const TargetUnit& unit, const DecisionRule& decision);

/// A trial of the same name in a run that differs in its seed alone.
struct OtherSeed {
  std::uint64_t seed = 0;
  std::vector<record::CaseRow> cases;  ///< after `compare`
};

/// What a trial costs beside its reference, measured after the validation with probes off.
struct CostEvidence {
  record::Costs own;
  std::optional<record::Gains> reference;
  std::string missing;  ///< why something is not there: "gains were switched off"; empty: nobody knows
};

/// What was measured of one trial: everything a verdict may rest on.
struct Evidence {
  std::string device = "cpu";
  std::string cast_policy = "device";
  std::string autocast;  ///< "off", "float16", "bfloat16"
  /// Where the trial went on under another policy. The last one is judged, as the scope says; the reasons name all.
  std::vector<record::PolicyChange> policy_changes;
  record::Status status = record::Status::Finished;
  std::string failure, failure_text;
  record::Counts counts;  ///< of the trial's own steps: a child's begin where it left its parent
  std::int64_t max_consecutive_skips = 0;
  std::int64_t first_non_finite_loss_step = 0;  ///< skipped or not; 0: none
  std::vector<std::string> non_finite;  ///< what else was non-finite: "parameter fc1.weight", "buffer bn.running_mean"
  std::vector<std::string> non_finite_reference;  ///< the same of the reference: makes it unfit, verdict undecided
  bool reference_finished = true;
  std::string reference_failure_text;  ///< why it did not finish; may be empty
  /// Every gradient of every attempted step was exactly zero while the reference's were not. Nothing: not measured.
  std::optional<bool> gradients_all_zero;
  /// Attempted steps whose gradients were all exactly zero, where the reference had no such step; else 0.
  std::int64_t zero_gradient_steps = 0;
  /// No weight changed although updates were applied, while the reference's did. Nothing: not measured.
  std::optional<bool> weights_unchanged;
  /// Of a run that was made elsewhere, what nobody here has looked at: "weights and buffers". Named in the verdict, and
  /// never taken for sound. Empty: everything was looked at.
  std::vector<std::string> not_looked_at;
  /// Of such a run, empty cells where a column has values, or must have them: "loss is empty in 2 of 4 steps, first at
  /// step 2 (S.csv, line 3)". They leave `non_finite` undecided, because some writers leave a NaN empty.
  std::vector<std::string> holes;
  bool made_elsewhere = false;  ///< known from files alone, which are of one seed
  /// What a reader of the verdict must know of how it came about; stands among its reasons whatever it is.
  std::vector<std::string> circumstances;
  /// Why nothing is known of attempted, applied and skipped steps; empty: they are known.
  std::string steps_missing;
  bool cases_are_training_rows = false;  ///< there was no test part; the verdict says so
  DecisionRule decision;
  spec::Task task = spec::Task::Classification;
  TargetUnit unit;
  std::vector<record::CaseRow> cases;  ///< after `compare`
  /// The reference against itself on the same cases, after `compare`; nothing: not measured.
  std::vector<std::vector<record::CaseRow>> rounding;  ///< other thread counts, FP64: in the columns *_same_weights
  std::vector<std::vector<record::CaseRow>> spread;    ///< whole repeats: in the columns of the arm's own weights
  std::optional<spec::Utility> utility;                ///< nothing: none was declared
  std::vector<OtherSeed> other_seeds;  ///< for non-inferiority; each seed once, this trial's own not among them
  CostEvidence costs;
  std::optional<std::size_t> float64;  ///< which of `rounding` holds the outputs in FP64; nothing: none does
};

/// The rule's measure over these cases, reduced as the rule says; NaN for no cases. \param autocast  chooses tolerances
double reduced_measure(const std::vector<record::CaseRow>& cases, const spec::OutputRule& rule,
                       const std::string& autocast);

/// The yardstick of a measure: the largest `reduced_measure` of the repeats, because a single repeat is a single draw
/// of what may happen. NaN where one of them is; nothing without repeats.
std::optional<double> yardstick(const std::vector<std::vector<record::CaseRow>>& repeats, const spec::OutputRule& rule,
                                const std::string& autocast);

/// Judges a trial by the rules that were fixed before its first step. The worst rule decides: rejected, then
/// undecided, then accepted. Without rules only the rules that always apply do, and a clean trial is undecided.
///
/// Always applied: `non_finite`; `run` (where the trial did not simply finish); `progress.underflow` (where it was
/// measured): rejected where no weight changed, or gradients were exactly zero in more than half of the attempted
/// steps, while the reference trained (of a run that was made elsewhere, whatever its reference did, which nobody
/// knows); undecided where they were in more than one of a hundred. Four things make
/// everything undecided, whatever the rules found: a trial that was stopped or interrupted, a reference that failed, a
/// reference that is non-finite (in an output beside the prediction, too), and a target on which this trial did not
/// run. What the rules found stands in their reasons.
///
/// Reasons are clauses that stand behind "rejected: " or "undecided: ": no capital, no full stop, four significant
/// digits, at most three cases by id. They stand for themselves and need no other field.
/// \throws Error (NotYetAvailable) for a measure that this version does not have.
record::Verdict judge(const std::optional<spec::Rules>& rules, const std::string& rules_sha256,
                      const Evidence& evidence);

}  // namespace mantissa::judge
