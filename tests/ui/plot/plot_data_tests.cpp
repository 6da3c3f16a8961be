// SPDX-License-Identifier: GPL-3.0-or-later
// Series, decimation, smoothing, differences and ticks: everything of the plots that needs no window.
#include <QtTest/QtTest>

#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "ui/plot/axis_ticks.h"
#include "ui/plot/decimate.h"
#include "ui/plot/difference.h"
#include "ui/plot/plot_numbers.h"
#include "ui/plot/smoothing.h"

using namespace mantissa::ui::plot;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::shared_ptr<SeriesData> series(const std::vector<double>& x, const std::vector<double>& y) {
  auto positions = std::make_shared<PositionColumn>();
  for (const auto value : x) positions->append(value);
  auto data = std::make_shared<SeriesData>(positions);
  for (const auto value : y) data->append(value);
  return data;
}

std::vector<double> counting(std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<double>(i);
  return x;
}

/// Mostly noise, with zeros, NaN, infinities and stretches of each.
std::vector<double> wildValues(std::mt19937& random, std::size_t count) {
  std::vector<double> y;
  std::normal_distribution<double> noise(0, 3);
  while (y.size() < count) {
    const auto what = random() % 200;
    const auto length = what < 3 ? 1 + random() % 300 : 1;
    for (std::size_t i = 0; i < length && y.size() < count; ++i) {
      y.push_back(what == 0 ? kNaN : what == 1 ? kInfinity : what == 2 ? 0 : what == 3 ? -kInfinity : noise(random));
    }
  }
  return y;
}

/// What decimation promises, from every value one by one.
void compareWithNaive(const SeriesData& data, const DecimationRequest& request) {
  const auto result = decimate(data, data, request);
  const auto drawable = [&](double y) { return std::isfinite(y) && (!request.positiveOnly || y > 0); };
  std::size_t count = 0;
  std::size_t nonFinite = 0;
  std::vector<std::vector<std::size_t>> columns(request.columns);
  std::vector<bool> hasNotPositive(request.columns);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!request.range.contains(data.x(i))) continue;
    ++count;
    if (!std::isfinite(data.y(i))) ++nonFinite;
    std::size_t column = 0;
    while (column + 1 < request.columns && data.x(i) >= request.range.low + request.range.length() *
                                                                                static_cast<double>(column + 1) /
                                                                                static_cast<double>(request.columns)) {
      ++column;
    }
    if (drawable(data.y(i))) columns[column].push_back(i);
    if (request.positiveOnly && std::isfinite(data.y(i)) && data.y(i) <= 0) hasNotPositive[column] = true;
  }
  QCOMPARE(result.count, count);
  QCOMPARE(result.decimated, count > 2 * request.columns);
  std::size_t marked = 0;
  for (const auto& mark : result.nonFinite) {
    marked += mark.count;
    QVERIFY(!std::isfinite(data.y(mark.index)));
    QVERIFY(kindOf(data.y(mark.index)) == mark.kind);
    QCOMPARE(mark.x, data.x(mark.index));
  }
  QCOMPARE(marked, nonFinite);

  std::vector<bool> drawn(data.size());
  for (std::size_t k = 0; k < result.samples.size(); ++k) {
    const auto& sample = result.samples[k];
    QVERIFY(drawable(sample.y));
    QCOMPARE(sample.y, data.y(sample.index));
    QCOMPARE(sample.x, data.x(sample.index));
    if (k > 0) QVERIFY(result.samples[k - 1].index < sample.index);
    drawn[sample.index] = true;
  }
  if (!result.decimated) {
    for (const auto& column : columns) {
      for (const auto i : column) QVERIFY(drawn[i]);
    }
    return;
  }
  QVERIFY(result.samples.size() <= 2 * request.columns + 4);
  std::size_t withNotPositive = 0;
  for (std::size_t column = 0; column < request.columns; ++column) {
    withNotPositive += hasNotPositive[column] ? 1 : 0;
    if (columns[column].empty()) continue;
    auto low = kInfinity;
    auto high = -kInfinity;
    auto drawnLow = kInfinity;
    auto drawnHigh = -kInfinity;
    for (const auto i : columns[column]) {
      low = std::min(low, data.y(i));
      high = std::max(high, data.y(i));
      if (!drawn[i]) continue;
      drawnLow = std::min(drawnLow, data.y(i));
      drawnHigh = std::max(drawnHigh, data.y(i));
    }
    QCOMPARE(drawnLow, low);
    QCOMPARE(drawnHigh, high);
  }
  QCOMPARE(result.notPositive.size(), withNotPositive);
}

