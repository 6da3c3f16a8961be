// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <memory>
#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/ledger_page.h"
#include "app/cli/model_ledger_command.h"
#include "app/cli/program.h"
#include "core/base/error.h"
#include "core/memory/ledger.h"
#include "core/memory/size_text.h"

namespace mantissa::cli {
namespace {

constexpr std::array<const char*, 5> kHeld = {"parameters", "gradients", "moments", "master-copies", "buffers"};

struct LedgerOptions {
  CLI::App* command = nullptr;
  ModelLedgerOptions model;  ///< where a file is given
  std::string format;
  std::string capacity;                       ///< never taken: its option is --device
  std::map<std::string, std::string> fields;  ///< by the option without its dashes, as typed
  std::vector<std::string> microbatches;

  bool given(const std::string& field) const { return command->get_option("--" + field)->count() > 0; }
  const std::string& text(const std::string& field) const { return fields.at(field); }
};

/// With an experiment file they come from its model.
const std::array<const char*, 8> kTypedOnly = {"fixed",         "parameters", "gradients",  "moments",
                                               "master-copies", "buffers",    "per-sample", "blocks"};

[[noreturn]] void refuse_missing(const std::string& field, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"missing", "", 0, 0, field, "", expected, ""});
}

void read_fixed(const LedgerOptions& options, memory::LedgerInput& input) {
  for (const char* const field : kHeld) {
    if (!options.given(field)) continue;
    if (options.given("fixed")) {
      throw Error(ErrorKind::InvalidSetting,
                  {"it is part of the fixed state, which is given as a sum", "", 0, 0, field,
                   "'" + options.text(field) + "'", "", "Give --fixed, or its parts, not both"});
    }
    input.fixed.push_back({field, memory::held_size_from_text(field, options.text(field))});
  }
  if (options.given("fixed")) {
    input.fixed.push_back({"fixed", memory::size_from_text("fixed", options.text("fixed"), memory::Rounding::Up)});
  }
  if (input.fixed.empty()) {
    refuse_missing("fixed",
                   "a size such as 3.2 GB, or --parameters, --gradients, --moments, --master-copies, --buffers");
  }
}

std::int64_t required_size(const LedgerOptions& options, const std::string& field, memory::Rounding rounding) {
  if (!options.given(field)) refuse_missing(field, "a size with its unit, such as 24 GB or 24 GiB");
  return memory::size_from_text(field, options.text(field), rounding);
}

memory::LedgerInput input_of(const LedgerOptions& options) {
  memory::LedgerInput input;
  read_fixed(options, input);
  if (!options.model.outside.empty()) {
    input.fixed.push_back({"outside", memory::size_from_text("outside", options.model.outside, memory::Rounding::Up)});
  }
  input.per_sample_bytes = required_size(options, "per-sample", memory::Rounding::Up);
  input.capacity_bytes = required_size(options, "device", memory::Rounding::Down);
  if (options.given("reserve")) input.reserve_parts = memory::reserve_from_text("reserve", options.text("reserve"));
  const auto read_count = [&options](const std::string& field, std::int64_t& count) {
    if (options.given(field)) count = memory::count_from_text(field, options.text(field));
  };
  if (options.microbatches.size() > 1) {
    throw Error(ErrorKind::InvalidSetting, {"given several times", "", 0, 0, "microbatch",
                                            "'" + options.microbatches[1] + "'", "one, where there is no file", ""});
  }
  if (!options.microbatches.empty()) {
    input.microbatch = memory::count_from_text("microbatch", options.microbatches[0]);
  }
  read_count("accumulation", input.accumulation);
  read_count("blocks", input.blocks);
  return input;
}

/// The same refusal with the option in place of the field.
Error with_option(const Error& error) {
  ErrorFacts facts = error.facts();
  facts.subject = "--" + facts.subject;
  return Error(error.kind(), facts);
}

memory::Ledger ledger_of(const LedgerOptions& options) {
  try {
    return memory::ledger_of(input_of(options));
  } catch (const Error& error) {
    throw with_option(error);
  }
}

/// The experiment's own values are kept where an option is not given.
ModelLedgerOptions model_options_of(const LedgerOptions& options) {
  for (const char* const field : kTypedOnly) {
    if (!options.given(field)) continue;
    throw Error(ErrorKind::InvalidSetting,
                {"a ledger of an experiment takes it from the model", options.model.file, 0, 0,
                 std::string("--") + field, "'" + options.text(field) + "'", "", "Leave out the file, or the option"});
  }
  ModelLedgerOptions model = options.model;
  model.format = options.format;
  model.microbatches = options.microbatches;
  model.accumulation = options.text("accumulation");
  model.device = options.text("device");
  model.reserve = options.text("reserve");
  return model;
}

