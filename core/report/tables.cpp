// SPDX-License-Identifier: Apache-2.0
#include "core/report/tables.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/report/context_section.h"
#include "core/report/gains_table.h"
#include "core/report/memory_table.h"
#include "core/report/plain_words.h"

namespace mantissa::report {
namespace {

/// "1 outcome", "2,000 outcomes"
std::string counted(std::int64_t number, const std::string& what) {
  return count_words(number) + ' ' + what + (number == 1 ? "" : "s");
}

constexpr const char* kNotMeasured = "–";
constexpr std::size_t kLongestRule = 36;  // a long text in the last column must not draw a line across the screen

std::string status_words(const record::TrialEnd& end) {
  std::string words(to_text(end.status));
  if (!end.failure.empty()) words += " (" + end.failure + ")";
  if (end.failure.empty() && !end.failure_text.empty()) words += " (reference failed)";
  return words;
}

std::string verdict_words_of(const record::TrialEnd& end) {
  return end.verdict ? verdict_words(end.verdict->word) : kNotMeasured;
}

std::string quality_words(const record::TrialEnd& end) {
  if (end.quality_metric.empty()) return kNotMeasured;
  std::string words = end.quality_metric + " " + number_words(end.quality);
  if (end.quality_reference) words += " against " + number_words(end.quality_reference);
  return words;
}

std::string skipped_words(const record::Counts& counts) {
  std::string words = count_words(counts.skipped);
  if (counts.skipped > 0) words += " (" + share_words(counts.skipped, counts.attempted) + ")";
  return words;
}

/// One line an optimizer: what it came to, and what its learning rate follows.
std::string optimizer_words(const record::OptimizerEnd& end) {
  std::string words = end.kind.empty() ? "" : end.kind + ", ";
  words += count_words(end.applied) + " applied, " + count_words(end.skipped) + " skipped, lr " + number_words(end.lr);
  if (end.lr_per == "iteration") words += " (per iteration, also when skipped)";
  return words;
}

std::string mean_loss_words(const LossSummary& losses) {
  std::string words = number_words(losses.mean());
  if (losses.non_finite() > 0) {
    words +=
        " over finite steps, " + count_words(losses.non_finite()) + " non-finite of " + count_words(losses.steps());
  }
  return words;
}

std::string casts_words(const std::string& cast_policy) {
  if (cast_policy == "cuda") return "CUDA's casts";
  if (cast_policy == "jit") return "TorchScript's casts";
  if (cast_policy == "unknown") return "casts not known";
  return "casts of the " + cast_policy;
}

std::string scope_words(const record::Verdict& verdict) {
  std::string words = verdict.scope_device;
  if (!verdict.scope_cast_policy.empty()) words += ", " + casts_words(verdict.scope_cast_policy);
  if (!verdict.target.empty() && verdict.target != "as-run") words += ", must hold on " + verdict.target;
  return words;
}

std::string of_words(const std::string& of) {
  if (of == "same_weights") return "same weights";
  return of;
}

std::string yardstick_words(const std::string& yardstick) {
  if (yardstick == "rounding-floor") return "rounding floor";
  if (yardstick == "run-to-run-spread") return "run-to-run spread";
  return yardstick;
}

/// The unit stands in the limit: "at most 2 flips".
std::string limit_words(const record::RuleVerdict& rule) {
  if (!rule.limit.empty()) return rule.limit;
  return number_words(rule.limit_value) + (rule.limit_value && !rule.unit.empty() ? " " + rule.unit : "");
}

/// What was found, rule by rule. Why a rule does not hold stands above the table, in the verdict's reasons.
std::string rules_table(const record::Verdict& verdict, int indent) {
  Table table({{"verdict"}, {"rule"}, {"of"}, {"value", Table::Align::Right}, {"limit"}});
  for (const record::RuleVerdict& rule : verdict.rules) {
    table.add_row(
        {verdict_words(rule.verdict), rule.name, of_words(rule.of), number_words(rule.value), limit_words(rule)});
  }
  return table.text(indent);
}

/// What decisions are worth, of all cases and by slice.
std::string utility_table(const std::optional<record::Utility>& utility, int indent) {
  if (!utility) return {};
  const std::string unit = utility->unit.empty() ? "" : ", " + utility->unit;
  Table table({{"summed utility" + unit},
               {"cases", Table::Align::Right},
               {"reference", Table::Align::Right},
               {"same weights", Table::Align::Right},
               {"trained", Table::Align::Right}});
  for (const record::UtilitySum& sum : utility->sums) {
    table.add_row({sum.slice.empty() ? "all cases" : "slice " + sum.slice, count_words(sum.cases),
                   number_words(sum.reference), number_words(sum.same_weights), number_words(sum.trained)});
  }
  return '\n' + table.text(indent);
}

/// A failure stands in the reasons, unless there is no verdict or something else decides it.
std::string reasons_and_notes(const record::TrialEnd& end) {
  std::string text;
  const std::vector<std::string> reasons = end.verdict ? end.verdict->reasons : std::vector<std::string>();
  const bool is_a_reason = std::any_of(reasons.begin(), reasons.end(), [&end](const std::string& reason) {
    return reason.find(end.failure_text) != std::string::npos;
  });
  if (!end.failure_text.empty() && !is_a_reason) {
    text += "  " + std::string(to_text(end.status)) + ": " + end.failure_text + '\n';
  }
  for (const std::string& reason : reasons) text += "  because: " + reason + '\n';
  for (const std::string& note : end.notes) text += "  note: " + note + '\n';
  return text;
}

/// Each distance as a multiple of its own yardstick.
std::string yardsticks_table(const record::TrialEnd& end, int indent) {
  Table table({{"deviation"},
               {"measure"},
               {"value", Table::Align::Right},
               {"times", Table::Align::Right},
               {"yardstick"},
               {"size", Table::Align::Right}});
  bool any = false;
  for (const record::YardstickReading& reading : end.yardsticks) {
    if (!reading.value) continue;  // a reference's notes say all of it
    any = true;
    table.add_row({of_words(reading.of), reading.measure, number_words(reading.value), number_words(reading.multiple()),
                   yardstick_words(reading.yardstick), number_words(reading.size)});
  }
  return any ? table.text(indent) : std::string();
}

std::string trial_section(const record::TrialRow& trial) {
  std::string text = trial.start.name + ": " + verdict_words_of(trial.end);
  if (trial.end.verdict) text += " (" + scope_words(*trial.end.verdict) + ")";
  text += ", " + status_words(trial.end) + ", " + skip_sentence(trial.end.counts.skipped, trial.end.counts.attempted) +
          "\n";
  text += reasons_and_notes(trial.end);
  if (trial.end.verdict && !trial.end.verdict->rules.empty()) text += rules_table(*trial.end.verdict, 2);
  text += utility_table(trial.end.utility, 2);
  if (const std::string yardsticks = yardsticks_table(trial.end, 2); !yardsticks.empty()) text += '\n' + yardsticks;
  return text;
}

/// The beginning of a long or many-lined value; `show --json` has all of it.
std::string on_one_line(std::string text) {
  constexpr std::size_t kLongest = 96;
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string::npos && text.size() <= kLongest) return text;
  std::size_t end = std::min({line_end, kLongest, text.size()});
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a code point
  text.resize(end);
  return text + " …";
}

/// "key: value" lines of a JSON object, nested keys joined by dots; the text as it stands if it is no object.
void add_json_lines(Table& table, const nlohmann::ordered_json& value, const std::string& prefix) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      add_json_lines(table, member, prefix.empty() ? key : prefix + '.' + key);
    }
    return;
  }
  table.add_row(
      {prefix, on_one_line(value.is_string() ? value.get<std::string>()
                                             : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))});
}

