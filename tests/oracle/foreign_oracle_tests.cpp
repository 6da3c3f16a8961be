// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/oracle/fixture_run.h"

using namespace mantissa;

/// A training loop of official PyTorch, recorded by packaging/python, is judged as NumPy finds it (foreign_run.py).
class ForeignOracleTests : public QObject {
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
    const QByteArray problem = oracle::run_script("foreign_run.py", {"--out", folder_.path()});
    QVERIFY2(problem.isEmpty(), problem.constData());
  }

  void recorded_runs_are_judged_as_numpy_finds_them_data() {
    QTest::addColumn<QString>("folder");
    QTest::newRow("bf16") << folder_.filePath("bf16");
    QTest::newRow("fp16, with skips") << folder_.filePath("fp16");
  }

  void recorded_runs_are_judged_as_numpy_finds_them() {
    QFETCH(QString, folder);
    QFile file(folder + "/expected.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto expected = nlohmann::json::parse(file.readAll().toStdString());
    const QString autocast = QString::fromStdString(expected["autocast"].get<std::string>());
    const auto document =
        json_of({"judge", "--reference", folder + "/R.csv", "--trial", folder + "/T.csv", "--steps", folder + "/S.csv",
                 "--rules", folder + "/rules.toml", "--autocast", autocast, "--archive", folder + "/a.db"});
    QVERIFY2(document.is_object(), last_words_);
    QVERIFY2(document["judgement"]["verdict"] == "accepted", document["judgement"].dump().c_str());
    std::size_t found = 0;
    for (const auto& rule : document["judgement"]["rules"]) {
      const std::string name = rule["name"].get<std::string>();
      if (!expected["rules"].contains(name)) continue;
      ++found;
      is_near(rule["value"], expected["rules"][name], name);
    }
    QCOMPARE(found, expected["rules"].size());
    const auto arm = json_of({"show", "last", "--archive", folder + "/a.db"})["trial"];
    for (const auto& [name, value] : expected["arm"].items()) is_near(arm[name], value, name);
  }

  void an_exported_model_is_one_that_can_be_inspected() {
    QVERIFY2(json_of({"inspect", folder_.filePath("model.pt")})["modules"].is_array(), last_words_);
  }

 private:
  static void is_near(const nlohmann::json& found, const nlohmann::json& expected, const std::string& name) {
    QVERIFY2(found.is_number(), name.c_str());
    const double value = expected.get<double>();
    QVERIFY2(std::fabs(found.get<double>() - value) <= 1e-12 * std::max(1.0, std::fabs(value)),
             (name + ": " + found.dump() + ", NumPy has " + expected.dump()).c_str());
  }

  nlohmann::json json_of(const QStringList& arguments) {
#ifdef MANTISSA_CLI
    QProcess process;
    process.start(QStringLiteral(MANTISSA_CLI), arguments + QStringList{"--json"});
    if (!process.waitForFinished(120'000)) return nullptr;
    last_words_ = process.readAllStandardError();
    return nlohmann::json::parse(process.readAllStandardOutput().toStdString(), nullptr, false);
#else
    return arguments.isEmpty();
#endif
  }

  QTemporaryDir folder_;
  QByteArray last_words_;
};

QTEST_GUILESS_MAIN(ForeignOracleTests)
#include "foreign_oracle_tests.moc"
