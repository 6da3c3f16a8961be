// SPDX-License-Identifier: Apache-2.0
#include <clocale>
#include <locale>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/spec/parse.h"
#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

class GermanNumbers : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

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
activation_checkpointing = "blocks"
evaluate_every = 20
checkpoint = { every = 50, keep = 3 }
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
    QVERIFY(e.training.activation_checkpointing == ActivationCheckpointing::Blocks);
    QCOMPARE(*e.training.evaluate_every, 20);
    QCOMPARE(*e.training.checkpoint.every, 50);
    QCOMPARE(*e.training.checkpoint.keep, 3);
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
    QCOMPARE(e.expect.size(), std::size_t{1});
    QCOMPARE(e.expect.at("bf16").verdict, std::string("undecided"));
    QVERIFY(e.expect.at("bf16").needs.empty());
  }

  void optimizer_defaults_are_pytorch_s_of_the_kind() {
    // torch.optim.SGD, Adam, AdamW of PyTorch 2.11: weight_decay 0, 0, 0.01.
    const auto block = [](const std::string& kind) {
      return parse_more("[[training.optimizer]]\nkind = \"" + kind + "\"\n").training.optimizers[0];
    };
    QCOMPARE(block("sgd").weight_decay, 0.0);
    QCOMPARE(block("sgd").lr, 1e-3);
    QCOMPARE(block("adam").weight_decay, 0.0);
    QCOMPARE(block("adamw").weight_decay, 0.01);
    QCOMPARE(block("adam").beta2, 0.999);
    QCOMPARE(block("adam").eps, 1e-8);
  }

  void betas_are_read_in_order() {
    const Optimizer adam =
        parse_more("[[training.optimizer]]\nkind = \"adam\"\nbetas = [0.5, 0.75]\n").training.optimizers[0];
    QCOMPARE(adam.beta1, 0.5);
    QCOMPARE(adam.beta2, 0.75);
  }

  void epochs_replace_the_default_of_steps() {
    const Experiment e = parse_more("[training]\nepochs = 2\n");
    QVERIFY(!e.training.steps);
    QCOMPARE(*e.training.epochs, 2);
  }

  void a_budget_is_read_in_seconds_and_is_no_part_of_the_hash() {
    const Experiment e = parse_more("[budget]\ndeadline = \"8 h\"\nprice_per_hour = 2.50\n");
    QCOMPARE(e.budget.deadline_seconds.value(), 28800.0);
    QCOMPARE(e.budget.price_per_hour.value(), 2.5);
    QVERIFY(!parse(least_example).budget.deadline_seconds && !parse(least_example).budget.price_per_hour);
    QCOMPARE(canonical_json_to_hash(e), canonical_json_to_hash(parse(least_example)));
    QVERIFY(
        canonical_json(e).find(
            R"("budget":{"deadline":28800,"device_memory":null,"growth_limit":null,"price_per_hour":2.5,"reserve":0})") !=
        std::string::npos);
  }

  void a_budget_of_memory_is_read_in_bytes() {
    const Experiment e = parse_more("[budget]\ndevice_memory = \"24 GB\"\nreserve = 0.10\ngrowth_limit = \"200 MB\"\n");
    QCOMPARE(e.budget.growth_limit_bytes.value(), std::int64_t{200'000'000});
    QCOMPARE(e.budget.device_memory_bytes.value(), std::int64_t{24'000'000'000});
    QCOMPARE(e.budget.reserve, 0.10);
    const Experiment binary = parse_more("[budget]\ndevice_memory = \"24 GiB\"\n");
    QCOMPARE(binary.budget.device_memory_bytes.value(), std::int64_t{24} << 30);
    QVERIFY(!parse(least_example).budget.device_memory_bytes);
    QCOMPARE(parse(least_example).budget.reserve, 0.0);
  }

  void scaler_is_on_for_float16_alone_unless_told() {
    const Experiment e = parse_more(R"([[trial]]
name = "fp16"
autocast = "float16"
[[trial]]
name = "bf16"
autocast = "bfloat16"
[[trial]]
name = "bare"
autocast = "float16"
scaler = { enabled = false }
)");
    QVERIFY(e.trials[0].scaler.enabled);
    QVERIFY(!e.trials[1].scaler.enabled);
    QVERIFY(!e.trials[2].scaler.enabled);
    QCOMPARE(e.trials[0].scaler.init_scale, 65536.0);
    QCOMPARE(e.trials[0].scaler.growth_interval, 2000);
  }

  void default_preset_holds_the_rules_of_the_contract() {
    const Experiment e = parse_more("[rules]\npreset = \"default\"\n");
    QCOMPARE(e.rules->output.size(), std::size_t{1});
    QVERIFY(e.rules->output[0].of == Of::SameWeights);
    QVERIFY(e.rules->output[0].reduce == Reduce::Quantile);
    QCOMPARE(e.rules->output[0].q, 0.99);
    QCOMPARE(e.rules->output[0].max, (std::map<std::string, double>{{"float16", 2e-3}, {"bfloat16", 2e-2}}));
    QVERIFY(!e.rules->flips->max);
    QCOMPARE(e.rules->flips->max_by_kind, (std::map<std::string, std::int64_t>{{"ordinary", 0}}));
    QVERIFY(e.rules->flips_from_preset);
    QCOMPARE(e.rules->quality.size(), std::size_t{1});
    QVERIFY(e.rules->quality[0].of == Of::Trained);
    QCOMPARE(*e.rules->quality[0].max_drop_relative, 0.005);
    QCOMPARE(*e.rules->progress->min_applied_fraction, 0.98);
    QVERIFY(!e.rules->progress->max_consecutive_skips);
  }

  void rule_of_the_file_replaces_the_one_of_the_preset() {
    const Experiment e = parse_more(
        "[rules]\nflips = { max = 4 }\nprogress = { max_consecutive_skips = 2 }\n"
        "preset = \"default\"\n");
    QCOMPARE(*e.rules->flips->max, 4);
    QVERIFY(e.rules->flips->max_by_kind.empty());
    QVERIFY(!e.rules->flips_from_preset);
    QVERIFY(!e.rules->progress->min_applied_fraction);
    QCOMPARE(e.rules->output.size(), std::size_t{1});
  }

  void partial_rules_hold_what_they_state() {
    const Experiment e = parse_more("[rules]\nprogress = { min_applied_fraction = 0.5 }\n");
    QVERIFY(e.rules->output.empty() && !e.rules->flips && e.rules->quality.empty());
    QVERIFY(!e.rules->threshold_given);
  }

  void empty_rules_are_not_the_same_as_none() {
    QVERIFY(parse_more("[rules]\n").rules.has_value());
    QVERIFY(!parse(least_example).rules.has_value());
  }

  void every_key_has_its_position() {
    const Experiment e = parse(scalar_example);
    // Lines counted in the text of the example.
    QCOMPARE(e.position("mantissa").line, 1);
    QCOMPARE(e.position("data.test").line, 6);
    QCOMPARE(e.position("data.test.fraction").line, 6);
    QCOMPARE(e.position("data.test.fraction").column, 10);
    QCOMPARE(e.position("training.batch").line, 13);
    QCOMPARE(e.position("training.optimizer[0].lr").line, 17);
    QCOMPARE(e.position("training.schedule.every").line, 21);
    QCOMPARE(e.position("trial[0].name").line, 23);
    QCOMPARE(e.position("trial[0].scaler.init_scale").line, 26);
    QCOMPARE(e.position("training.accumulate").line, 0);
  }

  void keys_of_later_trials_have_their_own_positions() {
    const Experiment e =
        parse_more("[[trial]]\nname = \"a\"\nautocast = \"off\"\n[[trial]]\nname = \"b\"\nautocast = \"off\"\n");
    QCOMPARE(e.position("trial[1].name").line, 10);
    QCOMPARE(e.position("trial[1]").line, 9);
  }

  void absolute_paths_stay_as_they_are() {
    const Experiment e = parse("mantissa = 1\n[data]\npath = \"/data/a.csv\"\n[model]\nkind = \"linear\"\n");
    QCOMPARE(e.data.path, std::string("/data/a.csv"));
  }

  void values_that_mean_off_are_accepted_though_their_feature_is_not_there() {
    const Experiment e = parse_more(R"(prediction = "output"
[training]
device = "cpu"
tf32 = false
stop_on = []
activation_checkpointing = "off"
[training.schedule]
kind = "constant"
warmup = 0
per = "applied-update"
[[trial]]
name = "t"
autocast = "float16"
mode = "paired"
scaler = { preset = "pytorch", hysteresis = 1, hysteresis_refill = "growth", floor = 0, ceiling = 0.0, at_floor = "continue" }
[cases]
boundary = 0
[rules]
triggers = []
)");
    QCOMPARE(e.trials.size(), std::size_t{1});
  }

  void reference_says_what_it_is_measured_against() {
    const Reference none = parse_more("").reference;
    QCOMPARE(none.rounding_repeats + none.repeats, std::int64_t{0});
    QVERIFY(!none.float64);
    QCOMPARE(none.vary, std::vector<std::string>{"seed"});
    const Reference asked =
        parse_more("[reference]\nrounding_repeats = 2\nrepeats = 3\nvary = [\"order\"]\nfloat64 = true\n").reference;
    QCOMPARE(asked.rounding_repeats, std::int64_t{2});
    QCOMPARE(asked.repeats, std::int64_t{3});
    QCOMPARE(asked.vary, std::vector<std::string>{"order"});
    QVERIFY(asked.float64);
    QCOMPARE(parse_more("[reference]\nvary = [\"seed\", \"order\"]\n").warnings.size(), std::size_t{1});
  }

  void limits_may_be_multiples_of_a_yardstick_alone() {
    const Rules rules = *parse_more("[rules]\noutput = { max_rounding = 50 }\n").rules;
    QVERIFY(rules.output[0].max.empty());
    QCOMPARE(*rules.output[0].max_rounding, 50.0);
    QCOMPARE(
        *parse_more("[rules]\noutput = { of = \"trained\", max = 1, max_spread = 2 }\n").rules->output[0].max_spread,
        2.0);
  }

  void shadow_every_is_ten_unless_the_file_says_otherwise() {
    const std::string trial = "[training]\n[[trial]]\nname = \"t\"\nautocast = \"off\"\n";
    QCOMPARE(parse_more(trial.c_str()).trials[0].shadow_every, std::int64_t{10});
    QCOMPARE(parse_more((trial + "shadow_every = 0\n").c_str()).trials[0].shadow_every, std::int64_t{0});
  }

  void integers_stand_for_numbers() {
    const Experiment e = parse_more("[[training.optimizer]]\nlr = 1\nbetas = [0, 0.5]\n");
    QCOMPARE(e.training.optimizers[0].lr, 1.0);
    QCOMPARE(e.training.optimizers[0].beta1, 0.0);
  }

  void seeds_reach_the_largest_integer_of_toml() {
    QCOMPARE(parse_more("[training]\nseed = 9223372036854775807\n").training.seed, std::uint64_t{9223372036854775807U});
  }

  void byte_order_mark_is_no_part_of_the_text() {
    QCOMPARE(parse(std::string("\xEF\xBB\xBF") + least_example).data.source, std::string("digits"));
  }

  void windows_line_ends_keep_the_lines() {
    const Experiment e = parse("mantissa = 1\r\n[data]\r\nsource = \"wine\"\r\n[model]\r\nkind = \"linear\"\r\n");
    QCOMPARE(e.data.source, std::string("wine"));
    QCOMPARE(e.position("model.kind").line, 5);
  }

  void decimal_comma_locale_changes_no_number() {
    // Case 39 of the public reports: strtod("9.8e-2") gives 9 under de_DE.
    QTemporaryDir folder;
    const QByteArray file = (folder.path() + "/de_DE.UTF-8").toLocal8Bit();
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
      QProcess localedef;
      localedef.start("localedef", {"-i", "de_DE", "-f", "UTF-8", QString::fromLocal8Bit(file)});
      localedef.waitForFinished();
      qputenv("LOCPATH", folder.path().toLocal8Bit());
      if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) QSKIP("no German locale here and localedef makes none");
    }
    // The C++ half by a facet of our own: glibc's newlocale leaks under LOCPATH, which the leak checker minds.
    std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
    QCOMPARE(QByteArray(std::localeconv()->decimal_point), QByteArray(","));
    const Experiment e = parse_more("[[training.optimizer]]\nlr = 9.8e-2\n", {"training.clip_norm=1.5"});
    const std::string json = canonical_json(e);
    const std::string message =
        sentence(refusal(least_example + std::string("[training]\nclip_norm = -2.5\n"))->facts());
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, "C");
    qunsetenv("LOCPATH");
    QCOMPARE(e.training.optimizers[0].lr, 0.098);
    QCOMPARE(*e.training.clip_norm, 1.5);
    QVERIFY2(json.find("\"lr\":0.098,") != std::string::npos, json.c_str());
    QVERIFY2(message.find("found -2.5,") != std::string::npos, message.c_str());
  }

  void file_is_read_and_its_text_kept() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("two words.toml").toStdString();
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(least_example);
    file.close();
    const Experiment e = read_experiment(path);
    QCOMPARE(e.name, std::string("two words"));
    QCOMPARE(e.file, path);
    QCOMPARE(e.text, std::string(least_example));
  }

  void scale_below_one_is_accepted_with_a_warning_that_says_what_happens() {
    const auto warnings = [](const std::string& autocast, const std::string& scale) {
      return parse_more("[[trial]]\nname = \"t\"\nautocast = \"" + autocast +
                        "\"\nscaler = { enabled = true, init_scale = " + scale + " }\n")
          .warnings;
    };
    QVERIFY(warnings("float16", "1").empty());
    // 2^-25 / 0.5 = 2^-24 = 5.960464477539063e-08
    QVERIFY(warnings("float16", "0.5").at(0).find("gradients of 5.960464477539063e-08 and smaller become zero") !=
            std::string::npos);
    // Case 03: 1/1e-39 is infinite in FP32, 1/2^-127 = 2^127 is not.
    QVERIFY(warnings("bfloat16", "1e-39").at(0).find("scale-too-small") != std::string::npos);
    QVERIFY(warnings("bfloat16", "5.877471754111438e-39").at(0).find("scale-too-small") == std::string::npos);
  }

  void settings_that_make_little_sense_are_warned_about() {
    const auto warning = [](const std::string& more) {
      const Experiment e = parse_more(more);
      return e.warnings.empty() ? std::string() : e.warnings.front();
    };
    QVERIFY(warning("[[trial]]\nname = \"t\"\nautocast = \"off\"\nscaler = { enabled = true }\n").find("trial[t]: ") ==
            0);
    QVERIFY(warning("[[trial]]\nname = \"t\"\nautocast = \"float16\"\nscaler = { enabled = false }\n")
                .find("without a loss scaler") != std::string::npos);
    QVERIFY(warning("[training]\nfloat32_matmul = \"medium\"\n").find("training.float32_matmul") == 0);
    QCOMPARE(warning("[[trial]]\nname = \"t\"\nautocast = \"bfloat16\"\nscaler = { enabled = true }\n"), std::string());
  }
};

QTEST_APPLESS_MAIN(SpecParseTests)
#include "parse_tests.moc"
