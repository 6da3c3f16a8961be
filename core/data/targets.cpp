// SPDX-License-Identifier: Apache-2.0
#include "core/data/targets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/data/csv.h"
#include "core/data/setting_error.h"

namespace mantissa::data {

namespace {

using spec::Loss;
using spec::Task;

constexpr std::size_t kNamedLines = 5;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: whole numbers above it collide in FP64

bool for_classification(Loss loss) {
  return loss == Loss::CrossEntropy || loss == Loss::Nll || loss == Loss::Bce || loss == Loss::BceWithLogits;
}

bool binary(const std::optional<Loss>& loss) { return loss && (*loss == Loss::Bce || *loss == Loss::BceWithLogits); }

/// The target columns of all tables, seen as one.
class AllTargets {
 public:
  explicit AllTargets(const std::vector<const Table*>& tables) : tables_(tables) {}

  bool any(bool TargetColumn::*flag) const {
    return holds([flag](const TargetColumn& column) { return column.*flag; }, false);
  }
  bool all(bool TargetColumn::*flag) const {
    return !holds([flag](const TargetColumn& column) { return !(column.*flag); }, false);
  }

  /// Calls `visit(table, column, row)` for every cell, tables and rows in order.
  void each(const std::function<void(std::size_t, const TargetColumn&, std::size_t)>& visit) const {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const auto rows = static_cast<std::size_t>(tables_[i]->rows());
      for (std::size_t row = 0; row < rows; ++row) {
        for (const auto& column : tables_[i]->targets) visit(i, column, row);
      }
    }
  }

 private:
  bool holds(const std::function<bool(const TargetColumn&)>& test, bool otherwise) const {
    for (const Table* table : tables_) {
      for (const auto& column : table->targets) {
        if (test(column)) return true;
      }
    }
    return otherwise;
  }

  const std::vector<const Table*>& tables_;
};

/// Collects cells that are refused together: the message names the first lines of the first file they stand in.
class Refusals {
 public:
  explicit Refusals(const std::vector<const Table*>& tables) : tables_(tables) {}

  void add(std::size_t table, const TargetColumn& column, std::size_t row) {
    if (count_ == 0) {
      table_ = table;
      const auto& targets = tables_[table]->targets;
      const auto index = static_cast<std::size_t>(&column - targets.data());
      column_ = tables_[table]->target_names[index];
    }
    if (table != table_) return;
    ++count_;
    if (count_ > kNamedLines) return;
    const int line = tables_[table]->target_line_of(static_cast<std::int64_t>(row));
    if (count_ == 1) line_ = line;
    found_ += (found_.empty() ? "'" : ", '") + column.texts[row] +
              (line > 0 ? "' in line " + std::to_string(line) : "' in row " + tables_[table]->ids[row]);
  }

