// SPDX-License-Identifier: GPL-3.0-or-later
// Several jobs: superseded ones, the queue, and the way of their steps past a window that is slow. Also built and run
// under ThreadSanitizer (packaging/checks/threads.sh).
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"
#include "tests/ui/worker/soon.h"
#include "tests/ui/worker/worker_fixtures.h"

using namespace mantissa;
using namespace mantissa::test;

class JobQueueTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void late_results_of_a_superseded_job_are_dropped() {
    Door superseded;
    TrainingController controller(
        stub([&](const Job& job, session::Observer& observer, session::RunControl& control) -> record::RunSummary {
          if (job.title != "old") return stepsOfTitle(job, observer, control);
          observer.on_note("early");
          superseded.pass();
          record::StepRecord step;
          feed_of(job).publish(&step, 1);
          observer.on_note("late");
          observer.on_progress({});
          observer.on_state(session::RunState::Running);
          observer.on_arms({record::TrialRow()});
          observer.on_arm_end({});
          observer.on_evaluation({});
          observer.on_checkpoint(1);
          observer.on_phase("late");
          if (!control.stop_token().requested()) return {};
          throw std::runtime_error("late");
        }));
    Diary diary(controller);
    const JobId old = controller.enqueue(jobNamed("old"));
    SOON_VERIFY(diary.has(old, "early"));
    const JobId next = controller.replace(jobNamed("5"));
    QCOMPARE(controller.currentJob(), JobId{0});
    QCOMPARE(controller.state(), JobState::Stopping);
    superseded.open();
    SOON_VERIFY(diary.has(next, "finished"));
    QCOMPARE(diary.of(old), (QStringList{"started", "early"}));
    for (const JobId job : diary.progress()) QCOMPARE(job, next);
    const std::vector<StepBatch> steps = controller.takeSteps();
    QCOMPARE(numbersOf(steps, next).size(), std::size_t{5});
    QVERIFY(numbersOf(steps, old).empty());
  }

  void what_was_already_on_its_way_is_dropped_too() {
    Door sent;
    TrainingController controller(stub([&](const Job& job, session::Observer& observer, session::RunControl&) {
      if (job.title == "old") {
        observer.on_note("on its way");
        sent.open();
      }
      return record::RunSummary();
    }));
    Diary diary(controller);
    const JobId old = controller.enqueue(jobNamed("old"));
    QCoreApplication::processEvents();  // starts it
    sent.pass();                        // its note waits in the mailbox, its end may
    const JobId next = controller.replace(jobNamed("new"));
    SOON_VERIFY(diary.has(next, "finished"));
    QCOMPARE(diary.of(old), QStringList{"started"});
  }

  void a_replacement_goes_before_the_queue() {
    TrainingController controller(stub(stepsOfTitle));
    Diary diary(controller);
    const JobId waiting = controller.enqueue(jobNamed("2"));
    const JobId first = controller.replace(jobNamed("1"));
    SOON_VERIFY(diary.has(waiting, "finished"));
    QVERIFY(diary.all().indexOf(QString::number(first) + " finished") <
            diary.all().indexOf(QString::number(waiting) + " started"));
  }

  void three_jobs_run_one_after_another() {
    TrainingController controller(stub(stepsOfTitle));
    Diary diary(controller);
    const JobId one = controller.enqueue(jobNamed("3"));
    const JobId two = controller.enqueue(jobNamed("4"));
    const JobId three = controller.enqueue(jobNamed("5"));
    QCOMPARE(controller.waiting().size(), std::size_t{3});
    QCOMPARE(controller.waiting()[1].title, QString("4"));
    std::vector<StepBatch> steps;
    const auto take = [&] {
      for (StepBatch& batch : controller.takeSteps()) steps.push_back(std::move(batch));
    };
    connect(&controller, &TrainingController::jobFinished, this, take);  // by then the last step is there
    SOON_VERIFY(diary.has(three, "finished"));
    QStringList ends;
    for (const QString& entry : diary.all()) {
      if (entry.endsWith("started") || entry.endsWith("finished")) ends << entry;
    }
    QCOMPARE(ends, (QStringList{"1 started", "1 finished", "2 started", "2 finished", "3 started", "3 finished"}));
    QCOMPARE(numbersOf(steps, one).size(), std::size_t{3});
    QCOMPARE(numbersOf(steps, two).size(), std::size_t{4});
    QCOMPARE(numbersOf(steps, three).size(), std::size_t{5});
    QVERIFY(controller.waiting().empty());
  }

  void a_waiting_job_is_taken_out_and_a_running_one_is_not() {
    TrainingController controller(endless());
    Diary diary(controller);
    const QSignalSpy changed(&controller, &TrainingController::queueChanged);
    const JobId running = controller.enqueue(jobNamed("one"));
    const JobId waiting = controller.enqueue(jobNamed("two"));
    controller.enqueue(jobNamed("three"));
    SOON_COMPARE(controller.state(), JobState::Running);
    QCOMPARE(controller.currentJob(), running);
    QCOMPARE(controller.currentTitle(), QString("one"));
    QVERIFY(!controller.removeWaiting(running));
    QVERIFY(controller.removeWaiting(waiting));
    QVERIFY(!controller.removeWaiting(waiting));
    controller.clearWaiting();
    QCOMPARE(changed.size(), 6);  // three came, one left for the engine, one was taken out, one cleared
    controller.stop();
    SOON_COMPARE(controller.state(), JobState::Idle);
    QCoreApplication::processEvents();
    QCOMPARE(diary.of(waiting), QStringList());
    QCOMPARE(controller.state(), JobState::Idle);
  }

  void the_steps_of_an_ended_job_wait_for_one_job_more_and_no_longer() {
    TrainingController controller(stub(stepsOfTitle));
    Diary diary(controller);
    const JobId one = controller.enqueue(jobNamed("1"));
    const JobId two = controller.enqueue(jobNamed("2"));
    const JobId three = controller.enqueue(jobNamed("3"));
    SOON_VERIFY(diary.has(three, "finished"));
    const std::vector<StepBatch> steps = controller.takeSteps();
    QVERIFY(numbersOf(steps, one).empty());
    QCOMPARE(numbersOf(steps, two).size(), std::size_t{2});
    QCOMPARE(numbersOf(steps, three).size(), std::size_t{3});
  }

  void no_call_of_the_window_waits_for_the_engine() {
    // The engine stands still until all calls have returned: one that waited for it would never return.
    Door all_returned;
    TrainingController controller(stub([&](const Job& job, session::Observer& observer, session::RunControl& control) {
      if (job.title == "stands still") {
        observer.on_note("here");
        all_returned.pass();
      }
      return make_steps(job, observer, control, 1);
    }));
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("stands still"));
    SOON_VERIFY(diary.has(job, "here"));
    controller.pause();
    controller.stepOnce();
    controller.resume();
    controller.stopAtCheckpoint();
    controller.stop();
    controller.removeWaiting(controller.enqueue(jobNamed("waits")));
    QVERIFY(controller.takeSteps().empty());
    controller.clearWaiting();
    const JobId next = controller.replace(jobNamed("next"));
    QCoreApplication::processEvents();
    all_returned.open();
    SOON_VERIFY(diary.has(next, "finished"));
  }

  void a_million_steps_past_a_slow_window_are_all_in_the_archive() {
#ifdef MANTISSA_FEWER_STEPS
    constexpr std::int64_t kSteps = 60'000;  // under ThreadSanitizer, ten times slower
#else
    constexpr std::int64_t kSteps = 1'000'000;
#endif
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    std::atomic<std::int64_t> trial{0};
    TrainingController controller(stub([&](const Job& job, session::Observer& observer, session::RunControl& control) {
      const auto& options = std::get<Job::Run>(job.work).options;
      archive::WriterOptions writing;
      writing.feed = options.feed;
      archive::Writer writer(options.archive, writing);
      trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "reference"));
      StubControlPoint control_point(observer, control);
      session::Progress progress;
      while (progress.step < kSteps && control_point.before_step(progress)) {
        writer.append(plain_step(trial, ++progress.step));
        observer.on_progress(progress);
      }
      writer.close();
      return record::RunSummary();
    }));
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("fast", path));
    std::int64_t taken = 0, missed = 0, last = 0;
    bool in_order = true;
    const auto take = [&] {
      for (const StepBatch& batch : controller.takeSteps()) {
        missed += batch.missed;
        for (const std::int64_t number : numbersOf({batch}, job)) {
          in_order = in_order && number > last;
          last = number;
          ++taken;
        }
      }
    };
    while (!diary.has(job, "finished")) {
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // a frame that takes long
      take();
    }
    take();
    QVERIFY(in_order);
    QCOMPARE(last, kSteps);
    QCOMPARE(taken + missed, kSteps);
    std::int64_t archived = 0;
    archive::Reader(path).steps(trial, [&](const record::StepRecord& step) { return step.step == ++archived; });
    QCOMPARE(archived, kSteps);
  }
};

QTEST_GUILESS_MAIN(JobQueueTests)
#include "job_queue_tests.moc"