std::string json_section(const std::string& title, const std::string& json_text) {
  if (json_text.empty()) return {};
  const auto value = nlohmann::ordered_json::parse(json_text, nullptr, false);
  if (value.is_discarded()) return '\n' + title + '\n' + "  " + json_text + '\n';
  Table table({{"key"}, {"value"}});
  add_json_lines(table, value, "");
  return '\n' + title + '\n' + table.text(2);
}

std::string quality_words_of(const std::optional<record::Evaluation>& evaluation) {
  if (!evaluation) return kNotMeasured;
  return evaluation->metric + ' ' + number_words(evaluation->value);
}

std::string history_sections(const record::History& history) {
  std::string text;
  if (!history.checkpoints.empty()) {
    Table table({{"step", Table::Align::Right}, {"bytes", Table::Align::Right}, {"quality"}, {"saved"}});
    for (const record::CheckpointRow& row : history.checkpoints) {
      table.add_row({count_words(row.step), count_words(row.bytes),
                     quality_words_of(row.evaluation) + (row.best ? ", the best" : ""), row.created_at});
    }
    text += "\nCheckpoints\n" + table.text(2);
  }
  if (!history.evaluations.empty()) {
    Table table({{"step", Table::Align::Right}, {"quality"}});
    for (const record::Evaluation& row : history.evaluations) {
      table.add_row({count_words(row.step), quality_words_of(row)});
    }
    text += "\nEvaluations\n" + table.text(2);
  }
  if (!history.resumptions.empty()) {
    Table table({{"resumed after step"}, {"at"}, {"with"}});
    for (const record::Resumption& row : history.resumptions) {
      table.add_row({count_words(row.step), row.resumed_at, row.overrides == "[]" ? "" : row.overrides});
    }
    text += "\nResumptions\n" + table.text(2);
  }
  if (!history.judgements.empty()) {
    Table table({{"judged at"}, {"verdict"}, {"rules"}, {"rules hash"}});
    for (const record::Judgement& row : history.judgements) {
      table.add_row({row.created_at, std::string(verdict_words(row.verdict.word)) + (row.post_hoc ? ", post hoc" : ""),
                     row.rules_file, row.verdict.rules_sha256.empty() ? "no rules" : row.verdict.rules_sha256});
    }
    text += "\nJudged again after the run, whose verdict stands\n" + table.text(2);
  }
  return text;
}

