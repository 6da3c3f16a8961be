// SPDX-License-Identifier: Apache-2.0
// A writer that has lost its file, or its run to another process, says so and writes nothing more.
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/late_writers.h"
#include "core/archive/reader.h"
#include "core/archive/sqlite.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::Connection;
using archive::Reader;
using archive::Writer;

namespace {

/// A run of one arm with three steps, which goes on.
struct RunningArm {
  explicit RunningArm(const QString& file) : path(file.toStdString()), writer(std::make_unique<Writer>(path)) {
    trial = writer->begin_trial(sample_trial(writer->begin_experiment(sample_experiment()), "reference"));
    append(1, 3);
    writer->flush();
  }

  void append(std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) writer->append(plain_step(trial, step));
  }

  void sql(const std::string& text) {
    Connection(path, Connection::Mode::ReadWrite, std::chrono::milliseconds(5000)).execute(text);
  }

  std::string path;
  std::unique_ptr<Writer> writer;
  std::int64_t trial = 0;
};

std::int64_t count_steps(const std::string& path, std::int64_t trial) {
  std::int64_t count = 0;
  Reader(path).steps(trial, [&count](const record::StepRecord&) {
    ++count;
    return true;
  });
  return count;
}

template <class Call>
std::string refusal(const Call& call, ErrorKind kind = ErrorKind::WriteFailed) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == kind ? sentence(error.facts()) : std::string("another kind: ") + error.what();
  }
  return "nothing was refused";
}

