// SPDX-License-Identifier: Apache-2.0
#include <clocale>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/spec/parse.h"
#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

class SpecParseTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scalar_example_of_the_contract_is_read() {
    const Experiment e = parse(scalar_example);
    QCOMPARE(e.name, std::string("example"));
    QCOMPARE(e.data.path, std::string("folder/pattern.csv"));
    QCOMPARE(e.data.path_as_written, std::string("pattern.csv"));
    QVERIFY(e.data.task == Task::Regression);
    QVERIFY(e.data.order == Order::File);
    QCOMPARE(e.data.test->fraction, 0.0);
    QVERIFY(e.model.kind == ModelKind::TorchScript);
    QCOMPARE(e.model.path, std::string("folder/linear_w1.pt"));
    QCOMPARE(e.training.threads, 1);
    QVERIFY(!e.training.steps);
    QCOMPARE(*e.training.epochs, 1);
    QCOMPARE(*e.training.batch, 1);
    QVERIFY(e.training.loss == Loss::Mse);
    QCOMPARE(e.training.optimizers.size(), std::size_t{1});
    QVERIFY(e.training.optimizers[0].kind == OptimizerKind::Sgd);
    QCOMPARE(e.training.optimizers[0].lr, 0.1);
    QVERIFY(e.training.schedule.kind == ScheduleKind::Step);
    QCOMPARE(e.training.schedule.gamma, 0.5);
    QCOMPARE(e.training.schedule.every, 1);
    QCOMPARE(e.trials.size(), std::size_t{1});
    QCOMPARE(e.trials[0].name, std::string("fp16"));
    QVERIFY(e.trials[0].autocast == Autocast::Float16);
    QVERIFY(e.trials[0].scaler.enabled);
    QCOMPARE(e.trials[0].scaler.init_scale, 8192.0);
    QCOMPARE(e.trials[0].scaler.growth_interval, 3);
    QVERIFY(!e.rules);
    QVERIFY(e.warnings.empty());
  }

  void absent_keys_have_the_defaults_of_the_contract() {
    const Experiment e = parse(least_example);
    QCOMPARE(*e.training.steps, 1000);
    QVERIFY(!e.training.epochs && !e.training.batch && !e.training.loss);
    QCOMPARE(e.training.seed, std::uint64_t{1});
    QCOMPARE(e.training.accumulate, 1);
    QCOMPARE(e.training.ignore_index, -100);
    QCOMPARE(e.training.optimizers.size(), std::size_t{1});
    QVERIFY(e.training.optimizers[0].kind == OptimizerKind::AdamW);
    QCOMPARE(e.training.optimizers[0].lr, 1e-3);
    QCOMPARE(e.training.optimizers[0].weight_decay, 0.01);
    QCOMPARE(e.training.optimizers[0].parameters, std::vector<std::string>{"*"});
    QCOMPARE(e.model.hidden, std::vector<std::int64_t>{128});
    QVERIFY(!e.data.test && !e.data.standardize && !e.data.task);
    QVERIFY(e.trials.empty());
    QCOMPARE(e.cases.holdout, 0);
  }

  void every_available_key_reaches_its_member() {
    const Experiment e = parse(R"(mantissa = 1
name = "all"
description = "says so"
[data]
path = "sub/train.csv.gz"
columns = { inputs = ["a", "b"], target = ["y", "z"], id = "key", slice = "region" }
task = "regression"
labels = "map"
classes = 4
target_transform = "log10"
shape = [1, 2]
order = "file"
test = { path = "test.csv" }
standardize = true
missing = "drop"
[model]
kind = "mlp"
hidden = [5, 6]
activation = "silu"
dropout = 0.25
bias = false
[training]
device = "cpu"
threads = 3
seed = 9
steps = 0
batch = 7
accumulate = 2
drop_last = true
loss = "huber"
reduction = "sum"
ignore_index = -1
clip_norm = 1.5
on_non_finite = "apply"
float32_matmul = "medium"
[[training.optimizer]]
kind = "sgd"
lr = 1
weight_decay = 0.5
momentum = 0.9
nesterov = true
maximize = true
clip_norm = 2
parameters = ["fc1.*", "head"]
[[trial]]
name = "bf16"
autocast = "bfloat16"
cast_policy = "device"
float32_regions = ["loss"]
[trial.scaler]
enabled = true
preset = "pytorch"
init_scale = 4.0
growth_factor = 1.5
backoff_factor = 0.25
growth_interval = 10
[[trial]]
name = "off"
autocast = "off"
[cases]
holdout = 12
[rules]
target = "cuda"
threshold = 0.25
non_finite = "reject"
[[rules.output]]
name = "mean"
of = "trained"
measure = "case_relative"
reduce = "mean"
max = 0.5
[[rules.output]]
name = "tail"
q = 0.9
max = { float16 = 1e-3, bfloat16 = 1e-2 }
[rules.flips]
of = "trained"
max = 3
ties = "lowest-index"
boundary = { max = 2 }
[rules.quality]
of = "same_weights"
metric = "mae"
direction = "lower"
max = 3
max_drop = 0.5
max_drop_relative = 0.1
[rules.progress]
min_applied_fraction = 0.9
max_consecutive_skips = 4
[expect]
bf16 = "undecided"
)");
    QCOMPARE(e.name, std::string("all"));
    QCOMPARE(e.description, std::string("says so"));
    QCOMPARE(e.data.path, std::string("folder/sub/train.csv.gz"));
    QCOMPARE(e.data.columns.inputs, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(e.data.columns.target, (std::vector<std::string>{"y", "z"}));
    QCOMPARE(e.data.columns.id, std::string("key"));
    QCOMPARE(e.data.columns.slice, std::string("region"));
    QVERIFY(e.data.labels == Labels::Map);
    QCOMPARE(*e.data.classes, 4);
    QVERIFY(e.data.target_transform == TargetTransform::Log10);
    QCOMPARE(e.data.shape, (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(e.data.test->path, std::string("folder/test.csv"));
    QCOMPARE(*e.data.standardize, true);
    QVERIFY(e.data.missing == Missing::Drop);
    QCOMPARE(e.model.hidden, (std::vector<std::int64_t>{5, 6}));
    QVERIFY(e.model.activation == Activation::Silu);
    QCOMPARE(e.model.dropout, 0.25);
    QCOMPARE(e.model.bias, false);
    QCOMPARE(e.training.threads, 3);
    QCOMPARE(e.training.seed, std::uint64_t{9});
    QCOMPARE(*e.training.steps, 0);
    QCOMPARE(*e.training.batch, 7);
    QCOMPARE(e.training.accumulate, 2);
    QCOMPARE(e.training.drop_last, true);
    QVERIFY(e.training.loss == Loss::Huber);
    QVERIFY(e.training.reduction == Reduction::Sum);
    QCOMPARE(e.training.ignore_index, -1);
    QCOMPARE(*e.training.clip_norm, 1.5);
    QVERIFY(e.training.on_non_finite == OnNonFinite::Apply);
    QCOMPARE(e.training.float32_matmul, std::string("medium"));
    const Optimizer& sgd = e.training.optimizers[0];
    QVERIFY(sgd.kind == OptimizerKind::Sgd);
    QCOMPARE(sgd.lr, 1.0);
    QCOMPARE(sgd.weight_decay, 0.5);
    QCOMPARE(sgd.momentum, 0.9);
    QVERIFY(sgd.nesterov && sgd.maximize);
    QCOMPARE(*sgd.clip_norm, 2.0);
    QCOMPARE(sgd.parameters, (std::vector<std::string>{"fc1.*", "head"}));
    const Trial& trial = e.trials[0];
    QVERIFY(trial.autocast == Autocast::BFloat16);
    QVERIFY(trial.loss_in_float32 && trial.scaler.enabled);
    QCOMPARE(trial.scaler.init_scale, 4.0);
    QCOMPARE(trial.scaler.growth_factor, 1.5);
    QCOMPARE(trial.scaler.backoff_factor, 0.25);
    QCOMPARE(trial.scaler.growth_interval, 10);
    QVERIFY(e.trials[1].autocast == Autocast::Off);
    QCOMPARE(e.cases.holdout, 12);
    QCOMPARE(e.rules->target, std::string("cuda"));
    QCOMPARE(e.rules->threshold, 0.25);
    QVERIFY(e.rules->threshold_given);
    QCOMPARE(e.rules->output.size(), std::size_t{2});
    QVERIFY(e.rules->output[0].of == Of::Trained);
    QVERIFY(e.rules->output[0].reduce == Reduce::Mean);
    QCOMPARE(e.rules->output[0].max, (std::map<std::string, double>{{"", 0.5}}));
    QCOMPARE(e.rules->output[1].name, std::string("tail"));
    QCOMPARE(e.rules->output[1].q, 0.9);
    QCOMPARE(e.rules->output[1].max, (std::map<std::string, double>{{"float16", 1e-3}, {"bfloat16", 1e-2}}));
    QVERIFY(e.rules->flips->of == Of::Trained);
    QCOMPARE(*e.rules->flips->max, 3);
    QCOMPARE(e.rules->flips->max_by_kind, (std::map<std::string, std::int64_t>{{"boundary", 2}}));
    QVERIFY(!e.rules->flips_from_preset);
    const QualityRule& quality = e.rules->quality[0];
    QVERIFY(quality.of == Of::SameWeights);
    QCOMPARE(quality.metric, std::string("mae"));
    QCOMPARE(quality.direction, std::string("lower"));
    QVERIFY(!quality.min);
    QCOMPARE(*quality.max, 3.0);
    QCOMPARE(*quality.max_drop, 0.5);
    QCOMPARE(*quality.max_drop_relative, 0.1);
    QCOMPARE(*e.rules->progress->min_applied_fraction, 0.9);
    QCOMPARE(*e.rules->progress->max_consecutive_skips, 4);
    QCOMPARE(e.expect, (std::map<std::string, std::string>{{"bf16", "undecided"}}));
  }
};

QTEST_APPLESS_MAIN(SpecParseTests)
#include "parse_tests.moc"
