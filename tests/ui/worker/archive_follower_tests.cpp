// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that others write, followed through the archive alone. Also built and run under ThreadSanitizer.
#include <map>
#include <memory>
#include <vector>

#include <sqlite3.h>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"
#include "tests/ui/worker/soon.h"
#include "ui/worker/archive_follower.h"

using namespace mantissa;
using namespace mantissa::test;
using namespace mantissa::ui::worker;

namespace {

/// An archive in which a reference and a trial run.
struct Run {
  explicit Run(const QString& archive) : path(archive), writer(std::make_unique<archive::Writer>(path.toStdString())) {
    experiment = writer->begin_experiment(sample_experiment());
    reference = writer->begin_trial(sample_trial(experiment, "reference"));
    trial = writer->begin_trial(sample_trial(experiment, "fp16", reference));
  }

  void write(std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) {
      writer->append(plain_step(reference, step));
      writer->append(plain_step(trial, step));
    }
    writer->flush();
  }

  void finish() {
    for (const std::int64_t arm : {reference, trial}) writer->finish_trial(arm, record::TrialEnd());
  }

  QString path;
  std::unique_ptr<archive::Writer> writer;
  std::int64_t experiment = 0, reference = 0, trial = 0;
};

/// What a window knows of the arms that it follows.
class Window {
 public:
  explicit Window(ArchiveFollower& follower) : m_follower(follower) {}

  /// The steps of an arm so far; a step that is not above the last begins anew from there.
  const std::vector<std::int64_t>& steps(std::int64_t arm) {
    for (const StepBatch& batch : m_follower.takeSteps()) {
      for (const archive::StepChunk& chunk : batch.chunks) {
        for (const record::StepRecord& step : *chunk) add(step);
      }
    }
    return m_steps[arm];
  }

  int repeated() const { return m_repeated; }

 private:
  void add(const record::StepRecord& step) {
    std::vector<std::int64_t>& steps = m_steps[step.trial];
    while (!steps.empty() && steps.back() >= step.step) {
      steps.pop_back();
      ++m_repeated;
    }
    steps.push_back(step.step);
  }

  ArchiveFollower& m_follower;
  std::map<std::int64_t, std::vector<std::int64_t>> m_steps;
  int m_repeated = 0;
};

std::vector<std::int64_t> upTo(std::int64_t last) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 1; number <= last; ++number) numbers.push_back(number);
  return numbers;
}

std::vector<std::int64_t> idsOf(const QSignalSpy& arms) {
  std::vector<std::int64_t> ids;
  for (const QList<QVariant>& arguments : arms) {
    for (const record::TrialRow& arm : arguments[0].value<std::vector<record::TrialRow>>()) ids.push_back(arm.id);
  }
  return ids;
}

}  // namespace

class ArchiveFollowerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void history_comes_first_and_then_what_is_written() {
    Run run(path());
    run.write(1, 5000);
    ArchiveFollower follower(path());
    const QSignalSpy found(&follower, &ArchiveFollower::experimentFound), arms(&follower, &ArchiveFollower::armsFound);
    Window window(follower);
    SOON_COMPARE(window.steps(run.trial).size(), std::size_t{5000});
    QCOMPARE(found.size(), 1);
    QCOMPARE(found[0][0].toLongLong(), run.experiment);
    QCOMPARE(idsOf(arms), (std::vector<std::int64_t>{run.reference, run.trial}));
    run.write(5001, 5010);
    SOON_COMPARE(window.steps(run.trial), upTo(5010));
    SOON_COMPARE(window.steps(run.reference), upTo(5010));
    QCOMPARE(window.repeated(), 0);
  }

  void records_are_the_archives_own() {
    Run run(path());
    const record::StepRecord written = awkward_step(run.trial, 1, 3);
    run.writer->append(written);
    run.writer->flush();
    ArchiveFollower follower(path());
    std::vector<StepBatch> batches;
    SOON_VERIFY(!batches.empty() || !(batches = follower.takeSteps()).empty());
    const record::StepRecord& step = batches.at(0).chunks.at(0)->at(0);
    QCOMPARE(step.trial, run.trial);
#define MANTISSA_COMPARE(name, type, description) QVERIFY2(same(step.name, written.name), #name);
    MANTISSA_STEP_COLUMNS(MANTISSA_COMPARE)
#undef MANTISSA_COMPARE
    QVERIFY(same(step.optimizers, written.optimizers));
  }

  void arms_that_begin_later_are_noticed() {
    Run run(path());
    ArchiveFollower follower(path());
    const QSignalSpy arms(&follower, &ArchiveFollower::armsFound);
    SOON_COMPARE(idsOf(arms).size(), std::size_t{2});
    const std::int64_t late = run.writer->begin_trial(sample_trial(run.experiment, "bf16", run.reference));
    SOON_COMPARE(idsOf(arms).size(), std::size_t{3});
    QCOMPARE(idsOf(arms).back(), late);
  }

  void an_arm_has_ended_when_all_of_its_steps_can_be_taken() {
    Run run(path());
    run.write(1, 10);
    ArchiveFollower follower(path());
    Window window(follower);
    std::map<std::int64_t, std::size_t> steps_at_end;
    std::map<std::int64_t, record::Status> ends;
    connect(&follower, &ArchiveFollower::armEnded, this, [&](const record::TrialRow& arm) {
      steps_at_end[arm.id] = window.steps(arm.id).size();
      ends[arm.id] = arm.end.status;
    });
    SOON_COMPARE(window.steps(run.trial).size(), std::size_t{10});
    run.write(11, 20);
    record::TrialEnd end;
    run.writer->finish_trial(run.reference, end);
    end.status = record::Status::Failed;
    run.writer->finish_trial(run.trial, end);
    SOON_COMPARE(ends.size(), std::size_t{2});
    QCOMPARE(ends[run.reference], record::Status::Finished);
    QCOMPARE(ends[run.trial], record::Status::Failed);
    QCOMPARE(steps_at_end[run.reference], std::size_t{20});
    QCOMPARE(steps_at_end[run.trial], std::size_t{20});
  }

  void evaluations_and_checkpoints_are_told_once() {
    Run run(path());
    run.write(1, 20);
    const auto evaluate = [&](std::int64_t step, double value) {
      run.writer->write_evaluation({run.trial, step, "accuracy", record::Direction::Higher, value});
    };
    const auto save = [&](std::int64_t step) {
      record::CheckpointSet set;
      set.step = step;
      for (const std::int64_t arm : {run.reference, run.trial}) set.arms.push_back({arm, record::ArmState()});
      run.writer->write_checkpoint(set);
      run.writer->flush();
    };
    evaluate(10, 0.5);
    save(10);
    ArchiveFollower follower(path(), run.experiment);
    const QSignalSpy evaluated(&follower, &ArchiveFollower::armEvaluated);
    const QSignalSpy checkpoints(&follower, &ArchiveFollower::checkpointReached);
    const QSignalSpy ended(&follower, &ArchiveFollower::armEnded);
    evaluate(20, kNan);
    save(20);
    run.finish();
    SOON_COMPARE(ended.size(), 2);
    QCOMPARE(evaluated.size(), 2);
    QCOMPARE(evaluated[0][0].value<record::Evaluation>().value, std::optional<double>(0.5));
    QVERIFY(std::isnan(evaluated[1][0].value<record::Evaluation>().value.value()));
    QCOMPARE(checkpoints.size(), 2);
    QCOMPARE(checkpoints[1][0].toLongLong(), 20);
  }

  void an_evaluation_of_a_run_that_hardly_commits_is_told_before_its_end() {
    Run run(path());
    ArchiveFollower follower(path());
    const QSignalSpy evaluated(&follower, &ArchiveFollower::armEvaluated), arms(&follower, &ArchiveFollower::armsFound);
    SOON_COMPARE(arms.size(), 1);
    run.writer->write_evaluation({run.trial, 1, "accuracy", record::Direction::Higher, 0.5});
    SOON_COMPARE(evaluated.size(), 1);
  }

  void a_run_that_is_resumed_begins_anew_after_its_checkpoint() {
    Run run(path());
    run.write(1, 25);
    record::CheckpointSet set;
    set.step = 10;
    for (const std::int64_t arm : {run.reference, run.trial}) set.arms.push_back({arm, record::ArmState()});
    run.writer->write_checkpoint(set);
    run.finish();
    ArchiveFollower follower(path(), run.experiment);
    const QSignalSpy resumed(&follower, &ArchiveFollower::armResumed), ended(&follower, &ArchiveFollower::armEnded);
    Window window(follower);
    SOON_COMPARE(ended.size(), 2);
    QCOMPARE(window.steps(run.trial), upTo(25));
    run.writer->resume_trials({run.reference, run.trial}, 10, "[]");
    run.write(11, 12);
    SOON_COMPARE(resumed.size(), 2);
    QCOMPARE(resumed[0][0].value<record::TrialRow>().end.status, record::Status::Running);
    QCOMPARE(resumed[0][1].toLongLong(), 10);
    SOON_COMPARE(window.steps(run.trial), upTo(12));
    run.write(13, 30);
    run.finish();
    SOON_COMPARE(ended.size(), 4);
    QCOMPARE(window.steps(run.trial), upTo(30));
  }

  void of_several_experiments_the_newest_that_runs_is_followed_or_the_one_asked_for() {
    Run run(path());
    run.write(1, 3);
    run.finish();
    const std::int64_t second = run.writer->begin_experiment(sample_experiment());
    const std::int64_t running = run.writer->begin_trial(sample_trial(second, "reference"));
    const std::int64_t third = run.writer->begin_experiment(sample_experiment());
    run.writer->finish_trial(run.writer->begin_trial(sample_trial(third, "reference")), record::TrialEnd());
    ArchiveFollower newest(path()), asked(path(), run.experiment);
    const QSignalSpy arms(&newest, &ArchiveFollower::armsFound), asked_arms(&asked, &ArchiveFollower::armsFound);
    SOON_COMPARE(idsOf(arms), std::vector<std::int64_t>{running});
    SOON_COMPARE(idsOf(asked_arms), (std::vector<std::int64_t>{run.reference, run.trial}));
    Window window(asked);
    SOON_COMPARE(window.steps(run.trial), upTo(3));
  }

  void a_run_that_begins_later_is_found() {
    Run run(path());
    run.finish();
    ArchiveFollower follower(path());
    const QSignalSpy found(&follower, &ArchiveFollower::experimentFound);
    QTest::qWait(300);
    QCOMPARE(found.size(), 0);
    const std::int64_t next = run.writer->begin_experiment(sample_experiment());
    run.writer->begin_trial(sample_trial(next, "reference"));
    SOON_COMPARE(found.size(), 1);
    QCOMPARE(found[0][0].toLongLong(), next);
  }

  void a_killed_process_ends_its_arms_as_interrupted() {
    QProcess process;
    process.start(MANTISSA_ARCHIVE_PROCESS,
                  {"write", path(), "killed", "1000000", "1000", m_folder->filePath("counter")});
    SOON_VERIFY(QFile::exists(path()));
    ArchiveFollower follower(path());
    const QSignalSpy problems(&follower, &ArchiveFollower::problemArose), ended(&follower, &ArchiveFollower::armEnded);
    Window window(follower);
    SOON_VERIFY(window.steps(2).size() > 100);
    process.kill();  // SIGKILL
    process.waitForFinished();
    SOON_COMPARE(ended.size(), 2);
    const auto arm = ended[1][0].value<record::TrialRow>();
    QCOMPARE(arm.end.status, record::Status::Interrupted);
    QCOMPARE(static_cast<std::int64_t>(window.steps(2).size()), arm.end.counts.attempted);
  }

  void an_archive_that_is_not_there_yet_is_waited_for_with_a_sentence() {
    ArchiveFollower follower(path());
    const QSignalSpy arose(&follower, &ArchiveFollower::problemArose), arms(&follower, &ArchiveFollower::armsFound);
    const QSignalSpy solved(&follower, &ArchiveFollower::problemSolved);
    SOON_COMPARE(arose.size(), 1);
    QVERIFY2(arose[0][0].toString().contains(path()), qPrintable(arose[0][0].toString()));
    QTest::qWait(500);
    QCOMPARE(arose.size(), 1);  // said once
    Run run(path());
    SOON_COMPARE(solved.size(), 1);
    SOON_COMPARE(idsOf(arms).size(), std::size_t{2});
  }

  void an_archive_that_vanishes_and_comes_back_goes_on_where_it_was() {
    Run run(path());
    run.write(1, 10);
    ArchiveFollower follower(path());
    const QSignalSpy arose(&follower, &ArchiveFollower::problemArose);
    const QSignalSpy solved(&follower, &ArchiveFollower::problemSolved);
    const QSignalSpy replaced(&follower, &ArchiveFollower::archiveReplaced);
    Window window(follower);
    SOON_COMPARE(window.steps(run.trial), upTo(10));
    run.writer->close();
    QVERIFY(QFile::rename(path(), path() + ".away"));
    SOON_COMPARE(arose.size(), 1);
    QVERIFY(QFile::rename(path() + ".away", path()));
    SOON_COMPARE(solved.size(), 1);
    QCOMPARE(replaced.size(), 0);
    QCOMPARE(window.steps(run.trial), upTo(10));
    QCOMPARE(window.repeated(), 0);
  }

  void another_archive_in_its_place_is_said_and_followed_from_its_beginning() {
    Run run(path());
    run.write(1, 10);
    Run other(m_folder->filePath("other.db"));
    other.write(1, 4);
    other.writer->close();
    ArchiveFollower follower(path(), run.experiment);
    const QSignalSpy replaced(&follower, &ArchiveFollower::archiveReplaced);
    Window window(follower);
    SOON_COMPARE(window.steps(run.trial), upTo(10));
    run.writer->close();
    QVERIFY(QFile::remove(path()));
    QVERIFY(QFile::rename(m_folder->filePath("other.db"), path()));
    SOON_COMPARE(replaced.size(), 1);
    Window fresh(follower);
    SOON_COMPARE(fresh.steps(other.trial), upTo(4));
  }

  void what_is_no_archive_is_said_and_waited_out() {
    QFile file(path());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(8192, 'x'));
    file.close();
    ArchiveFollower follower(path());
    const QSignalSpy arose(&follower, &ArchiveFollower::problemArose), arms(&follower, &ArchiveFollower::armsFound);
    const QSignalSpy solved(&follower, &ArchiveFollower::problemSolved);
    SOON_COMPARE(arose.size(), 1);
    QVERIFY(file.remove());
    Run run(path());
    SOON_COMPARE(solved.size(), 1);
    SOON_COMPARE(idsOf(arms).size(), std::size_t{2});
  }

  void a_locked_archive_is_said_and_waited_out() {
    Run run(path());
    run.write(1, 10);
    run.writer->close();
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(path().toUtf8().constData(), &other), SQLITE_OK);
    // Alone: in this mode not even readers come in.
    QCOMPARE(sqlite3_exec(other, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE other (x);", nullptr,
                          nullptr, nullptr),
             SQLITE_OK);
    ArchiveFollower follower(path(), run.experiment);
    const QSignalSpy arose(&follower, &ArchiveFollower::problemArose);
    const QSignalSpy solved(&follower, &ArchiveFollower::problemSolved);
    SOON_COMPARE(arose.size(), 1);
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    SOON_COMPARE(solved.size(), 1);
    Window window(follower);
    SOON_COMPARE(window.steps(run.trial), upTo(10));
  }

  void a_late_window_is_waited_for_and_misses_nothing() {
    Run run(path());
    constexpr std::int64_t kSteps = 50000;  // of two arms: more than wait in memory
    run.write(1, kSteps);
    ArchiveFollower follower(path());
    QTest::qWait(500);
    Window window(follower);
    SOON_COMPARE(static_cast<std::int64_t>(window.steps(run.trial).size()), kSteps);
    QCOMPARE(window.steps(run.trial), upTo(kSteps));
    SOON_COMPARE(window.steps(run.reference), upTo(kSteps));
  }

  void destruction_does_not_wait_for_the_window_to_take_steps() {
    Run run(path());
    run.write(1, 50000);
    const ArchiveFollower follower(path());
    QTest::qWait(500);
  }

 private:
  QString path() const { return m_folder->filePath("a.db"); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(ArchiveFollowerTests)
#include "archive_follower_tests.moc"