  void raise(std::string problem, std::string expected, std::string remedy) const {
    if (count_ == 0) return;
    ErrorFacts facts;
    facts.file = tables_[table_]->file_of_targets();
    // One line stands in front of the sentence, several stand in it.
    facts.line = line_;
    facts.subject = "column " + column_;
    facts.problem = std::move(problem);
    facts.found = found_;
    if (count_ > kNamedLines) facts.found += " and " + std::to_string(count_ - kNamedLines) + " more";
    facts.expected = std::move(expected);
    facts.remedy = std::move(remedy);
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

 private:
  const std::vector<const Table*>& tables_;
  std::size_t table_ = 0;
  std::size_t count_ = 0;
  int line_ = 0;
  std::string column_;
  std::string found_;
};

std::string some_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamedLines; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kNamedLines ? text + ", … (" + std::to_string(names.size()) + " in all)" : text;
}

[[noreturn]] void refuse_setting(const spec::Experiment& experiment, const std::string& key, std::string problem,
                                 std::string found, std::string expected, std::string remedy) {
  ErrorFacts facts;
  facts.problem = std::move(problem);
  facts.found = std::move(found);
  facts.expected = std::move(expected);
  facts.remedy = std::move(remedy);
  throw setting_error(experiment, key, std::move(facts));
}

/// Floats that are nothing but 0.0, 1.0, 2.0 … without a gap are labels that some tool wrote as floats.
bool looks_like_labels(const AllTargets& targets) {
  std::map<double, bool> seen;
  targets.each([&seen](std::size_t, const TargetColumn& column, std::size_t row) {
    if (seen.size() <= static_cast<std::size_t>(spec::most_classes)) seen[column.numbers[row]] = true;
  });
  return seen.size() > 1 && seen.begin()->first == 0.0 && seen.rbegin()->first == static_cast<double>(seen.size() - 1);
}

Task task_of(const spec::Experiment& experiment, const std::optional<BuiltIn>& set, const AllTargets& targets,
             std::vector<std::string>& notes) {
  const spec::Data& data = experiment.data;
  // A loss that the model computes itself says nothing of the task.
  const auto& named = experiment.training.loss;
  const auto loss = named == spec::Loss::Output ? std::nullopt : named;
  if (data.task) {
    if (loss && (*data.task == Task::Classification) != for_classification(*loss)) {
      const bool classes = *data.task == Task::Classification;
      refuse_setting(
          experiment, "training.loss", "the loss does not fit data.task", "",
          classes ? "cross_entropy, nll, bce or bce_with_logits for classification" : "mse, l1 or huber for regression",
          "Change one of them, or leave data.task out");
    }
    return *data.task;
  }
  if (loss) return for_classification(*loss) ? Task::Classification : Task::Regression;
  if (data.classes || data.labels) return Task::Classification;
  if (set) return set->task;
  if (targets.any(&TargetColumn::any_text)) return Task::Classification;
  if (targets.all(&TargetColumn::all_written_as_whole)) return Task::Classification;
  if (targets.all(&TargetColumn::all_whole) && looks_like_labels(targets)) {
    notes.emplace_back(
        "the targets are written as floats but are the whole numbers from 0 on: taken as class labels; set "
        "data.task = \"regression\" if they are quantities");
    return Task::Classification;
  }
  return Task::Regression;
}

void plan_regression(const AllTargets& targets, const std::vector<const Table*>& tables, TargetPlan& plan) {
  Refusals text(tables);
  Refusals infinite(tables);
  targets.each([&](std::size_t i, const TargetColumn& column, std::size_t row) {
    if (!column.is_number[row]) text.add(i, column, row);
    if (!std::isfinite(column.numbers[row])) infinite.add(i, column, row);
    plan.values[i].push_back(column.numbers[row]);
  });
  text.raise("text in a target of a regression", "numbers", "Set data.task = \"classification\" if these are labels");
  infinite.raise("an infinite number is already in the data", "a finite number",
                 "Correct the value, or remove the row from the file");
}

/// Labels of any kind, sorted: by value where all are numbers, else by bytes.
void plan_mapped(const spec::Experiment& experiment, const AllTargets& targets, TargetPlan& plan) {
  bool by_value = !targets.any(&TargetColumn::any_text);
  targets.each([&by_value](std::size_t, const TargetColumn& column, std::size_t row) {
    by_value = by_value && std::abs(column.numbers[row]) <= kExactIntegers;
  });
  std::map<std::pair<double, std::string>, std::int64_t> index;  // sorted; the text is empty when by value
  std::map<double, std::string> spelling;
  const auto key = [by_value](const TargetColumn& column, std::size_t row) {
    return by_value ? std::make_pair(column.numbers[row] + 0.0, std::string()) : std::make_pair(0.0, column.texts[row]);
  };
  targets.each([&](std::size_t, const TargetColumn& column, std::size_t row) {
    index.emplace(key(column, row), 0);
    if (by_value) spelling.emplace(column.numbers[row], column.texts[row]);
  });
  for (auto& [label, number] : index) {
    number = static_cast<std::int64_t>(plan.class_names.size());
    plan.class_names.push_back(by_value ? spelling.at(label.first) : label.second);
  }
  targets.each([&](std::size_t i, const TargetColumn& column, std::size_t row) {
    plan.values[i].push_back(static_cast<double>(index.at(key(column, row))));
  });
  const auto distinct = static_cast<std::int64_t>(index.size());
  const auto& asked = experiment.data.classes;
  if (asked && *asked < distinct) {
    refuse_setting(experiment, "data.classes", "fewer classes than labels in the data", std::to_string(*asked),
                   std::to_string(distinct) + " or more", "Leave data.classes out, or correct the labels");
  }
  plan.classes = asked.value_or(distinct);
}

void plan_indices(const spec::Experiment& experiment, std::optional<std::int64_t> known, const AllTargets& targets,
                  const std::vector<const Table*>& tables, TargetPlan& plan) {
  // Labels above the limit are codes (postcodes, ids) rather than class indices.
  const double limit = static_cast<double>(known.value_or(spec::most_classes));
  Refusals refused(tables);
  double largest = 0.0;
  std::int64_t counted = 0;
  std::int64_t ignored = 0;
  const double ignored_label = static_cast<double>(experiment.training.ignore_index);
  targets.each([&](std::size_t i, const TargetColumn& column, std::size_t row) {
    const double label = column.numbers[row];
    // cross_entropy and nll alone leave a label out; it is no class and may have any value.
    if (plan.class_indices && column.is_number[row] && label == ignored_label) {
      ++ignored;
      plan.values[i].push_back(label);
      return;
    }
    ++counted;
    const bool fits = column.is_number[row] && label >= 0.0 && label < limit && label == std::trunc(label);
    if (!fits) refused.add(i, column, row);
    largest = std::max(largest, label);
    plan.values[i].push_back(label + 0.0);  // −0 becomes 0
  });
  const std::string range = known ? "whole numbers from 0 to " + std::to_string(*known - 1)
                                  : "whole numbers from 0 (and below " + std::to_string(spec::most_classes) + ")";
  std::string remedy = "Correct the labels, or set data.labels = \"map\" to number whatever values there are";
  if (known && experiment.data.classes) remedy += ", or raise data.classes";
  refused.raise("not a class index", range, remedy);
  const std::string named = "the ignored label " + std::to_string(experiment.training.ignore_index);
  if (counted == 0) {
    refuse_setting(experiment, "training.ignore_index", "every row carries " + named, "",
                   "rows with a label of a class", "Correct the labels, or set another training.ignore_index");
  }
  if (ignored > 0) {
    plan.notes.push_back(std::to_string(ignored) + (ignored == 1 ? " row carries " : " rows carry ") + named);
  }
  plan.classes = known ? *known : static_cast<std::int64_t>(largest) + 1;
}

void plan_classification(const spec::Experiment& experiment, const std::optional<BuiltIn>& set,
                         const AllTargets& targets, const std::vector<const Table*>& tables, TargetPlan& plan) {
  const spec::Data& data = experiment.data;
  const bool two = binary(experiment.training.loss);
  plan.class_indices = !two;
  if (!two && tables.front()->targets.size() > 1) {
    refuse_setting(experiment, "data.columns.target", "several target columns for one label",
                   std::to_string(tables.front()->targets.size()) + " columns", "one column",
                   "Name one column, or use the loss bce_with_logits for several yes-or-no targets");
  }
  if (data.target_transform && *data.target_transform != spec::TargetTransform::None) {
    refuse_setting(experiment, "data.target_transform", "class labels have no unit to transform", "",
                   "\"none\" for classification", "Remove the key, or set data.task = \"regression\"");
  }
  const bool text_only = targets.any(&TargetColumn::any_text) && !targets.any(&TargetColumn::any_number);
  const spec::Labels labels = data.labels.value_or(set ? set->labels : spec::Labels::Index);
  std::optional<std::int64_t> known = data.classes;
  if (!known && set && set->task == Task::Classification) known = set->classes;
  if (two && data.classes && *data.classes != 2) {
    refuse_setting(experiment, "data.classes", "the loss is for two classes", std::to_string(*data.classes), "2",
                   "Set training.loss = \"cross_entropy\" for more classes");
  }
  if (two) known = 2;
  if (labels == spec::Labels::Map || text_only) {
    plan_mapped(experiment, targets, plan);
  } else {
    plan_indices(experiment, known, targets, tables, plan);
  }
  if (two && plan.classes > 2) {
    refuse_setting(experiment, "training.loss", "the loss is for two classes", std::to_string(plan.classes) + " labels",
                   "2 labels", "Set training.loss = \"cross_entropy\" for more classes");
  }
  if (two) plan.classes = 2;
}

bool is_missing(const TargetColumn& column, std::size_t row) {
  return !column.is_missing.empty() && column.is_missing[row];
}

/// Where a label stands among those of the data; nothing: nowhere.
std::optional<double> mapped_label(const TargetPlan& plan, const TargetColumn& column, std::size_t row) {
  const auto same = [&](const std::string& name) {
    if (name == column.texts[row]) return true;
    const CellValue value = value_of_cell(name);  // "1" and "1.0" are one label where all labels are numbers
    return column.is_number[row] && value.kind == CellKind::Number && value.number == column.numbers[row];
  };
  const auto found = std::find_if(plan.class_names.begin(), plan.class_names.end(), same);
  if (found == plan.class_names.end()) return std::nullopt;
  return static_cast<double>(found - plan.class_names.begin());
}

std::optional<double> class_index(const TargetPlan& plan, const spec::Experiment& experiment,
                                  const TargetColumn& column, std::size_t row) {
  const double label = column.numbers[row];
  if (!column.is_number[row]) return std::nullopt;
  if (plan.class_indices && label == static_cast<double>(experiment.training.ignore_index)) return label;
  if (label < 0.0 || label >= static_cast<double>(plan.classes) || label != std::trunc(label)) return std::nullopt;
  return label + 0.0;  // −0 becomes 0
}

}  // namespace

