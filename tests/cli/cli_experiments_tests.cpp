// SPDX-License-Identifier: Apache-2.0
// Every shipped experiment reaches the verdicts that its [expect] names.
#include <QDir>
#include <QTest>

#include "core/spec/parse.h"
#include "tests/cli/cli_sandbox.h"

namespace {

/// The verdict that this machine must reach, by what the doctor tried on it.
std::string expected_here(const mantissa::spec::Expectation& expectation, const CliSandbox& box) {
  if (expectation.needs.empty()) return expectation.verdict;
  const nlohmann::json found = box.run({"doctor", "--json"}).json();
  for (const nlohmann::json& tried : found["operators"]) {
    const auto name = tried["operator"].get<std::string>() + ' ' + tried["dtype"].get<std::string>();
    if (name != expectation.needs) continue;
    return tried["forward"] && tried["backward"] ? expectation.verdict : expectation.otherwise;
  }
  return "doctor tries no " + expectation.needs;
}

}  // namespace

class CliExperimentsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_shipped_experiment_reaches_the_verdicts_it_expects_data() {
    QTest::addColumn<QString>("file");
    const QDir folder(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments"));
    const QStringList files = folder.entryList({QStringLiteral("*.toml")});
    QVERIFY(files.size() >= 4);
    for (const QString& file : files) QTest::addRow("%s", qPrintable(file)) << folder.filePath(file);
  }

  void a_shipped_experiment_reaches_the_verdicts_it_expects() {
    QFETCH(QString, file);
    const mantissa::spec::Experiment experiment = mantissa::spec::read_experiment(file.toStdString());
    QVERIFY2(!experiment.expect.empty(), "an experiment without [expect] is checked by nothing");
    QCOMPARE(experiment.expect.size(), experiment.trials.size());

    const CliSandbox box;
    const Outcome outcome = box.run({"run", file, "--json"});
    const nlohmann::json trials = outcome.json()["trials"];
    QCOMPARE(trials.size(), experiment.trials.size());
    bool any_rejected = false;
    for (const nlohmann::json& trial : trials) {
      const std::string expected = expected_here(experiment.expect.at(trial["name"].get<std::string>()), box);
      QVERIFY2(trial["verdict"] == expected, trial.dump(1).c_str());
      any_rejected = any_rejected || expected == "rejected";
    }
    QCOMPARE(outcome.exit, any_rejected ? 1 : 0);
  }
};

QTEST_GUILESS_MAIN(CliExperimentsTests)
#include "cli_experiments_tests.moc"
