// SPDX-License-Identifier: Apache-2.0
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text_list.h"
#include "core/compare/trial_columns.h"
#include "core/compare/trial_filter.h"
#include "core/report/json_documents.h"
#include "core/report/table_writer.h"
#include "core/report/tables.h"

namespace mantissa::cli {
namespace {

/// Nothing has been run yet: that is no mistake. An archive that was named and is not there is one.
bool is_first_use(const Program& program) {
  std::error_code ignored;
  return program.archive.empty() && !std::filesystem::exists(program.archive_path(), ignored);
}

bool fits(const record::TrialRow& trial, const std::string& pattern) {
  const std::string full = trial.experiment + '/' + trial.start.name;
  for (const std::string& name : {trial.start.name, trial.experiment, full}) {
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  }
  return false;
}

struct ListOptions {
  std::string pattern;
  std::string filter;
  std::string sort;
  bool descending = false;
  std::vector<std::string> columns;  ///< empty: the usual ones in a table, all of them in CSV
  std::string format;                ///< empty: a table, or JSON with --json
};

[[noreturn]] void refuse_column(const std::string& option, const std::string& name) {
  std::vector<std::string> names;
  for (const compare::TrialColumn& column : compare::trial_columns()) names.push_back(column.name);
  throw Error(ErrorKind::InvalidSetting,
              {"trials have no such column", "", 0, 0, option, "'" + name + "'", joined(names, " | "), ""});
}

void require_columns(const ListOptions& options) {
  for (const std::string& name : options.columns) {
    if (compare::find_trial_column(name) == nullptr) refuse_column("--columns", name);
  }
  if (!options.sort.empty() && compare::find_trial_column(options.sort) == nullptr) {
    refuse_column("--sort", options.sort);
  }
}

template <class Fits>
void keep(std::vector<record::TrialRow>& trials, const Fits& fits) {
  trials.erase(std::remove_if(trials.begin(), trials.end(), std::not_fn(fits)), trials.end());
}

void keep_what_fits(std::vector<record::TrialRow>& trials, const ListOptions& options, const archive::Reader& reader) {
  if (!options.pattern.empty()) {
    keep(trials, [&options](const record::TrialRow& trial) { return fits(trial, options.pattern); });
  }
  if (options.filter.empty()) return;
  const compare::TrialFilter filter(options.filter,
                                    [&reader](std::int64_t id) { return reader.experiment(id).resolved; });
  keep(trials, [&filter](const record::TrialRow& trial) { return filter.fits(trial); });
}

void sort(std::vector<record::TrialRow>& trials, const ListOptions& options) {
  if (options.sort.empty()) return;
  std::stable_sort(trials.begin(), trials.end(), [&options](const record::TrialRow& a, const record::TrialRow& b) {
    return compare::comes_before(compare::cell_of(a, options.sort), compare::cell_of(b, options.sort),
                                 options.descending);
  });
}

std::string words_of(const compare::Cell& cell) {
  if (const auto* const number = std::get_if<double>(&cell)) return to_text(*number);
  const auto* const text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}

std::string table_of(const std::vector<record::TrialRow>& trials, const std::vector<std::string>& names) {
  std::vector<report::Table::Column> columns;
  for (const std::string& name : names) {
    const bool is_number = compare::find_trial_column(name)->is_number;
    columns.push_back({name, is_number ? report::Table::Align::Right : report::Table::Align::Left});
  }
  report::Table table(columns);
  for (const record::TrialRow& trial : trials) {
    std::vector<std::string> cells;
    for (const std::string& name : names) cells.push_back(words_of(compare::cell_of(trial, name)));
    table.add_row(std::move(cells));
  }
  return table.text();
}

void write_csv(Program& program, const std::vector<record::TrialRow>& trials, std::vector<std::string> names) {
  if (names.empty()) {
    for (const compare::TrialColumn& column : compare::trial_columns()) names.push_back(column.name);
  }
  report::TableWriter writer(report::TableFormat::Csv, names,
                             [&program](std::string_view bytes) { program.console.result(bytes); });
  for (const record::TrialRow& trial : trials) {
    for (const std::string& name : names) {
      const compare::Cell cell = compare::cell_of(trial, name);
      if (const auto* const number = std::get_if<double>(&cell)) {
        writer.number(*number);
      } else if (const auto* const text = std::get_if<std::string>(&cell)) {
        writer.text(*text);
      } else {
        writer.missing();
      }
    }
    writer.end_row();
  }
  writer.finish();
}

std::string what_fits(const ListOptions& options) {
  if (options.filter.empty()) return "'" + options.pattern + "'";
  return options.pattern.empty() ? options.filter : "'" + options.pattern + "' and " + options.filter;
}

int list(Program& program, const ListOptions& options) {
  require_columns(options);
  const bool as_json = options.format == "json" || (options.format.empty() && program.json);
  if (as_json && !options.columns.empty()) {
    throw Error(ErrorKind::InvalidSetting, {"a JSON document has all members", "", 0, 0, "--columns", "", "",
                                            "Leave it out, or write --format csv"});
  }
  std::vector<record::TrialRow> trials;
  std::size_t all = 0;
  if (is_first_use(program)) {
    if (!options.filter.empty()) compare::TrialFilter(options.filter, nullptr);  // what it cannot read is refused now
  } else {
    const archive::Reader reader(program.existing_archive());
    trials = reader.trials();
    all = trials.size();
    keep_what_fits(trials, options, reader);
    sort(trials, options);
  }
  if (as_json) {
    program.console.result(report::list_document(trials));
  } else if (options.format == "csv") {
    write_csv(program, trials, options.columns);
  } else if (!trials.empty()) {
    program.console.result_for_people(options.columns.empty() ? report::trial_list(trials, Console::result_columns())
                                                              : table_of(trials, options.columns));
  }
  if (all == 0) {
    program.console.message(program.archive_path() + " holds no trials yet. mantissa-cli run FILE makes some.");
  } else if (trials.empty()) {
    program.console.message("no trial of " + std::to_string(all) + " fits " + what_fits(options));
  }
  return exit_code::kDone;
}

/// One line a column.
std::string columns_help() {
  std::string text =
      "EXPR compares columns and settings: trial.autocast == \"float16\" and skipped > 0. A number that is NaN or\n"
      "missing fits no comparison; `quality is non_finite` and `quality is missing` find it, and it is sorted last.\n"
      "A setting is its key path (training.batch, model.kind); trial.… are those of the trial itself.\n\nColumns:\n";
  for (const compare::TrialColumn& column : compare::trial_columns()) {
    std::string name = "  " + column.name;
    name.resize(std::max<std::size_t>(name.size() + 1, 20), ' ');
    text += name + column.description + '\n';
  }
  text.pop_back();
  return text;
}

}  // namespace

void add_list(Program& program) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App* const command =
      program.add_command("list", "Trials of the archive, oldest first; on a terminal as many columns as fit",
                          [&program, options] { return list(program, *options); });
  command->add_option("PATTERN", options->pattern,
                      "Only trials whose name, experiment or experiment/name fits, such as 'fp16*' or 'digits/*'");
  command->add_option("--filter", options->filter, "Only trials that fit an expression over columns and settings")
      ->type_name("EXPR")
      ->check(given_name);
  command->add_option("--sort", options->sort, "By a column; what is not finite and what is missing comes last")
      ->type_name("COLUMN")
      ->check(given_name);
  command->add_flag("--descending", options->descending, "The largest first");
  command->add_option("--columns", options->columns, "Which ones, separated by commas")
      ->type_name("COLUMN,…")
      ->delimiter(',');
  command->add_option("--format", options->format, "table, csv or json; without it a table, with --json JSON")
      ->check(CLI::IsMember({"table", "csv", "json"}));
  command->footer(columns_help());
}

}  // namespace mantissa::cli
