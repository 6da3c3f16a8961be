// SPDX-License-Identifier: Apache-2.0
// A run that stops and goes on equals one that never stopped, in every bit; what may not change is refused by name.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include <sqlite3.h>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/session/resume.h"
#include "core/session/run.h"
#include "core/spec/parse.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;

namespace {

class Listener : public session::Observer {
 public:
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
  std::vector<std::string> notes;
};

const std::string kHead = "mantissa = 1\nname = \"r\"\n[data]\nsource = \"gaussian\"\nrows = 50\nfeatures = 6\n";

/// Dropout, FP16 with a scaler that grows and overflows, BF16 beside it, clipping, short last windows.
const std::string kDropout = kHead + R"(
[model]
kind = "mlp"
hidden = [8]
dropout = 0.25
[training]
threads = 1
steps = 40
batch = 8
loss = "mse"
clip_norm = 0.5
[[trial]]
name = "fp16"
autocast = "float16"
scaler = { init_scale = 16777216, growth_interval = 3 }
[[trial]]
name = "bf16"
autocast = "bfloat16"
[rules]
preset = "default"
)";

/// Momentum, windows of two microbatches that end at the epoch, a rate that falls with applied updates.
const std::string kMomentum = kHead + R"(
[model]
kind = "mlp"
hidden = [8]
[training]
threads = 1
epochs = 12
batch = 8
accumulate = 2
loss = "mse"
[[training.optimizer]]
kind = "sgd"
lr = 0.05
momentum = 0.9
[training.schedule]
kind = "step"
gamma = 0.5
every = 5
[[trial]]
name = "fp16"
autocast = "float16"
scaler = { init_scale = 4194304, growth_interval = 4 }
)";

/// Running statistics of BatchNorm in a TorchScript model, Adam with its largest second moments.
const std::string kBatchNorm = kHead + R"(
[model]
kind = "torchscript"
path = ")" MANTISSA_SOURCE_DIR R"(/tests/core/session/norm.pt"
[training]
threads = 1
steps = 36
batch = 10
loss = "mse"
[[training.optimizer]]
kind = "adam"
lr = 0.01
amsgrad = true
[[trial]]
name = "bf16"
autocast = "bfloat16"
[[trial]]
name = "fp16"
autocast = "float16"
scaler = { init_scale = 65536, growth_interval = 2 }
)";

/// A TorchScript model that keeps values between calls in attributes of its code (make_stateful.py), evaluated on the
/// way; one trial of its own instance under TorchScript's casts.
const std::string kStateful = kHead + R"(
[model]
kind = "torchscript"
path = ")" MANTISSA_SOURCE_DIR R"(/tests/core/session/stateful.pt"
[training]
threads = 1
steps = 30
batch = 10
accumulate = 2
loss = "mse"
evaluate_every = 7
[[trial]]
name = "bf16"
autocast = "bfloat16"
shadow_every = 3
[[trial]]
name = "jit"
autocast = "bfloat16"
cast_policy = "jit"
shadow_every = 10
)";

/// Warm-up and a cosine over the first run's length, RMSprop, files in their own order.
const std::string kCosine = kHead + R"(
order = "file"
[model]
kind = "linear"
[training]
threads = 1
steps = 30
batch = 8
loss = "huber"
[[training.optimizer]]
kind = "rmsprop"
lr = 0.01
momentum = 0.5
[training.schedule]
kind = "cosine"
warmup = 6
[[trial]]
name = "bf16"
autocast = "bfloat16"
)";

/// Three optimizers under one scaler, each with its own counts, one with a rate by iteration; shadows; an epoch's last
/// window is short; a parameter that belongs to none of them.
const std::string kOptimizers = kHead + R"(
[model]
kind = "mlp"
hidden = [8, 4]
[training]
threads = 1
steps = 36
batch = 8
accumulate = 2
loss = "mse"
clip_norm = 1.0
[[training.optimizer]]
kind = "sgd"
lr = 0.05
momentum = 0.9
parameters = ["0.weight"]
[[training.optimizer]]
kind = "adamw"
lr = 0.01
parameters = ["2"]
[training.optimizer.schedule]
kind = "exponential"
gamma = 0.98
per = "iteration"
[[training.optimizer]]
kind = "rmsprop"
lr = 0.001
parameters = ["4"]
[[trial]]
name = "fp16"
autocast = "float16"
shadow_every = 4
scaler = { init_scale = 2097152, growth_interval = 2 }
)";

/// Hysteresis and a floor that is met in the tenth step; from the eleventh on under the policy of "low", whose own
/// hysteresis and delayed growth are at work until the end.
const std::string kSwitch = kHead + R"(
[model]
kind = "mlp"
hidden = [8]
dropout = 0.25
[training]
threads = 1
steps = 40
batch = 8
loss = "mse"
[[trial]]
name = "high"
autocast = "float16"
scaler = { init_scale = 16777216, floor = 16777216, hysteresis = 10, at_floor = "switch:low" }
[[trial]]
name = "low"
autocast = "float16"
scaler = { init_scale = 65536, growth_interval = 2, growth_delay = 2, hysteresis = 3, floor = 64, ceiling = 1048576 }
)";

/// LBFGS, whose state is a history, and a rate by iteration.
const std::string kLbfgs = kHead + R"(
[model]
kind = "mlp"
hidden = [4]
activation = "tanh"
[training]
threads = 1
steps = 30
batch = 25
loss = "mse"
[[training.optimizer]]
kind = "lbfgs"
lr = 0.5
max_iter = 4
history_size = 5
[training.schedule]
kind = "exponential"
gamma = 0.99
per = "iteration"
[[trial]]
name = "bf16"
autocast = "bfloat16"
)";

struct Arm {
  std::vector<record::StepRecord> steps;
  std::vector<record::TensorBytes> weights;
  record::TrialRow row;
};

