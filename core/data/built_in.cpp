// SPDX-License-Identifier: Apache-2.0
#include "core/data/built_in.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <toml++/toml.h>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/data/resources.h"

namespace mantissa::data {

namespace {

constexpr std::array<std::string_view, 10> kNames = {"ames",         "breast_cancer", "concrete", "diabetes",
                                                     "digits",       "fashion",       "gaussian", "japanese_vowels",
                                                     "shakespeare8", "wine"};

std::string listed() {
  std::string text;
  for (const auto name : kNames) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

[[noreturn]] void refuse_descriptor(const std::string& file, const std::string& key, const std::string& expected) {
  ErrorFacts facts;
  facts.file = file;
  facts.subject = key;
  facts.problem = "the descriptor of a built-in set is damaged";
  facts.expected = expected;
  facts.remedy = "Install the program again";
  throw Error(ErrorKind::FileProblem, std::move(facts));
}

std::vector<std::string> texts(const toml::table& table, const char* key) {
  std::vector<std::string> result;
  if (const toml::array* array = table[key].as_array()) {
    for (const auto& node : *array) result.push_back(node.value_or(std::string()));
  }
  return result;
}

}  // namespace

std::vector<std::string> built_in_names() { return {kNames.begin(), kNames.end()}; }

BuiltIn built_in(const std::string& name) {
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
    ErrorFacts facts;
    facts.subject = "data.source";
    facts.found = '\'' + name + '\'';
    facts.expected = "one of " + listed();
    facts.remedy = "Choose one of them, or give a file with data.path";
    throw Error(ErrorKind::InvalidSetting, std::move(facts));
  }

  const std::string folder = resources_folder() + "/data/";
  const std::string file = folder + name + ".toml";
  BuiltIn set;
  set.name = name;
  toml::table table;
  try {
    table = toml::parse_file(file);
  } catch (const toml::parse_error& error) {
    refuse_descriptor(file, "", std::string(error.description()));
  }
  const auto path = [&](const char* key) {
    const std::string written = table[key].value_or(std::string());
    return written.empty() ? written : folder + written;
  };
  set.path = path("file");
  set.inputs = path("inputs");
  set.targets = path("targets");
  set.test_path = path("test_file");
  set.test_inputs = path("test_inputs");
  set.test_targets = path("test_targets");
  set.target = texts(table, "target");
  set.left_out = texts(table, "left_out");
  set.left_out_because = table["left_out_because"].value_or(std::string());
  set.standardize = table["standardize"].value_or(true);
  set.classes = table["classes"].value<std::int64_t>();
  set.inputs_divided_by = table["inputs_divided_by"].value_or(1.0);
  if (const toml::array* shape = table["shape"].as_array()) {
    for (const auto& size : *shape) set.shape.push_back(size.value_or(std::int64_t{0}));
  }
  const std::string labels = table["labels"].value_or(std::string("index"));
  const std::string task = table["task"].value_or(std::string());
  const std::string transform = table["target_transform"].value_or(std::string("none"));
  const bool text = task == "language-model";
  if (set.path.empty() && (set.inputs.empty() || set.targets.empty())) {
    refuse_descriptor(file, "file", "a file, or inputs and targets");
  }
  if (set.target.empty() && !text && !set.path.empty()) refuse_descriptor(file, "target", "column names");
  if (!text && task != "classification" && task != "regression") {
    refuse_descriptor(file, "task", "classification, regression or language-model");
  }
  if (labels != "index" && labels != "map") refuse_descriptor(file, "labels", "index or map");
  if (transform != "none" && transform != "log10") refuse_descriptor(file, "target_transform", "none or log10");
  set.task = text                       ? spec::Task::LanguageModel
             : task == "classification" ? spec::Task::Classification
                                        : spec::Task::Regression;
  set.labels = labels == "map" ? spec::Labels::Map : spec::Labels::Index;
  set.target_transform = transform == "log10" ? spec::TargetTransform::Log10 : spec::TargetTransform::None;
  return set;
}

}  // namespace mantissa::data