bool mentions(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (text.find(part) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

class ArchiveOwnerTests : public QObject {
  Q_OBJECT

 private:
  std::optional<QTemporaryDir> folder_;

  QString path(const QString& name) const { return folder_->filePath(name); }

 private Q_SLOTS:
  void init() {
    folder_.emplace();
    // The folder of the test before is gone: so are its writers.
    QTRY_COMPARE_WITH_TIMEOUT(archive::writers_that_wait(), std::size_t{0}, 30000);
  }

  void an_archive_that_was_deleted_is_said_by_every_call_that_ends_something() {
    RunningArm run(path("a.db"));
    QVERIFY(QFile::remove(path("a.db")));
    run.append(4, 5);
    for (int time = 0; time < 2; ++time) {
      const std::string flushed = refusal([&] { run.writer->flush(); });
      QVERIFY2(mentions(flushed, {"a.db: the archive's file was deleted while a run was writing it", "is lost"}),
               flushed.c_str());
    }
    QVERIFY(mentions(refusal([&] { run.writer->finish_trial(run.trial, {}); }), {"was deleted"}));
    QVERIFY(mentions(refusal([&] { run.writer->close(); }), {"was deleted"}));
    run.writer.reset();
    QVERIFY(!QFile::exists(path("a.db")));
  }

  void records_alone_notice_it_too() {
    RunningArm run(path("a.db"));
    QVERIFY(QFile::remove(path("a.db")));
    // Looked at twice a second: some append after that throws what the writer's thread has met.
    std::int64_t step = 4;
    std::string met;
    QTRY_VERIFY_WITH_TIMEOUT((met = refusal([&] {
                                run.append(step, step);
                                ++step;
                              })) != "nothing was refused",
                             30000);
    QVERIFY2(mentions(met, {"was deleted"}), met.c_str());
  }

  void a_run_that_writes_nothing_notices_it_too() {
    RunningArm run(path("a.db"));
    QVERIFY(QDir(folder_->path()).mkdir("moved"));
    QVERIFY(QFile::rename(path("a.db"), path("moved/a.db")));
    QTRY_VERIFY_WITH_TIMEOUT(run.writer->has_failed(), 30000);
    QVERIFY(mentions(refusal([&] { run.writer->check(); }), {"a.db: the archive's file was moved away"}));
    // It stays so, however often the heartbeat and the records of a run that goes on ask.
    QTest::qWait(1500);
    QVERIFY(mentions(refusal([&] { run.append(4, 4); }), {"was moved away"}));
  }

  void a_run_that_ended_while_its_archive_was_away_is_interrupted_once_it_is_back() {
    RunningArm run(path("a.db"));
    run.append(4, 6);
    QVERIFY(QFile::rename(path("a.db"), path("b.db")));
    run.writer.reset();
    QCOMPARE(archive::writers_that_wait(), std::size_t{1});
    QVERIFY(QFile::rename(path("b.db"), path("a.db")));
    QTRY_COMPARE_WITH_TIMEOUT(archive::writers_that_wait(), std::size_t{0}, 30000);
    // This process lives: without its own word the arm would be running.
    QCOMPARE(Reader(run.path).trial(run.trial).end.status, record::Status::Interrupted);
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{6});
  }

  void a_run_that_ended_on_a_full_disk_is_interrupted_once_there_is_space() {
    RunningArm run(path("a.db"));
    rlimit before{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit full{4096, before.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &full), 0);
    run.append(4, 300);
    const std::string met = refusal([&] { run.writer->flush(); }, ErrorKind::DiskFull);
    run.writer.reset();
    const std::size_t waiting = archive::writers_that_wait();
    const record::Status meanwhile = Reader(run.path).trial(run.trial).end.status;
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
    QVERIFY2(mentions(met, {"a.db"}), met.c_str());
    QCOMPARE(waiting, std::size_t{1});
    QCOMPARE(meanwhile, record::Status::Running);
    QTRY_COMPARE_WITH_TIMEOUT(archive::writers_that_wait(), std::size_t{0}, 30000);
    QCOMPARE(Reader(run.path).trial(run.trial).end.status, record::Status::Interrupted);
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{300});
  }

  void a_run_whose_archive_is_gone_for_good_waits_for_nothing() {
    RunningArm run(path("a.db"));
    QVERIFY(QFile::remove(path("a.db")));
    run.writer.reset();
    QCOMPARE(archive::writers_that_wait(), std::size_t{0});
  }

  void an_archive_that_was_moved_and_brought_back_has_lost_nothing() {
    RunningArm run(path("a.db"));
    QVERIFY(QFile::rename(path("a.db"), path("b.db")));
    run.append(4, 6);
    const std::string moved = refusal([&] { run.writer->flush(); });
    QVERIFY2(mentions(moved, {"the archive's file was moved away", "Bring it back under its name", "-wal"}),
             moved.c_str());
    QVERIFY(QFile::rename(path("b.db"), path("a.db")));
    run.writer->flush();
    run.writer->finish_trial(run.trial, {});
    run.writer->close();
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{6});
  }

  void what_was_committed_before_the_move_is_there_for_the_next_process() {
    RunningArm run(path("a.db"));
    QVERIFY(QFile::rename(path("a.db"), path("b.db")));
    QVERIFY(mentions(refusal([&] { run.writer->close(); }), {"was moved away"}));
    run.writer.reset();  // the program ends
    QVERIFY(QFile::rename(path("b.db"), path("a.db")));
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{3});
  }

  void another_file_in_its_place_is_said_and_stays_as_it_is() {
    RunningArm run(path("a.db"));
    {
      RunningArm other(path("other.db"));
      other.writer->finish_trial(other.trial, {});
      other.writer->close();
    }
    QFile file(path("other.db"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    QVERIFY(QFile::rename(path("a.db"), path("kept.db")));
    QVERIFY(QFile::copy(path("other.db"), path("a.db")));
    run.append(4, 5);
    const std::string replaced = refusal([&] { run.writer->flush(); });
    QVERIFY2(mentions(replaced, {"another file has taken the archive's place", "Bring it back"}), replaced.c_str());
    QVERIFY(QFile::remove(path("kept.db")));
    QVERIFY(mentions(refusal([&] { run.writer->flush(); }), {"has taken the archive's place", "is lost"}));
    run.writer.reset();
    QFile now(path("a.db"));
    QVERIFY(now.open(QIODevice::ReadOnly));
    QCOMPARE(now.readAll(), before);
  }

  void a_copy_in_its_place_does_not_say_that_the_run_goes_on() {
    RunningArm run(path("a.db"));
    run.writer->flush();
    {
      Connection copies(run.path, Connection::Mode::ReadWrite, std::chrono::milliseconds(1000));
      copies.execute(("VACUUM INTO '" + path("copy.db").toStdString() + "'").c_str());
    }
    QCOMPARE(Reader(path("copy.db").toStdString()).trial(run.trial).end.status, record::Status::Running);
    for (const char* const name : {"a.db", "a.db-wal", "a.db-shm"}) QVERIFY(QFile::remove(path(name)));
    QVERIFY(QFile::rename(path("copy.db"), path("a.db")));
    QVERIFY(mentions(refusal([&] { run.writer->close(); }), {"has taken the archive's place"}));
    run.writer.reset();
    QCOMPARE(archive::Reader(run.path).trial(run.trial).end.status, record::Status::Interrupted);
  }

  void the_log_of_an_archive_that_was_replaced_does_not_damage_the_other_file() {
    RunningArm run(path("a.db"));
    run.append(4, 5);
    run.writer->flush();
    {
      Connection copies(run.path, Connection::Mode::ReadWrite, std::chrono::milliseconds(1000));
      copies.execute(("VACUUM INTO '" + path("copy.db").toStdString() + "'").c_str());
    }
    const qint64 log = QFileInfo(path("a.db-wal")).size();
    QVERIFY(log > 0);
    QFile keeps_another(path("a.db-wal.replaced"));
    QVERIFY(keeps_another.open(QIODevice::WriteOnly));
    QVERIFY(std::rename(path("copy.db").toUtf8().constData(), path("a.db").toUtf8().constData()) == 0);
    QVERIFY(mentions(refusal([&] { run.writer->close(); }), {"has taken the archive's place", "-wal.replaced"}));
    run.writer.reset();
    QCOMPARE(archive::Reader(run.path).trial(run.trial).end.status, record::Status::Interrupted);
    QCOMPARE(QFileInfo(path("a.db-wal.replaced")).size(), qint64{0});
    QCOMPARE(QFileInfo(path("a.db-wal.replaced-2")).size(), log);  // nothing is lost
  }

  void a_log_that_came_with_the_other_file_stays_its_own() {
    RunningArm run(path("a.db"));
    run.writer->flush();
    RunningArm other(path("b.db"));
    other.writer->flush();
    for (const char* const end : {"", "-wal", "-shm"}) {
      const QString from = path("b.db") + QString::fromLatin1(end);
      QFile::remove(path("a.db") + QString::fromLatin1(end));
      QVERIFY(QFile::copy(from, path("a.db") + QString::fromLatin1(end)));
    }
    QVERIFY(mentions(refusal([&] { run.writer->close(); }), {"has taken the archive's place"}));
    run.writer.reset();
    QVERIFY(!QFileInfo::exists(path("a.db-wal.replaced")));
  }

  void a_link_counts_as_what_it_led_to() {
    RunningArm first(path("real.db"));
    first.writer->close();
    QVERIFY(QFile::link(path("real.db"), path("link.db")));
    RunningArm run(path("link.db"));
    QVERIFY(QFile::remove(path("link.db")));
    QVERIFY(QFile::link(path("elsewhere.db"), path("link.db")));
    run.append(4, 5);
    run.writer->flush();  // the file itself is where it was
    QCOMPARE(count_steps(path("real.db").toStdString(), run.trial), std::int64_t{5});
    QVERIFY(QFile::remove(path("real.db")));
    QVERIFY(mentions(refusal([&] { run.writer->flush(); }), {"link.db: the archive's file was deleted"}));
  }

  void another_working_folder_does_not_move_a_relative_path() {
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(folder_->path()));
    RunningArm run("a.db");
    QVERIFY(QDir::setCurrent(before));
    run.append(4, 5);
    run.writer->flush();
    QVERIFY(QFile::remove(path("a.db")));
    QVERIFY(mentions(refusal([&] { run.writer->flush(); }), {"a.db: the archive's file was deleted"}));
  }

  void a_run_that_another_one_went_on_with_is_not_written_any_more() {
    RunningArm run(path("a.db"));
    // As another process does that takes this one for dead.
    run.sql("UPDATE trials SET status = 'interrupted'");
    Writer other(run.path);
    other.resume_trials({run.trial}, 1, "[]");
    run.append(4, 5);
    const auto is_said = [](const std::string& text) {
      return mentions(text, {"trial 1 (reference)", "another process has gone on with this run", "taken for dead"});
    };
    const std::string flushed = refusal([&] { run.writer->flush(); });
    QVERIFY2(is_said(flushed), flushed.c_str());
    QVERIFY(is_said(refusal([&] { run.writer->write_weights(run.trial, "final", {}); })));
    QVERIFY(is_said(refusal([&] { run.writer->write_cases(run.trial, {}); })));
    QVERIFY(is_said(refusal([&] { run.writer->write_costs(run.trial, {record::Gains(), {}}); })));
    QVERIFY(is_said(refusal([&] { run.writer->write_memory(run.trial, {}); })));
    QVERIFY(is_said(refusal([&] { run.writer->write_evaluation({run.trial, 3, "rmse", {}, 1.0}); })));
    QVERIFY(is_said(refusal([&] { run.writer->finish_trial(run.trial, {}); })));
    QVERIFY(is_said(refusal([&] { run.writer->close(); })));
    run.writer.reset();
    QCOMPARE(Reader(run.path).trial(run.trial).end.status, record::Status::Running);
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{1});

    other.append(plain_step(run.trial, 2));
    other.finish_trial(run.trial, {});
    other.close();
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{2});
    QCOMPARE(Reader(run.path).trial(run.trial).end.status, record::Status::Finished);
    QVERIFY(Reader(run.path).history(run.trial).evaluations.empty());
  }

  void a_checkpoint_of_a_run_that_is_another_ones_is_not_kept() {
    RunningArm run(path("a.db"));
    run.sql("UPDATE trials SET status = 'interrupted'");
    Writer other(run.path);
    other.resume_trials({run.trial}, 3, "[]");
    record::ArmState state;
    state.values.emplace("tally.attempted", std::int64_t{3});
    run.writer->write_checkpoint({3, 0, {{run.trial, state}}});
    QVERIFY(mentions(refusal([&] { run.writer->flush(); }), {"another process has gone on"}));
    run.writer.reset();
    QVERIFY(Reader(run.path).history(run.trial).checkpoints.empty());
  }

  void an_owner_that_is_another_process_is_one_too_and_is_named() {
    RunningArm run(path("a.db"));
    run.sql("UPDATE trials SET host = 'far', process = 4711");
    const std::string flushed = refusal([&] {
      run.append(4, 4);
      run.writer->flush();
    });
    QVERIFY2(mentions(flushed, {"found process 4711 on far",
                                "expected this process (process " + std::to_string(::getpid()) + " on "}),
             flushed.c_str());
  }

  void a_writer_may_go_on_with_its_own_arms() {
    RunningArm run(path("a.db"));
    run.writer->finish_trial(run.trial, {});
    run.writer->resume_trials({run.trial}, 2, "[]");
    run.append(3, 5);
    run.writer->finish_trial(run.trial, {});
    run.writer->close();
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{5});
  }

  void one_that_was_only_taken_for_dead_goes_on() {
    RunningArm run(path("a.db"));
    run.sql("UPDATE trials SET status = 'interrupted'");
    run.append(4, 5);
    run.writer->finish_trial(run.trial, {});
    run.writer->close();
    QCOMPARE(Reader(run.path).trial(run.trial).end.status, record::Status::Finished);
    QCOMPARE(count_steps(run.path, run.trial), std::int64_t{5});
  }
};

QTEST_APPLESS_MAIN(ArchiveOwnerTests)
#include "archive_owner_tests.moc"
