// SPDX-License-Identifier: Apache-2.0
// Steps a second of the engine with probes off, against the official Python package, interleaved in one run: every
// round times the same number of steps on both sides, one after the other. `ratio` is the median over the rounds of
// Python's time over ours, against the faster of Python's fused and foreach optimizers; `ratio_low` and `ratio_high`
// bound the middle half.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "core/data/dataset.h"
#include "core/model/network.h"
#include "core/spec/parse.h"
#include "core/train/batch_plan.h"
#include "core/train/stages.h"
#include "tests/bench/python_process.h"

namespace {

using namespace mantissa;

constexpr int kThreads = 2;
constexpr int kRounds = 11;

constexpr char kAmpStep[] = R"(
mantissa = 1
[data]
source = "gaussian"
rows = 512
features = 16
[model]
kind = "linear"
[training]
steps = 1000000000
batch = 64
threads = 2
loss = "mse"
clip_norm = 1.0
[[trial]]
name = "trial"
autocast = "float16"
)";

constexpr char kDigits[] = R"(
mantissa = 1
[data]
source = "digits"
[model]
kind = "mlp"
hidden = [256, 256]
activation = "gelu"
[training]
steps = 1000000000
batch = 64
threads = 2
loss = "cross_entropy"
[[trial]]
name = "trial"
)";

/// One arm in training, for as many steps as it is asked for.
class Work {
 public:
  explicit Work(const std::string& text)
      : experiment_(spec::parse_experiment(text, "bench.toml")),
        dataset_(data::load(experiment_)),
        plan_(experiment_, dataset_.train) {
    at::set_num_threads(kThreads);
    const std::int64_t outputs = dataset_.classes > 0 ? dataset_.classes : dataset_.train.targets.size(1);
    arm_ = std::make_unique<train::Arm>(
        "trial", model::build(experiment_.model, dataset_.train.inputs.size(1), outputs, experiment_.training.seed),
        experiment_, &experiment_.trials.front());
    options_.measure_norms = false;
  }

  double seconds_of(int steps) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      const train::Window& window = *plan_.next();
      train::Attempt attempt;
      train::run_stages(train::gradient_stages(), *arm_, window, attempt, options_);
      train::run_stages(train::update_stages(), *arm_, window, attempt, options_);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  spec::Experiment experiment_;
  data::Dataset dataset_;
  train::BatchPlan plan_;
  std::unique_ptr<train::Arm> arm_;
  train::StageOptions options_;
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

void against_python(benchmark::State& state, const std::string& text, const std::string& python_work, int steps) {
  static tests::PythonProcess python;
  if (!python.ready()) {
    state.SkipWithError(python.problem().c_str());
    return;
  }
  Work work(text);
  work.seconds_of(steps);
  std::vector<double> ours;
  std::vector<double> fused;
  std::vector<double> foreach;
  for (auto iteration : state) {
    (void)iteration;
    ours.push_back(work.seconds_of(steps));
    const tests::PythonTimes times = python.seconds_of(python_work, steps);
    fused.push_back(times.fused);
    foreach
      .push_back(times.foreach);
    state.SetIterationTime(ours.back());
  }
  const std::vector<double>& best = quantile(fused, 0.5) < quantile(foreach, 0.5) ? fused : foreach;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(best[i] / ours[i]);
  state.counters["steps_per_second"] = steps / quantile(ours, 0.5);
  state.counters["python_steps_per_second"] = steps / quantile(best, 0.5);
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["ratio_low"] = quantile(ratios, 0.25);
  state.counters["ratio_high"] = quantile(ratios, 0.75);
}

void amp_step(benchmark::State& state) { against_python(state, kAmpStep, "amp-step", 500); }
void digits_float32(benchmark::State& state) {
  against_python(state, std::string(kDigits) + "autocast = \"off\"\n", "digits-mlp-float32", 100);
}
void digits_bfloat16(benchmark::State& state) {
  against_python(state, std::string(kDigits) + "autocast = \"bfloat16\"\n", "digits-mlp-bfloat16", 100);
}
BENCHMARK(amp_step)->Name("steps/amp-step/float16")->UseManualTime()->Iterations(kRounds);
BENCHMARK(digits_float32)->Name("steps/digits-mlp/float32")->UseManualTime()->Iterations(kRounds);
BENCHMARK(digits_bfloat16)->Name("steps/digits-mlp/bfloat16")->UseManualTime()->Iterations(kRounds);

}  // namespace
