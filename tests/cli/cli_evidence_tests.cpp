// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "cli_sandbox.h"
#include "schema_check.h"

/// What the program keeps and says of the frozen cases beside a verdict: golden outputs, decisions, their worth, and
/// outputs beside the prediction.
class CliEvidenceTests : public QObject {
  Q_OBJECT

  CliSandbox box_;

  /// Three classes of two inputs, with everything between [cases] and the end of the file.
  void write(const QString& name, const QByteArray& rest) const {
    box_.write("rows.csv", "a,b,label\n1,0,0\n0,1,1\n1,1,2\n2,0,0\n0,2,1\n2,2,2\n1,2,1\n2,1,0\n");
    box_.write(name,
               "mantissa = 1\n[data]\npath = \"rows.csv\"\ntask = \"classification\"\ncolumns = { inputs = [\"a\", "
               "\"b\"], target = \"label\" }\ntest = { fraction = 0.5, seed = 1 }\n[model]\nkind = \"linear\"\n"
               "[training]\nthreads = 1\nsteps = 4\nbatch = 4\n[[trial]]\nname = \"bf16\"\nautocast = "
               "\"bfloat16\"\n" +
                   rest);
  }

  nlohmann::json checked(const QStringList& arguments, const std::string& schema) const {
    const Outcome outcome = box_.run(arguments + QStringList{"--json"});
    nlohmann::json document = outcome.json();
    const std::vector<std::string> problems = schema_problems(read_schema(schema), document);
    for (const std::string& problem : problems) qWarning("%s", problem.c_str());
    return problems.empty() ? document : nlohmann::json();
  }

 private Q_SLOTS:
  void golden_outputs_are_exported_as_they_were_measured() {
    write("golden.toml", "[cases]\ngolden = 3\n");
    QCOMPARE(box_.run({"run", "golden.toml"}).exit, 2);  // no rules
    const auto golden = box_.table({"export", "golden", "bf16"});
    const auto cases = box_.table({"export", "cases", "bf16"});
    QCOMPARE(golden.size(), std::size_t{3});
    QCOMPARE(cases.size(), std::size_t{4});
    for (std::size_t i = 0; i < golden.size(); ++i) {
      for (const char* const column : {"case", "kind", "slice", "target"})
        QCOMPARE(golden[i][column], cases[i][column]);
      for (const char* const side : {"output", "output_reference", "output_same_weights"}) {
        for (const char* const element : {"[0]", "[1]", "[2]"}) {
          const QString column = QString(side) + element;
          QVERIFY(!golden[i][column].isEmpty());
          QCOMPARE(golden[i][column], cases[i][column]);
        }
      }
    }
    const Outcome json = box_.run({"export", "golden", "bf16", "--format", "json"});
    QCOMPARE(json.json().size(), std::size_t{3});
    QCOMPARE(json.json()[0]["output[1]"].get<double>(), golden[0]["output[1]"].toDouble());
    QCOMPARE(checked({"export", "golden", "bf16", "-o", "golden.csv"}, "export")["export"]["count"].get<int>(), 3);
  }

