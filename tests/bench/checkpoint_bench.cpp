// SPDX-License-Identifier: Apache-2.0
// A checkpoint of 100 MB: how long it holds up the step, against copying the same bytes; how long the writer then needs
// for it in the background, and what it takes from the steps meanwhile.
// What must be reached: the hold is at most 1.2 times the copy.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>

#include "core/archive/writer.h"
#include "core/record/checkpoint.h"
#include "core/train/tensor_bytes.h"

namespace {

using namespace mantissa;
using Clock = std::chrono::steady_clock;

constexpr int kTensors = 25;
constexpr std::int64_t kElements = 1'000'000;  // FP32: 4 MB each, 100 MB in all

std::vector<at::Tensor> tensors() {
  std::vector<at::Tensor> list;
  for (int i = 0; i < kTensors; ++i) list.push_back(at::randn({kElements}));
  return list;
}

record::ArmState state_of(const std::vector<at::Tensor>& list) {
  record::ArmState state;
  for (std::size_t i = 0; i < list.size(); ++i) {
    state.tensors.push_back(train::to_bytes("model." + std::to_string(i), list[i]));
  }
  return state;
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// One arm of 100 MB, copied and handed over; the writer is idle before each.
void holding(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / ("mantissa-checkpoint-" + std::to_string(::getpid()));
  std::filesystem::create_directories(path);
  {
    archive::Writer writer((path / "archive.db").string());
    const std::int64_t experiment = writer.begin_experiment({});
    record::TrialStart start;
    start.experiment = experiment;
    const std::int64_t arm = writer.begin_trial(start);
    std::vector<at::Tensor> weights = tensors();
    double copy_seconds = 0.0, hold_seconds = 0.0, write_seconds = 0.0;
    std::int64_t step = 0;
    for (auto _ : state) {
      state.PauseTiming();
      for (at::Tensor& weight : weights) weight.add_(1.0);  // otherwise equal pieces are stored once
      Clock::time_point begin = Clock::now();
      std::vector<std::string> copies;
      copies.reserve(weights.size());
      for (const at::Tensor& weight : weights) {
        copies.emplace_back(static_cast<const char*>(weight.const_data_ptr()), weight.nbytes());
      }
      benchmark::DoNotOptimize(copies.data());
      copy_seconds += seconds_since(begin);
      copies.clear();
      state.ResumeTiming();

      begin = Clock::now();
      record::CheckpointSet set{++step, 1, {}};
      set.arms.push_back({arm, state_of(weights)});
      writer.write_checkpoint(std::move(set));
      hold_seconds += seconds_since(begin);

      state.PauseTiming();
      begin = Clock::now();
      writer.flush();
      write_seconds += seconds_since(begin);
      state.ResumeTiming();
    }
    const auto rounds = static_cast<double>(state.iterations());
    state.counters["copy_ms"] = 1e3 * copy_seconds / rounds;
    state.counters["hold_ms"] = 1e3 * hold_seconds / rounds;
    state.counters["hold_per_copy"] = hold_seconds / copy_seconds;
    state.counters["write_ms"] = 1e3 * write_seconds / rounds;
  }
  std::filesystem::remove_all(path);
}
BENCHMARK(holding)->Name("checkpoint/100MB")->Iterations(10)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
