// SPDX-License-Identifier: Apache-2.0
#include "core/memory/step_forecast.h"

#include <QTest>

#include <functional>

#include "core/base/error.h"

using namespace mantissa;
using namespace mantissa::memory;
using record::MemoryCategory;
using record::MemoryEvent;
using record::StepPart;

namespace {

/// Weights of 1,000 bytes; forward makes 100 bytes a sample and keeps them, and 40 + 30 a sample in between; backward
/// makes a gradient of 1,000 bytes and lets go of all else.
record::StepTrace step_of(std::int64_t microbatch) {
  record::StepTrace trace;
  trace.microbatch = microbatch;
  trace.microbatches = 1;
  trace.held = 1;
  trace.has_update = true;
  trace.modules = {""};
  const auto kept = MemoryEvent::Kind::Allocate;
  const auto freed = MemoryEvent::Kind::Free;
  trace.events = {{kept, StepPart::BeforeForward, 0, 1000},
                  {kept, StepPart::Forward, 1, 100 * microbatch},
                  {kept, StepPart::Forward, 2, 40 + 30 * microbatch},
                  {freed, StepPart::Forward, 2, 0},
                  {kept, StepPart::Backward, 3, 1000},
                  {freed, StepPart::Backward, 1, 0},
                  {freed, StepPart::Update, 3, 0}};
  trace.blocks = {{MemoryCategory::Parameters, 0},
                  {MemoryCategory::SavedActivations, 0},
                  {MemoryCategory::Temporaries, 0},
                  {MemoryCategory::Gradients, 0}};
  return trace;
}

std::int64_t bytes_of(const StepPeak& peak, MemoryCategory category) {
  return peak.by_category[static_cast<std::size_t>(category)];
}

ErrorFacts refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.facts();
  }
  return {};
}

}  // namespace

class StepForecastTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_peak_is_where_most_is_live() {
    // At 8: 1000 + 800 + 280 in forward, 1000 + 800 + 1000 in backward.
    const StepPeak peak = peak_of(step_of(8));
    QCOMPARE(peak.bytes, std::int64_t{2800});
    QCOMPARE(peak.event, std::int64_t{4});
    QCOMPARE(bytes_of(peak, MemoryCategory::Parameters), std::int64_t{1000});
    QCOMPARE(bytes_of(peak, MemoryCategory::Gradients), std::int64_t{1000});
    QCOMPARE(bytes_of(peak, MemoryCategory::SavedActivations), std::int64_t{800});
    QCOMPARE(bytes_of(peak, MemoryCategory::Temporaries), std::int64_t{0});
  }

  void a_microbatch_between_and_beyond_the_traced_ones_is_found_data() {
    QTest::addColumn<qint64>("microbatch");
    for (const qint64 microbatch : {1, 5, 8, 16, 40, 1000}) {
      QTest::newRow(QByteArray::number(microbatch).constData()) << microbatch;
    }
  }
  void a_microbatch_between_and_beyond_the_traced_ones_is_found() {
    QFETCH(qint64, microbatch);
    const StepForecast forecast({step_of(8), step_of(16)});
    QVERIFY(forecast.is_joined());
    const record::StepTrace found = forecast.at(microbatch);
    const record::StepTrace expected = step_of(microbatch);
    QCOMPARE(found.microbatch, std::int64_t{microbatch});
    for (std::size_t i = 0; i < expected.events.size(); ++i) QCOMPARE(found.events[i].bytes, expected.events[i].bytes);
  }

  void the_peak_moves_where_other_samples_need_it() {
    // Forward holds 1040 + 130 a sample, backward 2000 + 100: forward is higher from 33 samples on.
    const StepForecast forecast({step_of(8), step_of(16)});
    QCOMPARE(peak_of(forecast.at(31)).event, std::int64_t{4});
    QCOMPARE(peak_of(forecast.at(31)).bytes, std::int64_t{5100});
    QCOMPARE(peak_of(forecast.at(33)).event, std::int64_t{2});
    QCOMPARE(peak_of(forecast.at(33)).bytes, std::int64_t{5330});
  }

  void a_trace_that_took_another_way_is_left_out() {
    record::StepTrace odd = step_of(4);
    odd.events.push_back({MemoryEvent::Kind::Allocate, StepPart::Update, 4, 999'999});
    odd.blocks.push_back({MemoryCategory::Temporaries, 0});
    const StepForecast forecast({odd, step_of(8), step_of(16)});
    QVERIFY(forecast.is_joined());
    QCOMPARE(forecast.microbatches(), (std::vector<std::int64_t>{8, 16}));
    QCOMPARE(peak_of(forecast.at(4)).bytes, std::int64_t{2400});
  }

  void traces_that_never_agree_are_scaled_from_the_nearest() {
    record::StepTrace odd = step_of(4);
    odd.events[1].part = StepPart::Backward;
    const StepForecast forecast({odd, step_of(16)});
    QVERIFY(!forecast.is_joined());
    // From 16: parameters and gradients stay, 1,600 bytes of activations become 3,200, 520 of temporaries 1,040.
    const StepPeak peak = peak_of(forecast.at(32));
    QCOMPARE(peak.bytes, std::int64_t{5240});
    QCOMPARE(bytes_of(peak, MemoryCategory::Temporaries), std::int64_t{1040});
  }

  void an_empty_trace_has_no_peak() {
    const StepPeak peak = peak_of({});
    QCOMPARE(peak.bytes, std::int64_t{0});
    QCOMPARE(peak.event, std::int64_t{-1});
  }

  void what_cannot_be_joined_is_refused() {
    QCOMPARE(QString::fromStdString(refusal([] { StepForecast one({step_of(8)}); }).subject), "traces");
    QCOMPARE(QString::fromStdString(refusal([] { StepForecast one({step_of(8), step_of(8)}); }).subject), "traces");
    record::StepTrace accumulated = step_of(16);
    accumulated.microbatches = 2;
    QCOMPARE(QString::fromStdString(refusal([&] {
                                      StepForecast one({step_of(8), accumulated});
                                    }).subject),
             "microbatches");
    const StepForecast forecast({step_of(8), step_of(16)});
    QCOMPARE(QString::fromStdString(refusal([&] { forecast.at(0); }).subject), "microbatch");
    QCOMPARE(QString::fromStdString(refusal([&] { forecast.at(std::int64_t{1} << 50); }).subject), "microbatch");
  }
};

QTEST_APPLESS_MAIN(StepForecastTests)
#include "step_forecast_tests.moc"
