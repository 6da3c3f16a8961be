// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/spec/names.h"
#include "core/spec/scaler_settings.h"
#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

void check_name(const Setting& block, const std::vector<Trial>& before, std::string& name) {
  const Setting* const setting = block.find("name");
  if (setting == nullptr) refuse_place(block, "no name", "Name the trial: name = \"fp16\"");
  name = name_value(*setting);
  const bool taken = std::any_of(before.begin(), before.end(), [&](const Trial& t) { return t.name == name; });
  if (taken) refuse(*setting, "a name of its own", "an earlier trial has this name");
}

void read_float32_regions(const Setting* setting, Trial& trial) {
  if (setting == nullptr) return;
  const std::string expected = "\"loss\", \"module:PATH\", \"operator:NAME\" or \"module:PATH/operator:NAME\"";
  if (setting->kind != Setting::Kind::Array) refuse(*setting, "a list of " + expected);
  for (const Setting& item : setting->items) {
    if (item.kind != Setting::Kind::Text) refuse(item, expected);
    const std::string& region = item.text;
    if (region == "loss") {
      trial.loss_in_float32 = true;
      continue;
    }
    const auto starts = [](const std::string& text, std::string_view word) {
      return text.size() > word.size() && text.compare(0, word.size(), word) == 0;
    };
    const std::size_t slash = region.find('/');
    const bool whole = slash == std::string::npos && (starts(region, "module:") || starts(region, "operator:"));
    const bool both = slash != std::string::npos && starts(region.substr(0, slash), "module:") &&
                      starts(region.substr(slash + 1), "operator:");
    if (!whole && !both) refuse(item, expected);
    refuse_for_now(item, "modules and operators kept in FP32", "Only \"loss\" can be kept in FP32");
  }
}

/// The largest gradient that FP16 rounds to zero after scaling: half of its smallest number, 2^-24.
std::string least_fp16_gradient(double scale) { return mantissa::to_text(std::ldexp(1.0, -25) / scale); }

/// A number of the scaler, also as the FP32 number it becomes.
double scaler_number(const Setting& setting) {
  const double value = number_value(setting, {[](double) { return true; }, "a number"});
  const std::string expected = expected_of_scaler(setting.key, value);
  if (!expected.empty()) refuse(setting, expected);
  return value;
}

void read_init_scale(const Setting& setting, Autocast autocast, double& init_scale,
                     std::vector<std::string>& warnings) {
  init_scale = scaler_number(setting);
  const float scale = static_cast<float>(init_scale);  // the scaler holds its scale in FP32
  if (init_scale >= 1.0) return;

  const std::string start = setting.label + " = " + describe(setting) + " is below 1: ";
  // PyTorch unscales with the FP32 reciprocal; below about 2^-128 it is infinite (case 03 of the public reports).
  if (std::isinf(static_cast<float>(1.0 / static_cast<double>(scale)))) {
    warnings.push_back(start +
                       "1/scale overflows FP32, so unscaled gradients become infinite or NaN and the trial "
                       "stops as scale-too-small");
  } else if (autocast == Autocast::Float16) {
    warnings.push_back(start + "in FP16 gradients of " + least_fp16_gradient(init_scale) +
                       " and smaller become zero without a sign" +
                       (init_scale < std::ldexp(1.0, -24) ? ", so that training may stand still" : ""));
  } else {
    warnings.push_back(start + "small gradients lose precision, nothing is gained");
  }
}

void read_scaler(const Setting* setting, const std::string& trial_label, Autocast autocast, Scaler& scaler,
                 std::vector<std::string>& warnings) {
  scaler.enabled = autocast == Autocast::Float16;
  const TableReader table(setting);
  table.boolean("enabled", scaler.enabled);
  if (const Setting* const init_scale = table.find("init_scale")) {
    read_init_scale(*init_scale, autocast, scaler.init_scale, warnings);
  }
  if (const Setting* const factor = table.find("growth_factor")) scaler.growth_factor = scaler_number(*factor);
  if (const Setting* const factor = table.find("backoff_factor")) scaler.backoff_factor = scaler_number(*factor);
  table.integer("growth_interval", scaler.growth_interval, 1, largest_growth_interval);
  if (scaler.enabled && autocast == Autocast::Off) {
    warnings.push_back(trial_label + ": a loss scaler without autocast: FP32 gradients do not need one");
  }
  if (!scaler.enabled && autocast == Autocast::Float16) {
    warnings.push_back(trial_label + ": float16 without a loss scaler: gradients of " + least_fp16_gradient(1.0) +
                       " and smaller become zero without a sign");
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
    table.text("cast_policy", trial.cast_policy);
    table.integer("shadow_every", trial.shadow_every, 0);
    read_float32_regions(table.find("float32_regions"), trial);
    read_scaler(table.find("scaler"), block.label, trial.autocast, trial.scaler, experiment.warnings);
    refuse_lbfgs_with_scaler(block, experiment.training, trial.scaler);
    experiment.trials.push_back(std::move(trial));
  }
}

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
    const std::string verdict = text_value(member);
    if (verdict != "accepted" && verdict != "rejected" && verdict != "undecided") {
      refuse(member, "accepted | rejected | undecided");
    }
    experiment.expect[member.key] = verdict;
  }
}

}  // namespace mantissa::spec
