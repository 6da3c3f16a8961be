// SPDX-License-Identifier: GPL-3.0-or-later
// Ledgers that are kept under a name and compared.
#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/memory/memory_page_fixture.h"
#include "ui/memory/ledger_choice.h"
#include "ui/memory/ledger_store.h"
#include "ui/shell/settings.h"

using namespace mantissa;
using namespace mantissa::test;

class KeptLedgersTests : public MemoryPageFixture {
  Q_OBJECT

 private Q_SLOTS:
  void ledgers_are_saved_under_a_name_and_come_back() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("settings.ini"));
    QAction* const save = m_actions->find(QStringLiteral("memory_save_ledger"));
    {
      shell::Settings settings(file);
      m_page->useSettings(settings);
      QVERIFY(!save->isEnabled());
      m_page->controls()->ledgerBox()->setEditText(QStringLiteral("Night run, <24> & GB"));
      QVERIFY(save->isEnabled());
      TypedValues values = m_page->values();
      values.times = {{TypedPolicy::Fp16, true, {32, 2, 0.79}}};
      m_page->setValues(values);
      save->trigger();
      type(FieldId::Capacity, QStringLiteral("80 GB"));
      m_page->controls()->ledgerBox()->setEditText(QStringLiteral("Night run, 80 GB"));
      save->trigger();
    }
    shell::Settings again(file);
    m_page->useSettings(again);
    QCOMPARE(m_page->controls()->ledgerBox()->count(), 2);
    m_page->setValues(TypedValues::example());
    m_page->controls()->ledgerBox()->setCurrentIndex(1);
    Q_EMIT m_page->controls()->ledgerBox()->activated(1);
    QCOMPARE(field(FieldId::Capacity)->text(), QStringLiteral("24 GB"));
    QCOMPARE(m_page->values().times.size(), std::size_t{1});
    QCOMPARE(m_page->values().times[0].step.seconds, 0.79);
    QVERIFY(m_page->values().times[0].isCheckpointed);
    m_actions->find(QStringLiteral("memory_forget_ledger"))->trigger();
    QCOMPARE(m_page->controls()->ledgerBox()->count(), 1);
  }

  void what_is_wrong_is_not_kept() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("mine"));
    QAction* const keep = m_actions->find(QStringLiteral("memory_save_ledger"));
    QVERIFY(keep->isEnabled());
    type(FieldId::Microbatch, QStringLiteral("-1"));
    QVERIFY(!keep->isEnabled());
    type(FieldId::Microbatch, QStringLiteral("16"));
    QVERIFY(keep->isEnabled());
  }

  void a_page_comes_back_as_it_was_left() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("mine"));
    m_actions->find(QStringLiteral("memory_save_ledger"))->trigger();
    m_page->controls()->compareWith(QStringLiteral("mine"));
    TypedValues values = m_page->values();
    values.times = {{TypedPolicy::Fp16, false, {32, 2, 0.61}}};
    m_page->setValues(values);
    type(FieldId::Capacity, QStringLiteral("80 GB"));
    m_page->hide();
    MemoryPage other;
    other.useSettings(settings);
    QCOMPARE(other.values().text(FieldId::Capacity), QStringLiteral("80 GB"));
    QCOMPARE(other.values().times.size(), std::size_t{1});
    QCOMPARE(other.controls()->ledgerName(), QStringLiteral("mine"));
    QCOMPARE(other.controls()->comparedLedgers(), QStringList{QStringLiteral("mine")});
  }

  // 3.2 GB and 16 · 0.34 GB beside 1 MB and 16 · 1 kB = 1.016 MB, which a table in GB shows as 0.00.
  void ledgers_of_different_sizes_have_a_unit_in_each_cell() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("large"));
    m_actions->find(QStringLiteral("memory_save_ledger"))->trigger();
    m_page->controls()->stateBox()->setCurrentIndex(static_cast<int>(FixedState::Typed));
    type(FieldId::Fixed, QStringLiteral("1 MB"));
    type(FieldId::PerSample, QStringLiteral("1 kB"));
    m_page->controls()->compareWith(QStringLiteral("large"));
    const plot::PictureView* const comparison = m_page->results()->comparison();
    QCOMPARE(cell(comparison, 7, 1), QStringLiteral("1.02 MB"));
    QCOMPARE(cell(comparison, 7, 2), QStringLiteral("8.64 GB"));
  }

  void two_ledgers_stand_side_by_side() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    QVERIFY(!m_page->results()->comparison()->isVisible());
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("mine"));
    m_actions->find(QStringLiteral("memory_save_ledger"))->trigger();
    type(FieldId::Microbatch, QStringLiteral("32"));
    m_page->controls()->compareWith(QStringLiteral("mine"));
    const plot::PictureView* const comparison = m_page->results()->comparison();
    QVERIFY(comparison->isVisible());
    // 3.2 + 32 · 0.34 = 14.08 beside 8.64
    QCOMPARE(cell(comparison, 7, 0), QStringLiteral("Needed"));
    QCOMPARE(cell(comparison, 7, 1), QStringLiteral("14.08"));
    QCOMPARE(cell(comparison, 7, 2), QStringLiteral("8.64"));
    QCOMPARE(cell(comparison, 7, 3), QStringLiteral("5.44"));
    QCOMPARE(m_page->controls()->compareButton()->text(), QStringLiteral("with mine"));
    m_page->controls()->compareButton()->menu()->actions().first()->trigger();
    QVERIFY(!comparison->isVisible());
  }

  void several_are_checked_with_the_keyboard_alone() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    for (const char* const name : {"a", "b", "c"}) {
      m_page->controls()->ledgerBox()->setEditText(QString::fromLatin1(name));
      m_actions->find(QStringLiteral("memory_save_ledger"))->trigger();
    }
    QMenu* const menu = m_page->controls()->compareButton()->menu();
    menu->popup(QPoint(0, 0));
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Space, Qt::Key_Down, Qt::Key_Down, Qt::Key_Space}) {
      QTest::keyClick(menu, key);
    }
    QVERIFY(menu->isVisible());
    QCOMPARE(m_page->controls()->comparedLedgers(), (QStringList{QStringLiteral("a"), QStringLiteral("c")}));
    QTest::keyClick(menu, Qt::Key_Escape);
    QVERIFY(!menu->isVisible());
  }

  void any_number_of_ledgers_stand_side_by_side() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    for (const int samples : {8, 16, 32, 54}) {
      type(FieldId::Microbatch, QString::number(samples));
      m_page->controls()->ledgerBox()->setEditText(
          QStringLiteral("at %1 & more").arg(samples, 2, 10, QLatin1Char('0')));
      m_actions->find(QStringLiteral("memory_save_ledger"))->trigger();
    }
    for (QAction* const action : m_page->controls()->compareButton()->menu()->actions()) action->trigger();
    QCOMPARE(m_page->controls()->compareButton()->text(), QStringLiteral("with 4 ledgers"));
    const plot::PictureView* const comparison = m_page->results()->comparison();
    const plot::RowsModel& rows = comparison->table()->rows();
    QCOMPARE(rows.columnCount(), 6);  // the figure, this one, four
    QCOMPARE(rows.columns()[2].title, QStringLiteral("at 08 & more"));
    const QFontMetrics metrics = comparison->table()->horizontalHeader()->fontMetrics();
    for (int column = 0; column < rows.columnCount(); ++column) {
      const QString title = rows.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      QVERIFY2(comparison->table()->columnWidth(column) >= metrics.horizontalAdvance(title), qPrintable(title));
    }
    // 3.2 + 0.34 · 8, 16, 32, 54
    QCOMPARE(cell(comparison, 7, 2), QStringLiteral("5.92"));
    QCOMPARE(cell(comparison, 7, 3), QStringLiteral("8.64"));
    QCOMPARE(cell(comparison, 7, 4), QStringLiteral("14.08"));
    QCOMPARE(cell(comparison, 7, 5), QStringLiteral("21.56"));
    QVERIFY(rows.cell(7, 2).tip.contains(QStringLiteral("15.64 more")));  // 21.56 − 5.92
    type(FieldId::Capacity, QStringLiteral("-1 GB"));
    QVERIFY(cell(comparison, 0, 1).contains(QStringLiteral("Found '-1 GB'")));
    QCOMPARE(cell(comparison, 7, 2), QStringLiteral("5.92"));
  }

  void settings_that_a_hand_has_broken_break_nothing() {
    QVERIFY(LedgerStore::fromJson("{\"a\":").names().isEmpty());
    QVERIFY(LedgerStore::fromJson("[1]").names().isEmpty());
    const LedgerStore store =
        LedgerStore::fromJson("{\"a\": {\"capacity\": 5, \"times\": [{\"seconds\": -1}, 3]}, \"b\": 1}");
    QCOMPARE(store.names(), QStringList{QStringLiteral("a")});
    const LedgerStore traced = LedgerStore::fromJson(
        "{\"a\": {\"trace\": {\"figures\": {\"needed\": \"5e3\", \"usable\": \"9223372036854775807\"}}}, \"b\": "
        "{\"trace\": 3}}");
    QVERIFY(!figuresOf(*traced.find(QStringLiteral("a"))).at(FigureOf::Needed).has_value());
    QCOMPARE(figuresOf(*traced.find(QStringLiteral("a"))).at(FigureOf::Usable), 9223372036854775807);
    QVERIFY(!traced.find(QStringLiteral("b"))->trace.has_value());
    QVERIFY(store.find(QStringLiteral("a"))->values.times.empty());
  }
};

QTEST_MAIN(KeptLedgersTests)
#include "kept_ledgers_tests.moc"
