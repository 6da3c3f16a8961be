// SPDX-License-Identifier: Apache-2.0
// The Memory page while a slider is dragged: what the window's thread does from the notch to the picture.
#include <QtCore/qtestsupport_core.h>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QSlider>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/window/bench_table.h"
#include "tests/ui/worker/stub_engine.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/memory_page.h"
#include "ui/shell/action_list.h"
#include "ui/worker/training_controller.h"

namespace mantissa::bench {
namespace {

using ui::memory::MemoryPage;

/// A step that allocates as many blocks in forward as it frees in backward.
record::StepTrace stepOf(std::int64_t microbatch, std::int64_t events) {
  record::StepTrace step;
  step.microbatch = microbatch;
  step.microbatches = 1;
  step.has_update = true;
  step.modules = {"", "layers.0", "layers.1"};
  const std::int64_t blocks = events / 2;
  using Kind = record::MemoryEvent::Kind;
  for (std::int64_t block = 0; block < blocks; ++block) {
    step.blocks.push_back(
        {record::MemoryCategory::SavedActivations, static_cast<std::int32_t>(1 + block * 2 / blocks)});
    step.events.push_back({Kind::Allocate, record::StepPart::Forward, block, (1 + block % 7) * 512 * microbatch});
  }
  for (std::int64_t block = blocks - 1; block >= 0; --block) {
    step.events.push_back({Kind::Free, record::StepPart::Backward, block, 0});
  }
  return step;
}

ui::worker::TracedExperiment tracedOf(const spec::Experiment& experiment, std::int64_t events) {
  ui::worker::TracedExperiment traced;
  traced.experiment = experiment;
  traced.trace.planned = {16, 1};
  for (const char* const arm : {"reference", "fp16"}) {
    const std::vector<record::StepTrace> steps = {stepOf(8, events), stepOf(16, events)};
    traced.forecasts.push_back({arm,
                                std::string(arm) == "fp16" ? "FP16 autocast" : "FP32",
                                memory::AccumulatedForecast(steps),
                                false,
                                {{16, 1, 0.1}}});
  }
  return traced;
}

void drag(const Table& table, const std::string& what, MemoryPage& page, int frames, bool isLimited) {
  QSlider* const slider = page.controls()->microbatchSlider();
  slider->setSliderDown(true);
  std::vector<double> milliseconds;
  for (int i = 0; i < frames; ++i) {
    QElapsedTimer timer;
    timer.start();
    slider->setSliderPosition(1 + i % slider->maximum());
    page.results()->redraw();
    page.grab();  // all of it is painted, whatever the platform would leave out
    milliseconds.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    QCoreApplication::processEvents();
  }
  slider->setSliderDown(false);
  std::sort(milliseconds.begin(), milliseconds.end());
  const double median = milliseconds[milliseconds.size() / 2];
  const double late = milliseconds[milliseconds.size() * 95 / 100];
  if (isLimited) {
    table.add("memory page, a notch of a slider, " + what + ", median", "%.1f ms", median, 16);
    table.add("memory page, a notch of a slider, " + what + ", 95 %", "%.1f ms", late, 16);
  } else {
    table.add("memory page, a notch of a slider, " + what + ", median", "%.1f ms", median);
  }
}

}  // namespace

void benchMemory(const Table& table, const Sizes& sizes) {
  const std::vector<std::int64_t> traces = {1'000, 10'000, sizes.steps};
  {
    MemoryPage page;
    page.resize(1320, 900);
    page.show();
    QTest::qWait(100);
    drag(table, "typed values", page, sizes.frames, true);
  }
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("bench.toml"));
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write("mantissa = 1\nname = \"bench\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n");
  file.close();
  for (const std::int64_t events : traces) {
    ui::worker::TrainingController controller(
        test::stub({}, {},
                   [events](const spec::Experiment& experiment, const session::StopToken&,
                            const ui::worker::TraceTeller&) { return tracedOf(experiment, events); }));
    MemoryPage page;
    ui::shell::ActionList actions;
    page.useActions(actions);
    page.useController(&controller);
    page.openExperiment(path);
    page.resize(1320, 900);
    page.show();
    page.controls()->sourceBox()->setCurrentIndex(1);
    actions.find(QStringLiteral("memory_solve"))->trigger();
    if (!QTest::qWaitFor([&] { return page.traced() != nullptr && page.isSettled(); }, 300'000)) {
      std::printf("the trace of %lld events did not come\n", static_cast<long long>(events));
      return;
    }
    drag(table, std::to_string(events) + " events", page, events > 100'000 ? 5 : sizes.frames, events <= 10'000);
  }
}

}  // namespace mantissa::bench
