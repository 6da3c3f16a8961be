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

std::string milliseconds(const std::optional<double>& seconds) {
  return seconds ? number_words(1000.0 * *seconds) + " ms" : "–";
}

std::string ratio_words(const std::optional<double>& ratio, const std::optional<double>& low,
                        const std::optional<double>& high) {
  if (!ratio || !low || !high) return number_words(ratio);
  const IntervalWords interval = interval_words(*ratio, *low, *high);
  return interval.value + " (" + interval.low + " to " + interval.high + ")";
}

}  // namespace

std::string pace_words(const record::Latency& latency) {
  switch (record::pace_of(latency)) {
    case record::Pace::Slower:
      return "slower";
    case record::Pace::Faster:
      return "faster";
    case record::Pace::Same:
      return "no difference shown";
    case record::Pace::Unknown:
      break;
  }
  return {};
}

Facts latency_facts(const std::vector<record::Latency>& latency) {
  Facts facts;
  if (latency.empty()) facts.emplace_back("latency", "not measured");
  for (const record::Latency& row : latency) {
    const std::string what = "latency, batch " + count_words(row.batch);
    if (row.calls == 0) {
      facts.emplace_back(what, "not measured: " + row.missing);
      continue;
    }
    std::string words = "p50 " + milliseconds(row.p50_seconds) + ", p95 " + milliseconds(row.p95_seconds) + ", p99 " +
                        milliseconds(row.p99_seconds) + ", " + count_words(row.calls) + " calls";
    const std::string pace = pace_words(row);
    if (!pace.empty()) {
      words +=
          "; p50 by the reference's " + ratio_words(row.p50_ratio, row.p50_ratio_low, row.p50_ratio_high) + ", " + pace;
    }
    facts.emplace_back(what, words);
  }
  if (!latency.empty() && !latency.back().method.empty()) facts.emplace_back("timed by", latency.back().method);
  return facts;
}

std::string latency_table(const record::RunSummary& summary) {
  std::vector<const record::TrialRow*> arms;
  const auto add = [&arms](const record::TrialRow& arm) {
    if (!arm.end.latency.empty()) arms.push_back(&arm);
  };
  add(summary.reference);
  for (const record::TrialRow& trial : summary.trials) add(trial);
  if (arms.empty()) return {};
  Table table({{"arm"},
               {"batch", Table::Align::Right},
               {"calls", Table::Align::Right},
               {"p50", Table::Align::Right},
               {"p95", Table::Align::Right},
               {"p99", Table::Align::Right},
               {"p50 by the reference's (95 %)"},
               {"p95 by the reference's (95 %)"},
               {""}});
  std::string method;
  for (const record::TrialRow* const arm : arms) {
    for (const record::Latency& row : arm->end.latency) {
      if (!row.method.empty()) method = row.method;
      const std::string last = row.calls == 0 ? "not measured: " + row.missing : pace_words(row);
      table.add_row({arm->start.name, count_words(row.batch), count_words(row.calls), milliseconds(row.p50_seconds),
                     milliseconds(row.p95_seconds), milliseconds(row.p99_seconds),
                     ratio_words(row.p50_ratio, row.p50_ratio_low, row.p50_ratio_high),
                     ratio_words(row.p95_ratio, row.p95_ratio_low, row.p95_ratio_high), last});
    }
  }
  return "Latency of inference on the frozen cases\n" + table.text() +
         (method.empty() ? std::string() : "measured by " + method + '\n');
}

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
