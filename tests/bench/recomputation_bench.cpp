// SPDX-License-Identifier: Apache-2.0
// What activation checkpointing saves and costs: a model that keeps its activations against one that computes those of
// its blocks again in backward, steps interleaved in one run. `ratio` is the time of a step with it over that without;
// `peak_ratio` the same of the most live bytes of a step (weights, gradients and optimizer state included), of which
// the other two counters are the sizes.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include <benchmark/benchmark.h>

#include "core/observe/memory_recorder.h"
#include "core/spec/parse.h"
#include "tests/bench/training_work.h"

namespace {

using namespace mantissa;
using namespace mantissa::bench;

constexpr char kDeepMlp[] = R"([model]
kind = "mlp"
hidden = [256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256]
activation = "gelu"
)";

Material vectors() {
  constexpr std::int64_t kRows = 2048;
  constexpr std::int64_t kClasses = 10;
  return {{at::randn({kRows, 64}), at::randint(kClasses, {kRows}, at::kLong), {}, {}, {}, {}}, kClasses};
}

spec::Experiment with_blocks(spec::Experiment experiment) {
  experiment.training.activation_checkpointing = spec::ActivationCheckpointing::Blocks;
  return experiment;
}

/// Of one step that is not the first.
std::int64_t peak_of(const spec::Experiment& experiment, const Material& material) {
  observe::MemoryRecorder recorder;  // before all that it is to count
  Work work(experiment, material);
  work.seconds_of(2);
  recorder.reset_peak();
  work.seconds_of(1);
  return recorder.peak();
}

void compare(benchmark::State& state, const spec::Experiment& experiment, const Material& material) {
  constexpr int kSteps = 2;
  const spec::Experiment again = with_blocks(experiment);
  const auto peak = static_cast<double>(peak_of(experiment, material));
  const auto peak_again = static_cast<double>(peak_of(again, material));
  Work keeps(experiment, material);
  Work recomputes(again, material);
  keeps.seconds_of(kSteps);
  recomputes.seconds_of(kSteps);
  std::vector<double> ratios;
  for (auto iteration : state) {
    (void)iteration;
    const double seconds = keeps.seconds_of(kSteps);
    const double seconds_again = recomputes.seconds_of(kSteps);
    ratios.push_back(seconds_again / seconds);
    state.SetIterationTime(seconds_again);
  }
  report(state, std::move(ratios));
  state.counters["peak_bytes"] = peak;
  state.counters["peak_bytes_again"] = peak_again;
  state.counters["peak_ratio"] = peak_again / peak;
}

const bool registered = [] {
  std::vector<LargerModel> models = larger_models();
  models.pop_back();  // the LSTM, which has no blocks
  models.push_back({"deep-mlp", kDeepMlp, 1024, vectors});
  for (const LargerModel& model : models) {
    for (const std::string autocast : {"off", "bfloat16"}) {
      benchmark::RegisterBenchmark(("recomputation/" + std::string(model.name) + "/" + dtype_word(autocast)).c_str(),
                                   [=](benchmark::State& state) {
                                     compare(state, experiment_of(model, autocast, model.table), model.material());
                                   })
          ->UseManualTime()
          ->Iterations(kRounds);
    }
  }
  return true;
}();

}  // namespace
