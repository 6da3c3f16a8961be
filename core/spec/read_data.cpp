// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

/// Kinds of data file that the contract knows and this version cannot read. Other endings are left to the reader of
/// the data, which goes by the content.
constexpr std::int64_t most_prefetched = 1024;    // steps ahead: more only holds memory
constexpr std::int64_t most_context = 1'000'000;  // characters a window
constexpr std::array<std::string_view, 4> later_kinds{".npy", ".npz", ".safetensors", ".pt"};

std::string ending_of(std::string path) {
  std::transform(path.begin(), path.end(), path.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  const std::filesystem::path name = path;
  return name.extension() == ".gz" ? name.stem().extension().string() : name.extension().string();
}

void read_data_path(const Setting& setting, const std::string& folder, std::string& path, std::string& as_written) {
  as_written = text_value(setting);
  const std::string ending = ending_of(as_written);
  if (std::find(later_kinds.begin(), later_kinds.end(), ending) != later_kinds.end()) {
    refuse_for_now(setting, "data files of the kind " + ending, "Give the data as .csv, .txt or IDX, each also .gz");
  }
  path = resolved(folder, as_written);
}

void read_target_columns(const TableReader& columns, std::vector<std::string>& target) {
  const Setting* const setting = columns.find("target");
  if (setting == nullptr) return;
  if (setting->kind == Setting::Kind::Text) {
    target = {text_value(*setting)};
  } else if (setting->kind == Setting::Kind::Array) {
    target = texts_value(*setting);
  } else {
    refuse(*setting, "a column name or a list of them");
  }
}

void refuse_column_with_two_roles(const Setting& table, const Columns& columns) {
  std::vector<std::string> names = columns.inputs;
  names.insert(names.end(), columns.target.begin(), columns.target.end());
  if (!columns.id.empty()) names.push_back(columns.id);
  if (!columns.slice.empty()) names.push_back(columns.slice);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse_place(table, "the column \"" + *twice + "\" is named twice");
}

void refuse_integers_without_input(const Setting& table, const Columns& columns) {
  for (const std::string& name : columns.integers) {
    const bool other_role = name == columns.id || name == columns.slice ||
                            std::find(columns.target.begin(), columns.target.end(), name) != columns.target.end();
    const bool no_input = !columns.inputs.empty() &&
                          std::find(columns.inputs.begin(), columns.inputs.end(), name) == columns.inputs.end();
    if (!other_role && !no_input) continue;
    refuse_place(table, "columns.integers names \"" + name + "\", which is no input column",
                 "Name input columns: integer class labels need no entry");
  }
}

/// Two files in one role each: both or neither.
void read_two_files(const TableReader& table, const std::string& folder, std::string& inputs,
                    std::string& inputs_as_written, std::string& targets, std::string& targets_as_written) {
  const Setting* const first = table.find("inputs");
  const Setting* const second = table.find("targets");
  if (first == nullptr && second == nullptr) return;
  if (first == nullptr || second == nullptr) {
    const Setting& given = first != nullptr ? *first : *second;
    refuse_place(given, first != nullptr ? "inputs without targets" : "targets without inputs",
                 "Name both files, or one file with all columns as path");
  }
  read_data_path(*first, folder, inputs, inputs_as_written);
  read_data_path(*second, folder, targets, targets_as_written);
}

void read_pin_memory(const Setting* setting, PinMemory& out) {
  if (setting == nullptr) return;
  if (setting->kind == Setting::Kind::Boolean) {
    out = setting->boolean ? PinMemory::Always : PinMemory::Never;
    return;
  }
  if (setting->kind != Setting::Kind::Text || setting->text != "auto") refuse(*setting, "\"auto\", true or false");
  out = PinMemory::Auto;
}

void read_shape(const Setting* setting, std::vector<std::int64_t>& shape) {
  if (setting == nullptr) return;
  const std::string expected = "a list of sizes of at least 1, such as [25, 12]";
  if (setting->kind != Setting::Kind::Array || setting->items.empty()) refuse(*setting, expected);
  for (const Setting& item : setting->items) {
    shape.push_back(integer_value(item, 1, std::numeric_limits<std::int32_t>::max()));
  }
}

void read_test(const Setting* setting, const std::string& folder, std::optional<TestPart>& out) {
  if (setting == nullptr) return;
  const TableReader table(setting);
  TestPart test;
  if (const Setting* const path = table.find("path")) {
    for (const char* const other : {"fraction", "seed"}) {
      if (const Setting* const given = table.find(other)) {
        refuse_place(*given, "a test part of its own file is not drawn from the rows",
                     "Give either path, or fraction and seed");
      }
    }
    read_data_path(*path, folder, test.path, test.path_as_written);
  }
  read_two_files(table, folder, test.inputs, test.inputs_as_written, test.targets, test.targets_as_written);
  if (!test.inputs.empty()) {
    for (const char* const other : {"path", "fraction", "seed"}) {
      if (const Setting* const given = table.find(other)) {
        refuse_place(*given, "a test part in two files of its own takes nothing else", "Leave it out");
      }
    }
  }
  table.number("fraction", test.fraction, range::share_below_one);
  table.integer("seed", test.seed, 0);
  out = test;
}

void read_gaussian(const TableReader& table, Data& data) {
  for (const char* const key : {"rows", "features", "outputs", "seed"}) {
    const Setting* const setting = table.find(key);
    if (setting != nullptr && data.source != "gaussian") {
      refuse_place(*setting, "only data.source = \"gaussian\" takes it");
    }
  }
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  table.integer("rows", data.rows, 1, most);
  table.integer("features", data.features, 1, most);
  table.integer("outputs", data.outputs, 1, most);
  table.integer("seed", data.seed, 0);
}

}  // namespace

