// SPDX-License-Identifier: Apache-2.0
// Arms as rows: what those show that run or were cut short, and what a long list costs.
#include <sqlite3.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "core/archive/archive_file.h"
#include "core/archive/clock.h"
#include "core/archive/reader.h"
#include "core/archive/trial_rows.h"
#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::Reader;
using archive::Writer;

class TrialRowsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void an_arm_that_runs_has_the_counts_of_its_steps_so_far() {
    Writer writer(path());
    const std::int64_t arm =
        writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "reference"));
    const Reader reader(path());
    QCOMPARE(reader.trial(arm).end.counts.attempted, std::int64_t{0});
    for (std::int64_t number = 1; number <= 7; ++number) {  // the first two are skipped
      record::StepRecord step = plain_step(arm, number);
      step.skipped = number <= 2;
      step.applied_updates = number <= 2 ? 0 : number - 2;
      step.samples = 16 * number;
      step.iteration = 3 * number;
      writer.append(step);
    }
    writer.flush();
    const record::TrialEnd end = reader.trial(arm).end;
    QCOMPARE(end.status, record::Status::Running);
    QCOMPARE(end.counts.attempted, std::int64_t{7});
    QCOMPARE(end.counts.applied, std::int64_t{5});
    QCOMPARE(end.counts.skipped, std::int64_t{2});
    QCOMPARE(end.counts.iterations, std::int64_t{21});
    QCOMPARE(end.counts.samples, std::int64_t{112});
    QVERIFY(!end.final_loss);  // it has none yet
  }

  void an_arm_that_was_cut_short_has_the_quality_of_its_last_evaluation_and_says_so() {
    Writer writer(path());
    const std::int64_t experiment = writer.begin_experiment(sample_experiment());
    const auto make = [&](record::Status status, const char* metric) {
      const std::int64_t arm = writer.begin_trial(sample_trial(experiment, "arm"));
      writer.append(plain_step(arm, 1));
      writer.write_evaluation({arm, 10, "accuracy", record::Direction::Higher, 0.25});
      writer.write_evaluation({arm, 20, "accuracy", record::Direction::Higher, 0.75});
      record::TrialEnd end;
      end.status = status;
      end.quality_metric = metric;
      if (!end.quality_metric.empty()) end.quality = 0.875;
      writer.finish_trial(arm, end);
      return Reader(path()).trial(arm).end;
    };
    const std::string note = "The quality is that of the last evaluation before the arm's end, at step 20.";
    for (const record::Status status : {record::Status::Interrupted, record::Status::Stopped}) {
      const record::TrialEnd end = make(status, "");
      QCOMPARE(end.quality_metric, std::string("accuracy"));
      QCOMPARE(end.quality, std::optional<double>(0.75));
      QCOMPARE(end.notes, std::vector<std::string>{note});
    }
    QVERIFY(make(record::Status::Failed, "").quality_metric.empty());  // what it had learnt is gone
    const record::TrialEnd measured = make(record::Status::Stopped, "accuracy");
    QCOMPARE(measured.quality, std::optional<double>(0.875));
    QVERIFY(measured.notes.empty());
  }

  void a_list_of_many_arms_prepares_every_statement_once() {
    constexpr int kArms = 50;
    {
      Writer writer(path());
      const std::int64_t experiment = writer.begin_experiment(sample_experiment());
      for (int i = 0; i < kArms; ++i) {
        writer.finish_trial(writer.begin_trial(sample_trial(experiment, "arm")), record::TrialEnd());
      }
    }
    const auto connection = archive::open_for_reading(path(), std::chrono::seconds(5));
    QCOMPARE(read_trials(*connection, std::nullopt, archive::utc_now()).size(), std::size_t{kArms});
    std::map<std::string, int> prepared;
    int most_runs = 0;
    for (sqlite3_stmt* one = sqlite3_next_stmt(connection->handle(), nullptr); one != nullptr;
         one = sqlite3_next_stmt(connection->handle(), one)) {
      ++prepared[sqlite3_sql(one)];
      most_runs = std::max(most_runs, sqlite3_stmt_status(one, SQLITE_STMTSTATUS_RUN, 0));
    }
    QVERIFY(!prepared.empty());
    for (const auto& [sql, times] : prepared) QVERIFY2(times == 1, sql.c_str());
    QVERIFY(most_runs >= kArms);  // the one of the notes, for instance
  }

  void a_reader_leaves_nothing_beside_an_archive_that_nobody_else_uses() {
    {
      Writer writer(path());
      writer.finish_trial(writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "arm")), {});
    }
    QCOMPARE(files(), QStringList("a.db"));
    QFile file(QString::fromStdString(path()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    file.close();
    {
      const Reader first(path());
      auto second = std::make_unique<Reader>(path());
      QCOMPARE(second->trials().size(), std::size_t{1});
      second.reset();
      QCOMPARE(first.trials().size(), std::size_t{1});  // it was not the last one
    }
    QCOMPARE(files(), QStringList("a.db"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), before);
  }

  void a_reader_leaves_the_files_of_a_writer_alone() {
    Writer writer(path());
    const std::int64_t arm =
        writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "reference"));
    const QStringList before = files();
    QVERIFY(before.contains("a.db-wal"));
    QCOMPARE(Reader(path()).trials().size(), std::size_t{1});
    QCOMPARE(files(), before);
    writer.append(plain_step(arm, 1));
    writer.flush();
    QCOMPARE(Reader(path()).trial(arm).end.counts.attempted, std::int64_t{1});
  }

 private:
  QStringList files() const { return QDir(m_folder->path()).entryList(QDir::Files, QDir::Name); }

  std::string path() const { return m_folder->filePath("a.db").toStdString(); }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TrialRowsTests)
#include "trial_rows_tests.moc"
