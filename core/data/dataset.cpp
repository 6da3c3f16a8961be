// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/data/built_in.h"
#include "core/data/case_columns.h"
#include "core/data/case_file.h"
#include "core/data/gaussian.h"
#include "core/data/layout_hash.h"
#include "core/data/pair.h"
#include "core/data/preprocess.h"
#include "core/data/setting_error.h"
#include "core/data/split.h"
#include "core/data/table.h"
#include "core/data/targets.h"
#include "core/data/text.h"

namespace mantissa::data {

namespace {

/// What load() knows on its way from the source to the tensors. Everything stays in FP64 until the last step.
class Loader {
 public:
  explicit Loader(const spec::Experiment& experiment)
      : experiment_(experiment), data_(experiment.data), test_part_(data_.test.value_or(spec::TestPart{})) {}

  Dataset load() {
    read_tables();
    edges_ = edge_rows(experiment_, pool_table());
    if (!experiment_.cases.path.empty()) case_file_ = read_case_file(experiment_, table_);
    if (case_file_ && case_file_->table.targets.empty()) case_file_->table.target_names = table_.target_names;
    plan_ = plan_targets(experiment_, target_of_set_ ? set_ : std::nullopt, tables());
    if (case_file_) case_targets_ = targets_by_plan(plan_, experiment_, case_file_->table);
    apply_written_rule();
    divide_inputs();
    settle_shape();
    split();
    Dataset dataset = description();
    dataset.sha256 = raw_hash();
    if (case_file_) begin_file_cases(dataset);
    if (data_.standardize.value_or(set_ && set_->standardize && !all_integers())) standardize_inputs();
    transform_targets(dataset);
    dataset.preprocessing_sha256 = preprocessing_hash(dataset);
    dataset.train = part(table_, plan_.values.front(), split_.train);
    dataset.test = part(pool_table(), plan_.values.back(), split_.test);
    if (!edges_.empty()) {
      const bool without_test = split_.test.empty();
      for (const std::int64_t row : without_test ? split_.train : split_.test) {
        (without_test ? dataset.train : dataset.test).edge.push_back(edges_[static_cast<std::size_t>(row)]);
      }
    }
    if (case_file_) finish_file_cases(*dataset.file_cases);
    hand_out_written_rule(dataset);
    return dataset;
  }

 private:
  std::vector<const Table*> tables() const {
    std::vector<const Table*> result{&table_};
    if (test_table_) result.push_back(&*test_table_);
    return result;
  }

  /// In raw units, to what may be a frozen case.
  void apply_written_rule() {
    if (experiment_.context.rule.empty()) return;
    const bool regression = plan_.task == spec::Task::Regression;
    rule_of_pool_ = written_rule_values(experiment_, pool_table(), regression, plan_.class_names);
    if (case_file_) {
      rule_of_file_ = written_rule_values(experiment_, case_file_->table, regression, plan_.class_names);
    }
  }

  void hand_out_written_rule(Dataset& dataset) const {
    if (rule_of_pool_.empty()) return;
    const bool without_test = split_.test.empty();
    for (const std::int64_t row : without_test ? split_.train : split_.test) {
      (without_test ? dataset.train : dataset.test)
          .written_rule.push_back(rule_of_pool_[static_cast<std::size_t>(row)]);
    }
    if (case_file_) dataset.file_cases->part.written_rule = rule_of_file_;
  }

  /// Where the frozen cases are taken from.
  const Table& pool_table() const { return test_table_ ? *test_table_ : table_; }

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
    Files train{data_.path, data_.inputs, data_.targets};
    Files test{test_part_.path, test_part_.inputs, test_part_.targets};
    if (!data_.source.empty()) {
      set_ = built_in(data_.source);
      train = {set_->path, set_->inputs, set_->targets};
      if (!data_.test) test = {set_->test_path, set_->test_inputs, set_->test_targets};
      roles.left_out = set_->left_out;
      if (roles.columns.target.empty()) roles.columns.target = set_->target;
      target_of_set_ = roles.columns.target == set_->target;
    } else if (!train.given()) {
      ErrorFacts facts;
      facts.problem = "no data is named";
      facts.expected = "data.source, data.path, or data.inputs and data.targets";
      throw setting_error(experiment_, "data", std::move(facts));
    }
    table_ = read(train, roles, "data");
    if (!test.given()) return;
    if (train.inputs.empty() != test.inputs.empty()) refuse_other_kind_of_test_part(train.inputs.empty());
    // The second file plays the roles that the first one settled.
    roles.columns.inputs = table_.input_names;
    roles.columns.target = table_.target_names;
    roles.same_columns_as = &table_;
    test_table_ = read(test, roles, "data.test");
  }

