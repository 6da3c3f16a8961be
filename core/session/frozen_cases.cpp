// SPDX-License-Identifier: Apache-2.0
#include "core/session/frozen_cases.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text_list.h"
#include "core/precision/forward_scope.h"
#include "core/session/case_hash.h"
#include "core/session/evaluation_mode.h"
#include "core/session/other_outputs.h"

namespace mantissa::session {
namespace {

constexpr std::int64_t kChunkRows = 256;

std::vector<double> values_of(const at::Tensor& row) {
  const at::Tensor flat = row.to(at::kDouble).flatten().contiguous();
  const double* const data = flat.const_data_ptr<double>();
  return std::vector<double>(data, data + flat.numel());
}

void add_tensor(Sha256& hash, const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  hash.add(whole.const_data_ptr(), whole.nbytes());
}

[[noreturn]] void refuse_other_set(const std::string& problem, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting,
              {problem, "", 0, 0, "--cases-from", found, expected,
               "Run with the data, the split and the case file of that trial, or leave --cases-from out"});
}

/// The rows that may be frozen cases: those of the pool and those of the case file.
class Members {
 public:
  explicit Members(const data::Dataset& dataset)
      : dataset_(dataset), pool_(dataset.test.rows() == 0 ? dataset.train : dataset.test) {}

  const data::Part& pool() const { return pool_; }
  bool from_training_part() const { return &pool_ == &dataset_.train; }
  bool is_edge(std::int64_t row) const { return !pool_.edge.empty() && pool_.edge[static_cast<std::size_t>(row)]; }

  void refuse_double_ids(const spec::Experiment& experiment) const {
    if (!dataset_.file_cases) return;
    const std::unordered_set<std::string> ids(pool_.ids.begin(), pool_.ids.end());
    for (const std::string& id : dataset_.file_cases->part.ids) {
      if (ids.count(id) == 0) continue;
      throw Error(ErrorKind::DataProblem,
                  {"an id that a row of the data has too", experiment.cases.path_as_written, 0, 0, "column id",
                   '\'' + id + '\'', "ids that name one case alone",
                   "Where the data has no id column its ids are row numbers: call the cases case-1, case-2 …"});
    }
  }

  /// The hash of a plain holdout is that of versions that had nothing else.
  /// \param outputs  beside the prediction that are recorded of the cases
  std::string sha256_of_rule(const spec::Cases& asked, std::int64_t holdout,
                             const std::vector<std::string>& outputs) const {
    Sha256 hash;
    hash.add("holdout=" + std::to_string(holdout) + (from_training_part() ? ";training" : ";test"));
    const bool whole = !asked.edge.empty() || asked.boundary > 0;
    const std::int64_t rows = whole ? pool_.rows() : holdout;
    add_tensor(hash, pool_.inputs.narrow(0, 0, rows));
    add_tensor(hash, pool_.targets.narrow(0, 0, rows));
    for (std::int64_t row = 0; row < rows; ++row) hash.add(pool_.ids[static_cast<std::size_t>(row)]).add("\n");
    if (whole) hash.add("boundary=" + std::to_string(asked.boundary) + ";edge=" + asked.edge);
    for (const std::string& output : outputs) hash.add("output=" + output + "\n");
    if (dataset_.file_cases) hash.add("file=" + dataset_.file_cases->sha256);
    return hash.hex();
  }

  std::string sha256_of_members(const FrozenCases& cases) const {
    std::vector<std::string> data = {dataset_.sha256};
    if (dataset_.file_cases) data.push_back(dataset_.file_cases->sha256);
    return sha256_of_cases(data, cases.rows);
  }

  /// Inputs, targets and rows of `cases.pool_rows` and of the whole case file. \param boundary  rising
  void fill(FrozenCases& cases, const std::vector<std::int64_t>& boundary) const {
    cases.rows.clear();
    for (const std::int64_t row : cases.pool_rows) {
      record::CaseRow& added = cases.rows.emplace_back(row_of_pool(row));
      if (std::binary_search(boundary.begin(), boundary.end(), row)) added.kind = record::CaseKind::Boundary;
      if (is_edge(row)) added.kind = record::CaseKind::Edge;
    }
    std::vector<std::int64_t> all_of_file;
    if (dataset_.file_cases) {
      all_of_file.resize(dataset_.file_cases->kinds.size());
      std::iota(all_of_file.begin(), all_of_file.end(), 0);
    }
    for (const std::int64_t row : all_of_file) cases.rows.push_back(row_of_file(row));
    gather(cases, all_of_file);
  }

