// SPDX-License-Identifier: Apache-2.0
// From the start of the real program to its first painted window, and to the archive in it.
#include <QDateTime>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QThread>

#include <algorithm>
#include <optional>

#include "core/archive/writer.h"
#include "tests/bench/window/bench_table.h"
#include "tests/bench/window/bench_window.h"

namespace mantissa::bench {
namespace {

void makeArchive(const QString& path, int trials) {
  archive::Writer writer(path.toStdString());
  constexpr int kArms = 4;
  for (int made = 0; made < trials; made += kArms) {
    record::ExperimentStart experiment;
    experiment.name = "experiment " + std::to_string(made / kArms);
    record::TrialStart start;
    start.experiment = writer.begin_experiment(experiment);
    for (int arm = 0; arm < kArms; ++arm) {
      start.kind = arm == 0 ? record::TrialKind::Reference : record::TrialKind::Trial;
      start.name = arm == 0 ? "reference" : "trial " + std::to_string(arm);
      const std::int64_t id = writer.begin_trial(start);
      if (arm == 0) start.reference = id;
      record::StepRecord step;
      step.trial = id;
      for (step.step = 1; step.step <= 20; ++step.step) {
        step.loss = 1.0 / static_cast<double>(step.step);
        writer.append(step);
      }
      record::TrialEnd end;
      end.counts.attempted = end.counts.applied = 20;
      end.optimizers = {{"adamw", 20, 0, 1e-3, "applied-update"}};
      end.notes = {"a note about this trial"};
      if (arm > 0) {
        record::Verdict verdict;
        verdict.word = record::VerdictWord::Accepted;
        end.verdict = verdict;
      }
      writer.finish_trial(id, end);
    }
  }
  writer.close();
}

/// When a line of the log with these words was written: ms since the epoch.
std::optional<qint64> timeOf(const QString& log, const QString& words) {
  QFile file(log);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
    if (!line.contains(words)) continue;
    return QDateTime::fromString(line.section(QLatin1Char(' '), 0, 0), Qt::ISODateWithMs).toMSecsSinceEpoch();
  }
  return std::nullopt;
}

}  // namespace

void benchStart(const Table& table, const Sizes& sizes) {
  QTemporaryDir folder;
  const QString archive = folder.filePath(QStringLiteral("archive.db"));
  makeArchive(archive, sizes.trials);
  std::vector<double> paints;
  std::vector<double> archives;
  for (int i = 0; i < sizes.starts + 1; ++i) {
    const QString state = folder.filePath(QString::number(i));
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    for (const char* const name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}) {
      environment.insert(QString::fromLatin1(name), state);
    }
    program.setProcessEnvironment(environment);
    const qint64 begin = QDateTime::currentMSecsSinceEpoch();
    program.start(QStringLiteral(MANTISSA_WORKBENCH), {QStringLiteral("--archive"), archive});
    const QString log = state + QStringLiteral("/mantissa/mantissa.log");
    std::optional<qint64> painted;
    std::optional<qint64> shown;
    while ((!painted || !shown) && QDateTime::currentMSecsSinceEpoch() < begin + 20'000) {
      QThread::msleep(20);
      painted = timeOf(log, QStringLiteral("the window is painted"));
      shown = timeOf(log, QStringLiteral("the archive is shown"));
    }
    program.terminate();
    program.waitForFinished();
    if (!painted || !shown) qFatal("the workbench did not say that it was painted: %s", qPrintable(log));
    if (i == 0) continue;  // warms the cache of the disk
    paints.push_back(static_cast<double>(*painted - begin));
    archives.push_back(static_cast<double>(*shown - begin));
  }
  std::sort(paints.begin(), paints.end());
  std::sort(archives.begin(), archives.end());
  const std::string count = std::to_string(sizes.trials);
  table.add("start: to the first paint, archive of " + count + " trials", "%.0f ms", paints[paints.size() / 2], 700);
  table.add("start: the slowest of " + std::to_string(sizes.starts), "%.0f ms", paints.back());
  table.add("start: to its tree and its newest experiment", "%.0f ms", archives[archives.size() / 2]);
}

}  // namespace mantissa::bench
