// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of errors: nobody who looks at a window can type an option.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/spec/parse.h"
#include "ui/models/error_words.h"

using namespace mantissa;
using ui::models::errorText;

class ErrorWordsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_missing_archive_is_named() { QVERIFY2(says(path("none.db"), {"none.db", "Open another file"}), m_words); }

  void a_folder_in_place_of_an_archive_is_named() {
    QVERIFY(QDir().mkpath(path("folder.db")));
    QVERIFY2(says(path("folder.db"), {"folder.db", "folder"}), m_words);
  }

  void a_damaged_archive_has_a_way_out_of_the_window() {
    QFile file(path("damaged.db"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray("SQLite format 3\0", 16) + QByteArray(4000, 'x'));
    file.close();
    QVERIFY2(says(file.fileName(), {"damaged.db", "Use a backup, or open another archive"}), m_words);
  }

  void another_database_is_told_from_an_archive() {
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path("other.db").toUtf8().constData(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, "CREATE TABLE t (a)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    QVERIFY2(says(path("other.db"), {"other.db", "open another archive"}), m_words);
  }

  void a_newer_archive_asks_for_the_newer_version() {
    archive::Writer(path("newer.db").toStdString()).close();
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path("newer.db").toUtf8().constData(), &database), SQLITE_OK);
    QCOMPARE(
        sqlite3_exec(database, "UPDATE meta SET value = '999' WHERE key = 'minimum_reader'", nullptr, nullptr, nullptr),
        SQLITE_OK);
    sqlite3_close(database);
    QVERIFY2(says(path("newer.db"), {"newer.db", "reads schema 999 or later"}), m_words);
  }

  void a_key_that_does_not_exist_points_to_the_editor() {
    try {
      spec::parse_experiment("mantissa = 1\n[data]\nsuorce = \"digits\"\n", "wrong.toml");
      QFAIL("it was accepted");
    } catch (const Error& error) {
      m_words = errorText(error).toUtf8();
      QVERIFY2(m_words.contains("wrong.toml") && !m_words.contains("mantissa-cli"), m_words);
    }
  }

  void a_way_out_that_exists_in_the_window_stays() {
    const Error error(ErrorKind::DataProblem,
                      {"no number", "a.csv", 3, 0, "column x", "'n/a'", "a number", "Mend the row"});
    QCOMPARE(errorText(error),
             QStringLiteral("a.csv, line 3, column x: no number: found 'n/a', expected a number. Mend the row."));
  }

 private:
  QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

  bool says(const QString& archive, const QList<QByteArray>& parts) {
    try {
      const archive::Reader reader(archive.toStdString());
      m_words = "it was opened";
      return false;
    } catch (const Error& error) {
      m_words = errorText(error).toUtf8();
    }
    for (const QByteArray& part : parts) {
      if (!m_words.contains(part)) return false;
    }
    return !m_words.contains("--");
  }

  QTemporaryDir m_folder;
  QByteArray m_words;
};

QTEST_GUILESS_MAIN(ErrorWordsTests)
#include "error_words_tests.moc"