  /// The same cases in the same order, which is the pool's before that of the file, too.
  void take_wanted(FrozenCases& cases, const std::vector<record::CaseRow>& wanted) const {
    std::unordered_map<std::string_view, std::int64_t> in_pool;
    for (std::size_t row = 0; row < pool_.ids.size(); ++row) in_pool.emplace(pool_.ids[row], row);
    std::unordered_map<std::string_view, std::int64_t> in_file;
    if (dataset_.file_cases) {
      const std::vector<std::string>& ids = dataset_.file_cases->part.ids;
      for (std::size_t row = 0; row < ids.size(); ++row) in_file.emplace(ids[row], row);
    }
    std::vector<std::int64_t> file_rows;
    std::vector<record::CaseRow> of_file;
    for (const record::CaseRow& one : wanted) {
      const auto pool_row = in_pool.find(one.id);
      const auto file_row = in_file.find(one.id);
      if (pool_row != in_pool.end()) {
        cases.pool_rows.push_back(pool_row->second);
        cases.rows.push_back(row_of_pool(pool_row->second));
      } else if (file_row != in_file.end()) {
        file_rows.push_back(file_row->second);
        of_file.push_back(row_of_file(file_row->second));
        of_file.back().kind = one.kind;
        continue;
      } else {
        refuse_other_set("a case of that set is neither in the " +
                             std::string(from_training_part() ? "training" : "test") + " part nor in a case file",
                         "no case " + one.id, "all " + std::to_string(wanted.size()) + " cases of the set");
      }
      cases.rows.back().kind = one.kind;
    }
    cases.rows.insert(cases.rows.end(), of_file.begin(), of_file.end());
    gather(cases, file_rows);
  }

 private:
  record::CaseRow row_of_pool(std::int64_t index) const { return row_of(pool_, index); }

  record::CaseRow row_of_file(std::int64_t index) const {
    record::CaseRow row = row_of(dataset_.file_cases->part, index);
    row.kind = dataset_.file_cases->kinds[static_cast<std::size_t>(index)];
    if (!dataset_.file_cases->has_target[static_cast<std::size_t>(index)]) row.target.clear();
    return row;
  }

  static record::CaseRow row_of(const data::Part& part, std::int64_t index) {
    record::CaseRow row;
    const auto place = static_cast<std::size_t>(index);
    row.id = part.ids[place];
    if (!part.slices.empty()) row.slice = part.slices[place];
    row.target = values_of(part.targets[index]);
    return row;
  }

  void gather(FrozenCases& cases, const std::vector<std::int64_t>& file_rows) const {
    cases.inputs = chosen(pool_.inputs, cases.pool_rows);
    cases.targets = chosen(pool_.targets, cases.pool_rows);
    if (file_rows.empty()) return;
    const data::Part& part = dataset_.file_cases->part;
    cases.inputs = at::cat({cases.inputs, chosen(part.inputs, file_rows)});
    cases.targets = at::cat({cases.targets, chosen(part.targets, file_rows)});
  }

  /// A view where the rows are the first ones.
  static at::Tensor chosen(const at::Tensor& tensor, const std::vector<std::int64_t>& rows) {
    const auto count = static_cast<std::int64_t>(rows.size());
    std::int64_t place = 0;
    const bool first_ones = std::all_of(rows.begin(), rows.end(), [&](std::int64_t row) { return row == place++; });
    if (first_ones) return tensor.narrow(0, 0, count);
    return tensor.index_select(0, at::tensor(rows, at::TensorOptions(at::kLong)));
  }

  const data::Dataset& dataset_;
  const data::Part& pool_;
};

}  // namespace

FrozenCases freeze_cases(const spec::Experiment& experiment, const data::Dataset& dataset) {
  const Members members(dataset);
  const data::Part& pool = members.pool();
  const spec::Cases& asked = experiment.cases;
  FrozenCases cases;
  cases.from_training_part = members.from_training_part();
  const std::int64_t wanted = asked.holdout > 0 ? asked.holdout : pool.rows();
  const std::int64_t count = std::min(wanted, pool.rows());
  if (count < wanted) {
    cases.notes.push_back("cases.holdout asks for " + std::to_string(wanted) + " frozen cases and there are only " +
                          std::to_string(count) + ": all of them are taken.");
  }
  std::int64_t edges = 0;
  for (std::int64_t row = 0; row < pool.rows(); ++row) {
    const bool edge = members.is_edge(row);
    edges += edge ? 1 : 0;
    if (row < count || edge) cases.pool_rows.push_back(row);
  }
  if (!asked.edge.empty() && edges == 0) {
    cases.notes.push_back("cases.edge holds for none of the " + std::to_string(pool.rows()) + " rows of the " +
                          (cases.from_training_part ? "training" : "test") + " part: there are no edge cases.");
  }
  if (asked.boundary > pool.rows()) {
    cases.notes.push_back("cases.boundary asks for " + std::to_string(asked.boundary) + " cases and there are only " +
                          std::to_string(pool.rows()) + " rows: all of them are boundary cases.");
  }
  members.refuse_double_ids(experiment);
  cases.sha256 = members.sha256_of_rule(asked, count, other_outputs(experiment));
  members.fill(cases, {});
  if (asked.boundary == 0) cases.members_sha256 = members.sha256_of_members(cases);
  return cases;
}

