// SPDX-License-Identifier: Apache-2.0
// What the memory ledger costs that has to follow a hand on a slider: replaying a trace through the simulated
// allocator.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "core/memory/replay.h"

namespace {

using namespace mantissa;

/// Training steps one after another: forward keeps most of what it takes, backward gives it back in reverse, with
/// short-lived blocks in between, from 512 bytes to 64 MiB.
record::MemoryTrace steps_of_training(std::int64_t events) {
  record::MemoryTrace trace;
  std::mt19937 random(1);
  std::int64_t block = 0;
  const auto allocate = [&] {
    const std::int64_t bytes = std::int64_t{512} << random() % 17;
    trace.push_back(
        {record::MemoryEvent::Kind::Allocate, {}, block, bytes + static_cast<std::int64_t>(random() % 4096)});
    return block++;
  };
  const auto free = [&](std::int64_t which) { trace.push_back({record::MemoryEvent::Kind::Free, {}, which, 0}); };
  while (static_cast<std::int64_t>(trace.size()) < events) {
    std::vector<std::int64_t> kept;
    for (int layer = 0; layer < 100; ++layer) {
      kept.push_back(allocate());
      free(allocate());
    }
    for (; !kept.empty(); kept.pop_back()) {
      const std::int64_t gradient = allocate();
      free(kept.back());
      free(gradient);
    }
  }
  trace.resize(static_cast<std::size_t>(events));
  return trace;
}

void replaying(benchmark::State& state) {
  const record::MemoryTrace trace = steps_of_training(state.range(0));
  memory::AllocatorSettings settings;
  settings.expandable_segments = state.range(1) != 0;
  for (auto iteration : state) {
    (void)iteration;
    benchmark::DoNotOptimize(memory::replay(trace, settings));
  }
}
BENCHMARK(replaying)
    ->Name("memory/replay")
    ->ArgNames({"events", "expandable"})
    ->Args({1'000'000, 0})
    ->Args({1'000'000, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
