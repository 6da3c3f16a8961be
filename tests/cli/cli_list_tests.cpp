// SPDX-License-Identifier: Apache-2.0
// `list` with filters, columns and an order.
#include <QTest>

#include "cli_sandbox.h"

class CliListTests : public QObject {
  Q_OBJECT

  CliSandbox box_;

 private Q_SLOTS:
  /// Three foreign trials of the same reference: right in both cases, in one, in none; 8, 4 and no steps.
  void initTestCase() {
    box_.write("R.csv", "case,output[0],output[1],target\na,1,2,1\nb,2,1,0\n");
    box_.write("good.csv", "case,output[0],output[1]\na,1,2\nb,2,1\n");
    box_.write("half.csv", "case,output[0],output[1]\na,1,2\nb,1,2\n");
    box_.write("bad.csv", "case,output[0],output[1]\na,2,1\nb,1,2\n");
    box_.write(
        "F.toml",
        "mantissa = 1\n[data]\ntask = \"classification\"\n[rules]\nquality = { metric = \"accuracy\", min = 0.9 }\n");
    for (const char* const name : {"half", "good", "bad"}) {
      box_.run({"judge", "--reference", "R.csv", "--trial", QString(name) + ".csv", "--rules", "F.toml"});
    }
  }

  void an_expression_chooses_and_a_column_orders() {
    const Outcome outcome = box_.run({"list", "--filter", "kind == \"foreign\" and quality < 1", "--sort", "quality",
                                      "--descending", "--format", "csv", "--columns", "name,quality"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    QCOMPARE(outcome.out, QByteArray("name,quality\nhalf,0.5\nbad,0\n"));
  }

  void what_is_missing_comes_last_whichever_way_the_order_goes() {
    for (const QStringList& way : {QStringList{}, QStringList{"--descending"}}) {
      const QByteArray out =
          box_.run(QStringList{"list", "--sort", "quality_reference", "--format", "csv", "--columns", "kind"} + way)
              .out;
      QVERIFY2(out.startsWith("kind\nforeign\n") && out.endsWith("reference\n"), out);
    }
  }

  void a_table_and_a_document_hold_what_was_chosen() {
    const QStringList chosen = {"list", "--filter", "name == \"good\""};
    QVERIFY(box_.run(chosen + QStringList{"--columns", "name,verdict"}).out.contains("good  accepted"));
    const nlohmann::json document = box_.run(chosen + QStringList{"--json"}).json();
    QCOMPARE(document["trials"].size(), std::size_t{1});
    QCOMPARE(document["trials"][0]["name"].get<std::string>(), std::string("good"));
  }

  void csv_without_columns_has_all_of_them() {
    const QByteArray header = box_.run({"list", "--format", "csv"}).out.split('\n').front();
    for (const char* const name : {"id", "experiment", "skipped_fraction", "final_loss", "peak_bytes", "started_at"}) {
      QVERIFY2(header.split(',').contains(name), header);
    }
  }

  void what_fits_nothing_is_said() {
    const Outcome outcome = box_.run({"list", "--filter", "quality > 2"});
    QCOMPARE(outcome.exit, 0);
    QVERIFY2(outcome.err.contains("no trial of 6 fits quality > 2"), outcome.err);
  }

  void what_cannot_be_read_is_refused_data() {
    QTest::addColumn<QStringList>("line");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("name") << QStringList{"--filter", "qualty > 1"} << QByteArray("Did you mean quality");
    QTest::newRow("grammar") << QStringList{"--filter", "quality >"} << QByteArray("expected");
    QTest::newRow("types") << QStringList{"--filter", "name > 1"} << QByteArray("name");
    QTest::newRow("sort") << QStringList{"--sort", "colour"} << QByteArray("no such column");
    QTest::newRow("columns") << QStringList{"--columns", "name,colour"} << QByteArray("'colour'");
    QTest::newRow("json") << QStringList{"--columns", "name", "--format", "json"} << QByteArray("all members");
  }
  void what_cannot_be_read_is_refused() {
    QFETCH(QStringList, line);
    QFETCH(QByteArray, expected);
    const Outcome outcome = box_.run(QStringList{"list"} + line);
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains(expected), outcome.err);
  }
};

QTEST_GUILESS_MAIN(CliListTests)
#include "cli_list_tests.moc"
