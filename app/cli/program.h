// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/console.h"

namespace mantissa::archive {
class Reader;
}
namespace mantissa::record {
struct TrialRow;
}

namespace mantissa::cli {

/// What all commands share: the parsed line, the options that stand before or after any command, and the console.
struct Program {
  CLI::App app;
  Console console;
  bool json = false;
  std::string archive;  ///< as given; empty: the default

  /// What the chosen command does once the whole line is understood; returns the exit code.
  std::function<int()> action;

  /// Adds a command. Its options are declared by the caller; `run` is called when it was chosen.
  CLI::App* add_command(const std::string& name, const std::string& description, std::function<int()> run);

  /// The archive to use: `--archive`, else mantissa.db in the user's data folder.
  /// \throws Error InvalidSetting where there is no home folder to put it in.
  std::string archive_path() const;

  /// Makes the folder of the default archive; does nothing where `--archive` names another. \throws Error FileProblem.
  void make_default_folder() const;

  /// The archive for reading. \throws Error FileProblem where there is none yet, with the way to make one.
  std::string existing_archive() const;

  /// "Did you mean show?", or where to look if no command is near.
  std::string nearest_command(const std::string& name) const;

  /// The arm that `text` means; says so where it fitted several.
  record::TrialRow find(const archive::Reader& reader, const std::string& text);
};

/// Of an option that would be as good as left out where its text is empty: `--rules "$UNSET"`.
/// \return what is wrong, or nothing
std::string given_name(const std::string& text);

// One file a command.
void add_run(Program& program);
void add_resume(Program& program);
void add_list(Program& program);
void add_show(Program& program);
void add_judge(Program& program);
void add_outcomes(Program& program);
void add_query(Program& program);
void add_export(Program& program);
void add_check(Program& program);
void add_inspect(Program& program);
void add_scaler(Program& program);
void add_ledger(Program& program);
void add_doctor(Program& program);
void add_help(Program& program);

/// Commands of the contract that this version lacks: they are refused as not yet available.
void add_coming(Program& program);

}  // namespace mantissa::cli
