// SPDX-License-Identifier: Apache-2.0
// What no trace on a CPU shows, where nobody has measured it.
#include "core/memory/outside_table.h"

#include <QTest>

using namespace mantissa;

class OutsideTableTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // 555 MiB = 581,959,680; 32 MiB = 33,554,432, twice.
  void a_device_gets_the_sum_of_the_table() {
    QCOMPARE(memory::outside_from_table(24'000'000'000), std::optional<std::int64_t>(649'068'544));
  }

  void what_is_smaller_than_any_gpu_gets_nothing() {
    QVERIFY(!memory::outside_from_table(1'999'999'999));
    QVERIFY(memory::outside_from_table(2'000'000'000).has_value());
  }

  void every_figure_says_when_it_applies_and_where_it_is_from() {
    for (const memory::OutsideFigure& figure : memory::outside_figures()) {
      QVERIFY(figure.bytes > 0);
      QVERIFY(!figure.what.empty() && !figure.applies.empty());
      QVERIFY(figure.source.find("github.com") != std::string_view::npos ||
              figure.source.find("nvidia.com") != std::string_view::npos);
    }
  }
};

QTEST_APPLESS_MAIN(OutsideTableTests)
#include "outside_table_tests.moc"
