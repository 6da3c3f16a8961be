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

constexpr std::array<std::string_view, 7> kNames = {"ames",   "breast_cancer", "concrete", "diabetes",
                                                    "digits", "gaussian",      "wine"};
constexpr std::array<std::string_view, 3> kLater = {"fashion", "japanese_vowels", "shakespeare8"};

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
  const bool later = std::find(kLater.begin(), kLater.end(), name) != kLater.end();
  if (later || std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
    ErrorFacts facts;
    facts.subject = "data.source";
    if (later) facts.problem = "this set is not yet available";
    facts.found = '\'' + name + '\'';
    facts.expected = "one of " + listed();
    facts.remedy = "Choose one of them, or give a file with data.path";
    throw Error(later ? ErrorKind::NotYetAvailable : ErrorKind::InvalidSetting, std::move(facts));
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
  set.path = folder + table["file"].value_or(std::string());
  set.target = texts(table, "target");
  set.left_out = texts(table, "left_out");
  set.left_out_because = table["left_out_because"].value_or(std::string());
  set.standardize = table["standardize"].value_or(true);
  set.classes = table["classes"].value<std::int64_t>();
  const std::string task = table["task"].value_or(std::string());
  const std::string transform = table["target_transform"].value_or(std::string("none"));
  if (set.target.empty()) refuse_descriptor(file, "target", "column names");
  if (task != "classification" && task != "regression") refuse_descriptor(file, "task", "classification or regression");
  if (transform != "none" && transform != "log10") refuse_descriptor(file, "target_transform", "none or log10");
  set.task = task == "classification" ? spec::Task::Classification : spec::Task::Regression;
  set.target_transform = transform == "log10" ? spec::TargetTransform::Log10 : spec::TargetTransform::None;
  return set;
}

}  // namespace mantissa::data
