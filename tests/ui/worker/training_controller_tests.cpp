// SPDX-License-Identifier: GPL-3.0-or-later
// The contract between the engine's thread and the window, with a stub in place of LibTorch. Also built and run under
// ThreadSanitizer (packaging/checks/threads.sh).
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <QCoreApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"
#include "tests/ui/worker/stub_engine.h"
#include "ui/worker/training_controller.h"

using namespace mantissa;
using namespace mantissa::test;
using namespace mantissa::ui::worker;

namespace {

constexpr std::int64_t kWithoutEnd = 1'000'000'000'000;

Job jobNamed(const QString& title, const std::string& archive = {}) {
  Job job;
  job.title = title;
  std::get<Job::Run>(job.work).options.archive = archive;
  return job;
}

/// Makes steps without an end: something to pause and to stop.
EngineFactory endless() {
  return stub([](const Job& job, session::Observer& observer, session::RunControl& control) {
    return make_steps(job, observer, control, kWithoutEnd);
  });
}

/// As many steps as the title says.
record::RunSummary stepsOfTitle(const Job& job, session::Observer& observer, session::RunControl& control) {
  return make_steps(job, observer, control, job.title.toInt());
}

/// A door that one thread waits at until another opens it.
class Door {
 public:
  void open() {
    {
      const std::lock_guard<std::mutex> lock(m_mutex);
      m_open = true;
    }
    m_changed.notify_all();
  }
  void pass() {
    std::unique_lock<std::mutex> lock(m_mutex);
    m_changed.wait(lock, [this] { return m_open; });
  }

 private:
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_open = false;
};

/// Writes down every signal, with its job.
class Diary {
 public:
  explicit Diary(TrainingController& controller) {
    const auto note = [this](const QString& what) { return [this, what](JobId job) { add(job, what); }; };
    QObject::connect(&controller, &TrainingController::jobStarted, &m_context, note("started"));
    QObject::connect(&controller, &TrainingController::phaseBegan, &m_context,
                     [this](JobId job, const QString& phase) { add(job, phase); });
    QObject::connect(&controller, &TrainingController::armsOpened, &m_context, note("arms"));
    QObject::connect(&controller, &TrainingController::noteArrived, &m_context,
                     [this](JobId job, const QString& text) { add(job, text); });
    QObject::connect(&controller, &TrainingController::armEvaluated, &m_context, note("evaluated"));
    QObject::connect(&controller, &TrainingController::checkpointReached, &m_context,
                     [this](JobId job, qint64 step) { add(job, "checkpoint " + QString::number(step)); });
    QObject::connect(&controller, &TrainingController::armEnded, &m_context, note("arm ended"));
    QObject::connect(&controller, &TrainingController::jobFinished, &m_context, note("finished"));
    QObject::connect(&controller, &TrainingController::jobStopped, &m_context, note("stopped"));
    QObject::connect(&controller, &TrainingController::jobFailed, &m_context, note("failed"));
    QObject::connect(&controller, &TrainingController::progressed, &m_context,
                     [this](JobId job) { m_progress.push_back(job); });
  }

  QStringList of(JobId job) const {
    QStringList entries;
    for (const auto& [id, what] : m_entries) {
      if (id == job) entries << what;
    }
    return entries;
  }
  QStringList all() const {
    QStringList entries;
    for (const auto& [id, what] : m_entries) entries << QString::number(id) + ' ' + what;
    return entries;
  }
  bool has(JobId job, const QString& what) const { return of(job).contains(what); }
  std::vector<JobId> progress() const { return m_progress; }

 private:
  void add(JobId job, const QString& what) { m_entries.emplace_back(job, what); }

