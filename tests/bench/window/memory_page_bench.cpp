// SPDX-License-Identifier: Apache-2.0
// The Memory page while a slider is dragged: what the window's thread does from the notch to the picture.
#include <QtCore/qtestsupport_core.h>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QSlider>
#include <QTemporaryDir>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/window/bench_table.h"
#include "tests/ui/memory/traced_steps.h"
#include "tests/ui/worker/stub_engine.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/memory_page.h"
#include "ui/shell/action_list.h"
#include "ui/worker/training_controller.h"

namespace mantissa::bench {
namespace {

using ui::memory::MemoryPage;

/// What the thread that asks has worked, in ms.
double threadMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void addLine(const Table& table, const std::string& figure, std::vector<double> milliseconds,
             std::optional<double> most) {
  std::sort(milliseconds.begin(), milliseconds.end());
  const double median = milliseconds[milliseconds.size() / 2];
  const double late = milliseconds[milliseconds.size() * 95 / 100];
  for (const auto& [name, value] : {std::pair{"median", median}, std::pair{"95 %", late}}) {
    if (most) {
      table.add(figure + ", " + name, "%.1f ms", value, *most);
    } else {
      table.add(figure + ", " + name, "%.1f ms", value);
    }
  }
}

/// The window's thread works when a notch comes, when what was shown is told to be old, and when the ledger is there
/// and is painted: the longest of these stretches is what keeps it from the next notch. How long the ledger takes on
/// its own thread is seen in the second figure.
void drag(const Table& table, const std::string& what, MemoryPage& page, int frames, bool isLimited) {
  QSlider* const slider = page.controls()->microbatchSlider();
  slider->setSliderDown(true);
  std::vector<double> window;
  std::vector<double> whole;
  for (int i = 0; i < frames; ++i) {
    QElapsedTimer timer;
    timer.start();
    double begin = threadMilliseconds();
    slider->setSliderPosition(1 + i % slider->maximum());
    double longest = 0;
    while (page.isOld()) {
      longest = std::max(longest, threadMilliseconds() - begin);
      begin = threadMilliseconds();
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    page.results()->redraw();
    page.grab();  // all of it is painted, whatever the platform would leave out
    window.push_back(std::max(longest, threadMilliseconds() - begin));
    whole.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    QCoreApplication::processEvents();
  }
  slider->setSliderDown(false);
  addLine(table, "memory page, a notch of a slider, " + what + ", its longest stretch", window, 16);
  addLine(table, "memory page, a notch of a slider, " + what + ", until its picture", whole,
          isLimited ? std::optional<double>(16) : std::nullopt);
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
    ui::worker::TrainingController controller(test::stub(
        {}, {},
        [events](const spec::Experiment& experiment, const session::StopToken&, const ui::worker::TraceTeller&) {
          return test::tracedOf(experiment, {events, 512, 0});
        }));
    MemoryPage page;
    ui::shell::ActionList actions;
    page.useActions(actions);
    page.useController(&controller);
    page.openExperiment(path);
    page.resize(1320, 900);
    page.show();
    page.controls()->sourceBox()->setCurrentIndex(1);
    actions.find(QStringLiteral("memory_solve"))->trigger();
    if (!QTest::qWaitFor([&] { return page.traced() != nullptr && page.shown().why.isEmpty(); }, 300'000)) {
      std::printf("the trace of %lld events did not come\n", static_cast<long long>(events));
      return;
    }
    drag(table, std::to_string(events) + " events", page, events > 100'000 ? 20 : sizes.frames, events <= 10'000);
  }
}

}  // namespace mantissa::bench