  void golden_outputs_that_were_not_kept_are_refused() {
    write("none.toml", "");
    box_.run({"run", "none.toml"});
    const Outcome outcome = box_.run({"export", "golden", "none/bf16"});
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("golden = 8"), outcome.err);
    QVERIFY(outcome.out.isEmpty());
  }

  void sets_and_rankings_stand_in_words_behind_the_columns_of_a_case() {
    write("ranking.toml", "[rules]\nflips = { decision = \"ranking\", max = 9 }\n");
    box_.run({"run", "ranking.toml"});
    for (const auto& row : box_.table({"export", "cases", "ranking/bf16"})) {
      // The order of the three outputs, read from the outputs themselves.
      const QStringList order = row["decided"].split(" > ");
      QCOMPARE(order.size(), 3);
      const auto output = [&](int place) { return row["output[" + order[place] + "]"].toDouble(); };
      QVERIFY(output(0) > output(1) && output(1) > output(2));
      QVERIFY(row["decision"].isEmpty());
    }
    write("two.toml", "[rules]\nflips = { decision = \"top-k\", k = 2, max = 9 }\n");
    box_.run({"run", "two.toml"});
    const nlohmann::json two = box_.run({"export", "cases", "two/bf16", "--format", "json"}).json();
    QCOMPARE(two.size(), std::size_t{4});
    for (const nlohmann::json& row : two) {
      const int bits = row["decision_reference"].get<int>();  // 3, 5 or 6: two of three
      const std::string expected = bits == 3 ? "{0, 1}" : bits == 5 ? "{0, 2}" : "{1, 2}";
      QCOMPARE(row["decided_reference"].get<std::string>(), expected);
    }
    const Outcome plain = box_.run({"export", "cases", "none/bf16"});
    QVERIFY(!plain.out.contains("decided"));
  }

  void the_worth_of_decisions_is_summed_judged_and_shown() {
    const QByteArray utility =
        "[utility]\nmatrix = [[2, -1, -1], [-1, 3, -1], [-4, -4, 5]]\nunit = \"EUR\"\n[rules]\nutility = { min = ";
    write("worth.toml", utility + "-1000 }\n");
    const nlohmann::json run = checked({"run", "worth.toml"}, "run");
    QVERIFY(run.is_object());
    const nlohmann::json worth = run["trials"][0]["utility"];
    QCOMPARE(worth["unit"].get<std::string>(), std::string("EUR"));
    // By hand from the exported decisions and targets.
    const double matrix[3][3] = {{2, -1, -1}, {-1, 3, -1}, {-4, -4, 5}};
    double trained = 0;
    double reference = 0;
    for (const auto& row : box_.table({"export", "cases", "worth/bf16"})) {
      trained += matrix[row["target"].toInt()][row["decision"].toInt()];
      reference += matrix[row["target"].toInt()][row["decision_reference"].toInt()];
    }
    bool found = false;
    for (const nlohmann::json& rule : run["trials"][0]["rules"]) {
      if (rule["name"] != "utility") continue;
      found = true;
      QCOMPARE(rule["value"].get<double>(), trained);
      QCOMPARE(rule["verdict"].get<std::string>(), std::string("accepted"));
    }
    QVERIFY(found);
    QVERIFY2(box_.run({"show", "worth/bf16"}).out.contains("summed utility, EUR"), "no table of utilities");
    QCOMPARE(worth["sums"][0]["cases"].get<int>(), 4);
    QCOMPARE(worth["sums"][0]["trained"].get<double>(), trained);
    QCOMPARE(worth["sums"][0]["reference"].get<double>(), reference);

    write("dear.toml", utility + QByteArray::number(trained + 0.5) + " }\n");
    const Outcome dear = box_.run({"run", "dear.toml"});
    QCOMPARE(dear.exit, 1);
    QVERIFY2(dear.out.contains("utility"), dear.out);
    write("narrow.toml", "[utility]\nmatrix = [[1, 0], [0, 1]]\n");
    const Outcome narrow = box_.run({"run", "narrow.toml"});
    QCOMPARE(narrow.exit, 3);
    QVERIFY2(narrow.err.contains("utility.matrix") && narrow.err.contains("2 x 2") && narrow.err.contains("3 x 3"),
             narrow.err);
  }

  void an_output_beside_the_prediction_is_named_by_every_command() {
    box_.write("xz.csv", "x,z,y\n1,1,1\n1.00390625,0.5,1\n");
    box_.write("boxes.toml",
               "mantissa = 1\n[data]\npath = \"xz.csv\"\ncolumns = { inputs = [\"x\", \"z\"], target = \"y\" }\n"
               "task = \"regression\"\ntest = { fraction = 0 }\n[model]\nkind = \"torchscript\"\npath = "
               "\"" MANTISSA_SOURCE_DIR
               "/tests/core/session/several_tuple.pt\"\nprediction = \"output[0]\"\n[training]\nthreads = 1\nsteps = "
               "0\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[rules]\noutput = { output = "
               "\"output[1]\", measure = \"abs\", reduce = \"max\", max = 0.0078124 }\n");
    const nlohmann::json run = checked({"run", "boxes.toml"}, "run");
    QVERIFY(run.is_object());
    const nlohmann::json rule = run["trials"][0]["rules"].back();
    QCOMPARE(rule["value"].get<double>(), 0.0078125);  // 2 (1 + 2^-8) is 2 in BF16
    QCOMPARE(rule["verdict"].get<std::string>(), std::string("rejected"));
    QVERIFY(rule.dump().find("the largest abs of output[1]") != std::string::npos);
    for (const char* const command : {"show", "judge"}) {
      const Outcome outcome = box_.run({command, "boxes/bf16"});
      QVERIFY2(outcome.out.contains("the largest abs of output[1]"), outcome.out);
    }
  }
};

QTEST_GUILESS_MAIN(CliEvidenceTests)
#include "cli_evidence_tests.moc"
