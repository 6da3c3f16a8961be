// SPDX-License-Identifier: Apache-2.0
#include "core/train/batch_plan.h"

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>

#include <QTest>

#include "core/base/error.h"
#include "core/spec/parse.h"

using namespace mantissa;
using train::BatchPlan;
using train::Prefetcher;
using train::Window;

namespace {

spec::Experiment experiment_with(const std::string& data_keys, const std::string& training_keys) {
  return spec::parse_experiment("mantissa = 1\n[data]\nsource = \"gaussian\"\ntest = { fraction = 0 }\n" + data_keys +
                                    "[model]\nkind = \"linear\"\n[training]\nloss = \"mse\"\n" + training_keys,
                                "test.toml");
}

bool equal(const Window& a, const Window& b) {
  bool same = a.epoch == b.epoch && a.samples == b.samples && a.microbatches.size() == b.microbatches.size();
  for (std::size_t i = 0; same && i < a.microbatches.size(); ++i) {
    same = at::equal(a.microbatches[i].inputs, b.microbatches[i].inputs) &&
           at::equal(a.microbatches[i].targets, b.microbatches[i].targets);
  }
  return same;
}

/// Windows with one tensor that holds their number, from 1 to `count`.
class Numbers {
 public:
  explicit Numbers(int count) : count_(count) {}
  const Window* next() {
    if (made_ == count_) return nullptr;
    const int number = ++made_;
    window_.microbatches = {{at::full({1}, number), {}}};
    window_.samples = number;
    return &window_;
  }
  int made() const { return made_; }

 private:
  const int count_;
  std::atomic<int> made_{0};
  Window window_;
};

}  // namespace

class BatchPlanTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_plan_that_nobody_can_count_is_refused() {
    const auto steps_of = [](const std::string& keys) {
      const spec::Experiment experiment = experiment_with("rows = 40\n", keys + "batch = 8\n");
      data::Part part;
      part.inputs = at::zeros({40, 2});
      part.targets = at::zeros({40, 1});
      return BatchPlan(experiment, part).total_steps();
    };
    // 5 windows an epoch: (2^62 + 1) · 5 wraps round to 5 + 2^62, and with it 64 bits.
    QVERIFY_EXCEPTION_THROWN(steps_of("epochs = 4611686018427387905\n"), Error);
    QVERIFY_EXCEPTION_THROWN(steps_of("epochs = 9223372036854775807\n"), Error);
    QVERIFY_EXCEPTION_THROWN(steps_of("steps = 9223372036854775807\n"), Error);
    QCOMPARE(steps_of("steps = 1000000000000\n"), std::int64_t{1'000'000'000'000});
    QCOMPARE(steps_of("epochs = 3\naccumulate = 9223372036854775807\n"), std::int64_t{3});
  }

  void a_plan_that_skips_goes_on_as_an_unbroken_one_data() {
    QTest::addColumn<QString>("data_keys");
    QTest::addColumn<QString>("training_keys");
    // 23 rows in batches of 4: six microbatches an epoch, the last one short.
    QTest::newRow("one microbatch a step") << "rows = 23\n"
                                           << "batch = 4\nsteps = 20\n";
    QTest::newRow("short last window") << "rows = 23\n"
                                       << "batch = 4\naccumulate = 4\nsteps = 9\n";
    QTest::newRow("without the short last batch") << "rows = 23\n"
                                                  << "batch = 4\ndrop_last = true\nsteps = 17\n";
    QTest::newRow("order of the file") << "rows = 23\norder = \"file\"\n"
                                       << "batch = 4\nepochs = 3\n";
  }
  void a_plan_that_skips_goes_on_as_an_unbroken_one() {
    QFETCH(QString, data_keys);
    QFETCH(QString, training_keys);
    const spec::Experiment experiment = experiment_with(data_keys.toStdString(), training_keys.toStdString());
    const data::Dataset dataset = data::load(experiment);
    BatchPlan whole(experiment, dataset.train);
    for (std::int64_t step = 0; step < whole.total_steps(); ++step) {
      BatchPlan skipping(experiment, dataset.train);
      skipping.skip_to(step);
      const Window* const expected = whole.next();
      const Window* const found = skipping.next();
      QVERIFY(expected != nullptr && found != nullptr);
      QVERIFY2(equal(*expected, *found), qPrintable(QString("after %1 steps").arg(step)));
    }
    BatchPlan at_end(experiment, dataset.train);
    at_end.skip_to(at_end.total_steps());
    QVERIFY(at_end.next() == nullptr);
  }

  void a_step_outside_the_plan_is_no_place_to_skip_to() {
    const spec::Experiment experiment = experiment_with("rows = 8\n", "batch = 4\nsteps = 5\n");
    const data::Dataset dataset = data::load(experiment);
    BatchPlan plan(experiment, dataset.train);
    QVERIFY_EXCEPTION_THROWN(plan.skip_to(6), Error);
    QVERIFY_EXCEPTION_THROWN(plan.skip_to(-1), Error);
  }

  void windows_made_ahead_are_those_made_on_demand() {
    // 2,200 rows of 1,001 FP32 numbers are 8.8 MB.
    const std::string data_keys = "rows = 2200\nfeatures = 1000\n";
    const std::string training_keys = "batch = 300\naccumulate = 2\nsteps = 11\n";
    const spec::Experiment ahead = experiment_with(data_keys + "prefetch = 3\n", training_keys);
    const spec::Experiment direct = experiment_with(data_keys + "prefetch = 0\n", training_keys);
    const data::Dataset dataset = data::load(ahead);
    BatchPlan prefetched(ahead, dataset.train);
    BatchPlan plain(direct, dataset.train);
    QVERIFY(prefetched.prefetches());
    QVERIFY(!plain.prefetches());
    while (const Window* expected = plain.next()) {
      const Window* const found = prefetched.next();
      QVERIFY(found != nullptr);
      QVERIFY(equal(*expected, *found));
    }
    QVERIFY(prefetched.next() == nullptr);

    // Half-way, with windows waiting: skipping throws them away.
    prefetched.skip_to(0);
    prefetched.next();
    prefetched.skip_to(7);
    plain.skip_to(7);
    QVERIFY(equal(*prefetched.next(), *plain.next()));
  }

  void cheap_windows_are_made_on_demand() {
    const data::Dataset small = data::load(experiment_with("rows = 64\n", "steps = 2\n"));
    const spec::Experiment shuffled = experiment_with("", "batch = 4\nsteps = 2\n");
    QVERIFY(!BatchPlan(shuffled, small.train).prefetches());
    // Rows in the order of the file are views: there is nothing to gather.
    const spec::Experiment in_order = experiment_with("order = \"file\"\n", "batch = 4\nsteps = 2\n");
    const data::Dataset large = data::load(experiment_with("rows = 2200\nfeatures = 1000\n", "steps = 2\n"));
    QVERIFY(!BatchPlan(in_order, large.train).prefetches());
  }

  void a_window_stays_as_it_was_until_the_call_after() {
    Numbers numbers(6);
    Prefetcher prefetcher([&numbers] { return numbers.next(); }, 2);
    const Window* const first = prefetcher.next();
    while (numbers.made() < 3) std::this_thread::yield();  // two wait besides
    QCOMPARE(first->microbatches.front().inputs.item<int>(), 1);
    QCOMPARE(first->samples, 1);
  }

  void no_more_windows_wait_than_were_asked_for() {
    Numbers numbers(100);
    Prefetcher prefetcher([&numbers] { return numbers.next(); }, 3);
    while (numbers.made() < 3) std::this_thread::yield();
    for (int taken = 1; taken <= 20; ++taken) {
      QCOMPARE(prefetcher.next()->samples, taken);
      QVERIFY(numbers.made() <= taken + 3);
    }
  }

  void after_the_last_window_comes_nothing() {
    Numbers numbers(2);
    Prefetcher prefetcher([&numbers] { return numbers.next(); }, 8);
    QCOMPARE(prefetcher.next()->samples, 1);
    QCOMPARE(prefetcher.next()->samples, 2);
    QVERIFY(prefetcher.next() == nullptr);
    QVERIFY(prefetcher.next() == nullptr);
  }

  void an_exception_of_the_source_reaches_the_caller_in_its_place() {
    Numbers numbers(2);
    const auto source = [&numbers]() -> const Window* {
      const Window* const window = numbers.next();
      if (window == nullptr) throw std::runtime_error("the disk is gone");
      return window;
    };
    Prefetcher prefetcher(source, 8);
    QCOMPARE(prefetcher.next()->samples, 1);
    QCOMPARE(prefetcher.next()->samples, 2);
    for (int i = 0; i < 2; ++i) {
      try {
        prefetcher.next();
        QFAIL("nothing was thrown");
      } catch (const std::runtime_error& error) {
        QCOMPARE(error.what(), "the disk is gone");
      }
    }
  }

  void the_thread_is_joined_while_its_source_still_works() {
    std::promise<void> working;
    std::atomic<bool> finished{false};
    {
      const auto source = [&]() -> const Window* {
        working.set_value();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        finished = true;
        return nullptr;
      };
      const Prefetcher prefetcher(source, 1);
      working.get_future().wait();
    }
    QVERIFY(finished);
  }

  void the_thread_is_joined_while_nobody_takes_its_windows() {
    Numbers numbers(1000);
    const Prefetcher prefetcher([&numbers] { return numbers.next(); }, 1);
    while (numbers.made() < 1) std::this_thread::yield();
  }
};

QTEST_GUILESS_MAIN(BatchPlanTests)
#include "batch_plan_tests.moc"
