// SPDX-License-Identifier: Apache-2.0
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
  std::string init_scale, growth_factor, backoff_factor, growth_interval;  ///< as typed; empty: the preset's
};

[[noreturn]] void refuse(const std::string& option, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, option, "'" + found + "'", expected, ""});
}

/// Ranges and their words are those of an experiment's [trial.scaler].
void read_number(const std::string& option, const std::string& key, const std::string& text, double& value) {
  if (text.empty()) return;
  const std::optional<double> number = number_from_text(text);
  if (!number) refuse(option, text, "a number");
  const std::string expected = spec::expected_of_scaler(key, *number);
  if (!expected.empty()) refuse(option, text, expected);
  value = *number;
}

session::SimulatedScaler settings_of(const ScalerOptions& options) {
  if (options.preset == "deepspeed" || options.preset == "megatron") {
    throw Error(ErrorKind::NotYetAvailable, {"not yet available in this version", "", 0, 0, "--preset",
                                             "'" + options.preset + "'", "'pytorch'", ""});
  }
  if (options.preset != "pytorch") refuse("--preset", options.preset, "pytorch, deepspeed or megatron");
  session::SimulatedScaler settings;
  read_number("--init-scale", "init_scale", options.init_scale, settings.init_scale);
  read_number("--growth-factor", "growth_factor", options.growth_factor, settings.growth_factor);
  read_number("--backoff-factor", "backoff_factor", options.backoff_factor, settings.backoff_factor);
  if (!options.growth_interval.empty()) {
    const std::optional<std::int64_t> interval = integer_from_text(options.growth_interval);
    if (!interval || *interval < 1 || *interval > spec::largest_growth_interval) {
      refuse("--growth-interval", options.growth_interval, spec::expected_of_growth_interval());
    }
    settings.growth_interval = *interval;
  }
  return settings;
}

int simulate(Program& program, const ScalerOptions& options) {
  const session::SimulatedScaler settings = settings_of(options);
  const Pattern pattern = read_pattern(options.pattern);
  const std::vector<session::SimulatedStep> steps = session::simulate_scaler(settings, pattern.found_inf);
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
  command->add_option("--preset", options->preset, "pytorch (default)");
  command->add_option("--init-scale", options->init_scale, "First loss scale (65536)");
  command->add_option("--growth-factor", options->growth_factor, "Factor after growth-interval clean steps (2)");
  command->add_option("--backoff-factor", options->backoff_factor, "Factor after an overflow (0.5)");
  command->add_option("--growth-interval", options->growth_interval, "Clean steps before the scale grows (2000)");
}

}  // namespace mantissa::cli
