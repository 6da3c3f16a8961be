// SPDX-License-Identifier: GPL-3.0-or-later
// Where words and values stand: nothing is cut off, crossed, or moved by the next value; and what leaves the window
// says all that the window says.
#include <QtTest/QtTest>

#include <QApplication>
#include <QMenu>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QToolButton>
#include <QWheelEvent>
#include <QXmlStreamReader>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_header.h"
#include "ui/plot/plot_labels.h"
#include "ui/plot/plot_numbers.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/plot_view.h"

using namespace mantissa::ui::plot;

namespace {

std::shared_ptr<SeriesData> series(const std::vector<double>& y) {
  auto positions = std::make_shared<PositionColumn>();
  auto data = std::make_shared<SeriesData>(positions);
  for (const double value : y) {
    positions->append(static_cast<double>(positions->size()));
    data->append(value);
  }
  return data;
}

/// `count` values from `first` to `last` in equal steps.
std::vector<double> ramp(int count, double first, double last) {
  std::vector<double> y;
  for (int i = 0; i < count; ++i) y.push_back(first + (last - first) * i / (count - 1));
  return y;
}

PlotContent contentOf(const std::vector<std::pair<QString, std::shared_ptr<SeriesData>>>& data) {
  PlotContent content;
  content.title = "Output deviation";
  content.unit = "RMSE, trajectory, × spread";
  content.experiment = "digits";
  content.xName = "step";
  for (const auto& [name, values] : data) {
    PlotSeries one;
    one.id = one.name = name;
    one.style = trialStyle(plotColors(false), static_cast<int>(content.series.size()));
    one.data = values;
    content.series.push_back(one);
  }
  return content;
}

PlotContent manyArms(int count) {
  std::vector<std::pair<QString, std::shared_ptr<SeriesData>>> arms;
  for (int i = 0; i < count; ++i) arms.emplace_back(QString("fp16-growth-%1").arg(i + 1), series({1.0 + i, 2.0}));
  return contentOf(arms);
}

/// A plot on the screen with its first frame.
struct Shown {
  explicit Shown(PlotContent content, const QSize& size = {600, 320}) : view("deviation") {
    QPalette light(Qt::white);
    light.setColor(QPalette::Base, Qt::white);
    light.setColor(QPalette::Text, Qt::black);
    light.setColor(QPalette::WindowText, Qt::black);
    view.setPalette(light);
    view.resize(size);
    view.setContent(std::move(content));
    view.show();
    shown = QTest::qWaitForWindowExposed(&view);
    view.redraw();
  }
  const PlotFrame& frame() const { return view.canvas()->frame(); }
  void send(QEvent::Type type, const QPoint& where, Qt::MouseButton button, Qt::MouseButtons held) {
    QMouseEvent event(type, where, view.canvas()->mapToGlobal(where), button, held, Qt::NoModifier);
    QApplication::sendEvent(view.canvas(), &event);
  }
  void drag(const QPoint& from, const QPoint& to) {
    send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
    view.redraw();
  }

  PlotView view;
  bool shown = false;
};

QStringList wordsOf(const QByteArray& svg) {
  QXmlStreamReader reader(svg);
  QStringList words;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement() && reader.name() == QLatin1String("text")) words << reader.readElementText().trimmed();
  }
  return words;
}

int darkPixels(const QImage& image, const QRectF& where) {
  int count = 0;
  for (int y = qRound(where.top()); y < qRound(where.bottom()); ++y) {
    for (int x = qRound(where.left()); x < qRound(where.right()); ++x) {
      if (image.rect().contains(x, y) && image.pixelColor(x, y).lightness() < 110) ++count;
    }
  }
  return count;
}

}  // namespace

class PlotLayoutTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create("Fusion"));
  }

  // --- pictures that leave the window --------------------------------------------------------------------------------

  void a_picture_says_title_unit_experiment_axis_and_every_series_however_many_there_are() {
    auto content = manyArms(30);
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content, {420, 320});
    QTemporaryDir folder;
    plot.view.exportTo(folder.filePath("plot.svg"));
    QFile file(folder.filePath("plot.svg"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList words = wordsOf(file.readAll());
    const QString all = words.join(u' ');
    QVERIFY2(words.contains("Output deviation"), qPrintable(all));
    QVERIFY2(all.contains("RMSE, trajectory, × spread, line smoothed"), qPrintable(all));
    QVERIFY2(all.contains("Experiment digits"), qPrintable(all));
    QVERIFY2(words.contains("step"), qPrintable(all));
    for (const auto& one : content.series) QVERIFY2(words.contains(one.name), qPrintable(one.name));
    QVERIFY2(!all.contains(QChar(0x2026)), qPrintable(all));  // nothing ends in dots
  }

  void a_long_legend_takes_no_height_from_the_plot_in_a_picture() {
    const auto plotHeight = [](int arms) {
      Shown plot(manyArms(arms), {420, 320});
      QTemporaryDir folder;
      plot.view.exportTo(folder.filePath("plot.png"));
      const QImage image(folder.filePath("plot.png"));
      // The lowest row is that of the axis's numbers; the lines reach from 1 to 2 and above.
      return std::pair(image.height(), plot.view.canvas()->height());
    };
    const auto [few, canvasOfFew] = plotHeight(2);
    const auto [many, canvasOfMany] = plotHeight(30);
    QVERIFY2(few >= 2 * canvasOfFew, qPrintable(QString::number(few)));
    // 30 names of about 130 px in rows of 420 px are at least nine rows more of at least ten pixels, at two a pixel.
    QVERIFY2(many - 2 * canvasOfMany > few - 2 * canvasOfFew + 9 * 2 * 10, qPrintable(QString::number(many)));
  }

  void a_hidden_series_is_not_in_the_legend_of_a_picture() {
    Shown plot(manyArms(2));
    plot.view.setSeriesVisible("fp16-growth-2", false);
    const QStringList words = wordsOf(plot.view.svg({600, 300}));
    QVERIFY(words.contains("fp16-growth-1"));
    QVERIFY(!words.contains("fp16-growth-2"));
  }

  // The value at step x is x + 1, and the second line ends at step 50.
  void a_picture_of_a_zoom_has_the_values_of_its_end_and_says_where_they_are() {
    Shown plot(contentOf({{"fp16", series(ramp(101, 1, 101))}, {"bf16", series(ramp(51, 1, 51))}}));
    const auto all = [&plot] { return wordsOf(plot.view.svg({600, 300})).join(u' '); };
    QVERIFY2(all().contains("newest values up to step 100"), qPrintable(all()));
    plot.view.navigation()->zoomX({20, 42.5}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QVERIFY2(all().contains("fp16 43.00 bf16 43.00"), qPrintable(all()));
    QVERIFY2(all().contains("values at step 42"), qPrintable(all()));
    plot.view.navigation()->zoomX({60, 80}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QVERIFY2(all().contains(QStringLiteral("fp16 81.00 bf16 –")), qPrintable(all()));
    QVERIFY2(all().contains("values at step 80"), qPrintable(all()));
  }

  // --- y follows what is visible -------------------------------------------------------------------------------------

  void y_follows_the_visible_part_of_the_curves_data() {
    QTest::addColumn<YScale>("scale");
    QTest::newRow("linear") << YScale::Linear;
    QTest::newRow("logarithmic") << YScale::Log10;
  }
  void y_follows_the_visible_part_of_the_curves() {
    QFETCH(YScale, scale);
    auto content = contentOf({{"fp16", series(ramp(101, 1, 101))}});  // the value at step x is x + 1
    content.scale = scale;
    Shown plot(content);
    const Range whole = plot.frame().geometry.y;
    plot.view.navigation()->zoomX({40, 90}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    // Visible are 41 to 91; 8 % of their distance is the margin at either end.
    const double low = toAxis(scale, 41);
    const double high = toAxis(scale, 91);
    const double margin = 0.08 * (high - low);
    QVERIFY(std::abs(plot.frame().geometry.y.low - (low - margin)) < 1e-9);
    QVERIFY(std::abs(plot.frame().geometry.y.high - (high + margin)) < 1e-9);
    plot.view.navigation()->reset();
    plot.view.redraw();
    QCOMPARE(plot.frame().geometry.y, whole);
  }

  void y_that_a_person_chose_stays_while_x_is_zoomed() {
    Shown plot(contentOf({{"fp16", series(ramp(101, 1, 101))}}));
    plot.view.navigation()->zoomY("deviation", {20, 30}, PlotNavigation::Gesture::New);
    plot.view.navigation()->zoomX({40, 90}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QCOMPARE(plot.frame().geometry.y, (Range{20, 30}));
  }

  void a_range_between_two_values_shows_the_line_that_crosses_it() {
    Shown plot(contentOf({{"fp16", series({0, 10, 0})}}));
    plot.view.navigation()->zoomX({0.2, 0.6}, PlotNavigation::Gesture::New);  // the line goes from 2 to 6
    plot.view.redraw();
    QVERIFY(std::abs(plot.frame().geometry.y.low - 1.68) < 1e-9);   // 2 − 8 % of 4
    QVERIFY(std::abs(plot.frame().geometry.y.high - 6.32) < 1e-9);  // 6 + 8 % of 4
    QVERIFY(!plot.frame().isElsewhere);
  }

  void the_cursor_reads_where_the_pointer_lies_after_a_zoom() {
    Shown plot(contentOf({{"fp16", series(ramp(1001, 0, 1000))}}));
    const QRectF area = plot.frame().geometry.area;
    plot.drag(area.topLeft().toPoint() + QPoint(100, 20), area.topLeft().toPoint() + QPoint(300, 120));
    const PlotGeometry& geometry = plot.frame().geometry;
    const double under = geometry.toPosition(area.left() + 300);
    QVERIFY(plot.view.plotCursor()->position().has_value());
    QCOMPARE(*plot.view.plotCursor()->position(), std::round(under));
    plot.view.redraw();
    const auto* const item = plot.view.findChild<LegendItem*>();
    QVERIFY2(item->accessibleName().endsWith(QString::number(std::round(under), 'f', 1)),
             qPrintable(item->accessibleName()));
  }

  void a_cursor_of_the_keyboard_that_a_zoom_puts_out_of_sight_reads_nothing() {
    Shown plot(contentOf({{"fp16", series(ramp(101, 0, 100))}}));
    QTest::keyClick(plot.view.canvas(), Qt::Key_Home);
    QVERIFY(plot.view.plotCursor()->position().has_value());
    plot.view.navigation()->zoomX({50, 60}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QVERIFY(!plot.view.plotCursor()->position().has_value());
  }

  // --- numbers at the ends of what doubles hold
  // -----------------------------------------------------------------------

  void every_finite_value_has_a_finite_axis_data() {
    QTest::addColumn<QList<double>>("values");
    QTest::newRow("huge") << QList<double>{1e300, -1e300, 1e308, -1.7e308};
    QTest::newRow("huge and positive") << QList<double>{1e300, 1.7e308};
    QTest::newRow("tiny") << QList<double>{4.9e-324, 1e-308};
    QTest::newRow("far apart") << QList<double>{1e-300, 1e300};
    QTest::newRow("one") << QList<double>{0.5};
    QTest::newRow("constant") << QList<double>{0, 0, 0};
  }
  void every_finite_value_has_a_finite_axis() {
    QFETCH(QList<double>, values);
    for (const auto scale : {YScale::Linear, YScale::Log10, YScale::Log2}) {
      auto content = contentOf({{"fp16", series({values.begin(), values.end()})}});
      content.scale = scale;
      content.limits = {{1.0, "limit"}};
      Shown plot(content);
      const Range y = plot.frame().geometry.y;
      QVERIFY2(std::isfinite(y.length()) && y.length() > 0, qPrintable(QString("%1 to %2").arg(y.low).arg(y.high)));
    }
  }

  void values_that_differ_by_rounding_alone_are_one_on_a_logarithmic_axis() {
    auto content = contentOf({{"fp16", series({1, 1 + 1e-15, 1 - 1e-15})}});
    content.scale = YScale::Log10;
    Shown plot(content);
    QCOMPARE(plot.frame().geometry.y, (Range{std::log10(1 - 1e-15) - 0.5, std::log10(1 - 1e-15) + 0.5}));
    QVERIFY(!plot.frame().yTicks.empty());
  }

  void numbers_of_an_axis_differ_where_the_values_do_data() {
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::addColumn<QString>("first");
    QTest::newRow("samples of a long run") << 0.0 << 6.4e7 << "0";
    QTest::newRow("a few of them") << 64'000'000.0 << 64'000'004.0 << "64,000,000";
    QTest::newRow("one step") << 0.0 << 1.0 << "0";
  }
  void numbers_of_an_axis_differ_where_the_values_do() {
    QFETCH(double, from);
    QFETCH(double, to);
    QFETCH(QString, first);
    const auto ticks = countTicks({from, to}, 5);
    QCOMPARE(ticks.front().label, first);
    QStringList labels;
    for (const auto& tick : ticks) {
      QVERIFY2(!labels.contains(tick.label), qPrintable(tick.label));
      QVERIFY2(!tick.label.contains('e') && !tick.label.contains('.'), qPrintable(tick.label));
      labels << tick.label;
    }
    QStringList high;
    for (const auto& tick : yTicks(YScale::Linear, {1e9, 1e9 + 2}, 5)) {
      QVERIFY2(!high.contains(tick.label), qPrintable(tick.label));
      high << tick.label;
    }
  }

  void a_place_in_time_is_a_duration() {
    QCOMPARE(durationText(12.5), QString("12.50 s"));
    QCOMPARE(durationText(2066), QString("34:26 min"));   // 34 · 60 + 26
    QCOMPARE(durationText(10000), QString("2:46:40 h"));  // 2 · 3600 + 46 · 60 + 40
    auto content = contentOf({{"fp16", series({1, 2})}});
    content.xName = "time";
    content.xKind = XAxisKind::Seconds;
    Shown plot(content);
    QVERIFY(plot.view.csv().rfind("time [s],fp16\n", 0) == 0);
  }

  // --- words ---------------------------------------------------------------------------------------------------------

  void words_find_a_place_that_is_free_and_that_no_line_crosses() {
    PlotLabels labels({0, 0, 200, 100});
    labels.takeLevel(50);
    labels.take({150, 0, 50, 20});
    const QSizeF size(40, 14);
    QCOMPARE(labels.place({{{10, 45}, size}, {{10, 51}, size}}), QRectF(QPointF(10, 51), size));     // crossed by 50
    QCOMPARE(labels.place({{{20, 55}, size}, {{20, 70}, size}}), QRectF(QPointF(20, 70), size));     // on the first one
    QCOMPARE(labels.place({{{190, 30}, size}, {{100, 30}, size}}), QRectF(QPointF(100, 30), size));  // would stick out
  }

  void the_words_at_a_tick_are_not_crossed_by_a_limit() {
    auto content = contentOf({{"fp16", series(ramp(101, 100, 0))}});
    content.markRow = true;
    PlotMark mark;
    mark.label = "11 calibration";
    content.marks = {mark};
    Shown plain(content);
    const PlotGeometry& geometry = plain.frame().geometry;
    const QFontMetricsF metrics(plain.view.canvas()->exportInk().font);
    const double line = metrics.height();
    // Where the words stand while nothing is in their way: above the tick of 8 px.
    const QRectF usual(geometry.area.left() + 4, geometry.area.bottom() - 8 - line,
                       metrics.horizontalAdvance(mark.label), line);
    QVERIFY(darkPixels(plain.view.canvas()->grab().toImage(), usual) > 40);
    PlotLimit limit;
    limit.value = geometry.toHeight(usual.center().y());
    content.limits = {limit};
    Shown crossed(content);
    QCOMPARE(crossed.frame().geometry.y, geometry.y);
    const QImage picture = crossed.view.canvas()->grab().toImage();
    const double y = usual.center().y();
    // The rows below the dashes, and the one above them, would hold the middle of the words.
    QCOMPARE(darkPixels(picture, {usual.left(), y - 2, usual.width(), 1}), 0);
    QCOMPARE(darkPixels(picture, {usual.left(), y + 2, usual.width(), usual.bottom() - y - 3}), 0);
    QVERIFY(darkPixels(picture, usual.translated(0, -line)) > 40);
  }

  void a_remark_stands_in_the_plot() {
    auto content = contentOf({{"fp16", series(std::vector<double>(50, 1.0))}});
    Shown without(content);
    content.remarks = {"rule: at most 0.02 in case_relative, judged at the end"};
    Shown with(content);
    QCOMPARE(with.frame().geometry.lines, without.frame().geometry.lines);
    const QRectF lines = with.frame().geometry.lines;
    const QRectF below(lines.center().x(), lines.bottom() - 20, lines.width() / 2, 19);
    QVERIFY(darkPixels(with.view.canvas()->grab().toImage(), below) >
            darkPixels(without.view.canvas()->grab().toImage(), below) + 100);
  }

  void no_word_beside_a_title_is_cut_off_while_there_is_height_data() {
    QTest::addColumn<int>("width");
    for (const int width : {240, 300, 360, 424, 448, 600}) QTest::addRow("%d", width) << width;
  }
  void no_word_beside_a_title_is_cut_off_while_there_is_height() {
    QFETCH(int, width);
    auto content = manyArms(2);
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content, {width, 300});
    const auto* const header = plot.view.findChild<PlotHeader*>();
    QVERIFY2(header->unitRoom() >= header->unitWidth(), qPrintable(header->shownUnit()));
    QVERIFY2(header->shownUnit().startsWith("RMSE, trajectory, × spread"), qPrintable(header->shownUnit()));
    QVERIFY2((header->shownUnit() + header->shownAside()).contains("smoothed"), qPrintable(header->shownUnit()));
  }

  void that_lines_are_smoothed_is_said_however_little_room_there_is_data() {
    QTest::addColumn<QSize>("size");
    for (const int width : {220, 260, 300, 340, 420, 520, 640}) {
      for (const int height : {120, 160, 170, 300}) QTest::addRow("%d x %d", width, height) << QSize(width, height);
    }
  }
  void that_lines_are_smoothed_is_said_however_little_room_there_is() {
    QFETCH(QSize, size);
    for (int arms = 1; arms <= 4; ++arms) {
      auto content = manyArms(arms);
      content.smoothing.kind = Smoothing::Kind::Exponential;
      Shown plot(content, size);
      const auto* const header = plot.view.findChild<PlotHeader*>();
      const QString said = header->shownUnit() + header->shownAside();
      QVERIFY2(said.contains("smoothed"), qPrintable(said));
      QVERIFY2(header->unitRoom() >= header->unitWidth() || !header->shownAside().isEmpty(), qPrintable(said));
      plot.view.setTableShown(true);
      const QString ofTable = header->shownUnit() + header->shownAside();
      QVERIFY2(ofTable.contains("measured"), qPrintable(ofTable));
    }
  }

  // Whatever values a run has: room is kept for the longest from the start.
  void no_value_of_a_legend_changes_the_height_of_a_plot_data() {
    QTest::addColumn<int>("width");
    for (int width = 240; width <= 700; width += 20) QTest::addRow("%d", width) << width;
  }
  void no_value_of_a_legend_changes_the_height_of_a_plot() {
    QFETCH(int, width);
    auto positions = std::make_shared<PositionColumn>();
    auto data = std::make_shared<SeriesData>(positions);
    auto content = contentOf({{"reference", series({1, 2})}, {"fp16", data}, {"bf16", series({1, 2})}});
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content, {width, 300});
    const int height = plot.view.canvas()->height();
    for (const double value : {2.0, 0.5, 0.0001234, 1.234e-5, 12'345.6, 1.5e9, std::nan(""),
                               std::numeric_limits<double>::infinity(), -0.001234}) {
      positions->append(static_cast<double>(positions->size()));
      data->append(value);
      plot.view.redraw();
      QCoreApplication::processEvents();
      QCOMPARE(plot.view.canvas()->height(), height);
    }
  }

  void longer_numbers_move_neither_the_legend_nor_the_plot() {
    auto positions = std::make_shared<PositionColumn>();
    auto data = std::make_shared<SeriesData>(positions);
    positions->append(0);
    data->append(2);
    auto content = contentOf({{"reference", data}, {"fp16", series({1, 2})}});
    content.scale = YScale::Log10;
    Shown plot(content);
    const auto places = [&] {
      QList<QRect> all;
      for (const auto* item : plot.view.findChildren<LegendItem*>()) all << item->geometry();
      return all;
    };
    const auto before = places();
    const double left = plot.frame().geometry.area.left();
    for (const double value : {0.5, 0.02173, 0.001234}) {
      positions->append(static_cast<double>(positions->size()));
      data->append(value);
      plot.view.redraw();
    }
    QCOMPARE(places(), before);
    QCOMPARE(plot.frame().geometry.area.left(), left);
  }

  void no_name_of_a_legend_is_cut_while_its_row_has_room_data() {
    QTest::addColumn<YScale>("scale");
    QTest::addColumn<bool>("isCount");
    QTest::addColumn<double>("value");
    QTest::newRow("scale") << YScale::Log2 << false << std::ldexp(1.0, -122);
    QTest::newRow("count") << YScale::Linear << true << 123'456'789'012.0;
  }
  void no_name_of_a_legend_is_cut_while_its_row_has_room() {
    QFETCH(YScale, scale);
    QFETCH(bool, isCount);
    QFETCH(double, value);
    auto content = contentOf({{"fp16-long-name", series({1, value})}, {"bf16", series({1, 2})}});
    content.scale = scale;
    content.isCount = isCount;
    for (const int width : {560, 700}) {
      Shown plot(content, {width, 300});
      const auto items = plot.view.findChildren<LegendItem*>();
      QFont words = items.front()->font();
      words.setPointSizeF(words.pointSizeF() * 0.92);
      QFont bold = words;
      bold.setBold(true);
      const double needed = QFontMetricsF(words).horizontalAdvance("fp16-long-name") +
                            QFontMetricsF(bold).horizontalAdvance(shownText(content, value));
      QVERIFY2(items.front()->width() >= needed + 15 + 4 + 4, qPrintable(QString::number(items.front()->width())));
      QVERIFY(!items[0]->geometry().intersects(items[1]->geometry()));
      for (const auto* item : items) QVERIFY(item->geometry().right() < item->parentWidget()->width());
    }
  }

  void a_legend_beside_smoothed_lines_says_that_its_values_are_measured_data() {
    QTest::addColumn<int>("width");
    for (const int width : {420, 600, 900}) QTest::addRow("%d", width) << width;
  }
  void a_legend_beside_smoothed_lines_says_that_its_values_are_measured() {
    QFETCH(int, width);
    auto content = contentOf({{"reference", series({1, 2})}, {"fp16", series({1, 2})}});
    Shown plain(content, {width, 300});
    QVERIFY(plain.view.findChild<PlotHeader*>()->measuredPlace().isEmpty());
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content, {width, 300});
    const QRect place = plot.view.findChild<PlotHeader*>()->measuredPlace();
    QVERIFY(!place.isEmpty());
    QVERIFY(place.right() < width);
    for (const auto* item : plot.view.findChildren<LegendItem*>()) QVERIFY(!item->geometry().intersects(place));
    plot.view.setTableShown(true);
    QVERIFY(plot.view.findChild<PlotHeader*>()->measuredPlace().isEmpty());
  }

  void a_long_legend_leaves_the_plot_its_height_and_its_rest_stands_in_a_menu() {
    Shown plot(manyArms(30), {420, 400});
    auto* const header = plot.view.findChild<PlotHeader*>();
    const auto items = plot.view.findChildren<LegendItem*>();
    QCOMPARE(items.size(), 30);
    const auto seen = std::count_if(items.begin(), items.end(), [](const auto* item) { return item->isVisible(); });
    QVERIFY2(seen >= 4 && seen < 30, qPrintable(QString::number(seen)));
    QVERIFY(plot.view.canvas()->height() >= 200);
    QVERIFY(header->moreButton()->isVisible());
    QCOMPARE(header->moreButton()->text(), QString("and %1 more…").arg(30 - seen));
    QVERIFY(header->rect().contains(header->moreButton()->geometry()));
    QMenu* const menu = header->moreButton()->menu();
    Q_EMIT menu->aboutToShow();
    const auto actions = menu->actions();
    QCOMPARE(actions.size(), 30 - seen);
    QCOMPARE(actions.last()->text(), QString("fp16-growth-30: 2.000"));
    actions.last()->trigger();
    QVERIFY(!plot.view.isSeriesVisible("fp16-growth-30"));
    // Where there is width, all stand there again.
    plot.view.resize(2400, 400);
    QTest::qWait(20);
    QVERIFY(!header->moreButton()->isVisible());
    QVERIFY(std::all_of(items.begin(), items.end(), [](const auto* item) { return item->isVisible(); }));
  }

  void the_table_says_that_it_shows_measured_values() {
    auto content = contentOf({{"fp16", series({1, 2})}});
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content);
    const auto* const header = plot.view.findChild<PlotHeader*>();
    QCOMPARE(header->shownUnit(), QString("RMSE, trajectory, × spread, line smoothed"));
    plot.view.setTableShown(true);
    QCOMPARE(header->shownUnit(), QString("RMSE, trajectory, × spread, measured values"));
    QVERIFY2(plot.view.table()->accessibleName().endsWith("measured values"),
             qPrintable(plot.view.table()->accessibleName()));
    QVERIFY2(!header->toolTip().contains("line smoothed"), qPrintable(header->toolTip()));
    plot.view.setTableShown(false);
    QCOMPARE(header->shownUnit(), QString("RMSE, trajectory, × spread, line smoothed"));
  }
};

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  PlotLayoutTests tests;
  return QTest::qExec(&tests, argc, argv);
}
#include "plot_layout_tests.moc"
