// SPDX-License-Identifier: Apache-2.0
// Memory that grows step by step: seen, named, stopped; and not seen where it only goes up and down.
#include "core/train/growth_watch.h"

#include <QTest>

#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/data/dataset.h"
#include "core/model/network.h"
#include "core/observe/growth_detector.h"
#include "core/precision/module_scope.h"
#include "core/spec/parse.h"
#include "core/train/paired_run.h"

using namespace mantissa;

namespace {

/// y = sum(tanh(x w)) over 64 hidden units; keeps the hidden activations of every forward where it is told to.
class Hoarder : public model::Network {
 public:
  explicit Hoarder(int hoards_every) : hoards_every_(hoards_every) {
    const at::Tensor weight = (at::arange(6 * 64).view({6, 64}).to(at::kFloat) / 1000).requires_grad_();
    parameters_.push_back({"hidden.weight", weight});
    state_.push_back({"hidden.weight", weight});
  }

  at::Tensor forward(const at::Tensor& inputs) override {
    static const std::string kPath = "hidden";
    const precision::ModuleScope scope(kPath);
    const at::Tensor hidden = at::tanh(inputs.mm(parameters_[0].tensor));
    if (hoards_every_ > 0 && ++calls_ % hoards_every_ == 0) hoard_.push_back(hidden);
    return hidden.sum(1, /*keepdim=*/true);
  }
  void set_training(bool) override {}
  std::unique_ptr<Network> clone() const override { return std::make_unique<Hoarder>(hoards_every_); }
  bool may_use_randomness() const override { return false; }

 private:
  int hoards_every_;  // forwards; 0: never
  int calls_ = 0;
  std::vector<at::Tensor> hoard_;
};

struct Trained {
  std::vector<record::StepRecord> records;
  std::vector<std::string> notes;
  std::optional<train::Failure> failure;
  at::Tensor weight;
};

/// 48 rows of 6 features, of which the training part is 38: with batches of 8 the last one of an epoch has 6 rows.
Trained trained_by(int hoards_every, int steps, const std::string& more = {}, bool measure = true) {
  at::set_num_threads(1);
  const spec::Experiment experiment = spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 48\nfeatures = 6\n[model]\nkind = \"linear\"\n[training]\n"
      "threads = 1\nsteps = " +
          std::to_string(steps) + "\nbatch = 8\nloss = \"mse\"\n" + more,
      "test.toml");
  const data::Dataset dataset = data::load(experiment);
  train::BatchPlan plan(experiment, dataset.train);
  std::vector<std::unique_ptr<train::Arm>> arms;
  arms.push_back(
      std::make_unique<train::Arm>("reference", std::make_unique<Hoarder>(hoards_every), experiment, nullptr));
  train::PairedRun run(plan, std::move(arms), measure);
  Trained trained;
  while (run.step([&](std::size_t, record::StepRecord&& step) { trained.records.push_back(step); })) {
  }
  trained.notes = run.arm(0).notes;
  trained.failure = run.arm(0).failure;
  trained.weight = run.arm(0).network->parameters()[0].tensor.detach().clone();
  return trained;
}

const std::string kWholeBatches = "drop_last = true\n";

/// What a detector says after these values, one a step from 1 on.
std::optional<observe::MemoryGrowth> growth_after(int steps, std::int64_t (*live)(std::int64_t)) {
  observe::GrowthDetector detector;
  for (std::int64_t step = 1; step <= steps; ++step) detector.add(step, live(step));
  return detector.growth();
}

}  // namespace

class GrowthWatchTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // 8 rows of 64 hidden values of 4 bytes stay of every step: 2,048 bytes.
  void activations_that_are_kept_are_warned_of_with_their_module() {
    const Trained trained = trained_by(1, 300, kWholeBatches);
    QVERIFY(!trained.failure);
    QCOMPARE(trained.notes.size(), std::size_t{1});
    const QString note = QString::fromStdString(trained.notes[0]);
    QVERIFY2(note.startsWith("Live memory grows by about 2.05 kB a step since step 1."), qPrintable(note));
    QVERIFY2(note.contains("What stays of a step is made in forward by hidden (2.05 kB). Something"), qPrintable(note));
  }

  void traced_steps_count_in_the_records_as_every_other() {
    const Trained trained = trained_by(1, 300, kWholeBatches);
    for (std::size_t i = 2; i < trained.records.size(); ++i) {
      QCOMPARE(*trained.records[i].live_bytes - *trained.records[i - 1].live_bytes, std::int64_t{2048});
    }
  }

  // The first four steps hold 1 to 4 hoards, the latest four at least step - 3: 2,048 * (step - 7) is beyond 100,000
  // from step 56 on. The next eight are traced; then it fails, (64 - 7) * 2,048 = 116,736 bytes later.
  void growth_beyond_the_limit_fails_the_arm() {
    const Trained trained = trained_by(1, 300, kWholeBatches + "[budget]\ngrowth_limit = \"100 kB\"\n");
    QVERIFY(trained.failure.has_value());
    QCOMPARE(trained.failure->reason, std::string("memory"));
    const QString text = QString::fromStdString(trained.failure->text);
    QVERIFY2(text.startsWith("Live memory has grown by 117 kB by step 64, beyond budget.growth_limit (100 kB)."),
             qPrintable(text));
    QVERIFY2(text.contains("made in forward by hidden (2.05 kB)."), qPrintable(text));
    QCOMPARE(trained.records.size(), std::size_t{64});
  }

  // 2,048 bytes every fourth step are 512 a step; of seven steps that are looked at, one or two keep something.
  void what_is_kept_every_few_steps_is_found_where_it_is_made() {
    const Trained trained = trained_by(4, 400, kWholeBatches);
    QCOMPARE(trained.notes.size(), std::size_t{1});
    const QString note = QString::fromStdString(trained.notes[0]);
    QVERIFY2(note.startsWith("Live memory grows by about 512 B a step"), qPrintable(note));
    QVERIFY2(note.contains("made in forward by hidden (") && !note.contains("backward"), qPrintable(note));
  }

  void a_limit_that_is_not_reached_stops_nothing() {
    const Trained trained = trained_by(1, 300, kWholeBatches + "[budget]\ngrowth_limit = \"1 MB\"\n");
    QVERIFY(!trained.failure);
    QCOMPARE(trained.records.size(), std::size_t{300});
  }

  void a_thousand_steps_of_sound_training_raise_no_alarm_data() {
    QTest::addColumn<QString>("more");
    QTest::newRow("adamw, short last batches") << "[budget]\ngrowth_limit = \"1 kB\"\n";
    QTest::newRow("accumulated") << "accumulate = 3\n[budget]\ngrowth_limit = \"1 kB\"\n";
    QTest::newRow("sgd with momentum")
        << "[[training.optimizer]]\nkind = \"sgd\"\nlr = 0.01\nmomentum = 0.9\n[budget]\ngrowth_limit = \"1 kB\"\n";
    QTest::newRow("lbfgs fills its history") << "[[training.optimizer]]\nkind = \"lbfgs\"\nlr = 0.1\nmax_iter = 1\n";
  }
  void a_thousand_steps_of_sound_training_raise_no_alarm() {
    QFETCH(QString, more);
    const Trained trained = trained_by(0, 1000, more.toStdString());
    QVERIFY2(!trained.failure, trained.failure ? trained.failure->text.c_str() : "");
    QVERIFY2(trained.notes.empty(), trained.notes.empty() ? "" : trained.notes[0].c_str());
    QCOMPARE(trained.records.size(), std::size_t{1000});
  }

  void being_traced_changes_no_weight() {
    QVERIFY(at::equal(trained_by(1, 300).weight, trained_by(1, 300, {}, false).weight));
  }

  void a_line_is_found_with_its_slope() {
    const auto growth = growth_after(256, [](std::int64_t step) { return 5000 + 70 * step; });
    QVERIFY(growth.has_value());
    QCOMPARE(growth->bytes_per_step, std::int64_t{70});
    QCOMPARE(growth->since_step, std::int64_t{1});
  }

  void a_line_under_a_saw_is_found() {
    const auto growth = growth_after(256, [](std::int64_t step) { return 70 * step + step % 5 * 10'000; });
    QVERIFY(growth.has_value());
    // The smallest of each 32 steps is its first multiple of 5: 5, 35, 65, 100, 130, 165, 195, 225. The line's slope:
    // sum (i - 3.5)(y - mean y) / 42 = (3.5 * 220 + 2.5 * 160 + 1.5 * 100 + 0.5 * 30) / 42 = 31.786 steps a block;
    // 31.786 * 70 / 32 = 69.53.
    QCOMPARE(growth->bytes_per_step, std::int64_t{70});
  }

  void what_goes_up_and_down_or_fills_up_is_no_growth() {
    QVERIFY(!growth_after(1000, [](std::int64_t) { return std::int64_t{1000}; }));
    QVERIFY(!growth_after(1000, [](std::int64_t step) { return 1000 + step % 97; }));
    QVERIFY(!growth_after(1000, [](std::int64_t step) { return 1'000'000 - step; }));
    for (int steps = 1; steps <= 1000; ++steps) {  // at no moment, while it fills up either
      QVERIFY(!growth_after(steps, [](std::int64_t step) { return 1000 * std::min<std::int64_t>(step, 150); }));
    }
  }

  void too_few_steps_say_nothing() {
    const auto line = [](std::int64_t step) { return 70 * step; };
    QVERIFY(!growth_after(255, line));
    QVERIFY(growth_after(256, line).has_value());
    observe::GrowthDetector detector;
    for (std::int64_t step = 1; step <= 7; ++step) detector.add(step, 1'000'000 * step);
    QCOMPARE(detector.grown_bytes(), std::int64_t{0});
    detector.add(8, 8'000'000);
    QCOMPARE(detector.grown_bytes(), std::int64_t{1'000'000});  // 5 at least, 4 at most
  }
};

QTEST_APPLESS_MAIN(GrowthWatchTests)
#include "growth_watch_tests.moc"
