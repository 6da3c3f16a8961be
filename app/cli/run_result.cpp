// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_result.h"

#include <spdlog/spdlog.h>

#include <csignal>
#include <map>

#include "app/cli/exit_code.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/report/json_documents.h"
#include "core/report/tables.h"
#include "core/session/verdict_context.h"

namespace mantissa::cli {
namespace {

/// Of a run that has stopped as planned.
std::string way_on(const record::RunSummary& summary, const std::string& archive) {
  if (summary.reference.end.status == record::Status::Failed) {
    return "it cannot go on, because its reference failed";
  }
  if (archive::Reader(archive).history(summary.reference.id).checkpoints.empty()) {
    return "it cannot go on, because no checkpoint of it was kept";
  }
  return "mantissa-cli resume " + std::to_string(summary.reference.id) + " goes on";
}

/// The whole answer stands with the arm.
std::string out_of_memory_words(const record::MemoryAnswer& answer) {
  if (answer.command.empty()) return "out of memory: " + answer.text;
  if (answer.plans.empty()) return "out of memory; what fits: " + answer.command;
  return "out of memory; this fits and keeps the samples of an update: " + answer.command;
}

/// What stands beside the verdicts. A result that was reached is shown whatever reading it back comes to.
std::map<std::int64_t, record::VerdictContext> contexts_of(const record::RunSummary& summary,
                                                           const std::string& archive) {
  std::map<std::int64_t, record::VerdictContext> contexts;
  try {
    const archive::Reader reader(archive);
    for (const record::TrialRow& trial : summary.trials) {
      contexts.emplace(trial.id, session::verdict_context(reader, trial.id));
    }
  } catch (const Error& error) {
    spdlog::warn("what stands beside the verdicts cannot be read: {}", sentence(error.facts()));
  }
  return contexts;
}

int show_result(Program& program, const record::RunSummary& summary, const std::vector<std::string>& required) {
  const int code = exit_code_of(summary, required);
  for (const record::TrialRow& trial : summary.trials) {
    const auto& verdict = trial.end.verdict;
    spdlog::info("{} {}: {}", trial.id, trial.start.name, verdict ? record::to_text(verdict->word) : "no verdict");
  }
  spdlog::info("exit {}", code);
  const std::string archive = program.archive_path();
  const std::map<std::int64_t, record::VerdictContext> contexts = contexts_of(summary, archive);
  if (program.json) {
    program.console.result(report::run_document(summary, archive, code, contexts));
    return code;
  }
  program.console.result_for_people(report::run_table(summary, contexts));
  program.console.message("kept in " + archive);
  if (summary.memory_answer) program.console.message(out_of_memory_words(*summary.memory_answer));
  if (summary.stopped_as_planned) program.console.message("stopped as planned; " + way_on(summary, archive));
  return code;
}

}  // namespace

session::Probes probes_from_text(const std::string& text) {
  if (text == "standard") return session::Probes::Standard;
  if (text == "off") return session::Probes::Off;
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "--probes", "'" + text + "'", "off or standard", ""});
}

session::MeasureGains gains_from_text(const std::string& text) {
  if (text == "off") return session::MeasureGains::Off;
  if (text == "short") return session::MeasureGains::Short;
  if (text == "long") return session::MeasureGains::Long;
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "--gains", "'" + text + "'", "off, short or long", ""});
}

session::CompareMemory memory_from_text(const std::string& text) {
  if (text == "on") return session::CompareMemory::On;
  if (text == "off") return session::CompareMemory::Off;
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "--memory", "'" + text + "'", "on or off", ""});
}

std::int64_t stop_after_from(const std::optional<std::int64_t>& option) {
  if (!option) return 0;
  if (*option >= 1) return *option;
  throw Error(ErrorKind::InvalidSetting,
              {"", "", 0, 0, "--stop-after", std::to_string(*option), "a number of steps, at least 1", ""});
}

int run_and_show(Program& program, const std::vector<std::string>& required, const ObservedRun& run) {
  // A reader of the messages that goes away must not take the run with it.
  signal(SIGPIPE, SIG_IGN);
  session::StopToken stop;
  const InterruptScope interrupts(stop);
  ProgressDisplay display(program.console);
  return show_result(program, run(display, stop), required);
}

}  // namespace mantissa::cli