bool is_language_model(const Data& data) {
  if (data.task) return *data.task == Task::LanguageModel;
  return data.source == "shakespeare8" || (!data.path.empty() && ending_of(data.path_as_written) == ".txt");
}

bool higher_is_better(const std::string& metric) { return metric == "accuracy" || metric == "f1" || metric == "auc"; }

std::vector<std::string> metrics_of(Task task, bool has_decision) {
  switch (task) {
    case Task::Classification:
      return {"accuracy", "f1", "auc", "log_loss"};
    case Task::LanguageModel:
      return {"perplexity", "accuracy"};
    case Task::Regression:
      break;
  }
  std::vector<std::string> metrics{"rmse", "mae", "worst_error", "extreme_error"};
  if (has_decision) metrics.insert(metrics.end(), {"accuracy", "f1"});
  return metrics;
}

std::string default_metric(Task task) {
  switch (task) {
    case Task::Classification:
      return "accuracy";
    case Task::Regression:
      return "rmse";
    case Task::LanguageModel:
      return "perplexity";
  }
  return {};
}

void read_data(const Setting* setting, const std::string& folder, Experiment& experiment) {
  Data& data = experiment.data;
  if (setting == nullptr) {
    Setting missing;
    missing.label = "data";
    refuse_place(missing, "missing",
                 "Name a built-in set, [data] source = \"digits\", or a file, path = \"train.csv\"");
  }
  const TableReader table(setting);
  table.text("source", data.source);
  if (const Setting* const path = table.find("path")) {
    if (!data.source.empty()) refuse_place(*path, "source and path exclude each other", "Leave one of them out");
    read_data_path(*path, folder, data.path, data.path_as_written);
  }
  read_two_files(table, folder, data.inputs, data.inputs_as_written, data.targets, data.targets_as_written);
  if (!data.inputs.empty() && (!data.source.empty() || !data.path.empty())) {
    refuse_place(*table.find("inputs"), "two files of inputs and targets take the place of source and path",
                 "Leave one of them out");
  }
  read_gaussian(table, data);

  if (const Setting* const columns_table = table.find("columns")) {
    if (data.source == "gaussian") refuse_place(*columns_table, "drawn data has no named columns");
    const TableReader columns(columns_table);
    columns.texts("inputs", data.columns.inputs);
    read_target_columns(columns, data.columns.target);
    columns.text("id", data.columns.id);
    columns.text("slice", data.columns.slice);
    refuse_column_with_two_roles(*columns_table, data.columns);
    columns.texts("integers", data.columns.integers);
    refuse_integers_without_input(*columns_table, data.columns);
  }
  table.word("task", data.task);
  table.word("labels", data.labels);
  table.integer("classes", data.classes, 1, most_classes);
  table.word("target_transform", data.target_transform);
  read_shape(table.find("shape"), data.shape);
  table.word("order", data.order);
  read_test(table.find("test"), folder, data.test);
  table.boolean("standardize", data.standardize);
  table.word("missing", data.missing);
  read_pin_memory(table.find("pin_memory"), data.pin_memory);
  table.integer("prefetch", data.prefetch, 0, most_prefetched);
  table.integer("context", data.context, 1, most_context);
  if (data.context && !is_language_model(data)) {
    refuse_place(*table.find("context"), "only a language model has a context",
                 "Set data.task = \"language-model\", or leave the key out");
  }
  if (data.source.empty() && data.path.empty() && data.inputs.empty()) {
    refuse_place(*setting, "neither source nor path",
                 "Name a built-in set, source = \"digits\", or a file, path = \"train.csv\"");
  }
}

}  // namespace mantissa::spec
