// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory page: what is typed, dragged and stepped.
#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTest>

#include "tests/ui/memory/memory_page_fixture.h"

using namespace mantissa;
using namespace mantissa::test;

class MemoryPageTests : public MemoryPageFixture {
  Q_OBJECT

 private Q_SLOTS:
  void the_example_is_shown_at_once() {
    QCOMPARE(answer(0), QStringLiteral("✓ 8.64 of 21.60 GB usable"));
    QCOMPARE(answer(2), QStringLiteral("54 samples"));
    QCOMPARE(answer(5), QStringLiteral("? Not measured yet"));
    QCOMPARE(m_page->controls()->limitAnswer()->text(), QStringLiteral("54 samples"));
    QCOMPARE(field(FieldId::Fixed)->text(), QStringLiteral("3.2 GB"));  // 200 million × 16 bytes
  }

  void a_derived_fixed_state_is_typed_on_to_the_byte_in_any_language() {
    type(FieldId::Parameters, QStringLiteral("25557032"));
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    m_page->setValues(m_page->values());
    const QString derived = field(FieldId::Fixed)->text();
    m_page->controls()->stateBox()->setCurrentIndex(static_cast<int>(FixedState::Typed));
    const QString typed = field(FieldId::Fixed)->text();
    const QString problem = field(FieldId::Fixed)->problem();
    const std::int64_t bytes = m_page->shown().stack.parts.front().bytes;
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCOMPARE(derived, QStringLiteral("409 MB"));
    QCOMPARE(typed, QStringLiteral("408912512 B"));  // 25,557,032 · 16
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(bytes, 408'912'512);
  }

  void typing_changes_everything_at_once() {
    type(FieldId::Microbatch, QStringLiteral("60"));
    // 3.2 + 60 · 0.34 = 23.6, over 21.6 by 2
    QCOMPARE(answer(0), QStringLiteral("✕ 23.60 of 21.60 GB usable"));
    QCOMPARE(answer(1), QStringLiteral("✕ \u22122.00 GB"));
    QCOMPARE(m_page->controls()->microbatchSlider()->value(), 60);
    // Blocks of 12 · 0.34 = 4.08: 3.2 + 4 · 4.08 = 19.52 fits, the fifth does not
    QCOMPARE(cell(m_page->results()->blocks(), 3, 3), QStringLiteral("resident"));
    QCOMPARE(cell(m_page->results()->blocks(), 4, 3), QStringLiteral("exceeds by 2 GB"));
  }

  void a_slider_that_is_dragged_changes_field_and_answer() {
    QSlider* const slider = m_page->controls()->microbatchSlider();
    slider->setSliderDown(true);
    const int most = slider->maximum();
    for (int value = 1; value <= 40; ++value) slider->setSliderPosition(value);
    QCOMPARE(field(FieldId::Microbatch)->text(), QStringLiteral("40"));
    QCOMPARE(answer(0), QStringLiteral("✓ 16.80 of 21.60 GB usable"));  // 3.2 + 40 · 0.34
    QCOMPARE(slider->maximum(), most);                                  // nothing moves under the hand
    slider->setSliderDown(false);
    m_page->controls()->reserveSlider()->setValue(50);
    QCOMPARE(field(FieldId::Reserve)->text(), QStringLiteral("50 %"));
    QCOMPARE(answer(0), QStringLiteral("✕ 16.80 of 12.00 GB usable"));
  }

  void nothing_that_can_be_typed_breaks_the_page() {
    const QStringList texts = {QString(),
                               QStringLiteral("-1"),
                               QStringLiteral("NaN"),
                               QStringLiteral("inf GB"),
                               QStringLiteral("99999999999999999999999999 GB"),
                               QStringLiteral("9223372036854775807"),
                               QStringLiteral("9223372036854775807 B"),
                               QStringLiteral("1e999 GB"),
                               QStringLiteral("1 %"),
                               QStringLiteral("<b>%1</b>"),
                               QString(5000, u'9')};
    for (std::size_t i = 0; i < kFields; ++i) {
      const TypedValues kept = m_page->values();
      for (const QString& text : texts) {
        TypedValues values = kept;
        values.texts[i] = text;
        if (i == placeOf(FieldId::Fixed)) values.state = FixedState::Typed;
        m_page->setValues(values);
        m_page->results()->redraw();
        m_page->grab();
      }
      m_page->setValues(kept);
    }
    QCOMPARE(answer(0), QStringLiteral("✓ 8.64 of 21.60 GB usable"));
  }