/// Where a run has come to, as its archive says it.
struct Outcome {
  std::vector<Arm> arms;
  record::RunSummary summary;
};

class Box {
 public:
  Box() : path(folder_.filePath("a.db").toStdString()) {}

  Outcome run(const std::string& text, std::int64_t stop_after = 0,
              session::Probes probes = session::Probes::Standard) {
    session::RunOptions options;
    options.archive = path;
    options.stop_after = stop_after;
    options.probes = probes;
    return outcome(session::run(spec::parse_experiment(text, "test.toml"), options, listener, {}));
  }

  Outcome resume(std::int64_t trial, const std::vector<std::string>& overrides = {}, std::int64_t stop_after = 0,
                 std::optional<std::int64_t> at = std::nullopt) {
    session::ResumeOptions options;
    options.archive = path;
    options.trial = trial;
    options.at = at;
    options.overrides = overrides;
    options.stop_after = stop_after;
    return outcome(session::resume(options, listener, {}));
  }

  void sql(const std::string& text) const {
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* problem = nullptr;
    sqlite3_exec(database, text.c_str(), nullptr, nullptr, &problem);
    if (problem != nullptr) QFAIL(problem);
    QVERIFY2(sqlite3_changes(database) > 0, "the statement touched nothing");
    sqlite3_close(database);
  }

  archive::Reader reader() const { return archive::Reader(path); }

  /// A file of this name in the box's folder.
  std::string file(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  void put(const std::string& name, const std::string& from) const {
    const QString target = QString::fromStdString(file(name));
    QFile::remove(target);
    QVERIFY(QFile::copy(QString::fromStdString(from), target));
  }

  Listener listener;

 private:
  Outcome outcome(record::RunSummary summary) const {
    Outcome outcome;
    const archive::Reader archive(path);
    std::vector<std::int64_t> ids = {summary.reference.id};
    for (const record::TrialRow& trial : summary.trials) ids.push_back(trial.id);
    for (const std::int64_t id : ids) {
      Arm& arm = outcome.arms.emplace_back();
      archive.steps(id, [&arm](const record::StepRecord& step) {
        arm.steps.push_back(step);
        return true;
      });
      arm.weights = archive.weights(id, "final");
      arm.row = archive.trial(id);
    }
    outcome.summary = std::move(summary);
    return outcome;
  }

  QTemporaryDir folder_;

 public:
  std::string path;
};

/// Names of what differs between two records of one step. Times aside, and memory: LibTorch keeps sizes of what
/// outlived an earlier recorder of the same process (observe/memory_recorder.h), so that two equal runs in one process
/// differ in it, too. tests/cli compares it between processes.
std::string differences(const record::StepRecord& a, const record::StepRecord& b) {
  std::string names;
#define MANTISSA_COMPARE(name, type, description) \
  if (!test::same(a.name, b.name)) names += " " #name;
  MANTISSA_STEP_COLUMNS(MANTISSA_COMPARE)
#undef MANTISSA_COMPARE
  if (!test::same(a.optimizers, b.optimizers)) names += " optimizers";
  for (const char* const aside : {" wall_seconds", " step_seconds", " live_bytes", " peak_bytes"}) {
    if (const std::size_t at = names.find(aside); at != std::string::npos) names.erase(at, std::strlen(aside));
  }
  return names;
}

std::string differences(const Outcome& whole, const Outcome& parts) {
  for (std::size_t i = 0; i < whole.arms.size(); ++i) {
    const Arm &a = whole.arms[i], &b = parts.arms[i];
    const std::string name = a.row.start.name;
    if (a.steps.size() != b.steps.size()) return name + ": another number of steps";
    for (std::size_t k = 0; k < a.steps.size(); ++k) {
      const std::string found = differences(a.steps[k], b.steps[k]);
      if (!found.empty()) return name + ", step " + std::to_string(a.steps[k].step) + ":" + found;
    }
    for (std::size_t k = 0; k < a.weights.size(); ++k) {
      if (a.weights[k].bytes != b.weights[k].bytes) return name + ", " + a.weights[k].name;
    }
    const record::TrialEnd &x = a.row.end, &y = b.row.end;
    if (x.status != y.status || x.notes != y.notes) return name + ": status or notes";
    if (x.policy_changes.size() != y.policy_changes.size()) return name + ": changes of policy";
    for (std::size_t k = 0; k < x.policy_changes.size(); ++k) {
      if (x.policy_changes[k].step != y.policy_changes[k].step ||
          x.policy_changes[k].policy != y.policy_changes[k].policy) {
        return name + ": another change of policy";
      }
    }
    if (!test::same(x.quality, y.quality) || x.flips != y.flips) return name + ": quality";
    if (x.verdict.has_value() != y.verdict.has_value()) return name + ": no verdict";
    if (x.verdict && (x.verdict->word != y.verdict->word || x.verdict->reasons != y.verdict->reasons)) {
      return name + ": verdict";
    }
  }
  return {};
}

/// The error that `call` throws.
template <class Call>
Error refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::CallOrder, {"nothing was refused", "", 0, 0, "", "", "", ""}};
}

record::RuleVerdict rule_of(const Arm& arm, const std::string& name) {
  for (const record::RuleVerdict& rule : arm.row.end.verdict->rules) {
    if (rule.name == name) return rule;
  }
  return {};
}

bool mentions(const Error& error, const std::string& text) {
  return sentence(error.facts()).find(text) != std::string::npos;
}

}  // namespace

class ResumeTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_resumed_run_equals_an_unbroken_one_bit_for_bit_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("dropout, FP16 with a scaler, BF16") << QByteArray::fromStdString(kDropout);
    QTest::newRow("momentum, accumulation, step schedule") << QByteArray::fromStdString(kMomentum);
    QTest::newRow("BatchNorm, Adam") << QByteArray::fromStdString(kBatchNorm);
    QTest::newRow("attributes of the model's code") << QByteArray::fromStdString(kStateful);
    QTest::newRow("RMSprop, warm-up, cosine") << QByteArray::fromStdString(kCosine);
    QTest::newRow("three optimizers, per iteration, shadows") << QByteArray::fromStdString(kOptimizers);
    QTest::newRow("hysteresis, floor, switch") << QByteArray::fromStdString(kSwitch);
    QTest::newRow("LBFGS") << QByteArray::fromStdString(kLbfgs);
  }

  void a_resumed_run_equals_an_unbroken_one_bit_for_bit() {
    QFETCH(QByteArray, text);
    Box unbroken;
    const Outcome whole = unbroken.run(text.toStdString());
    const auto steps = static_cast<std::int64_t>(whole.arms[0].steps.size());
    QVERIFY(steps >= 30);
    std::random_device seed;
    for (int time = 0; time < 5; ++time) {  // 40 random steps over the eight experiments
      const std::int64_t stop = std::uniform_int_distribution<std::int64_t>(1, steps - 1)(seed);
      Box box;
      const Outcome stopped = box.run(text.toStdString(), stop);
      QCOMPARE(static_cast<std::int64_t>(stopped.arms[0].steps.size()), stop);
      QCOMPARE(stopped.arms[0].row.end.status, record::Status::Stopped);
      QVERIFY(stopped.summary.stopped_as_planned);
      const std::string found = differences(whole, box.resume(stopped.arms.back().row.id));
      QVERIFY2(found.empty(), ("stopped after step " + std::to_string(stop) + "; " + found).c_str());
      QCOMPARE(box.reader().trials().size(), whole.arms.size());
    }
  }

  void evaluations_on_the_way_change_nothing_that_a_model_keeps() {
    Box plain;
    Box busy;
    std::string without = kStateful;
    without.erase(without.find("evaluate_every = 7\n"), 19);
    const std::string found = differences(plain.run(without), busy.run(kStateful));
    QVERIFY2(found.empty(), found.c_str());
  }

  void what_no_checkpoint_can_hold_refuses_the_resume_by_name() {
    Box box;
    std::string text = kStateful;
    text.replace(text.find("stateful.pt"), 11, "carrying.pt");
    const std::int64_t id = box.run(text, 3).arms[1].row.id;
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "carried, which carries a history of gradients") && mentions(error, "register_buffer"),
             error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void a_state_of_before_attributes_were_kept_is_refused_where_the_model_has_some() {
    Box box;
    const std::int64_t id = box.run(kStateful, 3).arms[1].row.id;
    // As an earlier version would have written it, hash and all.
    record::CheckpointSet set{3, 0, {}};
    for (const std::int64_t arm : {1, 2, 3}) {
      record::ArmState state = box.reader().state(arm, 3);
      const auto is_attribute = [](const auto& name) { return name.rfind("attributes.", 0) == 0; };
      QVERIFY(state.values.count("attributes.text") > 0);
      state.values.erase("attributes.text");
      state.tensors.erase(std::remove_if(state.tensors.begin(), state.tensors.end(),
                                         [&](const record::TensorBytes& tensor) { return is_attribute(tensor.name); }),
                          state.tensors.end());
      set.arms.push_back({arm, std::move(state)});
    }
    archive::Writer writer(box.path);
    writer.write_checkpoint(std::move(set));
    writer.close();
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "of an earlier version lacks what the model keeps"), error.what());
  }

  void a_switch_of_policy_is_told_once_wherever_the_run_stops() {
    // Nine overflows are tolerated, the tenth finds the scale at its floor: from step 11 on under the other policy.
    for (const std::int64_t stop : {9, 10, 11, 20}) {
      Box box;
      const std::int64_t id = box.run(kSwitch, stop).arms[1].row.id;
      const Outcome parts = box.resume(id);
      const std::vector<record::PolicyChange> changes = box.reader().trial(id).end.policy_changes;
      QCOMPARE(changes.size(), std::size_t{1});
      QCOMPARE(changes[0].step, std::int64_t{11});
      QCOMPARE(changes[0].trial, std::string("low"));
      QCOMPARE(*parts.arms[1].steps[9].scale_before, 16777216.0);
      QCOMPARE(*parts.arms[1].steps[10].scale_before, 65536.0);
    }
  }

  void a_run_may_stop_and_go_on_after_every_step() {
    Box unbroken;
    const std::string text = kDropout;
    const Outcome whole = unbroken.run(text);
    Box box;
    std::int64_t id = box.run(text, 1).arms[1].row.id;
    for (std::int64_t stop = 2; stop < 7; ++stop) box.resume(id, {}, stop);
    const std::string found = differences(whole, box.resume(id));
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(box.reader().history(id).resumptions.size(), std::size_t{6});
    QCOMPARE(box.reader().history(id).resumptions[2].step, std::int64_t{3});
  }

  void checkpoints_and_evaluations_on_the_way_change_no_bit() {
    Box plain;
    Box busy;
    const std::string text = kDropout;
    std::string with = text;
    with.replace(with.find("batch = 8"), 9, "batch = 8\nevaluate_every = 4\ncheckpoint = { every = 7, keep = 2 }");
    const Outcome a = plain.run(text);
    const Outcome b = busy.run(with);
    const std::string found = differences(a, b);
    QVERIFY2(found.empty(), found.c_str());
    const record::History history = busy.reader().history(b.arms[1].row.id);
    std::vector<std::int64_t> evaluated;
    for (const record::Evaluation& evaluation : history.evaluations) evaluated.push_back(evaluation.step);
    // Every fourth step, and every checkpoint's: 7, 14, 21, 28, 35 and the end.
    QCOMPARE(evaluated, (std::vector<std::int64_t>{4, 7, 8, 12, 14, 16, 20, 21, 24, 28, 32, 35, 36, 40}));
    QCOMPARE(*history.evaluations.back().value, *b.arms[1].row.end.quality);
    QCOMPARE(history.evaluations.back().metric, std::string("rmse"));
    QCOMPARE(history.evaluations.back().direction, record::Direction::Lower);
    QCOMPARE(history.checkpoints.back().step, std::int64_t{40});
    QVERIFY(history.checkpoints.size() >= 2);
    int best = 0;
    for (const record::CheckpointRow& row : history.checkpoints) best += row.best ? 1 : 0;
    QCOMPARE(best, 1);
  }

  void a_run_that_was_killed_goes_on_from_its_last_checkpoint() {
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    Box box;
    std::string text = kDropout;
    text.replace(text.find("batch = 8"), 9, "batch = 8\ncheckpoint = { every = 10 }");
    const Outcome stopped = box.run(text, 27);
    // As a killed run leaves it: steps up to 27, the last checkpoint at 20, the process gone.
    box.sql("DELETE FROM checkpoints WHERE step = 27");
    box.sql("UPDATE trials SET status = 'running', process = 999999999, heartbeat_at = '2020-01-01T00:00:00.000Z'");
    const std::string found = differences(whole, box.resume(stopped.arms[0].row.id));
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(box.reader().history(stopped.arms[0].row.id).resumptions[0].step, std::int64_t{20});
  }

  void a_run_that_was_killed_before_its_verdicts_is_compared_and_judged_data() {
    QTest::addColumn<QByteArray>("killed");
    QTest::newRow("while cases were compared") << QByteArray("id > 0");
    QTest::newRow("after the reference had its end") << QByteArray("id > 1");
    QTest::newRow("before the last trial had its verdict") << QByteArray("id = 3");
  }

  void a_run_that_was_killed_before_its_verdicts_is_compared_and_judged() {
    QFETCH(QByteArray, killed);
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    Box box;
    box.run(kDropout);
    box.sql(
        "UPDATE trials SET status = 'running', finished_at = NULL, process = 999999999, heartbeat_at = "
        "'2020-01-01T00:00:00.000Z' WHERE " +
        killed.toStdString());
    QCOMPARE(box.reader().trial(3).end.status, record::Status::Interrupted);
    const Outcome judged = box.resume(3);
    const std::string found = differences(whole, judged);
    QVERIFY2(found.empty(), found.c_str());
    QCOMPARE(judged.arms[2].row.end.status, record::Status::Finished);
    QVERIFY(!judged.arms[2].row.end.verdict->rules.empty());
    QCOMPARE(box.reader().trials().size(), std::size_t{3});
    QVERIFY(mentions(refusal([&] { box.resume(3); }), "nothing is left to train"));
  }

  void a_stopped_run_can_be_judged_where_it_stopped() {
    Box unbroken;
    std::string shorter = kDropout;
    shorter.replace(shorter.find("steps = 40"), 10, "steps = 27");
    Outcome whole = unbroken.run(shorter);
    Box box;
    const Outcome judged = box.resume(box.run(kDropout, 27).arms[1].row.id, {"training.steps=27"});
    // resume.h: the last step was not the last one when it was made.
    for (std::size_t arm = 0; arm < whole.arms.size(); ++arm) whole.arms[arm].steps[26] = judged.arms[arm].steps[26];
    const std::string found = differences(whole, judged);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_run_that_was_killed_before_its_verdicts_measures_its_gains_with_the_peak_of_all_steps() {
    Box box;
    const std::int64_t id = box.run(kCosine).arms[1].row.id;
    box.sql("UPDATE trials SET status = 'interrupted'");
    std::int64_t peak = 0;
    box.reader().steps(id, [&peak](const record::StepRecord& step) {
      peak = std::max(peak, step.peak_bytes.value_or(0));
      return true;
    });
    QVERIFY(peak > 0);
    session::ResumeOptions options;
    options.archive = box.path;
    options.trial = id;
    options.gains = session::MeasureGains::Short;
    session::resume(options, box.listener, {});
    QVERIFY(box.reader().trial(id).end.gains.has_value());
    QCOMPARE(box.reader().trial(id).end.gains->peak_bytes.value_or(0), peak);
  }

  void a_child_is_judged_by_its_own_steps() {
    // At 1e-20 every gradient of the child is zero in FP16: 10 of its 10 steps. Counted with its parent's 30, which
    // moved, a quarter of the steps would be none to reject a trial for.
    Box box;
    const Outcome parent = box.run(kDropout, 30);
    const Outcome child = box.resume(
        parent.arms[2].row.id,
        {"trial[bf16].autocast=\"float16\"", "trial[bf16].scaler={ init_scale = 1e-20, growth_interval = 50 }"});
    const record::RuleVerdict& rule = rule_of(child.arms[1], "progress.underflow");
    QCOMPARE(rule.verdict, record::VerdictWord::Rejected);
    QVERIFY2(rule.reason.find("every gradient of 10 attempted steps was zero") != std::string::npos,
             rule.reason.c_str());
    QCOMPARE(child.arms[1].row.end.counts.attempted, std::int64_t{40});  // as its steps are numbered
  }

  void a_child_that_never_moved_is_seen_beside_its_own_beginning() {
    // 1e38 overflows in every step: backoff to 0.99 of it leads nowhere in ten steps. The parent's weights had left the
    // seed's long before.
    const std::vector<std::string> policy = {
        "trial[bf16].autocast=\"float16\"",
        "trial[bf16].scaler={ init_scale = 1e38, backoff_factor = 0.99, growth_interval = 50 }"};
    const auto verify = [](const Outcome& child) {
      QVERIFY(child.arms[1].weights[0].bytes != child.arms[0].weights[0].bytes);
      const record::RuleVerdict& rule = rule_of(child.arms[1], "progress.underflow");
      QCOMPARE(rule.verdict, record::VerdictWord::Rejected);
      QVERIFY2(rule.reason.find("weights did not change in 10 attempted steps") != std::string::npos,
               rule.reason.c_str());
    };
    Box box;
    const Outcome parent = box.run(kDropout, 30);
    verify(box.resume(parent.arms[2].row.id, policy));
    // The same where the child itself stops half-way and goes on.
    const Outcome half = box.resume(parent.arms[2].row.id, policy, 34);
    verify(box.resume(half.arms[1].row.id));
  }

  void steps_without_a_gradient_are_seen_without_probes_too() {
    // The scale doubles in every clean step from 2^-50 on. FP16's smallest number is 2^-24: gradients below 1 are all
    // zero until the scale is above 2^-24, which takes 26 of the 40 steps and more.
    std::string text = kDropout;
    text.replace(text.find("init_scale = 16777216, growth_interval = 3"), 42,
                 "init_scale = 8.881784197001252e-16, growth_interval = 1");
    Box with, without;
    const record::RuleVerdict a = rule_of(with.run(text).arms[1], "progress.underflow");
    const record::RuleVerdict b = rule_of(without.run(text, 0, session::Probes::Off).arms[1], "progress.underflow");
    QCOMPARE(a.verdict, record::VerdictWord::Rejected);
    QCOMPARE(b.verdict, a.verdict);
    QCOMPARE(b.reason, a.reason);
    QVERIFY(a.value.value_or(0.0) > 0.5);
  }

  void more_steps_go_on_in_the_same_trial() {
    Box unbroken;
    std::string longer = kDropout;
    longer.replace(longer.find("steps = 40"), 10, "steps = 55");
    const Outcome whole = unbroken.run(longer);
    Box box;
    const Outcome first = box.run(kDropout);
    const Outcome second = box.resume(first.arms[1].row.id, {"training.steps=55"});
    QCOMPARE(second.arms[1].row.id, first.arms[1].row.id);
    QCOMPARE(box.reader().trials().size(), std::size_t{3});
    const std::string found = differences(whole, second);
    QVERIFY2(found.empty(), found.c_str());
  }

  void only_the_looks_at_the_weights_tell_where_a_run_ended_before_it_got_more_steps() {
    // Weights are looked at in every tenth step and in a run's last one: resume.h says that its row keeps them.
    Box unbroken;
    std::string longer = kDropout;
    longer.replace(longer.find("steps = 40"), 10, "steps = 44");
    Outcome whole = unbroken.run(longer);
    Box box;
    std::string shorter = kDropout;
    shorter.replace(shorter.find("steps = 40"), 10, "steps = 37");
    Outcome parts = box.resume(box.run(shorter).arms[1].row.id, {"training.steps=44"});
    QCOMPARE(differences(whole.arms[0].steps[36], parts.arms[0].steps[36]), std::string(" weight_change"));
    QCOMPARE(differences(whole.arms[1].steps[36], parts.arms[1].steps[36]),
             std::string(" weight_change deviation_weight_relative"));
    for (std::size_t arm = 0; arm < whole.arms.size(); ++arm) whole.arms[arm].steps[36] = parts.arms[arm].steps[36];
    const std::string found = differences(whole, parts);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_switch_that_is_due_after_the_last_step_waits_for_more_steps() {
    Box unbroken;
    const Outcome whole = unbroken.run(kSwitch);
    Box box;
    std::string shorter = kSwitch;
    shorter.replace(shorter.find("steps = 40"), 10, "steps = 10");
    const Outcome first = box.run(shorter);
    const record::TrialEnd& end = first.arms[1].row.end;
    QVERIFY(end.policy_changes.empty());  // no step ran under another policy
    const auto tells = [](const record::TrialEnd& of) {
      return std::any_of(of.notes.begin(), of.notes.end(), [](const std::string& note) {
        return note.find("a further step would begin under the policy of trial low") != std::string::npos;
      });
    };
    QVERIFY(tells(end));
    const Outcome second = box.resume(first.arms[1].row.id, {"training.steps=40"});
    QVERIFY(!tells(second.arms[1].row.end));
    QCOMPARE(second.arms[1].row.end.policy_changes.size(), std::size_t{1});
    const std::string found = differences(whole, second);
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_schedule_keeps_the_horizon_of_the_first_run() {
    // 30 steps are the cosine's horizon; with 40 it goes on as PyTorch's does past T_max, and does not start anew.
    Box box;
    const Outcome first = box.run(kCosine);
    const Outcome second = box.resume(first.arms[1].row.id, {"training.steps=34"});
    Box unbroken;
    std::string longer = kCosine;
    longer.replace(longer.find("steps = 30"), 10, "steps = 34");
    longer.replace(longer.find("warmup = 6"), 10, "warmup = 6\ntotal = 30");
    const std::string found = differences(unbroken.run(longer), second);
    QVERIFY2(found.empty(), found.c_str());
  }

  void nothing_left_to_train_is_said() {
    Box box;
    const Outcome first = box.run(kCosine);
    const Error error = refusal([&] { box.resume(first.arms[1].row.id); });
    QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
    QVERIFY2(mentions(error, "nothing is left to train") && mentions(error, "training.steps"), error.what());
    QCOMPARE(box.reader().trial(first.arms[1].row.id).end.status, record::Status::Finished);
  }

  void a_stop_that_lies_behind_the_checkpoint_is_refused() {
    Box box;
    const std::int64_t id = box.run(kCosine, 12).arms[1].row.id;
    for (const std::int64_t stop : {5, 12}) {
      const Error error = refusal([&] { box.resume(id, {}, stop); });
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QVERIFY2(mentions(error, "--stop-after") && mentions(error, "12"), error.what());
      QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
    }
    QCOMPARE(box.resume(id, {}, 13).arms[1].steps.size(), std::size_t{13});
  }

  void settings_that_may_not_change_are_refused_by_name_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("key");
    QTest::newRow("data") << QByteArray("data.seed=4") << QByteArray("data.seed");
    QTest::newRow("rows") << QByteArray("data.rows=60") << QByteArray("data.rows");
    QTest::newRow("order") << QByteArray("data.order=\"file\"") << QByteArray("data.order");
    QTest::newRow("model") << QByteArray("model.hidden=[9]") << QByteArray("model.hidden");
    QTest::newRow("seed") << QByteArray("training.seed=2") << QByteArray("training.seed");
    QTest::newRow("batch") << QByteArray("training.batch=4") << QByteArray("training.batch");
    QTest::newRow("loss") << QByteArray("training.loss=\"l1\"") << QByteArray("training.loss");
    QTest::newRow("rate") << QByteArray("training.optimizer[0].lr=0.1") << QByteArray("training.optimizer[0].lr");
    QTest::newRow("rules") << QByteArray("rules.quality={ max_drop = 1 }") << QByteArray("rules.quality");
    QTest::newRow("cases") << QByteArray("cases.holdout=3") << QByteArray("cases.holdout");
    QTest::newRow("threads") << QByteArray("training.threads=2") << QByteArray("training.threads");
  }

  void settings_that_may_not_change_are_refused_by_name() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, key);
    Box box;
    const std::int64_t id = box.run(kDropout, 3).arms[1].row.id;
    const Error error = refusal([&] { box.resume(id, {change.toStdString()}); });
    QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
    QVERIFY2(mentions(error, key.toStdString()) && mentions(error, "may not change in a resume"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
    QVERIFY(box.reader().history(id).resumptions.empty());
  }

  void an_fp32_checkpoint_goes_on_as_fp16_from_the_configured_scale() {
    // shared/cases 07: the configured initial scale, counter 0, a visible note, FP32 weights bit-equal.
    Box box;
    std::string text = kDropout;
    text.replace(text.find("autocast = \"bfloat16\""), 21, "autocast = \"off\"     ");
    const Outcome parent = box.run(text, 12);
    const std::int64_t id = parent.arms[2].row.id;
    const Outcome child = box.resume(
        id, {"trial[bf16].autocast=\"float16\"", "trial[bf16].scaler={ init_scale = 1024, growth_interval = 50 }"});
    QCOMPARE(child.arms.size(), std::size_t{2});
    const Arm& arm = child.arms[1];
    QVERIFY(arm.row.id != id);
    QCOMPARE(arm.row.start.parent, id);
    QCOMPARE(arm.row.start.parent_step, std::int64_t{12});
    QCOMPARE(child.arms[0].row.start.parent, parent.arms[0].row.id);
    QCOMPARE(arm.row.start.reference, child.arms[0].row.id);
    QCOMPARE(arm.steps.front().step, std::int64_t{13});
    QCOMPARE(*arm.steps.front().scale_before, 1024.0);
    QCOMPARE(arm.steps.front().growth_tracker, arm.steps.front().skipped ? std::int64_t{0} : std::int64_t{1});
    QCOMPARE(arm.steps.size(), std::size_t{28});
    bool noted = false;
    for (const std::string& note : arm.row.end.notes) {
      noted = noted || note.find("holds no scaler state: the loss scale starts at 1024") != std::string::npos;
    }
    QVERIFY(noted);
    bool shown = false;
    for (const std::string& note : box.listener.notes)
      shown = shown || note.find("no scaler state") != std::string::npos;
    QVERIFY(shown);
    const archive::Reader reader = box.reader();
    const auto before = reader.weights(id, "12"), after = reader.weights(arm.row.id, "initial");
    for (std::size_t i = 0; i < before.size(); ++i) {
      QCOMPARE(after[i].dtype, std::string("F32"));
      QVERIFY(after[i].bytes == before[i].bytes);
    }
    // The parent and its siblings stay what they were.
    QCOMPARE(reader.trial(id).end.status, record::Status::Stopped);
    QCOMPARE(reader.trial(parent.arms[1].row.id).end.counts.attempted, std::int64_t{12});
  }

  void an_fp16_checkpoint_goes_on_in_fp32_and_ignores_the_scaler_with_a_note() {
    Box box;
    const Outcome parent = box.run(kDropout, 12);
    const Outcome child =
        box.resume(parent.arms[1].row.id, {"trial[fp16].autocast=\"off\"", "trial[fp16].scaler={ enabled = false }"});
    const Arm& arm = child.arms[1];
    QVERIFY(!arm.steps.front().scale_before);
    bool noted = false;
    for (const std::string& note : arm.row.end.notes) noted = noted || note.find("is ignored") != std::string::npos;
    QVERIFY(noted);
    QVERIFY(box.reader().weights(arm.row.id, "initial")[0].bytes ==
            box.reader().weights(parent.arms[1].row.id, "12")[0].bytes);
    // The reference goes on as if nothing had happened.
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    for (std::size_t i = 0; i < child.arms[0].steps.size(); ++i) {
      const std::string found = differences(whole.arms[0].steps[12 + i], child.arms[0].steps[i]);
      QVERIFY2(found.empty(), found.c_str());
    }
  }

  void a_run_without_trials_gets_one_from_its_checkpoint() {
    Box box;
    const std::string text = kDropout.substr(0, kDropout.find("[[trial]]"));
    const Outcome parent = box.run(text, 10);
    QCOMPARE(parent.arms.size(), std::size_t{1});
    const Outcome child = box.resume(parent.arms[0].row.id, {"trial[0].name=\"new\"", "trial[0].autocast=\"float16\""});
    QCOMPARE(child.arms[1].row.start.name, std::string("new"));
    QCOMPARE(child.arms[1].row.start.parent, parent.arms[0].row.id);
    QCOMPARE(*child.arms[1].steps.front().scale_before, 65536.0);
  }

  void a_child_that_stops_goes_on_as_a_trial_of_its_own() {
    Box box;
    const Outcome parent = box.run(kDropout, 10);
    const std::vector<std::string> policy = {"trial[bf16].autocast=\"off\""};
    const Outcome whole = box.resume(parent.arms[2].row.id, policy);
    const Outcome part = box.resume(parent.arms[2].row.id, policy, 20);
    QCOMPARE(part.arms[1].steps.size(), std::size_t{10});
    const Outcome parts = box.resume(part.arms[1].row.id);
    QCOMPARE(parts.arms[1].row.id, part.arms[1].row.id);
    for (std::size_t i = 0; i < whole.arms[1].steps.size(); ++i) {
      const std::string found = differences(whole.arms[1].steps[i], parts.arms[1].steps[i]);
      QVERIFY2(found.empty(), found.c_str());
    }
  }

  void a_failed_trial_stays_failed_and_the_others_go_on() {
    // 1e-39: its reciprocal is infinite in FP32, the first unscaled gradients are not finite.
    std::string text = kDropout;
    text.replace(text.find("init_scale = 16777216"), 21, "init_scale = 1e-39   ");
    Box unbroken;
    const Outcome whole = unbroken.run(text);
    QCOMPARE(whole.arms[1].row.end.failure, std::string("scale-too-small"));
    Box box;
    const Outcome stopped = box.run(text, 15);
    const std::string found = differences(whole, box.resume(stopped.arms[2].row.id));
    QVERIFY2(found.empty(), found.c_str());
  }

  void a_damaged_checkpoint_is_refused_and_nothing_changes_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("a flipped bit") << QByteArray(
                                          "UPDATE chunks SET bytes = CAST(X'01' || substr(bytes, 2) AS BLOB) WHERE id "
                                          "= (SELECT chunk FROM tensor_chunks "
                                          "JOIN tensors ON tensors.id = tensor WHERE trial = 2 AND moment = "
                                          "'checkpoint 9' AND name = 'model.0.weight')")
                                   << QByteArray("model.0.weight");
    QTest::newRow("cut")
        << QByteArray(
               "UPDATE chunks SET bytes = substr(bytes, 1, 8) WHERE id = (SELECT chunk FROM tensor_chunks "
               "JOIN tensors ON tensors.id = tensor WHERE trial = 2 AND moment = 'checkpoint 9' AND name = "
               "'model.0.weight')")
        << QByteArray("model.0.weight");
    QTest::newRow("a number") << QByteArray("UPDATE checkpoint_values SET value = '8' WHERE name = 'tally.applied'")
                              << QByteArray("numbers");
  }

  void a_damaged_checkpoint_is_refused_and_nothing_changes() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, named);
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    QCOMPARE(id, std::int64_t{2});
    box.sql(change.toStdString());
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, named.toStdString()) && mentions(error, "checkpoint at step 9"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void a_damaged_checkpoint_names_the_sound_ones_which_lead_on() {
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    std::string text = kDropout;
    text.replace(text.find("batch = 8"), 9, "batch = 8\ncheckpoint = { every = 10 }");
    Box box;
    const std::int64_t id = box.run(text, 27).arms[1].row.id;
    box.sql(
        "UPDATE checkpoint_values SET value = '8' WHERE name = 'tally.applied' AND checkpoint IN (SELECT id FROM "
        "checkpoints WHERE step = 27)");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, "checkpoint at step 27") && mentions(error, "at step 20, 10") &&
                 mentions(error, "resume 1 --at 20"),
             error.what());
    const Error elsewhere = refusal([&] { box.resume(id, {}, 0, 15); });
    QCOMPARE(elsewhere.kind(), ErrorKind::UnknownTrial);
    QVERIFY2(mentions(elsewhere, "--at 15") && mentions(elsewhere, "27, 20, 10"), elsewhere.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);

    const std::string found = differences(whole, box.resume(id, {}, 0, 20));
    QVERIFY2(found.empty(), found.c_str());
    QVERIFY(std::any_of(box.listener.notes.begin(), box.listener.notes.end(), [](const std::string& note) {
      return note.find("after step 20 is replaced") != std::string::npos;
    }));
  }

  void where_no_checkpoint_is_sound_that_is_said() {
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    box.sql("UPDATE checkpoint_values SET value = '8' WHERE name = 'tally.applied'");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, "No other checkpoint of this run is sound"), error.what());
  }

  void settings_that_are_not_what_was_run_are_damage_data() {
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("named");
    const auto row = [](const char* name, const char* change, const char* named) {
      QTest::newRow(name) << QByteArray(change) << QByteArray(named);
    };
    row("batch", "text = replace(text, 'batch = 8', 'batch = 9')", "training.batch = 9");
    row("seed", "text = replace(text, 'rows = 50', 'rows = 58')", "data.rows = 58");
    row("policy", "text = replace(text, '16777216', '16777218')", "trial[0].scaler.init_scale = 16777218");
    row("rules", "text = replace(text, 'preset = \"default\"', 'non_finite = \"reject\"')", "rules.");
    row("key", "text = replace(text, 'clip_norm', 'clip_nori')", "clip_nori");
    row("trial", "text = replace(text, '[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"', '')", "found trial = ");
    row("resolved", "resolved = replace(resolved, '\"batch\":8', '\"batch\":9')", "column resolved");
    row("cut", "resolved = substr(resolved, 1, 40)", "column resolved");
    row("lock", "lock = replace(lock, '\"mode\"', '\"node\"')", "column lock");
    row("hash of the lock", "lock_sha256 = 'a' || substr(lock_sha256, 2, 62) || 'z'", "column lock");
    row("rules as judged", "rules = replace(rules, '0.98', '0.08')", "column rules");
  }

  void settings_that_are_not_what_was_run_are_damage() {
    QFETCH(QByteArray, change);
    QFETCH(QByteArray, named);
    Box box;
    const std::int64_t id = box.run(kDropout, 3).arms[1].row.id;
    box.sql("UPDATE experiments SET " + change.toStdString());
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
    QVERIFY2(mentions(error, named.toStdString()) && mentions(error, "table experiments, row 1"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void what_says_nothing_about_the_run_may_stand_otherwise() {
    Box box;
    const std::int64_t id = box.run("# A comment of 1 line\n" + kDropout, 3).arms[1].row.id;
    box.sql("UPDATE experiments SET text = replace(text, '1 line', '2 line')");
    QCOMPARE(box.resume(id, {}, 4).arms[1].steps.size(), std::size_t{4});
  }

  void overrides_that_are_no_list_of_texts_are_damage() {
    for (const char* const list : {"[\"training.steps=12\"", "[12]", "{}", ""}) {
      Box box;
      const std::int64_t id = box.run(kDropout, 3).arms[1].row.id;
      box.resume(id, {"training.steps=12"}, 5);
      box.sql("UPDATE resumptions SET overrides = '" + std::string(list) + "'");
      const Error error = refusal([&] { box.resume(id); });
      QCOMPARE(error.kind(), ErrorKind::ArchiveDamaged);
      QVERIFY2(mentions(error, "table resumptions") && mentions(error, "column overrides"), error.what());
    }
  }

  void a_checkpoint_of_another_model_is_refused() {
    // The checkpoints of a wider model in the place of those of this one.
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    std::string wider = kDropout;
    wider.replace(wider.find("hidden = [8]"), 12, "hidden = [9]");
    box.run(wider, 9);
    for (const char* const sql :
         {"DELETE FROM checkpoints WHERE trial <= 3", "DELETE FROM tensors WHERE trial <= 3 AND moment <> 'initial'",
          "UPDATE checkpoints SET trial = trial - 3",
          "UPDATE tensors SET trial = trial - 3 WHERE trial > 3 AND moment = "
          "'checkpoint 9'"}) {
      box.sql(sql);
    }
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(mentions(error, "the checkpoint is of another model") && mentions(error, "0.weight"), error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);
  }

  void data_that_has_changed_is_refused() {
    Box box;
    const auto write = [&box](const char* last) {
      QFile file(QString::fromStdString(box.file("line.csv")));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QByteArray("x,y\n1,2\n2,4\n3,6\n4,") + last);
    };
    write("8\n");
    const std::string text = "mantissa = 1\n[data]\npath = \"" + box.file("line.csv") +
                             "\"\ntask = \"regression\"\ntest = { fraction = 0 }\n[model]\nkind = \"linear\"\n"
                             "[training]\nthreads = 1\nsteps = 30\nbatch = 2\n";
    const std::int64_t id = box.run(text, 9).arms[0].row.id;
    write("9\n");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::DataProblem);
    QVERIFY2(mentions(error, "the data is not what the run was begun with"), error.what());
  }

  void a_model_file_with_other_code_and_equal_weights_is_refused() {
    // Both files of make_greedy.py hold weight 0.5 and bias 0; what they compute in BF16 differs.
    const std::string folder = MANTISSA_SOURCE_DIR "/tests/core/session/";
    Box box;
    box.put("model.pt", folder + "greedy.pt");
    const std::string text =
        "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 32\nfeatures = 1\n[model]\nkind = \"torchscript\"\npath "
        "= \"" +
        box.file("model.pt") + "\"\n[training]\nthreads = 1\nsteps = 9\nbatch = 8\n";
    const std::int64_t id = box.run(text, 3).arms[0].row.id;
    box.put("model.pt", folder + "hungry.pt");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::ModelProblem);
    QVERIFY2(
        mentions(error, "the model file is not what the run was begun with") && mentions(error, "model_file.sha256"),
        error.what());
    QCOMPARE(box.reader().trial(id).end.status, record::Status::Stopped);

    box.put("model.pt", folder + "greedy.pt");
    QCOMPARE(box.resume(id, {}, 4).arms[0].steps.size(), std::size_t{4});
    // As an earlier version left it: the lock says nothing about the file.
    std::string lock = box.reader().experiment(1).lock;
    const std::size_t begin = lock.find("\"model_file\":{");
    QVERIFY(begin != std::string::npos);
    lock.erase(begin, lock.find("},", begin) + 2 - begin);
    box.sql("UPDATE experiments SET lock = '" + lock + "', lock_sha256 = '" + sha256(lock) + "'");
    box.put("model.pt", folder + "hungry.pt");
    QCOMPARE(box.resume(id, {}, 5).arms[0].steps.size(), std::size_t{5});
    QVERIFY(std::any_of(box.listener.notes.begin(), box.listener.notes.end(), [](const std::string& note) {
      return note.find("did not note which model file") != std::string::npos;
    }));
  }

  void a_run_without_a_checkpoint_is_refused() {
    Box box;
    const std::int64_t id = box.run(kDropout, 9).arms[1].row.id;
    box.sql("DELETE FROM checkpoints");
    const Error error = refusal([&] { box.resume(id); });
    QCOMPARE(error.kind(), ErrorKind::UnknownTrial);
    QVERIFY2(mentions(error, "no checkpoint") && mentions(error, "training.checkpoint"), error.what());
  }

  void a_rule_of_the_first_run_judges_the_resumed_one() {
    Box box;
    const Outcome first = box.run(kDropout, 9);
    const std::string hash = box.reader().experiment(first.summary.experiment_id).rules_sha256;
    const Outcome second = box.resume(first.arms[1].row.id);
    QCOMPARE(second.arms[1].row.end.verdict->rules_sha256, hash);
  }
};

QTEST_APPLESS_MAIN(ResumeTests)
#include "resume_tests.moc"
