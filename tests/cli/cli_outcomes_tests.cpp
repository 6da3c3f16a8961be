// SPDX-License-Identifier: Apache-2.0
// Outcomes that arrive after the verdict: joined by case, shown beside it, and never changing it.
#include <cmath>
#include <memory>

#include <QFile>
#include <QSet>
#include <QTest>

#include "cli_sandbox.h"
#include "schema_check.h"

class CliOutcomesTests : public QObject {
  Q_OBJECT

  std::unique_ptr<CliSandbox> box_;

  nlohmann::json mature_in(const QStringList& line) const { return box_->run(line).json()["mature"]; }

  Outcome add(const QByteArray& bytes) const {
    box_->write("o.csv", bytes);
    return box_->run({"outcomes", "T", "o.csv", "--json"});
  }

 private Q_SLOTS:
  /// Without targets: three cases, of which the trial decides b otherwise than the reference.
  void init() {
    box_ = std::make_unique<CliSandbox>();
    box_->write("R.csv", "case,output[0],output[1]\na,1,2\nb,2,1\nc,0,4\n");
    box_->write(
        "T.csv",
        "case,output[0],output[1],output_same_weights[0],output_same_weights[1]\na,1,2,1,2\nb,1,2,2,1\nc,0,4,0,4\n");
    box_->write("F.toml",
                "mantissa = 1\n[data]\ntask = \"classification\"\n[rules]\nflips = { of = \"trained\", max = 1 }\n");
    QCOMPARE(box_->run({"judge", "--reference", "R.csv", "--trial", "T.csv", "--rules", "F.toml", "--json"}).exit, 0);
  }

  void outcomes_give_the_quality_of_reference_and_trial_beside_the_verdict() {
    QVERIFY(mature_in({"show", "T", "--json"}).is_null());
    const nlohmann::json before = box_->run({"show", "T", "--json"}).json();
    const Outcome outcome = add("case,outcome\nc,1\nb,1\n");
    QVERIFY2(outcome.exit == 0, outcome.out + outcome.err);
    QVERIFY(schema_problems(read_schema("outcomes"), outcome.json()).empty());
    QCOMPARE(outcome.json()["added"].get<int>(), 2);
    for (const QStringList& line : {QStringList{"show", "T", "--json"}, QStringList{"judge", "T", "--json"}}) {
      const nlohmann::json document = box_->run(line).json();
      const nlohmann::json mature = document["mature"];
      QCOMPARE(mature["metric"].get<std::string>(), std::string("accuracy"));
      QCOMPARE(mature["cases"].get<int>(), 3);
      QCOMPARE(mature["outcomes"].get<int>(), 2);
      QCOMPARE(mature["quality_reference"].get<double>(), 0.5);  // of b and c: b decides 0
      QCOMPARE(mature["quality"].get<double>(), 1.0);            // b decides 1
      QCOMPARE(mature["quality_same_weights"].get<double>(), 0.5);
      QVERIFY(schema_problems(read_schema(line.front().toStdString()), document).empty());
    }
    const nlohmann::json after = box_->run({"show", "T", "--json"}).json();
    QVERIFY(after["trial"] == before["trial"]);  // the verdict and all that led to it
    QVERIFY(after["mature"]["cases_sha256"] == before["experiment"]["cases_sha256"]);
    QVERIFY(box_->run({"show", "T"}).out.contains("Mature quality, from 2 outcomes of 3 cases"));
    QVERIFY(box_->run({"judge", "T"}).out.contains("accuracy 1 against 0.5 (same weights 0.5)"));
  }

  void more_outcomes_may_come_later_and_known_ones_again() {
    QCOMPARE(add("case,outcome\nc,1\n").json()["added"].get<int>(), 1);
    const Outcome more = add("case,outcome\na,0\nc,1\n");
    QCOMPARE(more.json()["added"].get<int>(), 1);
    QCOMPARE(more.json()["mature"]["outcomes"].get<int>(), 2);
    QCOMPARE(more.json()["mature"]["quality"].get<double>(), 0.5);  // a decides 1
  }

