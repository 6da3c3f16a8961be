// SPDX-License-Identifier: Apache-2.0
// Writing, reading and exporting step records with every column filled: records a second, bytes a record, memory.
// What must be reached: writing 150,000 records a second, 400 bytes a record, memory flat from 10^4 to 10^6 records.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include <benchmark/benchmark.h>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/report/step_export.h"

namespace {

using namespace mantissa;

// A folder that goes away with its archive.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("mantissa-bench-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const char* name) const { return (path_ / name).string(); }
  std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) sum += entry.file_size();
    return sum;
  }

 private:
  std::filesystem::path path_;
};

template <class Source>
void fill_value(std::optional<double>& value, const Source& source) {
  value = source();
}
template <class Value, class Source>
void fill_value(Value&, const Source&) {}

// Every real column measured, with 52 random-looking bits: SQLite shortens whole numbers.
void fill(record::StepRecord& step, std::int64_t trial, std::int64_t number) {
  std::uint64_t state = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u + 1;
  const auto real = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
#define MANTISSA_FILL(name, type, description) fill_value(step.name, real);
  MANTISSA_STEP_COLUMNS(MANTISSA_FILL)
#undef MANTISSA_FILL
  step.trial = trial;
  step.step = number;
  step.iteration = 4 * number;
  step.applied_updates = number - number / 1000;
  step.samples = 256 * number;
  step.epoch = 1 + number / 100;
  step.growth_tracker = number % 2000;
  step.skipped = number % 1000 == 0;
  step.skip_cause = step.skipped ? record::SkipCause::Overflow : record::SkipCause::None;
  step.overflow_optimizer.reset();
  step.overflow_parameter.clear();
  if (step.skipped) {
    step.overflow_optimizer = 0;
    step.overflow_parameter = "blocks.3.attention.weight";
  }
  step.live_bytes = 123456789;
  step.peak_bytes = 234567890;
}

double resident_mib() {
  long pages = 0, resident = 0;
  std::FILE* const stream = std::fopen("/proc/self/statm", "re");
  if (stream == nullptr) return 0.0;
  const int read = std::fscanf(stream, "%ld %ld", &pages, &resident);
  std::fclose(stream);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20) : 0.0;
}

// Three arms in lock step, as a run with two trials writes them; closed, so that the log is folded in.
double write(const std::string& path, std::int64_t records, double* resident_after_10000 = nullptr) {
  archive::Writer writer(path);
  std::int64_t arms[3] = {};
  const std::int64_t experiment = writer.begin_experiment({});
  for (std::int64_t& arm : arms) {
    record::TrialStart start;
    start.experiment = experiment;
    arm = writer.begin_trial(start);
  }
  record::StepRecord step;
  for (std::int64_t i = 0; i < records; ++i) {
    fill(step, arms[i % 3], 1 + i / 3);
    writer.append(step);
    if (resident_after_10000 != nullptr && i == 10000) *resident_after_10000 = resident_mib();
  }
  writer.close();
  return writer.waited_seconds();
}

void writing(benchmark::State& state) {
  const std::int64_t records = state.range(0);
  double bytes = 0.0, resident_early = 0.0, resident_late = 0.0;
  for (auto _ : state) {
    const Folder folder;
    write(folder.file("archive.db"), records, &resident_early);
    resident_late = resident_mib();
    state.PauseTiming();
    bytes = static_cast<double>(folder.bytes());
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * records);
  state.counters["bytes_per_record"] = bytes / static_cast<double>(records);
  state.counters["MiB_after_10^4"] = resident_early;
  state.counters["MiB_at_end"] = resident_late;
}
BENCHMARK(writing)
    ->Name("archive/writing")
    ->Arg(100000)
    ->Arg(1000000)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void reading(benchmark::State& state) {
  const Folder folder;
  const std::int64_t records = state.range(0);
  write(folder.file("archive.db"), records);
  const archive::Reader reader(folder.file("archive.db"));
  for (auto _ : state) {
    std::int64_t count = 0;
    for (const record::TrialRow& trial : reader.trials()) {
      reader.steps(trial.id, [&count](const record::StepRecord&) { return ++count != 0; });
    }
    if (count != records) state.SkipWithError("records are missing");
  }
  state.SetItemsProcessed(state.iterations() * records);
}
BENCHMARK(reading)
    ->Name("archive/reading")
    ->Arg(100000)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void exporting(benchmark::State& state) {
  const auto format = static_cast<report::TableFormat>(state.range(0));
  record::StepRecord step;
  fill(step, 1, 1);
  std::size_t bytes = 0;
  report::StepExport table(format, [&bytes](std::string_view text) { bytes += text.size(); });
  for (auto _ : state) table.add(step);
  table.finish();
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(format == report::TableFormat::Csv ? "csv" : "json");
}
BENCHMARK(exporting)
    ->Name("archive/exporting")
    ->Arg(static_cast<int>(report::TableFormat::Csv))
    ->Arg(static_cast<int>(report::TableFormat::Json));

}  // namespace