/// What only a ledger of an experiment has.
void refuse_model_options(const LedgerOptions& options) {
  for (const char* const name : {"--set", "--seconds", "--no-times", "--expandable-segments"}) {
    if (options.command->get_option(name)->count() == 0) continue;
    throw Error(ErrorKind::InvalidSetting,
                {"it belongs to a ledger of an experiment", "", 0, 0, name, "", "", "Give an experiment file, too"});
  }
}

int print_ledger(Program& program, const LedgerOptions& options) {
  if (program.json && !options.format.empty() && options.format != "json") {
    throw Error(ErrorKind::InvalidSetting,
                {"", "", 0, 0, "--format", "'" + options.format + "'", "json, as --json asks for", ""});
  }
  if (options.command->get_option("--capacity")->count() > 0) {
    throw Error(ErrorKind::InvalidSetting,
                {"there is no such option", "", 0, 0, "--capacity", "'" + options.capacity + "'", "",
                 "The capacity of the device is --device"});
  }
  if (!options.model.file.empty()) return print_model_ledger(program, model_options_of(options));
  refuse_model_options(options);
  const memory::Ledger ledger = ledger_of(options);
  if (program.json || options.format == "json") {
    program.console.result(ledger_document(ledger));
  } else if (options.format == "csv") {
    program.console.result(ledger_csv(ledger));
  } else {
    program.console.result_for_people(ledger_page(ledger));
  }
  return ledger.fits() ? exit_code::kDone : exit_code::kRejected;
}

}  // namespace

void add_ledger(Program& program) {
  const auto options = std::make_shared<LedgerOptions>();
  CLI::App* const command = program.add_command(
      "ledger",
      "What memory a training step needs and what fits: exit code 0 fits, 1 does not, or an arm's step failed",
      [&program, options] { return print_ledger(program, *options); });
  options->command = command;
  command->footer(
      "Sizes need a unit: GB is 10^9 bytes, GiB is 2^30. Needs are rounded up to whole bytes, the device down.");
  command->add_option("FILE", options->model.file,
                      "An experiment: traces a step of each arm on the CPU, and works out other sizes and plans");
  const auto add = [command, options](const std::string& field, const std::string& type, const std::string& help) {
    command->add_option("--" + field, options->fields[field], help)->type_name(type);
  };
  add("fixed", "SIZE", "What is held whatever the microbatch, as one sum; or its parts:");
  add("parameters", "SIZE|COUNT:DTYPE", "Parameters, such as 25557032:float32 or \"102 MB\"");
  add("gradients", "SIZE|COUNT:DTYPE", "Gradients; under autocast they keep the dtype of the parameters");
  add("moments", "SIZE|COUNT:DTYPE", "Moments of the optimizer; Adam has two an element");
  add("master-copies", "SIZE|COUNT:DTYPE", "FP32 copies of parameters in another dtype; autocast has none");
  add("buffers", "SIZE|COUNT:DTYPE", "Buffers, such as running means");
  add("per-sample", "SIZE", "Activations of one sample");
  add("device", "SIZE", "Capacity of the device");
  add("reserve", "SHARE", "Part of the capacity that stays free, such as 0.10 or \"10 %\" (0)");
  command
      ->add_option("--microbatch", options->microbatches,
                   "Samples of one forward and backward (1, or the file's batch); with a file several times")
      ->type_name("N")
      ->allow_extra_args(false);
  add("accumulation", "N", "Microbatches of one optimizer step (1, or the file's accumulate)");
  add("blocks", "N", "Equal blocks of the model, for the cumulative table (1)");
  command->add_option("--capacity", options->capacity)->group("");  // what others call it: refused with the right word
  command
      ->add_option(
          "--outside", options->model.outside,
          "What the process takes beside the allocator: context, workspaces; with a file the figure of a table "
          "stands in for it")
      ->type_name("SIZE");
  command->add_flag("--expandable-segments", options->model.expandable_segments,
                    "With a file: the allocator is set to expandable_segments:True");
  command
      ->add_option("--seconds", options->model.seconds,
                   "With a file: the time of a step on the device, such as fp16@32x2=0.61 for a microbatch of 32, "
                   "accumulated twice; fp16+checkpointing@… with activation checkpointing. May be given several times. "
                   "Without it steps are timed on the CPU")
      ->type_name("ARM@MxA=SECONDS")
      ->allow_extra_args(false);
  command->add_flag("--no-times", options->model.without_times, "With a file: times no step");
  command->add_option("--set", options->model.overrides, "With a file: replaces a value of it, as run does")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--format", options->format, "table (default), csv or json")
      ->check(CLI::IsMember({"table", "csv", "json"}));
}

}  // namespace mantissa::cli
