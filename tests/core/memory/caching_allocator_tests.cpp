// SPDX-License-Identifier: Apache-2.0
// The rules of PyTorch's CUDA caching allocator on traces that are worked out by hand.
#include <QTest>

#include <functional>
#include <random>

#include "core/base/error.h"
#include "core/memory/caching_allocator.h"
#include "core/memory/replay.h"

using namespace mantissa;
using namespace mantissa::memory;

namespace {

constexpr std::int64_t kMiB = 1'048'576;

AllocatorSettings expandable() {
  AllocatorSettings settings;
  settings.expandable_segments = true;
  return settings;
}

AllocatorSettings on_device_of(std::int64_t bytes) {
  AllocatorSettings settings;
  settings.capacity_bytes = bytes;
  return settings;
}

record::MemoryEvent taken(std::int64_t block, std::int64_t bytes) {
  return {record::MemoryEvent::Kind::Allocate, {}, block, bytes};
}
record::MemoryEvent freed(std::int64_t block) { return {record::MemoryEvent::Kind::Free, {}, block, 0}; }

ErrorFacts refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.facts();
  }
  return {};
}

}  // namespace

class CachingAllocatorTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sizes_are_rounded_up_to_512_bytes_data() {
    QTest::addColumn<qint64>("asked");
    QTest::addColumn<qint64>("allocated");
    QTest::newRow("nothing") << qint64{0} << qint64{0};
    QTest::newRow("one") << qint64{1} << qint64{512};
    QTest::newRow("512") << qint64{512} << qint64{512};
    QTest::newRow("513") << qint64{513} << qint64{1024};
    QTest::newRow("a million") << qint64{1'000'000} << qint64{1'000'448};  // 1954 * 512
  }
  void sizes_are_rounded_up_to_512_bytes() {
    QFETCH(qint64, asked);
    QFETCH(qint64, allocated);
    CachingAllocator allocator;
    QVERIFY(allocator.allocate(0, asked));
    QCOMPARE(qint64{allocator.use().requested}, asked);
    QCOMPARE(qint64{allocator.use().allocated}, allocated);
    allocator.free(0);
    QCOMPARE(qint64{allocator.use().allocated}, qint64{0});
    QCOMPARE(qint64{allocator.use().requested}, qint64{0});
  }

  void segments_are_as_large_as_their_pool_says_data() {
    QTest::addColumn<qint64>("asked");
    QTest::addColumn<qint64>("reserved");
    QTest::newRow("small") << qint64{1} << qint64{2 * kMiB};
    QTest::newRow("largest small") << qint64{kMiB} << qint64{2 * kMiB};
    QTest::newRow("smallest large") << qint64{kMiB + 1} << qint64{20 * kMiB};
    QTest::newRow("below 10 MiB") << qint64{10 * kMiB - 512} << qint64{20 * kMiB};
    QTest::newRow("10 MiB") << qint64{10 * kMiB} << qint64{10 * kMiB};
    QTest::newRow("above 10 MiB") << qint64{10 * kMiB + 1} << qint64{12 * kMiB};
    QTest::newRow("odd and large") << qint64{101 * kMiB} << qint64{102 * kMiB};
  }
  void segments_are_as_large_as_their_pool_says() {
    QFETCH(qint64, asked);
    QFETCH(qint64, reserved);
    CachingAllocator allocator;
    QVERIFY(allocator.allocate(0, asked));
    QCOMPARE(qint64{allocator.use().reserved}, reserved);
    allocator.free(0);
    QCOMPARE(qint64{allocator.use().reserved}, reserved);  // it caches
    allocator.empty_cache();
    QCOMPARE(qint64{allocator.use().reserved}, qint64{0});
  }

  void what_is_not_needed_is_split_off_and_used() {
    CachingAllocator allocator;
    for (int block = 0; block < 4; ++block) QVERIFY(allocator.allocate(block, 512 * 1024));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{2 * kMiB});  // 4 * 0.5 MiB fill one small segment
    QVERIFY(allocator.allocate(4, 1));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{4 * kMiB});
  }

  void a_rest_of_up_to_1_mib_stays_with_a_large_block() {
    CachingAllocator allocator;
    // 12 MiB for 11 MiB + 512: the rest, 1 MiB - 512, is not more than 1 MiB.
    QVERIFY(allocator.allocate(0, 11 * kMiB + 512));
    QCOMPARE(qint64{allocator.use().allocated}, qint64{12 * kMiB});
    // 14 MiB for 12.5 MiB: the rest, 1.5 MiB, is.
    QVERIFY(allocator.allocate(1, 12 * kMiB + kMiB / 2));
    QCOMPARE(qint64{allocator.use().allocated}, qint64{12 * kMiB + 12 * kMiB + kMiB / 2});
    QCOMPARE(qint64{allocator.use().reserved}, qint64{26 * kMiB});
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{kMiB + kMiB / 2});
    QCOMPARE(qint64{allocator.free_memory().stuck}, qint64{kMiB + kMiB / 2});
  }

  void the_smallest_block_that_is_large_enough_is_taken() {
    CachingAllocator allocator;
    QVERIFY(allocator.allocate(0, 30 * kMiB));
    QVERIFY(allocator.allocate(1, 14 * kMiB));
    QVERIFY(allocator.allocate(2, 24 * kMiB));
    for (int block = 0; block < 3; ++block) allocator.free(block);
    QVERIFY(allocator.allocate(3, 13 * kMiB));  // of 14, 24 and 30 MiB: 14, and its last MiB is not split off
    QCOMPARE(qint64{allocator.use().allocated}, qint64{14 * kMiB});
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{30 * kMiB});
    QCOMPARE(qint64{allocator.use().reserved}, qint64{68 * kMiB});
  }

  void free_neighbours_become_one_block_in_any_order_data() {
    QTest::addColumn<QVector<int>>("order");
    QTest::newRow("forward") << QVector<int>{0, 1, 2};
    QTest::newRow("backward") << QVector<int>{2, 1, 0};
    QTest::newRow("the middle last") << QVector<int>{0, 2, 1};
    QTest::newRow("the middle first") << QVector<int>{1, 0, 2};
  }
  void free_neighbours_become_one_block_in_any_order() {
    QFETCH(QVector<int>, order);
    CachingAllocator allocator;
    for (int block = 0; block < 3; ++block) QVERIFY(allocator.allocate(block, 5 * kMiB));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{20 * kMiB});
    for (const int block : order) allocator.free(block);
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{20 * kMiB});
    QCOMPARE(qint64{allocator.free_memory().stuck}, qint64{0});
    allocator.empty_cache();
    QCOMPARE(qint64{allocator.use().reserved}, qint64{0});
  }

  void memory_in_holes_cannot_be_had_and_is_counted() {
    CachingAllocator allocator;
    // 20 MiB in four blocks of 5; 0 and 2 become holes: 10 MiB are free, 6 MiB in one piece are not.
    for (int block = 0; block < 4; ++block) QVERIFY(allocator.allocate(block, 5 * kMiB));
    allocator.free(0);
    allocator.free(2);
    QCOMPARE(qint64{allocator.free_memory().stuck}, qint64{10 * kMiB});
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{5 * kMiB});
    QVERIFY(allocator.allocate(4, 6 * kMiB));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{40 * kMiB});
    allocator.empty_cache();  // nothing is free as a whole segment
    QCOMPARE(qint64{allocator.use().reserved}, qint64{40 * kMiB});
  }

  void what_is_cached_goes_back_before_an_allocation_fails() {
    CachingAllocator allocator(on_device_of(64 * kMiB));
    QVERIFY(allocator.allocate(0, 30 * kMiB));
    QVERIFY(allocator.allocate(1, 30 * kMiB));
    allocator.free(0);
    QVERIFY(allocator.allocate(2, 34 * kMiB));  // 30 MiB go back: 30 + 34 = 64
    QCOMPARE(qint64{allocator.use().reserved}, qint64{64 * kMiB});
    QVERIFY(!allocator.allocate(3, 1));
    QCOMPARE(qint64{allocator.use().allocated}, qint64{64 * kMiB});
    allocator.free(1);
    QVERIFY(allocator.allocate(3, 1));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{36 * kMiB});
  }

  void holes_can_fail_an_allocation_that_would_fit_without_them() {
    // 40 MiB: two segments of 20. After 0 and 2 are freed 10 MiB are free, and none of it can go back.
    CachingAllocator plain(on_device_of(40 * kMiB));
    CachingAllocator grows([] {
      AllocatorSettings settings = expandable();
      settings.capacity_bytes = 40 * kMiB;
      return settings;
    }());
    for (CachingAllocator* const allocator : {&plain, &grows}) {
      for (int block = 0; block < 8; ++block) QVERIFY(allocator->allocate(block, 5 * kMiB));
      allocator->free(0);
      allocator->free(2);
      QVERIFY(!allocator->allocate(8, 6 * kMiB));
      allocator->free(1);
      QVERIFY(allocator->allocate(8, 15 * kMiB));  // the hole is 15 MiB now
    }
  }

  void blocks_above_the_split_limit_are_never_split() {
    AllocatorSettings settings;
    settings.max_split_bytes = 20 * kMiB;
    CachingAllocator allocator(settings);
    QVERIFY(allocator.allocate(0, 40 * kMiB));
    allocator.free(0);
    QVERIFY(allocator.allocate(1, 2 * kMiB));  // not out of the block of 40 MiB
    QCOMPARE(qint64{allocator.use().reserved}, qint64{60 * kMiB});
    QVERIFY(allocator.allocate(2, 30 * kMiB));  // 40 - 30 is within the 20 MiB that a block may be too large by
    QCOMPARE(qint64{allocator.use().allocated}, qint64{42 * kMiB});
    allocator.free(2);
    QVERIFY(allocator.allocate(3, 20 * kMiB));  // 40 - 20 is not
    QCOMPARE(qint64{allocator.use().reserved}, qint64{80 * kMiB});
  }

  void an_expandable_segment_grows_where_it_ends() {
    CachingAllocator allocator(expandable());
    QVERIFY(allocator.allocate(0, 15 * kMiB));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{20 * kMiB});
    QVERIFY(allocator.allocate(1, 15 * kMiB));  // the 5 MiB that are left, and 20 more
    QCOMPARE(qint64{allocator.use().reserved}, qint64{40 * kMiB});
    QCOMPARE(qint64{allocator.use().allocated}, qint64{30 * kMiB});  // no rest stays with a block
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{10 * kMiB});
    allocator.free(1);
    allocator.empty_cache();  // its second 20 MiB lie within what is free
    QCOMPARE(qint64{allocator.use().reserved}, qint64{20 * kMiB});
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{5 * kMiB});
    QVERIFY(allocator.allocate(2, 24 * kMiB));  // 5 and 20: 25
    QCOMPARE(qint64{allocator.use().reserved}, qint64{40 * kMiB});
    QCOMPARE(qint64{allocator.free_memory().largest}, qint64{kMiB});
  }

  void an_expandable_segment_of_small_blocks_grows_by_2_mib() {
    CachingAllocator allocator(expandable());
    for (int block = 0; block < 5; ++block) QVERIFY(allocator.allocate(block, kMiB));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{6 * kMiB});
    for (const int block : {1, 2}) allocator.free(block);  // from 1 to 3 MiB: no part of 2 MiB as a whole
    allocator.empty_cache();
    QCOMPARE(qint64{allocator.use().reserved}, qint64{6 * kMiB});
    allocator.free(3);  // from 1 to 4 MiB: the second part
    allocator.empty_cache();
    QCOMPARE(qint64{allocator.use().reserved}, qint64{4 * kMiB});
    QVERIFY(allocator.allocate(5, kMiB));  // the hole before the part that has no memory
    QCOMPARE(qint64{allocator.use().reserved}, qint64{4 * kMiB});
    QVERIFY(allocator.allocate(6, kMiB));  // the rest after block 4
    QVERIFY(allocator.allocate(7, kMiB));  // the part gets its memory back
    QCOMPARE(qint64{allocator.use().reserved}, qint64{6 * kMiB});
  }

  void a_failing_expandable_allocation_keeps_what_is_in_use() {
    AllocatorSettings settings = expandable();
    settings.capacity_bytes = 40 * kMiB;
    CachingAllocator allocator(settings);
    QVERIFY(allocator.allocate(0, 15 * kMiB));
    QVERIFY(!allocator.allocate(1, 30 * kMiB));
    QCOMPARE(qint64{allocator.use().allocated}, qint64{15 * kMiB});
    QVERIFY(allocator.allocate(1, 25 * kMiB));
    QCOMPARE(qint64{allocator.use().reserved}, qint64{40 * kMiB});
  }

  void random_calls_keep_the_books_data() {
    QTest::addColumn<bool>("grows");
    QTest::addColumn<qint64>("split");
    QTest::newRow("plain") << false << qint64{AllocatorSettings::kUnlimited};
    QTest::newRow("expandable") << true << qint64{AllocatorSettings::kUnlimited};
    QTest::newRow("with a split limit") << false << qint64{32 * kMiB};
    QTest::newRow("expandable with a split limit") << true << qint64{32 * kMiB};
  }
  /// Whatever was asked: what is in use lies within what is reserved, within the device, and all of it comes back.
  void random_calls_keep_the_books() {
    QFETCH(bool, grows);
    QFETCH(qint64, split);
    AllocatorSettings settings;
    settings.expandable_segments = grows;
    settings.max_split_bytes = split;
    settings.capacity_bytes = 512 * kMiB;
    CachingAllocator allocator(settings);
    std::mt19937 random(7);
    std::vector<std::int64_t> in_use;
    std::int64_t requested = 0;
    std::vector<std::int64_t> sizes;
    int failures = 0;
    for (std::int64_t block = 0; block < 20'000; ++block) {
      const int scale = static_cast<int>(random() % 26);
      sizes.push_back(1 + static_cast<std::int64_t>(random() % (std::uint64_t{1} << scale)));
      if (allocator.allocate(block, sizes.back())) {
        in_use.push_back(block);
        requested += sizes.back();
      } else {
        ++failures;
      }
      while (in_use.size() > 60 || (!in_use.empty() && random() % 3 == 0)) {
        std::swap(in_use[random() % in_use.size()], in_use.back());
        requested -= sizes[static_cast<std::size_t>(in_use.back())];
        allocator.free(in_use.back());
        in_use.pop_back();
      }
      const AllocatorUse& use = allocator.use();
      QCOMPARE(use.requested, requested);
      QVERIFY(use.requested <= use.allocated);
      QVERIFY(use.allocated <= use.reserved);
      QVERIFY(use.reserved <= settings.capacity_bytes);
      QVERIFY(allocator.free_memory().stuck <= use.reserved - use.allocated);
    }
    QVERIFY(failures < 20'000);
    for (const std::int64_t block : in_use) allocator.free(block);
    QCOMPARE(qint64{allocator.use().allocated}, qint64{0});
    QCOMPARE(qint64{allocator.free_memory().stuck}, qint64{0});
    allocator.empty_cache();
    QCOMPARE(qint64{allocator.use().reserved}, qint64{0});
  }

  void a_replay_names_the_event_of_the_peak() {
    // 6 + 6 MiB, then 6 freed, then 3: the peak is after the second event, in one segment of 20 MiB.
    const record::MemoryTrace trace = {taken(0, 6 * kMiB), taken(1, 6 * kMiB), freed(0), taken(2, 3 * kMiB), freed(1)};
    const Replay result = replay(trace);
    QCOMPARE(result.peak_event, std::int64_t{1});
    QCOMPARE(result.peak.allocated, std::int64_t{12 * kMiB});
    QCOMPARE(result.peak.reserved, std::int64_t{20 * kMiB});
    QCOMPARE(result.fragmentation(), 0.4);  // 8 of 20 MiB
    QCOMPARE(result.at_end.allocated, std::int64_t{3 * kMiB});
    QCOMPARE(result.free_at_end.stuck, std::int64_t{17 * kMiB});
    QVERIFY(!result.failed_event);
  }

  void a_replay_names_the_allocation_that_finds_no_memory() {
    const record::MemoryTrace trace = {taken(0, 6 * kMiB), taken(1, 30 * kMiB), freed(0)};
    const Replay result = replay(trace, on_device_of(40 * kMiB));
    QCOMPARE(result.failed_event.value_or(-1), std::int64_t{1});
    QCOMPARE(result.peak.allocated, std::int64_t{6 * kMiB});
    QCOMPARE(result.at_end.reserved, std::int64_t{20 * kMiB});
  }

  void an_empty_trace_has_no_peak() {
    const Replay result = replay({});
    QCOMPARE(result.peak_event, std::int64_t{-1});
    QCOMPARE(result.fragmentation(), 0.0);
  }

  void a_trace_without_sense_is_refused_with_its_event_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("found");
    QTest::newRow("freed twice") << 0 << "event 2"
                                 << "0";
    QTest::newRow("freed without allocation") << 1 << "event 0"
                                              << "0";
    QTest::newRow("allocated twice") << 2 << "event 1"
                                     << "0";
    QTest::newRow("negative size") << 3 << "event 0"
                                   << "-1";
    QTest::newRow("number beyond all blocks") << 4 << "event 0"
                                              << "9";
    QTest::newRow("negative number") << 5 << "event 0"
                                     << "-3";
  }
  void a_trace_without_sense_is_refused_with_its_event() {
    QFETCH(int, which);
    QFETCH(QString, subject);
    QFETCH(QString, found);
    const record::MemoryTrace traces[] = {{taken(0, 1), freed(0), freed(0)},
                                          {freed(0)},
                                          {taken(0, 1), taken(0, 1)},
                                          {taken(0, -1)},
                                          {taken(9, 1)},
                                          {taken(-3, 1)}};
    const ErrorFacts facts = refusal([&] { replay(traces[which]); });
    QCOMPARE(QString::fromStdString(facts.subject), subject);
    QCOMPARE(QString::fromStdString(facts.found), found);
    QVERIFY(!facts.expected.empty());
  }

  void settings_that_pytorch_refuses_are_refused() {
    AllocatorSettings settings;
    settings.max_split_bytes = 19 * kMiB;
    QCOMPARE(QString::fromStdString(refusal([&] { CachingAllocator one(settings); }).subject), "max_split_bytes");
    settings = {};
    settings.large_segment_bytes = 11 * kMiB;
    QCOMPARE(QString::fromStdString(refusal([&] { CachingAllocator one(settings); }).subject), "large_segment_bytes");
    settings = on_device_of(-1);
    QCOMPARE(QString::fromStdString(refusal([&] { CachingAllocator one(settings); }).subject), "capacity_bytes");
  }
};

QTEST_APPLESS_MAIN(CachingAllocatorTests)
#include "caching_allocator_tests.moc"