bool near(double found, double expected) {
  return std::abs(found - expected) <= 1e-12 * std::max(1.0, std::abs(expected));
}

}  // namespace

class PlotDataTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void positions_may_stand_still_but_not_go_back() {
    PositionColumn positions;
    positions.append(1);
    positions.append(1);
    positions.append(4);
    QCOMPARE(positions.size(), std::size_t(3));
    QVERIFY_EXCEPTION_THROWN(positions.append(3), mantissa::Error);
    QVERIFY_EXCEPTION_THROWN(positions.append(kNaN), mantissa::Error);
    QCOMPARE(positions.lower(1, 0, 3), std::size_t(0));
    QCOMPARE(positions.upper(1, 0, 3), std::size_t(2));
    QCOMPARE(positions.lower(9, 0, 3), std::size_t(3));
  }

  void positions_that_rise_evenly_or_not_are_read_back_bit_for_bit() {
    // Updates with a skipped one now and then, samples, thirds whose sums round, and seconds that a clock gave.
    std::vector<std::vector<double>> kinds(4);
    for (int i = 0; i < 2000; ++i) {
      const int skipped = i / 301;
      kinds[0].push_back(i - skipped);
      kinds[1].push_back(64.0 * i);
      kinds[2].push_back(i / 3.0);
      kinds[3].push_back(std::sqrt(static_cast<double>(i)));
    }
    for (const std::vector<double>& expected : kinds) {
      PositionColumn positions;
      for (const double one : expected) positions.append(one);
      QCOMPARE(positions.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(positions.at(i) == expected[i]);
      QCOMPARE(positions.last(), expected.back());
    }
  }

  void values_and_positions_may_arrive_in_any_order() {
    auto positions = std::make_shared<PositionColumn>();
    SeriesData data(positions);
    data.append(7);
    QVERIFY(data.empty());
    positions->append(0);
    positions->append(1);
    QCOMPARE(data.size(), std::size_t(1));
  }

  void non_finite_values_are_kept_and_listed_as_runs() {
    const auto data = series(counting(7), {1, kNaN, kNaN, kInfinity, 2, -kInfinity, kNaN});
    const auto& runs = data->nonFinite();
    QCOMPARE(runs.size(), std::size_t(4));
    QCOMPARE(runs[0].first, std::size_t(1));
    QCOMPARE(runs[0].count, std::size_t(2));
    QVERIFY(runs[1].kind == NonFinite::PlusInfinity);
    QVERIFY(runs[2].kind == NonFinite::MinusInfinity);
    QVERIFY(std::isnan(data->y(1)));
    QCOMPARE(data->y(3), kInfinity);
  }

  void decimation_agrees_with_looking_at_every_value() {
    std::mt19937 random(20240611);
    for (int round = 0; round < 60; ++round) {
      const auto count = std::size_t(1) + random() % 9000;
      std::vector<double> x;
      double position = 0;
      while (x.size() < count) {
        x.push_back(position);
        // Dense and sparse stretches, and positions that repeat.
        position += random() % 3 == 0 ? 0 : static_cast<double>(random() % (round % 2 == 0 ? 4 : 400)) / 7;
      }
      const auto data = series(x, wildValues(random, count));
      DecimationRequest request;
      request.columns = 1 + random() % 700;
      request.positiveOnly = round % 3 == 0;
      const auto a = static_cast<double>(random() % 1000) / 1000 * position;
      const auto b = static_cast<double>(random() % 1000) / 1000 * position;
      request.range = round % 4 == 0 ? Range{0, position} : Range{std::min(a, b), std::max(a, b) + 1};
      compareWithNaive(*data, request);
      if (QTest::currentTestFailed()) return;
    }
  }

  void decimation_of_a_growing_series_is_that_of_the_whole() {
    std::mt19937 random(11);
    for (int round = 0; round < 12; ++round) {
      auto positions = std::make_shared<PositionColumn>();
      SeriesData data(positions);
      GrowingDecimation growing;
      DecimationRequest request{
          {round % 3 == 0 ? 100.0 : 0.0, round % 4 == 0 ? 2500.0 : 4000.0}, 1 + random() % 300, round % 2 == 0};
      for (const auto value : wildValues(random, 4000)) {
        positions->append(static_cast<double>(positions->size()));
        data.append(value);
        if (random() % 20 != 0) continue;
        if (random() % 40 == 0) request.columns = 1 + random() % 300;
        const auto& found = growing.update(data, data, request);
        const auto expected = decimate(data, data, request);
        QCOMPARE(found.count, expected.count);
        QCOMPARE(found.breaks, expected.breaks);
        QCOMPARE(found.notPositive, expected.notPositive);
        QCOMPARE(found.columns.size(), expected.columns.size());
        QCOMPARE(found.nonFinite.size(), expected.nonFinite.size());
        QCOMPARE(found.samples.size(), expected.samples.size());
        for (std::size_t i = 0; i < found.samples.size(); ++i)
          QCOMPARE(found.samples[i].index, expected.samples[i].index);
      }
    }
  }

  void nothing_is_drawn_of_an_empty_series() {
    const auto data = series({}, {});
    const auto result = decimate(*data, *data, {{0, 1}, 100, false});
    QVERIFY(result.samples.empty());
    QCOMPARE(result.count, std::size_t(0));
  }

  void single_value_is_drawn_in_a_range_of_no_length() {
    const auto data = series({5}, {2});
    const auto result = decimate(*data, *data, {{5, 5}, 100, false});
    QCOMPARE(result.samples.size(), std::size_t(1));
    QCOMPARE(result.samples[0].y, 2.0);
  }

  void many_values_at_one_position_keep_their_extremes_and_ends() {
    const auto data = series(std::vector<double>(9, 3.0), {4, 1, 5, 9, 2, 6, 5, 3, 8});
    const auto result = decimate(*data, *data, {{3, 3}, 2, false});
    QVERIFY(result.decimated);
    std::vector<double> drawn;
    for (const auto& sample : result.samples) drawn.push_back(sample.y);
    QCOMPARE(drawn, (std::vector<double>{4, 1, 9, 8}));  // first, minimum, maximum, last
  }

  void line_goes_on_to_a_neighbour_beyond_either_end() {
    const auto data = series({0, 10, 20, 30}, {1, 2, 3, 4});
    const auto result = decimate(*data, *data, {{9, 21}, 100, false});
    QCOMPARE(result.samples.size(), std::size_t(4));
    QCOMPARE(result.samples.front().x, 0.0);
    QCOMPARE(result.samples.back().x, 30.0);
    QCOMPARE(result.count, std::size_t(2));
  }

  void line_is_interrupted_at_a_non_finite_value() {
    const auto data = series(counting(5), {1, 2, kNaN, 3, 4});
    const auto result = decimate(*data, *data, {{0, 4}, 100, false});
    QCOMPARE(result.samples.size(), std::size_t(4));
    QCOMPARE(result.breaks, (std::vector<std::size_t>{2}));
    QCOMPARE(result.nonFinite.size(), std::size_t(1));
    QCOMPARE(result.nonFinite[0].x, 2.0);
  }

  void lone_nan_among_a_thousand_values_of_a_column_is_marked_without_a_gap() {
    auto y = std::vector<double>(1000, 1.0);
    y[500] = kNaN;
    const auto data = series(counting(1000), y);
    const auto result = decimate(*data, *data, {{0, 999}, 4, false});
    QVERIFY(result.breaks.empty());
    QCOMPARE(result.nonFinite.size(), std::size_t(1));
  }

  void exponential_average_has_no_bias_towards_zero() {
    // weight 0.9: average 0.1·10 = 1, divided by 1 − 0.9 = 0.1 gives 10; then 0.9·1 + 0.1·20 = 2.9, 1 − 0.81 = 0.19,
    // 2.9 / 0.19 = 15.2631578947…; then 0.9·2.9 + 0.1·30 = 5.61, 1 − 0.729 = 0.271, 5.61 / 0.271 = 20.7011070110…
    const auto smoothed = exponentialAverage({10, 20, 30}, 0.9);
    QVERIFY(near(smoothed[0], 10));
    QVERIFY(near(smoothed[1], 2.9 / 0.19));
    QVERIFY(near(smoothed[2], 5.61 / 0.271));
  }

  void exponential_average_of_a_constant_is_the_constant() {
    for (const auto value : exponentialAverage(std::vector<double>(2000, 0.25), 0.999)) QVERIFY(near(value, 0.25));
  }

  void non_finite_values_pass_through_smoothing_and_leave_the_average_alone() {
    const auto smoothed = exponentialAverage({10, kNaN, kInfinity, 20}, 0.9);
    QVERIFY(std::isnan(smoothed[1]));
    QCOMPARE(smoothed[2], kInfinity);
    QVERIFY(near(smoothed[3], 2.9 / 0.19));  // as if the two had not been there
    const auto means = runningMean({10, kNaN, 20, -kInfinity}, 3);
    QVERIFY(std::isnan(means[1]));
    QVERIFY(near(means[2], 15));  // (10 + 20) / 2
    QCOMPARE(means[3], -kInfinity);
  }

  void running_mean_takes_the_last_values() {
    const auto means = runningMean({1, 2, 6, 3, 9}, 3);
    // 1; (1+2)/2; (1+2+6)/3; (2+6+3)/3; (6+3+9)/3
    const std::vector<double> expected = {1, 1.5, 3, 11.0 / 3, 6};
    for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(near(means[i], expected[i]));
  }

  void huge_value_leaves_the_running_mean_without_a_trace() {
    const auto means = runningMean({1, 1e30, 1, 1, 1}, 2);
    QCOMPARE(means[3], 1.0);
    QCOMPARE(means[4], 1.0);
  }

  void smoothed_values_of_a_growing_series_equal_the_plain_functions() {
    std::mt19937 random(7);
    const auto y = wildValues(random, 3000);
    Smoothing exponential;
    exponential.kind = Smoothing::Kind::Exponential;
    exponential.weight = 0.97;
    Smoothing mean;
    mean.kind = Smoothing::Kind::RunningMean;
    for (const std::size_t window : {1, 7, 64, 150, 1000}) {
      mean.window = window;
      for (const auto& smoothing : {exponential, mean}) {
        auto positions = std::make_shared<PositionColumn>();
        auto data = std::make_shared<SeriesData>(positions);
        SmoothedValues smoothed(data, smoothing);
        for (std::size_t i = 0; i < y.size(); ++i) {
          positions->append(static_cast<double>(i));
          data->append(y[i]);
          if (random() % 100 == 0) smoothed.update();
        }
        smoothed.update();
        const auto expected = smoothing.kind == Smoothing::Kind::Exponential ? exponentialAverage(y, smoothing.weight)
                                                                             : runningMean(y, smoothing.window);
        BlockedValues::Block scratch;
        for (std::size_t i = 0; i < y.size(); ++i) {
          const auto found = smoothed.values(i / BlockSummary::kSize, scratch)[i % BlockSummary::kSize];
          if (std::isfinite(expected[i])) {
            QVERIFY2(near(found, expected[i]), qPrintable(QString("%1: %2, %3").arg(i).arg(found).arg(expected[i])));
          } else {
            QVERIFY(!std::isfinite(found));
          }
        }
        DecimationRequest all{{0, 3000}, 10'000, false};
        QCOMPARE(decimate(*data, smoothed, all).samples.size(), decimate(*data, *data, all).samples.size());
      }
    }
  }

  // With a weight of 0.5 the average of 4 and 8 is (0.25 · 4 + 0.5 · 8) / (1 − 0.25) = 20/3, and it remembers two
  // values.
  void smoothing_for_a_logarithmic_axis_ends_at_zeros_and_begins_anew_after_them_data() {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    QTest::addColumn<Smoothing::Kind>("kind");
    QTest::addColumn<bool>("logarithmic");
    QTest::addColumn<QList<double>>("values");
    QTest::addColumn<QList<double>>("smoothed");
    const auto average = Smoothing::Kind::Exponential;
    const auto mean = Smoothing::Kind::RunningMean;
    QTest::newRow("average") << average << true << QList<double>{4, 8, 0, 0, 2} << QList<double>{4, 20. / 3, 0, 0, 2};
    QTest::newRow("below zero") << average << true << QList<double>{4, -1, -3, 2} << QList<double>{4, -1, -3, 2};
    QTest::newRow("with NaN") << average << true << QList<double>{4, kNaN, 0, 2} << QList<double>{4, kNaN, 0, 2};
    QTest::newRow("one zero") << average << true << QList<double>{4, 0, 8} << QList<double>{4, 0, 20. / 3};
    QTest::newRow("average, linear") << average << false << QList<double>{4, 0} << QList<double>{4, 4. / 3};
    QTest::newRow("mean") << mean << true << QList<double>{4, 8, 0, 0, 2} << QList<double>{4, 6, 0, 0, 2};
    QTest::newRow("mean, linear") << mean << false << QList<double>{4, 8, 0, 0, 2} << QList<double>{4, 6, 4, 0, 1};
  }
  void smoothing_for_a_logarithmic_axis_ends_at_zeros_and_begins_anew_after_them() {
    QFETCH(Smoothing::Kind, kind);
    QFETCH(bool, logarithmic);
    QFETCH(QList<double>, values);
    QFETCH(QList<double>, smoothed);
    auto positions = std::make_shared<PositionColumn>();
    auto data = std::make_shared<SeriesData>(positions);
    for (const double value : values) {
      positions->append(static_cast<double>(positions->size()));
      data->append(value);
    }
    Smoothing smoothing;
    smoothing.kind = kind;
    smoothing.weight = 0.5;
    smoothing.window = 2;
    SmoothedValues found(data, smoothing, logarithmic);
    found.update();
    BlockedValues::Block scratch;
    const double* const block = found.values(0, scratch);
    for (qsizetype i = 0; i < smoothed.size(); ++i) {
      QVERIFY2(std::isnan(smoothed[i]) ? std::isnan(block[i]) : std::abs(block[i] - smoothed[i]) < 1e-12,
               qPrintable(QStringLiteral("%1: %2, not %3").arg(i).arg(block[i]).arg(smoothed[i])));
    }
  }

  void difference_pairs_equal_positions_only() {
    const auto trial = series({0, 1, 2, 2, 5}, {10, 11, 12, 13, 15});
    const auto reference = series({1, 2, 2, 3, 5}, {1, 2, 4, 8, kNaN});
    Difference difference(trial, reference);
    difference.update();
    const auto& data = *difference.data();
    QCOMPARE(data.size(), std::size_t(4));
    QCOMPARE(data.x(0), 1.0);
    QCOMPARE(data.y(0), 10.0);  // 11 − 1
    QCOMPARE(data.y(1), 10.0);  // 12 − 2
    QCOMPARE(data.y(2), 9.0);   // 13 − 4
    QCOMPARE(data.x(3), 5.0);
    QVERIFY(std::isnan(data.y(3)));
  }

  void difference_waits_for_the_slower_run() {
    auto positions = std::make_shared<PositionColumn>();
    auto slow = std::make_shared<SeriesData>(positions);
    Difference difference(series(counting(10), counting(10)), slow);
    difference.update();
    QVERIFY(difference.data()->empty());
    positions->append(4);
    slow->append(1);
    difference.update();
    QCOMPARE(difference.data()->size(), std::size_t(1));
    QCOMPARE(difference.data()->y(0), 3.0);
  }

  void linear_ticks_are_few_and_round() {
    QLocale::setDefault(QLocale::c());
    const auto labels = [](const std::vector<Tick>& ticks) {
      QStringList all;
      for (const auto& tick : ticks) all << (tick.exponent.isEmpty() ? tick.label : tick.label + "^" + tick.exponent);
      return all.join(' ');
    };
    QCOMPARE(labels(xTicks({0, 2000}, 6)), QString("0 500 1,000 1,500 2,000"));
    QCOMPARE(labels(xTicks({-0.25, 0.25}, 6)), QString::fromUtf8("−0.2 −0.1 0.0 0.1 0.2").replace("0.0", "0"));
    QCOMPARE(labels(yTicks(YScale::Linear, {1e-9, 4e-9}, 5)), QString::fromUtf8("1e−09 2e−09 3e−09 4e−09"));
    QCOMPARE(labels(yTicks(YScale::Log10, {-1.6, 0.5}, 5)), QString("0.03 0.1 0.3 1 3"));
    QCOMPARE(labels(yTicks(YScale::Log10, {-9, 1}, 5)), QString::fromUtf8("10^−8 10^−6 0.0001 0.01 1"));
    QCOMPARE(labels(yTicks(YScale::Log2, {12, 22}, 6)), QString("2^12 2^14 2^16 2^18 2^20 2^22"));
    QVERIFY(xTicks({1, 1}, 5).empty());
    QVERIFY(xTicks({-1e308, 1e308}, 5).empty() || xTicks({-1e308, 1e308}, 5).size() <= 5);
  }

  void there_are_never_more_ticks_than_asked_for() {
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) {
      const auto low = std::pow(10.0, static_cast<double>(random() % 60) - 30) * (random() % 2 == 0 ? 1 : -1);
      const auto length = std::pow(10.0, static_cast<double>(random() % 600) / 10 - 30);
      const auto most = 2 + static_cast<int>(random() % 9);
      const Range range{low, low + length};
      const auto ticks = yTicks(YScale::Linear, range, most);
      QVERIFY(static_cast<int>(ticks.size()) <= most);
      const Range logarithms{std::fmod(low, 300), std::fmod(low, 300) + std::min(length, 600.0)};
      QVERIFY(static_cast<int>(yTicks(YScale::Log10, logarithms, most).size()) <= most + 1);
      QVERIFY(static_cast<int>(yTicks(YScale::Log2, logarithms, most).size()) <= most + 1);
    }
  }

  void axis_keeps_its_range_while_the_values_fit() {
    const Range current{0, 10};
    QCOMPARE(settledRange(YScale::Linear, {1, 9}, &current), current);
    QVERIFY(settledRange(YScale::Linear, {1, 11}, &current).high > 11);
    QVERIFY(settledRange(YScale::Linear, {1, 2}, &current) != current);
    QCOMPARE(settledRange(YScale::Log2, {13.5, 16}, nullptr), (Range{12, 17}));
    const auto lone = settledRange(YScale::Linear, {3, 3}, nullptr);
    QVERIFY(lone.low < 3 && lone.high > 3);
  }

  void values_are_written_as_people_read_them() {
    QLocale::setDefault(QLocale::c());
    QCOMPARE(valueText(0.034104), QString("0.03410"));
    QCOMPARE(valueText(0.000612345), QString("0.0006123"));
    QCOMPARE(valueText(-0.25), QString::fromUtf8("−0.2500"));
    QCOMPARE(multipleText(-1.5), QString::fromUtf8("−1.5"));
    QCOMPARE(fullValueText(-0.5), QString::fromUtf8("−0.5"));
    QCOMPARE(valueText(1234.5678), QString("1,235"));
    QCOMPARE(valueText(1.23456), QString("1.235"));
    QCOMPARE(valueText(2.5e-7), QString::fromUtf8("2.500e−07"));
    QCOMPARE(valueText(kNaN), QString("NaN"));
    QCOMPARE(valueText(kInfinity), QString::fromUtf8("+∞"));
    QCOMPARE(valueText(-kInfinity), QString::fromUtf8("−∞"));
    QCOMPARE(valueText(65536, YScale::Log2), QString("2^16"));
    // A scale that is no power of two loses no digit: 5^9 = 1953125.
    QCOMPARE(valueText(1953125, YScale::Log2), QString("1,953,125"));
    QCOMPARE(valueText(0.3, YScale::Log2), QString("0.3"));
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    QCOMPARE(valueText(1953125, YScale::Log2), QString("1.953.125"));
    // One way to write an exponent, that of the glance and the log.
    QCOMPARE(valueText(5.491e-5), QString::fromUtf8("5,491e−05"));
    QCOMPARE(fullValueText(5.37e-5), QString::fromUtf8("5,37e−05"));
    QLocale::setDefault(QLocale::c());
    QCOMPARE(valueText(3, YScale::Log2), QString("3"));
    QCOMPARE(fullValueText(0.1), QString("0.1"));
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(valueText(0.25), QString("0,2500"));
    QCOMPARE(positionText(12000), QString("12.000"));
    QLocale::setDefault(QLocale::c());
  }
};

QTEST_GUILESS_MAIN(PlotDataTests)
#include "plot_data_tests.moc"
