// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include "tests/oracle/fixture_run.h"

using namespace mantissa;

namespace {

constexpr int experiments = 24;

/// A new seed every time; MANTISSA_LIVE_SEED repeats one.
quint32 chosen_seed() {
  bool given = false;
  const quint32 seed = qEnvironmentVariable("MANTISSA_LIVE_SEED").toUInt(&given);
  return given ? seed : QRandomGenerator::global()->bounded(1'000'000'000U);
}

}  // namespace

/// Mantissa equals the official PyTorch package on experiments that nobody has seen before, on this machine's own
/// instruction set. live_settings.py draws and runs them.
class LiveOracleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
#ifndef MANTISSA_CLI
    QSKIP("mantissa-cli is not part of this build");
#endif
    if (!QFileInfo(oracle::python()).isExecutable()) {
      QSKIP("the official Python package is not installed: packaging/oracle-environment.sh installs it");
    }
    QVERIFY(folder_.isValid());
    const QString seed = QString::number(chosen_seed());
    qInfo().noquote() << "MANTISSA_LIVE_SEED=" + seed + " repeats these experiments";
    const QByteArray problem = oracle::run_script(
        "live_settings.py", {"--seed", seed, "--count", QString::number(experiments), "--out", folder_.path()});
    QVERIFY2(problem.isEmpty(), problem.constData());
  }

  void every_step_and_the_final_weights_equal_pytorch_bit_for_bit_data() {
    QTest::addColumn<QString>("folder");
    for (const QString& name : QDir(folder_.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
      QTest::newRow(qPrintable(name)) << folder_.filePath(name);
    }
  }

  void every_step_and_the_final_weights_equal_pytorch_bit_for_bit() {
    QFETCH(QString, folder);
    const QByteArray faults = oracle::differences_from_pytorch(folder);
    if (faults.isEmpty()) return;
    QFile experiment(folder + "/experiment.toml");
    const QByteArray text = experiment.open(QIODevice::ReadOnly) ? experiment.readAll() : QByteArray();
    QFAIL("\n" + faults + "\n" + text);
  }

 private:
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(LiveOracleTests)
#include "live_oracle_tests.moc"
