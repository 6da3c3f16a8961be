// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/log_file.h"
#include "app/cli/program.h"
#include "core/base/error.h"
#include "core/base/plain_text.h"
#include "core/report/json_documents.h"
#include "core/session/model_prints.h"

namespace mantissa::cli {
namespace {

void declare(Program& program) {
  CLI::App& app = program.app;
  app.name("mantissa-cli");
  app.description("Trains a locked FP32 reference and mixed-precision trials, compares and judges them.");
  app.set_version_flag("--version", "mantissa-cli " MANTISSA_VERSION);
  app.require_subcommand(1);
  app.add_flag("--json", program.json, "Print one JSON document as the result");
  app.add_flag("-q,--quiet", program.console.quiet, "No progress and no messages but errors");
  app.add_flag("-v,--verbose", program.console.verbose, "More messages");
  app.add_option("--archive", program.archive, "The archive; default: mantissa.db in the user's data folder")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() ? std::string("names no file") : std::string(); });

  add_run(program);
  add_resume(program);
  add_list(program);
  add_show(program);
  add_judge(program);
  add_outcomes(program);
  add_query(program);
  add_export(program);
  add_check(program);
  add_inspect(program);
  add_scaler(program);
  add_ledger(program);
  add_doctor(program);
  add_help(program);
  add_coming(program);
}

/// Says what went wrong, on stderr for people and with --json on stdout for programs.
int fail(Console& console, bool json, ErrorKind kind, const ErrorFacts& facts) {
  const int code = exit_code_of(kind);
  console.failure(sentence(facts));
  if (json) {
    try {
      console.result(report::error_document(kind, facts, code));
      console.flush();
    } catch (const Error&) {
      // stdout is what failed; stderr has said it.
    }
  }
  return code;
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

/// The command that a wrong line was meant for, for the pointer to its help.
std::string help_for(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return "mantissa-cli help" + (chosen.empty() ? "" : " " + chosen.front()->get_name()) + " says what fits";
}

/// What a line that was not understood lacks, in one line of text.
ErrorFacts facts_of(const Program& program, const CLI::ParseError& error) {
  const std::vector<std::string> rest = program.app.remaining();
  if (program.app.get_subcommands().empty() && !rest.empty()) {
    const bool is_option = rest.front().front() == '-';
    return {is_option ? "unknown option" : "unknown command",
            "",
            0,
            0,
            "command line",
            "'" + rest.front() + "'",
            "",
            is_option ? help_for(program.app) : program.nearest_command(rest.front())};
  }
  std::string problem = error.what();
  if (error.get_name() == "ArgumentMismatch" && !program.app.get_subcommands().empty()) {
    const std::string name = problem.substr(0, problem.find(':'));
    const CLI::Option* const option = program.app.get_subcommands().front()->get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() == 1 && option->count() > 1) {
      return {"given several times", "", 0, 0, name, std::to_string(option->count()) + " values", "one",
              help_for(program.app)};
    }
  }
  std::replace(problem.begin(), problem.end(), '\n', ' ');
  return {problem, "", 0, 0, "command line", "", "", help_for(program.app)};
}

int run_program(int argc, char** argv) {
  silence_log();
  signal(SIGXFSZ, SIG_IGN);  // a file at the limit of its size: writing says so, as on a full disk
  Program program;
  session::send_model_prints_to([&program](const std::string& line) { program.console.message("model: " + line); });
  try {
    declare(program);
    program.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.app.exit(error);  // --help, --version
    return fail(program.console, asks_for_json(argc, argv), ErrorKind::InvalidSetting, facts_of(program, error));
  }

  Console& console = program.console;
  const bool json = program.json || asks_for_json(argc, argv);  // commands to come leave their options unread
  try {
    const int code = program.action();
    console.flush();
    return code;
  } catch (const Error& error) {
    return fail(console, json, error.kind(), error.facts());
  } catch (const std::bad_alloc&) {
    return fail(console, json, ErrorKind::OutOfMemory,
                {"the memory of this machine did not suffice", "", 0, 0, "", "", "",
                 "Take a smaller batch or a smaller model"});
  } catch (const std::exception& error) {
    return fail(console, json, ErrorKind::CallOrder,
                {"something that was not foreseen went wrong", "", 0, 0, "", without_stack(error.what()), "",
                 "What was committed to the archive is kept; please report this text"});
  }
}

}  // namespace
}  // namespace mantissa::cli

int main(int argc, char** argv) { return mantissa::cli::run_program(argc, argv); }
