// SPDX-License-Identifier: Apache-2.0
// `export weights -o x.pt`: a file of torch.save, read back by our own reader and by the official Python package.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTest>

#include <ATen/ATen.h>

#include "cli_sandbox.h"
#include "core/model/weights.h"

namespace {

/// The interpreter that packaging/oracle-environment.sh makes, or the one that MANTISSA_ORACLE_PYTHON names.
QString official_python() {
  const QString given = qEnvironmentVariable("MANTISSA_ORACLE_PYTHON");
  if (!given.isEmpty()) return given;
  const QString cache = qEnvironmentVariable("XDG_CACHE_HOME", QDir::homePath() + "/.cache");
  return cache + "/mantissa/oracle/bin/python";
}

/// Every tensor's name and the bytes of its values in hexadecimal, one a line.
constexpr char kPrint[] =
    "import sys, torch\n"
    "state = torch.load(sys.argv[1], weights_only=True)\n"
    "for name, tensor in state.items():\n"
    "    print(name, tensor.dtype, list(tensor.shape), tensor.numpy().tobytes().hex())\n";

QByteArray printed(const mantissa::model::NamedTensor& named) {
  const at::Tensor tensor = named.tensor.detach().contiguous();
  QByteArray shape;
  for (const std::int64_t size : tensor.sizes())
    shape += (shape.isEmpty() ? "" : ", ") + QByteArray::number(qint64(size));
  const QByteArray bytes(static_cast<const char*>(tensor.data_ptr()), static_cast<qsizetype>(tensor.nbytes()));
  return QByteArray::fromStdString(named.name) + " torch.float32 [" + shape + "] " + bytes.toHex() + '\n';
}

}  // namespace

class CliWeightsFileTests : public QObject {
  Q_OBJECT

  CliSandbox box_;

 private Q_SLOTS:
  void initTestCase() {
    box_.write(
        "small.toml",
        "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 32\nfeatures = 4\n[model]\nkind = \"mlp\"\nhidden = "
        "[6]\n[training]\nthreads = 1\nsteps = 3\nbatch = 8\n");
    QCOMPARE(box_.run({"run", "small.toml"}).exit, 0);
    QCOMPARE(box_.run({"export", "weights", "reference", "-o", "x.pt"}).exit, 0);
  }

  void an_exported_pt_file_is_a_zip_with_a_pickle() {
    QFile file(box_.path("x.pt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY(bytes.startsWith(QByteArray("PK\x03\x04", 4)));  // a local file header, PKWARE's APPNOTE 4.3.7
    QVERIFY(bytes.contains("/data.pkl"));
    QVERIFY(bytes.contains("/version"));
    QVERIFY(!mantissa::model::is_torchscript(file.fileName().toStdString()));
  }

  void our_own_reader_gives_the_weights_of_the_archive_back() {
    const auto expected = box_.weights("reference");
    const auto found = mantissa::model::read_weights(box_.path("x.pt").toStdString());
    QCOMPARE(found.size(), std::size_t(4));
    QCOMPARE(found.size(), expected.size());
    for (const mantissa::model::NamedTensor& named : found) {
      const at::Tensor tensor = named.tensor.contiguous();
      QCOMPARE(tensor.scalar_type(), at::kFloat);
      const auto* const values = tensor.data_ptr<float>();
      QVERIFY2(expected.count(named.name) == 1, named.name.c_str());
      QCOMPARE(std::vector<float>(values, values + tensor.numel()), expected.at(named.name));
    }
  }

  void the_weights_of_a_pt_file_start_another_run() {
    QCOMPARE(box_.run({"run", "small.toml", "--set", "model.weights=\"x.pt\"", "--set", "training.steps=0"}).exit, 0);
    const auto first = box_.weights("1");
    QCOMPARE(box_.weights("2", "initial"), first);
  }

  void the_official_package_gives_the_same_tensors() {
    if (!QFileInfo(official_python()).isExecutable()) {
      QSKIP("the official Python package is not installed: packaging/oracle-environment.sh installs it");
    }
    QProcess python;
    python.start(official_python(), {"-c", kPrint, box_.path("x.pt")});
    QVERIFY(python.waitForFinished(300000));
    QVERIFY2(python.exitCode() == 0, python.readAllStandardError());
    QByteArray expected;
    for (const auto& named : mantissa::model::read_weights(box_.path("x.pt").toStdString())) expected += printed(named);
    QCOMPARE(python.readAllStandardOutput(), expected);
  }
};

QTEST_GUILESS_MAIN(CliWeightsFileTests)
#include "cli_weights_file_tests.moc"
