// SPDX-License-Identifier: Apache-2.0
#include "app/cli/model_ledger_command.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "app/cli/calibration_words.h"
#include "app/cli/exit_code.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_ledger_page.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/memory/outside_table.h"
#include "core/memory/size_text.h"
#include "core/session/planned_memory.h"
#include "core/session/step_memory.h"
#include "core/spec/parse.h"

namespace mantissa::cli {
namespace {

/// No device holds a microbatch of more.
constexpr std::int64_t kMostSamples = 1'000'000'000;

std::optional<memory::Device> device_of(const ModelLedgerOptions& options, const spec::Experiment& experiment) {
  memory::Device device;
  // All that was typed is looked at, whether there is a device or not.
  const bool typed = !options.reserve.empty();
  device.reserve_parts = memory::reserve_from_text(typed ? "--reserve" : "budget.reserve",
                                                   typed ? options.reserve : to_text(experiment.budget.reserve));
  if (!options.outside.empty()) {
    device.outside_bytes = memory::size_from_text("--outside", options.outside, memory::Rounding::Up);
  }
  device.allocator.expandable_segments = options.expandable_segments;
  if (!options.device.empty()) {
    device.capacity_bytes = memory::size_from_text("--device", options.device, memory::Rounding::Down);
  } else if (experiment.budget.device_memory_bytes) {
    device.capacity_bytes = *experiment.budget.device_memory_bytes;
  } else {
    return std::nullopt;
  }
  if (options.outside.empty()) device.outside_bytes = memory::outside_from_table(device.capacity_bytes);
  return device;
}

struct TypedTime {
  std::string arm;
  memory::TimedStep step;
};

/// "fp16@32x2=0.61": 0.61 s for a step of fp16 with microbatch 32, accumulated twice; "fp16+checkpointing@32x2=0.79".
TypedTime typed_time(const std::string& text) {
  const auto refuse = [&text]() -> void {
    throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "--seconds", "'" + text + "'",
                                            "ARM@MICROBATCHxACCUMULATION=SECONDS, such as fp16@32x2=0.61", ""});
  };
  const std::size_t equals = text.rfind('=');
  const std::size_t at = text.rfind('@', equals);
  const std::size_t times = text.rfind('x', equals);
  if (equals == std::string::npos || at == std::string::npos || times == std::string::npos || times < at) refuse();
  const auto microbatch = integer_from_text(text.substr(at + 1, times - at - 1));
  const auto accumulation = integer_from_text(text.substr(times + 1, equals - times - 1));
  const auto seconds = number_from_text(text.substr(equals + 1));
  if (at == 0 || microbatch.value_or(0) < 1 || accumulation.value_or(0) < 1 || !(seconds.value_or(0.0) > 0.0) ||
      !std::isfinite(*seconds)) {
    refuse();
  }
  return {text.substr(0, at), {*microbatch, *accumulation, *seconds}};
}

/// As --seconds means it.
std::string name_of(const session::ArmForecast& forecast) {
  return forecast.arm + (forecast.activation_checkpointing ? "+checkpointing" : "");
}

/// Typed times stand in place of an arm's measured ones.
void use_typed_times(const ModelLedgerOptions& options, std::vector<session::ArmForecast>& forecasts) {
  std::set<std::string> typed;
  for (const std::string& text : options.seconds) {
    const TypedTime time = typed_time(text);
    const auto arm = std::find_if(forecasts.begin(), forecasts.end(),
                                  [&time](const session::ArmForecast& each) { return name_of(each) == time.arm; });
    if (arm == forecasts.end()) {
      throw Error(ErrorKind::InvalidSetting,
                  {"no such arm in this experiment", options.file, 0, 0, "--seconds", "'" + time.arm + "'", "", ""});
    }
    if (typed.insert(time.arm).second) arm->timed.clear();
    arm->timed.push_back(time.step);
  }
}

