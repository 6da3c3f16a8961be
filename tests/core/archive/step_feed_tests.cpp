// SPDX-License-Identifier: Apache-2.0
// What readers in the same process get to see, and that they never cost the archive a record.
#include <atomic>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/sqlite.h"
#include "core/archive/step_feed.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::StepFeed;

namespace {

std::vector<record::StepRecord> steps_from(std::int64_t first, std::int64_t count) {
  std::vector<record::StepRecord> steps;
  for (std::int64_t step = first; step < first + count; ++step) steps.push_back(plain_step(1, step));
  return steps;
}

void publish(StepFeed& feed, const std::vector<record::StepRecord>& steps) { feed.publish(steps.data(), steps.size()); }

std::vector<std::int64_t> numbers_of(const StepFeed::Subscription::Taken& taken) {
  std::vector<std::int64_t> numbers;
  for (const archive::StepChunk& chunk : taken.chunks) {
    for (const record::StepRecord& step : *chunk) numbers.push_back(step.step);
  }
  return numbers;
}

using Numbers = std::vector<std::int64_t>;

/// An archive with one arm that is being written, with a feed.
struct FedArchive {
  explicit FedArchive(archive::WriterOptions options = {}) : path(folder.filePath("a.db").toStdString()) {
    options.feed = feed;
    writer = std::make_unique<archive::Writer>(path, options);
    trial = writer->begin_trial(sample_trial(writer->begin_experiment(sample_experiment()), "reference"));
  }

  std::int64_t archived() const {
    std::int64_t count = 0;
    archive::Reader(path).steps(trial, [&](const record::StepRecord& step) { return step.step == ++count; });
    return count;
  }

  QTemporaryDir folder;
  std::string path;
  std::shared_ptr<StepFeed> feed = std::make_shared<StepFeed>();
  std::unique_ptr<archive::Writer> writer;
  std::int64_t trial = 0;
};

}  // namespace

class StepFeedTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_subscription_takes_what_is_new_since_its_last_call() {
    StepFeed feed;
    StepFeed::Subscription early(feed);
    publish(feed, steps_from(1, 2));
    StepFeed::Subscription late(feed);
    publish(feed, steps_from(3, 1));
    QCOMPARE(numbers_of(early.take()), (Numbers{1, 2, 3}));
    QCOMPARE(numbers_of(late.take()), Numbers{3});
    QVERIFY(early.take().chunks.empty());
    publish(feed, steps_from(4, 1));
    QCOMPARE(numbers_of(early.take()), Numbers{4});
  }

  void subscriptions_share_one_copy() {
    StepFeed feed;
    StepFeed::Subscription one(feed), other(feed);
    publish(feed, steps_from(1, 3));
    QCOMPARE(one.take().chunks.at(0).get(), other.take().chunks.at(0).get());
  }

  void nothing_is_kept_where_nobody_listens() {
    StepFeed feed;
    publish(feed, steps_from(1, 3));
    StepFeed::Subscription subscription(feed);
    QVERIFY(subscription.take().chunks.empty());
  }

  void a_subscription_that_ended_lets_go_of_its_records() {
    StepFeed feed;
    StepFeed::Subscription staying(feed);
    {
      const StepFeed::Subscription leaving(feed);
      publish(feed, steps_from(1, 1));
    }
    QCOMPARE(staying.take().chunks.at(0).use_count(), 1L);
  }

  void a_late_reader_loses_its_oldest_records_and_is_told_how_many() {
    StepFeed feed;
    StepFeed::Subscription slow(feed, 5), fast(feed);
    for (std::int64_t first = 1; first <= 8; first += 2) publish(feed, steps_from(first, 2));
    const auto taken = slow.take();  // of 8 records 5 fit; chunks go as a whole: 4 stay
    QCOMPARE(taken.missed, std::int64_t{4});
    QCOMPARE(numbers_of(taken), (Numbers{5, 6, 7, 8}));
    QCOMPARE(slow.take().missed, std::int64_t{0});
    QCOMPARE(numbers_of(fast.take()).size(), std::size_t{8});
  }

  void a_chunk_beyond_the_capacity_comes_whole() {
    StepFeed feed;
    StepFeed::Subscription subscription(feed, 2);
    publish(feed, steps_from(1, 1));
    publish(feed, steps_from(2, 3));
    const auto taken = subscription.take();
    QCOMPARE(numbers_of(taken), (Numbers{2, 3, 4}));
    QCOMPARE(taken.missed, std::int64_t{1});
  }

  void a_subscription_may_outlive_its_feed() {
    auto feed = std::make_unique<StepFeed>();
    StepFeed::Subscription subscription(*feed);
    publish(*feed, steps_from(1, 2));
    feed.reset();
    QCOMPARE(numbers_of(subscription.take()), (Numbers{1, 2}));
  }

  void a_chunk_stays_as_it_was_when_the_writer_goes_on() {
    FedArchive archive;
    StepFeed::Subscription subscription(*archive.feed);
    const record::StepRecord awkward = awkward_step(archive.trial, 1, 3);
    archive.writer->append(awkward);
    archive.writer->flush();
    const auto taken = subscription.take();
    archive.writer->append(plain_step(archive.trial, 2));
    archive.writer->close();
    const record::StepRecord& step = taken.chunks.at(0)->at(0);
    QCOMPARE(step.trial, archive.trial);
#define MANTISSA_COMPARE(name, type, description) QVERIFY2(same(step.name, awkward.name), #name);
    MANTISSA_STEP_COLUMNS(MANTISSA_COMPARE)
#undef MANTISSA_COMPARE
    QVERIFY(same(step.optimizers, awkward.optimizers));
  }

  void records_come_before_they_are_committed() {
    archive::WriterOptions options;
    options.commit_interval = std::chrono::hours(1);
    FedArchive archive(options);
    StepFeed::Subscription subscription(*archive.feed);
    archive.writer->flush();  // the thread learns that somebody listens
    for (std::int64_t step = 1; step <= 3; ++step) archive.writer->append(plain_step(archive.trial, step));
    Numbers seen;
    QTRY_VERIFY([&] {
      for (const std::int64_t number : numbers_of(subscription.take())) seen.push_back(number);
      return seen.size() == 3;
    }());
    QCOMPARE(seen, (Numbers{1, 2, 3}));
    QCOMPARE(archive.archived(), std::int64_t{0});
    archive.writer->close();
    QCOMPARE(archive.archived(), std::int64_t{3});
    QVERIFY(subscription.take().chunks.empty());  // and only once
  }

  void nothing_comes_twice_where_commits_fail_and_are_tried_again() {
    archive::WriterOptions options;
    options.commit_interval = std::chrono::hours(1);
    FedArchive archive(options);
    StepFeed::Subscription subscription(*archive.feed);
    const std::int64_t pages =
        archive::Connection(archive.path, archive::Connection::Mode::ReadOnly, std::chrono::milliseconds(1000))
            .integer("PRAGMA page_count");
    archive.writer->limit_size(4096 * (pages + 4));  // dozens of records a page
    for (std::int64_t step = 1; step <= 1500; ++step) archive.writer->append(plain_step(archive.trial, step));
    QVERIFY_EXCEPTION_THROWN(archive.writer->flush(), Error);
    QVERIFY_EXCEPTION_THROWN(archive.writer->flush(), Error);
    archive.writer->limit_size(0);
    archive.writer->close();
    Numbers all;
    for (std::int64_t step = 1; step <= 1500; ++step) all.push_back(step);
    QCOMPARE(numbers_of(subscription.take()), all);
    QCOMPARE(archive.archived(), std::int64_t{1500});
  }

  void a_reader_that_never_takes_costs_the_archive_nothing() {
    FedArchive archive;
    StepFeed::Subscription asleep(*archive.feed, 1000);
    for (std::int64_t step = 1; step <= 20000; ++step) archive.writer->append(plain_step(archive.trial, step));
    archive.writer->close();
    QCOMPARE(archive.archived(), std::int64_t{20000});
    const auto taken = asleep.take();
    const Numbers numbers = numbers_of(taken);
    QCOMPARE(taken.missed + static_cast<std::int64_t>(numbers.size()), std::int64_t{20000});
    QCOMPARE(numbers.back(), std::int64_t{20000});
  }

  void readers_that_come_and_go_while_a_run_writes_see_steps_in_order() {
    FedArchive archive;
    std::atomic<bool> done{false};
    std::atomic<bool> in_order{true};
    const auto listen = [&] {
      while (!done) {
        StepFeed::Subscription subscription(*archive.feed);
        std::int64_t last = 0;
        for (int i = 0; i < 20; ++i) {
          const auto taken = subscription.take();
          for (const std::int64_t number : numbers_of(taken)) {
            if (last != 0 && taken.missed == 0 && number != last + 1) in_order = false;
            last = number;
          }
          std::this_thread::yield();
        }
      }
    };
    std::thread first(listen), second(listen);
    for (std::int64_t step = 1; step <= 50000; ++step) archive.writer->append(plain_step(archive.trial, step));
    archive.writer->close();
    done = true;
    first.join();
    second.join();
    QVERIFY(in_order);
    QCOMPARE(archive.archived(), std::int64_t{50000});
  }
};

QTEST_GUILESS_MAIN(StepFeedTests)
#include "step_feed_tests.moc"
