// SPDX-License-Identifier: Apache-2.0
#include "core/session/frozen_cases.h"

#include <algorithm>
#include <cstring>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/sha256.h"
#include "core/precision/forward_scope.h"
#include "core/train/buffer_guard.h"

namespace mantissa::session {
namespace {

constexpr std::int64_t kChunkRows = 256;

std::vector<double> values_of(const at::Tensor& row) {
  const at::Tensor flat = row.to(at::kDouble).flatten().contiguous();
  const double* const data = flat.const_data_ptr<double>();
  return std::vector<double>(data, data + flat.numel());
}

/// Back to training mode, the old buffers and attributes, also where the model throws.
class EvaluationMode {
 public:
  explicit EvaluationMode(model::Network& network) : network_(network), buffers_(network) {
    network_.set_training(false);
    if (!network_.traits().from_file) return;  // built-in models keep their buffers in evaluation mode
    buffers_.keep();
    attributes_ = network_.copy_attributes();
  }
  ~EvaluationMode() {
    if (attributes_) network_.put_back(*attributes_);
    buffers_.restore_all();
    network_.set_training(true);
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  model::Network& network_;
  train::BufferGuard buffers_;
  std::unique_ptr<model::Attributes> attributes_;
};

void add_tensor(Sha256& hash, const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  hash.add(whole.const_data_ptr(), whole.nbytes());
}

}  // namespace

FrozenCases freeze_cases(const spec::Experiment& experiment, const data::Dataset& dataset) {
  FrozenCases cases;
  cases.from_training_part = dataset.test.rows() == 0;
  const data::Part& pool = cases.from_training_part ? dataset.train : dataset.test;
  const std::int64_t wanted = experiment.cases.holdout > 0 ? experiment.cases.holdout : pool.rows();
  const std::int64_t count = std::min(wanted, pool.rows());
  if (count < wanted) {
    cases.note = "cases.holdout asks for " + std::to_string(wanted) + " frozen cases and there are only " +
                 std::to_string(count) + ": all of them are taken.";
  }
  cases.inputs = pool.inputs.narrow(0, 0, count);

  cases.targets = pool.targets.narrow(0, 0, count);
  Sha256 hash;
  hash.add("holdout=" + std::to_string(count) + (cases.from_training_part ? ";training" : ";test"));
  add_tensor(hash, cases.inputs);
  add_tensor(hash, cases.targets);
  cases.rows.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < cases.rows.size(); ++i) {
    record::CaseRow& row = cases.rows[i];
    row.id = pool.ids[i];
    if (!pool.slices.empty()) row.slice = pool.slices[i];
    row.target = values_of(cases.targets[static_cast<std::int64_t>(i)]);
    hash.add(row.id).add("\n");
  }
  cases.sha256 = hash.hex();
  return cases;
}

void CaseOutputs::add(const at::Tensor& rows) {
  starts_.push_back(cases_);
  cases_ += rows.size(0);
  chunks_.push_back(rows.to(at::kCPU).reshape({rows.size(0), -1}).contiguous());
}

std::vector<double> CaseOutputs::of_case(std::int64_t index) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
  const auto chunk = static_cast<std::size_t>(after - starts_.begin() - 1);
  return values_of(chunks_[chunk].select(0, index - starts_[chunk]));
}

CaseOutputs evaluate(model::Network& network, const precision::Policy& policy, const FrozenCases& cases) {
  const at::NoGradGuard no_grad;
  const EvaluationMode evaluation(network);
  const c10::Device device = network.device();
  const std::int64_t count = cases.inputs.size(0);
  std::int64_t chunk_rows = kChunkRows;
  CaseOutputs outputs;
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t length = std::min(chunk_rows, count - first);
    at::Tensor output;
    {
      const at::Tensor inputs = cases.inputs.narrow(0, first, length).to(device);
      const at::Tensor targets = cases.targets.narrow(0, first, length).to(device);
      const precision::ForwardScope scope(policy, device.type());
      output = network.compute(inputs, targets).prediction;
    }
    if (output.dim() == 0 && length > 1) {
      chunk_rows = 1;
      continue;
    }
    outputs.add(output.dim() == 0 ? output.reshape({1, 1}) : output);
    first += length;
  }
  return outputs;
}

}  // namespace mantissa::session
