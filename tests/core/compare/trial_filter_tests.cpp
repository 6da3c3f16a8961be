// SPDX-License-Identifier: Apache-2.0
#include "core/compare/trial_filter.h"

#include <limits>

#include <QTest>

#include "core/base/error.h"
#include "tests/core/compare/sample_trials.h"

using namespace mantissa;
using compare::TrialFilter;

namespace {

bool fits(const char* expression, const record::TrialRow& trial = test::fp16_trial()) {
  return TrialFilter(expression, [](std::int64_t) { return test::kSettings; }).fits(trial);
}

}  // namespace

class TrialFilterTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void columns_and_settings_are_read_data() {
    QTest::addColumn<QByteArray>("expression");
    QTest::addColumn<bool>("expected");
    const auto row = [](const char* expression, bool expected) {
      QTest::newRow(expression) << QByteArray(expression) << expected;
    };
    row("trial.autocast == \"float16\" and skipped > 0", true);
    row("skipped > 3", false);
    row("skipped_fraction >= 0.03", true);
    row("verdict == \"rejected\"", true);
    row("quality < quality_reference", true);
    row("trial.scaler.init_scale >= 1024", true);
    row("trial.scaler.enabled == \"true\"", true);
    row("training.batch == 64", true);
    row("training.epochs is missing", true);
    row("training.optimizer.lr == 0.001", true);
    row("training.optimizer[0].kind == \"adamw\"", true);
    row("training.optimizer[1].kind == \"adamw\"", false);
    row("training.optimizer[1].kind is missing", true);
    row("model.hidden == \"[8,4]\"", true);
    row("rules.cost[speed].min_speedup == 2", true);
    row("rules.cost[1].max_memory_ratio == 1", true);
    row("rules.cost.min_speedup is missing", true);  // there are two, and none is meant
    row("training.drop_last == \"false\"", true);
    row("flips is missing and not (flips > 0)", true);
  }
  void columns_and_settings_are_read() {
    QFETCH(QByteArray, expression);
    QFETCH(bool, expected);
    QCOMPARE(fits(expression.constData()), expected);
  }

  /// A NaN has SQLite's text 'NaN' elsewhere, which is larger than every number.
  void a_number_that_is_not_finite_fits_no_numeric_filter() {
    record::TrialRow trial = test::fp16_trial();
    trial.end.final_loss = std::numeric_limits<double>::quiet_NaN();
    for (const char* expression : {"final_loss > 0.1", "final_loss < 0.1", "final_loss == 0.1", "final_loss != 0.1"}) {
      QVERIFY2(!fits(expression, trial), expression);
    }
    QVERIFY(fits("final_loss is non_finite", trial));
    QVERIFY(!fits("final_loss is missing", trial));
  }

  void a_reference_has_no_settings_of_a_trial() {
    record::TrialRow reference = test::fp16_trial();
    reference.start.policy.clear();
    QVERIFY(fits("trial.autocast is missing", reference));
    QVERIFY(!fits("trial.autocast != \"float16\"", reference));
  }

  void settings_that_cannot_be_read_are_missing() {
    const TrialFilter filter("training.batch is missing", [](std::int64_t) { return std::string("{"); });
    QVERIFY(filter.fits(test::fp16_trial()));
  }

  void settings_are_asked_for_once_an_experiment_and_only_where_needed() {
    int asked = 0;
    const auto count = [&asked](std::int64_t) {
      ++asked;
      return test::kSettings;
    };
    const TrialFilter results("skipped > 0 and trial.autocast == \"float16\"", count);
    QVERIFY(results.fits(test::fp16_trial()));
    QCOMPARE(asked, 0);
    const TrialFilter settings("training.batch == 64 and model.kind == \"mlp\"", count);
    for (int i = 0; i < 3; ++i) QVERIFY(settings.fits(test::fp16_trial()));
    QCOMPARE(asked, 1);
  }

  void what_is_neither_column_nor_setting_is_refused_with_the_nearest_data() {
    QTest::addColumn<QByteArray>("expression");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("column") << QByteArray("skiped > 0") << QByteArray("Did you mean skipped");
    QTest::newRow("setting") << QByteArray("training.bach == 64") << QByteArray("training.batch");
    QTest::newRow("far") << QByteArray("xyzzyxyzzy == 1") << QByteArray("help list");
    QTest::newRow("grammar") << QByteArray("skipped >") << QByteArray("expected");
    QTest::newRow("empty") << QByteArray("") << QByteArray("expected");
  }
  void what_is_neither_column_nor_setting_is_refused_with_the_nearest() {
    QFETCH(QByteArray, expression);
    QFETCH(QByteArray, expected);
    try {
      fits(expression.constData());
      QFAIL("it was taken");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QVERIFY2(sentence(error.facts()).find(expected.constData()) != std::string::npos, error.what());
    }
  }

  void a_number_beside_a_text_is_refused() { QVERIFY_EXCEPTION_THROWN(fits("skipped == \"3\""), Error); }
};

QTEST_APPLESS_MAIN(TrialFilterTests)
#include "trial_filter_tests.moc"
