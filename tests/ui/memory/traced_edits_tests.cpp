// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory page on traced steps that are made up, so that each number can be worked out by hand.
#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/memory/memory_page_fixture.h"
#include "tests/ui/memory/traced_steps.h"
#include "tests/ui/worker/stub_engine.h"
#include "ui/memory/ledger_comparison.h"
#include "ui/memory/traced_view.h"
#include "ui/shell/settings.h"
#include "ui/worker/training_controller.h"

using namespace mantissa;
using namespace mantissa::test;

namespace {

constexpr std::int64_t kMiB = 1'048'576;

/// Blocks of 2 and 4 MiB a sample: from 5 samples on each has a segment of its own size, 6 MiB a sample in all. Inputs
/// of 2 MiB a sample besides.
constexpr StepShape kShape{4, 2 * kMiB, 2 * kMiB};

/// The same of more events than are worked out at once: 512 bytes at a time in a segment of 2 MiB of the small pool.
constexpr StepShape kLongShape{4, 2 * kMiB, 2 * kMiB, 6'000};

}  // namespace

class TracedEditsTests : public MemoryPageFixture {
  Q_OBJECT

 private:
  QString write(const QString& name) {
    const QString path = m_folder.filePath(name + QStringLiteral(".toml"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("mantissa = 1\nname = \"" + name.toUtf8() +
               "\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n");
    return path;
  }
  /// A page on a traced experiment, on a device of 600 MiB without a reserve, at 8 samples.
  void trace(const StepShape& shape = kShape) {
    m_controller = std::make_unique<worker::TrainingController>(stub(
        {}, {}, [shape](const spec::Experiment& experiment, const session::StopToken&, const worker::TraceTeller&) {
          return tracedOf(experiment, shape);
        }));
    m_page->useController(m_controller.get());
    m_page->openExperiment(write(QStringLiteral("made-up")));
    m_page->controls()->sourceBox()->setCurrentIndex(1);
    m_actions->find(QStringLiteral("memory_solve"))->trigger();
    QTRY_VERIFY(m_page->traced() != nullptr);
    type(FieldId::Capacity, QStringLiteral("600 MiB"));
    type(FieldId::Reserve, QStringLiteral("0 %"));
    type(FieldId::Microbatch, QStringLiteral("8"));
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, (shape.padding > 0 ? 66 : 64) * kMiB);  // 16 + 16 + 32
  }
  void choose(LimitOf limit) {
    QComboBox* const box = m_page->controls()->limitBox();
    const int place = box->findData(static_cast<int>(limit));
    QVERIFY(place >= 0);
    box->setCurrentIndex(place);
    QTRY_VERIFY(m_page->isSettled());
  }
  QString limit() const { return m_page->controls()->limitAnswer()->text(); }

  QTemporaryDir m_folder;
  std::unique_ptr<worker::TrainingController> m_controller;

 private Q_SLOTS:
  void what_was_shown_stays_until_what_is_asked_is_there() {
    trace(kLongShape);
    type(FieldId::Microbatch, QStringLiteral("10"));
    QVERIFY(m_page->isOld());
    QCOMPARE(m_page->shown().stack.total, 66 * kMiB);
    QTRY_VERIFY(!m_page->isOld());
    QCOMPARE(m_page->shown().stack.total, 82 * kMiB);  // 20 + 20 + 40 + 2
    QVERIFY(m_page->shown().oldText.isEmpty());
  }

  void of_many_notches_the_last_one_is_shown() {
    trace(kLongShape);
    for (int samples = 9; samples <= 40; ++samples) type(FieldId::Microbatch, QString::number(samples));
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, (40 * 8 + 2) * kMiB);
    QVERIFY(m_page->shown().sentence.contains(QStringLiteral("microbatch 40")));
  }

  void an_answer_that_comes_late_brings_nothing_back_to_a_wrong_field() {
    trace(kLongShape);
    type(FieldId::Microbatch, QStringLiteral("20"));
    type(FieldId::Microbatch, QStringLiteral("-1"));
    QVERIFY(!m_page->isOld());
    QTest::qWait(100);
    QVERIFY(m_page->shown().why.contains(QStringLiteral("Found '-1'")));
    QVERIFY(m_page->results()->timeline()->content().series.empty());
    type(FieldId::Microbatch, QStringLiteral("20"));
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, (20 * 8 + 2) * kMiB);
  }