std::string verdict_section(const std::string& title, const record::Verdict& verdict) {
  std::string text = title + ": " + std::string(verdict_words(verdict.word)) + " (" + scope_words(verdict) + ")\n";
  for (const std::string& reason : verdict.reasons) text += "  because: " + reason + '\n';
  if (!verdict.rules.empty()) text += rules_table(verdict, 2);
  return text;
}

std::string hash_words(const std::string& sha256) { return sha256.empty() ? "no rules" : sha256; }

/// A column of the list of trials.
struct ListColumn {
  const char* title;
  Table::Align align;
  int leaves;  ///< in which place it is left out for want of room, from 1; 0: never
  std::string (*cell)(const record::TrialRow& trial);
};

const std::array<ListColumn, 11> kListColumns = {{
    {"id", Table::Align::Right, 0, [](const record::TrialRow& trial) { return std::to_string(trial.id); }},
    {"experiment", Table::Align::Left, 7, [](const record::TrialRow& trial) { return trial.experiment; }},
    {"name", Table::Align::Left, 0, [](const record::TrialRow& trial) { return trial.start.name; }},
    {"kind", Table::Align::Left, 2,
     [](const record::TrialRow& trial) { return std::string(to_text(trial.start.kind)); }},
    {"autocast", Table::Align::Left, 3, [](const record::TrialRow& trial) { return trial.start.autocast; }},
    {"status", Table::Align::Left, 0, [](const record::TrialRow& trial) { return status_words(trial.end); }},
    {"verdict", Table::Align::Left, 0, [](const record::TrialRow& trial) { return verdict_words_of(trial.end); }},
    {"attempted", Table::Align::Right, 4,
     [](const record::TrialRow& trial) { return count_words(trial.end.counts.attempted); }},
    {"skipped", Table::Align::Right, 5, [](const record::TrialRow& trial) { return skipped_words(trial.end.counts); }},
    {"quality", Table::Align::Left, 6, [](const record::TrialRow& trial) { return quality_words(trial.end); }},
    {"started", Table::Align::Left, 1, [](const record::TrialRow& trial) { return trial.started_at; }},
}};

Table list_of(const std::vector<record::TrialRow>& trials, const std::vector<const ListColumn*>& shown) {
  std::vector<Table::Column> columns;
  columns.reserve(shown.size());
  for (const ListColumn* const column : shown) columns.push_back({column->title, column->align});
  Table table(std::move(columns));
  for (const record::TrialRow& trial : trials) {
    std::vector<std::string> cells;
    cells.reserve(shown.size());
    for (const ListColumn* const column : shown) cells.push_back(column->cell(trial));
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = display_width(columns_[column].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[column]));
    widths.push_back(width);
  }
  return widths;
}

std::size_t Table::width() const {
  const std::vector<std::size_t> each = widths();
  return std::accumulate(each.begin(), each.end(), each.empty() ? 0 : 2 * (each.size() - 1));
}

std::string Table::text(int indent) const {
  const std::vector<std::size_t> widths = this->widths();
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string cell = cell_of(column);
      const std::string padding(widths[column] - display_width(cell), ' ');
      if (column > 0) line += "  ";
      line += columns_[column].align == Align::Right ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_line([&](std::size_t column) { return columns_[column].title; });
  add_line([&](std::size_t column) {
    std::string rule;
    for (std::size_t i = 0; i < std::min(widths[column], kLongestRule); ++i) rule += "─";
    return rule;
  });
  for (const auto& row : rows_) add_line([&](std::size_t column) { return row[column]; });
  return text;
}

