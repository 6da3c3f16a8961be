// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory page: fields, sliders, pictures and their table twins.
#include <spdlog/spdlog.h>

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QScrollBar>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include "ui/memory/calibration_view.h"
#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_field.h"
#include "ui/memory/ledger_pictures.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/ledger_store.h"
#include "ui/memory/memory_page.h"
#include "ui/memory/plans_view.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/shell/theme.h"

using namespace mantissa;
using namespace mantissa::ui;
using namespace mantissa::ui::memory;

namespace {

/// Pixels of a colour, or nearly of it.
int pixelsOf(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor one = image.pixelColor(x, y);
      if (std::abs(one.red() - color.red()) + std::abs(one.green() - color.green()) +
              std::abs(one.blue() - color.blue()) <
          12)
        ++count;
    }
  }
  return count;
}

LedgerShades shades() {
  return LedgerShades::of(
      plot::PlotInk::fromPalette(QApplication::palette(), plot::plotColors(false), QApplication::font()));
}

}  // namespace

class MemoryPageTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  }
  void init() {
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_theme->setMode(shell::ThemeMode::Light);
    m_page = std::make_unique<MemoryPage>();
    m_actions = std::make_unique<shell::ActionList>();
    m_page->useActions(*m_actions);
    m_page->resize(1320, 900);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    QTRY_VERIFY(m_page->isSettled());
  }
  void cleanup() {
    m_page.reset();
    m_actions.reset();
    m_theme.reset();
  }

  void the_example_is_shown_at_once() {
    QCOMPARE(answer(0), QStringLiteral("✓ 8.64 of 21.60 GB usable"));
    QCOMPARE(answer(2), QStringLiteral("54 samples"));
    QCOMPARE(answer(5), QStringLiteral("? Not measured yet"));
    QCOMPARE(m_page->controls()->limitAnswer()->text(), QStringLiteral("54 samples"));
    QCOMPARE(field(FieldId::Fixed)->text(), QStringLiteral("3.2 GB"));  // 200 million × 16 bytes
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

  void a_wrong_field_says_so_and_leaves_no_old_answer() {
    const QImage before = m_page->results()->stack()->image({600, 120}, 1);
    QVERIFY(pixelsOf(before, shades().activations) > 100);
    type(FieldId::Reserve, QStringLiteral("100 %"));
    QVERIFY(field(FieldId::Reserve)->problem().startsWith(QStringLiteral("Found '100 %', expected")));
    const auto* const label = field(FieldId::Reserve)->findChild<QLabel*>();
    QVERIFY(label->isVisible());
    QCOMPARE(answer(0), QStringLiteral("–"));
    QVERIFY(m_page->controls()->limitAnswer()->text().isEmpty());
    const QImage after = m_page->results()->stack()->image({600, 120}, 1);
    QCOMPARE(pixelsOf(after, shades().activations), 0);
    for (plot::PictureView* const view : m_page->results()->findChildren<plot::PictureView*>()) {
      if (view == m_page->results()->comparison()) continue;  // of nothing yet
      QCOMPARE(view->table()->rows().rowCount(), 0);
      QVERIFY(!view->words().emptyText.isEmpty());
    }
    QVERIFY(m_page->results()->timeline()->content().series.empty());
    QVERIFY(!m_actions->find(QStringLiteral("memory_solve"))->isEnabled());
    type(FieldId::Reserve, QStringLiteral("10 %"));
    QVERIFY(field(FieldId::Reserve)->problem().isEmpty());
    QVERIFY(!label->isVisible());
    QCOMPARE(answer(0), QStringLiteral("✓ 8.64 of 21.60 GB usable"));
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

  void a_fixed_state_beyond_the_device_is_an_answer_with_words_and_colour() {
    TypedValues values = m_page->values();
    values.state = FixedState::Typed;
    values.text(FieldId::Fixed) = QStringLiteral("30 GB");
    m_page->setValues(values);
    QCOMPARE(answer(0), QStringLiteral("✕ Does not fit at any microbatch"));
    QVERIFY(m_page->results()->stack()->words().spoken.startsWith(QStringLiteral("Does not fit at any microbatch")));
    QVERIFY(pixelsOf(m_page->results()->stack()->image({900, 120}, 1), plot::plotColors(false).bad) > 50);
    QCOMPARE(m_page->controls()->limitAnswer()->text(), QStringLiteral("none fits"));
    QVERIFY(field(FieldId::Fixed)->problem().isEmpty());
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

  void every_picture_has_a_table_twin_with_its_numbers() {
    plot::PictureView* const blocks = m_page->results()->blocks();
    blocks->canvas()->setFocus();
    QTest::keyClick(blocks->canvas(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(blocks->isTableShown());
    QVERIFY(blocks->table()->hasFocus());
    // 5.44 / 5 in bytes, cumulative
    QCOMPARE(blocks->csv(), std::string("Block,\"Cumulative, bytes\",\"With fixed, bytes\",State\n"
                                        "block 1,1088000000,4288000000,resident\n"
                                        "block 2,2176000000,5376000000,resident\n"
                                        "block 3,3264000000,6464000000,resident\n"
                                        "block 4,4352000000,7552000000,resident\n"
                                        "block 5,5440000000,8640000000,resident\n"));
    QTest::keyClick(blocks->table(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(!blocks->isTableShown());
    plot::PictureView* const stack = m_page->results()->stack();
    stack->setTableShown(true);
    QCOMPARE(cell(stack, 3, 0), QStringLiteral("Activations"));
    QCOMPARE(cell(stack, 3, 1), QStringLiteral("5.44"));
    stack->table()->copy();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("Usable\t21600000000\n")));
    plot::PlotView* const timeline = m_page->results()->timeline();
    timeline->setTableShown(true);
    QVERIFY(
        QString::fromStdString(timeline->csv()).startsWith(QStringLiteral("event,allocated [GB]\n0,3.2\n1,4.288\n")));
  }

  void pictures_become_files() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("stack"));
    QString asked;
    plot::ChartWidget::setFileChooser([&](QWidget*, const QString&, const QString& suggested, const QString&) {
      asked = suggested;
      return path;
    });
    using Deed = plot::ChartWidget::Deed;
    plot::PictureView* const stack = m_page->results()->stack();
    for (const Deed deed : {Deed::Png, Deed::Svg, Deed::Csv}) {
      QVERIFY(stack->whyNot(deed).isEmpty());
      stack->action(deed)->trigger();
    }
    QCOMPARE(asked, QStringLiteral("step-memory.csv"));
    QVERIFY(pixelsOf(QImage(path + QStringLiteral(".png")), shades().activations) > 100);
    QFile svg(path + QStringLiteral(".svg"));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    QVERIFY(svg.readAll().contains("usable 21.60"));
    QVERIFY(QFile::exists(path + QStringLiteral(".csv")));
    QVERIFY(!stack->whyNot(Deed::Logarithmic).isEmpty());
    QVERIFY(!m_page->results()->plans()->whyNot(Deed::Png).isEmpty());
  }

  void a_picture_that_cannot_be_written_is_told_in_a_strip() {
    plot::ChartWidget::setFileChooser([](QWidget*, const QString&, const QString&, const QString&) {
      return QStringLiteral("/no/such/folder/a.csv");
    });
    m_page->results()->blocks()->action(plot::ChartWidget::Deed::Csv)->trigger();
    QCOMPARE(m_page->strips()->count(), 1);
  }

  void the_timeline_marks_its_peak_and_names_its_parts() {
    const plot::PlotContent& content = m_page->results()->timeline()->content();
    QCOMPARE(content.points.size(), std::size_t{1});
    QCOMPARE(content.points[0].y, 8.64e9);
    QCOMPARE(content.points[0].label, QStringLiteral("peak 8.64, end of forward"));
    QCOMPARE(content.sections.size(), std::size_t{3});
    QCOMPARE(content.sections[1].name, QStringLiteral("backward"));
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

  void a_hundred_thousand_blocks_are_drawn_and_listed() {
    type(FieldId::Blocks, QStringLiteral("100000"));
    m_page->results()->redraw();
    QCOMPARE(m_page->results()->blocks()->table()->rows().rowCount(), 100'000);
    QVERIFY(pixelsOf(m_page->results()->blocks()->image({400, 200}, 1), shades().activations) > 1000);
  }

  void what_was_not_measured_says_so() {
    QVERIFY(m_page->results()->calibration()->words().emptyText.startsWith(QStringLiteral("Not measured yet")));
  }

  void what_was_measured_stands_against_what_was_predicted() {
    plot::PictureView view(QStringLiteral("calibration"));
    MemoryPairs pairs;
    for (int i = 0; i < 3; ++i) {
      record::MemoryPair pair;
      pair.experiment = "digits";
      pair.name = "t" + std::to_string(i);
      pair.device = "cpu";
      pair.measured_bytes = 100'000'000;
      pair.predicted_bytes = 100'000'000 + 1'000'000 * i;  // 0, 1 and 2 %
      pairs.push_back(pair);
    }
    showCalibration(view, pairs);
    QVERIFY(view.words().emptyText.isEmpty());
    QVERIFY2(
        view.words().spoken.startsWith(QStringLiteral("3 trials: half of the predictions were off by 1.0 % or less")),
        qPrintable(view.words().spoken));
    QCOMPARE(view.table()->rows().cell(2, 4).text, QStringLiteral("2.00 %"));
    QCOMPARE(view.table()->rows().cell(2, 2).exact, QStringLiteral("102000000"));
    QVERIFY(pixelsOf(view.image({300, 200}, 1), QApplication::palette().color(QPalette::Text)) > 20);
    QCOMPARE(trustOf(pairs)->answer, QStringLiteral("median 1.0 % off"));
    QCOMPARE(trustOf(pairs)->detail, QStringLiteral("Traced: 3 trials measured, worst 2.0 %"));
    QVERIFY(!trustOf({}).has_value());
  }

  void fields_speak_their_problem() {
    type(FieldId::Capacity, QStringLiteral("24"));
    const QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(field(FieldId::Capacity)->spin());
    QCOMPARE(spoken->text(QAccessible::Name), QStringLiteral("Capacity"));
    QVERIFY(spoken->text(QAccessible::Description).contains(QStringLiteral("Found '24'")));
  }

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

  void two_ledgers_stand_side_by_side() {
    QTemporaryDir folder;
    shell::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    m_page->useSettings(settings);
    QVERIFY(!m_page->results()->comparison()->isVisible());
    m_page->controls()->ledgerBox()->setEditText(QStringLiteral("mine"));
    m_actions->find(QStringLiteral("memory_save_ledger"))->trigger();
    type(FieldId::Microbatch, QStringLiteral("32"));
    m_page->controls()->compareBox()->setCurrentIndex(1);
    const plot::PictureView* const comparison = m_page->results()->comparison();
    QVERIFY(comparison->isVisible());
    // 3.2 + 32 · 0.34 = 14.08 beside 8.64
    QCOMPARE(cell(comparison, 4, 0), QStringLiteral("Total"));
    QCOMPARE(cell(comparison, 4, 1), QStringLiteral("14.08"));
    QCOMPARE(cell(comparison, 4, 2), QStringLiteral("8.64"));
    QCOMPARE(cell(comparison, 4, 3), QStringLiteral("5.44"));
    m_page->controls()->compareBox()->setCurrentIndex(0);
    QVERIFY(!comparison->isVisible());
  }

  void settings_that_a_hand_has_broken_break_nothing() {
    QVERIFY(LedgerStore::fromJson("{\"a\":").names().isEmpty());
    QVERIFY(LedgerStore::fromJson("[1]").names().isEmpty());
    const LedgerStore store =
        LedgerStore::fromJson("{\"a\": {\"capacity\": 5, \"times\": [{\"seconds\": -1}, 3]}, \"b\": 1}");
    QCOMPARE(store.names(), QStringList{QStringLiteral("a")});
    QVERIFY(store.find(QStringLiteral("a"))->times.empty());
  }

  void words_of_tables_have_the_colours_of_the_theme_from_the_first_moment() {
    m_theme->setMode(shell::ThemeMode::Dark);
    const MemoryPage page;
    const plot::RowsModel& rows = page.results()->plans()->table()->rows();
    const QModelIndex fits = rows.index(0, static_cast<int>(PlanColumn::Fits));
    QCOMPARE(fits.data(Qt::ForegroundRole).value<QBrush>().color(), plot::plotColors(true).good);
  }

  void counts_are_written_in_groups_and_kept_without() {
    QCOMPARE(field(FieldId::Updates)->text(), QStringLiteral("40,000"));
    type(FieldId::Updates, QStringLiteral("12345"));
    QCOMPARE(field(FieldId::Updates)->text(), QStringLiteral("12345"));  // nobody's typing is changed
    QCOMPARE(TextSpin::stepped(TextSpin::Kind::Count, QStringLiteral("999"), 1), QStringLiteral("1,000"));
    QCOMPARE(TextSpin::grouped(TextSpin::Kind::Count, QStringLiteral("4,00")), QStringLiteral("4,00"));
    QCOMPARE(TextSpin::grouped(TextSpin::Kind::Size, QStringLiteral("40000")), QStringLiteral("40000"));
  }

  void the_table_of_plans_shows_whole_rows_and_no_bar() {
    const plot::RowsTable* const table = m_page->results()->plans()->table();
    QVERIFY(table->rows().rowCount() > 8);
    QTRY_COMPARE(table->horizontalScrollBar()->maximum(), 0);
    const int rowHeight = table->verticalHeader()->defaultSectionSize();
    QVERIFY(table->viewport()->height() % rowHeight <= 2);
    QCOMPARE(table->viewport()->height() / rowHeight, 8);
    // With times, too, on what a window of 1600 pixels leaves to the page beside the archive's tree.
    m_page->resize(1300, 900);
    plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    const QModelIndex now = rows.index(rowOf(16, QStringLiteral("off"), QStringLiteral("FP16 autocast · now")),
                                       static_cast<int>(PlanColumn::Update));
    QVERIFY(rows.setData(now, QStringLiteral("0.668"), Qt::EditRole));
    QTRY_VERIFY(!m_page->shown().statements[4].answer.isEmpty());
    QCOMPARE(table->horizontalScrollBar()->maximum(), 0);
  }

  void words_that_follow_numbers_stand_off_in_header_and_cells() {
    const plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    const auto picture = [&rows](PlanColumn column) {
      return rows.headerData(static_cast<int>(column), Qt::Horizontal, Qt::DecorationRole);
    };
    QVERIFY(rows.followsNumbers(static_cast<int>(PlanColumn::Fits)));
    QVERIFY(picture(PlanColumn::Fits).isValid());
    QVERIFY(!picture(PlanColumn::Plan).isValid());
    QVERIFY(!picture(PlanColumn::Headroom).isValid());
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

  void arrow_keys_step_a_field() {
    TextSpin* const spin = field(FieldId::Capacity)->spin();
    spin->setFocus();
    QTest::keyClick(spin, Qt::Key_Up);
    QCOMPARE(spin->value(), QStringLiteral("25 GB"));
    QCOMPARE(m_page->shown().stack.capacity, 25'000'000'000);
  }

 private:
  LedgerField* field(FieldId id) const { return m_page->controls()->field(id); }
  void type(FieldId id, const QString& text) {
    auto* const line = field(id)->spin()->findChild<QLineEdit*>();
    line->selectAll();
    line->insert(text);
  }
  QString answer(std::size_t statement) const { return m_page->strip()->answerOf(statement); }
  static QString cell(const plot::PictureView* view, int row, int column) {
    return view->table()->rows().cell(row, column).text;
  }
  int rowOf(std::int64_t microbatch, const QString& checkpointing, const QString& name) const {
    const plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    for (int row = 0; row < rows.rowCount(); ++row) {
      if (rows.cell(row, static_cast<int>(PlanColumn::Plan)).text == name &&
          rows.cell(row, static_cast<int>(PlanColumn::Checkpointing)).text == checkpointing &&
          rows.cell(row, static_cast<int>(PlanColumn::Microbatch)).text == QString::number(microbatch))
        return row;
    }
    return -1;
  }

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<shell::ActionList> m_actions;
  std::unique_ptr<MemoryPage> m_page;
};

QTEST_MAIN(MemoryPageTests)
#include "memory_page_tests.moc"
