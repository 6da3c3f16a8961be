// SPDX-License-Identifier: GPL-3.0-or-later
// The contract between the engine's thread and the window for one job, with a stub in place of LibTorch: its signals,
// its requests, its ends. Also built and run under ThreadSanitizer (packaging/checks/threads.sh).
#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTest>

#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"
#include "tests/ui/worker/soon.h"
#include "tests/ui/worker/worker_fixtures.h"

using namespace mantissa;
using namespace mantissa::test;

class TrainingControllerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_job_tells_its_way_in_order() {
    TrainingController controller(stub([](const Job&, session::Observer& observer, session::RunControl&) {
      observer.on_phase("preparing");
      observer.on_arms({record::TrialRow()});
      observer.on_phase("training");
      observer.on_state(session::RunState::Running);
      observer.on_note("a note");
      observer.on_evaluation({});
      observer.on_checkpoint(10);
      observer.on_arm_end({});
      return record::RunSummary();
    }));
    Diary diary(controller);
    const QSignalSpy states(&controller, &TrainingController::stateChanged);
    const JobId job = controller.enqueue(jobNamed("one"));
    QVERIFY(diary.all().isEmpty());  // not before control is back in the event loop
    SOON_VERIFY(diary.has(job, "finished"));
    QCOMPARE(diary.of(job), (QStringList{"started", "preparing", "arms", "training", "a note", "evaluated",
                                         "checkpoint 10", "arm ended", "finished"}));
    QCOMPARE(states.size(), 3);
    QCOMPARE(states[0][0].value<JobState>(), JobState::Starting);
    QCOMPARE(states[1][0].value<JobState>(), JobState::Running);
    QCOMPARE(states[2][0].value<JobState>(), JobState::Idle);
  }

  void values_arrive_as_they_were_sent() {
    TrainingController controller(stub([](const Job&, session::Observer& observer, session::RunControl&) {
      record::TrialRow arm;
      arm.id = 42;
      arm.start.name = "fp16";
      observer.on_arms({record::TrialRow(), arm});
      observer.on_evaluation({42, 10, "accuracy", record::Direction::Higher, kNan});
      record::RunSummary summary;
      summary.experiment_id = 7;
      return summary;
    }));
    const QSignalSpy arms(&controller, &TrainingController::armsOpened);
    const QSignalSpy evaluated(&controller, &TrainingController::armEvaluated);
    const QSignalSpy finished(&controller, &TrainingController::jobFinished);
    controller.enqueue(jobNamed("one"));
    SOON_COMPARE(finished.size(), 1);
    QCOMPARE(arms[0][1].value<std::vector<record::TrialRow>>().at(1).start.name, std::string("fp16"));
    QVERIFY(std::isnan(evaluated[0][1].value<record::Evaluation>().value.value()));
    QCOMPARE(finished[0][1].value<record::RunSummary>().experiment_id, std::int64_t{7});
  }

  void a_run_is_paused_stepped_and_resumed() {
    TrainingController controller(endless());
    controller.enqueue(jobNamed("one"));
    SOON_COMPARE(controller.state(), JobState::Running);
    controller.pause();
    SOON_COMPARE(controller.state(), JobState::Paused);
    std::int64_t last = 0;
    const auto lastStep = [&] {
      const auto numbers = numbersOf(controller.takeSteps(), controller.currentJob());
      if (!numbers.empty()) last = numbers.back();
      return last;
    };
    const std::int64_t stood = lastStep();
    for (std::int64_t k = 1; k <= 3; ++k) {
      controller.stepOnce();
      SOON_COMPARE(lastStep(), stood + k);
      QCOMPARE(controller.state(), JobState::Paused);
    }
    controller.resume();
    SOON_COMPARE(controller.state(), JobState::Running);
    SOON_VERIFY(lastStep() > stood + 3);
  }

  void the_progress_at_which_it_stands_still_is_told_before_the_pause() {
    TrainingController controller(endless());
    std::int64_t told = 0, at_pause = -1;
    connect(&controller, &TrainingController::progressed, this,
            [&](JobId, const session::Progress& progress) { told = progress.step; });
    connect(&controller, &TrainingController::stateChanged, this, [&](JobState state) {
      if (state == JobState::Paused) at_pause = told;
    });
    controller.enqueue(jobNamed("one"));
    SOON_COMPARE(controller.state(), JobState::Running);
    controller.pause();
    SOON_COMPARE(controller.state(), JobState::Paused);
    QCOMPARE(at_pause, numbersOf(controller.takeSteps(), controller.currentJob()).back());
  }

  void progress_comes_ten_times_a_second_at_most_and_its_last_is_not_lost() {
    TrainingController controller(stub(stepsOfTitle));
    std::int64_t last = 0;
    const QSignalSpy progressed(&controller, &TrainingController::progressed);
    connect(&controller, &TrainingController::progressed, this,
            [&](JobId, const session::Progress& progress) { last = progress.step; });
    const QSignalSpy finished(&controller, &TrainingController::jobFinished);
    const auto begin = std::chrono::steady_clock::now();
    controller.enqueue(jobNamed("20000"));
    SOON_COMPARE(finished.size(), 1);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    QCOMPARE(last, std::int64_t{20000});
    QVERIFY(progressed.size() <= 2 + static_cast<int>(seconds.count() * 10));  // the first and the last besides
  }

  void a_stopped_run_is_an_outcome_of_its_own() {
    TrainingController controller(endless());
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("one"));
    SOON_COMPARE(controller.state(), JobState::Running);
    controller.stop();
    QCOMPARE(controller.state(), JobState::Stopping);
    SOON_COMPARE(controller.state(), JobState::Idle);
    QVERIFY(diary.has(job, "stopped"));
    QVERIFY(!diary.has(job, "finished"));
    QCOMPARE(controller.currentJob(), JobId{0});
  }

  void a_paused_run_is_stopped() {
    TrainingController controller(endless());
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("one"));
    controller.pause();  // nothing is current yet: nothing happens
    SOON_COMPARE(controller.state(), JobState::Running);
    controller.pause();
    SOON_COMPARE(controller.state(), JobState::Paused);
    controller.stop();
    SOON_VERIFY(diary.has(job, "stopped"));
  }

  void a_run_is_stopped_at_its_checkpoint() {
    TrainingController controller(endless());
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("one"));
    SOON_COMPARE(controller.state(), JobState::Running);
    QVERIFY(!controller.stopsAtCheckpoint());
    controller.stopAtCheckpoint();
    QVERIFY(controller.stopsAtCheckpoint());
    SOON_VERIFY(diary.has(job, "stopped"));
  }

  void destruction_stops_what_runs_and_joins_its_thread() {
    for (const bool paused : {false, true}) {
      std::atomic<bool> running{false}, left{false};
      {
        TrainingController controller(
            stub([&](const Job& job, session::Observer& observer, session::RunControl& control) {
              running = true;
              const record::RunSummary summary = make_steps(job, observer, control, kWithoutEnd);
              left = true;
              return summary;
            }));
        controller.enqueue(jobNamed("one"));
        controller.enqueue(jobNamed("never begun"));
        SOON_COMPARE(controller.state(), JobState::Running);
        if (paused) controller.pause();
        if (paused) SOON_COMPARE(controller.state(), JobState::Paused);
      }
      QVERIFY(running);
      QVERIFY(left);
    }
  }

  void what_the_engine_says_after_the_destruction_reaches_nobody() {
    Door begun;
    {
      TrainingController controller(
          stub([&](const Job&, session::Observer& observer, session::RunControl& control) -> record::RunSummary {
            begun.open();
            while (!control.stop_token().requested()) std::this_thread::yield();
            for (int i = 0; i < 100; ++i) observer.on_note("late");
            throw std::runtime_error("late, too");
          }));
      connect(&controller, &TrainingController::noteArrived, this,
              [] { QFAIL("a note of a controller that is gone"); });
      controller.enqueue(jobNamed("one"));
      QCoreApplication::processEvents();
      begun.pass();
    }
    QCoreApplication::processEvents();
  }

  void an_error_of_the_engine_arrives_with_its_sentence() {
    const ErrorFacts facts{"a class the model cannot output", "digits.csv", 14, 0, "column digit", "10", "0 to 9", ""};
    TrainingController controller(stub([&](const Job&, session::Observer&, session::RunControl&) -> record::RunSummary {
      throw Error(ErrorKind::DataProblem, facts);
    }));
    const QSignalSpy failed(&controller, &TrainingController::jobFailed);
    controller.enqueue(jobNamed("one"));
    SOON_COMPARE(failed.size(), 1);
    const auto failure = failed[0][1].value<JobFailure>();
    QCOMPARE(failure.sentence, QString::fromStdString(sentence(facts)));
    QCOMPARE(failure.kind, std::optional<ErrorKind>(ErrorKind::DataProblem));
    QCOMPARE(failure.facts.line, 14);
    QCOMPARE(controller.state(), JobState::Idle);
  }

  void any_other_exception_arrives_with_its_text_and_the_next_job_goes_on() {
    std::atomic<int> made{0};
    TrainingController controller([&]() -> std::unique_ptr<Engine> {
      if (++made == 1) throw std::runtime_error("libtorch_cpu.so: cannot open\ntrace of calls");
      return std::make_unique<StubEngine>([](const Job& job, session::Observer&, session::RunControl&) {
        if (job.title == "two") throw 2;
        return record::RunSummary();
      });
    });
    const QSignalSpy failed(&controller, &TrainingController::jobFailed);
    const QSignalSpy finished(&controller, &TrainingController::jobFinished);
    for (const char* title : {"one", "two", "three"}) controller.enqueue(jobNamed(title));
    SOON_COMPARE(finished.size(), 1);
    QCOMPARE(failed.size(), 2);
    const auto failure = failed[0][1].value<JobFailure>();
    QVERIFY2(failure.sentence.endsWith(": libtorch_cpu.so: cannot open"), qPrintable(failure.sentence));
    QCOMPARE(failure.facts.problem, std::string("libtorch_cpu.so: cannot open\ntrace of calls"));
    QVERIFY(!failure.kind);
    QVERIFY(!failed[1][1].value<JobFailure>().sentence.isEmpty());
    QCOMPARE(made.load(), 2);
  }
};

QTEST_GUILESS_MAIN(TrainingControllerTests)
#include "training_controller_tests.moc"