std::vector<double> targets_by_plan(const TargetPlan& plan, const spec::Experiment& experiment, const Table& table) {
  const std::vector<const Table*> tables{&table};
  const AllTargets targets(tables);
  const bool regression = plan.task == Task::Regression;
  std::vector<double> values;
  Refusals unknown(tables);
  Refusals no_number(tables);
  targets.each([&](std::size_t i, const TargetColumn& column, std::size_t row) {
    std::optional<double> value;
    if (is_missing(column, row)) {
      value = std::nan("");
    } else if (regression) {
      const bool number = column.is_number[row] && std::isfinite(column.numbers[row]);
      if (number) value = column.numbers[row];
      if (!number) no_number.add(i, column, row);
    } else {
      value = plan.class_names.empty() ? class_index(plan, experiment, column, row) : mapped_label(plan, column, row);
      if (!value) unknown.add(i, column, row);
    }
    values.push_back(value.value_or(0.0));
  });
  no_number.raise("not a finite number in a target of a regression", "a finite number, or an empty cell",
                  "Correct the value, or leave the cell empty");
  unknown.raise("a class that the data does not have",
                plan.class_names.empty() ? "whole numbers from 0 to " + std::to_string(plan.classes - 1)
                                         : "one of " + some_of(plan.class_names),
                "Correct the label, or leave the cell empty");
  return values;
}

TargetPlan plan_targets(const spec::Experiment& experiment, const std::optional<BuiltIn>& set,
                        const std::vector<const Table*>& tables) {
  const AllTargets targets(tables);
  TargetPlan plan;
  plan.values.resize(tables.size());
  plan.task = task_of(experiment, set, targets, plan.notes);
  if (plan.task == Task::Classification) {
    plan_classification(experiment, set, targets, tables, plan);
    return plan;
  }
  const bool own_transform = set && set->task == Task::Regression;
  plan.transform =
      experiment.data.target_transform.value_or(own_transform ? set->target_transform : spec::TargetTransform::None);
  plan_regression(targets, tables, plan);
  return plan;
}

}  // namespace mantissa::data