  void a_step_of_few_events_is_shown_at_once() {
    trace();
    type(FieldId::Microbatch, QStringLiteral("10"));
    QVERIFY(!m_page->isOld());
    QCOMPARE(m_page->shown().stack.total, 80 * kMiB);
  }

  void what_is_told_old_says_what_is_being_worked_out() {
    trace();
    ShownLedger shown = m_page->shown();
    CommonFields fields;
    fields.microbatch = 1'024;
    fields.accumulation = 2;
    markOld(shown, fields);
    QCOMPARE(shown.statements[0].detail, QStringLiteral("1,024 × 2 is being worked out"));
    QVERIFY(shown.statements[0].state == shell::Statement::State::Unknown);
    QCOMPARE(shown.oldText, QStringLiteral("of the values before: 1,024 × 2 is being worked out"));
  }

  void the_largest_value_of_each_field_of_a_traced_step_is_told() {
    trace();
    choose(LimitOf::Microbatch);
    QCOMPARE(limit(), QStringLiteral("75 samples"));  // 8 MiB each: 75 · 8 = 600
    choose(LimitOf::Accumulation);
    QCOMPARE(limit(), QStringLiteral("34"));  // 48 MiB, and inputs of 16 MiB for each: 48 + 34 · 16 = 592
    choose(LimitOf::Outside);
    QCOMPARE(limit(), QStringLiteral("562 MB"));  // 600 − 64 = 536 MiB = 562,036,736 B
    choose(LimitOf::Capacity);
    QCOMPARE(limit(), QStringLiteral("67.1 MB"));  // 64 MiB = 67,108,864 B
    choose(LimitOf::Reserve);
    QVERIFY2(limit().startsWith(QStringLiteral("89.33333")), qPrintable(limit()));  // 1 − 64 / 600
    m_page->controls()->sourceBox()->setCurrentIndex(0);
    QCOMPARE(m_page->controls()->limitBox()->count(), 5);
    QCOMPARE(m_page->controls()->limitBox()->findData(static_cast<int>(LimitOf::Accumulation)), -1);
  }