  void the_fixed_state_is_derived_or_typed() {
    QVERIFY(field(FieldId::Fixed)->spin()->isReadOnly());
    m_page->controls()->stateBox()->setCurrentIndex(static_cast<int>(FixedState::Typed));
    QVERIFY(!field(FieldId::Fixed)->spin()->isReadOnly());
    QVERIFY(field(FieldId::Parameters)->spin()->isReadOnly());
    type(FieldId::Fixed, QStringLiteral("1 GiB"));
    QCOMPARE(m_page->shown().stack.parts.front().bytes, std::int64_t{1} << 30);
    m_page->controls()->stateBox()->setCurrentIndex(static_cast<int>(FixedState::SgdMomentum));
    QCOMPARE(field(FieldId::Fixed)->text(), QStringLiteral("2.4 GB"));  // 200 million × 12 bytes
  }

  void a_typed_time_makes_plans_finish_and_an_empty_one_is_forgotten() {
    int row = rowOf(16, QStringLiteral("off"), QStringLiteral("FP16 autocast · now"));
    QVERIFY(row >= 0);
    plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    const int update = static_cast<int>(PlanColumn::Update);
    QVERIFY(rows.flags(rows.index(row, update)) & Qt::ItemIsEditable);
    QVERIFY(rows.setData(rows.index(row, update), QStringLiteral("0.668"), Qt::EditRole));
    QTRY_COMPARE(m_page->values().times.size(), std::size_t{1});
    row = rowOf(16, QStringLiteral("off"), QStringLiteral("FP16 autocast · now"));
    if (row < 0) row = rowOf(16, QStringLiteral("off"), QStringLiteral("★ FP16 autocast · now"));
    QVERIFY(row >= 0);
    // 40,000 · 0.668 s = 26,720 s
    QCOMPARE(rows.cell(row, static_cast<int>(PlanColumn::Finish)).text, QStringLiteral("7 h 25 min"));
    QVERIFY(!answer(3).isEmpty() && answer(3).contains(QStringLiteral("★")));
    rows.setData(rows.index(row, update), QStringLiteral("soon"), Qt::EditRole);
    QTRY_COMPARE(m_page->strips()->count(), 1);
    QCOMPARE(m_page->values().times.size(), std::size_t{1});
    rows.setData(rows.index(row, update), QString(), Qt::EditRole);
    QTRY_VERIFY(m_page->values().times.empty());
    QCOMPARE(m_page->strips()->count(), 0);
  }

  void solve_goes_to_the_first_plan() {
    m_page->activateWindow();
    m_actions->find(QStringLiteral("memory_solve"))->trigger();
    QCOMPARE(*m_page->results()->selectedPlan(), std::size_t{0});
    QVERIFY(m_page->results()->plans()->table()->hasFocus());
  }

  void the_largest_value_of_any_field_is_told() {
    QComboBox* const box = m_page->controls()->limitBox();
    box->setCurrentIndex(static_cast<int>(LimitOf::FixedState));
    QCOMPARE(m_page->controls()->limitAnswer()->text(), QStringLiteral("16.2 GB"));  // 21.6 − 5.44 = 16.16
    box->setCurrentIndex(static_cast<int>(LimitOf::PerSample));
    QCOMPARE(m_page->controls()->limitAnswer()->text(), QStringLiteral("1.15 GB"));  // 18.4 / 16
  }

