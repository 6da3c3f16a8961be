// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::record {

enum class CaseKind { Ordinary, Edge, Boundary };
std::string_view to_text(CaseKind kind);
std::optional<CaseKind> case_kind_from_text(std::string_view text);

/// All outputs of a case, in the model's units and order; empty: not measured.
struct GoldenOutputs {
  std::vector<double> reference, trained, same_weights;
};

/// An output of a model beside its prediction, which a rule names; in the model's units and order. Empty: not measured.
struct OtherOutput {
  std::string selector;  ///< as the rule names it: "output[1]", "output.boxes"
  std::vector<double> reference, trained, same_weights;
};

/// What a trial made of one frozen case. Non-finite values are values; an empty `optional` is "not measured".
///
/// `outputs` are in the model's units (after the target transform), flattened per case, in the model's own order.
/// `export cases` writes them in this order (case_columns.h).
struct CaseRow {
  std::string id;
  CaseKind kind = CaseKind::Ordinary;
  std::string slice;
  std::vector<double> target;  ///< class index, or the target's elements in the model's units; empty: none

  std::vector<double> output;               ///< the trial's own weights (`trained`)
  std::vector<double> output_reference;     ///< the reference
  std::vector<double> output_same_weights;  ///< the reference's weights under the trial's policy

  // Decisions: empty for tasks without one and for non-finite outputs.
  std::optional<std::int64_t> decision, decision_reference, decision_same_weights;
  bool tie = false, tie_reference = false;
  std::optional<double> margin, margin_reference;
  bool flip = false, flip_same_weights = false;

  // trained against reference; NaN where an output is NaN or missing (a missing one is empty above) …
  double abs_error = 0.0;  ///< largest |o - o_ref| of the case
  double rel_error = 0.0;  ///< largest |o - o_ref| / |o_ref| of the case; 0/0 = 0, x/0 = infinity
  double case_relative =
      0.0;                 ///< largest |o - o_ref| of the case / max(its largest |o_ref|, RMS of o_ref over all cases)
  double ulp_error = 0.0;  ///< largest distance in FP32 units in the last place
  // … and the reference's weights under the trial's policy against the reference.
  double abs_error_same_weights = 0.0;
  double rel_error_same_weights = 0.0;
  double case_relative_same_weights = 0.0;
  double ulp_error_same_weights = 0.0;

  // Tasks with a decision per position (language models) only: counts over the positions of the case, the mean negative
  // log-likelihood of its targets in natural logarithms, and the RMS of the outputs' difference. A case flips where a
  // position does. What these were computed from, positions × classes outputs a side and the targets, is not kept: the
  // vectors above are empty then, and the errors below were taken before.
  std::optional<std::int64_t> positions;
  std::optional<std::int64_t> position_flips, position_flips_same_weights;
  std::optional<std::int64_t> positions_correct, positions_correct_reference, positions_correct_same_weights;
  std::optional<std::int64_t> positions_non_finite, positions_non_finite_reference, positions_non_finite_same_weights;
  std::optional<double> nll, nll_reference, nll_same_weights;
  std::optional<double> output_rmse, output_rmse_same_weights;

  /// Of the first cases.golden cases, also where the outputs above are not kept. Not exported with the cases.
  std::optional<GoldenOutputs> golden;

  /// Of the outputs beside the prediction that rules name, by selector. Not exported with the cases.
  std::vector<OtherOutput> other_outputs;

  // Nothing where the case has no target. The third is not exported: quality rules on `same_weights` need it.
  std::optional<bool> correct, correct_reference, correct_same_weights;
};

/// What was decided of a case where that is no single number, in words: "{1, 4, 7}", "2 > 0 > 1". Empty: nothing was.
struct DecidedCase {
  std::string trained, reference, same_weights;
};

}  // namespace mantissa::record
