// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures and tables of the Memory page, and their files.
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/memory/memory_page_fixture.h"
#include "ui/memory/calibration_view.h"

using namespace mantissa;
using namespace mantissa::test;

class MemoryPicturesTests : public MemoryPageFixture {
  Q_OBJECT

 private Q_SLOTS:
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
    QCOMPARE(trustOf(pairs)->detail, QStringLiteral("Traced: 3 trials, worst 2.0 %"));
    pairs.push_back(pairs.back());  // the same once more
    QCOMPARE(trustOf(pairs)->detail, QStringLiteral("Traced: 4 trials of 3 different settings, worst 2.0 %"));
    QVERIFY(!trustOf({}).has_value());
  }

  void words_of_tables_have_the_colours_of_the_theme_from_the_first_moment() {
    m_theme->setMode(shell::ThemeMode::Dark);
    const MemoryPage page;
    const plot::RowsModel& rows = page.results()->plans()->table()->rows();
    const QModelIndex fits = rows.index(0, static_cast<int>(PlanColumn::Fits));
    QCOMPARE(fits.data(Qt::ForegroundRole).value<QBrush>().color(), plot::plotColors(true).good);
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

  void a_narrow_window_shows_all_columns_of_the_plans_in_fewer_words() {
    plot::RowsTable* const table = m_page->results()->plans()->table();
    plot::RowsModel& rows = table->rows();
    const auto title = [&rows](PlanColumn column) {
      return rows.headerData(static_cast<int>(column), Qt::Horizontal, Qt::DisplayRole).toString();
    };
    QCOMPARE(title(PlanColumn::Microbatch), QStringLiteral("Microbatch"));
    const QModelIndex now = rows.index(rowOf(16, QStringLiteral("off"), QStringLiteral("FP16 autocast · now")),
                                       static_cast<int>(PlanColumn::Update));
    QVERIFY(rows.setData(now, QStringLiteral("0.668"), Qt::EditRole));
    QTRY_VERIFY(!m_page->shown().statements[4].answer.isEmpty());
    // What a window of 1280 pixels leaves beside the archive's tree.
    m_page->resize(985, 690);
    QTRY_COMPARE(title(PlanColumn::Microbatch), QStringLiteral("Micro-\nbatch"));
    QTRY_COMPARE(table->horizontalScrollBar()->maximum(), 0);
    const int rowHeight = table->verticalHeader()->defaultSectionSize();
    QTRY_COMPARE(table->viewport()->height() / rowHeight, 8);
    QVERIFY(table->viewport()->height() % rowHeight <= 2);
    // Tips and files have it whole.
    const QModelIndex plan = rows.index(0, static_cast<int>(PlanColumn::Plan));
    QVERIFY(plan.data(Qt::DisplayRole).toString().contains(QStringLiteral("FP16")));
    QVERIFY(plan.data(Qt::ToolTipRole).toString().contains(QStringLiteral("FP16 autocast")));
    QVERIFY(rows.asCsv().find("FP16 autocast") != std::string::npos);
    QVERIFY(rows.asCsv().find("Microbatch") != std::string::npos);
    m_page->resize(1320, 900);
    QTRY_COMPARE(title(PlanColumn::Microbatch), QStringLiteral("Microbatch"));
    QTRY_COMPARE(table->viewport()->height() / rowHeight, 8);
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

  void a_wrong_field_says_so_and_leaves_no_old_answer() {
    const QImage before = m_page->results()->stack()->image({600, 120}, 1);
    QVERIFY(pixelsOf(before, shades().activations) > 100);
    type(FieldId::Reserve, QStringLiteral("100 %"));
    QVERIFY(field(FieldId::Reserve)->problem().startsWith(QStringLiteral("Found '100 %', expected")));
    const auto* const label = field(FieldId::Reserve)->findChild<QLabel*>();
    QVERIFY(label->isVisible() && !label->text().isEmpty());
    QCOMPARE(label->toolTip().isEmpty(), false);  // the whole of it, where it ends in dots
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
    QVERIFY(label->text().isEmpty());
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
};

QTEST_MAIN(MemoryPicturesTests)
#include "memory_pictures_tests.moc"