std::size_t display_width(std::string_view text) {
  const auto starts_code_point = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string run_table(const record::RunSummary& summary,
                      const std::map<std::int64_t, record::VerdictContext>& contexts) {
  const record::TrialEnd& reference = summary.reference.end;
  std::string text =
      summary.experiment + ": reference " + status_words(reference) + ", " + count_words(reference.counts.attempted) +
      (reference.counts.attempted == 1 ? " step, " : " steps, ") + "loss " + number_words(reference.final_loss);
  if (!reference.quality_metric.empty()) {
    text += ", " + reference.quality_metric + " " + number_words(reference.quality);
  }
  text += '\n' + reasons_and_notes(reference);
  if (summary.trials.empty()) return text;

  Table table({{"trial"},
               {"verdict"},
               {"scope"},
               {"attempted", Table::Align::Right},
               {"applied", Table::Align::Right},
               {"skipped", Table::Align::Right},
               {"quality"},
               {"flips", Table::Align::Right}});
  for (const record::TrialRow& trial : summary.trials) {
    const record::TrialEnd& end = trial.end;
    table.add_row({trial.start.name, verdict_words_of(end), end.verdict ? scope_words(*end.verdict) : "",
                   count_words(end.counts.attempted), count_words(end.counts.applied), skipped_words(end.counts),
                   quality_words(end), end.flips ? count_words(*end.flips) : kNotMeasured});
  }
  text += '\n' + table.text();
  for (const record::TrialRow& trial : summary.trials) {
    text += '\n' + trial_section(trial);
    const auto beside = contexts.find(trial.id);
    if (beside != contexts.end()) text += '\n' + context_section(beside->second, 2);
  }
  const std::string gains = gains_table(summary);
  if (!gains.empty()) text += '\n' + gains;
  const std::string latency = latency_table(summary);
  if (!latency.empty()) text += '\n' + latency;
  return text;
}

std::string trial_list(const std::vector<record::TrialRow>& trials, std::size_t columns) {
  std::vector<const ListColumn*> shown;
  for (const ListColumn& column : kListColumns) shown.push_back(&column);
  std::string left_out;
  Table table = list_of(trials, shown);
  for (int rank = 1; columns > 0 && table.width() > columns; ++rank) {
    const auto next =
        std::find_if(shown.begin(), shown.end(), [rank](const ListColumn* column) { return column->leaves == rank; });
    if (next == shown.end()) break;  // what remains is what a list is for
    left_out += (left_out.empty() ? "" : ", ") + std::string((*next)->title);
    shown.erase(next);
    table = list_of(trials, shown);
  }
  if (left_out.empty()) return table.text();
  return table.text() + "left out for want of room: " + left_out + '\n';
}

std::string trial_page(const record::TrialRow& trial, const record::ExperimentStart& experiment,
                       const LossSummary& losses, const record::History& history,
                       const std::optional<record::MatureQuality>& mature) {
  const record::TrialEnd& end = trial.end;
  Table facts({{"what"}, {"value"}});
  facts.add_row({"id", std::to_string(trial.id)});
  facts.add_row({"experiment", trial.experiment + " (" + experiment.file + ")"});
  facts.add_row({"kind", std::string(to_text(trial.start.kind))});
  if (trial.start.reference != 0) facts.add_row({"reference", std::to_string(trial.start.reference)});
  if (trial.start.parent != 0) {
    facts.add_row({"parent", "trial " + std::to_string(trial.start.parent) + ", from step " +
                                 count_words(trial.start.parent_step) + " on"});
  }
  facts.add_row({"autocast", trial.start.autocast});
  facts.add_row({"cast policy", trial.start.cast_policy});
  for (const record::PolicyChange& change : end.policy_changes) {
    facts.add_row({"from step " + count_words(change.step),
                   "policy of " + change.trial + ", autocast " + change.autocast + " (" + change.reason + ")"});
  }
  facts.add_row({"device", trial.start.device});
  facts.add_row({"started", trial.started_at});
  facts.add_row({"finished", trial.finished_at.empty() ? kNotMeasured : trial.finished_at});
  // A child's counts and seconds go on from its parent's, its records do not.
  const std::string with_parent = trial.start.parent != 0 ? ", its parent's included" : "";
  facts.add_row({"duration", duration_words(end.seconds) + with_parent});
  facts.add_row({"status", status_words(end)});
  facts.add_row({"iterations", count_words(end.counts.iterations)});
  facts.add_row({"attempted steps", count_words(end.counts.attempted) + with_parent});
  facts.add_row({"applied updates", count_words(end.counts.applied)});
  facts.add_row({"skipped steps", skipped_words(end.counts)});
  for (std::size_t i = 0; i < end.optimizers.size(); ++i) {
    facts.add_row({"optimizer " + std::to_string(i), optimizer_words(end.optimizers[i])});
  }
  facts.add_row({"samples", count_words(end.counts.samples)});
  facts.add_row({"final loss", number_words(end.final_loss)});
  facts.add_row({trial.start.parent != 0 ? "mean loss since the parent" : "mean loss", mean_loss_words(losses)});
  facts.add_row({"quality", quality_words(end)});
  facts.add_row({"flips", end.flips ? count_words(*end.flips) : kNotMeasured});
  if (end.gains) {
    for (const auto& [what, value] : gains_facts(*end.gains)) facts.add_row({what, value});
  }
  for (const auto& [what, value] : latency_facts(end.latency)) facts.add_row({what, value});
  facts.add_row({"experiment hash", experiment.sha256});
  facts.add_row({"rules hash", experiment.rules_sha256.empty() ? "no rules" : experiment.rules_sha256});
  facts.add_row({"frozen cases hash", experiment.cases_sha256});
  facts.add_row({"reference lock hash", experiment.lock_sha256});

  const std::string later = mature_section(mature);
  return trial_section(trial) + '\n' + later + (later.empty() ? "" : "\n") + facts.text() + memory_section(end.memory) +
         history_sections(history) + json_section("Policy", trial.start.policy) +
         json_section("Experiment", experiment.resolved) + json_section("Reference lock", experiment.lock);
}

std::string mature_section(const std::optional<record::MatureQuality>& mature) {
  if (!mature) return {};
  std::string text = "Mature quality, from " + counted(mature->outcomes, "outcome") + " of " +
                     counted(mature->cases, "case") + ", the last received at " + mature->received_at + ": " +
                     mature->metric + ' ' + number_words(mature->quality) + " against " +
                     number_words(mature->quality_reference);
  if (mature->quality_same_weights) text += " (same weights " + number_words(mature->quality_same_weights) + ')';
  text += ". The verdict stays.\n";
  if (mature->set_aside > 0) {
    text += "Set aside: " + counted(mature->set_aside, "outcome") +
            " of cases that left the frozen set when it was chosen again after the run went on.\n";
  }
  return text;
}

std::string judgement_page(const record::TrialRow& trial, const record::Judgement& judgement,
                           const record::Verdict& of_run, const std::string& rules_of_run,
                           const std::optional<record::MatureQuality>& mature) {
  std::string text = trial.experiment + '/' + trial.start.name + ", trial " + std::to_string(trial.id) + "\n\n";
  const std::string later = mature_section(mature);
  if (!later.empty()) text += later + '\n';
  if (!judgement.post_hoc) {
    text += verdict_section("Judged again by the rules of its run", judgement.verdict) +
            utility_table(trial.end.utility, 2);
    return text + (judgement.verdict.word == of_run.word
                       ? "The run came to the same verdict.\n"
                       : "The run came to another verdict: " + std::string(verdict_words(of_run.word)) + ".\n");
  }
  const bool foreign = trial.start.kind == record::TrialKind::Foreign;
  text += verdict_section(foreign ? "Post hoc, by other rules than those that were given with its files"
                                  : "Post hoc, by rules that were not fixed before the first step",
                          judgement.verdict) +
          utility_table(trial.end.utility, 2);
  text += '\n' + verdict_section("The verdict of the run, which stands", of_run) + '\n';
  Table table({{"rules"}, {"hash"}, {"as JSON"}});
  table.add_row({"post hoc, " + judgement.rules_file, hash_words(judgement.verdict.rules_sha256), judgement.rules});
  table.add_row({foreign ? "given with its files" : "fixed before the first step", hash_words(of_run.rules_sha256),
                 rules_of_run});
  return text + table.text();
}

std::string foreign_page(const record::TrialRow& trial) {
  return trial.experiment + '/' + trial.start.name + ", trial " + std::to_string(trial.id) + ", made elsewhere\n\n" +
         verdict_section("Judged by the rules that were given with its files", *trial.end.verdict) +
         utility_table(trial.end.utility, 2);
}

}  // namespace mantissa::report
