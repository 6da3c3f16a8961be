// SPDX-License-Identifier: Apache-2.0
// Timing of inference with a clock that the test makes: no figure is one of the machine.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QTest>

#include "core/session/frozen_cases.h"
#include "core/session/latency.h"
#include "core/session/prepared.h"
#include "core/spec/parse.h"

using namespace mantissa;
using record::Latency;

namespace {

spec::Experiment experiment_of(const std::string& more = {}) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 30\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = [8]\n"
      "[training]\nthreads = 1\nsteps = 1\n" +
          more,
      "test.toml");
}

/// A reference and a trial that are the same network, and the calls that were timed.
struct Bench {
  explicit Bench(double seconds, const std::string& more = {})
      : experiment(experiment_of(more)),
        prepared(session::prepare(experiment)),
        cases(session::freeze_cases(prepared.experiment, prepared.dataset)),
        trial(prepared.network->clone()),
        bench(cases) {
    bench.add("reference", prepared.network.get(), precision::Policy());
    bench.add("trial", trial.get(), precision::Policy());
    bench.use(
        [this, seconds](const std::function<void()>& work) {
          ++timed;
          work();
          return seconds;
        },
        "clock of a test");
  }

  std::vector<std::vector<Latency>> measure(const std::vector<std::int64_t>& batches, double limit,
                                            const std::function<bool()>& stop = {}) {
    session::LatencyLimits limits;
    limits.seconds = limit;
    return bench.measure(batches, limits, stop);
  }

  spec::Experiment experiment;
  session::Prepared prepared;
  session::FrozenCases cases;
  std::unique_ptr<model::Network> trial;
  session::LatencyBench bench;
  std::int64_t timed = 0;
};

}  // namespace

class LatencyTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A call takes 2 ms, one of both arms 4 ms; 0.4 s for each of two batch sizes are 10 rounds of 10 calls of both.
  void calls_fill_the_time_that_is_set_aside_and_no_more() {
    Bench two(0.002);
    const auto found = two.measure({1, 64}, 0.8);  // 64 is more than the 6 cases: they are taken again
    QCOMPARE(found.size(), std::size_t{2});
    for (const std::vector<Latency>& arm : found) {
      QCOMPARE(arm.size(), std::size_t{2});
      QCOMPARE(arm[0].batch, std::int64_t{1});
      QCOMPARE(arm[1].batch, std::int64_t{64});
      for (const Latency& row : arm) {
        QCOMPARE(row.calls, std::int64_t{100});
        QCOMPARE(*row.p50_seconds, 0.002);
        QCOMPARE(*row.p95_seconds, 0.002);
        QVERIFY(!row.p99_seconds);
        QVERIFY(row.method.find("clock of a test") != std::string::npos);
      }
    }
    QVERIFY(!found[0][0].p50_ratio);
    QCOMPARE(*found[1][0].p50_ratio, 1.0);
    QCOMPARE(*found[1][0].p95_ratio_high, 1.0);
    QCOMPARE(two.timed, std::int64_t{2 * 2 * (100 + 3)});  // three calls of each arm and batch size come before
  }

  void fast_calls_come_to_a_thousand_and_have_a_p99() {
    Bench fast(1e-6);
    const auto found = fast.measure({8}, 1.0);
    QCOMPARE(found[1][0].calls, std::int64_t{1000});
    QCOMPARE(*found[1][0].p99_seconds, 1e-6);
  }

  void calls_that_take_too_long_are_not_measured_and_say_why() {
    Bench slow(1.0);
    const auto found = slow.measure({8}, 0.5);
    for (const auto& arm : found) {
      QCOMPARE(arm[0].calls, std::int64_t{0});
      QVERIFY2(arm[0].missing.find("longer than the time set aside") != std::string::npos, arm[0].missing.c_str());
    }
    QCOMPARE(slow.timed, std::int64_t{2});  // one of each arm, and no more of it
  }

  void a_request_to_stop_ends_it_at_the_next_call() {
    Bench bench(0.001);
    const auto found = bench.measure({1, 8}, 1.0, [&bench] { return bench.timed >= 20; });
    QVERIFY(found[0].empty() && found[1].empty());
    QCOMPARE(bench.timed, std::int64_t{20});
  }

  void an_arm_without_a_copy_says_so_and_the_others_are_measured() {
    Bench bench(0.001);
    bench.bench.add("large", nullptr, precision::Policy());
    const auto found = bench.measure({1}, 1.0);
    QVERIFY(found[1][0].calls > 0);
    QVERIFY(found[2][0].missing.find("memory") != std::string::npos);
  }

  void no_bit_of_a_network_changes() {
    Bench bench(0.001);
    const auto before = bench.trial->state();
    std::vector<at::Tensor> weights;
    for (const auto& one : before) weights.push_back(one.tensor.detach().clone());
    bench.measure({1}, 0.1);
    const auto after = bench.trial->state();
    for (std::size_t i = 0; i < weights.size(); ++i) QVERIFY(after[i].tensor.detach().equal(weights[i]));
  }

  void batch_sizes_are_1_and_the_training_batch_where_nothing_is_said() {
    using Batches = std::vector<std::int64_t>;
    QCOMPARE(session::latency_batches_of(experiment_of(), 24), (Batches{1, 24}));
    QCOMPARE(session::latency_batches_of(experiment_of(), 1), (Batches{1}));
    QCOMPARE(session::latency_batches_of(experiment_of("[cases]\nlatency_batches = [64, 1, 8]\n"), 24),
             (Batches{1, 8, 64}));
    QCOMPARE(session::latency_batches_of(experiment_of("[cases]\nlatency_batches = []\n"), 24), Batches{});
  }

  // 5 % of the training: 20 s are 1 s; at least 0.2 s and at most 3 s, which a rule takes, too.
  void the_time_set_aside_is_bounded() {
    using session::latency_limits_of;
    using session::MeasureGains;
    QCOMPARE(latency_limits_of(MeasureGains::Short, 20.0, std::nullopt).seconds, 1.0);
    QCOMPARE(latency_limits_of(MeasureGains::Short, 0.0, std::nullopt).seconds, 0.2);
    QCOMPARE(latency_limits_of(MeasureGains::Short, 1e6, std::nullopt).seconds, 3.0);
    QCOMPARE(latency_limits_of(MeasureGains::Long, 0.0, std::nullopt).seconds, 15.0);
    spec::Rules rules;
    rules.cost.emplace_back().min_speedup = 1.0;
    QCOMPARE(latency_limits_of(MeasureGains::Short, 0.0, rules).seconds, 0.2);
    rules.cost.front().max_latency_p95_ratio = 1.0;
    QCOMPARE(latency_limits_of(MeasureGains::Short, 0.0, rules).seconds, 3.0);
  }
};

QTEST_GUILESS_MAIN(LatencyTests)
#include "latency_tests.moc"