  // 24 GB without a reserve: 649,068,544 B of the table (555 + 32 + 32 MiB) leave 23,350,931,456; of 8 MiB a sample
  // 2783.6 fit. Without the table 24e9 / 8,388,608 = 2861.0.
  void what_lies_outside_is_of_the_table_where_nothing_is_typed_as_on_the_command_line() {
    trace();
    QVERIFY(m_page->shown().sentence.contains(QStringLiteral("not known and not counted")));  // 600 MiB: no GPU
    QCOMPARE(m_page->shown().statements[0].detail, QStringLiteral("outside the allocator missing"));
    type(FieldId::Capacity, QStringLiteral("24 GB"));
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, 64 * kMiB + 649'068'544);
    QCOMPARE(answer(2), QStringLiteral("2,783 samples"));
    QVERIFY2(m_page->shown().sentence.contains(QStringLiteral("from a table, not measured")),
             qPrintable(m_page->shown().sentence));
    QVERIFY(!m_page->controls()->outsideOffer()->isVisible());
    QVERIFY(field(FieldId::Outside)->spin()->toolTip().contains(QStringLiteral("github.com")));
    type(FieldId::Outside, QStringLiteral("0 B"));
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, 64 * kMiB);
    QCOMPARE(answer(2), QStringLiteral("2,861 samples"));
  }

  void a_trace_that_a_run_has_pushed_aside_waits_and_begins_anew() {
    m_controller = std::make_unique<worker::TrainingController>(
        stub({}, {}, [](const spec::Experiment& experiment, const session::StopToken&, const worker::TraceTeller&) {
          return tracedOf(experiment, kShape);
        }));
    m_page->useController(m_controller.get());
    m_page->openExperiment(write(QStringLiteral("made-up")));
    m_page->controls()->sourceBox()->setCurrentIndex(1);
    QAction* const solve = m_actions->find(QStringLiteral("memory_solve"));
    solve->trigger();
    QVERIFY(solve->isEnabled());  // its button keeps the keyboard
    QVERIFY(solve->text().contains(QStringLiteral("Cancel")));
    Q_EMIT m_controller->memoryTraceStopped();  // nobody asked for it
    QVERIFY2(m_page->shown().why.contains(QStringLiteral("waits until what runs has ended")),
             qPrintable(m_page->shown().why));
    QCOMPARE(m_page->strips()->count(), 1);
    QTRY_VERIFY(m_page->traced() != nullptr);
    QVERIFY(solve->text().contains(QStringLiteral("Solve")));
    m_page->openExperiment(write(QStringLiteral("another")));
    solve->trigger();
    solve->trigger();  // cancels
    QTRY_VERIFY(m_page->shown().why.contains(QStringLiteral("is not traced yet")));
    QVERIFY(m_page->traced() == nullptr);
  }

  void a_time_can_be_typed_into_the_plans_of_a_traced_experiment() {
    trace();
    type(FieldId::Updates, QStringLiteral("1000"));
    type(FieldId::Price, QStringLiteral("3.60"));
    QTRY_VERIFY(m_page->isSettled());
    QVERIFY(m_page->shown().plans.note.contains(QStringLiteral("measured here")));
    int row = planOf(16, QStringLiteral("fp16"));
    QCOMPARE(planCell(row, PlanColumn::Finish), QStringLiteral("1 min 40 s"));  // 1,000 · 0.1 s
    plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    const int update = static_cast<int>(PlanColumn::Update);
    QVERIFY(rows.flags(rows.index(row, update)) & Qt::ItemIsEditable);
    QVERIFY(rows.setData(rows.index(row, update), QStringLiteral("2"), Qt::EditRole));
    QTRY_COMPARE(m_page->values().times.size(), std::size_t{1});
    QCOMPARE(m_page->values().times[0].arm, QStringLiteral("fp16"));
    QTRY_VERIFY(m_page->isSettled());
    row = planOf(16, QStringLiteral("fp16"));
    QCOMPARE(planCell(row, PlanColumn::Finish), QStringLiteral("33 min 20 s"));  // 1,000 · 2 s
    QCOMPARE(planCell(row, PlanColumn::Cost), QStringLiteral("2.00"));           // 2,000 / 3,600 · 3.60
    // The other arm keeps what was measured of it.
    QCOMPARE(planCell(planOf(16, QStringLiteral("reference")), PlanColumn::Finish), QStringLiteral("1 min 40 s"));
    QVERIFY(m_page->shown().plans.note.contains(QStringLiteral("some times typed")));
    rows.setData(rows.index(row, update), QString(), Qt::EditRole);
    QTRY_VERIFY(m_page->values().times.empty());
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(planCell(planOf(16, QStringLiteral("fp16")), PlanColumn::Finish), QStringLiteral("1 min 40 s"));
  }

  void a_traced_ledger_is_kept_and_compared_with_what_is_typed_and_with_itself() {
    shell::Settings settings(m_folder.filePath(QStringLiteral("kept.ini")));
    m_page->useSettings(settings);
    QAction* const keep = m_actions->find(QStringLiteral("memory_save_ledger"));
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("typed"));
    keep->trigger();
    trace();
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("traced at 8"));
    QVERIFY(keep->isEnabled());
    keep->trigger();
    type(FieldId::Microbatch, QStringLiteral("16"));
    QTRY_VERIFY(m_page->isSettled());
    m_page->controls()->compareWith(QStringLiteral("typed"));
    m_page->controls()->compareWith(QStringLiteral("traced at 8"));
    const plot::PictureView* const comparison = m_page->results()->comparison();
    QVERIFY(comparison->isVisible());
    const auto exact = [&](FigureOf figure, int column) {
      return comparison->table()->rows().cell(static_cast<int>(figure) + 1, column).exact.toLongLong();
    };
    // From the left: the figure's name, this one, then the kept ones by name.
    QCOMPARE(exact(FigureOf::Needed, 1), 128 * kMiB);
    QCOMPARE(exact(FigureOf::Needed, 2), 64 * kMiB);
    QCOMPARE(exact(FigureOf::Needed, 3), 8'640'000'000);
    QCOMPARE(exact(FigureOf::LargestMicrobatch, 2), 75);
    QCOMPARE(exact(FigureOf::LargestMicrobatch, 3), 54);
    QVERIFY(cell(comparison, 0, 2).contains(QStringLiteral("made-up")));
    // What was kept is there for another page, whose experiment is another one.
    MemoryPage other;
    other.useSettings(settings);
    other.show();
    const int place = other.controls()->ledgerBox()->findText(QStringLiteral("traced at 8"));
    Q_EMIT other.controls()->ledgerBox()->activated(place);
    QCOMPARE(other.strips()->count(), 1);
    QVERIFY(other.results()->comparison()->isVisible());
    QCOMPARE(other.results()
                 ->comparison()
                 ->table()
                 ->rows()
                 .cell(static_cast<int>(FigureOf::Needed) + 1, 2)
                 .exact.toLongLong(),
             64 * kMiB);
    // Chosen where its experiment is open, it puts its values into the fields.
    const int mine = m_page->controls()->ledgerBox()->findText(QStringLiteral("traced at 8"));
    Q_EMIT m_page->controls()->ledgerBox()->activated(mine);
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, 64 * kMiB);
  }

  void nothing_that_can_be_typed_breaks_a_traced_page() {
    trace();
    const TypedValues kept = m_page->values();
    const QStringList texts = {QString(),
                               QStringLiteral("-1"),
                               QStringLiteral("NaN"),
                               QStringLiteral("100 %"),
                               QStringLiteral("9223372036854775807"),
                               QStringLiteral("9223372036854775807 B"),
                               QStringLiteral("1e999 GB"),
                               QStringLiteral("0,5 GB")};
    const auto limits = {LimitOf::Microbatch, LimitOf::Accumulation, LimitOf::Reserve, LimitOf::Outside,
                         LimitOf::Capacity};
    for (const FieldId one : {FieldId::Capacity, FieldId::Reserve, FieldId::Outside, FieldId::Microbatch,
                              FieldId::Accumulation, FieldId::Updates, FieldId::Deadline, FieldId::Price}) {
      for (const QString& text : texts) {
        TypedValues values = kept;
        values.text(one) = text;
        m_page->setValues(values);
        for (const LimitOf limit : limits) choose(limit);
        m_page->results()->redraw();
        m_page->grab();
        // Where a field of the ledger is wrong, nothing of what was there before is shown.
        const bool isWrong = !field(one)->problem().isEmpty();
        const bool isOfPlans = one == FieldId::Updates || one == FieldId::Deadline || one == FieldId::Price;
        if (isWrong && !isOfPlans) QVERIFY(!m_page->shown().why.isEmpty());
      }
    }
    m_page->setValues(kept);
    QTRY_VERIFY(m_page->isSettled());
    QCOMPARE(m_page->shown().stack.total, 64 * kMiB);
  }

  void times_of_one_experiment_are_not_those_of_another() {
    trace();
    TypedValues values = m_page->values();
    values.times = {{TypedPolicy::Fp16, false, {16, 1, 2.0}, QStringLiteral("fp16")}};
    m_page->setValues(values);
    m_page->readAgain(m_folder.filePath(QStringLiteral("made-up.toml")));
    QCOMPARE(m_page->values().times.size(), std::size_t{1});  // it was saved: the same one
    m_page->openExperiment(write(QStringLiteral("another")));
    QVERIFY(m_page->values().times.empty());
  }

  void an_experiment_that_breaks_leaves_what_is_typed() {
    trace(kLongShape);
    type(FieldId::Microbatch, QStringLiteral("20"));
    QVERIFY(m_page->isOld());
    QFile file(m_folder.filePath(QStringLiteral("made-up.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write("mantissa = 1\n[data\n");
    file.close();
    m_page->readAgain(file.fileName());
    QCOMPARE(m_page->controls()->sourceBox()->count(), 1);
    QCOMPARE(answer(2), QStringLiteral("54 samples"));
    QTRY_VERIFY(m_page->isSettled());
    QTest::qWait(50);
    QCOMPARE(answer(2), QStringLiteral("54 samples"));
    QVERIFY(m_page->traced() == nullptr);
  }

  void a_window_closes_while_steps_are_being_worked_out() {
    trace();
    type(FieldId::Microbatch, QStringLiteral("999"));
    m_page.reset();
    m_actions = std::make_unique<shell::ActionList>();
  }

 private:
  int planOf(std::int64_t microbatch, const QString& arm) const {
    const plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    for (int row = 0; row < rows.rowCount(); ++row) {
      if (planCell(row, PlanColumn::Plan).contains(arm) &&
          planCell(row, PlanColumn::Microbatch) == QString::number(microbatch))
        return row;
    }
    return -1;
  }
  QString planCell(int row, PlanColumn column) const {
    return row < 0 ? QString() : cell(m_page->results()->plans(), row, static_cast<int>(column));
  }
};

QTEST_MAIN(TracedEditsTests)
#include "traced_edits_tests.moc"
