// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QStandardPaths>
#include <QTest>

#include "cli_sandbox.h"

/// Case 39: a desktop whose decimal sign is a comma changes no number that is read or written.
class CliLocaleTests : public QObject {
  Q_OBJECT

  QTemporaryDir locales_;

  static QByteArray experiment() {
    return "mantissa = 1\n[data]\npath = \"lr.csv\"\ntask = \"regression\"\norder = \"file\"\ntest = { fraction = 0 "
           "}\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = 3\n[[training.optimizer]]\nkind = "
           "\"sgd\"\nlr = "
           "9.8e-2\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n";
  }

  /// All that one run exports, apart from times.
  static QList<QByteArray> exports(const CliSandbox& box) {
    box.take_case("39/lr.csv");
    box.write("case.toml", experiment());
    QList<QByteArray> all = {QByteArray::number(box.run({"run", "case.toml", "--probes", "off"}).exit)};
    all << box.run({"export", "cases", "bf16"}).out << box.run({"export", "cases", "bf16", "--format", "json"}).out
        << box.run({"export", "weights", "bf16"}).out << box.run({"export", "experiment", "bf16"}).out
        << box.run({"inspect", "lr.csv", "--json"}).out
        << box.run(
                  {"ledger", "--fixed", "3.2 GB", "--per-sample", "0.34 GB", "--device", "24 GB", "--reserve", "0.105"})
               .out;
    for (const auto& row : box.table({"export", "steps", "bf16"})) {
      all << row["lr"].toUtf8() << row["loss"].toUtf8() << row["loss_reference"].toUtf8();
    }
    return all;
  }

 private Q_SLOTS:
  void initTestCase() {
    const QString localedef = QStandardPaths::findExecutable("localedef");
    if (localedef.isEmpty()) QSKIP("localedef is not installed");
    if (QProcess::execute(localedef, {"-i", "de_DE", "-f", "UTF-8", locales_.filePath("de_DE.UTF-8")}) != 0) {
      QSKIP("the sources of the German locale are not installed");
    }
  }

  void the_german_locale_has_a_decimal_comma() {
    QProcess printf;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LOCPATH", locales_.path());
    environment.insert("LC_ALL", "de_DE.UTF-8");
    printf.setProcessEnvironment(environment);
    printf.start("/usr/bin/printf", {"%.1f", "1,5"});
    QVERIFY(printf.waitForFinished());
    QCOMPARE(printf.readAllStandardOutput(), QByteArray("1,5"));
  }

  void numbers_are_read_and_written_alike_in_every_locale() {
    CliSandbox plain;
    CliSandbox german;
    german.set_environment("LOCPATH", locales_.path());
    german.set_environment("LC_ALL", "de_DE.UTF-8");
    const QList<QByteArray> expected = exports(plain);
    QCOMPARE(exports(german), expected);
    QCOMPARE(expected[0], QByteArray("2"));  // no rules: undecided
    QVERIFY(expected.contains("0.098"));     // the learning rate
    QVERIFY(expected[1].contains("-2.25"));  // the row's target
    QVERIFY(expected[5].contains("1.5"));
    QVERIFY(expected[6].contains("10.5 % of the capacity"));
  }
};

QTEST_APPLESS_MAIN(CliLocaleTests)
#include "cli_locale_tests.moc"
