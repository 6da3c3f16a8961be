// SPDX-License-Identifier: Apache-2.0
#include "core/compare/trial_columns.h"

#include <cassert>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>

namespace mantissa::compare {
namespace {

using record::TrialRow;

struct Entry {
  TrialColumn column;
  std::function<Cell(const TrialRow&)> read;
};

Cell number(double value) { return value; }
Cell number(std::int64_t value) { return static_cast<double>(value); }
template <class Number>
Cell number(const std::optional<Number>& value) {
  return value ? number(*value) : Cell();
}
Cell text(std::string_view value) { return value.empty() ? Cell() : Cell(std::string(value)); }

/// Only of an arm that attempted a step.
Cell share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? Cell(static_cast<double>(part) / static_cast<double>(whole)) : Cell();
}

Cell steps_per_second(const TrialRow& trial) {
  const double attempted = static_cast<double>(trial.end.counts.attempted);
  return attempted > 0 && trial.end.seconds > 0 ? Cell(attempted / trial.end.seconds) : Cell();
}

/// The first reading of a comparison of weights, as a multiple of the yardstick that belongs to it.
Cell in_yardsticks(const TrialRow& trial, std::string_view of) {
  for (const record::YardstickReading& reading : trial.end.yardsticks) {
    if (reading.of == of) return number(reading.multiple());
  }
  return {};
}

std::vector<Entry> make_entries() {
  const auto with_text = [](const char* name, const char* description, std::function<Cell(const TrialRow&)> read) {
    return Entry{{name, description, false}, std::move(read)};
  };
  const auto with_number = [](const char* name, const char* description, std::function<Cell(const TrialRow&)> read) {
    return Entry{{name, description, true}, std::move(read)};
  };
  return {
      with_number("id", "of the trial in this archive", [](const TrialRow& t) { return number(t.id); }),
      with_text("experiment", "name of the experiment", [](const TrialRow& t) { return text(t.experiment); }),
      with_number("experiment_id", "of the run: two runs of one experiment differ in it",
                  [](const TrialRow& t) { return number(t.experiment_id); }),
      with_text("name", "of the trial", [](const TrialRow& t) { return text(t.start.name); }),
      with_text("kind", "reference, trial, foreign, repeat, rounding",
                [](const TrialRow& t) { return text(record::to_text(t.start.kind)); }),
      with_text("status", "running, finished, stopped, interrupted, failed",
                [](const TrialRow& t) { return text(record::to_text(t.end.status)); }),
      with_text("failure", "why it failed: forward, non-finite, scale-too-small, …",
                [](const TrialRow& t) { return text(t.end.failure); }),
      with_text("verdict", "accepted, rejected, undecided; of the run, never one post hoc",
                [](const TrialRow& t) { return t.end.verdict ? text(record::to_text(t.end.verdict->word)) : Cell(); }),
      with_text("autocast", "off, float16, bfloat16", [](const TrialRow& t) { return text(t.start.autocast); }),
      with_text("cast_policy", "device, cuda, cpu, …", [](const TrialRow& t) { return text(t.start.cast_policy); }),
      with_text("device", "cpu, cuda:0, …", [](const TrialRow& t) { return text(t.start.device); }),
      with_number("attempted", "optimizer steps attempted",
                  [](const TrialRow& t) { return number(t.end.counts.attempted); }),
      with_number("applied", "of them applied", [](const TrialRow& t) { return number(t.end.counts.applied); }),
      with_number("skipped", "of them skipped", [](const TrialRow& t) { return number(t.end.counts.skipped); }),
      with_number("skipped_fraction", "skipped / attempted",
                  [](const TrialRow& t) { return share(t.end.counts.skipped, t.end.counts.attempted); }),
      with_number("samples", "rows trained on", [](const TrialRow& t) { return number(t.end.counts.samples); }),
      with_number("final_loss", "loss of the last step", [](const TrialRow& t) { return number(t.end.final_loss); }),
      with_text("quality_metric", "accuracy, rmse, perplexity, …",
                [](const TrialRow& t) { return text(t.end.quality_metric); }),
      with_number("quality", "of the trained weights on the frozen set",
                  [](const TrialRow& t) { return number(t.end.quality); }),
      with_number("quality_reference", "of the reference on the same cases",
                  [](const TrialRow& t) { return number(t.end.quality_reference); }),
      with_number("flips", "decisions that differ from the reference's",
                  [](const TrialRow& t) { return number(t.end.flips); }),
      with_number("rounding_floors", "deviation with the same weights, in rounding floors",
                  [](const TrialRow& t) { return in_yardsticks(t, "same_weights"); }),
      with_number("spreads", "deviation of the trained weights, in run-to-run spreads",
                  [](const TrialRow& t) { return in_yardsticks(t, "trained"); }),
      with_number("seconds", "of the arm's own training", [](const TrialRow& t) { return number(t.end.seconds); }),
      with_number("steps_per_second", "attempted / seconds", steps_per_second),
      with_number("speed_up", "how many times the reference's time a step takes less, measured after validation",
                  [](const TrialRow& t) { return t.end.gains ? number(t.end.gains->speed_up) : Cell(); }),
      with_number("peak_bytes", "most tensor memory alive within a step",
                  [](const TrialRow& t) { return t.end.gains ? number(t.end.gains->peak_bytes) : Cell(); }),
      with_number("cost_per_sample", "in the unit of budget.price_per_hour",
                  [](const TrialRow& t) { return t.end.gains ? number(t.end.gains->cost_per_sample) : Cell(); }),
      with_text("started_at", "UTC, ISO 8601", [](const TrialRow& t) { return text(t.started_at); }),
      with_text("finished_at", "UTC, ISO 8601", [](const TrialRow& t) { return text(t.finished_at); }),
  };
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

/// 0: a finite number, 1: a text, 2: a number that is not finite, 3: nothing.
int rank_of(const Cell& cell) {
  if (const auto* const value = std::get_if<double>(&cell)) return std::isfinite(*value) ? 0 : 2;
  return std::holds_alternative<std::string>(cell) ? 1 : 3;
}

}  // namespace

const std::vector<TrialColumn>& trial_columns() {
  static const std::vector<TrialColumn> all = [] {
    std::vector<TrialColumn> columns;
    for (const Entry& entry : entries()) columns.push_back(entry.column);
    return columns;
  }();
  return all;
}

const TrialColumn* find_trial_column(const std::string& name) {
  for (const TrialColumn& column : trial_columns()) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

Cell cell_of(const record::TrialRow& trial, const std::string& column) {
  static const std::unordered_map<std::string, const Entry*> by_name = [] {
    std::unordered_map<std::string, const Entry*> map;
    for (const Entry& entry : entries()) map.emplace(entry.column.name, &entry);
    return map;
  }();
  const auto found = by_name.find(column);
  assert(found != by_name.end());
  return found->second->read(trial);
}

bool comes_before(const Cell& a, const Cell& b, bool descending) {
  const int rank = rank_of(a);
  const int other = rank_of(b);
  if (rank != other) return rank < other;
  if (rank == 0) {
    const double left = std::get<double>(a);
    const double right = std::get<double>(b);
    return descending ? left > right : left < right;
  }
  if (rank == 1) {
    const std::string& left = std::get<std::string>(a);
    const std::string& right = std::get<std::string>(b);
    return descending ? left > right : left < right;
  }
  return false;
}

}  // namespace mantissa::compare
