// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/network.h"
#include "core/precision/policy.h"
#include "core/record/case_row.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// The frozen evaluation set: rows of the test part in split order, or of the training part where there is none, and
/// behind them the cases of cases.path in the order of the file.
struct FrozenCases {
  at::Tensor inputs;
  at::Tensor targets;                 ///< as the loss would get them: for models that take them
  std::vector<record::CaseRow> rows;  ///< id, kind, slice and target; outputs are filled in by `evaluate`
  bool from_training_part = false;
  std::vector<std::string> notes;  ///< sentences: fewer cases exist than were asked for, no row is an edge case
  std::string sha256;              ///< of the pool and the selection rule: before the first step

  /// Of the members: their ids, kinds and targets, and the raw data. Empty while boundary cases are to be chosen yet,
  /// which takes the final reference.
  std::string members_sha256;
  bool is_complete() const { return !members_sha256.empty(); }

  std::vector<std::int64_t> pool_rows;  ///< rows of the pool that are members, in the order of `rows`
};

/// Everything but the boundary cases.
/// \throws Error DataProblem where the case file has an id of the pool.
FrozenCases freeze_cases(const spec::Experiment& experiment, const data::Dataset& dataset);

/// The very cases of another frozen set, kinds included. `members`: their ids and kinds.
/// \throws Error InvalidSetting (subject --cases-from) where one is not in the pool any more, or where anything that
///         `members_sha256` is made of is another.
FrozenCases freeze_same_cases(const spec::Experiment& experiment, const data::Dataset& dataset,
                              const std::vector<record::CaseRow>& members, const std::string& members_sha256);

/// All rows of the pool as cases, to choose boundary cases from.
FrozenCases whole_pool(const data::Dataset& dataset);

/// Chooses experiment.cases.boundary rows with the smallest margins, the earlier one of equals, and completes the set.
/// Rows that are edge cases stay edge cases. \param margins  by row of the pool; nothing: no decision, never chosen
void add_boundary_cases(FrozenCases& cases, const spec::Experiment& experiment, const data::Dataset& dataset,
                        const std::vector<std::optional<double>>& margins);

/// A network's outputs on every case, in the type in which it gave them.
class CaseOutputs {
 public:
  /// \param rows  [cases, …]
  void add(const at::Tensor& rows);
  std::int64_t cases() const { return cases_; }

  /// Flattened. \param index  from 0.
  std::vector<double> of_case(std::int64_t index) const;

 private:
  std::vector<at::Tensor> chunks_;    ///< [rows, elements]
  std::vector<std::int64_t> starts_;  ///< the first case of each chunk
  std::int64_t cases_ = 0;
};

/// The network's outputs on every case, in evaluation mode under `policy`. The network is put back
/// into training mode, and its buffers are as before: a traced batch norm writes into them in either mode. Rows go
/// through in chunks of 256, so outputs do not depend on the training batch; a model that gives one number a batch (its
/// loss) gets the cases one by one.
/// \throws whatever the model throws.
CaseOutputs evaluate(model::Network& network, const precision::Policy& policy, const FrozenCases& cases);

/// What `evaluate` gives, and the outputs beside the prediction that the network's Usage names, in its order.
struct AllOutputs {
  CaseOutputs prediction;
  std::vector<CaseOutputs> others;
};

/// The same with the other outputs.
/// \throws Error ModelProblem (subject rules.output.output) where one of them does not hold floating numbers or has no
///         entry for each case; whatever the model throws.
AllOutputs evaluate_all(model::Network& network, const precision::Policy& policy, const FrozenCases& cases);

}  // namespace mantissa::session
