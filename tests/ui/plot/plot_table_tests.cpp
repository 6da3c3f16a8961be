// SPDX-License-Identifier: GPL-3.0-or-later
// The table twin of a plot, and what leaves the window: clipboard and files.
#include <QtTest/QtTest>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QTimer>
#include <QToolButton>
#include <QXmlStreamReader>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_header.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/plot_view.h"

using namespace mantissa::ui::plot;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Growing {
  std::shared_ptr<PositionColumn> positions = std::make_shared<PositionColumn>();
  std::shared_ptr<SeriesData> data = std::make_shared<SeriesData>(positions);

  explicit Growing(const std::vector<std::pair<double, double>>& values) {
    for (const auto& [x, y] : values) add(x, y);
  }
  void add(double x, double y) {
    positions->append(x);
    data->append(y);
  }
};

PlotContent contentOf(const std::vector<std::pair<QString, std::shared_ptr<SeriesData>>>& data) {
  PlotContent content;
  content.title = "Loss, trained";
  content.unit = "cross-entropy";
  content.xName = "step";
  for (const auto& [name, values] : data) {
    PlotSeries one;
    one.id = one.name = name;
    one.isReference = content.series.empty();
    one.style = trialStyle(plotColors(false), static_cast<int>(content.series.size()));
    one.data = values;
    content.series.push_back(one);
  }
  return content;
}

QStringList column(const QAbstractItemModel& model, int number) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row) texts << model.index(row, number).data().toString();
  return texts;
}

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A plot on the screen.
struct Shown {
  explicit Shown(PlotContent content) : view("loss") {
    view.resize(500, 300);
    view.setContent(std::move(content));
    view.show();
    shown = QTest::qWaitForWindowExposed(&view);
    view.redraw();
  }
  PlotView view;
  bool shown = false;
};

}  // namespace

class PlotTableTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale::c()); }
  void cleanup() {
    PlotView::setFileChooser([](auto...) { return QString(); });
  }

  void rows_hold_values_of_equal_x_in_the_order_of_the_legend() {
    Growing a({{0, 1}, {1, 2}, {1, 3}, {4, kNaN}});
    Growing b({{1, 10}, {2, kInfinity}, {4, -kInfinity}});
    Shown plot(contentOf({{"reference", a.data}, {"fp16", b.data}}));
    plot.view.setTableShown(true);
    auto& model = plot.view.table()->plotModel();
    QCOMPARE(model.headerData(0, Qt::Horizontal).toString(), QString("step"));
    QCOMPARE(model.headerData(2, Qt::Horizontal).toString(), QString("fp16"));
    QCOMPARE(column(model, 0), QStringList({"0", "1", "1", "2", "4"}));
    QCOMPARE(column(model, 1), QStringList({"1", "2", "3", QString::fromUtf8("–"), "NaN"}));
    QCOMPARE(column(model, 2), QStringList({QString::fromUtf8("–"), "10", QString::fromUtf8("–"),
                                            QString::fromUtf8("+∞"), QString::fromUtf8("−∞")}));
    QCOMPARE(model.index(4, 1).data(Qt::ForegroundRole).value<QColor>(), plotColors(false).bad);
  }

  void model_keeps_its_contract_while_the_run_goes_on() {
    Growing a({{0, 1}});
    Growing b({});
    Shown plot(contentOf({{"reference", a.data}, {"fp16", b.data}}));
    plot.view.setTableShown(true);
    auto& model = plot.view.table()->plotModel();
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (int step = 1; step < 40; ++step) {
      a.add(step, step % 7 == 0 ? kNaN : step);
      if (step % 3 == 0) {
        // The slower run catches up: its values belong between rows that are there already.
        for (int late = step - 2; late <= step; ++late) b.add(late, -late);
      }
      if (step == 20) model.sort(1, Qt::DescendingOrder);
      if (step == 30) model.sort(0, Qt::AscendingOrder);
      plot.view.redraw();
      QCOMPARE(model.rowCount(), step + 1);
    }
    QCOMPARE(model.index(38, 2).data().toString(), QString::fromUtf8("−38"));
    QCOMPARE(model.index(39, 2).data().toString(), QString::fromUtf8("−39"));
  }

  void sorting_puts_what_has_no_order_last() {
    Growing a({{0, 2}, {1, kNaN}, {2, kInfinity}, {3, -1}});
    Growing b({{3, 1}, {4, 1}});
    Shown plot(contentOf({{"reference", a.data}, {"fp16", b.data}}));
    plot.view.setTableShown(true);
    auto& model = plot.view.table()->plotModel();
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.sort(1, Qt::AscendingOrder);
    QCOMPARE(column(model, 0), QStringList({"3", "0", "2", "1", "4"}));
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(column(model, 0), QStringList({"2", "0", "3", "1", "4"}));
    model.sort(0, Qt::DescendingOrder);
    QCOMPARE(column(model, 0), QStringList({"4", "3", "2", "1", "0"}));
  }

  void long_sorted_table_waits_and_says_so() {
    Growing a({});
    for (std::size_t i = 0; i <= PlotTableModel::kLongestSortedWhileGrowing; ++i) a.add(static_cast<double>(i), 1);
    Shown plot(contentOf({{"reference", a.data}}));
    plot.view.setTableShown(true);
    auto& model = plot.view.table()->plotModel();
    model.sort(1, Qt::DescendingOrder);
    const auto rows = model.rowCount();
    a.add(1e6, 2);
    plot.view.redraw();
    QCOMPARE(model.rowCount(), rows);
    QVERIFY(model.standsStill());
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(model.rowCount(), rows + 1);
    QCOMPARE(model.index(0, 0).data().toString(), QString("1,000,000"));
    QVERIFY(!model.standsStill());
  }

  void no_header_of_the_table_is_cut() {
    Growing a({{0, 1}});
    auto content =
        contentOf({{"fp16-growth-17-with-a-long-name", a.data}, {"bf16-growth-17-with-a-long-name", a.data}});
    content.valueName = "× rounding floor";
    Shown plot(content);
    plot.view.setTableShown(true);
    const PlotTable& table = *plot.view.table();
    const QFontMetrics metrics(table.horizontalHeader()->font());
    for (int column = 0; column < 3; ++column) {
      const QString header = table.model()->headerData(column, Qt::Horizontal).toString();
      QVERIFY2(table.columnWidth(column) >= metrics.horizontalAdvance(header) + 8, qPrintable(header));
    }
  }

  void no_number_of_the_table_is_cut() {
    Growing a({});
    for (int i = 0; i < 400; ++i) a.add(i, 0.5);
    a.add(400, 2.6226043701171875e-06);
    a.add(401, -2.2250738585072014e-308);
    a.add(402, 1.2345678901234567e22);
    Shown plot(contentOf({{"reference", a.data}, {"fp16", a.data}}));
    plot.view.setTableShown(true);
    PlotTable& table = *plot.view.table();
    QCoreApplication::processEvents();
    QVERIFY(!table.wordWrap());
    table.scrollToBottom();
    const int rows = table.model()->rowCount();
    QCOMPARE(rows, 403);
    const int margins = 2 * (table.style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1);
    for (int row = rows - 3; row < rows; ++row) {
      for (int column = 0; column < 3; ++column) {
        const QString text = table.model()->index(row, column).data().toString();
        QVERIFY2(table.columnWidth(column) >= table.fontMetrics().horizontalAdvance(text) + margins, qPrintable(text));
      }
    }
  }

  void a_column_that_a_person_made_narrow_stays_so() {
    Growing a({{0, 2.6226043701171875e-06}, {1, 0.5}});
    Shown plot(contentOf({{"reference", a.data}}));
    plot.view.setTableShown(true);
    PlotTable& table = *plot.view.table();
    table.setColumnWidth(1, 60);
    a.add(2, -2.6226043701171875e-06);
    plot.view.redraw();
    QCoreApplication::processEvents();
    QCOMPARE(table.columnWidth(1), 60);
  }

  void a_table_begins_where_the_zoom_does_and_says_so() {
    std::vector<std::pair<double, double>> values;
    for (int i = 1; i <= 2000; ++i) values.emplace_back(i, 1.0 / i);
    Growing a(values);
    Shown plot(contentOf({{"reference", a.data}}));
    const auto* const header = plot.view.findChild<PlotHeader*>();
    const auto firstRow = [&] {
      const PlotTable& table = *plot.view.table();
      return table.model()->index(table.rowAt(1), 0).data().toString();
    };
    plot.view.navigation()->zoomX({399.5, 600}, PlotNavigation::Gesture::New);
    plot.view.setTableShown(true);
    QCOMPARE(firstRow(), QString("400"));
    QVERIFY2(header->shownUnit().contains("scrolled to the zoom, step 400"), qPrintable(header->shownUnit()));
    plot.view.navigation()->zoomX({1200, 1300}, PlotNavigation::Gesture::New);
    QCOMPARE(firstRow(), QString("1,200"));
    QVERIFY2(header->shownUnit().contains("step 1,200"), qPrintable(header->shownUnit()));
    // A person who reads on is left where they are by a new value.
    plot.view.table()->scrollToTop();
    a.add(2001, 1);
    plot.view.redraw();
    QCOMPARE(firstRow(), QString("1"));
    plot.view.navigation()->reset();
    QVERIFY2(!header->shownUnit().contains("zoom"), qPrintable(header->shownUnit()));
    // Rows that are sorted by something else are not in the order of the zoom.
    plot.view.table()->plotModel().sort(1, Qt::DescendingOrder);
    plot.view.navigation()->zoomX({1200, 1300}, PlotNavigation::Gesture::New);
    QVERIFY2(!header->shownUnit().contains("zoom"), qPrintable(header->shownUnit()));
  }

  void control_t_flips_to_the_table_and_back() {
    Growing a({{0, 1}});
    Shown plot(contentOf({{"reference", a.data}}));
    plot.view.canvas()->setFocus();
    QSignalSpy flipped(&plot.view, &PlotView::tableShownChanged);
    QTest::keyClick(plot.view.canvas(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(plot.view.isTableShown());
    QCOMPARE(QApplication::focusWidget(), plot.view.table());
    QTest::keyClick(plot.view.table(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(!plot.view.isTableShown());
    QCOMPARE(flipped.size(), 2);
    QCOMPARE(plot.view.table()->accessibleName(), QString("Table of Loss, trained, cross-entropy"));
  }

  void return_on_a_button_of_the_header_does_what_a_click_does() {
    Growing a({{0, 1}});
    Shown plot(contentOf({{"reference", a.data}}));
    auto* const header = plot.view.findChild<PlotHeader*>();
    auto* const item = header->findChild<LegendItem*>();
    QVERIFY(item->isChecked());
    QTest::keyClick(item, Qt::Key_Return);
    QVERIFY(!item->isChecked());
    QTest::keyClick(item, Qt::Key_Enter);
    QVERIFY(item->isChecked());
    const auto buttons = header->findChildren<QToolButton*>();
    const auto found = std::find_if(buttons.begin(), buttons.end(), [](const auto* one) { return one->menu(); });
    QVERIFY(found != buttons.end());
    bool opened = false;
    connect(header->menu(), &QMenu::aboutToShow, this, [&] {
      opened = true;
      QTimer::singleShot(0, header->menu(), &QMenu::close);
    });
    QTest::keyClick(*found, Qt::Key_Return);
    QVERIFY(opened);
  }

  void selection_is_copied_with_tabs_in_full_precision() {
    QLocale::setDefault(QLocale(QLocale::German));
    Growing a({{0, 0.1}, {1, kNaN}, {2, 1.0 / 3}});
    Shown plot(contentOf({{"reference", a.data}}));
    plot.view.setTableShown(true);
    auto* table = plot.view.table();
    QCOMPARE(table->plotModel().index(0, 1).data().toString(), QString("0,1"));  // people
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    // Other programs: the C locale, 1/3 with the digits that read back to it.
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("step\treference\n0\t0.1\n1\tNaN\n2\t0.3333333333333333\n"));
    table->selectionModel()->select(table->plotModel().index(2, 1), QItemSelectionModel::ClearAndSelect);
    table->copy();
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("reference\n0.3333333333333333\n"));
    QLocale::setDefault(QLocale::c());
  }

  void csv_holds_every_value_whatever_is_drawn() {
    Growing a({});
    for (int i = 0; i < 20'000; ++i) a.add(i, i == 777 ? kNaN : i * 0.1);
    Growing b({{5, 1e-300}, {20'000, kInfinity}});
    Shown plot(contentOf({{"reference", a.data}, {"a, \"b\"", b.data}}));
    plot.view.setSeriesVisible("reference", false);
    plot.view.navigation()->zoomX({10, 20}, PlotNavigation::Gesture::New);
    QTemporaryDir folder;
    const auto path = folder.filePath("loss.csv");
    plot.view.exportTo(path);
    const auto lines = bytesOf(path).split('\n');
    QCOMPARE(lines.size(), 20'003);  // header, 20,001 rows, nothing after the last line end
    QCOMPARE(lines[0], QByteArray("step,reference,\"a, \"\"b\"\"\""));
    QCOMPARE(lines[4], QByteArray("3,0.30000000000000004,"));  // 3 · 0.1 in doubles
    QCOMPARE(lines[6], QByteArray("5,0.5,1e-300"));
    QCOMPARE(lines[778], QByteArray("777,NaN,"));
    QCOMPARE(lines[20'001], QByteArray("20000,,Infinity"));
  }

  /// 0.5, 12.25 and 3: of each row the ink ends at another place, so that the points stand above each other.
  void numbers_of_a_column_have_their_points_above_each_other() {
    Growing a({{0, 0.5}, {1, 12.25}, {2, 3}});
    Shown plot(contentOf({{"reference", a.data}}));
    plot.view.setTableShown(true);
    PlotTable& table = *plot.view.table();
    table.setAlternatingRowColors(false);
    QTest::qWait(20);
    const QImage picture = table.viewport()->grab().toImage();
    const auto inkEnd = [&](int row) {
      const QRect cell = table.visualRect(table.model()->index(row, 1));
      for (int x = cell.right(); x > cell.left(); --x) {
        for (int y = cell.top() + 2; y < cell.bottom() - 2; ++y) {
          if (picture.pixelColor(x, y).lightness() < 128) return cell.right() - x;
        }
      }
      return -1;
    };
    const QFontMetrics metrics = table.fontMetrics();
    QCOMPARE(table.pointRoom(1), 6 + metrics.horizontalAdvance(QStringLiteral(".25")));
    const int digit = metrics.horizontalAdvance(QStringLiteral("5"));
    QVERIFY2(std::abs(inkEnd(0) - inkEnd(1) - digit) <= 1, qPrintable(QString::number(inkEnd(0) - inkEnd(1))));
    const int decimals = metrics.horizontalAdvance(QStringLiteral(".25"));
    QVERIFY2(std::abs(inkEnd(2) - inkEnd(1) - decimals) <= 2, qPrintable(QString::number(inkEnd(2) - inkEnd(1))));
  }

  void png_shows_header_and_lines() {
    Growing a({{0, 1}, {1, 5}, {2, 2}});
    Shown plot(contentOf({{"reference", a.data}}));
    QTemporaryDir folder;
    plot.view.exportTo(folder.filePath("loss.png"));
    const QImage image(folder.filePath("loss.png"));
    QVERIFY(image.width() >= plot.view.canvas()->width() * 2);
    QVERIFY(image.height() > plot.view.canvas()->height() * 2);
    int drawn = 0;
    int header = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const auto color = image.pixelColor(x, y);
        if (std::abs(color.hue() - plotColors(false).trials[0].hue()) < 8 && color.saturation() > 150) ++drawn;
        if (y < 60 && x < 200 && color.lightness() < 100) ++header;
      }
    }
    QVERIFY(drawn > 1000);
    QVERIFY(header > 100);
  }

  void svg_is_a_document_with_words_and_paths() {
    Growing a({{0, 1}, {1, 5}, {2, kNaN}, {3, 2}, {4, 3}});
    Shown plot(contentOf({{"reference", a.data}}));
    const auto svg = plot.view.svg({600, 300});
    QXmlStreamReader reader(svg);
    QStringList words;
    int paths = 0;
    while (!reader.atEnd()) {
      reader.readNext();
      if (!reader.isStartElement()) continue;
      if (reader.name() == QLatin1String("path") || reader.name() == QLatin1String("polyline")) ++paths;
      if (reader.name() == QLatin1String("text")) words << reader.readElementText().trimmed();
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(paths > 0);
    QVERIFY(words.contains("Loss, trained"));
    QVERIFY(words.contains("NaN"));
    QVERIFY(words.contains("step"));
  }

  void menu_offers_a_file_name_and_writes_it() {
    Growing a({{0, 1}});
    Shown plot(contentOf({{"reference", a.data}}));
    QTemporaryDir folder;
    QString suggested;
    PlotView::setFileChooser([&](QWidget*, const QString&, const QString& name, const QString&) {
      suggested = name;
      return folder.filePath("without-ending");
    });
    QSignalSpy exported(&plot.view, &PlotView::exported);
    for (auto* action : plot.view.findChild<PlotHeader*>()->menu()->actions()) {
      if (action->text().contains("CSV")) action->trigger();
    }
    QCOMPARE(suggested, QString("loss-trained.csv"));
    QCOMPARE(exported.size(), 1);
    QCOMPARE(bytesOf(folder.filePath("without-ending.csv")), QByteArray("step,reference\n0,1\n"));
  }

  void failed_export_says_why_and_leaves_nothing() {
    Growing a({{0, 1}});
    Shown plot(contentOf({{"reference", a.data}}));
    PlotView::setFileChooser([](auto...) { return QString("/nowhere/loss.svg"); });
    QSignalSpy failed(&plot.view, &PlotView::exportFailed);
    for (auto* action : plot.view.findChild<PlotHeader*>()->menu()->actions()) {
      if (action->text().contains("SVG")) action->trigger();
    }
    QCOMPARE(failed.size(), 1);
    QVERIFY2(failed[0][0].toString().contains("/nowhere"), qPrintable(failed[0][0].toString()));
    QVERIFY_EXCEPTION_THROWN(plot.view.exportTo("loss.jpeg"), mantissa::Error);
  }
};

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  PlotTableTests tests;
  return QTest::qExec(&tests, argc, argv);
}
#include "plot_table_tests.moc"
