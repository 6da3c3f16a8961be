// SPDX-License-Identifier: Apache-2.0
// Steps a second of the engine with probes off, against the official Python package, interleaved in one run: every
// round times the same number of steps on both sides, one after the other. `ratio` is Python's time over ours, against
// the faster of Python's fused and foreach optimizers; the counters are those of training_work.h.
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/spec/parse.h"
#include "tests/bench/python_process.h"
#include "tests/bench/training_work.h"

namespace {

using namespace mantissa;
using namespace mantissa::bench;

void against_python(benchmark::State& state, Work& work, const std::string& python_work, int steps) {
  static tests::PythonProcess python;
  if (!python.ready()) {
    state.SkipWithError(python.problem().c_str());
    return;
  }
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
  state.counters["steps_per_second"] = steps / quantile(ours, 0.5);
  state.counters["python_steps_per_second"] = steps / quantile(best, 0.5);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(best[i] / ours[i]);
  report(state, std::move(ratios));
}

void text_against_python(benchmark::State& state, const std::string& text, const std::string& python_work, int steps) {
  Work work(spec::parse_experiment(text, "bench.toml"));
  against_python(state, work, python_work, steps);
}

void amp_step(benchmark::State& state) { text_against_python(state, kAmpStep, "amp-step", 500); }
void digits_float32(benchmark::State& state) {
  text_against_python(state, std::string(kDigits) + "autocast = \"off\"\n", "digits-mlp-float32", 100);
}
void digits_bfloat16(benchmark::State& state) {
  text_against_python(state, std::string(kDigits) + "autocast = \"bfloat16\"\n", "digits-mlp-bfloat16", 100);
}
BENCHMARK(amp_step)->Name("steps/amp-step/float16")->UseManualTime()->Iterations(kRounds);
BENCHMARK(digits_float32)->Name("steps/digits-mlp/float32")->UseManualTime()->Iterations(kRounds);
BENCHMARK(digits_bfloat16)->Name("steps/digits-mlp/bfloat16")->UseManualTime()->Iterations(kRounds);

const bool models_registered = [] {
  for (const LargerModel& model : larger_models()) {
    for (const std::string autocast : {"off", "bfloat16"}) {
      constexpr int kSteps = 4;
      const std::string name = std::string(model.name) + "-" + dtype_word(autocast);
      benchmark::RegisterBenchmark(("steps/" + std::string(model.name) + "/" + dtype_word(autocast)).c_str(),
                                   [=](benchmark::State& state) {
                                     Work work(experiment_of(model, autocast, model.table), model.material());
                                     against_python(state, work, name, kSteps);
                                   })
          ->UseManualTime()
          ->Iterations(kRounds);
    }
  }
  return true;
}();

}  // namespace
