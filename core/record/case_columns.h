// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The columns of a case row, declared once: SQL, CSV and JSON are made from this list, in this order, which is the
/// order of `mantissa-cli export cases`. The struct in case_row.h has the same members.
///
/// X(member, column, type, description); `column` is the name in exports, `member` the one in the struct and in SQL;
/// types:
///   Text  std::string                          Kind  CaseKind
///   Target, Values  std::vector<double>: one exported column an element, `column[i]`; a target of one element is
///   `target` Number  double, always there               Real  std::optional<double> OptionalCount
///   std::optional<std::int64_t> Flag  bool          OptionalFlag  std::optional<bool>
///   PositionCount, PositionReal  as OptionalCount and Real, of tasks with a decision per position: exported only where
///   a case has one
#define MANTISSA_CASE_COLUMNS(X)                                                                                      \
  X(id, "case", Text, "the case's id in the frozen set")                                                              \
  X(kind, "kind", Kind, "ordinary, edge or boundary")                                                                 \
  X(slice, "slice", Text, "the slice of the data it belongs to")                                                      \
  X(target, "target", Target, "class index, or the target in the model's units")                                      \
  X(output, "output", Values, "output of the trial's own weights")                                                    \
  X(output_reference, "output_reference", Values, "output of the reference")                                          \
  X(output_same_weights, "output_same_weights", Values, "output of the reference's weights under the trial's policy") \
  X(decision, "decision", OptionalCount, "decision of the trial's own weights")                                       \
  X(decision_reference, "decision_reference", OptionalCount, "decision of the reference")                             \
  X(decision_same_weights, "decision_same_weights", OptionalCount, "decision of the reference's weights")             \
  X(tie, "tie", Flag, "the trial's decision needed the tie rule")                                                     \
  X(tie_reference, "tie_reference", Flag, "the reference's decision needed the tie rule")                             \
  X(margin, "margin", Real, "distance of the trial's output to another decision")                                     \
  X(margin_reference, "margin_reference", Real, "distance of the reference's output to another decision")             \
  X(flip, "flip", Flag, "the trial decides otherwise than the reference")                                             \
  X(flip_same_weights, "flip_same_weights", Flag, "the reference's weights decide otherwise under the policy")        \
  X(abs_error, "abs_error", Number, "trained: largest |output - reference output|")                                   \
  X(rel_error, "rel_error", Number, "trained: largest |output - reference output| / |reference output|")              \
  X(case_relative, "case_relative", Number, "trained: largest difference / scale of the case's outputs")              \
  X(ulp_error, "ulp_error", Number, "trained: largest difference in FP32 units in the last place")                    \
  X(abs_error_same_weights, "abs_error_same_weights", Number, "same weights: as abs_error")                           \
  X(rel_error_same_weights, "rel_error_same_weights", Number, "same weights: as rel_error")                           \
  X(case_relative_same_weights, "case_relative_same_weights", Number, "same weights: as case_relative")               \
  X(ulp_error_same_weights, "ulp_error_same_weights", Number, "same weights: as ulp_error")                           \
  X(correct, "correct", OptionalFlag, "the trial's decision equals the target")                                       \
  X(correct_reference, "correct_reference", OptionalFlag, "the reference's decision equals the target")               \
  X(positions, "positions", PositionCount, "decisions of the case, one a position")                                   \
  X(position_flips, "position_flips", PositionCount, "trained: positions that decide otherwise than the reference")   \
  X(position_flips_same_weights, "position_flips_same_weights", PositionCount, "same weights: as position_flips")     \
  X(positions_correct, "positions_correct", PositionCount, "positions where the trial's decision equals the target")  \
  X(positions_correct_reference, "positions_correct_reference", PositionCount,                                        \
    "positions where the reference's decision equals the target")                                                     \
  X(positions_correct_same_weights, "positions_correct_same_weights", PositionCount,                                  \
    "same weights: as positions_correct")                                                                             \
  X(positions_non_finite, "positions_non_finite", PositionCount,                                                      \
    "positions where an output of the trial's own weights is no number")                                              \
  X(positions_non_finite_reference, "positions_non_finite_reference", PositionCount,                                  \
    "reference: as positions_non_finite")                                                                             \
  X(positions_non_finite_same_weights, "positions_non_finite_same_weights", PositionCount,                            \
    "same weights: as positions_non_finite")                                                                          \
  X(nll, "nll", PositionReal, "trained: mean negative log-likelihood of the targets, natural")                        \
  X(nll_reference, "nll_reference", PositionReal, "reference: as nll")                                                \
  X(nll_same_weights, "nll_same_weights", PositionReal, "same weights: as nll")                                       \
  X(output_rmse, "output_rmse", PositionReal, "trained: RMS of output - reference output")                            \
  X(output_rmse_same_weights, "output_rmse_same_weights", PositionReal, "same weights: as output_rmse")
