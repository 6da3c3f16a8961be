// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <QDir>
#include <QFile>
#include <QTest>

#include "tests/oracle/files.h"
#include "tests/oracle/fixture_run.h"

using namespace mantissa;

namespace {

const QString fixtures = QStringLiteral(MANTISSA_SOURCE_DIR "/tests/oracle/fixtures/");

}  // namespace

/// Mantissa on one thread equals the official PyTorch package bit for bit. fixtures/ holds what
/// reference_run.py made of each experiment; README.md describes the files.
class OracleTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_step_and_the_final_weights_equal_pytorch_bit_for_bit_data() {
    QTest::addColumn<QString>("folder");
    for (const QString& name : QDir(fixtures).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
      if (QFile::exists(fixtures + name + "/experiment.toml")) {
        QTest::newRow(qPrintable(name)) << fixtures + name;
      }
    }
  }

  void every_step_and_the_final_weights_equal_pytorch_bit_for_bit() {
#ifndef MANTISSA_CLI
    QSKIP("mantissa-cli is not part of this build");
#endif
    if (!oracle::cpu_can_repeat_the_fixtures()) {
      QSKIP("the fixtures were made with AVX2 and FMA, which this processor lacks: its last bits differ");
    }
    QFETCH(QString, folder);
    const QByteArray faults = oracle::differences_from_pytorch(folder);
    QVERIFY2(faults.isEmpty(), "\n" + faults);
  }

  void a_run_that_was_resumed_equals_pytorchs_unbroken_one_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("stop");
    QTest::newRow("dropout, FP16 and BF16") << fixtures + "dropout" << 41;
    QTest::newRow("growth probes") << fixtures + "growth-probes" << 13;
    QTest::newRow("accumulation, short last window") << fixtures + "accumulate-short-window" << 7;
    QTest::newRow("momentum") << fixtures + "mlp-sgd-momentum" << 20;
    QTest::newRow("step schedule, overflows") << fixtures + "step-schedule-overflows" << 9;
  }

  void a_run_that_was_resumed_equals_pytorchs_unbroken_one() {
#ifndef MANTISSA_CLI
    QSKIP("mantissa-cli is not part of this build");
#endif
    if (!oracle::cpu_can_repeat_the_fixtures()) {
      QSKIP("the fixtures were made with AVX2 and FMA, which this processor lacks: its last bits differ");
    }
    QFETCH(QString, folder);
    QFETCH(int, stop);
    const QByteArray faults = oracle::differences_from_pytorch(folder, stop);
    QVERIFY2(faults.isEmpty(), "\n" + faults);
  }

  /// Blocks that backward computes again: dropout, BatchNorm, accumulation, skipped steps, several optimizers, loss
  /// evaluations within a step, casts as CUDA's, regions in FP32.
  void blocks_computed_again_change_no_bit_data() {
    QTest::addColumn<QString>("folder");
    for (const char* name :
         {"accumulate-skips", "cnn", "cuda-casts-mlp", "dropout", "fashion-cnn", "fashion-resnet", "float32-operators",
          "growth-probes", "lbfgs", "resnet-20", "resnet-fp16", "shakespeare-cuda-casts", "shakespeare-own-attention",
          "shakespeare-sdpa-dropout", "three-optimizers", "two-optimizers"}) {
      QTest::newRow(name) << fixtures + name;
    }
  }

  void blocks_computed_again_change_no_bit() {
#ifndef MANTISSA_CLI
    QSKIP("mantissa-cli is not part of this build");
#endif
    if (!oracle::cpu_can_repeat_the_fixtures()) {
      QSKIP("the fixtures were made with AVX2 and FMA, which this processor lacks: its last bits differ");
    }
    QFETCH(QString, folder);
    const QByteArray faults =
        oracle::differences_from_pytorch(folder, 0, {"training.activation_checkpointing=\"blocks\""});
    QVERIFY2(faults.isEmpty(), "\n" + faults);
  }

  void a_difference_in_the_last_bit_is_found_and_named() {
    using oracle::Table;
    const Table expected{{"step", "loss"}, {{"1", "0.1"}, {"2", "NaN"}}};
    const Table found{{"loss", "step"}, {{"0.10000000000000002", "1"}, {"NaN", "2"}}};
    QCOMPARE(oracle::differences(expected, found, 8),
             std::vector<std::string>{"step 1, column loss: expected '0.1', found '0.10000000000000002'"});
    QVERIFY(!oracle::same_value("0.0", "-0.0"));
    QVERIFY(!oracle::same_value("", "0"));
    QVERIFY(oracle::same_value("0.05", "5e-2"));
  }
};

QTEST_GUILESS_MAIN(OracleTests)
#include "oracle_tests.moc"
