// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/schema.h"
#include "core/archive/sqlite.h"
#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;
using namespace mantissa::test;
using archive::Connection;
using archive::Reader;
using archive::Writer;

namespace {

constexpr std::chrono::milliseconds kTimeout(1000);

/// An archive of the first released schema; see the fixture's first lines.
std::string schema_1_archive(const QTemporaryDir& folder) {
  QFile file(SCHEMA_1_ARCHIVE);
  if (!file.open(QIODevice::ReadOnly)) qFatal("%s is missing", SCHEMA_1_ARCHIVE);
  const std::string path = folder.filePath("earlier.db").toStdString();
  Connection(path, Connection::Mode::ReadWrite, kTimeout).execute(file.readAll().toStdString());
  return path;
}

/// Every value of a query's rows, as SQLite prints it.
QStringList values_of(const std::string& path, const std::string& sql, int columns) {
  Connection connection(path, Connection::Mode::ReadOnly, kTimeout);
  archive::Statement select(connection, sql);
  QStringList values;
  while (select.step()) {
    for (int i = 0; i < columns; ++i) values << QString::fromStdString(select.text(i));
  }
  return values;
}

/// Tables, views and their columns.
QStringList structure_of(const std::string& path) {
  return values_of(
      path,
      "SELECT schema.type, schema.name, schema.sql IS NULL, columns.name, columns.type, columns.\"notnull\" "
      "FROM sqlite_schema AS schema LEFT JOIN pragma_table_info(schema.name) AS columns "
      "ORDER BY schema.name, columns.name",
      6);
}

std::vector<record::StepRecord> steps_of(const std::string& path, std::int64_t trial) {
  std::vector<record::StepRecord> steps;
  Reader(path).steps(trial, [&steps](const record::StepRecord& step) {
    steps.push_back(step);
    return true;
  });
  return steps;
}

/// What the fixture says of its trial; the numbers are those of the file's INSERT lines.
void verify_contents(const std::string& path) {
  const std::vector<record::TrialRow> trials = Reader(path).trials();
  QVERIFY(trials.size() >= 2);
  const record::TrialRow trial = Reader(path).trial(2);
  QCOMPARE(trial.start.name, std::string("h"));
  QCOMPARE(Reader(path).standings().at(1).status, record::Status::Finished);
  QCOMPARE(trial.end.status, record::Status::Finished);
  QCOMPARE(trial.end.counts.applied, std::int64_t{3});
  QCOMPARE(trial.end.counts.skipped, std::int64_t{1});
  QCOMPARE(*trial.end.quality, 14328.0000404916);
  QVERIFY(trial.end.verdict.has_value());
  QCOMPARE(trial.end.verdict->word, record::VerdictWord::Rejected);
  QCOMPARE(trial.end.verdict->reasons.size(), std::size_t{2});
  QVERIFY(trial.end.optimizers.size() <= 1);

  const std::vector<record::StepRecord> steps = steps_of(path, 2);
  QCOMPARE(steps.size(), std::size_t{4});
  QCOMPARE(*steps[0].grad_norm, 2.61986708641052);
  QVERIFY(steps[1].skipped);
  QCOMPARE(steps[1].skip_cause, record::SkipCause::GrowthProbe);
  QCOMPARE(*steps[1].scale_after, 3.65000009536743);
  // 103079256064 = 6 · 2^34 + 2^15 + 2^13: the real columns 6, 7 and 17 are +infinity (2), 18 is NaN (1).
  QCOMPARE(*steps[1].grad_norm_scaled, kInfinity);
  QCOMPARE(*steps[1].grad_norm, kInfinity);
  QCOMPARE(*steps[1].deviation_gradient_relative, kInfinity);
  QVERIFY(std::isnan(*steps[1].deviation_gradient_cosine));
  QVERIFY(!steps[1].largest_finite_gradient);  // schema 1 did not have it
  QVERIFY(!trial.end.memory);                  // not measured then
  QVERIFY(Reader(path).memory_pairs().empty());
  QCOMPARE(Reader(path).cases(2).size(), std::size_t{4});
  QCOMPARE(Reader(path).weights(2, "final").size(), std::size_t{2});  // weight and bias
}

}  // namespace

/// Archives that the first release wrote.
class ArchiveUpgradeTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void an_earlier_archive_is_read_as_it_is() {
    QTemporaryDir folder;
    const std::string path = schema_1_archive(folder);
    const QStringList before = structure_of(path);
    verify_contents(path);
    QCOMPARE(structure_of(path), before);
    QCOMPARE(values_of(path, "PRAGMA user_version", 1), QStringList{"1"});
  }

  void an_earlier_archive_is_appended_to_without_loss() {
    QTemporaryDir folder;
    const std::string path = schema_1_archive(folder);
    std::int64_t trial = 0;
    {
      Writer writer(path);
      trial = writer.begin_trial(sample_trial(writer.begin_experiment(sample_experiment()), "new"));
      writer.append(awkward_step(trial, 1, 0));
      writer.close();
    }
    verify_contents(path);
    const std::vector<record::StepRecord> steps = steps_of(path, trial);
    QCOMPARE(steps.size(), std::size_t{1});
    const record::StepRecord written = awkward_step(trial, 1, 0);
#define MANTISSA_SAME(name, type, description) QVERIFY2(same(steps[0].name, written.name), #name);
    MANTISSA_STEP_COLUMNS(MANTISSA_SAME)
#undef MANTISSA_SAME
    QVERIFY(same(steps[0].optimizers, written.optimizers));
    QCOMPARE(values_of(path, "PRAGMA integrity_check", 1), QStringList{"ok"});
    QCOMPARE(values_of(path, "SELECT count(*) FROM pragma_foreign_key_check", 1), QStringList{"0"});
  }

  void an_upgraded_archive_has_every_column_and_view_of_a_new_one() {
    QTemporaryDir folder;
    const std::string upgraded = schema_1_archive(folder);
    const std::string fresh = folder.filePath("fresh.db").toStdString();
    Writer(upgraded).close();
    Writer(fresh).close();
    QCOMPARE(structure_of(upgraded), structure_of(fresh));
    QCOMPARE(values_of(upgraded, "PRAGMA user_version", 1), QStringList{QString::number(archive::kSchemaNumber)});
    // The views count the new columns' states in the same bits as a new archive's.
    const char* const views = "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY name";
    QCOMPARE(values_of(upgraded, views, 1), values_of(fresh, views, 1));
    QCOMPARE(values_of(upgraded, "SELECT grad_norm_state FROM step_values WHERE trial = 2 AND step = 2", 1),
             QStringList{"Infinity"});
  }

  void an_upgrade_that_cannot_be_finished_leaves_the_archive_as_it_was() {
    QTemporaryDir folder;
    const std::string path = schema_1_archive(folder);
    // Something of the user's under a name that the new schema needs: it is met after the first new tables were made.
    Connection(path, Connection::Mode::ReadWrite, kTimeout).execute("CREATE VIEW checkpoints AS SELECT 1");
    const QStringList before = structure_of(path);
    QVERIFY_EXCEPTION_THROWN(Writer{path}, std::exception);
    QCOMPARE(structure_of(path), before);
    QCOMPARE(values_of(path, "PRAGMA user_version", 1), QStringList{"1"});
  }
};

QTEST_GUILESS_MAIN(ArchiveUpgradeTests)
#include "archive_upgrade_tests.moc"
