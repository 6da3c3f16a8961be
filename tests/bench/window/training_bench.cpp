// SPDX-License-Identifier: Apache-2.0
// What an open, visible window takes from the training: the same run with the window and without, by turns.
#include <algorithm>
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

/// The same run on a thread like the window's engine thread; nothing of the window's does anything meanwhile.
double secondsWithout(ui::worker::EngineThread& engine, const std::string& text, const std::string& archive) {
  ui::worker::Job job;
  ui::worker::Job::Run work;
  work.experiment = spec::parse_experiment(text, "bench.toml");
  work.options.archive = archive;
  job.work = std::move(work);
  std::promise<double> seconds;
  ui::worker::EngineTask task;
  task.work = [&](ui::worker::Engine& worker) {
    Deaf observer;
    session::RunControl control;
    seconds.set_value(worker.run(job, observer, control).reference.end.seconds);
    return [] {};
  };
  task.failed = [](const ui::worker::JobFailure& failure) { qFatal("%s", qPrintable(failure.sentence)); };
  engine.start(std::move(task));
  return seconds.get_future().get();
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

void benchTraining(const Table& table, const Sizes& sizes) {
  const int cores = static_cast<int>(std::max(2U, std::thread::hardware_concurrency()));
  for (const int threads : {cores - 1, cores}) {
    BenchWindow bench(realEngine());
    ui::worker::EngineThread engine(realEngine());
    const std::string text = experimentWith(threads, sizes.trainingSteps);
    const std::string other = bench.path("other.db").toStdString();
    secondsWithout(engine, text, other);
    secondsWith(bench, text);
    std::vector<double> slowdowns;
    for (int i = 0; i < sizes.pairs; ++i) {
      double with = 0;
      double without = 0;
      if (i % 2 == 0) without = secondsWithout(engine, text, other);
      with = secondsWith(bench, text);
      if (i % 2 == 1) without = secondsWithout(engine, text, other);
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
