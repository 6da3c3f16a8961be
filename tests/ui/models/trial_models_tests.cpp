// SPDX-License-Identifier: GPL-3.0-or-later
// The archive as models: what they show, and that a refresh moves nothing that a person looks at.
#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QFile>
#include <QPersistentModelIndex>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <limits>
#include <memory>
#include <vector>

#include "core/archive/writer.h"
#include "tests/core/archive/sample_records.h"
#include "ui/models/archive_loader.h"
#include "ui/models/ended_arms.h"
#include "ui/models/trial_list.h"
#include "ui/models/trial_table_model.h"
#include "ui/models/trial_tree_model.h"

using namespace mantissa;
using namespace mantissa::ui::models;

namespace {

record::TrialRow arm(std::int64_t id, std::int64_t experiment, const char* name,
                     record::TrialKind kind = record::TrialKind::Trial) {
  record::TrialRow row;
  row.id = id;
  row.experiment_id = experiment;
  row.experiment = "experiment-" + std::to_string(experiment);
  row.started_at = "2026-01-02T03:04:05Z";
  row.start.kind = kind;
  row.start.name = name;
  row.end.status = record::Status::Running;
  return row;
}

std::vector<record::TrialRow> firstArms() {
  return {arm(1, 1, "reference", record::TrialKind::Reference), arm(2, 1, "fp16"), arm(3, 1, "bf16")};
}

TrialList listOf(std::vector<record::TrialRow> arms) {
  return std::make_shared<const std::vector<record::TrialRow>>(std::move(arms));
}

}  // namespace

class TrialModelsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void arms_whose_archive_cannot_be_told_of_their_end_have_failed_until_it_can() {
    const QString archive = QStringLiteral("/a.db");
    EndedArms ended;
    ended.end(archive, 1, QStringLiteral("no space left"));
    std::vector<record::TrialRow> arms = firstArms();
    arms.push_back(arm(4, 2, "reference", record::TrialKind::Reference));
    arms[1].end.status = record::Status::Stopped;
    const auto states = [](const TrialList& list) {
      QStringList words;
      for (const record::TrialRow& one : *list) words << stateWords(one);
      return words.join(QStringLiteral(", "));
    };
    const QString mended = QStringLiteral("failed (no space left), stopped, failed (no space left), running");
    QCOMPARE(states(ended.take(archive, listOf(arms))), mended);
    QCOMPARE(states(ended.applied(archive, ended.take(archive, listOf(arms)))), mended);
    const QString as_read = QStringLiteral("running, stopped, running, running");
    QCOMPARE(states(ended.take(QStringLiteral("/b.db"), listOf(arms))), as_read);
    // The archive was told at last; what runs in it from then on does run.
    std::vector<record::TrialRow> told = arms;
    told[0].end.status = told[2].end.status = record::Status::Interrupted;
    QCOMPARE(states(ended.take(archive, listOf(told))), QStringLiteral("interrupted, stopped, interrupted, running"));
    QCOMPARE(states(ended.take(archive, listOf(arms))), as_read);
  }

  void every_run_that_was_broken_off_stays_failed_while_others_begin_and_end() {
    const QString archive = QStringLiteral("/a.db");
    EndedArms ended;
    ended.end(archive, 1, QStringLiteral("no space left"));
    ended.end(archive, 2, QStringLiteral("archive locked"));
    ended.forget(archive, 3);  // that one goes on
    const std::vector<record::TrialRow> arms = {arm(1, 1, "reference"), arm(2, 2, "reference"), arm(3, 3, "reference")};
    const auto states = [&](const TrialList& list) {
      QStringList words;
      for (const record::TrialRow& one : *list) words << stateWords(one);
      return words.join(QStringLiteral(", "));
    };
    QCOMPARE(states(ended.take(archive, listOf(arms))),
             QStringLiteral("failed (no space left), failed (archive locked), running"));
    ended.forget(archive, 2);
    QCOMPARE(states(ended.take(archive, listOf(arms))), QStringLiteral("failed (no space left), running, running"));
    // Another archive in its place, whose first run has the same number.
    std::vector<record::TrialRow> others = {arm(1, 1, "reference")};
    others[0].started_at = "2026-01-02T04:00:00Z";
    QCOMPARE(states(ended.take(archive, listOf(others))), QStringLiteral("running"));
  }

  void the_newest_experiment_stands_first_and_its_arms_in_their_order() {
    std::vector<record::TrialRow> arms = firstArms();
    arms.push_back(arm(4, 2, "reference", record::TrialKind::Reference));
    arms.push_back(arm(5, 2, "bf16"));
    TrialTreeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTrials(listOf(arms));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("experiment-2"));
    const QModelIndex first = model.index(1, 0);
    QCOMPARE(model.rowCount(first), 3);
    QCOMPARE(model.index(2, 0, first).data().toString(), QStringLiteral("bf16"));
    // Places decide colours: the reference 0, trials from 1.
    QCOMPARE(model.index(0, 0, first).data(TrialTreeModel::PlaceRole).toInt(), 0);
    QCOMPARE(model.index(2, 0, first).data(TrialTreeModel::PlaceRole).toInt(), 2);
    QCOMPARE(model.indexOfTrial(5).parent(), model.index(0, 0));
  }

  void a_repeat_of_the_reference_is_marked_as_none_and_takes_no_place_of_a_trial() {
    std::vector<record::TrialRow> arms = firstArms();
    arms.push_back(arm(4, 1, "repeat-1", record::TrialKind::Repeat));
    arms.push_back(arm(5, 1, "rounding-1", record::TrialKind::Rounding));
    arms.push_back(arm(6, 1, "late"));
    TrialTreeModel model;
    model.setTrials(listOf(arms));
    const auto place = [&model](std::int64_t id) {
      return model.indexOfTrial(id).data(TrialTreeModel::PlaceRole).toInt();
    };
    QCOMPARE(place(1), 0);
    QCOMPARE(place(4), kYardstickPlace);
    QCOMPARE(place(5), kYardstickPlace);
    QCOMPARE(place(6), 3);  // after fp16 and bf16
  }

  void experiments_of_one_name_are_told_apart_by_number_and_time() {
    TrialTreeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<record::TrialRow> arms = {arm(1, 1, "reference"), arm(2, 2, "reference")};
    arms[0].experiment = arms[1].experiment = "digits";
    arms.push_back(arm(3, 3, "reference"));
    arms[1].started_at = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    model.setTrials(listOf({arms[0]}));
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("digits"));
    model.setTrials(listOf(arms));
    QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("experiment-3"));
    QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("digits · #2"));
    QCOMPARE(model.index(2, 0).data().toString(), QStringLiteral("digits · #1"));
    const auto began = [&model](int row) { return model.index(row, TrialTreeModel::StateColumn).data().toString(); };
    QCOMPARE(began(0), QStringLiteral("1"));  // of its name there is one: how many arms it has
    QVERIFY2(QRegularExpression(QStringLiteral("^[0-9]{2}:[0-9]{2}$")).match(began(1)).hasMatch(),
             qPrintable(began(1)));
    QVERIFY2(began(2).contains(QStringLiteral("Jan")), qPrintable(began(2)));
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("experiment 3")));
  }

  void a_quality_says_of_which_metric_it_is_and_sorts_as_a_number() {
    std::vector<record::TrialRow> arms = firstArms();
    arms[0].end.quality_metric = "accuracy";
    arms[0].end.quality = 0.97222;
    TrialTableModel model;
    model.setTrials(listOf(arms));
    const QModelIndex quality = model.index(2, TrialTableModel::QualityColumn);
    QCOMPARE(quality.data().toString(), QStringLiteral("accuracy 0.9722"));
    QCOMPARE(quality.data(TrialTableModel::SortRole).toDouble(), 0.97222);
    QCOMPARE(model.index(0, TrialTableModel::QualityColumn).data().toString(), QStringLiteral("–"));
  }

  void a_refresh_keeps_every_row_that_is_still_there() {
    TrialTreeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::vector<record::TrialRow> arms = firstArms();
    model.setTrials(listOf(arms));
    const QPersistentModelIndex kept = model.indexOfTrial(2);
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
    arms[1].end.status = record::Status::Failed;
    arms.push_back(arm(4, 1, "fp16-kept"));
    arms.push_back(arm(5, 2, "reference", record::TrialKind::Reference));
    model.setTrials(listOf(arms));
    QCOMPARE(resets.count(), 0);
    QVERIFY(changes.count() > 0);
    QVERIFY(kept.isValid());
    QCOMPARE(kept.data(TrialTreeModel::TrialRole).toLongLong(), 2);
    QCOMPARE(kept.parent().row(), 1);  // the new experiment came above it
    QCOMPARE(model.index(kept.row(), TrialTreeModel::StateColumn, kept.parent()).data().toString(),
             QStringLiteral("failed"));
    QCOMPARE(model.rowCount(kept.parent()), 4);
  }

  void another_archive_starts_anew() {
    TrialTreeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTrials(listOf(firstArms()));
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.setTrials(listOf({arm(7, 9, "reference", record::TrialKind::Reference)}));
    QCOMPARE(resets.count(), 1);
    QCOMPARE(model.rowCount(), 1);
    model.setTrials(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void a_table_shows_non_finite_and_missing_values_as_such_and_sorts_them_last() {
    std::vector<record::TrialRow> arms = firstArms();
    arms[0].end.final_loss = 0.5;
    arms[1].end.final_loss = std::numeric_limits<double>::quiet_NaN();
    TrialTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTrials(listOf(arms));
    const auto loss = [&](int row, int role) { return model.index(row, TrialTableModel::LossColumn).data(role); };
    // Newest first: bf16, fp16, reference.
    QCOMPARE(loss(0, Qt::DisplayRole).toString(), QStringLiteral("–"));
    QCOMPARE(loss(1, Qt::DisplayRole).toString(), QStringLiteral("NaN"));
    QCOMPARE(loss(2, Qt::DisplayRole).toString(), QStringLiteral("0.5000"));
    QVERIFY(loss(2, TrialTableModel::SortRole).toDouble() < loss(1, TrialTableModel::SortRole).toDouble());
    QVERIFY(loss(1, TrialTableModel::SortRole).toDouble() < loss(0, TrialTableModel::SortRole).toDouble());
  }

  void a_loss_is_rounded_as_charts_and_counters_round_it() {
    std::vector<record::TrialRow> arms = firstArms();
    arms[0].end.final_loss = 49840.6;  // five digits before the point: whole, not 4.984e4
    TrialTableModel model;
    model.setTrials(listOf(arms));
    QCOMPARE(model.index(2, TrialTableModel::LossColumn).data().toString(), QLocale().toString(49841));
  }

  void names_from_right_to_left_keep_what_follows_them_outside() {
    const QString name = QString::fromUtf8("שלום");
    const QString isolate = QChar(0x2068) + name + QChar(0x2069);
    std::vector<record::TrialRow> arms = firstArms();
    for (record::TrialRow& one : arms) one.experiment = one.start.name = name.toStdString();
    arms.push_back(arms.back());  // another run of the same name
    arms.back().id = 1000;
    arms.back().experiment_id = 999;
    TrialTreeModel tree;
    tree.setTrials(listOf(arms));
    const QModelIndex newest = tree.index(0, TrialTreeModel::NameColumn);
    QCOMPARE(newest.data().toString(), isolate + QStringLiteral(" · #999"));
    QVERIFY(newest.data(Qt::ToolTipRole).toString().startsWith(isolate + QStringLiteral(", experiment 999")));
    QVERIFY(tree.index(0, 0, newest).data(Qt::ToolTipRole).toString().startsWith(isolate + QStringLiteral(", ")));
    TrialTableModel table;
    table.setTrials(listOf(arms));
    QCOMPARE(table.index(0, TrialTableModel::ExperimentColumn).data().toString(), isolate + QStringLiteral(" · #999"));
  }

  void a_file_that_is_no_archive_is_told_with_its_name() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("notes.db"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("not a database at all, but long enough to be looked at");
    file.close();
    ArchiveLoader loader;
    QSignalSpy failures(&loader, &ArchiveLoader::failed);
    loader.load(path);
    QTRY_COMPARE(failures.count(), 1);
    QVERIFY2(failures[0][1].toString().contains(QStringLiteral("notes.db")), qPrintable(failures[0][1].toString()));
    QCOMPARE(QFile(path).size(), qint64{54});
  }

  void only_the_last_of_several_loads_is_answered() {
    QTemporaryDir folder;
    ArchiveLoader loader;
    QSignalSpy failures(&loader, &ArchiveLoader::failed);
    for (int i = 0; i < 5; ++i) loader.load(folder.filePath(QStringLiteral("missing%1.db").arg(i)));
    QTRY_COMPARE(failures.count(), 1);
    QVERIFY(failures[0][0].toString().endsWith(QStringLiteral("missing4.db")));
    QTest::qWait(50);
    QCOMPARE(failures.count(), 1);
  }

  void arms_that_begin_and_end_are_read_without_being_asked_for() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.db"));
    archive::Writer writer(path.toStdString());
    const std::int64_t experiment = writer.begin_experiment(test::sample_experiment());
    const std::int64_t first = writer.begin_trial(test::sample_trial(experiment, "reference"));
    ArchiveLoader loader;
    const QSignalSpy loaded(&loader, &ArchiveLoader::loaded);
    loader.load(path);
    QTRY_COMPARE(states(loaded), QStringLiteral("running"));
    writer.begin_trial(test::sample_trial(experiment, "fp16", first));
    QTRY_COMPARE(states(loaded), QStringLiteral("running running"));
    writer.finish_trial(first, record::TrialEnd());
    QTRY_COMPARE(states(loaded), QStringLiteral("finished running"));
  }

  void an_archive_that_cannot_be_read_leaves_the_one_before_watched() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.db"));
    archive::Writer writer(path.toStdString());
    const std::int64_t experiment = writer.begin_experiment(test::sample_experiment());
    ArchiveLoader loader;
    const QSignalSpy loaded(&loader, &ArchiveLoader::loaded), failed(&loader, &ArchiveLoader::failed);
    loader.load(path);
    QTRY_COMPARE(loaded.count(), 1);
    loader.load(folder.filePath(QStringLiteral("missing.db")));
    QTRY_COMPARE(failed.count(), 1);
    writer.begin_trial(test::sample_trial(experiment, "reference"));
    QTRY_COMPARE(states(loaded), QStringLiteral("running"));
    QCOMPARE(loaded.back()[0].toString(), path);
  }

  void an_archive_that_is_to_be_made_has_no_arms_until_somebody_makes_it() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.db"));
    ArchiveLoader loader;
    const QSignalSpy loaded(&loader, &ArchiveLoader::loaded), failed(&loader, &ArchiveLoader::failed);
    loader.await(path);
    QTRY_COMPARE(loaded.count(), 1);
    QCOMPARE(states(loaded), QString());
    QVERIFY(!QFile::exists(path));
    archive::Writer writer(path.toStdString());
    writer.begin_trial(test::sample_trial(writer.begin_experiment(test::sample_experiment()), "reference"));
    QTRY_COMPARE(states(loaded), QStringLiteral("running"));
    QCOMPARE(failed.count(), 0);
  }

 private:
  /// Of the arms that were read last.
  static QString states(const QSignalSpy& loaded) {
    QStringList words;
    if (loaded.isEmpty()) return QStringLiteral("nothing read");
    for (const record::TrialRow& arm : *loaded.back()[1].value<TrialList>()) words << stateWords(arm);
    return words.join(QLatin1Char(' '));
  }
};

QTEST_GUILESS_MAIN(TrialModelsTests)
#include "trial_models_tests.moc"
