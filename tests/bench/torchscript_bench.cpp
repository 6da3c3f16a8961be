// SPDX-License-Identifier: Apache-2.0
// Steps a second of a TorchScript file against its native twin, the built-in model of the same architecture, both with
// probes off and interleaved in one run. The files are scripted by the official Python package from the oracle's
// models. `ratio` is the native model's time over the file's; the counters are those of training_work.h.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "tests/bench/python_process.h"
#include "tests/bench/training_work.h"

namespace {

using namespace mantissa;
using namespace mantissa::bench;

void against_native(benchmark::State& state, const LargerModel& model, const std::string& autocast) {
  constexpr int kSteps = 4;
  static tests::PythonProcess python;
  if (!python.ready()) {
    state.SkipWithError(python.problem().c_str());
    return;
  }
  const std::string path = "/tmp/mantissa_bench_" + std::to_string(::getpid()) + ".pt";
  python.script(model.name, path);
  const std::string file_table = "[model]\nkind = \"torchscript\"\npath = \"" + path + "\"\n";
  Work script(experiment_of(model, autocast, file_table), model.material());
  std::remove(path.c_str());
  Work native(experiment_of(model, autocast, model.table), model.material());
  script.seconds_of(kSteps);
  native.seconds_of(kSteps);
  std::vector<double> ratios;
  for (auto iteration : state) {
    (void)iteration;
    const double of_script = script.seconds_of(kSteps);
    ratios.push_back(native.seconds_of(kSteps) / of_script);
    state.SetIterationTime(of_script);
  }
  report(state, std::move(ratios));
}

const bool registered = [] {
  for (const LargerModel& model : larger_models()) {
    for (const std::string autocast : {"off", "bfloat16"}) {
      benchmark::RegisterBenchmark(("torchscript/" + std::string(model.name) + "/" + dtype_word(autocast)).c_str(),
                                   [=](benchmark::State& state) { against_native(state, model, autocast); })
          ->UseManualTime()
          ->Iterations(kRounds);
    }
  }
  return true;
}();

}  // namespace
