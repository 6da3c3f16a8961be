// SPDX-License-Identifier: Apache-2.0
#include "core/memory/model_ledger.h"

#include <QTest>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/memory/accumulated_forecast.h"

using namespace mantissa;
using namespace mantissa::memory;
using record::MemoryCategory;
using record::MemoryEvent;
using record::StepPart;

namespace {

constexpr std::int64_t kMiB = 1'048'576;
constexpr auto kAllocate = MemoryEvent::Kind::Allocate;
constexpr auto kFree = MemoryEvent::Kind::Free;

/// Parameters of 30 MiB, inputs of 1 MiB a sample; forward keeps 12 MiB a sample in `first` and 4 MiB a sample in
/// `second`; backward makes the gradient of 30 MiB and lets go of all else. With two microbatches the gradient is there
/// in the second forward.
record::StepTrace step_of(std::int64_t microbatch, std::int64_t microbatches) {
  record::StepTrace trace;
  trace.microbatch = microbatch;
  trace.microbatches = microbatches;
  trace.held = 2;
  trace.has_update = true;
  trace.modules = {"", "first", "second"};
  trace.events = {{kAllocate, StepPart::BeforeForward, 0, 30 * kMiB},
                  {kAllocate, StepPart::BeforeForward, 1, microbatch * microbatches * kMiB}};
  trace.blocks = {{MemoryCategory::Parameters, 0}, {MemoryCategory::Inputs, 0}};
  std::int64_t next = 2;
  std::int64_t gradient = -1;
  for (std::int64_t i = 0; i < microbatches; ++i) {
    const std::int64_t first = next++;
    const std::int64_t second = next++;
    trace.events.push_back({kAllocate, StepPart::Forward, first, 12 * microbatch * kMiB});
    trace.events.push_back({kAllocate, StepPart::Forward, second, 4 * microbatch * kMiB});
    trace.blocks.push_back({MemoryCategory::SavedActivations, 1});
    trace.blocks.push_back({MemoryCategory::SavedActivations, 2});
    if (i == 0) {
      gradient = next++;
      trace.events.push_back({kAllocate, StepPart::Backward, gradient, 30 * kMiB});
      trace.blocks.push_back({MemoryCategory::Gradients, 0});
    }
    trace.events.push_back({kFree, StepPart::Backward, second, 0});
    trace.events.push_back({kFree, StepPart::Backward, first, 0});
  }
  trace.events.push_back({kFree, StepPart::Update, gradient, 0});
  return trace;
}

Device device(std::int64_t capacity) {
  Device made;
  made.capacity_bytes = capacity;
  return made;
}

}  // namespace

class ModelLedgerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_peak_is_told_by_category_part_and_module() {
    const ModelLedger ledger = model_ledger_of(step_of(3, 1), device(1000 * kMiB));
    QCOMPARE(ledger.peak.bytes, (30 + 3 + 36 + 12 + 30) * kMiB);
    QCOMPARE(ledger.peak_part, StepPart::Backward);
    QCOMPARE(ledger.by_module.size(), std::size_t(2));
    QCOMPARE(ledger.by_module[0].module, std::string("first"));
    QCOMPARE(ledger.by_module[0].bytes, 36 * kMiB);
    QCOMPARE(ledger.by_module[1].module, std::string("second"));
    QCOMPARE(ledger.by_module[1].bytes, 12 * kMiB);
    QVERIFY(ledger.fits);
    QVERIFY(!ledger.fits_by_release);
  }

  void what_is_needed_is_what_the_allocator_reserves_and_what_is_outside() {
    Device with_context = device(1000 * kMiB);
    with_context.reserve_parts = 100'000'000;  // 10 %
    with_context.outside_bytes = 500 * kMiB;
    const ModelLedger ledger = model_ledger_of(step_of(3, 1), with_context);
    // Segments: 30, 36, 30 MiB of their own; 3 MiB of inputs in one of 20 MiB, which has room for the 12 MiB too.
    QCOMPARE(ledger.replay.peak.reserved, (30 + 20 + 36 + 30) * kMiB);
    QCOMPARE(ledger.needed_bytes, (116 + 500) * kMiB);
    QCOMPARE(ledger.reserve_bytes, 100 * kMiB);
    QCOMPARE(ledger.usable_bytes, 900 * kMiB);
    QCOMPARE(ledger.headroom_bytes, 284 * kMiB);
  }

  void one_byte_less_than_is_needed_does_not_fit() {
    QVERIFY(model_ledger_of(step_of(3, 1), device(116 * kMiB)).fits);
    const ModelLedger over = model_ledger_of(step_of(3, 1), device(116 * kMiB - 1));
    QVERIFY(!over.fits);
    QCOMPARE(over.headroom_bytes, std::int64_t(-1));
  }

  void what_is_outside_alone_may_be_too_much() {
    Device full = device(100 * kMiB);
    full.outside_bytes = 200 * kMiB;
    const ModelLedger over = model_ledger_of(step_of(1, 1), full);
    QVERIFY(!over.fits);
    QVERIFY(over.headroom_bytes < 0);
  }

  void cached_segments_that_are_given_back_can_make_it_fit() {
    // 40 MiB come and go, then 50 MiB: without an end to the device both segments stay, 90 MiB; 60 MiB are enough.
    record::StepTrace trace;
    trace.microbatch = trace.microbatches = 1;
    trace.modules = {""};
    trace.events = {{kAllocate, StepPart::Forward, 0, 40 * kMiB},
                    {kFree, StepPart::Forward, 0, 0},
                    {kAllocate, StepPart::Forward, 1, 50 * kMiB}};
    trace.blocks = {{MemoryCategory::Temporaries, 0}, {MemoryCategory::Temporaries, 0}};
    const ModelLedger ledger = model_ledger_of(trace, device(60 * kMiB));
    QVERIFY(ledger.fits);
    QVERIFY(ledger.fits_by_release);
    QCOMPARE(ledger.headroom_bytes, 10 * kMiB);
    QVERIFY(!model_ledger_of(trace, device(49 * kMiB)).fits);
  }

  void another_device_is_answered_from_what_was_seen_before() {
    // As above: 90 MiB without an end, 50 MiB at once.
    record::StepTrace trace;
    trace.microbatch = trace.microbatches = 1;
    trace.modules = {""};
    trace.events = {{kAllocate, StepPart::Forward, 0, 40 * kMiB},
                    {kFree, StepPart::Forward, 0, 0},
                    {kAllocate, StepPart::Forward, 1, 50 * kMiB}};
    trace.blocks = {{MemoryCategory::Temporaries, 0}, {MemoryCategory::Temporaries, 0}};
    const StepUse use = step_use_of(trace);
    int replays = 0;
    const auto within = [&](const AllocatorSettings& settings) {
      ++replays;
      return replay(trace.events, settings);
    };
    QVERIFY(model_ledger_of(use, device(90 * kMiB), within).fits);
    QVERIFY(!model_ledger_of(use, device(49 * kMiB), within).fits);  // less than it asks for at once
    QCOMPARE(replays, 0);
    const ModelLedger released = model_ledger_of(use, device(60 * kMiB), within);
    QVERIFY(released.fits_by_release);
    QCOMPARE(replays, 1);
    QCOMPARE(released.headroom_bytes, 10 * kMiB);
    QCOMPARE(released.peak.bytes, 50 * kMiB);
  }

  void sizes_that_make_no_sense_are_refused() {
    const auto refused = [](const Device& given) -> std::string {
      try {
        model_ledger_of(step_of(1, 1), given);
      } catch (const Error& error) {
        return error.facts().subject;
      }
      return "";
    };
    QCOMPARE(refused(device(0)), std::string("device"));
    Device negative = device(kMiB);
    negative.outside_bytes = -1;
    QCOMPARE(refused(negative), std::string("outside"));
    Device all_reserved = device(kMiB);
    all_reserved.reserve_parts = 1'000'000'000;
    QCOMPARE(refused(all_reserved), std::string("reserve"));
  }

  void further_microbatches_add_their_inputs_alone() {
    const AccumulatedForecast forecast({step_of(2, 1), step_of(4, 1), step_of(2, 2), step_of(4, 2)});
    QVERIFY(forecast.is_joined(1) && forecast.is_joined(5));
    for (const std::int64_t microbatch : {1, 2, 3, 7}) {
      for (const std::int64_t accumulation : {1, 2, 3, 5}) {
        const record::StepTrace worked_out = forecast.at(microbatch, accumulation);
        const record::StepTrace real = step_of(microbatch, accumulation);
        QCOMPARE(worked_out.microbatches, accumulation);
        QCOMPARE(peak_of(worked_out).bytes, peak_of(real).bytes);
        QCOMPARE(peak_of(worked_out).by_category, peak_of(real).by_category);
      }
    }
    // One microbatch: 30 + m + 16 m + 30; two: the gradient is there in the second forward: 30 + 2 m + 30 + 16 m.
    QCOMPARE(peak_of(forecast.at(4, 1)).bytes, (60 + 17 * 4) * kMiB);
    QCOMPARE(peak_of(forecast.at(4, 8)).bytes, (60 + 8 * 4 + 16 * 4) * kMiB);
  }

  void what_a_microbatch_leaves_until_the_end_of_the_step_is_added_for_each_further_one() {
    // As above, and each microbatch leaves 2 MiB a sample of temporaries behind.
    const auto leaving = [](std::int64_t microbatch, std::int64_t microbatches) {
      record::StepTrace trace = step_of(microbatch, microbatches);
      const auto begins_forward = [](const MemoryEvent& event) { return event.part == StepPart::Forward; };
      for (std::int64_t i = 0, from = 0; i < microbatches; ++i) {
        auto at = std::find_if(trace.events.begin() + from, trace.events.end(), begins_forward);
        const auto block = static_cast<std::int64_t>(trace.blocks.size());
        from = at - trace.events.begin() + 3;
        trace.events.insert(at, {kAllocate, StepPart::Forward, block, 2 * microbatch * kMiB});
        trace.blocks.push_back({MemoryCategory::Temporaries, 0});
      }
      return trace;
    };
    const AccumulatedForecast forecast(
        {leaving(2, 1), leaving(4, 1), leaving(2, 2), leaving(4, 2), leaving(2, 3), leaving(4, 3)});
    for (const std::int64_t accumulation : {1, 2, 3, 4, 9}) {
      QCOMPARE(peak_of(forecast.at(3, accumulation)).by_category, peak_of(leaving(3, accumulation)).by_category);
    }
    // 9 microbatches of 3: 60 fixed and gradient, 27 of inputs, 48 of activations, 54 left behind.
    QCOMPARE(peak_of(forecast.at(3, 9)).bytes, (60 + 27 + 48 + 54) * kMiB);
  }

  void a_trace_with_more_inputs_can_still_be_replayed() {
    const AccumulatedForecast forecast({step_of(2, 1), step_of(4, 1), step_of(2, 2), step_of(4, 2)});
    const ModelLedger ledger = model_ledger_of(forecast.at(2, 4), device(1000 * kMiB));
    QCOMPARE(ledger.peak.bytes, (30 + 8 + 30 + 32) * kMiB);
    QCOMPARE(ledger.replay.at_end.requested, (30 + 8) * kMiB);  // parameters and inputs
  }

  void further_inputs_are_blocks_of_their_own() {
    // Inputs of 1 MiB each, of 30 more microbatches: 30 blocks of the small pool, not one of the large one.
    const AccumulatedForecast forecast({step_of(1, 1), step_of(2, 1), step_of(1, 2), step_of(2, 2)});
    const record::StepTrace trace = forecast.at(1, 32);
    std::int64_t of_one = 0;
    for (std::size_t i = 0; i < trace.held; ++i) of_one += trace.events[i].bytes == kMiB ? 1 : 0;
    QCOMPARE(of_one, std::int64_t{30});
    QCOMPARE(peak_of(forecast.at(1, 1'000'002)).by_category[static_cast<std::size_t>(MemoryCategory::Inputs)],
             1'000'002 * kMiB);  // in fewer pieces, to the byte
  }

  void forecasts_of_no_size_are_refused() {
    const AccumulatedForecast forecast({step_of(2, 1), step_of(4, 1)});
    QVERIFY_EXCEPTION_THROWN(forecast.at(0, 1), Error);
    QVERIFY_EXCEPTION_THROWN(forecast.at(1, 0), Error);
    QVERIFY_EXCEPTION_THROWN(forecast.at(1, std::numeric_limits<std::int64_t>::max()), Error);
    QVERIFY_EXCEPTION_THROWN(AccumulatedForecast({}), Error);
    QVERIFY_EXCEPTION_THROWN(AccumulatedForecast({step_of(2, 1)}), Error);
  }
};

QTEST_APPLESS_MAIN(ModelLedgerTests)
#include "model_ledger_tests.moc"
