// SPDX-License-Identifier: Apache-2.0
// What the workbench costs, as a table: mantissa_window_bench [--small] [feed] [redraw] [start] [training] [memory].
// Run it by hand on a quiet machine; the test only sees that the table comes out.
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "tests/bench/window/bench_table.h"
#include "tests/bench/window/bench_window.h"

int main(int argc, char** argv) {
  using namespace mantissa::bench;
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  BenchApplication application(argc, argv);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("bench"));
  QStringList parts = QCoreApplication::arguments().mid(1);
  if (parts.size() == 3 && parts[0] == QLatin1String(kTrainingAlone)) return trainAlone(parts[1], parts[2]);
  Sizes sizes;
  if (parts.removeAll(QStringLiteral("--small")) > 0) {
    sizes.steps = 20'000;
    sizes.frames = 3;
    sizes.trials = 8;
    sizes.starts = 1;
    sizes.pairs = 1;
    sizes.trainingSteps = 20;
  }
  const QStringList all = {QStringLiteral("feed"), QStringLiteral("redraw"), QStringLiteral("start"),
                           QStringLiteral("training"), QStringLiteral("memory")};
  for (const QString& part : parts) {
    if (all.contains(part)) continue;
    std::fprintf(stderr, "found '%s', expected --small, feed, redraw, start, training or memory\n", qPrintable(part));
    return 3;
  }
  if (parts.isEmpty()) parts = all;

  double load[1] = {0};
  getloadavg(load, 1);
  const Table table;
  table.add("load of the machine before", "%.1f", load[0]);
  if (parts.contains(all[0])) benchFeed(table, sizes);
  if (parts.contains(all[1])) benchRedraw(table, sizes);
  if (parts.contains(all[2])) benchStart(table, sizes);
  if (parts.contains(all[3])) benchTraining(table, sizes);
  if (parts.contains(all[4])) benchMemory(table, sizes);
  return 0;
}