  void outcomes_that_do_not_fit_are_refused_with_the_line_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QList<QByteArray>>("texts");
    const auto row = [](const char* name, const QByteArray& bytes, const QList<QByteArray>& texts) {
      QTest::newRow(name) << bytes << texts;
    };
    row("unknown", "case,outcome\na,1\nd,1\n", {"o.csv, line 3", "an unknown case", "'d'"});
    row("double", "case,outcome\na,1\nb,1\na,1\n", {"o.csv, line 4", "a case twice", "line 2"});
    row("no class", "case,outcome\nb,0\na,2\n", {"o.csv, line 3", "'2'", "an integer from 0 to 1"});
    row("half a class", "case,outcome\na,0.5\n", {"o.csv, line 2", "'0.5'"});
    row("no number", "case,outcome\na,yes\n", {"o.csv, line 2", "'yes'", "a finite number"});
    row("nothing", "case,outcome\na,\n", {"o.csv, line 2", "leave the case out"});
    row("NaN", "case,outcome\na,NaN\n", {"o.csv, line 2", "'NaN'"});
    row("empty", "", {"o.csv", "the file is empty"});
    row("header alone", "case,outcome\n", {"o.csv", "no outcome"});
    row("column", "case,target\na,1\n", {"o.csv, line 1", "no outcome", "case, outcome"});
    row("changed", "case,outcome\nb,1\nc,0\n", {"o.csv, line 3", "another outcome than the one received at"});
  }

  void outcomes_that_do_not_fit_are_refused_with_the_line() {
    QFETCH(QByteArray, bytes);
    QFETCH(QList<QByteArray>, texts);
    QCOMPARE(add("case,outcome\nc,1\n").exit, 0);
    const nlohmann::json before = mature_in({"show", "T", "--json"});
    const Outcome outcome = add(bytes);
    QCOMPARE(outcome.exit, 3);
    for (const QByteArray& text : texts) {
      QVERIFY2(outcome.err.contains(text), "expected \"" + text + "\" in: " + outcome.err);
    }
    QVERIFY(mature_in({"show", "T", "--json"}) == before);  // nothing of the file was taken
  }

  /// The boundary cases are those of the final reference: 40 steps on, they are others.
  void outcomes_of_cases_that_left_the_frozen_set_are_set_aside_when_a_run_goes_on() {
    box_->write(
        "b.toml",
        "mantissa = 1\nname = \"b\"\n[data]\nsource = \"breast_cancer\"\n[model]\nkind = \"mlp\"\nhidden = [4]\n"
        "[training]\nthreads = 1\nsteps = 2\nbatch = 32\n[[training.optimizer]]\nlr = 0.3\n[[trial]]\nname = "
        "\"bf16\"\nautocast = \"bfloat16\"\n[cases]\nholdout = 4\nboundary = 5\n[rules]\nquality = { min = 0.01 }\n");
    box_->run({"run", "b.toml"});
    const auto ids = [this] {
      QSet<QString> found;
      for (const auto& row : box_->table({"export", "cases", "bf16"})) found.insert(row["case"]);
      return found;
    };
    const QSet<QString> before = ids();
    QByteArray outcomes = "case,outcome\n";
    for (const QString& id : before) outcomes += id.toUtf8() + ",1\n";
    box_->write("o.csv", outcomes);
    QCOMPARE(box_->run({"outcomes", "bf16", "o.csv"}).exit, 0);
    QCOMPARE(box_->run({"resume", "bf16", "--set", "training.steps=40"}).exit, 0);
    const QSet<QString> after = ids();
    const int left = int((before - after).size());
    QVERIFY2(left > 0, "choose a run of which the boundary cases change");
    const nlohmann::json mature = mature_in({"show", "bf16", "--json"});
    QCOMPARE(mature["set_aside"].get<int>(), left);
    QCOMPARE(mature["outcomes"].get<int>(), int(before.size()) - left);
    QVERIFY(box_->run({"show", "bf16"}).out.contains("Set aside: "));
    QCOMPARE(box_->run({"judge", "bf16"}).exit, 0);
    // Those that are new may come now; those that were set aside stay where they are.
    QByteArray more = "case,outcome\n";
    for (const QString& id : after) more += id.toUtf8() + ",1\n";
    box_->write("more.csv", more);
    const nlohmann::json whole = mature_in({"outcomes", "bf16", "more.csv", "--json"});
    QCOMPARE(whole["outcomes"].get<int>(), int(after.size()));
    QCOMPARE(whole["set_aside"].get<int>(), left);
  }

  void a_run_of_our_own_takes_outcomes_in_the_unit_of_its_target() {
    box_->write("rows.csv", "x,y\n1,10\n2,20\n3,30\n4,40\n");
    box_->write(
        "e.toml",
        "mantissa = 1\n[data]\npath = \"rows.csv\"\norder = \"file\"\ntask = \"regression\"\ntarget_transform = "
        "\"standardize\"\ntest = { fraction = 0 }\n[model]\nkind = \"linear\"\n[training]\nthreads = 1\nsteps = "
        "2\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[rules]\npreset = \"default\"\n");
    box_->run({"run", "e.toml"});
    QByteArray outcomes = "case,outcome\n";
    double sum = 0.0;
    for (const auto& row : box_->table({"export", "cases", "bf16"})) {
      // The rows are 10, 20, 30, 40: mean 25, population standard deviation sqrt(125).
      const double output = row["output[0]"].toDouble() * std::sqrt(125.0) + 25.0;
      outcomes += row["case"].toUtf8() + ",7\n";
      sum += (output - 7.0) * (output - 7.0);
    }
    box_->write("o.csv", outcomes);
    const nlohmann::json mature = mature_in({"outcomes", "bf16", "o.csv", "--json"});
    QCOMPARE(mature["metric"].get<std::string>(), std::string("rmse"));
    QVERIFY(std::abs(mature["quality"].get<double>() - std::sqrt(sum / 4.0)) < 1e-6);
    QCOMPARE(box_->run({"outcomes", "reference", "o.csv"}).exit, 3);
  }
};

QTEST_GUILESS_MAIN(CliOutcomesTests)
#include "cli_outcomes_tests.moc"
