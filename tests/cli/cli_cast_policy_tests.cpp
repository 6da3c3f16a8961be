// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "cli_sandbox.h"

/// Public case 21 under every cast policy. What stands in its expected.txt was computed with PyTorch 2.11 on a CPU:
/// FP32, `device` (there called native) and `jit` (there called TorchScript). The values of `cuda` follow from CUDA's
/// lists, which hold pow, exp, log and rsqrt as FP32, not mul, add and mean: the rows derive them.
namespace {

/// The FP32 number that a text stands for: expected values have as many digits as tell it from its neighbours.
QString float32(const QString& text) {
  bool is_number = false;
  const double value = text.toDouble(&is_number);
  return is_number ? QString::number(static_cast<float>(value), 'g', 9) : text;
}

}  // namespace

class CliCastPolicyTests : public QObject {
  Q_OBJECT

  static void add(const char* model, const char* inputs, const char* autocast, const char* policy,
                  const QStringList& reference, const QStringList& outputs) {
    QTest::addRow("%s %s %s", model, autocast, policy)
        << QByteArray(model) << QByteArray(inputs) << QByteArray(autocast) << QByteArray(policy) << reference
        << outputs;
  }

 private Q_SLOTS:
  void case_21_a_model_computes_what_its_cast_policy_says_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("inputs");
    QTest::addColumn<QByteArray>("autocast");
    QTest::addColumn<QByteArray>("policy");
    QTest::addColumn<QStringList>("reference");
    QTest::addColumn<QStringList>("outputs");
    const QStringList squares = {"90000", "160000"}, too_large = {"Infinity", "Infinity"};
    const QStringList rounded = {"90112", "159744"};

    add("model.pt", "300,400", "float16", "jit", squares, squares);
    add("model.pt", "300,400", "bfloat16", "jit", squares, squares);
    add("model.pt", "300,400", "float16", "device", squares, too_large);
    add("model.pt", "300,400", "bfloat16", "device", squares, rounded);
    // pow in FP32 of 300 and 400, which FP16 and BF16 hold.
    add("model.pt", "300,400", "float16", "cuda", squares, squares);
    add("model.pt", "300,400", "bfloat16", "cuda", squares, squares);

    add("model_mul.pt", "300,400", "float16", "jit", squares, squares);
    add("model_mul.pt", "300,400", "float16", "device", squares, too_large);
    add("model_mul.pt", "300,400", "float16", "cuda", squares, too_large);  // mul in FP16: 90000 > 65504

    const QStringList powers = {"162754.796875", "2.7182817"};
    add("model_exp.pt", "12,1", "float16", "jit", powers, powers);
    add("model_exp.pt", "12,1", "float16", "device", powers, {"Infinity", "2.71875"});
    add("model_exp.pt", "12,1", "float16", "cuda", powers, powers);  // exp in FP32 of 12 and 1

    const QStringList logarithms = {"-18.420681", "-18.420681"};
    add("model_log.pt", "0,0", "float16", "jit", logarithms, logarithms);
    add("model_log.pt", "0,0", "float16", "device", logarithms, {"-Infinity", "-Infinity"});
    add("model_log.pt", "0,0", "bfloat16", "device", logarithms, {"-18.375", "-18.375"});
    // add in FP16: 0 + 1e-8 is 0 there, whose smallest number is 6e-8; its logarithm in FP32 is -inf.
    add("model_log.pt", "0,0", "float16", "cuda", logarithms, {"-Infinity", "-Infinity"});

    add("model_rms.pt", "300,400", "float16", "jit", {"1.9798989"}, {"1.98046875"});
    add("model_rms.pt", "300,400", "float16", "device", {"1.9798989"}, {"0"});
    add("model_rms.pt", "300,400", "bfloat16", "device", {"1.9798989"}, {"1.984375"});
    // 90000 and 160000 from pow, their mean and 300·rsqrt(125000), 400·rsqrt(125000) in FP32: 0.848528 and 1.131371.
    // The linear layer takes them in FP16: 869/1024 + 1159/1024.
    add("model_rms.pt", "300,400", "float16", "cuda", {"1.9798989"}, {"1.98046875"});
  }

  void case_21_a_model_computes_what_its_cast_policy_says() {
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, inputs);
    QFETCH(QByteArray, autocast);
    QFETCH(QByteArray, policy);
    QFETCH(QStringList, reference);
    QFETCH(QStringList, outputs);
    const bool one = outputs.size() == 1;
    const CliSandbox box;
    box.take_case(QString::fromLatin1("21/" + model));
    box.write("row.csv", QByteArray("x1,x2,y1") + (one ? "" : ",y2") + "\n" + inputs + ",0" + (one ? "" : ",0") + "\n");
    box.write("case.toml",
              "mantissa = 1\n[data]\npath = \"row.csv\"\ntask = \"regression\"\norder = \"file\"\n"
              "test = { fraction = 0 }\ncolumns = { inputs = [\"x1\", \"x2\"], target = " +
                  QByteArray(one ? "[\"y1\"]" : "[\"y1\", \"y2\"]") + " }\n[model]\nkind = \"torchscript\"\npath = \"" +
                  model +
                  "\"\n[training]\nthreads = 1\nsteps = 0\nloss = \"mse\"\n[[trial]]\nname = \"trial\"\n"
                  "autocast = \"" +
                  autocast + "\"\ncast_policy = \"" + policy + "\"\n");
    const Outcome outcome = box.run({"run", "case.toml"});
    const auto rows = box.table({"export", "cases", "trial"});
    QVERIFY2(rows.size() == 1, outcome.err);
    for (int i = 0; i < outputs.size(); ++i) {
      const QString index = QStringLiteral("[%1]").arg(i);
      QCOMPARE(float32(rows.front().value("output_reference" + index)), float32(reference[i]));
      QCOMPARE(float32(rows.front().value("output_same_weights" + index)), float32(outputs[i]));
    }
  }
};

QTEST_GUILESS_MAIN(CliCastPolicyTests)
#include "cli_cast_policy_tests.moc"