FrozenCases freeze_same_cases(const spec::Experiment& experiment, const data::Dataset& dataset,
                              const std::vector<record::CaseRow>& wanted, const std::string& members_sha256) {
  const Members members(dataset);
  members.refuse_double_ids(experiment);
  FrozenCases cases;
  cases.from_training_part = members.from_training_part();
  members.take_wanted(cases, wanted);
  cases.members_sha256 = members.sha256_of_members(cases);
  cases.sha256 = cases.members_sha256;
  if (cases.members_sha256 != members_sha256) {
    refuse_other_set("the data or the case file is another than that of the set, though its ids are there",
                     cases.members_sha256, members_sha256);
  }
  return cases;
}

FrozenCases whole_pool(const data::Dataset& dataset) {
  const Members members(dataset);
  FrozenCases cases;
  cases.from_training_part = members.from_training_part();
  cases.inputs = members.pool().inputs;
  cases.targets = members.pool().targets;
  return cases;
}

void add_boundary_cases(FrozenCases& cases, const spec::Experiment& experiment, const data::Dataset& dataset,
                        const std::vector<std::optional<double>>& margins) {
  std::vector<std::int64_t> order;
  for (std::size_t row = 0; row < margins.size(); ++row) {
    if (margins[row] && std::isfinite(*margins[row])) order.push_back(static_cast<std::int64_t>(row));
  }
  const auto margin = [&](std::int64_t row) { return *margins[static_cast<std::size_t>(row)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return margin(a) < margin(b); });
  if (static_cast<std::int64_t>(order.size()) > experiment.cases.boundary) {
    order.resize(static_cast<std::size_t>(experiment.cases.boundary));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> rows;
  std::set_union(cases.pool_rows.begin(), cases.pool_rows.end(), order.begin(), order.end(), std::back_inserter(rows));
  cases.pool_rows = std::move(rows);
  const Members members(dataset);
  members.fill(cases, order);
  cases.members_sha256 = members.sha256_of_members(cases);
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

namespace {

/// An output that a rule names is compared case by case, and in numbers that rounding changes.
void check_other(const at::Tensor& output, std::int64_t rows) {
  const auto refuse = [&output](const std::string& problem, const std::string& expected, const std::string& remedy) {
    throw Error(
        ErrorKind::ModelProblem,
        {problem, "", 0, 0, "rules.output.output",
         std::string(c10::toString(output.scalar_type())) + ' ' + shape_text(output.sizes().vec()), expected, remedy});
  };
  if (!output.is_floating_point()) {
    refuse("this output holds no floating numbers, which a policy could round", "Float, Half, BFloat16 or Double",
           "Name the scores that it is made from");
  }
  if (output.dim() > 0 && output.size(0) == rows) return;
  refuse("this output has no entry for each case",
         std::to_string(rows) + (rows == 1 ? " entry" : " entries") + " in its first dimension, as many as cases",
         "Let forward return it with the batch as its first dimension");
}

/// The cases in chunks, or one by one where the model gives one number a batch.
/// \param use  takes what a chunk gave, and the number of its cases
template <class Compute, class Use>
void evaluate_chunks(model::Network& network, const precision::Policy& policy, const FrozenCases& cases,
                     const Compute& compute, const Use& use) {
  const at::NoGradGuard no_grad;
  const EvaluationMode evaluation(network);
  const c10::Device device = network.device();
  const std::int64_t count = cases.inputs.size(0);
  std::int64_t chunk_rows = kChunkRows;
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t length = std::min(chunk_rows, count - first);
    model::Outputs outputs;
    {
      const at::Tensor inputs = cases.inputs.narrow(0, first, length).to(device);
      const at::Tensor targets = cases.targets.narrow(0, first, length).to(device);
      const precision::ForwardScope scope(policy, device.type());
      outputs = compute(inputs, targets);
    }
    if (outputs.prediction.dim() == 0 && length > 1) {
      chunk_rows = 1;
      continue;
    }
    if (outputs.prediction.dim() == 0) outputs.prediction = outputs.prediction.reshape({1, 1});
    use(outputs, length);
    first += length;
  }
}

}  // namespace

CaseOutputs evaluate(model::Network& network, const precision::Policy& policy, const FrozenCases& cases) {
  CaseOutputs prediction;
  evaluate_chunks(
      network, policy, cases,
      [&network](const at::Tensor& inputs, const at::Tensor& targets) { return network.compute(inputs, targets); },
      [&prediction](const model::Outputs& outputs, std::int64_t) { prediction.add(outputs.prediction); });
  return prediction;
}

AllOutputs evaluate_all(model::Network& network, const precision::Policy& policy, const FrozenCases& cases) {
  AllOutputs all;
  evaluate_chunks(
      network, policy, cases,
      [&network](const at::Tensor& inputs, const at::Tensor& targets) { return network.compute_all(inputs, targets); },
      [&all](const model::Outputs& outputs, std::int64_t rows) {
        all.prediction.add(outputs.prediction);
        all.others.resize(outputs.others.size());
        for (std::size_t i = 0; i < outputs.others.size(); ++i) {
          check_other(outputs.others[i], rows);
          all.others[i].add(outputs.others[i]);
        }
      });
  return all;
}

}  // namespace mantissa::session
