// SPDX-License-Identifier: Apache-2.0
// Archives that cannot be read or written, each with its own kind of error and nothing lost.
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/schema.h"
#include "core/archive/sqlite.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::Connection;
using archive::Reader;
using archive::Writer;
using archive::WriterOptions;
using std::chrono::milliseconds;

namespace {

// The error of a call, or nothing.
template <class Call>
std::optional<Error> error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

#define VERIFY_FAILS(call, expected_kind)                               \
  do {                                                                  \
    const std::optional<Error> error = error_of([&] { call; });         \
    QVERIFY2(error.has_value(), "no error: " #call);                    \
    QVERIFY2(error->kind() == ErrorKind::expected_kind, error->what()); \
  } while (false)

std::int64_t count_steps(const Reader& reader, std::int64_t trial) {
  std::int64_t expected = 0;
  bool right = true;
  reader.steps(trial, [&](const record::StepRecord& step) {
    right = right && step.step == ++expected;
    return right;
  });
  return right ? expected : -1;
}

}  // namespace

class ArchiveFailureTests : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  int archives_ = 0;

  QString new_path() { return folder_.filePath(QStringLiteral("%1.db").arg(++archives_)); }

  // An archive of one arm with `steps` steps, closed.
  std::string sample_archive(std::int64_t steps = 500) {
    const std::string path = new_path().toStdString();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    for (std::int64_t step = 1; step <= steps; ++step) writer.append(awkward_step(trial, step, 3));
    writer.finish_trial(trial, record::TrialEnd{});
    writer.close();
    return path;
  }

  static QByteArray content_of(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  std::string file_with(const QByteArray& bytes) {
    const QString path = new_path();
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) return {};
    return path.toStdString();
  }

  static QString open_unprivileged(const QString& what, const std::string& path) {
    QProcess process;
    process.start(QStringLiteral(MANTISSA_ARCHIVE_PROCESS), {what, QString::fromStdString(path)});
    process.waitForFinished();
    return QString::fromUtf8(process.readAllStandardOutput()).trimmed();
  }
  static QString number_of(ErrorKind kind) { return QString::number(static_cast<int>(kind)); }

 private Q_SLOTS:
  void initTestCase() {
    // The unprivileged process has to reach the files.
    QVERIFY(QFile::setPermissions(folder_.path(), QFile::Permissions(0x7755)));
  }

  void a_folder_is_no_archive() {
    const std::string path = folder_.path().toStdString();
    VERIFY_FAILS(Writer{path}, FileProblem);
    VERIFY_FAILS(Reader{path}, FileProblem);
  }

  void a_missing_archive_is_a_file_problem_and_is_not_created_by_reading() {
    const QString path = new_path();
    VERIFY_FAILS(Reader{path.toStdString()}, FileProblem);
    QVERIFY(!QFile::exists(path));
  }

  void the_folder_of_a_new_archive_must_exist_and_is_named() {
    const QString path = folder_.filePath("mistyped/folder/a.db");
    const std::optional<Error> error = error_of([&] { Writer{path.toStdString()}; });
    QVERIFY(error.has_value());
    QCOMPARE(error->kind(), ErrorKind::FileProblem);
    QCOMPARE(error->facts().file, folder_.filePath("mistyped/folder").toStdString());
    QVERIFY(!QFile::exists(folder_.filePath("mistyped")));
  }

  void a_path_may_hold_what_has_a_meaning_in_addresses() {
    QVERIFY(QDir(folder_.path()).mkdir("folder with ? and #"));
    const QString path = folder_.filePath("folder with ? and #/100 %.db");
    Writer(path.toStdString()).close();
    QVERIFY(QFile::exists(path));
    QVERIFY(Reader(path.toStdString()).trials().empty());
  }

