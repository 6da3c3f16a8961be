// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_trace.h"

#include <ATen/ATen.h>

#include <QTest>

#include "core/base/error.h"
#include "core/spec/parse.h"
#include "core/train/stages.h"
#include "tests/core/train/held_bytes.h"
#include "tests/core/train/small_network.h"

using namespace mantissa;
using tests::held;
using tests::SmallNetwork;

namespace {

spec::Experiment experiment_with(const std::string& optimizer, const std::string& trial = "autocast = \"bfloat16\"") {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\nloss = "
      "\"mse\"\n[[training.optimizer]]\n" +
          optimizer + "\n[[trial]]\nname = \"t\"\n" + trial,
      "test.toml");
}

train::Window ones(std::int64_t rows) {
  train::Window window;
  window.microbatches.push_back({at::ones({rows, 1}), at::zeros({rows, 1})});
  window.samples = rows;
  return window;
}

/// y = w * x; every weight that forward sees is written into `seen`.
std::unique_ptr<train::Arm> product(const spec::Experiment& experiment, std::vector<double>& seen) {
  auto network = std::make_unique<SmallNetwork>(std::vector<std::pair<std::string, double>>{{"w", 0.7}},
                                                [&seen](const std::vector<at::Tensor>& p, const at::Tensor& x) {
                                                  seen.push_back(p[0].item<double>());
                                                  return x * p[0];
                                                });
  return std::make_unique<train::Arm>("t", std::move(network), experiment, nullptr);
}

}  // namespace

class StepTraceTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_trace_changes_no_weight() {
    const spec::Experiment experiment = experiment_with("kind = \"adamw\"\nlr = 0.01");
    std::vector<double> traced;
    train::trace_step([&] { return product(experiment, traced); }, [] { return ones(3); });
    std::vector<double> plain;
    const std::unique_ptr<train::Arm> arm = product(experiment, plain);
    const train::Window window = ones(3);
    for (std::size_t i = 0; i < traced.size(); ++i) {
      train::Attempt attempt;
      train::run_stages(train::gradient_stages(), *arm, window, attempt, {});
      train::run_stages(train::update_stages(), *arm, window, attempt, {});
    }
    QCOMPARE(traced.size(), std::size_t{2});
    QVERIFY(traced[1] != traced[0]);
    QVERIFY(traced == plain);
  }

  void what_is_held_before_the_step_is_known_by_what_it_is_for() {
    const spec::Experiment experiment = experiment_with("kind = \"sgd\"\nlr = 0.01\nmomentum = 0.9");
    std::vector<double> seen;
    const record::StepTrace trace =
        train::trace_step([&] { return product(experiment, seen); }, [] { return ones(5); }).value();
    // One FP32 parameter of one element; its gradient and its momentum buffer; 5 inputs and 5 targets.
    QCOMPARE(held(trace, record::MemoryCategory::Parameters), std::int64_t{4});
    QCOMPARE(held(trace, record::MemoryCategory::Gradients), std::int64_t{4});
    QCOMPARE(held(trace, record::MemoryCategory::OptimizerState), std::int64_t{4});
    QCOMPARE(held(trace, record::MemoryCategory::Inputs), std::int64_t{40});
    QCOMPARE(trace.microbatch, std::int64_t{5});
    QCOMPARE(trace.microbatches, std::int64_t{1});
    QVERIFY(trace.has_update);
  }

  void plain_sgd_holds_no_state() {
    const spec::Experiment experiment = experiment_with("kind = \"sgd\"\nlr = 0.01");
    std::vector<double> seen;
    const record::StepTrace trace =
        train::trace_step([&] { return product(experiment, seen); }, [] { return ones(5); }).value();
    QCOMPARE(held(trace, record::MemoryCategory::OptimizerState), std::int64_t{0});
  }

  void every_block_that_the_step_makes_is_freed_or_held_once() {
    const spec::Experiment experiment = experiment_with("kind = \"adamw\"\nlr = 0.01");
    std::vector<double> seen;
    const record::StepTrace trace =
        train::trace_step([&] { return product(experiment, seen); }, [] { return ones(5); }).value();
    std::int64_t live = 0;
    std::vector<bool> in_use(trace.blocks.size());
    for (const record::MemoryEvent& event : trace.events) {
      const bool allocates = event.kind == record::MemoryEvent::Kind::Allocate;
      QVERIFY(in_use[static_cast<std::size_t>(event.block)] != allocates);
      in_use[static_cast<std::size_t>(event.block)] = allocates;
      live += allocates ? 1 : -1;
    }
    QCOMPARE(live, static_cast<std::int64_t>(trace.held));  // a step leaves behind what it began with
  }

  void a_step_that_fails_is_told_with_its_arm() {
    const spec::Experiment experiment = experiment_with("kind = \"sgd\"\nlr = 0.01");
    const auto fails = [&] {
      auto network = std::make_unique<SmallNetwork>(
          std::vector<std::pair<std::string, double>>{{"w", 1.0}},
          [](const std::vector<at::Tensor>&, const at::Tensor&) -> at::Tensor { throw std::runtime_error("broken"); });
      return std::make_unique<train::Arm>("t", std::move(network), experiment, nullptr);
    };
    try {
      train::trace_step(fails, [] { return ones(1); });
      QFAIL("no error");
    } catch (const Error& error) {
      QCOMPARE(QString::fromStdString(error.facts().subject), "t");
      QVERIFY(error.facts().problem.find("broken") != std::string::npos);
    }
  }
};

QTEST_APPLESS_MAIN(StepTraceTests)
#include "step_trace_tests.moc"
