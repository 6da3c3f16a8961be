// SPDX-License-Identifier: Apache-2.0
#include "core/archive/gains_rows.h"

#include <string_view>

#include "core/archive/real_states.h"

namespace mantissa::archive {
namespace {

constexpr char kReplaceGains[] =
    "INSERT OR REPLACE INTO gains (trial, repetitions, steps, samples, step_seconds, step_seconds_spread, "
    "samples_per_second, speed_up, speed_up_low, speed_up_high, finish_seconds, deadline_seconds, cost_per_sample, "
    "finish_cost, states, peak_bytes, method) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";

constexpr char kSelectGains[] =
    "SELECT repetitions, steps, samples, step_seconds, step_seconds_spread, samples_per_second, speed_up, "
    "speed_up_low, speed_up_high, finish_seconds, deadline_seconds, cost_per_sample, finish_cost, states, peak_bytes, "
    "method FROM gains WHERE trial = ?1";

constexpr char kRemoveLatency[] = "DELETE FROM latency WHERE trial = ?1";

constexpr char kInsertLatency[] =
    "INSERT INTO latency (trial, batch, calls, p50_seconds, p95_seconds, p99_seconds, p50_ratio, p50_ratio_low, "
    "p50_ratio_high, p95_ratio, p95_ratio_low, p95_ratio_high, states, method, missing) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

constexpr char kSelectLatency[] =
    "SELECT batch, calls, p50_seconds, p95_seconds, p99_seconds, p50_ratio, p50_ratio_low, p50_ratio_high, p95_ratio, "
    "p95_ratio_low, p95_ratio_high, states, method, missing FROM latency WHERE trial = ?1 ORDER BY batch";

}  // namespace

void replace_gains(Connection& connection, std::int64_t trial, const record::Gains& gains) {
  Statement replace(connection, kReplaceGains);
  RealWriter reals;
  reals.bind(replace, 5, gains.step_seconds);
  reals.bind(replace, 6, gains.step_seconds_spread);
  reals.bind(replace, 7, gains.samples_per_second);
  reals.bind(replace, 8, gains.speed_up);
  reals.bind(replace, 9, gains.speed_up_low);
  reals.bind(replace, 10, gains.speed_up_high);
  reals.bind(replace, 11, gains.finish_seconds);
  reals.bind(replace, 12, gains.deadline_seconds);
  reals.bind(replace, 13, gains.cost_per_sample);
  reals.bind(replace, 14, gains.finish_cost);
  replace.bind(1, trial)
      .bind(2, gains.repetitions)
      .bind(3, gains.steps)
      .bind(4, gains.samples)
      .bind(15, reals.states())
      .bind(16, gains.peak_bytes)
      .bind(17, std::string_view(gains.method))
      .run();
}

std::optional<record::Gains> read_gains(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectGains);
  select.bind(1, trial);
  if (!select.step()) return std::nullopt;
  RealReader reals(select.integer(13));
  record::Gains gains;
  gains.repetitions = select.integer(0);
  gains.steps = select.integer(1);
  gains.samples = select.integer(2);
  gains.step_seconds = reals.read(select, 3).value_or(0.0);
  gains.step_seconds_spread = reals.read(select, 4).value_or(0.0);
  gains.samples_per_second = reals.read(select, 5).value_or(0.0);
  gains.speed_up = reals.read(select, 6);
  gains.speed_up_low = reals.read(select, 7);
  gains.speed_up_high = reals.read(select, 8);
  gains.finish_seconds = reals.read(select, 9).value_or(0.0);
  gains.deadline_seconds = reals.read(select, 10);
  gains.cost_per_sample = reals.read(select, 11);
  gains.finish_cost = reals.read(select, 12);
  gains.peak_bytes = select.optional_integer(14);
  gains.method = select.text(15);
  return gains;
}

void replace_latency(Connection& connection, std::int64_t trial, const std::vector<record::Latency>& latency) {
  Statement(connection, kRemoveLatency).bind(1, trial).run();
  for (const record::Latency& row : latency) {
    Statement insert(connection, kInsertLatency);
    RealWriter reals;
    reals.bind(insert, 4, row.p50_seconds);
    reals.bind(insert, 5, row.p95_seconds);
    reals.bind(insert, 6, row.p99_seconds);
    reals.bind(insert, 7, row.p50_ratio);
    reals.bind(insert, 8, row.p50_ratio_low);
    reals.bind(insert, 9, row.p50_ratio_high);
    reals.bind(insert, 10, row.p95_ratio);
    reals.bind(insert, 11, row.p95_ratio_low);
    reals.bind(insert, 12, row.p95_ratio_high);
    insert.bind(1, trial)
        .bind(2, row.batch)
        .bind(3, row.calls)
        .bind(13, reals.states())
        .bind(14, std::string_view(row.method))
        .bind(15, std::string_view(row.missing))
        .run();
  }
}

std::vector<record::Latency> read_latency(Connection& connection, std::int64_t trial) {
  Statement select(connection, kSelectLatency);
  select.bind(1, trial);
  std::vector<record::Latency> latency;
  while (select.step()) {
    RealReader reals(select.integer(11));
    record::Latency& row = latency.emplace_back();
    row.batch = select.integer(0);
    row.calls = select.integer(1);
    row.p50_seconds = reals.read(select, 2);
    row.p95_seconds = reals.read(select, 3);
    row.p99_seconds = reals.read(select, 4);
    row.p50_ratio = reals.read(select, 5);
    row.p50_ratio_low = reals.read(select, 6);
    row.p50_ratio_high = reals.read(select, 7);
    row.p95_ratio = reals.read(select, 8);
    row.p95_ratio_low = reals.read(select, 9);
    row.p95_ratio_high = reals.read(select, 10);
    row.method = select.text(12);
    row.missing = select.text(13);
  }
  return latency;
}

}  // namespace mantissa::archive