  /// One part of the data as files: one with everything, or one with the inputs and one with the targets.
  struct Files {
    std::string path, inputs, targets;
    bool given() const { return !path.empty() || !inputs.empty(); }
  };

  Table read(const Files& files, const Roles& roles, const std::string& key) const {
    if (!files.inputs.empty()) return read_pair(files.inputs, files.targets, roles);
    if (is_idx(files.path)) {
      ErrorFacts facts;
      facts.problem = "an IDX file holds inputs or targets, not both";
      facts.found = files.path;
      facts.expected = key + ".inputs and " + key + ".targets, a file each";
      facts.remedy = "Name the file of images as inputs and the file of labels as targets";
      throw setting_error(experiment_, key + ".path", std::move(facts));
    }
    return read_table(files.path, roles);
  }

  [[noreturn]] void refuse_other_kind_of_test_part(bool one_file) const {
    ErrorFacts facts;
    facts.problem = one_file ? "two test files beside one file of training data"
                             : "one test file beside two files of training data";
    facts.expected = one_file ? "test = { path = … }" : "test = { inputs = …, targets = … }";
    facts.remedy = "Give the test part as the training part is given";
    throw setting_error(experiment_, "data.test", std::move(facts));
  }

  void divide_inputs() {
    if (!set_ || set_->inputs_divided_by == 1.0) return;
    // Rounding the FP64 quotient of two small integers to FP32 gives the FP32 quotient: 53 ≥ 2 · 24 + 2 bits.
    for (double& value : table_.inputs) value /= set_->inputs_divided_by;
    if (test_table_) {
      for (double& value : test_table_->inputs) value /= set_->inputs_divided_by;
    }
    if (case_file_) {
      for (double& value : case_file_->table.inputs) value /= set_->inputs_divided_by;
    }
  }

  bool all_integers() const {
    const auto& marks = table_.integer_inputs;
    return !marks.empty() && std::find(marks.begin(), marks.end(), false) == marks.end();
  }

