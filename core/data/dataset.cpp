// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/built_in.h"
#include "core/data/gaussian.h"
#include "core/data/layout_hash.h"
#include "core/data/preprocess.h"
#include "core/data/setting_error.h"
#include "core/data/split.h"
#include "core/data/table.h"
#include "core/data/targets.h"

namespace mantissa::data {

namespace {

/// What load() knows on its way from the source to the tensors. Everything stays in FP64 until the last step.
class Loader {
 public:
  explicit Loader(const spec::Experiment& experiment)
      : experiment_(experiment), data_(experiment.data), test_part_(data_.test.value_or(spec::TestPart{})) {}

  Dataset load() {
    read_tables();
    check_shape();
    plan_ = plan_targets(experiment_, target_of_set_ ? set_ : std::nullopt, tables());
    split();
    Dataset dataset = description();
    dataset.sha256 = raw_hash();
    if (data_.standardize.value_or(set_ && set_->standardize)) standardize_inputs();
    transform_targets(dataset);
    dataset.preprocessing_sha256 = preprocessing_hash(dataset);
    dataset.train = part(table_, plan_.values.front(), split_.train);
    dataset.test = part(test_table_ ? *test_table_ : table_, plan_.values.back(), split_.test);
    return dataset;
  }

 private:
  std::vector<const Table*> tables() const {
    std::vector<const Table*> result{&table_};
    if (test_table_) result.push_back(&*test_table_);
    return result;
  }

  void read_tables() {
    if (data_.source == "gaussian") {
      check_gaussian();
      table_ = gaussian_table(experiment_);
      return;
    }
    Roles roles;
    roles.columns = data_.columns;
    roles.missing = data_.missing;
    roles.experiment = &experiment_;
    std::string path = data_.path;
    if (!data_.source.empty()) {
      set_ = built_in(data_.source);
      path = set_->path;
      roles.left_out = set_->left_out;
      if (roles.columns.target.empty()) roles.columns.target = set_->target;
      target_of_set_ = roles.columns.target == set_->target;
    } else if (path.empty()) {
      ErrorFacts facts;
      facts.problem = "no data is named";
      facts.expected = "data.source or data.path";
      throw setting_error(experiment_, "data", std::move(facts));
    }
    table_ = read_table(path, roles);
    if (test_part_.path.empty()) return;
    // The second file plays the roles that the first one settled.
    roles.columns.inputs = table_.input_names;
    roles.columns.target = table_.target_names;
    roles.same_columns_as = &table_;
    test_table_ = read_table(test_part_.path, roles);
  }

  void check_gaussian() const {
    const auto& loss = experiment_.training.loss;
    const bool fits = !loss || *loss == spec::Loss::Mse || *loss == spec::Loss::L1 || *loss == spec::Loss::Huber ||
                      *loss == spec::Loss::Output;
    if (!fits) refuse_gaussian_classes("training.loss");
    if (data_.task.value_or(spec::Task::Regression) != spec::Task::Regression) refuse_gaussian_classes("data.task");
    if (data_.classes) refuse_gaussian_classes("data.classes");
    if (data_.labels) refuse_gaussian_classes("data.labels");
    if (!test_part_.path.empty()) {
      ErrorFacts facts;
      facts.problem = "gaussian is generated and has no second file";
      facts.expected = "a fraction of its rows: test = { fraction = 0.2, seed = 7 }";
      throw setting_error(experiment_, "data.test", std::move(facts));
    }
  }

  [[noreturn]] void refuse_gaussian_classes(const std::string& key) const {
    ErrorFacts facts;
    facts.problem = "the targets of gaussian are random numbers, not classes";
    facts.expected = key == "training.loss" || key == "data.task" ? "a regression (loss mse, l1 or huber)"
                                                                  : "no such key with source = \"gaussian\"";
    facts.remedy = "Choose another set for classification, such as digits";
    throw setting_error(experiment_, key, std::move(facts));
  }

