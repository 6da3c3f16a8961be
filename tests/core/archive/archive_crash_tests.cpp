// SPDX-License-Identifier: Apache-2.0
// Processes that are killed, and several that write one archive.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/process_identity.h"
#include "core/archive/reader.h"
#include "core/archive/sqlite.h"
#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

std::int64_t counter_of(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return 0;
  const QByteArray bytes = file.read(8);
  std::int64_t value = 0;
  if (bytes.size() == 8) std::memcpy(&value, bytes.constData(), 8);
  return value;
}

// Steps of an arm, checked to be 1, 2, 3 … with every column as written.
std::int64_t whole_prefix_of(const archive::Reader& reader, std::int64_t trial) {
  std::int64_t count = 0;
  bool right = true;
  reader.steps(trial, [&](const record::StepRecord& step) {
    ++count;
    const record::StepRecord written = awkward_step(trial, count, static_cast<std::size_t>(count));
#define MANTISSA_SAME(name, type, description) right = right && same(step.name, written.name);
    MANTISSA_STEP_COLUMNS(MANTISSA_SAME)
#undef MANTISSA_SAME
    return right;
  });
  return right ? count : -1;
}

// Whether the counts of an interrupted arm are those of the steps it left.
bool counts_match_its_steps(const archive::Reader& reader, const record::TrialRow& trial) {
  record::StepRecord last;
  std::int64_t skipped = 0;
  reader.steps(trial.id, [&](const record::StepRecord& step) {
    last = step;
    skipped += step.skipped ? 1 : 0;
    return true;
  });
  const record::Counts& counts = trial.end.counts;
  return counts.attempted == last.step && counts.applied == last.applied_updates && counts.skipped == skipped &&
         counts.iterations == last.iteration && counts.samples == last.samples &&
         same(trial.end.final_loss, last.loss) && same(trial.end.seconds, last.wall_seconds.value_or(0.0));
}

QString sql_text(const std::string& path, const std::string& sql) {
  archive::Connection connection(path, archive::Connection::Mode::ReadOnly, std::chrono::seconds(30));
  archive::Statement select(connection, sql);
  QString text;
  while (select.step()) text += QString::fromStdString(select.text(0)) + ' ';
  return text.trimmed();
}

}  // namespace