  void check_gaussian() const {
    const auto& loss = experiment_.training.loss;
    const bool fits = !loss || *loss == spec::Loss::Mse || *loss == spec::Loss::L1 || *loss == spec::Loss::Huber ||
                      *loss == spec::Loss::Output;
    if (!fits) refuse_gaussian_classes("training.loss");
    if (data_.task.value_or(spec::Task::Regression) != spec::Task::Regression) refuse_gaussian_classes("data.task");
    if (data_.classes) refuse_gaussian_classes("data.classes");
    if (data_.labels) refuse_gaussian_classes("data.labels");
    if (test_part_.has_own_file()) {
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

  /// data.shape, else the set's own, else the file's own.
  void settle_shape() {
    shape_ = table_.item_shape;
    if (set_ && data_.columns.inputs.empty() && !set_->shape.empty()) shape_ = set_->shape;
    if (data_.shape.empty()) return;
    shape_ = data_.shape;
    check_shape();
  }

  void check_shape() const {
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
    dataset.name = !data_.source.empty() ? data_.source : data_.path_as_written + data_.inputs_as_written;
    if (dataset.name.empty()) dataset.name = data_.path + data_.inputs;
    dataset.task = plan_.task;
    dataset.classes = plan_.classes;
    dataset.class_names = plan_.class_names;
    dataset.input_names = table_.input_names;
    dataset.target_names = table_.target_names;
    dataset.integer_inputs = table_.integer_inputs;
    dataset.integer_inputs.resize(table_.input_names.size(), false);  // generated data names none
    dataset.notes = table_.notes;
    if (test_table_) dataset.notes.insert(dataset.notes.end(), test_table_->notes.begin(), test_table_->notes.end());
    dataset.notes.insert(dataset.notes.end(), plan_.notes.begin(), plan_.notes.end());
    if (set_ && data_.columns.inputs.empty() && !set_->left_out.empty()) {
      std::string names;
      for (const auto& name : set_->left_out) names += (names.empty() ? "" : ", ") + name;
      dataset.notes.push_back(std::to_string(set_->left_out.size()) + " columns of " + set_->name + " are no inputs (" +
                              set_->left_out_because + "): " + names);
    }
    if (set_ && set_->has_test_part() && data_.test) {
      dataset.notes.push_back("the test part that belongs to " + set_->name +
                              " is not used, because the experiment names another (data.test)");
    }
    return dataset;
  }

  std::string raw_hash() const {
    LayoutHash hash("mantissa data 1");
    hash.add(table_.input_names).add(table_.target_names).add(shape_);
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
    hash.add(inputs_.mean).add(inputs_.scale).add(shape_);
    if (set_ && set_->inputs_divided_by != 1.0) hash.add("divided").add(std::vector<double>{set_->inputs_divided_by});
    for (const bool integer : table_.integer_inputs) {
      if (integer) hash.add("integer");
    }
    hash.add(dataset.target_offset).add(dataset.target_scale).add(static_cast<std::int64_t>(dataset.target_log10));
    hash.add(static_cast<std::int64_t>(plan_.class_indices)).add(plan_.classes).add(plan_.class_names);
    for (const Table* table : tables()) hash.add(table->dropped);
    return hash.hex();
  }

  void standardize_inputs() {
    if (all_integers()) {
      ErrorFacts facts;
      facts.problem = "integers that reach the model as integers cannot be standardised";
      facts.expected = "data.standardize = false where data.columns.integers names all inputs";
      throw setting_error(experiment_, "data.standardize", std::move(facts));
    }
    const std::size_t width = table_.input_names.size();
    inputs_ = statistics_of(table_.inputs, width, split_.train);
    for (std::size_t i = 0; i < table_.integer_inputs.size(); ++i) {
      if (!table_.integer_inputs[i]) continue;
      inputs_.mean[i] = 0.0;
      inputs_.scale[i] = 1.0;
    }
    apply(inputs_, table_.inputs);
    if (test_table_) apply(inputs_, test_table_->inputs);
    if (case_file_) apply(inputs_, case_file_->table.inputs);
  }

  /// What follows from the values as they stand in the files.
  void begin_file_cases(Dataset& dataset) const {
    const Table& cases = case_file_->table;
    FileCases& file_cases = dataset.file_cases.emplace();
    file_cases.kinds = case_file_->kinds;
    for (std::size_t row = 0; row < cases.ids.size(); ++row) {
      const std::size_t width = table_.target_names.size();
      const bool complete =
          !cases.targets.empty() && std::all_of(case_targets_.begin() + static_cast<std::ptrdiff_t>(row * width),
                                                case_targets_.begin() + static_cast<std::ptrdiff_t>((row + 1) * width),
                                                [](double value) { return !std::isnan(value); });
      file_cases.has_target.push_back(complete);
    }
    LayoutHash hash("mantissa case file 1");
    hash.add(cases.ids).add(cases.inputs).add(case_targets_).add(cases.slices);
    for (const record::CaseKind kind : file_cases.kinds) hash.add(record::to_text(kind));
    file_cases.sha256 = hash.hex();
    const std::int64_t overlap = rows_in_training(cases, table_, split_.train);
    if (overlap == 0) return;
    dataset.notes.push_back(std::to_string(overlap) + " of " + std::to_string(cases.rows()) + " cases of " +
                            experiment_.cases.path_as_written +
                            (overlap == 1 ? " has the inputs of a row" : " have the inputs of rows") +
                            " of the training part: the model has seen them.");
  }

  void finish_file_cases(FileCases& file_cases) const {
    const Table& cases = case_file_->table;
    std::vector<std::int64_t> rows(cases.ids.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<double> targets = case_targets_;
    if (targets.empty()) targets.resize(rows.size() * table_.target_names.size());
    for (double& value : targets) {
      if (std::isnan(value)) value = 0.0;
    }
    file_cases.part = part(cases, targets, rows);
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
      if (case_file_) take_log10(case_file_->table, case_targets_);
    }
    if (plan_.transform == spec::TargetTransform::Standardize) {
      const Statistics statistics = statistics_of(plan_.values.front(), width, split_.train);
      for (auto& values : plan_.values) apply(statistics, values);
      apply(statistics, case_targets_);
      dataset.target_offset = statistics.mean;
      dataset.target_scale = statistics.scale;
    }
  }

  static void take_log10(const Table& table, std::vector<double>& values) {
    const std::size_t width = table.target_names.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] <= 0.0) {
        ErrorFacts facts;
        place(facts, table, i / width, table.target_names[i % width], true);
        facts.problem = "a target without a logarithm";
        facts.found = to_text(values[i]);
        facts.expected = "a number above 0 for target_transform = \"log10\"";
        facts.remedy = "Choose data.target_transform = \"standardize\" or \"none\", or correct the value";
        throw Error(ErrorKind::DataProblem, std::move(facts));
      }
      values[i] = std::log10(values[i]);
    }
  }

