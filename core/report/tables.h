// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/checkpoint.h"
#include "core/record/judgement.h"
#include "core/record/outcomes.h"
#include "core/record/trial.h"
#include "core/record/verdict_context.h"
#include "core/report/loss_summary.h"

namespace mantissa::report {

/// A table as plain text: columns aligned by code points, two blanks between them, a rule under the header.
class Table {
 public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Left;
  };

  explicit Table(std::vector<Column> columns);

  /// One cell per column; missing ones stay empty.
  void add_row(std::vector<std::string> cells);

  /// Of the longest line, without an indent.
  std::size_t width() const;

  /// Every line ends with a line feed and has no blanks before it. `indent` blanks stand before each line.
  std::string text(int indent = 0) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Code points of a UTF-8 text: its width on a terminal, for the texts that occur here.
std::size_t display_width(std::string_view text);

/// What a run came to: the reference, a line per trial, then each trial's rules one by one with value and limit.
/// \param contexts  by trial: what stands beside its verdict
std::string run_table(const record::RunSummary& summary,
                      const std::map<std::int64_t, record::VerdictContext>& contexts = {});

/// All arms of an archive, one line each.
///
/// \param columns  of the terminal: what says least is left out until a line fits, and named below the table; 0: as
///                 wide as it is
std::string trial_list(const std::vector<record::TrialRow>& trials, std::size_t columns = 0);

/// A judgement of a trial beside the verdict of its run, rule by rule. Says of one that is post hoc that it is.
/// \param of_run  the verdict of the run; \param rules_of_run  JSON; empty: no rules were fixed before the first step
std::string judgement_page(const record::TrialRow& trial, const record::Judgement& judgement,
                           const record::Verdict& of_run, const std::string& rules_of_run,
                           const std::optional<record::MatureQuality>& mature = {});

/// The quality that later outcomes give, beside the verdict; empty where there are none.
std::string mature_section(const std::optional<record::MatureQuality>& mature);

/// The verdict on a run that was made elsewhere, rule by rule, and what is not known of it.
std::string foreign_page(const record::TrialRow& trial);

/// Everything that an archive holds of one arm, for people.
std::string trial_page(const record::TrialRow& trial, const record::ExperimentStart& experiment,
                       const LossSummary& losses, const record::History& history,
                       const std::optional<record::MatureQuality>& mature = {});

}  // namespace mantissa::report