  void fields_speak_their_problem() {
    type(FieldId::Capacity, QStringLiteral("24"));
    const QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(field(FieldId::Capacity)->spin());
    QCOMPARE(spoken->text(QAccessible::Name), QStringLiteral("Capacity"));
    QVERIFY(spoken->text(QAccessible::Description).contains(QStringLiteral("Found '24'")));
  }

  void counts_are_written_in_groups_and_kept_without() {
    QCOMPARE(field(FieldId::Updates)->text(), QStringLiteral("40,000"));
    type(FieldId::Updates, QStringLiteral("12345"));
    QCOMPARE(field(FieldId::Updates)->text(), QStringLiteral("12345"));  // nobody's typing is changed
    QCOMPARE(TextSpin::stepped(TextSpin::Kind::Count, QStringLiteral("999"), 1), QStringLiteral("1,000"));
    QCOMPARE(TextSpin::grouped(TextSpin::Kind::Count, QStringLiteral("4,00")), QStringLiteral("4,00"));
    QCOMPARE(TextSpin::grouped(TextSpin::Kind::Size, QStringLiteral("40000")), QStringLiteral("40000"));
  }

  void f10_hides_the_controls_and_a_new_layout_brings_them_back() {
    shell::ActionList actions;
    QAction* const toggle = actions.add(QStringLiteral("toggle_controls"), QStringLiteral("View"),
                                        QStringLiteral("Controls"), QKeySequence(Qt::Key_F10), QString(), [] {});
    MemoryPage page;
    page.useActions(actions);
    toggle->trigger();
    QVERIFY(!page.controls()->isHidden());  // of a page that nobody sees
    page.show();
    toggle->trigger();
    QVERIFY(page.controls()->isHidden());
    page.restoreLayout({});
    QVERIFY(!page.controls()->isHidden());
  }

