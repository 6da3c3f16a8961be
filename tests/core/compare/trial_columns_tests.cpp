// SPDX-License-Identifier: Apache-2.0
#include "core/compare/trial_columns.h"

#include <algorithm>
#include <limits>
#include <set>

#include <QTest>

#include "tests/core/compare/sample_trials.h"

using namespace mantissa;
using namespace mantissa::compare;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Cell cell(const record::TrialRow& trial, const char* column) { return cell_of(trial, column); }

}  // namespace

class TrialColumnsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_column_has_a_name_of_its_own_and_says_what_it_is() {
    std::set<std::string> names;
    for (const TrialColumn& column : trial_columns()) {
      QVERIFY2(names.insert(column.name).second, column.name.c_str());
      QVERIFY(!column.description.empty());
      const Cell found = cell_of(test::fp16_trial(), column.name);
      QVERIFY2(!(column.is_number && std::holds_alternative<std::string>(found)), column.name.c_str());
      QVERIFY2(!(!column.is_number && std::holds_alternative<double>(found)), column.name.c_str());
    }
    QVERIFY(find_trial_column("skipped") != nullptr);
    QVERIFY(find_trial_column("nothing") == nullptr);
  }

  void results_stand_in_their_columns() {
    const record::TrialRow trial = test::fp16_trial();
    QCOMPARE(std::get<std::string>(cell(trial, "verdict")), std::string("rejected"));
    QCOMPARE(std::get<double>(cell(trial, "skipped_fraction")), 0.03);
    QCOMPARE(std::get<double>(cell(trial, "steps_per_second")), 25.0);  // 100 in 4 s
    QCOMPARE(std::get<double>(cell(trial, "quality")), 0.9);
  }

  void what_was_not_measured_is_nothing_and_never_zero() {
    record::TrialRow trial;
    for (const char* column : {"skipped_fraction", "final_loss", "quality", "flips", "steps_per_second", "speed_up",
                               "peak_bytes", "verdict", "rounding_floors", "finished_at"}) {
      QVERIFY2(std::holds_alternative<std::monostate>(cell(trial, column)), column);
    }
  }

  void deviations_are_multiples_of_the_yardstick_that_belongs_to_them() {
    record::TrialRow trial = test::fp16_trial();
    trial.end.yardsticks = {{"trained", "accuracy", "run-to-run-spread", 0.06, 0.03},
                            {"same_weights", "q0.99 of case_relative", "rounding-floor", 1e-3, 2e-6}};
    QCOMPARE(std::get<double>(cell(trial, "spreads")), 2.0);
    QCOMPARE(std::get<double>(cell(trial, "rounding_floors")), 500.0);
  }

  void only_finite_numbers_are_ever_first() {
    std::vector<Cell> cells = {Cell(), kNan, 2.0, kInfinity, -1.0, -kInfinity};
    for (const bool descending : {false, true}) {
      std::stable_sort(cells.begin(), cells.end(),
                       [descending](const Cell& a, const Cell& b) { return comes_before(a, b, descending); });
      QCOMPARE(std::get<double>(cells[0]), descending ? 2.0 : -1.0);
      QCOMPARE(std::get<double>(cells[1]), descending ? -1.0 : 2.0);
      for (std::size_t i = 2; i < 5; ++i) QVERIFY(!std::isfinite(std::get<double>(cells[i])));
      QVERIFY(std::holds_alternative<std::monostate>(cells[5]));
    }
  }

  void texts_are_ordered_byte_by_byte() {
    QVERIFY(comes_before(Cell("a"), Cell("b"), false));
    QVERIFY(comes_before(Cell("b"), Cell("a"), true));
    QVERIFY(!comes_before(Cell("a"), Cell("a"), false));
    QVERIFY(comes_before(Cell(1.0), Cell("a"), true));
  }
};

QTEST_APPLESS_MAIN(TrialColumnsTests)
#include "trial_columns_tests.moc"
