// SPDX-License-Identifier: Apache-2.0
// What those see who look into an archive several times a second.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::Reader;
using archive::Standing;
using archive::Writer;

class StandingsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void they_say_in_short_what_the_rows_say() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const std::int64_t reference = writer.begin_trial(sample_trial(experiment, "reference"));
    for (const record::Status status : {record::Status::Finished, record::Status::Stopped, record::Status::Failed}) {
      record::TrialEnd end;
      end.status = status;
      writer.finish_trial(writer.begin_trial(sample_trial(experiment, "trial", reference)), end);
    }
    const Reader reader(path);
    const std::vector<Standing> standings = reader.standings();
    const std::vector<record::TrialRow> rows = reader.trials();
    QCOMPARE(standings.size(), std::size_t{4});
    QCOMPARE(standings[0].status, record::Status::Running);
    QCOMPARE(standings[3].status, record::Status::Failed);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      QCOMPARE(standings[i].trial, rows[i].id);
      QCOMPARE(standings[i].experiment, rows[i].experiment_id);
      QCOMPARE(standings[i].started_at, rows[i].started_at);
      QCOMPARE(standings[i].status, rows[i].end.status);
      QCOMPARE(standings[i].resumptions, std::int64_t{0});
    }
  }

  void an_arm_of_a_dead_process_is_interrupted() {
    QTemporaryDir folder;
    const QString path = folder.filePath("a.db");
    QProcess process;
    process.start(MANTISSA_ARCHIVE_PROCESS, {"write", path, "killed", "1000000", "1000", folder.filePath("counter")});
    const auto standings = [&path] {
      try {
        return Reader(path.toStdString()).standings();
      } catch (const std::exception&) {
        return std::vector<Standing>();  // it is being made
      }
    };
    QTRY_COMPARE_WITH_TIMEOUT(standings().size(), std::size_t{2}, 30000);
    QCOMPARE(standings()[1].status, record::Status::Running);
    process.kill();  // SIGKILL
    QVERIFY(process.waitForFinished());
    QCOMPARE(standings()[1].status, record::Status::Interrupted);
  }

  void a_resumption_counts() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Writer writer(path);
    const std::int64_t arm =
        writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "reference"));
    writer.append(plain_step(arm, 1));
    writer.write_checkpoint({1, 0, {{arm, record::ArmState()}}});
    writer.finish_trial(arm, record::TrialEnd());
    writer.resume_trials({arm}, 1, "[]");
    const Standing standing = Reader(path).standings().at(0);
    QCOMPARE(standing.resumptions, std::int64_t{1});
    QCOMPARE(standing.status, record::Status::Running);
  }

  void the_version_tells_whether_others_have_committed() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Writer writer(path);
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const Reader reader(path);
    const std::int64_t before = reader.version();
    QCOMPARE(reader.version(), before);
    writer.begin_trial(sample_trial(experiment, "reference"));
    QVERIFY(reader.version() != before);
  }
};

QTEST_GUILESS_MAIN(StandingsTests)
#include "standings_tests.moc"