  void what_lies_outside_is_offered_from_a_table_and_marked() {
    constexpr int kRow = 4;  // parameters, gradients, optimizer state, activations, outside
    const auto source = [this] {
      const plot::RowsModel& rows = m_page->results()->categories()->table()->rows();
      return rows.cell(kRow, rows.columnCount() - 1).text;
    };
    QPushButton* const offer = m_page->controls()->outsideOffer();
    QVERIFY(offer->isVisible());
    QVERIFY(offer->toolTip().contains(QStringLiteral("not measured")));
    QCOMPARE(source(), QStringLiteral("! missing"));
    offer->click();
    QCOMPARE(field(FieldId::Outside)->text(), QStringLiteral("619 MiB"));  // 555 + 32 + 32
    QCOMPARE(source(), QStringLiteral("table, not measured"));
    QCOMPARE(m_page->shown().stack.total, 8'640'000'000 + 649'068'544);  // 619 × 1,048,576
    QVERIFY(!offer->isVisible());
    type(FieldId::Outside, QStringLiteral("620 MiB"));
    QCOMPARE(source(), QStringLiteral("typed"));
    field(FieldId::Outside)->spin()->findChild<QLineEdit*>()->clear();
    QVERIFY(offer->isVisible());
    type(FieldId::Capacity, QStringLiteral("1.9 GB"));  // no GPU that CUDA knows
    QVERIFY(!offer->isVisible());
  }

  // Of 16 × 4 in 0.668 s all plans of FP16 autocast are known, and stand before those without a time.
  void the_selection_stays_with_its_plan_when_a_time_sorts_the_rows_anew() {
    const QString checkpointed = QStringLiteral("on");
    const int before = rowOf(64, checkpointed, QStringLiteral("FP16 autocast"));
    QVERIFY(before >= 0);
    m_page->results()->selectPlan(static_cast<std::size_t>(before));
    const auto selected = [this] { return m_page->shown().plans.plans[*m_page->results()->selectedPlan()]; };
    const engine::Plan chosen = selected();
    TypedValues values = m_page->values();
    values.times = {{TypedPolicy::Fp16, false, {16, 4, 0.668}}};
    m_page->setValues(values);
    QVERIFY(rowOf(64, checkpointed, QStringLiteral("FP16 autocast")) != before);
    QCOMPARE(selected().microbatch, chosen.microbatch);
    QCOMPARE(selected().option, chosen.option);
    type(FieldId::Accumulation, QStringLiteral("5"));  // an effective batch of 80, which 64 does not divide
    QVERIFY(!m_page->results()->selectedPlan().has_value());
  }

  void half_typed_text_takes_no_room_from_the_strip_for_good() {
    const auto details = [this] {
      QStringList words;
      for (std::size_t i = 0; i < kStatements; ++i) words << m_page->strip()->shownDetail(i);
      return words;
    };
    m_page->resize(1000, 900);
    QTRY_VERIFY(m_page->isSettled());
    QTest::qWait(50);  // the layout has its turn
    const QStringList before = details();
    type(FieldId::PerSample, QStringLiteral("0.34 gigabytes of activations, or so it was said"));
    QTest::qWait(20);
    type(FieldId::PerSample, QStringLiteral("0.34 GB"));
    QTRY_COMPARE(details(), before);
  }

  void the_first_place_says_what_is_assumed() {
    TypedValues values = m_page->values();
    values.times = {{TypedPolicy::Fp16, false, {16, 4, 0.668}}};
    m_page->setValues(values);
    QVERIFY2(answer(3).startsWith(QStringLiteral("★ 16 × 4")), qPrintable(answer(3)));
    QVERIFY(
        m_page->shown().statements[3].detail.contains(QStringLiteral("0.668 s per update, others assumed the same")));
    type(FieldId::Microbatch, QStringLiteral("8"));
    type(FieldId::Accumulation, QStringLiteral("4"));  // 32 samples: none of them was timed
    QVERIFY2(m_page->shown().statements[3].detail.contains(QStringLiteral("~0.334 s per update, same time assumed")),
             qPrintable(m_page->shown().statements[3].detail));
  }

  void a_plan_of_typed_values_is_not_written_into_an_open_experiment_without_a_word() {
    m_page->openExperiment(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/digits-mlp.toml"));
    int written = 0;
    connect(m_page.get(), &MemoryPage::planRequested, m_page.get(), [&written] { ++written; });
    m_page->results()->selectPlan(0);
    m_actions->find(QStringLiteral("memory_use_plan"))->trigger();
    QCOMPARE(written, 0);
    QCOMPARE(m_page->strips()->count(), 1);
    const auto* const strip = m_page->strips()->findChild<shell::MessageStrip*>();
    QVERIFY2(strip->sentence().contains(QStringLiteral("digits-mlp.toml")) &&
                 strip->sentence().contains(QStringLiteral("training.activation_checkpointing from")),
             qPrintable(strip->sentence()));
    strip->findChild<QAction*>()->trigger();
    QCOMPARE(written, 1);
    QCOMPARE(m_page->strips()->count(), 1);
    QTRY_VERIFY(m_page->strips()->findChildren<shell::MessageStrip*>().last()->sentence().contains(
        QStringLiteral("not saved yet")));
    m_page->readAgain(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/digits-mlp.toml"));
    QCOMPARE(m_page->strips()->count(), 0);
  }

  void a_bare_number_in_place_of_a_percentage_is_answered_with_the_percentage() {
    type(FieldId::Reserve, QStringLiteral("16"));
    QVERIFY2(field(FieldId::Reserve)->problem().contains(QStringLiteral("16 %")),
             qPrintable(field(FieldId::Reserve)->problem()));
    type(FieldId::Microbatch, QStringLiteral("-1"));
    QVERIFY(!field(FieldId::Microbatch)->problem().contains(QStringLiteral("9223372036854775807")));
  }

  void arrow_keys_step_a_field() {
    TextSpin* const spin = field(FieldId::Capacity)->spin();
    spin->setFocus();
    QTest::keyClick(spin, Qt::Key_Up);
    QCOMPARE(spin->value(), QStringLiteral("25 GB"));
    QCOMPARE(m_page->shown().stack.capacity, 25'000'000'000);
  }
};

QTEST_MAIN(MemoryPageTests)
#include "memory_page_tests.moc"
