// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/number_text.h"
#include "tests/oracle/files.h"
#include "tests/oracle/fixture_run.h"

using namespace mantissa;

namespace {

const QString kShadow = QStringLiteral(MANTISSA_SOURCE_DIR "/tests/oracle/shadow/");
// Both sides sum in FP64, in other orders.
constexpr double kRelative = 1e-9;

/// Cells of one column by step; steps without a cell are left out.
std::map<std::string, std::string> cells_of(const oracle::Table& table, const std::string& column) {
  std::map<std::string, std::string> cells;
  const auto step = static_cast<std::size_t>(table.column("step"));
  const auto wanted = static_cast<std::size_t>(table.column(column));
  for (const auto& row : table.rows) {
    if (!row[wanted].empty()) cells[row[step]] = row[wanted];
  }
  return cells;
}

bool close(const std::string& expected, const std::string& found) {
  const double a = number_from_text(expected).value();
  const double b = number_from_text(found).value();
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= kRelative * std::fabs(a);
}

}  // namespace

/// The columns shadow_* against what official PyTorch finds (shadow_run.py), at exactly the steps that were asked for.
class ShadowOracleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void shadow_deviations_equal_pytorchs_data() {
    QTest::addColumn<QString>("folder");
    for (const QString& name : QDir(kShadow).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
      QTest::newRow(qPrintable(name)) << kShadow + name;
    }
  }

  void shadow_deviations_equal_pytorchs() {
#ifndef MANTISSA_CLI
    QSKIP("mantissa-cli is not part of this build");
#endif
    if (!oracle::cpu_can_repeat_the_fixtures()) {
      QSKIP("the fixtures were made with AVX2 and FMA, which this processor lacks: its last bits differ");
    }
    QFETCH(QString, folder);
    QTemporaryDir temporary;
    QVERIFY(temporary.isValid());
    const QString archive = temporary.filePath("shadow.db");
    oracle::CommandLine cli(kShadow + "../fixtures/amp-step");  // made in the same environment
    QCOMPARE(cli.run({"run", folder + "/experiment.toml", "--archive", archive, "-q"}), 2);  // without rules undecided

    const QStringList trials = QDir(folder).entryList({"*.csv"}, QDir::Files, QDir::Name);
    QVERIFY(!trials.isEmpty());
    for (const QString& file : trials) {
      const QString steps = temporary.filePath(file);
      QVERIFY2(cli.run({"export", "steps", file.chopped(4), "--archive", archive, "-o", steps, "--format", "csv"}) == 0,
               cli.last_words);
      const oracle::Table expected = oracle::read_csv((folder + "/" + file).toStdString());
      const oracle::Table found = oracle::read_csv(steps.toStdString());
      for (std::size_t column = 1; column < expected.columns.size(); ++column) {
        const std::string& name = expected.columns[column];
        const auto wanted = cells_of(expected, name);
        const auto cells = cells_of(found, name);
        QCOMPARE(cells.size(), wanted.size());
        for (const auto& [step, value] : wanted) {
          const auto cell = cells.find(step);
          const std::string text = cell == cells.end() ? "nothing" : cell->second;
          QVERIFY2(cell != cells.end() && close(value, text),
                   (file.toStdString() + ", step " + step + ", " + name + ": expected " + value + ", found " + text)
                       .c_str());
        }
      }
      QVERIFY(cells_of(found, "shadow_weight_relative").empty());
    }
  }
};

QTEST_GUILESS_MAIN(ShadowOracleTests)
#include "shadow_oracle_tests.moc"
