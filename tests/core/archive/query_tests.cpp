// SPDX-License-Identifier: Apache-2.0
// SQL of a person's own reads an archive, and does nothing else.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/archive/query.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using archive::Query;

class QueryTests : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  std::string m_archive;

  QByteArray bytes() const {
    QFile file(QString::fromStdString(m_archive));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void initTestCase() {
    m_archive = m_folder.filePath("a.db").toStdString();
    archive::Writer writer(m_archive);
    const std::int64_t experiment = writer.begin_experiment(test::sample_experiment("walk"));
    writer.begin_trial(test::sample_trial(experiment, "reference"));
  }

  void rows_come_with_their_names_and_types() {
    Query query(m_archive, "SELECT name, id, 0.5 AS half, NULL AS absent, x'00ff' AS bytes FROM trial_summary; -- all");
    QCOMPARE(query.columns(), (std::vector<std::string>{"name", "id", "half", "absent", "bytes"}));
    QVERIFY(query.next());
    QCOMPARE(std::get<std::string>(query.value(0)), std::string("reference"));
    QCOMPARE(std::get<std::int64_t>(query.value(1)), std::int64_t{1});
    QCOMPARE(std::get<double>(query.value(2)), 0.5);
    QVERIFY(std::holds_alternative<std::monostate>(query.value(3)));
    QCOMPARE(std::get<Query::Bytes>(query.value(4)).bytes, std::string("\0\xff", 2));
    QVERIFY(!query.next());
  }

  void the_views_are_told() {
    const std::vector<std::string> views = archive::documented_views(m_archive);
    QVERIFY(std::find(views.begin(), views.end(), "trial_summary") != views.end());
    for (const std::string& view : views) QVERIFY(!Query(m_archive, "SELECT * FROM " + view).columns().empty());
  }

  void whatever_is_no_single_select_is_refused_and_nothing_changes_data() {
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* sql, const char* expected) {
      QTest::newRow(sql) << QByteArray(sql) << QByteArray(expected);
    };
    row("DELETE FROM trials", "only reads");
    row("INSERT INTO notes VALUES (1, 1, 'x')", "only reads");
    row("UPDATE trials SET name = 'x'", "only reads");
    row("WITH a AS (SELECT 1) DELETE FROM trials", "only reads");
    row("DROP VIEW trial_summary", "only reads");
    row("CREATE TEMP TABLE t (a)", "only reads");
    row("CREATE VIRTUAL TABLE t USING fts5(a)", "only reads");
    row("ATTACH '/etc/passwd' AS p", "ATTACH");
    row("VACUUM INTO 'copy.db'", "only reads");
    row("PRAGMA writable_schema = 1", "PRAGMA");
    row("PRAGMA user_version", "PRAGMA");
    row("SELECT * FROM pragma_database_list", "only reads");
    row("SELECT load_extension('x')", "load_extension");
    row("BEGIN", "transaction");
    row("COMMIT", "transaction");
    row("ROLLBACK", "transaction");
    row("SAVEPOINT s", "transaction");
    row("REINDEX", "only reads");
    row("ANALYZE", "only reads");
    row("SELECT 1; SELECT 2", "more than one statement");
    row("SELECT 1; DELETE FROM trials", "more than one statement");
    row("", "no statement");
    row(" ; -- nothing\n/* at all */", "no statement");
    row("SELECT ?", "parameter");
    row("SELECT absent FROM trials", "no such column: absent");
    row("SELECT 1 FROM nowhere", "no such table: nowhere");
    row("SELEC 1", "syntax error");
    row("SELECT 'open", "unrecognized token");
  }
  void whatever_is_no_single_select_is_refused_and_nothing_changes() {
    QFETCH(QByteArray, sql);
    QFETCH(QByteArray, expected);
    const QByteArray before = bytes();
    try {
      Query(m_archive, sql.toStdString()).next();
      QFAIL("it was taken");
    } catch (const Error& error) {
      QCOMPARE(error.kind(), ErrorKind::InvalidSetting);
      QVERIFY2(sentence(error.facts()).find(expected.constData()) != std::string::npos, error.what());
    }
    QVERIFY(bytes() == before);
    QVERIFY(!QFile::exists("copy.db"));
  }

  void the_place_of_a_mistake_is_told() {
    try {
      const Query query(m_archive, "SELECT absent FROM trials");
      QFAIL("it was taken");
    } catch (const Error& error) {
      QCOMPARE(error.facts().column, 8);
    }
  }

  void an_expression_that_fails_at_a_row_is_refused_there() {
    Query query(m_archive, "SELECT json(name) FROM trial_summary");
    QVERIFY_EXCEPTION_THROWN(query.next(), Error);
  }

  /// Counting to 10^12 would take hours.
  void a_query_can_be_interrupted() {
    Query query(m_archive,
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000000000000) "
                "SELECT count(*) FROM c");
    std::thread other([&query] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      query.interrupt();
    });
    bool isRefused = false;
    try {
      query.next();
    } catch (const Error& error) {
      isRefused = std::string(error.what()).find("interrupted") != std::string::npos;
    }
    other.join();
    QVERIFY(isRefused);
  }

  void reading_leaves_nothing_beside_the_archive() {
    { Query(m_archive, "SELECT 1").next(); }
    QVERIFY(!QFile::exists(QString::fromStdString(m_archive + "-wal")));
    QVERIFY(!QFile::exists(QString::fromStdString(m_archive + "-shm")));
  }
};

QTEST_APPLESS_MAIN(QueryTests)
#include "query_tests.moc"
