// SPDX-License-Identifier: Apache-2.0
// What the tests of resume share: experiments of every kind of state, an archive to run and resume in, and the
// comparison of two runs bit by bit.
#pragma once

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

namespace mantissa::test {

class Listener : public session::Observer {
 public:
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
  std::vector<std::string> notes;
};

inline const std::string kHead = "mantissa = 1\nname = \"r\"\n[data]\nsource = \"gaussian\"\nrows = 50\nfeatures = 6\n";

/// Dropout, FP16 with a scaler that grows and overflows, BF16 beside it, clipping, short last windows.
inline const std::string kDropout = kHead + R"(
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
inline const std::string kMomentum = kHead + R"(
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
inline const std::string kBatchNorm = kHead + R"(
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
inline const std::string kStateful = kHead + R"(
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
shadow_every = 10
[[trial]]
name = "jit"
autocast = "bfloat16"
cast_policy = "jit"
shadow_every = 10
)";

/// Warm-up and a cosine over the first run's length, RMSprop, files in their own order.
inline const std::string kCosine = kHead + R"(
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
inline const std::string kOptimizers = kHead + R"(
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
inline const std::string kSwitch = kHead + R"(
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
inline const std::string kLbfgs = kHead + R"(
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
inline std::string differences(const record::StepRecord& a, const record::StepRecord& b) {
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

inline std::string differences(const Outcome& whole, const Outcome& parts) {
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

inline record::RuleVerdict rule_of(const Arm& arm, const std::string& name) {
  for (const record::RuleVerdict& rule : arm.row.end.verdict->rules) {
    if (rule.name == name) return rule;
  }
  return {};
}

inline bool mentions(const Error& error, const std::string& text) {
  return sentence(error.facts()).find(text) != std::string::npos;
}

}  // namespace mantissa::test