  std::vector<std::pair<JobId, QString>> m_entries;
  std::vector<JobId> m_progress;
  QObject m_context;
};

std::vector<std::int64_t> numbersOf(const std::vector<StepBatch>& batches, JobId job) {
  std::vector<std::int64_t> numbers;
  for (const StepBatch& batch : batches) {
    if (batch.job != job) continue;
    for (const archive::StepChunk& chunk : batch.chunks) {
      for (const record::StepRecord& step : *chunk) numbers.push_back(step.step);
    }
  }
  return numbers;
}

}  // namespace

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
    QTRY_VERIFY(diary.has(job, "finished"));
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
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(arms[0][1].value<std::vector<record::TrialRow>>().at(1).start.name, std::string("fp16"));
    QVERIFY(std::isnan(evaluated[0][1].value<record::Evaluation>().value.value()));
    QCOMPARE(finished[0][1].value<record::RunSummary>().experiment_id, std::int64_t{7});
  }

  void a_run_is_paused_stepped_and_resumed() {
    TrainingController controller(endless());
    controller.enqueue(jobNamed("one"));
    QTRY_COMPARE(controller.state(), JobState::Running);
    controller.pause();
    QTRY_COMPARE(controller.state(), JobState::Paused);
    std::int64_t last = 0;
    const auto lastStep = [&] {
      const auto numbers = numbersOf(controller.takeSteps(), controller.currentJob());
      if (!numbers.empty()) last = numbers.back();
      return last;
    };
    const std::int64_t stood = lastStep();
    for (std::int64_t k = 1; k <= 3; ++k) {
      controller.stepOnce();
      QTRY_COMPARE(lastStep(), stood + k);
      QCOMPARE(controller.state(), JobState::Paused);
    }
    controller.resume();
    QTRY_COMPARE(controller.state(), JobState::Running);
    QTRY_VERIFY(lastStep() > stood + 3);
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
    QTRY_COMPARE(controller.state(), JobState::Running);
    controller.pause();
    QTRY_COMPARE(controller.state(), JobState::Paused);
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
    QTRY_COMPARE(finished.size(), 1);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    QCOMPARE(last, std::int64_t{20000});
    QVERIFY(progressed.size() <= 2 + static_cast<int>(seconds.count() * 10));  // the first and the last besides
  }

  void a_stopped_run_is_an_outcome_of_its_own() {
    TrainingController controller(endless());
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("one"));
    QTRY_COMPARE(controller.state(), JobState::Running);
    controller.stop();
    QCOMPARE(controller.state(), JobState::Stopping);
    QTRY_COMPARE(controller.state(), JobState::Idle);
    QVERIFY(diary.has(job, "stopped"));
    QVERIFY(!diary.has(job, "finished"));
    QCOMPARE(controller.currentJob(), JobId{0});
  }

  void a_paused_run_is_stopped() {
    TrainingController controller(endless());
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("one"));
    controller.pause();  // nothing is current yet: nothing happens
    QTRY_COMPARE(controller.state(), JobState::Running);
    controller.pause();
    QTRY_COMPARE(controller.state(), JobState::Paused);
    controller.stop();
    QTRY_VERIFY(diary.has(job, "stopped"));
  }

  void a_run_is_stopped_at_its_checkpoint() {
    TrainingController controller(endless());
    Diary diary(controller);
    const JobId job = controller.enqueue(jobNamed("one"));
    QTRY_COMPARE(controller.state(), JobState::Running);
    QVERIFY(!controller.stopsAtCheckpoint());
    controller.stopAtCheckpoint();
    QVERIFY(controller.stopsAtCheckpoint());
    QTRY_VERIFY(diary.has(job, "stopped"));
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
        QTRY_COMPARE(controller.state(), JobState::Running);
        if (paused) controller.pause();
        if (paused) QTRY_COMPARE(controller.state(), JobState::Paused);
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
    QTRY_COMPARE(failed.size(), 1);
    const auto failure = failed[0][1].value<JobFailure>();
    QCOMPARE(failure.sentence, QString::fromStdString(sentence(facts)));
    QCOMPARE(failure.kind, std::optional<ErrorKind>(ErrorKind::DataProblem));
    QCOMPARE(failure.facts.line, 14);
    QCOMPARE(controller.state(), JobState::Idle);
  }

  void any_other_exception_arrives_with_its_text_and_the_next_job_goes_on() {
    std::atomic<int> made{0};
    TrainingController controller([&]() -> std::unique_ptr<Engine> {
      if (++made == 1) throw std::runtime_error("libtorch_cpu.so: cannot open shared object file");
      return std::make_unique<StubEngine>([](const Job& job, session::Observer&, session::RunControl&) {
        if (job.title == "two") throw 2;
        return record::RunSummary();
      });
    });
    const QSignalSpy failed(&controller, &TrainingController::jobFailed);
    const QSignalSpy finished(&controller, &TrainingController::jobFinished);
    for (const char* title : {"one", "two", "three"}) controller.enqueue(jobNamed(title));
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(failed.size(), 2);
    QCOMPARE(failed[0][1].value<JobFailure>().sentence, QString("libtorch_cpu.so: cannot open shared object file"));
    QVERIFY(!failed[0][1].value<JobFailure>().kind);
    QVERIFY(!failed[1][1].value<JobFailure>().sentence.isEmpty());
    QCOMPARE(made.load(), 2);
  }

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
    QTRY_VERIFY(diary.has(old, "early"));
    const JobId next = controller.replace(jobNamed("5"));
    QCOMPARE(controller.currentJob(), JobId{0});
    QCOMPARE(controller.state(), JobState::Stopping);
    superseded.open();
    QTRY_VERIFY(diary.has(next, "finished"));
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
    QTRY_VERIFY(diary.has(next, "finished"));
    QCOMPARE(diary.of(old), QStringList{"started"});
  }

  void a_replacement_goes_before_the_queue() {
    TrainingController controller(stub(stepsOfTitle));
    Diary diary(controller);
    const JobId waiting = controller.enqueue(jobNamed("2"));
    const JobId first = controller.replace(jobNamed("1"));
    QTRY_VERIFY(diary.has(waiting, "finished"));
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
    QTRY_VERIFY(diary.has(three, "finished"));
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
    QTRY_COMPARE(controller.state(), JobState::Running);
    QCOMPARE(controller.currentJob(), running);
    QCOMPARE(controller.currentTitle(), QString("one"));
    QVERIFY(!controller.removeWaiting(running));
    QVERIFY(controller.removeWaiting(waiting));
    QVERIFY(!controller.removeWaiting(waiting));
    controller.clearWaiting();
    QCOMPARE(changed.size(), 6);  // three came, one left for the engine, one was taken out, one cleared
    controller.stop();
    QTRY_COMPARE(controller.state(), JobState::Idle);
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
    QTRY_VERIFY(diary.has(three, "finished"));
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
    QTRY_VERIFY(diary.has(job, "here"));
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
    QTRY_VERIFY(diary.has(next, "finished"));
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

QTEST_GUILESS_MAIN(TrainingControllerTests)
#include "training_controller_tests.moc"
