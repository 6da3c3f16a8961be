// SPDX-License-Identifier: Apache-2.0
#include "core/report/gains_table.h"

#include "core/report/interval_words.h"
#include "core/report/plain_words.h"
#include "core/report/tables.h"

namespace mantissa::report {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string step_words(const record::Gains& gains) {
  return number_words(1000.0 * gains.step_seconds) + " ms, spread " + number_words(1000.0 * gains.step_seconds_spread) +
         " ms";
}

std::string speed_up_words(const record::Gains& gains) {
  if (!gains.speed_up) return {};
  if (!gains.speed_up_low || !gains.speed_up_high) return number_words(gains.speed_up);
  const IntervalWords interval = interval_words(*gains.speed_up, *gains.speed_up_low, *gains.speed_up_high);
  std::string words = interval.value + " (" + interval.low + " to " + interval.high + ")";
  // An interval over 1 shows neither a gain nor a loss; the estimate alone would.
  if (*gains.speed_up_low <= 1.0 && *gains.speed_up_high >= 1.0) words += ", no difference shown";
  return words;
}

std::string finish_words(const record::Gains& gains) {
  std::string words = duration_words(gains.finish_seconds);
  if (gains.deadline_seconds) {
    const bool fits = gains.finish_seconds <= *gains.deadline_seconds;
    words += (fits ? ", within " : ", beyond ") + duration_words(*gains.deadline_seconds);
  }
  return words;
}

/// The steps of the run were measured, not those of the gains: without probes, nothing was.
std::string memory_words(const record::Gains& gains) {
  return gains.peak_bytes ? bytes_words(*gains.peak_bytes) : "not measured (probes off)";
}

}  // namespace

Facts gains_facts(const record::Gains& gains) {
  Facts facts = {{"samples a second", number_words(gains.samples_per_second)}, {"step", step_words(gains)}};
  if (gains.speed_up) facts.emplace_back("speed-up", speed_up_words(gains));
  facts.emplace_back("peak memory", memory_words(gains));
  facts.emplace_back("time for the planned steps", finish_words(gains));
  if (gains.cost_per_sample) facts.emplace_back("cost of a sample", number_words(*gains.cost_per_sample));
  if (gains.finish_cost) facts.emplace_back("cost of the planned steps", number_words(*gains.finish_cost));
  facts.emplace_back("measured by", gains.method);
  return facts;
}

std::string gains_table(const record::RunSummary& summary) {
  std::vector<const record::TrialRow*> arms;
  const auto add = [&arms](const record::TrialRow& arm) {
    if (arm.end.gains) arms.push_back(&arm);
  };
  add(summary.reference);
  for (const record::TrialRow& trial : summary.trials) add(trial);
  if (arms.empty()) return {};

  bool cost = false;
  for (const record::TrialRow* const arm : arms) {
    cost |= arm->end.gains->cost_per_sample.has_value();
  }
  std::vector<Table::Column> columns = {{"arm"},
                                        {"samples/s", Table::Align::Right},
                                        {"step", Table::Align::Right},
                                        {"speed-up (95 %)"},
                                        {"time for the planned steps"},
                                        {"peak memory", Table::Align::Right}};
  if (cost) columns.push_back({"cost a sample", Table::Align::Right});
  if (cost) columns.push_back({"cost of all", Table::Align::Right});
  Table table(columns);
  for (const record::TrialRow* const arm : arms) {
    const record::Gains& gains = *arm->end.gains;
    std::vector<std::string> cells = {arm->start.name, number_words(gains.samples_per_second), step_words(gains),
                                      speed_up_words(gains), finish_words(gains)};
    cells.push_back(memory_words(gains));
    if (cost) cells.push_back(number_words(gains.cost_per_sample));
    if (cost) cells.push_back(number_words(gains.finish_cost));
    table.add_row(cells);
  }
  return "Gains\n" + table.text() + "measured by " + arms.front()->end.gains->method + '\n';
}

}  // namespace mantissa::report
