// SPDX-License-Identifier: Apache-2.0
// A run that is held, stepped, continued and stopped; what it tells its observer, and that none of it changes a bit.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <thread>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/step_feed.h"
#include "core/base/error.h"
#include "core/session/resume.h"
#include "core/session/run.h"
#include "core/spec/parse.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using session::RunControl;
using session::RunState;

namespace {

/// Dropout's random numbers, a scaler that grows and overflows, BatchNorm's like are all in the arms' state.
std::string experiment_of(int steps, const std::string& more = "") {
  return "mantissa = 1\nname = \"held\"\n[data]\nsource = \"gaussian\"\nrows = 50\nfeatures = 6\n[model]\n"
         "kind = \"mlp\"\nhidden = [8]\ndropout = 0.25\n[training]\nthreads = 1\nsteps = " +
         std::to_string(steps) + "\nbatch = 8\nloss = \"mse\"\n" + more +
         "[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n"
         "scaler = { init_scale = 16777216, growth_interval = 3 }\n";
}

/// Notes what it hears; may act on it, on the thread of the run.
class Listener : public session::Observer {
 public:
  void on_note(const std::string&) override {}
  void on_phase(const std::string&) override {}
  void on_progress(const session::Progress& progress) override {
    last_progress = progress;
    if (at_progress) at_progress(progress);
  }
  void on_arms(const std::vector<record::TrialRow>& opened) override { arms = opened; }
  void on_evaluation(const record::Evaluation& evaluation) override { evaluations.push_back(evaluation); }
  void on_checkpoint(std::int64_t step) override {
    checkpoints.push_back(step);
    if (at_checkpoint) at_checkpoint(step);
  }
  void on_arm_end(const record::TrialRow& arm) override { ended.push_back(arm); }
  void on_state(RunState state) override {
    states.push_back(state);
    if (at_state) at_state(state);
  }

  std::function<void(const session::Progress&)> at_progress;
  std::function<void(std::int64_t)> at_checkpoint;
  std::function<void(RunState)> at_state;
  session::Progress last_progress;
  std::vector<record::TrialRow> arms, ended;
  std::vector<record::Evaluation> evaluations;
  std::vector<std::int64_t> checkpoints;
  std::vector<RunState> states;
};

/// An archive of its own for every run.
struct Box {
  record::RunSummary run(const std::string& text) {
    session::RunOptions options;
    options.archive = path;
    options.feed = feed;
    return session::run(spec::parse_experiment(text, "test.toml"), options, listener, control);
  }

  /// Under a control of its own that asks for nothing.
  record::RunSummary resume(std::int64_t trial) {
    session::ResumeOptions options;
    options.archive = path;
    options.trial = trial;
    Listener deaf;
    RunControl untouched;
    return session::resume(options, deaf, untouched);
  }

  std::int64_t steps_of(std::int64_t trial) const {
    std::int64_t count = 0;
    archive::Reader(path).steps(trial, [&count](const record::StepRecord&) { return ++count > 0; });
    return count;
  }

  QTemporaryDir folder;
  std::string path = folder.filePath("a.db").toStdString();
  std::shared_ptr<archive::StepFeed> feed;
  Listener listener;
  RunControl control;
};

/// What differs between two runs: records (but for times and memory, which other runs in this process touch), weights.
std::string difference(const Box& a, const Box& b) {
  const archive::Reader left(a.path), right(b.path);
  for (const record::TrialRow& arm : left.trials()) {
    const std::string who = arm.start.name;
    std::vector<record::StepRecord> steps, others;
    left.steps(arm.id, [&](const record::StepRecord& step) { return steps.push_back(step), true; });
    right.steps(arm.id, [&](const record::StepRecord& step) { return others.push_back(step), true; });
    if (steps.empty() || steps.size() != others.size()) return who + ": number of steps";
    for (std::size_t i = 0; i < steps.size(); ++i) {
      record::StepRecord &x = steps[i], &y = others[i];
      for (record::StepRecord* step : {&x, &y}) {
        step->wall_seconds.reset();
        step->step_seconds.reset();
        step->live_bytes.reset();
        step->peak_bytes.reset();
      }
#define MANTISSA_COMPARE(name, type, description) \
  if (!test::same(x.name, y.name)) return who + ": " #name " of step " + std::to_string(x.step);
      MANTISSA_STEP_COLUMNS(MANTISSA_COMPARE)
#undef MANTISSA_COMPARE
    }
    const auto weights = left.weights(arm.id, "final"), other_weights = right.weights(arm.id, "final");
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i].bytes != other_weights[i].bytes) return who + ": " + weights[i].name;
    }
  }
  return {};
}

