// SPDX-License-Identifier: Apache-2.0
// Scores, distributions and paired tests beside SciPy, scikit-learn and NumPy (make_statistics.py).
#include <cmath>
#include <limits>
#include <vector>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "core/judge/distributions.h"
#include "core/judge/paired_tests.h"
#include "core/judge/scores.h"

using namespace mantissa::judge;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

QJsonObject expected() {
  QFile file(QStringLiteral(MANTISSA_SOURCE_DIR "/tests/core/judge/statistics.json"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("statistics.json cannot be read");
  return QJsonDocument::fromJson(file.readAll()).object();
}

std::vector<double> numbers(const QJsonValue& list) {
  std::vector<double> values;
  for (const QJsonValue& value : list.toArray()) values.push_back(value.toDouble());
  return values;
}

std::vector<std::int64_t> integers(const QJsonValue& list) {
  std::vector<std::int64_t> values;
  for (const QJsonValue& value : list.toArray()) values.push_back(value.toInteger());
  return values;
}

/// Equal but for the rounding of sums in another order.
bool close(double found, double wanted, double relative = 1e-12) {
  const bool is = std::abs(found - wanted) <= relative * std::max(1e-3, std::abs(wanted));
  if (!is) qWarning("found %.17g, expected %.17g", found, wanted);
  return is;
}

}  // namespace

class StatisticsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_area_under_roc_equals_scikit_learns() {
    for (const QJsonValue& one : expected()["scores"].toArray()) {
      std::vector<bool> is_one;
      for (const std::int64_t truth : integers(one["truth"])) is_one.push_back(truth == 1);
      QVERIFY(close(area_under_roc(is_one, numbers(one["score"])), one["auc"].toDouble()));
    }
  }

  void the_area_under_roc_takes_infinities_as_ends_and_no_nan_and_no_lone_class() {
    QCOMPARE(area_under_roc({false, true, true}, {-kInfinity, 0.0, kInfinity}), 1.0);
    QCOMPARE(area_under_roc({false, true}, {kInfinity, kInfinity}), 0.5);
    QVERIFY(std::isnan(area_under_roc({false, true}, {0.0, kNaN})));
    QVERIFY(std::isnan(area_under_roc({true, true}, {0.0, 1.0})));
    QVERIFY(std::isnan(area_under_roc({}, {})));
  }

  void f1_equals_scikit_learns() {
    for (const QJsonValue& one : expected()["decisions"].toArray()) {
      const std::vector<std::int64_t> truths = integers(one["truth"]);
      const std::vector<std::int64_t> decisions = integers(one["decision"]);
      const std::vector<std::int64_t> classes = integers(one["classes"]);
      const std::vector<double> f1 = numbers(one["f1"]);
      for (std::size_t i = 0; i < classes.size(); ++i) {
        QVERIFY(close(f1_of_class(truths, decisions, classes[i]), f1[i]));
      }
      QVERIFY(close(macro_f1(truths, decisions), one["macro"].toDouble()));
    }
    QVERIFY(std::isnan(f1_of_class({0, 1}, {1, 0}, 7)));
  }

  void the_log_loss_equals_scikit_learns_and_clips_nothing() {
    for (const QJsonValue& one : expected()["losses"].toArray()) {
      QVERIFY(close(log_loss(numbers(one["of_truth"])), one["log_loss"].toDouble()));
    }
    QCOMPARE(log_loss({0.5, 0.0}), kInfinity);
    QVERIFY(std::isnan(log_loss({})));
  }

  void distances_of_distributions_equal_scipys_and_numpys() {
    for (const QJsonValue& one : expected()["distributions"].toArray()) {
      const std::vector<double> reference = numbers(one["reference"]);
      const std::vector<double> trial = numbers(one["trial"]);
      QVERIFY(close(kolmogorov_smirnov_distance(reference, trial), one["ks"].toDouble()));
      QVERIFY(close(population_stability(reference, trial, 2), one["stability"]["2"].toDouble()));
      QVERIFY(close(population_stability(reference, trial, 10), one["stability"]["10"].toDouble()));
      QCOMPARE(kolmogorov_smirnov_distance(reference, reference), 0.0);
      QCOMPARE(population_stability(reference, reference, 10), 0.0);
    }
    QVERIFY(std::isnan(kolmogorov_smirnov_distance({1.0}, {kNaN})));
    QVERIFY(std::isnan(population_stability({}, {1.0}, 10)));
  }

  void mcnemars_test_equals_scipys_binomial_test() {
    for (const QJsonValue& one : expected()["splits"].toArray()) {
      // lgamma of 2,000 leaves about 12 digits of the logarithm of the tail.
      QVERIFY(close(mcnemar(one["one"].toInteger(), one["other"].toInteger()), one["p"].toDouble(), 1e-9));
    }
    QCOMPARE(mcnemar(0, 0), 1.0);
  }

  void non_inferiority_equals_scipys_t_test_and_an_enumerated_bootstrap() {
    for (const QJsonValue& one : expected()["differences"].toArray()) {
      const std::vector<double> values = numbers(one["values"]);
      const double margin = one["margin"].toDouble();
      const double alpha = one["alpha"].toDouble();
      const NonInferiority t = non_inferiority_by_t(values, margin, alpha);
      QVERIFY(close(t.lower_bound, one["t_low"].toDouble(), 1e-10));
      QVERIFY(close(t.p_value, one["t_p"].toDouble(), 1e-10));
      QCOMPARE(t.shown, t.p_value < alpha);
      const NonInferiority bootstrap = non_inferiority_by_bootstrap(values, margin, alpha);
      QVERIFY(close(bootstrap.lower_bound, one["bootstrap_low"].toDouble()));
      QVERIFY(close(bootstrap.mean_difference, t.mean_difference));
    }
  }

  void a_bootstrap_of_two_is_what_one_counts_by_hand() {
    // The four ways to draw two: means -0.02, -0.005, -0.005, 0.01; one of four is at -0.02 or below.
    const NonInferiority found = non_inferiority_by_bootstrap({-0.02, 0.01}, 0.02, 0.05);
    QCOMPARE(found.p_value, 0.25);
    // numpy.quantile: 0.05 · 3 = 0.15 of the way from -0.02 to -0.005.
    QVERIFY(close(found.lower_bound, -0.02 + 0.15 * 0.015));
    QVERIFY(found.shown);
  }

  void a_drawn_bootstrap_is_close_to_a_longer_one_and_the_same_every_time() {
    const QJsonValue one = expected()["many"];
    const std::vector<double> values = numbers(one["values"]);
    const double mean = one["mean"].toDouble();
    const double low = one["bootstrap_low"].toDouble();
    const NonInferiority found = non_inferiority_by_bootstrap(values, 0.01, 0.05);
    // The quantile 0.05 of 100,000 draws: standard error sqrt(0.05 · 0.95 / 10^5) / 0.103 = 0.0067 standard errors of
    // the mean, the bound is 1.645 of them away: 0.4 %; four of those.
    QVERIFY(std::abs(found.lower_bound - low) < 0.016 * (mean - low));
    QCOMPARE(non_inferiority_by_bootstrap(values, 0.01, 0.05).lower_bound, found.lower_bound);
  }

  void equal_differences_are_their_own_bound() {
    const NonInferiority worse = non_inferiority_by_t({-0.25, -0.25, -0.25}, 0.25, 0.05);
    QCOMPARE(worse.lower_bound, -0.25);
    QCOMPARE(worse.p_value, 1.0);
    QVERIFY(!worse.shown);
    QVERIFY(non_inferiority_by_t({-0.25, -0.25, -0.25}, 0.5, 0.05).shown);
  }
};

QTEST_APPLESS_MAIN(StatisticsTests)
#include "statistics_tests.moc"
