// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "tests/oracle/fixture_run.h"

using namespace mantissa;

/// Mantissa equals the official PyTorch package on TorchScript files of real sizes, on this machine's own instruction
/// set, under the casts of the device and under those of TorchScript's own pass. live_models.py lists and runs them.
class LiveModelsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
#ifndef MANTISSA_CLI
    QSKIP("mantissa-cli is not part of this build");
#endif
    const QString models = qEnvironmentVariable("MANTISSA_MODELS");
    if (models.isEmpty()) QSKIP("MANTISSA_MODELS names no folder with the models (README.md): nothing was compared");
    QVERIFY2(QFileInfo(models).isDir(), qPrintable("MANTISSA_MODELS is no folder: " + models));
    if (!QFileInfo(oracle::python()).isExecutable()) {
      QSKIP("the official Python package is not installed: packaging/oracle-environment.sh installs it");
    }
    QVERIFY(folder_.isValid());
    const QByteArray problem = oracle::run_script("live_models.py", {"--models", models, "--out", folder_.path()});
    QVERIFY2(problem.isEmpty(), problem.constData());
  }

  void a_model_from_a_file_trains_as_in_python_bit_for_bit_data() {
    QTest::addColumn<QString>("folder");
    for (const QString& name : QDir(folder_.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
      QTest::newRow(qPrintable(name)) << folder_.filePath(name);
    }
  }

  void a_model_from_a_file_trains_as_in_python_bit_for_bit() {
    QFETCH(QString, folder);
    const QByteArray faults = oracle::differences_from_pytorch(folder);
    QVERIFY2(faults.isEmpty(), "\n" + faults);
  }

 private:
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(LiveModelsTests)
#include "live_models_tests.moc"
