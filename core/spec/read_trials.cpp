// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "core/spec/names.h"
#include "core/spec/read_scaler.h"
#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

void check_name(const Setting& block, const std::vector<Trial>& before, std::string& name) {
  const Setting* const setting = block.find("name");
  if (setting == nullptr) refuse_place(block, "no name", "Name the trial: name = \"fp16\"");
  name = trial_name_value(*setting);
  const bool taken = std::any_of(before.begin(), before.end(), [&](const Trial& t) { return t.name == name; });
  if (taken) refuse(*setting, "a name of its own", "an earlier trial has this name");
}

/// The part of a region behind `word`; nothing where it is another one or empty.
std::optional<std::string> part_of_region(const std::string& text, std::string_view word) {
  if (text.size() <= word.size() || text.compare(0, word.size(), word) != 0) return std::nullopt;
  return text.substr(word.size());
}

std::optional<Float32Region> region_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::optional<std::string> module = part_of_region(text.substr(0, slash), "module:");
  const std::optional<std::string> name =
      part_of_region(slash == std::string::npos ? text : text.substr(slash + 1), "operator:");
  if (slash != std::string::npos && (!module || !name)) return std::nullopt;
  if (!module && !name) return std::nullopt;
  return Float32Region{module.value_or(""), name.value_or("")};
}

void read_float32_regions(const Setting* setting, Trial& trial, std::vector<std::string>& warnings) {
  if (setting == nullptr) return;
  const std::string expected = "\"loss\", \"module:PATH\", \"operator:NAME\" or \"module:PATH/operator:NAME\"";
  if (setting->kind != Setting::Kind::Array) refuse(*setting, "a list of " + expected);
  std::set<std::string> given;
  for (const Setting& item : setting->items) {
    if (item.kind != Setting::Kind::Text) refuse(item, expected);
    if (!given.insert(item.text).second) refuse(item, "each region once", "an earlier entry is the same");
    if (item.text == "loss") {
      trial.loss_in_float32 = true;
      continue;
    }
    const std::optional<Float32Region> region = region_of(item.text);
    if (!region) refuse(item, expected);
    if (trial.cast_policy == "jit") {
      refuse(item, "\"loss\" alone with cast_policy = \"jit\"",
             "TorchScript's pass writes its casts into the graph beforehand and no module or operator can be kept out",
             "Take cast_policy = \"device\" to keep some in FP32");
    }
    trial.float32_regions.push_back(*region);
  }
  if (!given.empty() && trial.autocast == Autocast::Off) {
    warnings.push_back(setting->label + " keeps nothing in FP32 that would not be: autocast is off");
  }
}

void read_cast_policy(const TableReader& table, const Experiment& experiment, Trial& trial,
                      std::vector<std::string>& warnings) {
  table.text("cast_policy", trial.cast_policy);
  const Setting* const setting = table.find("cast_policy");
  if (trial.cast_policy == "device") return;
  if (trial.cast_policy == "jit" && experiment.model.kind != ModelKind::TorchScript) {
    refuse(*setting, "\"device\" or \"cuda\" for a built-in model",
           "TorchScript's own pass casts TorchScript models alone (model.kind = \"torchscript\")");
  }
  if (trial.autocast == Autocast::Off) {
    warnings.push_back(setting->label + " = \"" + trial.cast_policy + "\" changes nothing: autocast is off");
  }
}

}  // namespace

void read_trials(const Setting* list, Experiment& experiment) {
  if (list == nullptr) return;
  for (const Setting& block : list->items) {
    const TableReader table(&block);
    Trial trial;
    check_name(block, experiment.trials, trial.name);
    if (!table.has("autocast")) {
      refuse_place(block, "no autocast", "Say in which precision the trial runs: autocast = \"bfloat16\"",
                   choices<Autocast>());
    }
    table.word("autocast", trial.autocast);
    table.integer("shadow_every", trial.shadow_every, 0);
    read_cast_policy(table, experiment, trial, experiment.warnings);
    read_float32_regions(table.find("float32_regions"), trial, experiment.warnings);
    read_scaler(table.find("scaler"), block.label, trial.autocast, trial.scaler, experiment.warnings);
    refuse_lbfgs_with_scaler(block, experiment.training, trial.scaler);
    experiment.trials.push_back(std::move(trial));
  }
  check_switches(*list, experiment.trials);
}

namespace {

std::string verdict_value(const Setting& setting) {
  const std::string verdict = text_value(setting);
  if (verdict != "accepted" && verdict != "rejected" && verdict != "undecided") {
    refuse(setting, "accepted | rejected | undecided");
  }
  return verdict;
}

/// "accepted", or { "lstm float16" = "accepted", otherwise = "rejected" }.
Expectation expectation_value(const Setting& setting) {
  Expectation expectation;
  if (setting.kind != Setting::Kind::Table) {
    expectation.verdict = verdict_value(setting);
    return expectation;
  }
  for (const Setting& member : setting.members) {
    if (member.key == "otherwise") {
      expectation.otherwise = verdict_value(member);
    } else if (expectation.needs.empty() && member.key.find(' ') != std::string::npos) {
      expectation.needs = member.key;
      expectation.verdict = verdict_value(member);
    } else {
      refuse_place(member, "not an operator and a dtype of mantissa-cli doctor",
                   "Write { \"lstm float16\" = \"accepted\", otherwise = \"rejected\" }");
    }
  }
  if (expectation.needs.empty() || expectation.otherwise.empty()) {
    refuse_place(setting, "half an expectation", "Write { \"lstm float16\" = \"accepted\", otherwise = \"rejected\" }");
  }
  return expectation;
}

}  // namespace

void read_expect(const Setting* table, Experiment& experiment) {
  if (table == nullptr) return;
  for (const Setting& member : table->members) {
    const bool known = std::any_of(experiment.trials.begin(), experiment.trials.end(),
                                   [&](const Trial& trial) { return trial.name == member.key; });
    if (!known) {
      std::string names;
      for (const Trial& trial : experiment.trials) names += (names.empty() ? "" : ", ") + trial.name;
      refuse_place(member, "no such trial", names.empty() ? "The file has no [[trial]]" : "Known are " + names);
    }
    experiment.expect[member.key] = expectation_value(member);
  }
}

}  // namespace mantissa::spec