#define VERIFY_SAME(a, b)                       \
  do {                                          \
    const std::string found = difference(a, b); \
    QVERIFY2(found.empty(), found.c_str());     \
  } while (false)

}  // namespace

class RunControlTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_run_that_is_held_ends_when_its_archive_is_deleted() {
    Box box;
    box.control.pause();
    box.listener.at_state = [&box](RunState state) {
      if (state == RunState::Paused) QVERIFY(QFile::remove(QString::fromStdString(box.path)));
    };
    std::string said;
    try {
      box.run(experiment_of(20));
    } catch (const Error& error) {
      said = error.what();
    }
    QVERIFY2(said.find("a.db: the archive's file was deleted while a run was writing it") != std::string::npos,
             said.c_str());
  }

  void a_run_that_was_held_and_stepped_equals_one_that_never_was() {
    Box free, held;
    free.run(experiment_of(40));
    held.control.pause();  // before its first step
    int waits = 0;
    held.listener.at_progress = [&](const session::Progress&) {
      if (++waits <= 7) {
        held.control.step_once();
      } else {
        held.control.resume();
      }
    };
    const record::RunSummary summary = held.run(experiment_of(40));
    QVERIFY(waits > 7);
    QCOMPARE(summary.trials[0].end.status, record::Status::Finished);
    VERIFY_SAME(free, held);
  }

  void single_steps_are_single() {
    Box box;
    box.control.pause();
    std::vector<std::int64_t> seen;
    box.listener.at_progress = [&](const session::Progress& progress) {
      seen.push_back(progress.step);
      if (progress.step < 3) {
        box.control.step_once();
      } else {
        box.control.stop();
      }
    };
    const record::RunSummary summary = box.run(experiment_of(40));
    seen.resize(4);
    QCOMPARE(seen, (std::vector<std::int64_t>{0, 1, 2, 3}));
    QCOMPARE(summary.reference.end.status, record::Status::Stopped);
    QCOMPARE(summary.reference.end.counts.attempted, std::int64_t{3});
    QCOMPARE(box.steps_of(summary.trials[0].id), std::int64_t{3});
    QCOMPARE(box.listener.states, (std::vector<RunState>{RunState::Paused, RunState::Stopping}));
  }

  void single_steps_asked_for_together_are_as_many_as_were_asked_for() {
    Box box;
    box.control.step_once();  // nothing: it is not paused yet
    box.control.pause();
    box.listener.at_state = [&](RunState state) {
      if (state != RunState::Paused) return;
      for (int i = 0; i < 4; ++i) box.control.step_once();
    };
    std::thread person;
    box.listener.at_progress = [&](const session::Progress& progress) {
      if (progress.step == 4 && !person.joinable()) person = std::thread([&] { box.control.stop(); });
    };
    const record::RunSummary summary = box.run(experiment_of(40));
    person.join();
    QCOMPARE(summary.reference.end.counts.attempted, std::int64_t{4});
  }

  void a_pause_tells_its_beginning_and_its_end() {
    Box box;
    box.listener.at_checkpoint = [&](std::int64_t step) {
      if (step == 10) box.control.pause();
    };
    std::int64_t held_at = 0;
    box.listener.at_state = [&](RunState state) {
      if (state != RunState::Paused) return;
      held_at = box.listener.last_progress.step;
      box.control.resume();
    };
    box.run(experiment_of(20, "checkpoint = { every = 10 }\n"));
    QCOMPARE(held_at, std::int64_t{10});
    QCOMPARE(box.listener.states, (std::vector<RunState>{RunState::Running, RunState::Paused, RunState::Running}));
  }

  void a_pause_counts_in_no_duration() {
    using Seconds = std::chrono::duration<double>;
    Box box;
    Seconds paused{};
    box.listener.at_checkpoint = [&](std::int64_t step) {
      if (step == 2) box.control.pause();
    };
    box.listener.at_state = [&](RunState state) {
      if (state != RunState::Paused) return;
      const auto begin = std::chrono::steady_clock::now();
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
      paused = std::chrono::steady_clock::now() - begin;
      box.control.resume();
    };
    const auto begin = std::chrono::steady_clock::now();
    const record::RunSummary summary = box.run(experiment_of(4, "checkpoint = { every = 2 }\n"));
    const Seconds all = std::chrono::steady_clock::now() - begin;
    QVERIFY(paused.count() >= 0.7);
    QVERIFY(summary.reference.end.seconds <= (all - paused).count());
    QVERIFY(box.listener.last_progress.seconds <= (all - paused).count());
    double last = 0.0;
    archive::Reader(box.path).steps(summary.reference.id, [&](const record::StepRecord& step) {
      last = step.wall_seconds.value_or(1e9);
      return true;
    });
    QVERIFY(last <= (all - paused).count());
  }

  void a_paused_run_can_be_stopped() {
    Box box;
    box.control.pause();
    box.listener.at_state = [&](RunState state) {
      if (state == RunState::Paused) box.control.stop();
    };
    QCOMPARE(box.run(experiment_of(5)).reference.end.status, record::Status::Stopped);
  }

  void a_signal_handlers_request_ends_a_pause() {
    Box box;
    box.control.pause();
    box.listener.at_state = [&](RunState state) {
      if (state == RunState::Paused) box.control.stop_token().request();
    };
    QCOMPARE(box.run(experiment_of(5)).reference.end.status, record::Status::Stopped);
  }

  void requests_of_another_thread_reach_a_waiting_run() {
    Box free, held;
    free.run(experiment_of(12));
    held.control.pause();
    std::thread person;
    held.listener.at_state = [&](RunState state) {
      if (state != RunState::Paused || person.joinable()) return;
      person = std::thread([&] {
        held.control.step_once();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        held.control.resume();
      });
    };
    held.run(experiment_of(12));
    person.join();
    VERIFY_SAME(free, held);
  }

  void nothing_is_held_after_the_last_step() {
    Box box;
    box.listener.at_checkpoint = [&](std::int64_t step) {
      if (step == 10) box.control.pause();
    };
    QCOMPARE(box.run(experiment_of(10, "checkpoint = { every = 10 }\n")).reference.end.status,
             record::Status::Finished);
  }

  void nothing_is_stopped_after_the_last_step() {
    Box box;
    box.listener.at_checkpoint = [&](std::int64_t step) {
      if (step == 10) box.control.stop_at_checkpoint();
    };
    QCOMPARE(box.run(experiment_of(10, "checkpoint = { every = 10 }\n")).reference.end.status,
             record::Status::Finished);
  }

  void a_stop_at_the_checkpoint_comes_at_the_next_one() {
    const std::string text = experiment_of(40, "checkpoint = { every = 10 }\n");
    Box free, stopped;
    free.run(text);
    stopped.control.stop_at_checkpoint();  // before the first step: there is none yet
    const record::RunSummary summary = stopped.run(text);
    QCOMPARE(summary.reference.end.status, record::Status::Stopped);
    QCOMPARE(summary.reference.end.counts.attempted, std::int64_t{10});
    QCOMPARE(stopped.listener.checkpoints, std::vector<std::int64_t>{10});
    QCOMPARE(stopped.listener.states, (std::vector<RunState>{RunState::Running, RunState::Stopping}));
    stopped.resume(summary.trials[0].id);
    VERIFY_SAME(free, stopped);
  }

  void a_stop_at_the_checkpoint_that_is_taken_back_stops_nothing() {
    Box box;
    box.control.stop_at_checkpoint();
    box.control.go_past_checkpoint();
    const record::RunSummary summary = box.run(experiment_of(20, "checkpoint = { every = 10 }\n"));
    QCOMPARE(summary.reference.end.status, record::Status::Finished);
  }

  void without_checkpoints_it_comes_after_the_step_with_one_of_its_own() {
    const std::string text = experiment_of(40, "evaluate_every = 5\n");
    Box free, stopped;
    free.run(text);
    stopped.control.pause();
    stopped.listener.at_progress = [&](const session::Progress& progress) {
      if (progress.step < 7) {
        stopped.control.step_once();
      } else {
        stopped.control.stop_at_checkpoint();  // a paused run makes one where it stands
      }
    };
    const record::RunSummary summary = stopped.run(text);
    QCOMPARE(summary.reference.end.counts.attempted, std::int64_t{7});
    QCOMPARE(stopped.listener.checkpoints, std::vector<std::int64_t>{7});
    stopped.resume(summary.trials[0].id);
    VERIFY_SAME(free, stopped);
  }

  void a_running_run_without_checkpoints_stops_after_its_step() {
    Box box;
    box.listener.at_state = [&](RunState state) {
      if (state == RunState::Running) box.control.stop_at_checkpoint();  // in front of the first step
    };
    const record::RunSummary summary = box.run(experiment_of(40));
    QCOMPARE(summary.reference.end.status, record::Status::Stopped);
    QCOMPARE(summary.reference.end.counts.attempted, std::int64_t{1});
  }

  void the_observer_hears_what_the_archive_holds() {
    Box box;
    const record::RunSummary summary = box.run(experiment_of(20, "checkpoint = { every = 10 }\nevaluate_every = 5\n"));
    const archive::Reader reader(box.path);
    const std::vector<record::TrialRow> rows = reader.trials();
    QCOMPARE(box.listener.arms.size(), rows.size());
    QCOMPARE(box.listener.ended.size(), rows.size());
    std::map<std::int64_t, std::vector<std::optional<double>>> heard;
    for (const record::Evaluation& evaluation : box.listener.evaluations) {
      heard[evaluation.trial].push_back(evaluation.value);
    }
    for (const record::TrialRow& row : rows) {
      const auto has_id = [&row](const record::TrialRow& arm) { return arm.id == row.id; };
      const auto opened = std::find_if(box.listener.arms.begin(), box.listener.arms.end(), has_id);
      QVERIFY(opened != box.listener.arms.end());
      QCOMPARE(opened->start.name, row.start.name);
      QCOMPARE(opened->started_at, row.started_at);
      const auto ended = std::find_if(box.listener.ended.begin(), box.listener.ended.end(), has_id);
      QVERIFY(ended != box.listener.ended.end());
      QCOMPARE(ended->end.status, record::Status::Finished);
      QCOMPARE(ended->end.quality, row.end.quality);
      QCOMPARE(ended->end.verdict.has_value(), row.end.verdict.has_value());
      const record::History history = reader.history(row.id);
      QCOMPARE(history.checkpoints.size(), std::size_t{2});
      QVERIFY(history.evaluations.size() >= 4);
      for (const record::Evaluation& evaluation : history.evaluations) {
        const auto& values = heard[row.id];
        QVERIFY(std::find(values.begin(), values.end(), evaluation.value) != values.end());
      }
    }
    QCOMPARE(box.listener.checkpoints, (std::vector<std::int64_t>{10, 20}));
    QCOMPARE(box.listener.arms.front().id, summary.reference.id);
    QCOMPARE(box.listener.states, std::vector<RunState>{RunState::Running});
  }

  void the_feed_gives_every_record_that_the_archive_holds() {
    Box box;
    box.feed = std::make_shared<archive::StepFeed>();
    archive::StepFeed::Subscription subscription(*box.feed);
    const record::RunSummary summary = box.run(experiment_of(30));
    std::map<std::int64_t, std::vector<double>> losses;
    for (const archive::StepChunk& chunk : subscription.take().chunks) {
      for (const record::StepRecord& step : *chunk) losses[step.trial].push_back(step.loss.value_or(-1.0));
    }
    for (const std::int64_t id : {summary.reference.id, summary.trials[0].id}) {
      std::vector<double> archived;
      archive::Reader(box.path).steps(id, [&archived](const record::StepRecord& step) {
        archived.push_back(step.loss.value_or(-1.0));
        return true;
      });
      QCOMPARE(archived.size(), std::size_t{30});
      QCOMPARE(losses[id], archived);
    }
  }
};

QTEST_GUILESS_MAIN(RunControlTests)
#include "run_control_tests.moc"
