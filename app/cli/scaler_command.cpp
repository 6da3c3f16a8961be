// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/pattern_file.h"
#include "app/cli/program.h"
#include "app/cli/session_documents.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/session/scaler_simulation.h"
#include "core/spec/scaler_settings.h"

namespace mantissa::cli {
namespace {

struct ScalerOptions {
  std::string pattern;
  std::string preset = "pytorch";
  std::map<std::string, std::string> settings;  ///< by key of [trial.scaler], as typed; absent or empty: the preset's
};

[[noreturn]] void refuse(const std::string& option, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, option, "'" + found + "'", expected, ""});
}

std::string option_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

/// Reads the settings of an experiment's [trial.scaler], with its ranges and words.
class SettingsReader {
 public:
  explicit SettingsReader(const std::map<std::string, std::string>& typed) : typed_(typed) {}

  void number(const std::string& key, double& out) const {
    const std::string& text = text_of(key);
    if (text.empty()) return;
    const std::optional<double> value = number_from_text(text);
    if (!value) refuse(option_of(key), text, "a number");
    const std::string expected = spec::expected_of_scaler(key, *value);
    if (!expected.empty()) refuse(option_of(key), text, expected);
    out = *value;
  }

  void count(const std::string& key, std::int64_t& out) const {
    const std::string& text = text_of(key);
    if (text.empty()) return;
    const std::optional<std::int64_t> value = integer_from_text(text);
    if (!value || *value < spec::least_scaler_count(key) || *value > spec::largest_scaler_count) {
      refuse(option_of(key), text, spec::expected_of_scaler_count(key));
    }
    out = *value;
  }

  void refill(spec::HysteresisRefill& out) const {
    const std::string& text = text_of("hysteresis_refill");
    if (text.empty()) return;
    const std::optional<spec::HysteresisRefill> value = spec::hysteresis_refill_from_text(text);
    if (!value) refuse("--hysteresis-refill", text, "growth, clean-step or never");
    out = *value;
  }

  void at_floor(spec::Scaler& scaler) const {
    const std::string& text = text_of("at_floor");
    if (!text.empty()) {
      if (!spec::set_at_floor(text, scaler) || scaler.at_floor == spec::AtFloor::Switch) {
        refuse("--at-floor", text, "continue or stop; a simulation has no other trial to switch to");
      }
      if (scaler.at_floor == spec::AtFloor::Stop && scaler.floor == 0.0) {
        refuse("--at-floor", text, "continue, or --floor above 0 beside it");
      }
    }
    if (scaler.floor == 0.0)
      spec::set_at_floor("continue", scaler);  // without the preset's floor, nothing happens there
  }

 private:
  const std::string& text_of(const std::string& key) const {
    static const std::string none;
    const auto found = typed_.find(key);
    return found == typed_.end() ? none : found->second;
  }

  const std::map<std::string, std::string>& typed_;
};

spec::Scaler settings_of(const ScalerOptions& options) {
  const std::optional<spec::Scaler> preset = spec::scaler_preset(options.preset);
  if (!preset) refuse("--preset", options.preset, "pytorch, deepspeed or megatron");
  spec::Scaler scaler = *preset;
  scaler.enabled = true;
  const SettingsReader reader(options.settings);
  reader.number("init_scale", scaler.init_scale);
  reader.number("growth_factor", scaler.growth_factor);
  reader.number("backoff_factor", scaler.backoff_factor);
  reader.count("growth_interval", scaler.growth_interval);
  reader.count("hysteresis", scaler.hysteresis);
  reader.refill(scaler.hysteresis_refill);
  reader.count("growth_delay", scaler.growth_delay);
  reader.number("floor", scaler.floor);
  reader.number("ceiling", scaler.ceiling);
  reader.at_floor(scaler);
  if (const std::optional<spec::ScalerConflict> conflict = spec::conflict_in(scaler)) {
    throw Error(ErrorKind::InvalidSetting,
                {conflict->problem, "", 0, 0, "", "", "",
                 "Change " + option_of(conflict->first_key) + " or " + option_of(conflict->second_key)});
  }
  return scaler;
}

int simulate(Program& program, const ScalerOptions& options) {
  const spec::Scaler settings = settings_of(options);
  const Pattern pattern = read_pattern(options.pattern);
  const std::vector<session::SimulatedStep> steps = session::simulate_scaler(settings, pattern.found_inf);
  if (steps.size() < pattern.found_inf.size()) {
    program.console.message("ended at step " + std::to_string(steps.size()) + " of " +
                            std::to_string(pattern.found_inf.size()) +
                            ": an overflow found the scale at its floor (at_floor = stop)");
  }
  program.console.result(program.json ? scaler_document(settings, steps) : scaler_csv(steps, pattern.indexed));
  return exit_code::kDone;
}

}  // namespace

void add_scaler(Program& program) {
  const auto options = std::make_shared<ScalerOptions>();
  CLI::App* const command =
      program.add_command("scaler", "Plays a pattern of overflows through the gradient scaler, as CSV",
                          [&program, options] { return simulate(program, *options); });
  command->add_option("PATTERN.csv", options->pattern, "A column found_inf, or found_inf[0], found_inf[1] …; 0 or 1")
      ->required();
  command->add_option("--preset", options->preset, "Settings to start from: pytorch (default), deepspeed, megatron")
      ->type_name("NAME");
  const auto add = [command, options](const std::string& key, const std::string& help) {
    command->add_option(option_of(key), options->settings[key], help);
  };
  add("init_scale", "First loss scale (65536; megatron 4294967296)");
  add("growth_factor", "Factor after growth-interval clean steps (2)");
  add("backoff_factor", "Factor after an overflow (0.5)");
  add("growth_interval", "Clean steps before the scale grows (2000; deepspeed, megatron 1000)");
  add("hysteresis", "The overflow of this number lowers the scale (1; deepspeed, megatron 2)");
  add("hysteresis_refill", "When overflows are tolerated anew: growth (default), clean-step, never");
  add("growth_delay", "Clean steps after an overflow that do not count towards growth (0; deepspeed 1)");
  add("floor", "Least scale (0: none; deepspeed, megatron 1)");
  add("ceiling", "Largest scale (0: none)");
  add("at_floor", "An overflow at the floor: continue (default), stop (deepspeed)");
}

}  // namespace mantissa::cli
