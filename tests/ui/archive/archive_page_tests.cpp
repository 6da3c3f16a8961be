// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the Archive page: words, and expressions over columns and settings.
#include "ui/archive/archive_page.h"

#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <limits>
#include <memory>
#include <vector>

#include "core/archive/reader.h"
#include "tests/ui/shell/example_archive.h"
#include "ui/archive/trial_search.h"
#include "ui/models/trial_table_model.h"

using namespace mantissa;
using ui::archive::ArchivePage;
using ui::archive::TrialSearch;

class ArchivePageTests : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  QString m_archive;
  std::unique_ptr<ArchivePage> m_page;

  QStringList shown() const {
    const QAbstractItemModel* const rows = m_page->findChild<QTableView*>()->model();
    QStringList names;
    for (int row = 0; row < rows->rowCount(); ++row) {
      names << rows->index(row, ui::models::TrialTableModel::TrialColumn).data().toString();
    }
    names.sort();
    return names;
  }

  void filter(const QString& text) {
    m_page->findChild<QLineEdit*>()->setText(text);
    QTRY_VERIFY(m_page->isSettled());
  }

  QString problem() const {
    const auto* const label = m_page->findChild<QLabel*>(QStringLiteral("archive_filter_problem"));
    return label->isHidden() ? QString() : label->text();
  }

 private Q_SLOTS:
  void initTestCase() {
    m_archive = m_folder.filePath(QStringLiteral("a.db"));
    test::makeExampleArchive(m_archive);
  }
  void init() {
    m_page = std::make_unique<ArchivePage>();
    m_page->setArchive(m_archive, std::make_shared<const std::vector<record::TrialRow>>(
                                      archive::Reader(m_archive.toStdString()).trials()));
    m_page->show();
  }

  void words_are_found_in_any_column() {
    filter(QStringLiteral("bfloat"));
    QCOMPARE(shown(), QStringList{QStringLiteral("bf16")});
    filter(QString());
    QCOMPARE(shown().size(), 3);
  }

  void an_expression_reads_columns_and_settings_data() {
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("column") << "skipped > 0" << QStringList{"fp16"};
    QTest::newRow("words") << "verdict == \"accepted\" or kind == \"reference\"" << QStringList{"bf16", "reference"};
    QTest::newRow("trial") << "trial.scaler.enabled == \"true\"" << QStringList{"fp16"};
    QTest::newRow("settings") << "name is missing" << QStringList{};
    QTest::newRow("of the experiment") << "training.batch is missing" << QStringList{"bf16", "fp16", "reference"};
    QTest::newRow("none") << "skipped > 1" << QStringList{};
  }
  void an_expression_reads_columns_and_settings() {
    QFETCH(QString, expression);
    QFETCH(QStringList, expected);
    QVERIFY(TrialSearch::isExpression(expression));
    filter(expression);
    QCOMPARE(shown(), expected);
    QVERIFY(problem().isEmpty());
  }

  void what_cannot_be_read_is_told_and_what_was_shown_stays() {
    filter(QStringLiteral("skipped > 0"));
    filter(QStringLiteral("skiped > 0"));
    QVERIFY2(problem().contains(QLatin1String("skipped")), qPrintable(problem()));  // the nearest
    QCOMPARE(shown(), QStringList{QStringLiteral("fp16")});
    filter(QStringLiteral("skipped > "));
    QVERIFY(!problem().isEmpty());
    filter(QString());
    QVERIFY(problem().isEmpty());
    QCOMPARE(shown().size(), 3);
  }

  void a_text_with_no_comparison_is_words() {
    for (const char* const text : {"fp16", "this is it", "digits/fp16", "missing"}) {
      QVERIFY2(!TrialSearch::isExpression(QString::fromUtf8(text)), text);
    }
    for (const char* const text : {"a = 1", "quality is missing", "loss is  non_finite", "a<1"}) {
      QVERIFY2(TrialSearch::isExpression(QString::fromUtf8(text)), text);
    }
  }

  void trials_that_come_while_an_expression_stands_are_looked_at() {
    filter(QStringLiteral("skipped > 0"));
    std::vector<record::TrialRow> trials = archive::Reader(m_archive.toStdString()).trials();
    record::TrialRow more = trials.back();
    more.id = 99;
    more.start.name = "later";
    more.end.counts.skipped = 5;
    trials.push_back(more);
    m_page->setArchive(m_archive, std::make_shared<const std::vector<record::TrialRow>>(trials));
    QTRY_COMPARE(shown(), (QStringList{QStringLiteral("fp16"), QStringLiteral("later")}));
  }
};

QTEST_MAIN(ArchivePageTests)
#include "archive_page_tests.moc"