  void after_a_clean_close_one_file_is_left() {
    QTemporaryDir folder;
    const QString path = folder.filePath("a.db");
    {
      Writer writer(path.toStdString());
      writer.begin_experiment(sample_experiment());
      writer.close();
    }
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"a.db"});
  }

  void a_file_of_another_kind_is_refused_and_left_alone() {
    const QByteArray text = QByteArray("this is no database\n").repeated(200);
    for (const QByteArray& bytes : {text, text.left(10)}) {
      const std::string path = file_with(bytes);
      VERIFY_FAILS(Writer{path}, ArchiveDamaged);
      VERIFY_FAILS(Reader{path}, ArchiveDamaged);
      QCOMPARE(content_of(path), bytes);
    }
  }

  void a_database_of_another_program_is_refused_and_left_alone() {
    const std::string path = new_path().toStdString();
    { Connection(path, Connection::Mode::ReadWrite, milliseconds(100)).execute("CREATE TABLE notes (note TEXT)"); }
    const QByteArray before = content_of(path);
    VERIFY_FAILS(Writer{path}, ArchiveDamaged);
    VERIFY_FAILS(Reader{path}, ArchiveDamaged);
    QCOMPARE(content_of(path), before);
  }

  void an_empty_file_becomes_an_archive_only_by_writing() {
    const std::string path = file_with({});
    VERIFY_FAILS(Reader{path}, ArchiveDamaged);
    Writer(path).close();
    QVERIFY(Reader(path).trials().empty());
  }

  void a_truncated_archive_is_damaged() {
    const QByteArray whole = content_of(sample_archive());
    QVERIFY(whole.size() > 100000);
    for (const qsizetype size :
         {whole.size() - 1, whole.size() - 4096, whole.size() / 2, qsizetype{4096}, qsizetype{100}}) {
      const std::string path = file_with(whole.left(size));
      VERIFY_FAILS(Reader{path}.trials(), ArchiveDamaged);
      VERIFY_FAILS(Writer{path}, ArchiveDamaged);
      QCOMPARE(content_of(path).size(), size);
    }
  }

  void a_flipped_bit_in_the_header_is_damage_or_harmless() {
    // Fields that nothing reads may flip unnoticed; then every step is still there. user_version and the meta table may
    // make it look newer. Nothing else may come out.
    const QByteArray whole = content_of(sample_archive(50));
    int damaged = 0;
    for (int bit = 0; bit < 800; ++bit) {
      QByteArray bytes = whole;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      const std::string path = file_with(bytes);
      const std::optional<Error> error = error_of([&] {
        const Reader reader(path);
        QCOMPARE(reader.trials().size(), std::size_t{1});
        QCOMPARE(count_steps(reader, 1), std::int64_t{50});
      });
      if (error.has_value()) {
        const bool said = error->kind() == ErrorKind::ArchiveDamaged || error->kind() == ErrorKind::ArchiveNewer;
        QVERIFY2(said, qPrintable(QString("bit %1: %2").arg(bit).arg(error->what())));
        ++damaged;
      }
      if (bit % 8 == bit / 8 % 8) {  // one bit a byte is enough here
        const std::optional<Error> refused = error_of([&] {
          Writer writer(path);
          writer.append(plain_step(1, 1000));
          writer.close();
        });
        const bool said = !refused.has_value() || refused->kind() == ErrorKind::ArchiveDamaged ||
                          refused->kind() == ErrorKind::ArchiveNewer;
        QVERIFY2(said, qPrintable(QString("bit %1: %2").arg(bit).arg(refused ? refused->what() : "")));
      }
      QFile::remove(QString::fromStdString(path));
    }
    QVERIFY(damaged >= 16 * 8);  // at least every bit of the magic text
  }

  void damage_inside_the_file_is_named_as_damage() {
    const QByteArray whole = content_of(sample_archive());
    QRandomGenerator random(20260204);
    int damaged = 0;
    for (int round = 0; round < 60; ++round) {
      QByteArray bytes = whole;
      const qsizetype at = random.bounded(qint64{100}, qint64{whole.size() - 64});
      for (qsizetype i = 0; i < 64; ++i) bytes[at + i] = static_cast<char>(random.bounded(256));
      const std::string path = file_with(bytes);
      const std::optional<Error> error = error_of([&] {
        const Reader reader(path);
        reader.trials();
        count_steps(reader, 1);
      });
      if (!error.has_value()) continue;  // inside a value, or in a page that this reading does not touch
      QVERIFY2(error->kind() == ErrorKind::ArchiveDamaged || error->kind() == ErrorKind::ArchiveNewer, error->what());
      ++damaged;
    }
    QVERIFY(damaged > 0);
  }

  void a_newer_archive_is_refused_by_the_version_it_needs() {
    const std::string path = sample_archive(1);
    const std::string newer = std::to_string(archive::kSchemaNumber + 1);
    {
      Connection connection(path, Connection::Mode::ReadWrite, milliseconds(1000));
      connection.execute("PRAGMA user_version = " + newer + "; UPDATE meta SET value = '" + newer +
                         "' WHERE key = 'minimum_reader'");
    }
    for (const bool write : {false, true}) {
      const std::optional<Error> error = error_of([&] { write ? void(Writer{path}) : void(Reader{path}); });
      QVERIFY(error.has_value());
      QCOMPARE(error->kind(), ErrorKind::ArchiveNewer);
      QVERIFY2(QString::fromUtf8(error->what()).contains(QString::fromStdString("schema " + newer)), error->what());
      QCOMPARE(error->facts().found, "minimum reader " + newer);
      QCOMPARE(error->facts().expected, "minimum reader " + std::to_string(archive::kSchemaNumber) + " or lower");
    }
  }

  void reading_what_is_refused_leaves_nothing_beside_it() {
    const std::string whole = sample_archive(50);
    const auto refused_copy = [&](QTemporaryDir& folder, ErrorKind kind,
                                  const std::function<void(const QString&)>& change) {
      const QString path = folder.filePath("a.db");
      QVERIFY(QFile::copy(QString::fromStdString(whole), path));
      change(path);
      const std::optional<Error> error = error_of([&] { Reader{path.toStdString()}; });
      QVERIFY(error.has_value());
      QVERIFY2(error->kind() == kind, error->what());
      QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"a.db"});
    };
    const auto sql = [](const char* text) {
      return [text](const QString& path) {
        Connection(path.toStdString(), Connection::Mode::ReadWrite, milliseconds(1000)).execute(text);
      };
    };
    const auto overwrite = [](qint64 at, const QByteArray& bytes) {
      return [at, bytes](const QString& path) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(at) && file.write(bytes) == bytes.size());
      };
    };
    for (const auto& [kind, change] : std::vector<std::pair<ErrorKind, std::function<void(const QString&)>>>{
             {ErrorKind::ArchiveNewer, sql("UPDATE meta SET value = '99' WHERE key = 'minimum_reader'")},
             {ErrorKind::ArchiveDamaged, sql("PRAGMA application_id = 77")},
             {ErrorKind::ArchiveDamaged, overwrite(0, "no magic")},
             {ErrorKind::ArchiveDamaged, overwrite(100, QByteArray(3996, 'Z'))},
             {ErrorKind::ArchiveDamaged, [](const QString& path) { QVERIFY(QFile::resize(path, 50000)); }}}) {
      QTemporaryDir folder;
      refused_copy(folder, kind, change);
    }
  }

  void a_newer_archive_that_older_readers_understand_is_read_but_not_written() {
    const std::string path = sample_archive(1);
    {
      Connection connection(path, Connection::Mode::ReadWrite, milliseconds(1000));
      connection.execute("PRAGMA user_version = " + std::to_string(archive::kSchemaNumber + 1) +
                         "; ALTER TABLE trials ADD COLUMN later TEXT");
    }
    QCOMPARE(Reader(path).trials().size(), std::size_t{1});
    VERIFY_FAILS(Writer{path}, ArchiveNewer);
  }

  void an_archive_without_write_permission_is_read_only() {
    QDir(folder_.path()).mkdir("closed");
    const QString path = folder_.filePath("closed/a.db");
    QVERIFY(QFile::copy(QString::fromStdString(sample_archive(10)), path));
    QVERIFY(QFile::setPermissions(path, QFile::Permissions(0x4444)));
    QVERIFY(QFile::setPermissions(folder_.filePath("closed"), QFile::Permissions(0x5555)));
    QCOMPARE(open_unprivileged("open-writer", path.toStdString()), number_of(ErrorKind::ArchiveReadOnly));
    QCOMPARE(open_unprivileged("open-reader", path.toStdString()), QStringLiteral("ok"));
    QCOMPARE(QDir(folder_.filePath("closed")).entryList(QDir::Files), QStringList{"a.db"});
    QVERIFY(QFile::setPermissions(folder_.filePath("closed"), QFile::Permissions(0x7755)));
  }

  void a_folder_without_write_permission_makes_the_archive_read_only() {
    QDir(folder_.path()).mkdir("locked-folder");
    const QString path = folder_.filePath("locked-folder/a.db");
    QVERIFY(QFile::copy(QString::fromStdString(sample_archive(10)), path));
    QVERIFY(QFile::setPermissions(path, QFile::Permissions(0x6666)));
    QVERIFY(QFile::setPermissions(folder_.filePath("locked-folder"), QFile::Permissions(0x5555)));
    QCOMPARE(open_unprivileged("open-writer", path.toStdString()), number_of(ErrorKind::ArchiveReadOnly));
    QCOMPARE(open_unprivileged("open-reader", path.toStdString()), QStringLiteral("ok"));
    const std::string missing = folder_.filePath("locked-folder/new.db").toStdString();
    QCOMPARE(open_unprivileged("open-writer", missing), number_of(ErrorKind::ArchiveReadOnly));
    QVERIFY(QFile::setPermissions(folder_.filePath("locked-folder"), QFile::Permissions(0x7755)));
  }

  void records_that_only_a_writer_can_fold_in_are_not_ignored_on_read_only_media() {
    const std::string path = new_path().toStdString();
    Writer writer(path);
    writer.begin_experiment(sample_experiment());
    QDir(folder_.path()).mkdir("medium");
    const QString copy = folder_.filePath("medium/a.db");
    QVERIFY(QFile::copy(QString::fromStdString(path), copy));
    QVERIFY(QFile::copy(QString::fromStdString(path + "-wal"), copy + "-wal"));
    QVERIFY(QFile::setPermissions(folder_.filePath("medium"), QFile::Permissions(0x5555)));
    QCOMPARE(open_unprivileged("open-reader", copy.toStdString()), number_of(ErrorKind::ArchiveReadOnly));
    QVERIFY(QFile::setPermissions(folder_.filePath("medium"), QFile::Permissions(0x7755)));
  }

  void what_lies_beside_an_archive_and_is_not_its_own_is_named_and_left_alone() {
    const std::string path = sample_archive(3);
    const QString journal = QString::fromStdString(path + "-journal");
    const auto put = [](const QString& name, const QByteArray& bytes) {
      QFile file(name);
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    };
    put(QString::fromStdString(path + "-wal"), QByteArray(8192, 'w'));
    put(journal, QByteArray(4096, 'j'));
    const std::optional<Error> error = error_of([&] { Reader{path}; });
    QVERIFY(error && error->kind() == ErrorKind::FileProblem);
    const std::string words = error->what();
    QVERIFY2(words.find("that SQLite did not write") != std::string::npos, words.c_str());
    QVERIFY2(words.find("-journal to another folder") != std::string::npos, words.c_str());
    QCOMPARE(QFileInfo(journal).size(), qint64{4096});
    QVERIFY(QFile::rename(journal, journal + ".away"));  // as it says
    QCOMPARE(count_steps(Reader(path), 1), std::int64_t{3});
  }

  void an_unfinished_change_beside_an_archive_is_named_as_one() {
    const std::string path = sample_archive(3);
    QFile journal(QString::fromStdString(path + "-journal"));
    QVERIFY(journal.open(QIODevice::WriteOnly));
    // Magic, no page, sector 512, page size 4096 (https://www.sqlite.org/fileformat.html, 3).
    journal.write(
        QByteArray::fromHex("d9d505f920a163d7000000010000000000000001000002000000100000").leftJustified(1024));
    journal.close();
    const std::optional<Error> error = error_of([&] { Reader{path}; });
    QVERIFY(error && error->kind() == ErrorKind::FileProblem);
    QVERIFY2(std::string(error->what()).find("an unfinished change lies beside") != std::string::npos, error->what());
    QVERIFY(journal.exists());
  }

  void an_archive_that_may_not_be_read_is_a_file_problem() {
    const std::string path = sample_archive(1);
    QVERIFY(QFile::setPermissions(QString::fromStdString(path), QFile::Permissions(0x6000)));
    if (::geteuid() != 0) QVERIFY(QFile::setPermissions(QString::fromStdString(path), QFile::Permissions()));
    QCOMPARE(open_unprivileged("open-reader", path), number_of(ErrorKind::FileProblem));
  }

  void a_lock_held_by_another_program_is_named_and_nothing_is_lost() {
    const std::string path = new_path().toStdString();
    WriterOptions options;
    options.busy_timeout = milliseconds(50);
    options.patience = milliseconds(100);
    Writer writer(path, options);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    writer.append(plain_step(trial, 1));
    writer.flush();
    Connection other(path, Connection::Mode::ReadWrite, milliseconds(1000));
    other.execute("BEGIN IMMEDIATE");
    writer.append(plain_step(trial, 2));
    VERIFY_FAILS(writer.flush(), ArchiveLocked);
    VERIFY_FAILS(writer.begin_experiment(sample_experiment()), ArchiveLocked);
    VERIFY_FAILS(writer.append(plain_step(trial, 3)), ArchiveLocked);  // the step is not taken
    QCOMPARE(count_steps(Reader(path), trial), std::int64_t{1});
    other.execute("ROLLBACK");
    writer.flush();
    writer.append(plain_step(trial, 3));
    writer.close();
    QCOMPARE(count_steps(Reader(path), trial), std::int64_t{3});
  }

  void a_run_waits_for_a_lock_much_longer_than_the_busy_timeout_and_loses_nothing() {
    const std::string path = new_path().toStdString();
    WriterOptions options;
    options.busy_timeout = milliseconds(10);
    options.ring_capacity = 64;
    Writer writer(path, options);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    Connection other(path, Connection::Mode::ReadWrite, milliseconds(1000));
    other.execute("BEGIN IMMEDIATE");
    // With a lock on it the archive takes at most the ring and one batch: the run comes to stand, and then goes on.
    constexpr std::int64_t kSteps = 10000;
    std::atomic<std::int64_t> appended{0};
    std::thread holder([&] {
      std::int64_t seen = -1;
      while (seen != appended || seen < 64) {
        seen = appended;
        std::this_thread::sleep_for(milliseconds(200));
      }
      other.execute("ROLLBACK");
    });
    const std::optional<Error> error = error_of([&] {
      for (std::int64_t step = 1; step <= kSteps; appended = step++) writer.append(plain_step(trial, step));
    });
    appended = kSteps;
    holder.join();
    QVERIFY2(!error.has_value(), error ? error->what() : "");
    QVERIFY(writer.waited_seconds() > 0.0);
    writer.finish_trial(trial, record::TrialEnd{});
    writer.close();
    QCOMPARE(count_steps(Reader(path), trial), kSteps);
  }

  void a_call_that_waits_for_a_lock_says_so_meanwhile_and_when_it_is_over() {
    const std::string path = new_path().toStdString();
    std::unique_ptr<Connection> other;
    std::unique_ptr<Writer> writer;
    std::vector<archive::Waiting> told;
    WriterOptions options;
    options.busy_timeout = milliseconds(10);
    options.ring_capacity = 64;
    options.waits = [&] {
      told.push_back(writer->waiting());
      if (told.back() == archive::Waiting::Lock) other.reset();  // lets go
    };
    writer = std::make_unique<Writer>(path, options);
    const std::int64_t trial = writer->begin_trial(sample_trial(writer->begin_experiment(sample_experiment()), "a"));
    QCOMPARE(writer->waiting(), archive::Waiting::Nothing);
    other = std::make_unique<Connection>(path, Connection::Mode::ReadWrite, milliseconds(1000));
    other->execute("BEGIN EXCLUSIVE");
    for (std::int64_t step = 1; step <= 10000; ++step) writer->append(plain_step(trial, step));
    QVERIFY(other == nullptr);
    QCOMPARE(told.back(), archive::Waiting::Nothing);
    writer->finish_trial(trial, record::TrialEnd{});
    writer->close();
    QCOMPARE(count_steps(Reader(path), trial), std::int64_t{10000});
  }

  void the_end_of_an_arm_waits_for_a_lock() {
    const std::string path = new_path().toStdString();
    WriterOptions options;
    options.busy_timeout = milliseconds(10);
    Writer writer(path, options);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    Connection other(path, Connection::Mode::ReadWrite, milliseconds(1000));
    other.execute("BEGIN IMMEDIATE");
    std::thread holder([&] {
      std::this_thread::sleep_for(milliseconds(200));
      other.execute("ROLLBACK");
    });
    const std::optional<Error> error = error_of([&] { writer.finish_trial(trial, record::TrialEnd{}); });
    holder.join();
    QVERIFY2(!error.has_value(), error ? error->what() : "");
    QCOMPARE(Reader(path).trial(trial).end.status, record::Status::Finished);
  }

  void an_archive_that_another_program_has_for_itself_is_locked() {
    const std::string path = sample_archive(1);
    Connection other(path, Connection::Mode::ReadWrite, milliseconds(1000));
    other.execute("PRAGMA locking_mode = EXCLUSIVE");
    other.execute("BEGIN EXCLUSIVE");
    WriterOptions options;
    options.busy_timeout = milliseconds(50);
    VERIFY_FAILS((Writer{path, options}), ArchiveLocked);
    VERIFY_FAILS((Reader{path, milliseconds(50)}), ArchiveLocked);
  }

  void a_full_disk_keeps_what_was_committed_and_takes_the_rest_when_space_returns() {
    const std::string path = new_path().toStdString();
    Writer writer(path);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    for (std::int64_t step = 1; step <= 1000; ++step) writer.append(awkward_step(trial, step, 3));
    writer.flush();
    const std::int64_t pages =
        Connection(path, Connection::Mode::ReadOnly, milliseconds(1000)).integer("PRAGMA page_count");
    writer.limit_size(4096 * (pages + 4));  // a dozen records a page: room for some 50 of the next 1000
    for (std::int64_t step = 1001; step <= 2000; ++step) writer.append(awkward_step(trial, step, 3));
    VERIFY_FAILS(writer.flush(), DiskFull);
    VERIFY_FAILS(writer.flush(), DiskFull);
    VERIFY_FAILS(writer.append(awkward_step(trial, 2001, 3)), DiskFull);
    VERIFY_FAILS(writer.finish_trial(trial, record::TrialEnd{}), DiskFull);
    VERIFY_FAILS(writer.close(), DiskFull);
    QVERIFY(count_steps(Reader(path), trial) >= 1000);
    writer.limit_size(0);
    writer.flush();
    writer.append(awkward_step(trial, 2001, 3));
    writer.finish_trial(trial, record::TrialEnd{});
    writer.close();
    QCOMPARE(count_steps(Reader(path), trial), std::int64_t{2001});
    QCOMPARE(Reader(path).trial(trial).end.status, record::Status::Finished);
  }

  void a_run_against_a_full_disk_is_told_by_append_and_loses_nothing() {
    const std::string path = new_path().toStdString();
    WriterOptions options;
    options.ring_capacity = 64;
    Writer writer(path, options);
    const std::int64_t trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "a"));
    const std::int64_t pages =
        Connection(path, Connection::Mode::ReadOnly, milliseconds(1000)).integer("PRAGMA page_count");
    writer.limit_size(4096 * (pages + 8));
    std::int64_t step = 0;
    const std::optional<Error> error = error_of([&] {
      while (step < 100000) {
        writer.append(awkward_step(trial, step + 1, 3));
        ++step;  // only what was taken counts
      }
    });
    QVERIFY(error.has_value());
    QCOMPARE(error->kind(), ErrorKind::DiskFull);
    writer.limit_size(0);
    writer.close();
    QCOMPARE(count_steps(Reader(path), trial), step);
  }

  void a_step_of_an_unknown_trial_is_a_mistake_of_the_caller() {
    const std::string path = new_path().toStdString();
    Writer writer(path);
    writer.append(plain_step(77, 1));
    VERIFY_FAILS(writer.flush(), CallOrder);
  }

  void calls_after_close_are_refused() {
    const std::string path = new_path().toStdString();
    Writer writer(path);
    writer.close();
    writer.close();
    VERIFY_FAILS(writer.flush(), CallOrder);
    QCOMPARE(writer.waited_seconds(), 0.0);
  }
};

QTEST_GUILESS_MAIN(ArchiveFailureTests)
#include "archive_failure_tests.moc"