  void check_shape() const {
    if (data_.shape.empty()) return;
    const auto inputs = static_cast<std::int64_t>(table_.input_names.size());
    std::string text;
    std::int64_t rest = inputs;  // divided instead of multiplied: no product can overflow
    bool fits = true;
    for (const auto size : data_.shape) {
      text += (text.empty() ? "[" : ", ") + std::to_string(size);
      fits = fits && size >= 1 && rest % size == 0;
      if (fits) rest /= size;
    }
    if (fits && rest == 1) return;
    ErrorFacts facts;
    facts.problem = "the shape does not hold a row's inputs";
    facts.found = text + ']';
    facts.expected = "sizes whose product is " + std::to_string(inputs) + ", the number of input columns";
    throw setting_error(experiment_, "data.shape", std::move(facts));
  }

  void split() {
    if (!test_table_) {
      split_ = split_rows(experiment_, test_part_, table_.rows());
      return;
    }
    split_.train.resize(static_cast<std::size_t>(table_.rows()));
    std::iota(split_.train.begin(), split_.train.end(), 0);
    split_.test.resize(static_cast<std::size_t>(test_table_->rows()));
    std::iota(split_.test.begin(), split_.test.end(), 0);
  }

  Dataset description() const {
    Dataset dataset;
    dataset.name = !data_.source.empty() ? data_.source : data_.path_as_written;
    if (dataset.name.empty()) dataset.name = data_.path;
    dataset.task = plan_.task;
    dataset.classes = plan_.classes;
    dataset.class_names = plan_.class_names;
    dataset.input_names = table_.input_names;
    dataset.target_names = table_.target_names;
    dataset.notes = table_.notes;
    if (test_table_) dataset.notes.insert(dataset.notes.end(), test_table_->notes.begin(), test_table_->notes.end());
    dataset.notes.insert(dataset.notes.end(), plan_.notes.begin(), plan_.notes.end());
    if (set_ && data_.columns.inputs.empty() && !set_->left_out.empty()) {
      std::string names;
      for (const auto& name : set_->left_out) names += (names.empty() ? "" : ", ") + name;
      dataset.notes.push_back(std::to_string(set_->left_out.size()) + " columns of " + set_->name + " are no inputs (" +
                              set_->left_out_because + "): " + names);
    }
    return dataset;
  }

  std::string raw_hash() const {
    LayoutHash hash("mantissa data 1");
    hash.add(table_.input_names).add(table_.target_names).add(data_.shape);
    for (const Table* table : tables()) {
      hash.add(table->rows()).add(table->inputs);
      for (const auto& column : table->targets) {
        column.any_text ? hash.add(column.texts) : hash.add(column.numbers);
      }
    }
    return hash.hex();
  }

  std::string preprocessing_hash(const Dataset& dataset) const {
    LayoutHash hash("mantissa preprocessing 1");
    hash.add(split_.train).add(split_.test).add(static_cast<std::int64_t>(test_table_.has_value()));
    hash.add(inputs_.mean).add(inputs_.scale).add(data_.shape);
    hash.add(dataset.target_offset).add(dataset.target_scale).add(static_cast<std::int64_t>(dataset.target_log10));
    hash.add(static_cast<std::int64_t>(plan_.class_indices)).add(plan_.classes).add(plan_.class_names);
    for (const Table* table : tables()) hash.add(table->dropped);
    return hash.hex();
  }

  void standardize_inputs() {
    const std::size_t width = table_.input_names.size();
    inputs_ = statistics_of(table_.inputs, width, split_.train);
    apply(inputs_, table_.inputs);
    if (test_table_) apply(inputs_, test_table_->inputs);
  }

  static void apply(const Statistics& statistics, std::vector<double>& values) {
    const std::size_t width = statistics.mean.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (values[i] - statistics.mean[i % width]) / statistics.scale[i % width];
    }
  }

  void transform_targets(Dataset& dataset) {
    const std::size_t width = table_.target_names.size();
    dataset.target_scale.assign(width, 1.0);
    dataset.target_offset.assign(width, 0.0);
    if (plan_.transform == spec::TargetTransform::Log10) {
      dataset.target_log10 = true;
      for (std::size_t i = 0; i < plan_.values.size(); ++i) take_log10(*tables()[i], plan_.values[i]);
    }
    if (plan_.transform == spec::TargetTransform::Standardize) {
      const Statistics statistics = statistics_of(plan_.values.front(), width, split_.train);
      for (auto& values : plan_.values) apply(statistics, values);
      dataset.target_offset = statistics.mean;
      dataset.target_scale = statistics.scale;
    }
  }

