// SPDX-License-Identifier: Apache-2.0
// What an operator costs more while it is watched, interleaved in one run: every round calls the same operators
// without and with a scope whose observer does nothing. `ratio` is the median over the rounds of watched over bare;
// `added_ns` the median of what one operator takes longer.
#include <chrono>
#include <optional>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <benchmark/benchmark.h>

#include "core/precision/operator_interceptor.h"
#include "tests/bench/training_work.h"

namespace {

using namespace mantissa;
using namespace mantissa::precision;

constexpr int kRounds = 21;

/// Calls of one operator in a row, in seconds.
double seconds_of(const at::Tensor& x, int calls, bool watched) {
  OperatorObserver passive;
  std::optional<OperatorInterceptor> scope;
  if (watched) scope.emplace(passive);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) benchmark::DoNotOptimize(at::mm(x, x));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void passive_observer(benchmark::State& state) {
  at::set_num_threads(1);
  const at::NoGradGuard no_grad;
  const auto side = state.range(0);
  const int calls = static_cast<int>(state.range(1));
  const at::Tensor x = at::ones({side, side});
  seconds_of(x, calls, true);
  std::vector<double> ratios;
  std::vector<double> added;
  for (auto iteration : state) {
    (void)iteration;
    const double bare = seconds_of(x, calls, false);
    const double watched = seconds_of(x, calls, true);
    ratios.push_back(watched / bare);
    added.push_back((watched - bare) / calls * 1e9);
    state.SetIterationTime(watched);
  }
  state.counters["ratio"] = bench::quantile(ratios, 0.5);
  state.counters["added_ns"] = bench::quantile(added, 0.5);
}
BENCHMARK(passive_observer)
    ->Name("interceptor/passive/mm")
    ->ArgNames({"side", "calls"})
    ->Args({1, 20000})
    ->Args({128, 1000})
    ->UseManualTime()
    ->Iterations(kRounds);

}  // namespace
