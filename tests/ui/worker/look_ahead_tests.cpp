// SPDX-License-Identifier: GPL-3.0-or-later
// Looking ahead beside jobs: it never holds one up. Also built and run under ThreadSanitizer
// (packaging/checks/threads.sh).
#include <chrono>
#include <stdexcept>
#include <string>

#include <QSignalSpy>
#include <QTest>

#include "tests/ui/worker/soon.h"
#include "tests/ui/worker/worker_fixtures.h"

using namespace mantissa;
using namespace mantissa::test;

namespace {

Job::Run workOf(const std::string& name) {
  Job::Run work;
  work.experiment.name = name;
  return work;
}

/// Its rules are the name of what was looked at.
session::Preflight found(const Job::Run& work, const session::StopToken&, const session::ArmTeller&) {
  session::Preflight preflight;
  preflight.rules = work.experiment.name;
  return preflight;
}

session::Preflight untilStopped(const Job::Run& work, const session::StopToken& stop, const session::ArmTeller&) {
  while (!stop.requested()) QTest::qSleep(1);
  return found(work, stop, {});
}

ui::worker::TracedExperiment traceOfName(const spec::Experiment& experiment, const session::StopToken&,
                                         const ui::worker::TraceTeller& tell) {
  ui::worker::TracedExperiment traced;
  traced.experiment = experiment;
  tell(false);
  tell(true);
  return traced;
}

ui::worker::TracedExperiment traceUntilStopped(const spec::Experiment& experiment, const session::StopToken& stop,
                                               const ui::worker::TraceTeller& tell) {
  tell(false);
  while (!stop.requested()) QTest::qSleep(1);
  return traceOfName(experiment, stop, [](bool) {});
}

}  // namespace

class LookAheadTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_found.clear(); }

  void finds_out_while_nothing_runs() {
    TrainingController controller(stub(stepsOfTitle, found));
    listen(controller);
    controller.lookAhead(workOf("one"));
    SOON_COMPARE(m_found, QStringList{"one"});
    QCOMPARE(controller.state(), JobState::Idle);
    QCOMPARE(controller.currentJob(), JobId{0});
  }

  void only_the_last_one_asked_for_is_heard_of() {
    TrainingController controller(
        stub(stepsOfTitle, [](const Job::Run& work, const session::StopToken& stop, const session::ArmTeller&) {
          return work.experiment.name == "last" ? found(work, stop, {}) : untilStopped(work, stop, {});
        }));
    listen(controller);
    controller.lookAhead(workOf("first"));
    QCoreApplication::processEvents();  // at work by now
    controller.lookAhead(workOf("second"));
    controller.lookAhead(workOf("last"));
    SOON_COMPARE(m_found, QStringList{"last"});
    QTest::qWait(20);
    QCOMPARE(m_found, QStringList{"last"});
  }

  void a_job_goes_first() {
    TrainingController controller(stub(stepsOfTitle, untilStopped));
    listen(controller);
    Diary diary(controller);
    controller.lookAhead(workOf("slow"));
    QCoreApplication::processEvents();
    const JobId job = controller.enqueue(jobNamed("5"));
    SOON_VERIFY(diary.has(job, "finished"));
    QVERIFY(m_found.isEmpty());
  }

  void one_that_does_not_come_back_is_told_and_the_job_that_waits_can_be_taken_back() {
    Door door;
    TrainingController controller(
        stub(stepsOfTitle, [&door](const Job::Run& work, const session::StopToken& stop, const session::ArmTeller&) {
          door.pass();  // a forward that takes no notice of anything
          return found(work, stop, {});
        }));
    controller.setPatience(std::chrono::milliseconds(10));
    Diary diary(controller);
    const QSignalSpy heldUp(&controller, &TrainingController::heldUp);
    const QSignalSpy cameBack(&controller, &TrainingController::cameBack);
    controller.lookAhead(workOf("endless"));
    QCoreApplication::processEvents();
    QVERIFY(!controller.waitsForLookAhead());
    controller.enqueue(jobNamed("5"));
    QVERIFY(controller.waitsForLookAhead());
    SOON_VERIFY(!heldUp.isEmpty());
    controller.clearWaiting();
    QVERIFY(!controller.waitsForLookAhead());
    QVERIFY(!controller.endWithin(std::chrono::milliseconds(1)));
    const JobId next = controller.enqueue(jobNamed("5"));
    door.open();
    SOON_VERIFY(diary.has(next, "finished"));
    QVERIFY(!cameBack.isEmpty());
    QVERIFY(controller.endWithin(std::chrono::minutes(1)));
  }

  void waits_until_the_jobs_have_ended() {
    Door door;
    TrainingController controller(stub(
        [&](const Job& job, session::Observer& observer, session::RunControl& control) {
          door.pass();
          return stepsOfTitle(job, observer, control);
        },
        found));
    listen(controller);
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("5"));
    controller.lookAhead(workOf("later"));
    QTest::qWait(20);
    QVERIFY(m_found.isEmpty());
    door.open();
    SOON_COMPARE(m_found, QStringList{"later"});
    QVERIFY(diary.has(job, "finished"));
  }

  void a_cancelled_one_is_not_heard_of() {
    TrainingController controller(stub(stepsOfTitle, untilStopped));
    listen(controller);
    controller.lookAhead(workOf("slow"));
    QCoreApplication::processEvents();
    controller.cancelLookAhead();
    QTest::qWait(50);
    QVERIFY(m_found.isEmpty());
  }

  void what_speaks_against_a_run_is_told() {
    TrainingController controller(stub(
        stepsOfTitle, [](const Job::Run&, const session::StopToken&, const session::ArmTeller&) -> session::Preflight {
          throw Error(ErrorKind::DataProblem, {"no rows", "data.csv", 0, 0, "", "", "", ""});
        }));
    QString sentence;
    QObject::connect(&controller, &TrainingController::lookAheadFailed, &controller,
                     [&](const JobFailure& failure) { sentence = failure.sentence; });
    controller.lookAhead(workOf("bad"));
    SOON_VERIFY(sentence.contains("no rows"));
  }

  void a_controller_may_go_while_it_looks_ahead() {
    auto controller = std::make_unique<TrainingController>(stub(stepsOfTitle, untilStopped));
    controller->lookAhead(workOf("slow"));
    QCoreApplication::processEvents();
    controller.reset();
  }

  void a_trace_of_memory_is_told_with_what_it_is_at() {
    TrainingController controller(stub(stepsOfTitle, found, traceOfName));
    QStringList told;
    connect(&controller, &TrainingController::memoryTraceReached, this,
            [&told](bool other) { told << (other ? "other" : "own"); });
    connect(&controller, &TrainingController::memoryTraced, this,
            [&told](const auto& traced) { told << QString::fromStdString(traced->experiment.name); });
    controller.traceMemory(workOf("one").experiment);
    QVERIFY(controller.tracesMemory());
    SOON_COMPARE(told, (QStringList{"own", "other", "one"}));
    QVERIFY(!controller.tracesMemory());
    QCOMPARE(controller.state(), JobState::Idle);
  }

  void a_trace_waits_for_a_look_ahead_and_gives_way_to_a_job() {
    TrainingController controller(stub(stepsOfTitle, found, traceUntilStopped));
    listen(controller);
    int stopped = 0;
    int traced = 0;
    connect(&controller, &TrainingController::memoryTraceStopped, this, [&stopped] { ++stopped; });
    connect(&controller, &TrainingController::memoryTraced, this, [&traced] { ++traced; });
    controller.traceMemory(workOf("memory").experiment);
    controller.lookAhead(workOf("one"));
    SOON_COMPARE(m_found, QStringList{"one"});
    SOON_COMPARE(controller.tracesMemory(), true);
    Job job;
    job.title = QStringLiteral("1");
    job.work = Job::Run();
    controller.enqueue(job);
    SOON_COMPARE(stopped, 1);
    QCOMPARE(traced, 0);
  }

  void a_trace_that_is_cancelled_is_told_as_stopped() {
    TrainingController controller(stub(stepsOfTitle, found, traceUntilStopped));
    QStringList told;
    connect(&controller, &TrainingController::memoryTraceReached, this, [&told] { told << "at work"; });
    connect(&controller, &TrainingController::memoryTraceStopped, this, [&told] { told << "stopped"; });
    connect(&controller, &TrainingController::memoryTraced, this, [&told] { told << "traced"; });
    controller.traceMemory(workOf("one").experiment);
    SOON_COMPARE(told, QStringList{"at work"});
    controller.cancelTrace();
    QVERIFY(!controller.tracesMemory());
    SOON_COMPARE(told, (QStringList{"at work", "stopped"}));
  }

 private:
  void listen(TrainingController& controller) {
    QObject::connect(&controller, &TrainingController::lookedAhead, &controller,
                     [this](const session::Preflight& preflight) { m_found << preflight.rules.c_str(); });
  }

  QStringList m_found;
};

QTEST_GUILESS_MAIN(LookAheadTests)
#include "look_ahead_tests.moc"