class ArchiveCrashTests : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::unique_ptr<QProcess> start(const std::string& archive, const QString& name, std::int64_t steps, int pause) {
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process->start(QStringLiteral(MANTISSA_ARCHIVE_PROCESS),
                   {"write", QString::fromStdString(archive), name, QString::number(steps), QString::number(pause),
                    counter_path(name)});
    return process;
  }
  QString counter_path(const QString& name) const { return folder_.filePath(name + ".counter"); }

 private Q_SLOTS:
  void a_killed_run_keeps_all_but_its_last_second_and_shows_as_interrupted() {
    const std::string archive = folder_.filePath("killed.db").toStdString();
    QRandomGenerator random(20260203);
    constexpr int kKills = 12;
    for (int kill = 0; kill < kKills; ++kill) {
      const QString name = QStringLiteral("run%1").arg(kill);
      const std::unique_ptr<QProcess> process = start(archive, name, 1000000000, 100);
      QVERIFY(process->waitForStarted());
      QTRY_VERIFY_WITH_TIMEOUT(counter_of(counter_path(name)) > 0, 60000);

      // Every third run lives long enough to have something older than a second.
      const milliseconds life(random.bounded(kill % 3 == 0 ? 1200 : 20, kill % 3 == 0 ? 1800 : 600));
      const Clock::time_point began = Clock::now();
      std::int64_t older_than_a_second = 0;
      std::vector<std::pair<Clock::time_point, std::int64_t>> samples;
      while (Clock::now() - began < life) {
        samples.emplace_back(Clock::now(), counter_of(counter_path(name)));
        std::this_thread::sleep_for(milliseconds(10));
      }
      if (kill == 0) QCOMPARE(archive::Reader(archive).find("last").end.status, record::Status::Running);
      ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
      const Clock::time_point killed = Clock::now();
      QVERIFY(process->waitForFinished());
      const std::int64_t appended = counter_of(counter_path(name));
      for (const auto& [time, count] : samples) {
        if (killed - time > std::chrono::seconds(1)) older_than_a_second = count;
      }

      const archive::Reader reader(archive);
      const std::string of = name.toStdString() + '/';
      for (const char* arm : {"reference", "fp16"}) {
        const record::TrialRow trial = reader.find(of + arm);
        QCOMPARE(trial.end.status, record::Status::Interrupted);
        const std::int64_t kept = whole_prefix_of(reader, trial.id);
        QVERIFY(counts_match_its_steps(reader, trial));
        QVERIFY2(kept >= older_than_a_second, qPrintable(QString("%1 of %2").arg(kept).arg(older_than_a_second)));
        QVERIFY2(kept <= appended + 1, qPrintable(QString("%1 of %2").arg(kept).arg(appended)));
      }
      QCOMPARE(sql_text(archive, "PRAGMA integrity_check"), QStringLiteral("ok"));
      QCOMPARE(sql_text(archive, "PRAGMA foreign_key_check"), QString());
    }
    // The next writer writes down what readers saw, and what earlier runs left is still whole.
    archive::Writer(archive).close();
    QCOMPARE(sql_text(archive, "SELECT count(*) FROM trials WHERE status = 'interrupted'"),
             QString::number(2 * kKills));
    const archive::Reader reader(archive);
    QVERIFY(whole_prefix_of(reader, 1) > 0);
    for (const record::TrialRow& trial : reader.trials()) QVERIFY(counts_match_its_steps(reader, trial));
    QCOMPARE(sql_text(archive, "SELECT sum(attempted) FROM trials"), sql_text(archive, "SELECT count(*) FROM steps"));
  }

  void four_processes_write_one_archive() {
    const std::string archive = folder_.filePath("shared.db").toStdString();
    constexpr std::int64_t kSteps = 4000;
    std::array<std::unique_ptr<QProcess>, 4> processes;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      processes[i] = start(archive, QStringLiteral("shared%1").arg(i), kSteps, 0);  // all create it at once
    }
    for (const auto& process : processes) {
      QVERIFY(process->waitForFinished(120000));
      QCOMPARE(process->exitStatus(), QProcess::NormalExit);
      QCOMPARE(process->exitCode(), 0);
    }
    const archive::Reader reader(archive);
    QCOMPARE(reader.trials().size(), std::size_t{8});
    for (const record::TrialRow& trial : reader.trials()) {
      QCOMPARE(trial.end.status, record::Status::Finished);
      QCOMPARE(whole_prefix_of(reader, trial.id), kSteps);
    }
    QCOMPARE(sql_text(archive, "PRAGMA integrity_check"), QStringLiteral("ok"));
    QCOMPARE(sql_text(archive, "PRAGMA foreign_key_check"), QString());
  }

  void eight_processes_that_create_one_archive_at_the_same_moment_all_succeed() {
    for (int round = 0; round < 10; ++round) {
      const QString archive = folder_.filePath(QStringLiteral("new%1.db").arg(round));
      std::array<QProcess, 8> processes;
      for (QProcess& process : processes) {
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(QStringLiteral(MANTISSA_ARCHIVE_PROCESS), {"create-when-told", archive});
      }
      for (QProcess& process : processes) QVERIFY(process.waitForReadyRead());
      for (QProcess& process : processes) process.write("!");
      for (QProcess& process : processes) process.waitForBytesWritten();
      for (QProcess& process : processes) {
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0);
      }
      QVERIFY(archive::Reader(archive.toStdString()).trials().empty());
    }
  }

  void an_arm_that_was_never_finished_is_interrupted_when_its_writer_closes() {
    const std::string archive = folder_.filePath("unfinished.db").toStdString();
    archive::Writer writer(archive);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    QCOMPARE(archive::Reader(archive).trial(trial).end.status, record::Status::Running);
    // Four steps of two microbatches of 8 samples, the second one skipped.
    for (std::int64_t number = 1; number <= 4; ++number) {
      record::StepRecord step = plain_step(trial, number);
      step.iteration = 2 * number;
      step.samples = 16 * number;
      step.applied_updates = number == 1 ? 1 : number - 1;
      step.skipped = number == 2;
      step.wall_seconds = 0.5 * static_cast<double>(number);
      writer.append(step);
    }
    writer.close();
    const record::TrialEnd end = archive::Reader(archive).trial(trial).end;
    QCOMPARE(end.status, record::Status::Interrupted);
    QCOMPARE(end.counts.attempted, std::int64_t{4});
    QCOMPARE(end.counts.applied, std::int64_t{3});
    QCOMPARE(end.counts.skipped, std::int64_t{1});
    QCOMPARE(end.counts.iterations, std::int64_t{8});
    QCOMPARE(end.counts.samples, std::int64_t{64});
    QCOMPARE(end.final_loss.value(), 0.25);  // plain_step: 1/step
    QCOMPARE(end.seconds, 2.0);
    QVERIFY(!end.quality.has_value());
  }

  void a_process_is_told_from_another_with_its_number() {
    const archive::UtcTime now = archive::utc_now();
    const std::string long_ago = archive::utc_text(now - std::chrono::hours(1));
    archive::ProcessIdentity who = archive::this_process();
    QVERIFY(archive::still_runs(who, long_ago, now));  // this very process, however old its heartbeat
    who.started += '0';                                // the same number, another start
    QVERIFY(!archive::still_runs(who, archive::utc_text(now), now));
  }

  void a_run_on_another_host_lives_while_its_heartbeat_is_younger_than_thirty_seconds() {
    const archive::UtcTime now = archive::utc_now();
    archive::ProcessIdentity who = archive::this_process();
    who.host = "another-host";
    QVERIFY(archive::still_runs(who, archive::utc_text(now - std::chrono::seconds(29)), now));
    QVERIFY(!archive::still_runs(who, archive::utc_text(now - std::chrono::seconds(31)), now));
    QVERIFY(archive::still_runs(who, archive::utc_text(now + std::chrono::minutes(4)), now));  // its clock is ahead
    QVERIFY(!archive::still_runs(who, archive::utc_text(now + std::chrono::minutes(6)), now));
    QVERIFY(!archive::still_runs(who, archive::utc_text(now + std::chrono::hours(24 * 365)), now));
    who.host = archive::this_process().host;
    who.started = "another-boot/pid:[1]/77";
    QVERIFY(archive::still_runs(who, archive::utc_text(now - std::chrono::seconds(29)), now));
    QVERIFY(!archive::still_runs(who, archive::utc_text(now - std::chrono::seconds(31)), now));
  }
};

QTEST_GUILESS_MAIN(ArchiveCrashTests)
#include "archive_crash_tests.moc"