  static void place(ErrorFacts& facts, const Table& table, std::size_t row, const std::string& column, bool target) {
    const auto index = static_cast<std::int64_t>(row);
    facts.file = target ? table.file_of_targets() : table.file;
    facts.line = target ? table.target_line_of(index) : table.line_of(index);
    facts.subject = "column " + column;
    if (facts.line == 0) facts.subject = "row " + table.ids[row] + ", " + facts.subject;
  }

  static float rounded(double value, const Table& table, std::size_t row, const std::string& column, bool target) {
    if (fits_float32(value)) return static_cast<float>(value);
    ErrorFacts facts;
    place(facts, table, row, column, target);
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
    if (shape_.empty()) sizes.push_back(static_cast<std::int64_t>(width));
    sizes.insert(sizes.end(), shape_.begin(), shape_.end());
    if (all_integers()) return gathered_integers(table.inputs, width, rows, sizes);
    return gathered(table, table.inputs, table.input_names, rows, sizes, false);
  }

  at::Tensor targets_tensor(const Table& table, const std::vector<double>& targets,
                            const std::vector<std::int64_t>& rows) const {
    const auto width = static_cast<std::int64_t>(table.target_names.size());
    return gathered(table, targets, table.target_names, rows, {static_cast<std::int64_t>(rows.size()), width}, true);
  }

  static at::Tensor gathered_integers(const std::vector<double>& values, std::size_t width,
                                      const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& sizes) {
    at::Tensor tensor = at::empty(sizes, at::TensorOptions(at::kLong));
    auto* out = tensor.mutable_data_ptr<std::int64_t>();
    for (const auto row : rows) {
      const double* from = values.data() + static_cast<std::size_t>(row) * width;
      out = std::transform(from, from + width, out, [](double value) { return static_cast<std::int64_t>(value); });
    }
    return tensor;
  }

  static at::Tensor gathered(const Table& table, const std::vector<double>& values,
                             const std::vector<std::string>& columns, const std::vector<std::int64_t>& rows,
                             const std::vector<std::int64_t>& sizes, bool target) {
    at::Tensor tensor = at::empty(sizes, at::TensorOptions(at::kFloat));
    float* out = tensor.mutable_data_ptr<float>();
    const std::size_t width = columns.size();
    for (const auto index : rows) {
      const auto row = static_cast<std::size_t>(index);
      for (std::size_t column = 0; column < width; ++column) {
        *out++ = rounded(values[row * width + column], table, row, columns[column], target);
      }
    }
    return tensor;
  }

  const spec::Experiment& experiment_;
  const spec::Data& data_;
  spec::TestPart test_part_;
  std::optional<BuiltIn> set_;
  bool target_of_set_ = false;
  std::vector<std::int64_t> shape_;  ///< of a row's inputs; empty: a vector
  Table table_;                      ///< the training file, or the only one
  std::optional<Table> test_table_;  ///< a test file of its own
  std::optional<CaseFile> case_file_;
  std::vector<double> case_targets_;  ///< as TargetPlan::values; NaN where one is missing; empty without targets
  std::vector<double> rule_of_pool_, rule_of_file_;  ///< what context.rule predicts, by row; empty without one
  std::vector<bool> edges_;                          ///< by row of the pool's table; empty without cases.edge
  TargetPlan plan_;
  Split split_;
  Statistics inputs_;  ///< empty unless standardised
};

}  // namespace

Dataset load(const spec::Experiment& experiment) {
  return spec::is_language_model(experiment.data) ? load_text(experiment) : Loader(experiment).load();
}

}  // namespace mantissa::data
