// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/network.h"
#include "core/precision/policy.h"
#include "core/record/case_row.h"
#include "core/spec/experiment.h"

namespace mantissa::session {

/// The frozen evaluation set: rows of the test part, or of the training part where there is none.
struct FrozenCases {
  at::Tensor inputs;
  at::Tensor targets;                 ///< as the loss would get them: for models that take them
  std::vector<record::CaseRow> rows;  ///< id, kind, slice and target; outputs are filled in by `evaluate`
  bool from_training_part = false;
  std::string note;    ///< a sentence where fewer cases exist than were asked for
  std::string sha256;  ///< of the pool and the selection rule
};

FrozenCases freeze_cases(const spec::Experiment& experiment, const data::Dataset& dataset);

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

}  // namespace mantissa::session
