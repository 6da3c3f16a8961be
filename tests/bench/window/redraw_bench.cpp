// SPDX-License-Identifier: Apache-2.0
// One more step of each arm, with a person at the window: what the window's thread does until it is on the screen.
#include <QCursor>
#include <QMouseEvent>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/bench/window/bench_table.h"
#include "tests/bench/window/bench_window.h"
#include "tests/ui/worker/stub_engine.h"
#include "ui/plot/plot_view.h"
#include "ui/run/run_charts.h"

namespace mantissa::bench {
namespace {

constexpr long kAtOnce = 20'000;  // records: less than what the feed keeps for a late window

record::StepRecord stepOf(std::int64_t arm, long number) {
  record::StepRecord step;
  step.trial = arm;
  step.step = step.iteration = step.applied_updates = number;
  step.samples = 64 * number;
  step.wall_seconds = 1e-3 * static_cast<double>(number);
#define MANTISSA_NOISE(name, type, description) setNoise(step.name, number * 31 + arm);
  const auto setNoise = [](auto& value, long seed) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::optional<double>>) {
      value = value ? *value : 1 + 0.5 * std::sin(static_cast<double>(seed * 7919 % 100'003));
    }
  };
  MANTISSA_STEP_COLUMNS(MANTISSA_NOISE)
#undef MANTISSA_NOISE
  return step;
}

}  // namespace

void benchRedraw(const Table& table, const Sizes& sizes) {
  std::atomic<long> wanted{0};
  std::atomic<bool> quit{false};
  BenchWindow bench(
      test::stub([&](const ui::worker::Job& job, session::Observer& observer, session::RunControl& /*control*/) {
        record::RunSummary summary;
        record::TrialRow trial;
        summary.reference.id = 1;
        trial.id = 2;
        summary.reference.experiment_id = trial.experiment_id = 1;
        summary.reference.start.kind = record::TrialKind::Reference;
        summary.reference.start.name = "reference";
        trial.start.reference = 1;
        trial.start.name = "fp16";
        trial.start.policy = "{\"scaler\":{\"enabled\":true}}";
        observer.on_arms({summary.reference, trial});
        observer.on_state(session::RunState::Running);
        long made = 0;
        while (!quit) {
          for (long sent = 0; made < wanted && sent < kAtOnce; ++sent) {
            ++made;
            const record::StepRecord steps[] = {stepOf(1, made), stepOf(2, made)};
            test::feed_of(job).publish(steps, 2);
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(made < wanted ? 100 : 1));
        }
        return summary;
      }));
  bench.window().resize(2200, 1200);  // room for two rows of four charts
  bench.page().charts()->restoreLayout(
      "{\"columns\": 4, \"charts\": [\"loss\", \"scale\", \"deviation\", \"gradient\", \"loss_deviation\", "
      "\"weights\", \"rate\", \"gradient_relative\"]}");
  bench.run(experimentText(sizes.steps));

  for (const long length : {std::min(1000L, sizes.steps), sizes.steps}) {
    wanted = length;
    handleEventsUntil([&] { return bench.page().shownData().steps() == length; });
    std::vector<double> frames;
    std::vector<double> computed;  // without what other programs took of the processor meanwhile
    for (int i = 0; i < sizes.frames; ++i) {
      // A person who points at something: frames come as fast as they can.
      QMouseEvent move(QEvent::MouseMove, QPointF(1, 1), QPointF(1, 1), Qt::NoButton, Qt::NoButton, {});
      QCoreApplication::sendEvent(&bench.window(), &move);
      const double before = BenchApplication::busyMilliseconds();
      const double computedBefore = ui::run::PersonWatch::computed();
      ++wanted;
      handleEventsUntil([&] { return bench.page().shownData().steps() == wanted; });
      for (int k = 0; k < 3; ++k) QCoreApplication::processEvents();  // the paint events that the frame has posted
      frames.push_back(BenchApplication::busyMilliseconds() - before);
      computed.push_back(ui::run::PersonWatch::computed() - computedBefore);
    }
    std::sort(frames.begin(), frames.end());
    std::sort(computed.begin(), computed.end());
    const auto& plots = bench.page().charts()->plots();
    const auto visible =
        std::count_if(plots.begin(), plots.end(), [](const auto* plot) { return !plot->visibleRegion().isEmpty(); });
    if (visible != 8) qFatal("%d charts are visible, expected 8", static_cast<int>(visible));
    table.add(
        "redraw: the whole Run page, " + std::to_string(visible) + " charts, " + std::to_string(length) + " steps",
        "%.1f ms", frames[frames.size() / 2], 25);
    table.add("redraw: processor alone", "%.1f ms", computed[computed.size() / 2]);
  }
  quit = true;
  handleEventsUntil([&] { return !bench.page().isBusy(); });
}

}  // namespace mantissa::bench