  static void take_log10(const Table& table, std::vector<double>& values) {
    const std::size_t width = table.target_names.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] <= 0.0) {
        ErrorFacts facts;
        place(facts, table, i / width, table.target_names[i % width]);
        facts.problem = "a target without a logarithm";
        facts.found = to_text(values[i]);
        facts.expected = "a number above 0 for target_transform = \"log10\"";
        facts.remedy = "Choose data.target_transform = \"standardize\" or \"none\", or correct the value";
        throw Error(ErrorKind::DataProblem, std::move(facts));
      }
      values[i] = std::log10(values[i]);
    }
  }

  static void place(ErrorFacts& facts, const Table& table, std::size_t row, const std::string& column) {
    facts.file = table.file;
    facts.line = table.line_of(static_cast<std::int64_t>(row));
    facts.subject = "column " + column;
    if (facts.line == 0) facts.subject = "row " + table.ids[row] + ", " + facts.subject;
  }

  static float rounded(double value, const Table& table, std::size_t row, const std::string& column) {
    if (fits_float32(value)) return static_cast<float>(value);
    ErrorFacts facts;
    place(facts, table, row, column);
    facts.problem = "a number that FP32 cannot hold";
    facts.found = to_text(value);
    facts.expected = "a magnitude up to 3.4028235e38";
    facts.remedy = "Rescale the column, or set data.standardize = true (data.target_transform for a target)";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  Part part(const Table& table, const std::vector<double>& targets, const std::vector<std::int64_t>& rows) const {
    Part part;
    const auto count = static_cast<std::int64_t>(rows.size());
    part.inputs = inputs_tensor(table, rows);
    part.targets =
        plan_.class_indices ? at::empty({count}, at::TensorOptions(at::kLong)) : targets_tensor(table, targets, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      if (plan_.class_indices) {
        part.targets.mutable_data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(targets[row]);
      }
      part.ids.push_back(table.ids[row]);
      part.slices.push_back(table.slices.empty() ? std::string() : table.slices[row]);
    }
    return part;
  }

  at::Tensor inputs_tensor(const Table& table, const std::vector<std::int64_t>& rows) const {
    const std::size_t width = table.input_names.size();
    std::vector<std::int64_t> sizes{static_cast<std::int64_t>(rows.size())};
    if (data_.shape.empty()) sizes.push_back(static_cast<std::int64_t>(width));
    sizes.insert(sizes.end(), data_.shape.begin(), data_.shape.end());
    return gathered(table, table.inputs, table.input_names, rows, sizes);
  }

  at::Tensor targets_tensor(const Table& table, const std::vector<double>& targets,
                            const std::vector<std::int64_t>& rows) const {
    const auto width = static_cast<std::int64_t>(table.target_names.size());
    return gathered(table, targets, table.target_names, rows, {static_cast<std::int64_t>(rows.size()), width});
  }

  static at::Tensor gathered(const Table& table, const std::vector<double>& values,
                             const std::vector<std::string>& columns, const std::vector<std::int64_t>& rows,
                             const std::vector<std::int64_t>& sizes) {
    at::Tensor tensor = at::empty(sizes, at::TensorOptions(at::kFloat));
    float* out = tensor.mutable_data_ptr<float>();
    const std::size_t width = columns.size();
    for (const auto index : rows) {
      const auto row = static_cast<std::size_t>(index);
      for (std::size_t column = 0; column < width; ++column) {
        *out++ = rounded(values[row * width + column], table, row, columns[column]);
      }
    }
    return tensor;
  }

  const spec::Experiment& experiment_;
  const spec::Data& data_;
  spec::TestPart test_part_;
  std::optional<BuiltIn> set_;
  bool target_of_set_ = false;
  Table table_;                      ///< the training file, or the only one
  std::optional<Table> test_table_;  ///< a test file of its own
  TargetPlan plan_;
  Split split_;
  Statistics inputs_;  ///< empty unless standardised
};

}  // namespace

Dataset load(const spec::Experiment& experiment) { return Loader(experiment).load(); }

}  // namespace mantissa::data