/// Nothing where there is no folder for one.
std::optional<std::string> archive_of(const Program& program) {
  try {
    return program.archive_path();
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_checkpointing(const spec::Experiment& experiment) {
  return experiment.training.activation_checkpointing == spec::ActivationCheckpointing::Blocks;
}

ExperimentLedger ledger_from(const ModelLedgerOptions& options, const spec::Experiment& experiment,
                             const session::TracedMemory& trace, const std::vector<session::ArmForecast>& forecasts) {
  ExperimentLedger ledger;
  ledger.file = options.file;
  ledger.device = device_of(options, experiment);
  ledger.outside_is_from_table = ledger.device && options.outside.empty() && ledger.device->outside_bytes;
  for (const std::string& text : options.microbatches) {
    ledger.microbatches.push_back(memory::count_from_text("--microbatch", text));
  }
  if (ledger.microbatches.empty()) ledger.microbatches = {trace.planned.microbatch};
  ledger.accumulation = options.accumulation.empty() ? trace.planned.accumulation
                                                     : memory::count_from_text("--accumulation", options.accumulation);
  std::set<std::int64_t> traced;
  for (const session::StepSize& size : trace.sizes) traced.insert(size.microbatch);
  ledger.traced.assign(traced.begin(), traced.end());

  const memory::Device endless{memory::AllocatorSettings::kUnlimited, 0, std::nullopt, {}};
  const memory::Device& device = ledger.device ? *ledger.device : endless;
  ledger.question.options = session::plan_options(forecasts, device);
  const bool checkpointing = is_checkpointing(experiment);
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    const session::ArmForecast& forecast = forecasts[i];
    ledger.option_arms.push_back(forecast.arm);
    if (forecast.activation_checkpointing != checkpointing) continue;  // a plan, not what the file asks for
    ArmLedger arm;
    arm.arm = forecast.arm;
    arm.policy = forecast.policy;
    arm.joined = forecast.forecast.is_joined(ledger.accumulation);
    for (const std::int64_t microbatch : ledger.microbatches) {
      arm.ledgers.push_back(memory::model_ledger_of(forecast.forecast.at(microbatch, ledger.accumulation), device));
    }
    if (ledger.device) {
      arm.largest_microbatch =
          memory::largest_microbatch(ledger.question.options[i], ledger.accumulation, kMostSamples);
    }
    ledger.arms.push_back(std::move(arm));
  }
  for (const session::ArmMemory& arm : trace.arms) {
    if (arm.failure.empty()) continue;
    const auto known = [&arm](const ArmLedger& each) { return each.arm == arm.name; };
    const auto place = std::find_if(ledger.arms.begin(), ledger.arms.end(), known);
    if (place == ledger.arms.end()) ledger.arms.push_back({arm.name, "", arm.failure, true, {}, std::nullopt});
  }
  if (!ledger.device || forecasts.empty()) return ledger;
  ledger.question.effective_batch = trace.planned.microbatch * trace.planned.accumulation;
  ledger.question.updates = trace.updates;
  ledger.question.usable_bytes = ledger.arms.front().ledgers.front().usable_bytes;
  ledger.question.deadline_seconds = experiment.budget.deadline_seconds;
  ledger.question.price_per_hour = experiment.budget.price_per_hour;
  ledger.plans = memory::plans_of(ledger.question);
  ledger.times_are_measured = options.seconds.empty() && !options.without_times;
  return ledger;
}

}  // namespace

int print_model_ledger(Program& program, const ModelLedgerOptions& options) {
  const spec::Experiment experiment = spec::read_experiment(options.file, options.overrides);
  for (const std::string& text : options.seconds) typed_time(text);  // refused before anything takes time
  device_of(options, experiment);
  session::MemoryQuestion question;
  question.with_times = !options.without_times;
  session::StopToken stop;
  const InterruptScope interrupt(stop);
  const session::BothTraces both = session::trace_memory_both_ways(experiment, question, stop);
  if (stop.requested()) return exit_code::kStopped;
  const session::TracedMemory& trace = both.asked;
  const bool checkpointing = is_checkpointing(experiment);
  std::vector<session::ArmForecast> forecasts = session::forecasts_of(trace.arms, checkpointing);
  if (both.other) {
    for (session::ArmForecast& forecast : session::forecasts_of(both.other->arms, !checkpointing)) {
      forecasts.push_back(std::move(forecast));
    }
  }
  use_typed_times(options, forecasts);
  ExperimentLedger ledger = ledger_from(options, experiment, trace, forecasts);
  if (const std::optional<std::string> archive = archive_of(program)) {
    ledger.archive = *archive;
    ledger.calibration = calibration_in(*archive, "cpu");  // where the steps were traced
  }
  if (program.json || options.format == "json") {
    program.console.result(experiment_ledger_document(ledger));
  } else if (options.format == "csv") {
    program.console.result(experiment_ledger_csv(ledger));
  } else {
    program.console.result_for_people(experiment_ledger_page(ledger));
  }
  return ledger.fits() ? exit_code::kDone : exit_code::kRejected;
}

}  // namespace mantissa::cli
