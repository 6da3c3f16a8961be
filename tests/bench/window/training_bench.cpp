// SPDX-License-Identifier: Apache-2.0
// What an open, visible window takes from the training: the same run with the window and without, by turns. The run
// without has a process of its own: two engine threads in one process keep a pool of threads each, and the idle pool
// spins for a while after each parallel region, which takes from the other.
#include <QFile>
#include <QProcess>

#include <algorithm>
#include <cstdio>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/spec/parse.h"
#include "tests/bench/window/bench_table.h"
#include "tests/bench/window/bench_window.h"
#include "ui/worker/engine_thread.h"
#include "ui/worker/session_engine.h"

namespace mantissa::bench {
namespace {

class Deaf : public session::Observer {
 public:
  void on_note(const std::string& /*sentence*/) override {}
  void on_progress(const session::Progress& /*progress*/) override {}
  void on_phase(const std::string& /*phase*/) override {}
};

ui::worker::EngineFactory realEngine() {
  return [] { return std::make_unique<ui::worker::SessionEngine>(); };
}

std::string experimentWith(int threads, long steps) {
  return "mantissa = 1\nname = \"bench\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\nhidden = [256, 256]\n"
         "[training]\nbatch = 64\nsteps = " +
         std::to_string(steps) + "\nthreads = " + std::to_string(threads) +
         "\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n";
}

/// The same run in a process of its own.
double secondsWithout(const QString& experiment, const QString& archive) {
  QProcess program;
  program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  program.start(QCoreApplication::applicationFilePath(), {QString::fromLatin1(kTrainingAlone), experiment, archive});
  program.waitForFinished(-1);
  bool understood = false;
  const double seconds = program.readAllStandardOutput().trimmed().toDouble(&understood);
  if (!understood || program.exitCode() != 0) qFatal("the run without the window failed");
  return seconds;
}

double secondsWith(BenchWindow& bench, const std::string& text) {
  double seconds = -1;
  const auto connection = QObject::connect(
      bench.page().controller(), &ui::worker::TrainingController::jobFinished,
      [&](ui::worker::JobId, const record::RunSummary& summary) { seconds = summary.reference.end.seconds; });
  bench.run(text);
  handleEventsUntil([&] { return seconds >= 0 && !bench.page().isBusy(); });
  QObject::disconnect(connection);
  return seconds;
}

}  // namespace

int trainAlone(const QString& experiment, const QString& archive) {
  QFile file(experiment);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s cannot be read", qPrintable(experiment));
  ui::worker::Job job;
  ui::worker::Job::Run work;
  work.experiment = spec::parse_experiment(file.readAll().toStdString(), "bench.toml");
  work.options.archive = archive.toStdString();
  job.work = std::move(work);
  std::promise<double> seconds;
  ui::worker::EngineThread engine(realEngine());
  ui::worker::EngineTask task;
  task.work = [&](ui::worker::Engine& worker) {
    Deaf observer;
    session::RunControl control;
    seconds.set_value(worker.run(job, observer, control).reference.end.seconds);
    return [] {};
  };
  task.failed = [](const ui::worker::JobFailure& failure) { qFatal("%s", qPrintable(failure.sentence)); };
  engine.start(std::move(task));
  std::printf("%.9g\n", seconds.get_future().get());
  return 0;
}

void benchTraining(const Table& table, const Sizes& sizes) {
  const int cores = static_cast<int>(std::max(2U, std::thread::hardware_concurrency()));
  for (const int threads : {cores - 1, cores}) {
    BenchWindow bench(realEngine());
    const std::string text = experimentWith(threads, sizes.trainingSteps);
    const QString experiment = bench.path("alone.toml");
    QFile file(experiment);
    if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text)) < 0) {
      qFatal("%s cannot be written", qPrintable(experiment));
    }
    file.close();
    const QString other = bench.path("other.db");
    secondsWithout(experiment, other);
    secondsWith(bench, text);
    std::vector<double> slowdowns;
    for (int i = 0; i < sizes.pairs; ++i) {
      double with = 0;
      double without = 0;
      if (i % 2 == 0) without = secondsWithout(experiment, other);
      with = secondsWith(bench, text);
      if (i % 2 == 1) without = secondsWithout(experiment, other);
      slowdowns.push_back(100 * (with / without - 1));
    }
    std::sort(slowdowns.begin(), slowdowns.end());
    const std::string name = std::to_string(threads) + " of " + std::to_string(cores) + " threads";
    table.add("training slowed by the window, " + name, "%.1f %%", slowdowns[slowdowns.size() / 2],
              threads < cores ? 3 : 6);
    table.add("training: half of the pairs lie above", "%.1f %%", slowdowns[slowdowns.size() / 4]);
    table.add("training: and below", "%.1f %%", slowdowns[slowdowns.size() - 1 - slowdowns.size() / 4]);
  }
}

}  // namespace mantissa::bench
