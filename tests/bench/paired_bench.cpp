// SPDX-License-Identifier: Apache-2.0
// What a paired run costs beyond its parts, and what is measured by default beyond nothing, interleaved in one run:
// every round times the same number of steps on all sides, one after the other.
//   paired/…     time of reference and trial in lock step, measuring as by default, over the sum of both arms trained
//                alone, which measure the norms that an arm alone has; asked for: at most 1.05 with shadow off, 1.15
//                with shadow_every = 10.
//   telemetry/…  the same paired run measuring as by default over measuring nothing, and the difference a step and arm;
//                asked for: at most 30 µs a step for the AMP step, else the larger of 3 % and bytes read / 8 GB/s.
// `ratio` is the median over the rounds, `ratio_low` and `ratio_high` bound the middle half. `ratio_in_turn` compares
// with both arms alone but one step each in turn: what it is smaller by is not work, but two models sharing a cache.
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "core/data/dataset.h"
#include "core/model/network.h"
#include "core/spec/parse.h"
#include "core/train/batch_plan.h"
#include "core/train/paired_run.h"
#include "core/train/stages.h"
#include "tests/bench/training_work.h"

namespace {

using namespace mantissa;
using namespace mantissa::bench;
using Clock = std::chrono::steady_clock;

constexpr int kPairedRounds = 11;

const std::string kDigitsTrial = std::string(kDigits) + "autocast = \"bfloat16\"\n";

constexpr char kWide[] = R"(
mantissa = 1
[data]
source = "digits"
[model]
kind = "mlp"
hidden = [1024, 1024]
activation = "gelu"
[training]
steps = 1000000000
batch = 256
threads = 2
[[trial]]
name = "trial"
autocast = "bfloat16"
shadow_every = 0
)";

/// What all sides of a comparison share.
struct Setting {
  Setting(const std::string& text, int shadow_every)
      : experiment(
            spec::parse_experiment(text, "bench.toml", {"trial[trial].shadow_every=" + std::to_string(shadow_every)})),
        dataset(data::load(experiment)) {
    at::set_num_threads(kThreads);
    if (!experiment.training.loss) experiment.training.loss = spec::Loss::CrossEntropy;
  }
  std::unique_ptr<train::Arm> arm(const spec::Trial* trial) const {
    const std::int64_t outputs = dataset.classes > 0 ? dataset.classes : dataset.train.targets.size(1);
    auto network =
        model::build(experiment.model, dataset.train.inputs.sizes().slice(1), outputs, experiment.training.seed);
    return std::make_unique<train::Arm>(trial != nullptr ? "trial" : "reference", std::move(network), experiment,
                                        trial);
  }
  spec::Experiment experiment;
  data::Dataset dataset;
};

/// Reference and trial in lock step.
class Paired {
 public:
  Paired(const Setting& setting, bool measure) : plan_(setting.experiment, setting.dataset.train) {
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(setting.arm(nullptr));
    arms.push_back(setting.arm(&setting.experiment.trials.front()));
    run_ = std::make_unique<train::PairedRun>(plan_, std::move(arms), measure);
  }
  double seconds_of(int steps) {
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < steps; ++i) {
      run_->step([](std::size_t, record::StepRecord&& step) { benchmark::DoNotOptimize(step.loss); });
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  train::BatchPlan plan_;
  std::unique_ptr<train::PairedRun> run_;
};

/// One arm alone, measuring the norms that it has alone.
class Alone {
 public:
  Alone(const Setting& setting, const spec::Trial* trial)
      : plan_(setting.experiment, setting.dataset.train), arm_(setting.arm(trial)) {}
  void step() {
    const train::Window& window = *plan_.next();
    train::Attempt attempt;
    train::run_stages(train::gradient_stages(), *arm_, window, attempt, options_);
    train::run_stages(train::update_stages(), *arm_, window, attempt, options_);
  }

 private:
  train::BatchPlan plan_;
  std::unique_ptr<train::Arm> arm_;
  train::StageOptions options_;
};

template <class Steps>
double seconds_of(int steps, const Steps& step) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < steps; ++i) step();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void count(benchmark::State& state, const std::vector<double>& ratios) {
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["ratio_low"] = quantile(ratios, 0.25);
  state.counters["ratio_high"] = quantile(ratios, 0.75);
}

void paired(benchmark::State& state, const std::string& text, int steps) {
  const Setting setting(text, static_cast<int>(state.range(0)));
  Paired both(setting, true);
  Alone reference(setting, nullptr);
  Alone trial(setting, &setting.experiment.trials.front());
  const auto in_turn = [&] {
    reference.step();
    trial.step();
  };
  both.seconds_of(steps);
  seconds_of(steps, in_turn);
  std::vector<double> ratios;
  std::vector<double> ratios_in_turn;
  for (auto iteration : state) {
    (void)iteration;
    const double together = both.seconds_of(steps);
    const double alone = seconds_of(steps, [&] { reference.step(); }) + seconds_of(steps, [&] { trial.step(); });
    ratios.push_back(together / alone);
    ratios_in_turn.push_back(together / seconds_of(steps, in_turn));
    state.SetIterationTime(together);
  }
  count(state, ratios);
  state.counters["ratio_in_turn"] = quantile(ratios_in_turn, 0.5);
}

void telemetry(benchmark::State& state, const std::string& text, int steps) {
  const Setting setting(text, 0);
  Paired with(setting, true);
  Paired without(setting, false);
  with.seconds_of(steps);
  without.seconds_of(steps);
  std::vector<double> ratios;
  std::vector<double> differences;
  for (auto iteration : state) {
    (void)iteration;
    const double on = with.seconds_of(steps);
    const double off = without.seconds_of(steps);
    ratios.push_back(on / off);
    differences.push_back((on - off) / steps / 2 * 1e6);
    state.SetIterationTime(on);
  }
  count(state, ratios);
  state.counters["microseconds_a_step_and_arm"] = quantile(differences, 0.5);
}

void paired_amp_step(benchmark::State& state) { paired(state, kAmpStep, 500); }
void paired_digits(benchmark::State& state) { paired(state, kDigitsTrial, 100); }
void paired_wide(benchmark::State& state) { paired(state, kWide, 20); }
void telemetry_amp_step(benchmark::State& state) { telemetry(state, kAmpStep, 500); }
void telemetry_digits(benchmark::State& state) { telemetry(state, kDigitsTrial, 100); }
void telemetry_wide(benchmark::State& state) { telemetry(state, kWide, 20); }
BENCHMARK(paired_amp_step)->Name("paired/amp-step/shadow")->Arg(0)->Arg(10)->UseManualTime()->Iterations(kPairedRounds);
BENCHMARK(paired_digits)->Name("paired/digits-mlp/shadow")->Arg(0)->Arg(10)->UseManualTime()->Iterations(kPairedRounds);
BENCHMARK(paired_wide)->Name("paired/wide-mlp/shadow")->Arg(0)->Arg(10)->UseManualTime()->Iterations(kPairedRounds);
BENCHMARK(telemetry_amp_step)->Name("telemetry/amp-step")->UseManualTime()->Iterations(kPairedRounds);
BENCHMARK(telemetry_digits)->Name("telemetry/digits-mlp")->UseManualTime()->Iterations(kPairedRounds);
BENCHMARK(telemetry_wide)->Name("telemetry/wide-mlp")->UseManualTime()->Iterations(kPairedRounds);

}  // namespace
