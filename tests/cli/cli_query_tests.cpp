// SPDX-License-Identifier: Apache-2.0
// `query`: one SELECT of a person's own over an archive.
#include <QTest>

#include "cli_sandbox.h"

class CliQueryTests : public QObject {
  Q_OBJECT

  CliSandbox box_;

 private Q_SLOTS:
  void initTestCase() {
    box_.write("R.csv", "case,output[0],output[1]\na,1,2\nb,2,1\n");
    box_.write("F.toml",
               "mantissa = 1\n[data]\ntask = \"classification\"\n[rules]\nflips = { of = \"trained\", max = 1 }\n");
    QCOMPARE(box_.run({"judge", "--reference", "R.csv", "--trial", "R.csv", "--name", "Größe, \"x\"", "--rules",
                       "F.toml", "--json"})
                 .exit,
             0);
  }

  void an_answer_comes_as_a_table_csv_or_json() {
    const QString sql = "SELECT id, name, verdict, 1e999 AS large FROM trial_summary WHERE kind = 'foreign'";
    const Outcome table = box_.run({"query", sql});
    QVERIFY2(table.exit == 0, table.err);
    QCOMPARE(table.out.split('\n').size(), 4);  // header, rule, row, end
    QVERIFY(table.out.contains("accepted"));
    QCOMPARE(box_.run({"query", sql, "--format", "csv"}).out,
             QByteArray("id,name,verdict,large\n2,\"Größe, \"\"x\"\"\",accepted,Infinity\n"));
    const nlohmann::json rows = box_.run({"query", sql, "--json"}).json();
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(rows[0]["name"].get<std::string>(), std::string("Größe, \"x\""));
    QVERIFY(rows[0]["large"] == "Infinity");
  }

  void no_row_is_an_empty_table_of_valid_form() {
    const QString sql = "SELECT id FROM trial_summary WHERE id > 99";
    QCOMPARE(box_.run({"query", sql, "--format", "csv"}).out, QByteArray("id\n"));
    QVERIFY(box_.run({"query", sql, "--json"}).json() == nlohmann::json::array());
    QVERIFY(box_.run({"query", sql}).err.contains("0 rows"));
  }

  void the_views_and_their_columns_are_told() {
    const Outcome views = box_.run({"query", "--views"});
    QCOMPARE(views.exit, 0);
    QVERIFY(views.out.contains("trial_summary: id, experiment, kind, name"));
  }

  void what_does_not_read_is_refused_data() {
    QTest::addColumn<QStringList>("line");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("write") << QStringList{"DELETE FROM trials"} << QByteArray("a query only reads");
    QTest::newRow("alike") << QStringList{"SELECT 1 AS a, 2 AS a", "--json"} << QByteArray("called alike");
    QTest::newRow("nothing") << QStringList{} << QByteArray("one SELECT, or --views");
    QTest::newRow("format") << QStringList{"SELECT 1", "--format", "xml"} << QByteArray("xml");
  }
  void what_does_not_read_is_refused() {
    QFETCH(QStringList, line);
    QFETCH(QByteArray, expected);
    const Outcome outcome = box_.run(QStringList{"query"} + line);
    QCOMPARE(outcome.exit, 3);
    QVERIFY2((outcome.out + outcome.err).contains(expected), outcome.out + outcome.err);
  }

  void an_archive_that_is_not_there_is_said_to_be_missing() {
    QCOMPARE(box_.run_plain({"query", "SELECT 1", "--archive", box_.path("none.db")}).exit, 3);
  }
};

QTEST_GUILESS_MAIN(CliQueryTests)
#include "cli_query_tests.moc"
