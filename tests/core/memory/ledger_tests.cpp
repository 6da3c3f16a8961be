// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <string>

#include <QTest>

#include "core/base/error.h"
#include "core/memory/ledger.h"

using namespace mantissa;
using namespace mantissa::memory;

namespace {

/// 3.2 GB fixed, 0.34 GB a sample, 24 GB, 10 % reserve, microbatch 16, 5 blocks.
LedgerInput example() {
  LedgerInput input;
  input.fixed = {{"fixed", 3'200'000'000}};
  input.per_sample_bytes = 340'000'000;
  input.capacity_bytes = 24'000'000'000;
  input.reserve_parts = 100'000'000;
  input.microbatch = 16;
  input.blocks = 5;
  return input;
}

Ledger with(const std::function<void(LedgerInput&)>& change) {
  LedgerInput input = example();
  change(input);
  return ledger_of(input);
}

void refused(const std::function<void(LedgerInput&)>& change, const std::string& field, const std::string& found,
             const std::string& expected) {
  try {
    with(change);
  } catch (const Error& error) {
    QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
    QCOMPARE(error.facts().subject, field);
    QCOMPARE(error.facts().found, found);
    QCOMPARE(error.facts().expected, expected);
    return;
  }
  QFAIL((field + " was accepted").c_str());
}

}  // namespace

class LedgerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_hand_checked_example_comes_out() {
    const Ledger ledger = ledger_of(example());
    QCOMPARE(ledger.activations_bytes, 5'440'000'000);  // 16 * 0.34
    QCOMPARE(ledger.total_bytes, 8'640'000'000);
    QCOMPARE(ledger.usable_bytes, 21'600'000'000);  // 24 - 2.4
    QCOMPARE(ledger.headroom_bytes, 12'960'000'000);
    QVERIFY(ledger.fits());
    const std::vector<std::int64_t> cumulative = {1'088'000'000, 2'176'000'000, 3'264'000'000, 4'352'000'000,
                                                  5'440'000'000};
    QCOMPARE(ledger.blocks.size(), cumulative.size());
    for (std::size_t i = 0; i < cumulative.size(); ++i) {
      QCOMPARE(ledger.blocks[i].block, static_cast<std::int64_t>(i + 1));
      QCOMPARE(ledger.blocks[i].activations_bytes, cumulative[i]);
      QCOMPARE(ledger.blocks[i].total_bytes, 3'200'000'000 + cumulative[i]);
      QCOMPARE(ledger.blocks[i].exceeds_bytes, 0);
    }
    QCOMPARE(*ledger.limits.microbatch, 54);  // 18.4 / 0.34 = 54.1
  }

  void each_limit_just_fits_and_one_more_does_not() {
    const Limits limits = ledger_of(example()).limits;
    QCOMPARE(*limits.per_sample_bytes, 1'150'000'000);  // (21.6 - 3.2) / 16 = 1.15
    QCOMPARE(*limits.fixed_bytes, 16'160'000'000);      // 21.6 - 5.44
    QCOMPARE(*limits.reserve_parts, 640'000'000);       // 1 - 8.64 / 24 = 0.64
    QCOMPARE(*limits.capacity_bytes, 9'600'000'000);    // 8.64 / 0.9
    for (const std::int64_t more : {0, 1}) {
      const bool fits = more == 0;
      QCOMPARE(with([&](LedgerInput& input) { input.microbatch = *limits.microbatch + more; }).fits(), fits);
      QCOMPARE(with([&](LedgerInput& input) { input.per_sample_bytes = *limits.per_sample_bytes + more; }).fits(),
               fits);
      QCOMPARE(with([&](LedgerInput& input) { input.fixed[0].bytes = *limits.fixed_bytes + more; }).fits(), fits);
      QCOMPARE(with([&](LedgerInput& input) { input.reserve_parts = *limits.reserve_parts + more; }).fits(), fits);
      QCOMPARE(with([&](LedgerInput& input) { input.capacity_bytes = *limits.capacity_bytes - more; }).fits(), fits);
    }
  }

  void a_need_that_fills_the_device_exactly_fits() {
    const Ledger ledger = with([](LedgerInput& input) {
      input.fixed[0].bytes = 16'160'000'000;  // 21.6 - 5.44
    });
    QCOMPARE(ledger.headroom_bytes, 0);
    QVERIFY(ledger.fits());
    QCOMPARE(ledger.resident_blocks, 5);
  }

  // 60 * 0.34 = 20.4, a fifth 4.08; 3.2 + 4 * 4.08 = 19.52 fits 21.6, 3.2 + 20.4 = 23.6 is over by 2
  void the_blocks_say_where_it_ends() {
    const Ledger ledger = with([](LedgerInput& input) { input.microbatch = 60; });
    QVERIFY(!ledger.fits());
    QVERIFY(ledger.fits_at_any_microbatch());
    QCOMPARE(ledger.resident_blocks, 4);
    QCOMPARE(ledger.blocks[3].exceeds_bytes, 0);
    QCOMPARE(ledger.blocks[4].exceeds_bytes, 2'000'000'000);
    QCOMPARE(ledger.headroom_bytes, -2'000'000'000);
  }

  void a_fixed_state_beyond_the_device_is_an_answer() {
    const Ledger ledger = with([](LedgerInput& input) { input.fixed[0].bytes = 27'000'000'000; });
    QVERIFY(!ledger.fits_at_any_microbatch());
    QCOMPARE(ledger.resident_blocks, 0);
    QVERIFY(!ledger.limits.per_sample_bytes);
    QVERIFY(!ledger.limits.reserve_parts);  // 32.44 GB are more than the device has without any
    QCOMPARE(*ledger.limits.fixed_bytes, 16'160'000'000);
    QCOMPARE(*ledger.limits.capacity_bytes, 36'044'444'445);  // 32.44 / 0.9 = 36.0444…
  }

  // 10 bytes over 3 blocks: 3.33, 6.67, 10
  void shares_of_blocks_are_rounded_up_and_end_exactly() {
    const Ledger ledger = with([](LedgerInput& input) {
      input.per_sample_bytes = 10;
      input.microbatch = 1;
      input.blocks = 3;
    });
    QCOMPARE(ledger.blocks[0].activations_bytes, 4);
    QCOMPARE(ledger.blocks[1].activations_bytes, 7);
    QCOMPARE(ledger.blocks[2].activations_bytes, 10);
  }

  void a_reserve_is_never_less_than_asked_for() {
    const Ledger ledger = with([](LedgerInput& input) { input.capacity_bytes = 15; });  // a tenth is 1.5
    QCOMPARE(ledger.reserve_bytes, 2);
    QCOMPARE(ledger.usable_bytes, 13);
  }

  void accumulation_enlarges_the_effective_batch_and_needs_no_memory() {
    const Ledger ledger = with([](LedgerInput& input) { input.accumulation = 4; });
    QCOMPARE(ledger.effective_batch, 64);
    QCOMPARE(ledger.total_bytes, 8'640'000'000);
  }

  void categories_add_up() {
    const Ledger ledger = with([](LedgerInput& input) {
      input.fixed = {{"parameters", 4'000}, {"gradients", 4'000}, {"moments", 8'000}};
    });
    QCOMPARE(ledger.fixed_bytes, 16'000);
  }

  void values_outside_their_range_are_refused_at_their_field() {
    refused([](LedgerInput& i) { i.fixed[0].bytes = -1; }, "fixed", "-1", "at least 0");
    refused([](LedgerInput& i) { i.per_sample_bytes = 0; }, "per-sample", "0", "at least 1");
    refused([](LedgerInput& i) { i.capacity_bytes = 0; }, "device", "0", "at least 1");
    refused([](LedgerInput& i) { i.reserve_parts = kWholeReserve; }, "reserve", "1000000000",
            "at least 0 and at most 999999999");
    refused([](LedgerInput& i) { i.microbatch = 0; }, "microbatch", "0", "at least 1");
    refused([](LedgerInput& i) { i.accumulation = -2; }, "accumulation", "-2", "at least 1");
    refused([](LedgerInput& i) { i.blocks = 0; }, "blocks", "0", "at least 1 and at most 100000");
  }

  void sums_beyond_64_bits_are_refused_with_the_largest_value_that_works() {
    // 2^63 - 1 = 9,223,372,036,854,775,807
    refused(
        [](LedgerInput& i) {
          i.fixed.push_back({"buffers", INT64_MAX});
        },
        "buffers", "9223372036854775807", "at most 9223372033654775807, so that the total stays within 64 bits");
    refused([](LedgerInput& i) { i.per_sample_bytes = INT64_MAX; }, "per-sample", "9223372036854775807",
            "at most 9223372033654775807, so that the total stays within 64 bits");
    // (2^63 - 1 - 3.2e9) / 0.34e9 = 27127564804.9
    refused([](LedgerInput& i) { i.microbatch = 27'127'564'805; }, "microbatch", "27127564805",
            "at most 27127564804, so that the total stays within 64 bits");
    // (2^63 - 1) / 16 = 576460752303423487.9
    refused([](LedgerInput& i) { i.accumulation = 576'460'752'303'423'488; }, "accumulation", "576460752303423488",
            "at most 576460752303423487, so that the effective batch stays within 64 bits");
  }

  void the_largest_device_overflows_nothing() {
    const Ledger ledger = with([](LedgerInput& input) {
      input.capacity_bytes = INT64_MAX;
      input.reserve_parts = kWholeReserve - 1;
      input.microbatch = 27'127'564'804;
      input.blocks = kMostBlocks;
    });
    // ceil((2^63 - 1) * 0.999999999) leaves 9223372036: (2^63 - 1) / 10^9 = 9223372036.85, rounded down
    QCOMPARE(ledger.usable_bytes, 9'223'372'036);
    QVERIFY(!ledger.limits.capacity_bytes);
    QCOMPARE(ledger.blocks.back().total_bytes, ledger.total_bytes);
  }
};

QTEST_APPLESS_MAIN(LedgerTests)
#include "ledger_tests.moc"
