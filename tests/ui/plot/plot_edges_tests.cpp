// SPDX-License-Identifier: GPL-3.0-or-later
// Where lines end, by the pixels: at their newest value, beside the plot, and at the edge of the plot where they go on
// beyond it.
#include <QtTest/QtTest>

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QStyleFactory>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/plot/line_chart.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_view.h"

using namespace mantissa::ui::plot;

namespace {

std::shared_ptr<SeriesData> series(const std::vector<double>& x, const std::vector<double>& y) {
  auto positions = std::make_shared<PositionColumn>();
  auto data = std::make_shared<SeriesData>(positions);
  for (std::size_t i = 0; i < x.size(); ++i) {
    positions->append(x[i]);
    data->append(y[i]);
  }
  return data;
}

/// 0, 1, 2 … times `unit`.
std::vector<double> places(std::size_t count, double unit = 1) {
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(static_cast<double>(i) * unit);
  return x;
}

PlotContent contentOf(const std::vector<std::shared_ptr<SeriesData>>& data) {
  PlotContent content;
  content.title = "Loss";
  content.xName = "step";
  for (std::size_t i = 0; i < data.size(); ++i) {
    PlotSeries one;
    one.id = one.name = QString("trial-%1").arg(i);
    one.style = trialStyle(plotColors(false), static_cast<int>(i));
    one.data = data[i];
    content.series.push_back(one);
  }
  return content;
}

/// A plot on the screen with its first frame.
struct Shown {
  explicit Shown(PlotContent content, PlotNavigation* navigation = nullptr) : view("loss") {
    QPalette light(Qt::white);
    light.setColor(QPalette::Base, Qt::white);
    light.setColor(QPalette::Text, Qt::black);
    light.setColor(QPalette::WindowText, Qt::black);
    view.setPalette(light);
    view.resize(600, 320);
    view.setNavigation(navigation);
    view.setContent(std::move(content));
    view.show();
    shown = QTest::qWaitForWindowExposed(&view);
    view.redraw();
  }
  const PlotFrame& frame() const { return view.canvas()->frame(); }
  const PlotGeometry& geometry() const { return frame().geometry; }
  QImage picture() { return view.canvas()->grab().toImage(); }

  PlotView view;
  bool shown = false;
};

/// The pixels in which there is this colour, nearly undiluted.
QVector<QPoint> pixelsOf(const QImage& image, const QColor& color) {
  QVector<QPoint> found;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      const int distance = std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                           std::abs(pixel.blue() - color.blue());
      if (distance < 24) found << QPoint(x, y);
    }
  }
  return found;
}

}  // namespace

class PlotEdgesTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create("Fusion"));
  }

  void very_many_lines_are_few_to_draw_and_none_is_joined_to_another() {
    std::vector<Line> lines;
    for (int i = 0; i < 3000; ++i) {
      const bool isLeft = i % 4 < 2;
      const double height = i % 2 == 0 ? 0.25 : 0.75;
      lines.push_back(
          {i % 2 == 0 ? Qt::red : Qt::blue, 2, {{isLeft ? 0.0 : 0.6, height}, {isLeft ? 0.4 : 1.0, height}}});
    }
    lines.push_back({Qt::black, 2, {{0, 0.25}, {1, 0.25}}});  // as the reference, above all others
    LineChart chart;
    chart.setLines(lines);
    QCOMPARE(chart.seriesCount(), std::size_t{3});
    QImage image(200, 100, QImage::Format_RGB32);
    image.fill(Qt::white);
    {
      QPainter painter(&image);
      chart.paint(painter, QRectF(0, 0, 200, 100));
    }
    const auto has = [&image](int x, int y, const QColor& color) {
      for (int row = y - 1; row <= y + 1; ++row) {
        if (image.pixelColor(x, row) == color) return true;
      }
      return false;
    };
    for (const int x : {20, 180}) {
      QVERIFY(has(x, 25, Qt::blue));
      QVERIFY(has(x, 75, Qt::black) && !has(x, 75, Qt::red));
    }
    QVERIFY(!has(100, 25, Qt::blue));  // between the left ones and the right ones
    chart.setLines({lines.begin(), lines.begin() + 3});
    QCOMPARE(chart.seriesCount(), std::size_t{3});
  }

  void markers_of_lines_that_end_together_stand_beside_each_other_and_on_their_values_data() {
    QTest::addColumn<double>("unit");
    QTest::addColumn<XAxisKind>("kind");
    QTest::newRow("steps") << 1.0 << XAxisKind::Count;
    QTest::newRow("samples") << 64.0 << XAxisKind::Count;
    QTest::newRow("wall time") << 0.5 << XAxisKind::Seconds;
  }
  void markers_of_lines_that_end_together_stand_beside_each_other_and_on_their_values() {
    QFETCH(double, unit);
    QFETCH(XAxisKind, kind);
    const std::vector<double> same(51, 1.0);
    auto content = contentOf({series(places(51, unit), same), series(places(51, unit), same),
                              series(places(51, unit), same), series(places(51, unit), same)});
    content.xKind = kind;
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, 100 * unit});  // the run is half through: there is room for more values
    Shown plot(content, &navigation);
    const double end = plot.geometry().toPixelX(50 * unit);
    const QImage picture = plot.picture();
    const double y = plot.geometry().toPixelY(1);
    const double right = plot.geometry().area.right();
    double before = right;
    for (const auto& one : content.series) {
      QPointF sum;
      int count = 0;
      for (const QPoint& pixel : pixelsOf(picture, one.style.color)) {
        // Nothing of it between the end of the line, with half of a marker's 8 px, and the end of the plot.
        QVERIFY2(pixel.x() <= end + 5 || pixel.x() > right, qPrintable(QString("%1 after %2").arg(pixel.x()).arg(end)));
        if (pixel.x() <= right) continue;
        sum += QPointF(pixel) + QPointF(0.5, 0.5);
        ++count;
      }
      // A marker of about 50 px, on the value, to the right of the one before.
      QVERIFY2(count > 15, qPrintable(one.name));
      QVERIFY2(std::abs(sum.y() / count - y) < 1.5, qPrintable(QString("%1, not %2").arg(sum.y() / count).arg(y)));
      QVERIFY2(sum.x() / count > before + 4, qPrintable(one.name));
      before = sum.x() / count;
    }
  }

  void each_of_more_than_six_lines_has_a_column_of_its_own_beside_the_plot() {
    const std::vector<double> same(51, 1.0);
    const auto plotOf = [&same](int lines, std::size_t columns) {
      std::vector<std::shared_ptr<SeriesData>> all;
      for (int i = 0; i < lines; ++i) all.push_back(series(places(51), same));
      auto content = contentOf(all);
      content.laneColumns = columns;
      return std::make_unique<Shown>(content);
    };
    const auto nine = plotOf(9, 0);
    QCOMPARE(nine->geometry().laneColumns, std::size_t{9});
    QCOMPARE(nine->geometry().lane.width(), 72.0);  // 8 px each, as wide as a marker
    // Beside a plot of two lines as much room as beside one of four, where it is asked for.
    QCOMPARE(plotOf(2, 4)->geometry().area.right(), plotOf(4, 0)->geometry().area.right());
    QVERIFY(plotOf(2, 0)->geometry().area.right() > plotOf(4, 0)->geometry().area.right());
  }

  // On a logarithmic axis, whoever is above whom: the order of the columns is that of the series.
  void the_order_of_markers_beside_a_plot_is_that_of_the_series() {
    for (const bool rising : {true, false}) {
      std::vector<std::shared_ptr<SeriesData>> data;
      std::vector<double> ends = {0.1694, 0.1719, 0.1732};
      if (!rising) std::reverse(ends.begin(), ends.end());
      for (const double value : ends) {
        std::vector<double> falling(51, value);
        falling.front() = 10;
        data.push_back(series(places(51), falling));
      }
      auto content = contentOf(data);
      content.scale = YScale::Log10;
      Shown plot(content);
      const QImage picture = plot.picture();
      double before = plot.geometry().area.right();
      for (std::size_t i = 0; i < 3; ++i) {
        QPointF sum;
        int count = 0;
        for (const QPoint& pixel : pixelsOf(picture, content.series[i].style.color)) {
          if (pixel.x() <= plot.geometry().area.right()) continue;
          sum += QPointF(pixel) + QPointF(0.5, 0.5);
          ++count;
        }
        QVERIFY(count > 15);
        QVERIFY(std::abs(sum.y() / count - plot.geometry().toPixelY(std::log10(ends[i]))) < 1.5);
        QVERIFY(sum.x() / count > before + 4);
        before = sum.x() / count;
      }
    }
  }

  void markers_that_lie_apart_stand_on_their_values() {
    auto content =
        contentOf({series(places(51), std::vector<double>(51, 1.0)), series(places(51), std::vector<double>(51, 2.0))});
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, 100});
    Shown plot(content, &navigation);
    const QImage picture = plot.picture();
    for (std::size_t i = 0; i < 2; ++i) {
      const double y = plot.geometry().toPixelY(1.0 + static_cast<double>(i));
      for (const QPoint& pixel : pixelsOf(picture, content.series[i].style.color)) {
        QVERIFY2(std::abs(pixel.y() - y) <= 6, qPrintable(QString::number(pixel.y() - y)));
      }
    }
  }

  void of_very_many_lines_that_end_together_no_marker_leaves_the_plot() {
    std::vector<std::shared_ptr<SeriesData>> many;
    for (int i = 0; i < 30; ++i) many.push_back(series(places(51), std::vector<double>(51, 1.0)));
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, 100});
    Shown plot(contentOf(many), &navigation);
    const double end = plot.geometry().toPixelX(50);
    const QImage picture = plot.picture();
    for (int x = qRound(end) + 7; x < qRound(plot.geometry().area.right()); ++x) {
      const QColor pixel = picture.pixelColor(x, qRound(plot.geometry().toPixelY(1.0)) - 4);
      QVERIFY2(pixel.saturation() < 30, qPrintable(QString::number(x)));
    }
  }

  // Values beyond the top between values in sight: at the first sample and the last one the line leaves the plot.
  void a_line_that_leaves_the_range_is_drawn_up_to_the_edge_data() {
    QTest::addColumn<bool>("smoothed");
    QTest::addColumn<int>("count");
    QTest::addColumn<double>("high");
    for (const double high : {100.0, 1e6}) {
      for (const int count : {5, 60, 5000}) {
        for (const bool smoothed : {false, true}) {
          QTest::addRow("%s %d to %g", smoothed ? "smoothed" : "measured", count, high) << smoothed << count << high;
        }
      }
    }
  }
  void a_line_that_leaves_the_range_is_drawn_up_to_the_edge() {
    QFETCH(bool, smoothed);
    QFETCH(int, count);
    QFETCH(double, high);
    std::vector<double> y(static_cast<std::size_t>(count), 0.5);
    for (std::size_t i = y.size() / 2; i < y.size(); ++i) y[i] = high;
    auto content = contentOf({series(places(y.size()), y)});
    content.live = false;  // 2 px: a pixel at least is of the line's colour alone
    if (smoothed) {
      content.smoothing.kind = Smoothing::Kind::Exponential;
      content.smoothing.weight = 0.1;
    }
    Shown plot(content);
    plot.view.navigation()->zoomBox({0, static_cast<double>(count - 1)}, "loss", {0, 1});
    plot.view.redraw();
    const QColor color = content.series[0].style.color;
    int top = 1000;
    for (const QPoint& pixel : pixelsOf(plot.picture(), color)) top = std::min(top, pixel.y());
    const double edge = plot.geometry().area.top();
    QVERIFY2(top <= edge + 2, qPrintable(QString("%1 below %2").arg(top).arg(edge)));
  }

  // A gradient norm that is zero from some step on: its average would fall to 10^-11 and take the axis along.
  void a_smoothed_line_ends_where_zeros_begin_on_a_logarithmic_axis() {
    std::vector<double> dying(300, 0.0);
    std::fill(dying.begin(), dying.begin() + 50, 3.0);
    auto content = contentOf({series(places(300), dying), series(places(300), std::vector<double>(300, 5.0))});
    content.scale = YScale::Log10;
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content);
    const auto& smoothed = plot.frame().series.front().smoothed.samples;
    QVERIFY(!smoothed.empty());
    QCOMPARE(smoothed.back().x, 49.0);
    for (const Sample& sample : smoothed) QVERIFY(std::abs(sample.y - 3) < 1e-9);
    // Beside the plot its marker stands where its newest value is: in the row of zeros.
    QCOMPARE(plot.frame().series.front().beside.value_or(0), plot.geometry().zeroRow.center().y());
    QVERIFY(plot.geometry().y.low > -1 && plot.geometry().y.high < 2);
  }

  void the_words_of_how_much_is_behind_the_picture_lie_on_no_line() {
    std::vector<double> flat(5000, 1.0);
    flat[2500] = 10;
    flat[20] = flat[4450] = std::nan("");  // in the row above the lines, where the words would be
    Shown plot(contentOf({series(places(5000), flat)}));
    plot.view.resize(600, 170);  // the line is near the axis, where the words begin to look for room
    QTRY_VERIFY(plot.view.canvas()->height() < 170);
    plot.view.navigation()->zoomX({0, 4500}, PlotNavigation::Gesture::New);  // no end of the line is in the way
    plot.view.redraw();
    QVERIFY(!plot.frame().note.isEmpty());
    const QImage picture = plot.picture();
    // How much of the line's colour there is from its upper to its lower edge; behind words there is a quarter of it.
    const auto ink = [&](int x) {
      int sum = 0;
      const int y = qRound(plot.geometry().toPixelY(1));
      for (int row = y - 2; row <= y + 2; ++row) sum += 255 - picture.pixelColor(x, row).red();
      return sum;
    };
    const int least = ink(qRound(plot.geometry().toPixelX(1500))) * 2 / 3;
    QVERIFY(least > 100);
    for (int x = qRound(plot.geometry().area.left()) + 8; x < plot.geometry().toPixelX(4490); ++x) {
      const auto isNear = [&](double place) { return std::abs(x - plot.geometry().toPixelX(place)) < 4; };
      if (isNear(1000) || isNear(2000) || isNear(2500) || isNear(3000) || isNear(4000)) continue;  // the grid, the peak
      QVERIFY2(ink(x) > least, qPrintable(QString::number(x)));
    }
  }

  void marks_of_non_finite_values_that_share_a_triangle_stand_above_it_and_leave_it_whole() {
    std::vector<double> values(200, 1.0);
    values[100] = values[103] = std::numeric_limits<double>::infinity();
    Shown plot(contentOf({series(places(200), values)}));
    QCOMPARE(plot.frame().nonFinite.size(), std::size_t(2));
    const double from = plot.frame().nonFinite[0].pixel;
    const double to = plot.frame().nonFinite[1].pixel;
    QVERIFY2(to - from > 5 && to - from < 11, qPrintable(QString::number(to - from)));
    const QImage picture = plot.picture();
    QVector<int> triangle;
    bool isMarked = false;
    int word = 0;
    for (const QPoint& at : pixelsOf(picture, plotColors(false).bad)) {
      const double below = at.y() + 0.5 - plot.geometry().area.top();
      if (below > 4 && below < 5 && at.x() < to + 3) triangle << at.x();
      isMarked = isMarked || (below < 2 && std::abs(at.x() + 0.5 - to) < 1.5);
    }
    for (int x = qCeil(to) + 4; x < to + 30; ++x) {
      for (int y = 0; y < plot.geometry().lines.top(); ++y) {
        const QColor pixel = picture.pixelColor(x, y);
        if (pixel.red() - pixel.green() > 60) ++word;
      }
    }
    QVERIFY(isMarked);
    // Nothing but the triangle, as far to the left of its mark as to the right.
    QVERIFY2(triangle.size() >= 5 && triangle.size() <= 9, qPrintable(QString::number(triangle.size())));
    const auto [left, right] = std::minmax_element(triangle.begin(), triangle.end());
    QVERIFY2(std::abs((*left + *right + 1) / 2.0 - from) <= 1, qPrintable(QString::number(*right - from)));
    QVERIFY(word > 5);
  }

  void marks_of_several_kinds_that_share_a_triangle_are_all_drawn() {
    std::vector<double> values(200, 1.0);
    values[100] = values[102] = std::nan("");
    values[101] = values[103] = std::numeric_limits<double>::infinity();
    Shown plot(contentOf({series(places(200), values)}));
    QCOMPARE(plot.frame().nonFinite.size(), std::size_t(4));
    QSet<int> marked;
    for (const QPoint& at : pixelsOf(plot.picture(), plotColors(false).bad)) marked << at.x();
    for (const FrameNonFinite& mark : plot.frame().nonFinite) {
      // Of 1.5 px one at least is filled.
      QVERIFY(marked.contains(qFloor(mark.pixel)) || marked.contains(qFloor(mark.pixel) - 1));
    }
  }

  void an_axis_of_time_says_its_unit_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("name");
    QTest::newRow("tenths") << 1.0 << "time [s]";
    QTest::newRow("seconds") << 90.0 << "time [min:s]";
    QTest::newRow("minutes") << 1200.0 << "time [min:s]";
    QTest::newRow("hours") << 14400.0 << "time [h:min]";
  }
  void an_axis_of_time_says_its_unit() {
    QFETCH(double, seconds);
    QFETCH(QString, name);
    auto content = contentOf({series(places(2, seconds), {1, 2})});
    content.xKind = XAxisKind::Seconds;
    content.xName = "time";
    Shown plot(content);
    QCOMPARE(plot.frame().xName, name);
  }

  void a_narrow_axis_of_time_has_two_ticks_at_least() {
    // From 12 s to 5 min in room for two ticks: of 5 min each, none but one at the edge would lie within.
    std::vector<double> seconds;
    for (int i = 0; i <= 48; ++i) seconds.push_back(12 + 5.9 * i);
    auto content = contentOf({series(seconds, std::vector<double>(49, 1.0))});
    content.xKind = XAxisKind::Seconds;
    content.xName = "time";
    Shown plot(content);
    plot.view.resize(220, 320);
    plot.view.canvas()->grab();
    QVERIFY(plot.frame().geometry.area.width() < 200);
    const auto& ticks = plot.frame().xTicks;
    QVERIFY(ticks.size() >= 2);
    QCOMPARE(plot.frame().xName, QString("time [min:s]"));
    for (const Tick& tick : ticks) QVERIFY2(tick.label.contains(':'), qPrintable(tick.label));
  }

  void an_axis_of_steps_is_named_as_it_is() {
    Shown plot(contentOf({series(places(2), {1, 2})}));
    QCOMPARE(plot.frame().xName, QString("step"));
  }
};

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  PlotEdgesTests tests;
  return QTest::qExec(&tests, argc, argv);
}
#include "plot_edges_tests.moc"
