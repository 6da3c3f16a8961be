// SPDX-License-Identifier: Apache-2.0
#include "core/spec/read_scaler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/base/number_text.h"
#include "core/spec/scaler_settings.h"
#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

/// The largest gradient that FP16 rounds to zero after scaling: half of its smallest number, 2^-24.
std::string least_fp16_gradient(double scale) { return mantissa::to_text(std::ldexp(1.0, -25) / scale); }

/// A number of the scaler, also as the FP32 number it becomes.
void read_number(const TableReader& table, const char* key, double& out) {
  const Setting* const setting = table.find(key);
  if (setting == nullptr) return;
  const double value = number_value(*setting, {[](double) { return true; }, "a number"});
  const std::string expected = expected_of_scaler(key, value);
  if (!expected.empty()) refuse(*setting, expected);
  out = value;
}

void read_count(const TableReader& table, const char* key, std::int64_t& out) {
  table.integer(key, out, least_scaler_count(key), largest_scaler_count);
}

void warn_of_small_scale(const Setting& setting, Autocast autocast, double init_scale,
                         std::vector<std::string>& warnings) {
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

void read_at_floor(const Setting& setting, Scaler& scaler) {
  const std::string text = text_value(setting);
  if (!set_at_floor(text, scaler)) refuse(setting, "continue | stop | switch:TRIAL");
}

/// Keys that do not go together. What the preset brought along counts like a key of the file.
void check_conflicts(const Setting* setting, const TableReader& table, Scaler& scaler) {
  if (setting == nullptr) return;
  if (scaler.floor == 0.0 && scaler.at_floor != AtFloor::Continue) {
    if (const Setting* const at_floor = table.find("at_floor")) {
      refuse_place(*at_floor, "there is no floor", "Set floor, the least scale");
    }
    set_at_floor("continue", scaler);  // floor = 0 takes the preset's floor away, and with it what happens there
  }
  const std::optional<ScalerConflict> conflict = conflict_in(scaler);
  if (!conflict) return;
  const Setting* place = setting;
  for (const std::string& key : {conflict->second_key, conflict->first_key}) {
    if (const Setting* const found = table.find(key)) place = found;
  }
  refuse_place(*place, conflict->problem,
               table.has("preset") ? "Keys of the file win over those of the preset: set " + conflict->first_key +
                                         " or " + conflict->second_key
                                   : "Change " + conflict->first_key + " or " + conflict->second_key);
}

const Setting* at_floor_of(const Setting& trial) {
  const Setting* const scaler = trial.find("scaler");
  return scaler == nullptr ? nullptr : scaler->find("at_floor");
}

const Trial* trial_named(const std::vector<Trial>& trials, const std::string& name) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const Trial& t) { return t.name == name; });
  return found == trials.end() ? nullptr : &*found;
}

}  // namespace

void read_scaler(const Setting* setting, const std::string& trial_label, Autocast autocast, Scaler& scaler,
                 std::vector<std::string>& warnings) {
  const TableReader table(setting);
  if (const Setting* const preset = table.find("preset")) scaler = scaler_preset(preset->text).value();
  scaler.enabled = autocast == Autocast::Float16;
  table.boolean("enabled", scaler.enabled);
  read_number(table, "init_scale", scaler.init_scale);
  if (const Setting* const init_scale = table.find("init_scale")) {
    warn_of_small_scale(*init_scale, autocast, scaler.init_scale, warnings);
  }
  read_number(table, "growth_factor", scaler.growth_factor);
  read_number(table, "backoff_factor", scaler.backoff_factor);
  read_count(table, "growth_interval", scaler.growth_interval);
  read_count(table, "hysteresis", scaler.hysteresis);
  table.word("hysteresis_refill", scaler.hysteresis_refill);
  read_count(table, "growth_delay", scaler.growth_delay);
  read_number(table, "floor", scaler.floor);
  read_number(table, "ceiling", scaler.ceiling);
  if (const Setting* const at_floor = table.find("at_floor")) read_at_floor(*at_floor, scaler);
  check_conflicts(setting, table, scaler);

  if (scaler.enabled && autocast == Autocast::Off) {
    warnings.push_back(trial_label + ": a loss scaler without autocast: FP32 gradients do not need one");
  }
  if (!scaler.enabled && autocast == Autocast::Float16) {
    warnings.push_back(trial_label + ": float16 without a loss scaler: gradients of " + least_fp16_gradient(1.0) +
                       " and smaller become zero without a sign");
  }
}

void check_switches(const Setting& list, const std::vector<Trial>& trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Setting* const place = at_floor_of(list.items[i]);
    std::string way = trials[i].name;
    const Trial* at = &trials[i];
    for (std::size_t switches = 0; at->scaler.at_floor == AtFloor::Switch; ++switches) {
      const Trial* const next = trial_named(trials, at->scaler.switch_to);
      if (next == nullptr && at == &trials[i]) {
        std::string known;
        for (const Trial& trial : trials) {
          if (trial.name != at->name) known += (known.empty() ? "switch:" : ", switch:") + trial.name;
        }
        refuse(*place, known.empty() ? "the file to have another trial" : known, "no such trial");
      }
      if (next == nullptr) break;  // refused where that trial's own at_floor stands
      way += " -> " + next->name;
      if (next == &trials[i]) {
        refuse_place(*place,
                     switches == 0 ? "a trial cannot switch to itself" : "the trials switch in a circle: " + way,
                     "Let the last of them continue or stop");
      }
      if (switches > trials.size()) break;  // a circle that this trial only leads into; refused at its members
      at = next;
    }
  }
}

}  // namespace mantissa::spec
