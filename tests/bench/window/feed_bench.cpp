// SPDX-License-Identifier: Apache-2.0
// A run as fast as runs get, into the archive and into the window that shows it: does the window's thread answer, and
// is every record where it belongs?
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "tests/bench/window/bench_table.h"
#include "tests/bench/window/bench_window.h"
#include "tests/ui/worker/stub_engine.h"

namespace mantissa::bench {
namespace {

constexpr int kArms = 3;  // with four measured quantities each: 12 series

record::TrialRow beginArm(archive::Writer& writer, std::int64_t experiment, std::int64_t reference, const char* name) {
  record::TrialRow arm;
  arm.experiment_id = arm.start.experiment = experiment;
  arm.start.reference = reference;
  arm.start.kind = reference == 0 ? record::TrialKind::Reference : record::TrialKind::Trial;
  arm.start.name = name;
  arm.start.policy = "{\"scaler\":{\"enabled\":true}}";
  arm.id = writer.begin_trial(arm.start);
  return arm;
}

record::StepRecord stepOf(std::int64_t arm, int place, long number, double seconds) {
  record::StepRecord step;
  step.trial = arm;
  step.step = step.iteration = number;
  step.samples = 64 * number;
  step.applied_updates = number - number / 2001;
  step.wall_seconds = seconds;
  const double noise = 0.1 * static_cast<double>((number * 7919 + place * 104729) % 1000) / 1000;
  step.loss = 2 * std::exp(-1e-5 * static_cast<double>(number)) + noise;
  step.grad_norm = 1 + noise;
  step.scale_before = std::exp2(static_cast<double>(16 + number / 2001 % 4));
  step.deviation_output_rmse = 1e-3 * (1 + noise);
  if (number % 2001 == 0) {
    step.skipped = true;
    step.skip_cause = record::SkipCause::GrowthProbe;
    step.overflow_parameter = "layers.0.weight";
  }
  return step;
}

/// Steps of three arms at the rate that is asked for, through the writer of real runs.
record::RunSummary fastRun(const Sizes& sizes, const ui::worker::Job& job, session::Observer& observer,
                           session::RunControl& control) {
  const auto& options = std::get<ui::worker::Job::Run>(job.work).options;
  archive::WriterOptions writerOptions;
  writerOptions.feed = options.feed;
  archive::Writer writer(options.archive, writerOptions);
  record::ExperimentStart experiment;
  experiment.name = "bench";
  const std::int64_t id = writer.begin_experiment(experiment);
  record::RunSummary summary;
  summary.reference = beginArm(writer, id, 0, "reference");
  std::vector<record::TrialRow> arms = {summary.reference, beginArm(writer, id, summary.reference.id, "bf16"),
                                        beginArm(writer, id, summary.reference.id, "fp16")};
  observer.on_arms(arms);
  test::StubControlPoint point(observer, control);
  session::Progress progress;
  progress.steps = sizes.steps;
  const auto begin = std::chrono::steady_clock::now();
  while (progress.step < sizes.steps && point.before_step(progress)) {
    ++progress.step;
    const double seconds = static_cast<double>(progress.step) / static_cast<double>(sizes.stepsPerSecond);
    for (std::size_t i = 0; i < arms.size(); ++i) {
      writer.append(stepOf(arms[i].id, static_cast<int>(i), progress.step, seconds));
    }
    if (progress.step % (sizes.stepsPerSecond / 100) != 0) continue;
    observer.on_progress(progress);
    std::this_thread::sleep_until(begin + std::chrono::duration<double>(seconds));
  }
  for (const record::TrialRow& arm : arms) writer.finish_trial(arm.id, {});
  writer.close();
  return summary;
}

double at(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

void benchFeed(const Table& table, const Sizes& sizes) {
  BenchWindow bench(
      test::stub([&sizes](const ui::worker::Job& job, session::Observer& observer, session::RunControl& control) {
        return fastRun(sizes, job, observer, control);
      }));
  const double before = residentMegabytes();
  const double busyBefore = BenchApplication::busyMilliseconds();
  bool ended = false;
  QObject::connect(&bench.page(), &ui::shell::Page::workEnded, [&ended] { ended = true; });
  bench.run(experimentText(sizes.steps));
  const auto begin = std::chrono::steady_clock::now();
  BenchApplication::takeLongest();
  Watchdog watchdog;
  handleEventsUntil([&] { return ended && bench.page().shownData().steps() == sizes.steps; });
  const std::vector<double> answers = watchdog.answers();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  std::int64_t records = 0;
  archive::Reader reader(bench.archive());
  for (const record::TrialRow& arm : reader.trials()) {
    reader.steps(arm.id, [&records](const record::StepRecord&) { return ++records != 0; });
  }
  table.add("feed: steps a second, of three arms with four series each", "%.0f",
            static_cast<double>(sizes.steps) / seconds);
  table.add("feed: longest answer of the window's thread", "%.1f ms", answers.back(), 50);
  table.add("feed: 99 % of the answers", "%.1f ms", at(answers, 0.99), 16);
  const BenchApplication::Longest longest = BenchApplication::takeLongest();
  table.add("feed: longest event, processor alone (" + longest.event.toStdString() + ")", "%.1f ms",
            longest.milliseconds);
  table.add("feed: half of the answers", "%.2f ms", at(answers, 0.5));
  table.add("feed: growth of memory", "%.0f MB", residentMegabytes() - before, 250);
  table.add("feed: records that the archive lacks", "%.0f", static_cast<double>(kArms * sizes.steps - records), 0);
  table.add("feed: records that were not drawn", "%.0f", static_cast<double>(bench.page().shownData().missed()), 0);
  table.add("feed: the window's thread is busy", "%.1f %%",
            (BenchApplication::busyMilliseconds() - busyBefore) / (10 * seconds));
}

}  // namespace mantissa::bench
