// SPDX-License-Identifier: GPL-3.0-or-later
// The plot as a person uses it: what is drawn, and what mouse and keyboard do.
#include <QtTest/qtestspontaneevent.h>
#include <QtTest/QtTest>

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QScopeGuard>
#include <QScrollArea>
#include <QScrollBar>
#include <QStyleFactory>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

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

std::shared_ptr<SeriesData> series(const std::vector<double>& y) {
  auto positions = std::make_shared<PositionColumn>();
  auto data = std::make_shared<SeriesData>(positions);
  for (const auto value : y) {
    positions->append(static_cast<double>(positions->size()));
    data->append(value);
  }
  return data;
}

std::vector<double> wave(int count, double offset) {
  std::vector<double> y;
  for (int i = 0; i < count; ++i) y.push_back(offset + std::sin(i * 0.1));
  return y;
}

PlotContent contentOf(const std::vector<std::shared_ptr<SeriesData>>& data) {
  const auto& colors = plotColors(false);
  PlotContent content;
  content.title = "Loss";
  content.unit = "cross-entropy";
  content.xName = "step";
  for (std::size_t i = 0; i < data.size(); ++i) {
    PlotSeries one;
    one.id = i == 0 ? QString("reference") : QString("trial-%1").arg(i);
    one.name = one.id;
    one.isReference = i == 0;
    one.style = i == 0 ? referenceStyle(colors) : trialStyle(colors, static_cast<int>(i) - 1);
    one.data = data[i];
    content.series.push_back(one);
  }
  return content;
}

QPalette lightPalette() {
  QPalette palette(Qt::white);
  palette.setColor(QPalette::Base, Qt::white);
  palette.setColor(QPalette::Text, Qt::black);
  palette.setColor(QPalette::WindowText, Qt::black);
  return palette;
}

/// A plot on the screen with its first frame.
struct Shown {
  explicit Shown(PlotContent content, PlotNavigation* navigation = nullptr, PlotCursor* cursor = nullptr)
      : view("loss") {
    view.setPalette(lightPalette());
    view.resize(600, 320);
    view.setNavigation(navigation);
    view.setPlotCursor(cursor);
    view.setContent(std::move(content));
    view.show();
    shown = QTest::qWaitForWindowExposed(&view);
    view.redraw();
  }

  const PlotFrame& frame() const { return view.canvas()->frame(); }
  QRectF area() const { return frame().geometry.area; }
  QPoint at(double shareX, double shareY) const {
    return {qRound(area().left() + shareX * area().width()), qRound(area().top() + shareY * area().height())};
  }
  QImage picture() { return view.canvas()->grab().toImage(); }

  void wheel(const QPoint& where, int notches, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWheelEvent event(where, view.canvas()->mapToGlobal(where), {}, {0, notches * 120}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(view.canvas(), &event);
    view.redraw();
  }
  void key(int code, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(view.canvas(), static_cast<Qt::Key>(code), modifiers);
    view.redraw();
  }
  void drag(const QPoint& from, const QPoint& to, Qt::MouseButton button = Qt::LeftButton) {
    const auto send = [&](QEvent::Type type, const QPoint& where, Qt::MouseButtons held) {
      const auto which = type == QEvent::MouseMove ? Qt::NoButton : button;
      QMouseEvent event(type, where, view.canvas()->mapToGlobal(where), which, held, Qt::NoModifier);
      QApplication::sendEvent(view.canvas(), &event);
    };
    send(QEvent::MouseButtonPress, from, button);
    send(QEvent::MouseMove, (from + to) / 2, button);
    send(QEvent::MouseMove, to, button);
    send(QEvent::MouseButtonRelease, to, Qt::NoButton);
    view.redraw();
  }

  PlotView view;
  bool shown = false;
};

/// Two plots below each other on a page that scrolls: the second is out of sight.
struct Scrolled {
  Scrolled() {
    auto* const inner = new QWidget;
    auto* const layout = new QVBoxLayout(inner);
    for (PlotView** const view : {&first, &second}) {
      *view = new PlotView(view == &first ? QStringLiteral("first") : QStringLiteral("second"));
      (*view)->setFixedHeight(300);
      auto content = contentOf({series(wave(100, 0))});
      content.series[0].style = trialStyle(plotColors(false), 0);
      (*view)->setContent(content);
      layout->addWidget(*view);
    }
    area.setWidget(inner);
    area.setWidgetResizable(true);
    area.setPalette(lightPalette());
    area.resize(500, 260);
    area.show();
    shown = QTest::qWaitForWindowExposed(&area);
    redraw();
  }
  void redraw() const {
    first->redraw();
    second->redraw();
  }

  QScrollArea area;
  PlotView* first = nullptr;
  PlotView* second = nullptr;
  bool shown = false;
};

int pixelsLike(const QImage& image, const QColor& color, const QRect& where, int tolerance = 60) {
  int count = 0;
  for (int y = std::max(0, where.top()); y <= std::min(image.height() - 1, where.bottom()); ++y) {
    for (int x = std::max(0, where.left()); x <= std::min(image.width() - 1, where.right()); ++x) {
      const auto pixel = image.pixelColor(x, y);
      const auto difference = std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                              std::abs(pixel.blue() - color.blue());
      if (difference <= tolerance) ++count;
    }
  }
  return count;
}

bool nearly(double found, double expected, double tolerance) { return std::abs(found - expected) <= tolerance; }

}  // namespace

class PlotViewTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QLocale::setDefault(QLocale::c());
    QApplication::setStyle(QStyleFactory::create("Fusion"));
  }

  // --- drawing ---------------------------------------------------------------------------------------------------

  void every_series_is_drawn_in_its_colour() {
    auto content = contentOf({series(wave(200, 0)), series(wave(200, 5)), series(wave(200, 10))});
    content.live = false;  // 2 px: at least one pixel of each column has the full colour
    Shown plot(content);
    QVERIFY(plot.shown);
    const auto picture = plot.picture();
    const auto area = plot.area().toRect();
    for (const auto& one : plot.view.content().series) {
      // A line across the plot has at least a pixel in most of its columns.
      const auto count = pixelsLike(picture, one.style.color, area);
      QVERIFY2(count > area.width() / 2, qPrintable(QString("%1: %2 pixels").arg(one.id).arg(count)));
    }
  }

  void nothing_is_drawn_anew_while_nothing_changed() {
    Shown plot(contentOf({series(wave(50, 0))}));
    plot.view.redraw();
    QVERIFY(!plot.view.redraw());
    QVERIFY(plot.view.frameMilliseconds() > 0);
  }

  void new_values_are_drawn_by_the_next_redraw() {
    auto positions = std::make_shared<PositionColumn>();
    auto data = std::make_shared<SeriesData>(positions);
    Shown plot(contentOf({data}));
    QVERIFY(plot.frame().series.front().raw.samples.empty());
    positions->append(0);
    data->append(3);
    QVERIFY(plot.view.redraw());
    QCOMPARE(plot.frame().series.front().raw.samples.size(), std::size_t(1));
  }

  void hidden_plot_is_not_drawn() {
    auto positions = std::make_shared<PositionColumn>();
    auto data = std::make_shared<SeriesData>(positions);
    Shown plot(contentOf({data}));
    plot.view.hide();
    positions->append(0);
    data->append(3);
    QVERIFY(!plot.view.redraw());
    plot.view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot.view));
    QVERIFY(plot.view.redraw());
  }

  void what_changed_out_of_sight_is_drawn_as_it_comes_into_view() {
    Scrolled page;
    QScrollBar* const bar = page.area.verticalScrollBar();
    bar->setValue(bar->maximum());
    page.redraw();
    const QColor old = plotColors(false).trials[0];
    const QColor fresh = plotColors(false).trials[1];
    const auto inked = [&page](const QColor& color) {
      return pixelsLike(page.area.viewport()->grab().toImage(), color, page.area.viewport()->rect(), 40) > 40;
    };
    QVERIFY(inked(old));
    bar->setValue(0);
    QVERIFY(page.second->visibleRegion().isEmpty());
    auto other = contentOf({series(wave(100, 0))});
    other.series[0].style = trialStyle(plotColors(false), 1);
    page.second->setContent(other);
    page.redraw();
    QSignalSpy wanted(page.second, &PlotView::redrawNeeded);
    bar->setValue(bar->maximum());
    QVERIFY(!inked(old));
    QVERIFY(inked(fresh));
    QTRY_VERIFY(!wanted.isEmpty());  // the clock of the page is woken, and legend and table catch up
    // The same for values that came meanwhile, and for the table twin.
    bar->setValue(0);
    const auto growing = std::const_pointer_cast<SeriesData>(page.second->content().series[0].data);
    page.second->setTableShown(true);
    page.redraw();
    const auto positions = std::make_shared<PositionColumn>();
    for (int i = 0; i <= 100; ++i) positions->append(i);
    growing->setPositions(positions);
    growing->append(5.0);
    page.redraw();
    bar->setValue(bar->maximum());
    page.area.viewport()->grab();
    page.redraw();
    QCOMPARE(page.second->table()->model()->rowCount(), 101);
    page.second->setTableShown(false);
    QVERIFY(inked(fresh));
  }

  void million_values_are_drawn_as_two_a_pixel() {
    std::vector<double> y(1'000'000, 1.0);
    y[123'456] = 900;  // one outlier among 2,000 values of its pixel
    Shown plot(contentOf({series(y)}));
    const auto& raw = plot.frame().series.front().raw;
    QVERIFY(raw.samples.size() <= 2 * static_cast<std::size_t>(plot.area().width()) + 4);
    QVERIFY(plot.frame().note.startsWith("1000000 values") || plot.frame().note.startsWith("1,000,000 values"));
    const auto top = std::max_element(raw.samples.begin(), raw.samples.end(),
                                      [](const Sample& left, const Sample& right) { return left.y < right.y; });
    QCOMPARE(top->index, std::size_t(123'456));
  }

  void nan_interrupts_the_line_and_stands_as_a_mark_at_the_top() {
    auto y = wave(100, 3);
    for (int i = 40; i < 60; ++i) y[static_cast<std::size_t>(i)] = kNaN;
    Shown plot(contentOf({series(y)}));
    const auto picture = plot.picture();
    const auto& colors = plotColors(false);
    const auto area = plot.area().toRect();
    const QRect top(area.left(), 0, area.width(), 14);
    QVERIFY(pixelsLike(picture, colors.bad, top) > 30);
    // Between the values 39 and 60 there is no line.
    const auto left = static_cast<int>(plot.frame().geometry.toPixelX(39)) + 2;
    const auto right = static_cast<int>(plot.frame().geometry.toPixelX(60)) - 2;
    const QRect gap(left, area.top() + 16, right - left, area.height() - 18);
    QCOMPARE(pixelsLike(picture, colors.reference, gap, 40), 0);
  }

  void value_between_two_nan_is_drawn_as_a_dot() {
    Shown plot(contentOf({series({1, 2, kNaN, 1.5, kNaN, 2, 1})}));
    QCOMPARE(plot.frame().series.front().loneValues.size(), std::size_t(1));
    const auto dot = plot.frame().series.front().loneValues.front().toPoint();
    QVERIFY(pixelsLike(plot.picture(), plotColors(false).reference, QRect(dot - QPoint(2, 2), QSize(5, 5))) >= 5);
  }

  void infinities_are_named() {
    Shown plot(contentOf({series({1, kInfinity, 2, 3, 4, 5, 6, -kInfinity, 2})}));
    QCOMPARE(plot.frame().nonFinite.size(), std::size_t(2));
    QCOMPARE(plot.frame().nonFinite[0].text, QString::fromUtf8("+∞"));
    QCOMPARE(sentenceOf(plot.frame().nonFinite[0], plot.view.content()), QString::fromUtf8("reference: +∞ at step 1"));
    QCOMPARE(plot.frame().nonFinite[1].text, QString::fromUtf8("−∞"));
  }

  void zero_on_a_logarithmic_axis_has_a_row_of_its_own() {
    auto content = contentOf({series({1, 0.1, 0, 0, 0.01, 0.02})});
    content.scale = YScale::Log10;
    Shown plot(content);
    const auto& geometry = plot.frame().geometry;
    QVERIFY(!geometry.zeroRow.isEmpty());
    QCOMPARE(plot.frame().series.front().zeroPixels.size(), std::size_t(2));
    QVERIFY(pixelsLike(plot.picture(), plotColors(false).reference, geometry.zeroRow.toRect()) >= 20);
  }

  void loss_scale_is_labelled_with_powers_of_two() {
    auto content = contentOf({series({65536, 65536, 32768, 16384, 65536})});
    content.scale = YScale::Log2;
    content.series[0].steps = true;
    Shown plot(content);
    QVERIFY(!plot.frame().yTicks.empty());
    for (const auto& tick : plot.frame().yTicks) {
      QCOMPARE(tick.label, QString("2"));
      QCOMPARE(tick.exponent, QString::number(tick.height));
    }
    // Held until the next value: every point but the first comes with a corner.
    QVERIFY(plot.frame().lines.front().points.size() > 5);
  }

  void lines_are_thin_while_live_and_thick_when_paused() {
    auto content = contentOf({series(wave(100, 0))});
    Shown plot(content);
    QCOMPARE(plot.frame().lines.front().width, 1.0);
    plot.view.setLive(false);
    plot.view.redraw();
    QCOMPARE(plot.frame().lines.front().width, 2.0);
  }

  void picture_of_a_plot_that_was_never_shown_holds_all_of_it() {
    PlotView view("loss");
    view.setPalette(lightPalette());
    view.setContent(contentOf({series(wave(1000, 0))}));
    const auto image = view.image({600, 300}, 1);
    // 2 px lines leave their colour in most columns; the axis goes on for a fifth beyond the data.
    QVERIFY(pixelsLike(image, plotColors(false).reference, QRect(60, 40, 380, 230)) > 380);
  }

  void reference_is_drawn_last() {
    Shown plot(contentOf({series(wave(10, 0)), series(wave(10, 0))}));
    QCOMPARE(plot.frame().lines.back().color, plotColors(false).reference);
  }

  // The lines end where the plot does: each has its one marker there, beside it.
  void the_marker_of_a_line_stands_on_its_newest_value_and_another_one_there_beside_it() {
    const std::vector<double> flat(100, 5.0);
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, 99});
    Shown plot(contentOf({series(std::vector<double>(100, 1.0)), series(flat), series(flat)}), &navigation);
    const auto& frame = plot.frame();
    QVERIFY(frame.series.at(1).end.has_value());
    const QPointF end = *frame.series.at(1).end;
    const QImage picture = plot.picture();
    const auto placeOf = [&](const QColor& color) {
      QPointF sum;
      int count = 0;
      for (int y = qRound(end.y()) - 14; y <= qRound(end.y()) + 14; ++y) {
        for (int x = qRound(end.x()) + 2; x < picture.width(); ++x) {
          if (pixelsLike(picture, color, QRect(x, y, 1, 1)) == 0) continue;
          sum += QPointF(x + 0.5, y + 0.5);
          ++count;
        }
      }
      return count == 0 ? QPointF() : sum / count;
    };
    // Five pixels beyond the plot the columns begin, 10 wide each; the reference has the first one.
    const QPointF first = placeOf(plotColors(false).trials[0]);
    QVERIFY2(nearly(first.x(), end.x() + 20, 1.5) && nearly(first.y(), end.y(), 1.5),
             qPrintable(QStringLiteral("%1 %2, not %3 %4").arg(first.x()).arg(first.y()).arg(end.x()).arg(end.y())));
    const QPointF second = placeOf(plotColors(false).trials[1]);
    QVERIFY2(nearly(second.x(), end.x() + 30, 1.5) && nearly(second.y(), end.y(), 1.5),
             qPrintable(QStringLiteral("%1 %2, not %3 %4").arg(second.x()).arg(second.y()).arg(end.x()).arg(end.y())));
  }

  void smoothing_keeps_the_measured_values_faint_behind() {
    auto content = contentOf({series(wave(100, 0))});
    content.smoothing.kind = Smoothing::Kind::Exponential;
    Shown plot(content);
    QCOMPARE(plot.frame().series.front().faintLines.size(), std::size_t(1));
    QCOMPARE(plot.frame().series.front().faintLines.front().size(), 100);
    QCOMPARE(plot.frame().lines.size(), std::size_t(1));
  }

  void limit_and_band_are_drawn_and_named() {
    auto content = contentOf({series(wave(100, 0))});
    content.limits = {{0.5, "limit"}};
    content.bands = {{-0.5, 0.2, "run-to-run spread", {}}};
    Shown plot(content);
    const auto& geometry = plot.frame().geometry;
    const auto y = static_cast<int>(geometry.toPixelY(0.5));
    const auto picture = plot.picture();
    QVERIFY(pixelsLike(picture, Qt::black, QRect(plot.area().toRect().left(), y - 1, plot.area().toRect().width(), 3),
                       30) > plot.area().width() / 2);
    const auto inside = picture.pixelColor(plot.area().toRect().left() + 3, static_cast<int>(geometry.toPixelY(-0.2)));
    QVERIFY(inside.red() < 245 && inside.red() == inside.green());
  }

  void a_difference_is_linear_says_so_and_has_real_minus_signs() {
    auto content = contentOf({series({1, 2, 3}), series({0.9, 1.9, 2.9})});
    content.scale = YScale::Log10;
    content.scaleWord = "log";
    QCOMPARE(unitText(content), QString("cross-entropy, log"));
    Shown plot(content);
    plot.view.setDifference(true);
    plot.view.redraw();
    QCOMPARE(unitText(plot.view.content()), QString("cross-entropy, minus reference"));
    QCOMPARE(plot.view.accessibleName(), QString("Loss, cross-entropy, minus reference"));
    QVERIFY(!plot.frame().yTicks.empty());
    for (const Tick& tick : plot.frame().yTicks) QVERIFY2(!tick.label.contains(u'-'), qPrintable(tick.label));
    QVERIFY(plot.frame().yTicks.front().label.startsWith(QChar(0x2212)));
    const auto items = plot.view.findChildren<LegendItem*>();
    QVERIFY2(items.back()->accessibleName().contains(QChar(0x2212)), qPrintable(items.back()->accessibleName()));
    // What programs read keeps the hyphen.
    QVERIFY(plot.view.csv().find("-0.1") != std::string::npos);
  }

  void difference_to_the_reference_replaces_the_lines() {
    Shown plot(contentOf({series({1, 2, 3}), series({1.5, 2.5, 3.25})}));
    plot.view.setDifference(true);
    plot.view.redraw();
    QCOMPARE(plot.frame().series.size(), std::size_t(1));
    const auto& samples = plot.frame().series.front().raw.samples;
    QCOMPARE(samples[0].y, 0.5);
    QCOMPARE(samples[2].y, 0.25);
    QVERIFY(plot.view.csv() == "step,trial-1 - reference\n0,0.5\n1,0.5\n2,0.25\n");
  }

  void difference_is_offered_where_a_line_lies_on_the_reference() {
    const auto reference = wave(200, 3);
    auto near = reference;
    for (auto& value : near) value += 1e-4;
    Shown same(contentOf({series(reference), series(near)}));
    auto* offer = [](Shown& shown) {
      for (auto* button : shown.view.findChildren<QToolButton*>()) {
        if (button->accessibleName().startsWith("Difference")) return button;
      }
      return static_cast<QToolButton*>(nullptr);
    }(same);
    QVERIFY(offer != nullptr);
    QVERIFY(offer->isVisible());
    QTest::mouseClick(offer, Qt::LeftButton);
    QVERIFY(same.view.content().difference);
    same.view.redraw();
    QVERIFY(offer->isVisible());  // the way back
    QVERIFY(offer->isChecked());
    QTest::mouseClick(offer, Qt::LeftButton);
    QVERIFY(!same.view.content().difference);

    Shown apart(contentOf({series(reference), series(wave(200, 4))}));
    for (auto* button : apart.view.findChildren<QToolButton*>()) {
      if (button->accessibleName().startsWith("Difference")) QVERIFY(!button->isVisible());
    }
  }

  void strange_data_is_survived_data() {
    QTest::addColumn<QVector<double>>("y");
    QTest::newRow("nothing") << QVector<double>();
    QTest::newRow("one value") << QVector<double>{3};
    QTest::newRow("only NaN") << QVector<double>(100, kNaN);
    QTest::newRow("only zero") << QVector<double>(100, 0.0);
    QTest::newRow("negative") << QVector<double>{-1, -2, -3};
    QTest::newRow("denormal") << QVector<double>{5e-324, 1e-310, 2e-320};
    QTest::newRow("huge") << QVector<double>{-1.7e308, 1.7e308, 1e300};
    QTest::newRow("far apart") << QVector<double>{1e-300, 1e300, 1};
    QTest::newRow("constant") << QVector<double>(100, 1e15);
    QTest::newRow("one bit apart") << QVector<double>{1, std::nextafter(1.0, 2.0), 1};
  }

  void strange_data_is_survived() {
    QFETCH(QVector<double>, y);
    for (const auto scale : {YScale::Linear, YScale::Log10, YScale::Log2}) {
      auto content = contentOf({series(std::vector<double>(y.begin(), y.end()))});
      content.scale = scale;
      content.smoothing.kind = Smoothing::Kind::RunningMean;
      content.markRow = true;
      Shown plot(content);
      for (int i = 0; i < 30; ++i)
        plot.wheel(plot.at(0.5, 0.5), i < 20 ? 1 : -1, i % 2 == 0 ? Qt::NoModifier : Qt::ShiftModifier);
      plot.view.resize(60, 40);
      plot.view.redraw();
      QVERIFY(!plot.picture().isNull());
      const auto& range = plot.frame().geometry.y;
      QVERIFY(range.low < range.high);
    }
  }

  // --- mouse -----------------------------------------------------------------------------------------------------

  void wheel_zooms_x_about_the_pointer() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    const auto before = plot.view.navigation()->xRange();
    const auto where = plot.at(0.25, 0.5);
    const auto fixed = plot.frame().geometry.toPosition(where.x());
    plot.wheel(where, 2);
    const auto after = plot.view.navigation()->xRange();
    QVERIFY(nearly(after.length(), before.length() / (1.25 * 1.25), 1e-9 * before.length()));
    QVERIFY(nearly(plot.frame().geometry.toPosition(where.x()), fixed, 1e-6 * before.length()));
  }

  void wheel_zooms_out_no_farther_than_all_data() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    plot.wheel(plot.at(0.5, 0.5), 1);
    QVERIFY(plot.view.navigation()->isZoomed());
    plot.wheel(plot.at(0.5, 0.5), -5);
    QVERIFY(!plot.view.navigation()->isZoomed());
  }

  void a_wheel_that_can_zoom_out_no_farther_scrolls_the_page() {
    Scrolled page;
    QScrollBar* const bar = page.area.verticalScrollBar();
    const auto turn = [&page](int notches) {
      const QPoint where = page.first->canvas()->rect().center();
      QWheelEvent event(where, page.first->canvas()->mapToGlobal(where), {}, {0, notches * 120}, Qt::NoButton,
                        Qt::NoModifier, Qt::NoScrollPhase, false);
      QSpontaneKeyEvent::setSpontaneous(&event);  // others are not passed on to what lies around
      qApp->notify(page.first->canvas(), &event);
    };
    turn(1);
    QVERIFY(page.first->navigation()->isZoomed());
    turn(-1);
    QVERIFY(!page.first->navigation()->isZoomed());
    QCOMPARE(bar->value(), 0);
    turn(-1);
    QVERIFY(bar->value() > 0);
  }

  void no_gesture_leaves_the_data() {
    Shown plot(contentOf({series(wave(301, 0))}));
    const auto all = plot.view.navigation()->automaticRange();
    plot.wheel(plot.at(0.1, 0.5), 3);
    for (int i = 0; i < 20; ++i) plot.key(Qt::Key_PageDown);
    QCOMPARE(plot.view.navigation()->xRange().high, all.high);
    for (int i = 0; i < 20; ++i) plot.key(Qt::Key_PageUp);
    QCOMPARE(plot.view.navigation()->xRange().low, all.low);
    plot.wheel(plot.at(0.9, 0.5), -20);
    QCOMPARE(plot.view.navigation()->xRange(), all);
    plot.key(Qt::Key_PageDown);
    QVERIFY(!plot.view.navigation()->isZoomed());
    // Nor do values become a line at the height of nothing.
    const double needed = plot.frame().geometry.y.length();
    for (int i = 0; i < 40; ++i) plot.wheel(plot.at(0.5, 0.5), -1, Qt::ShiftModifier);
    QVERIFY(plot.frame().geometry.y.length() <= 4 * needed);
  }

  void a_range_without_data_says_so() {
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, 5000});
    Shown plot(contentOf({series(wave(301, 0))}), &navigation);
    QVERIFY(!plot.frame().isElsewhere);
    const QRect middle = plot.area().toRect().adjusted(100, 60, -100, -60);
    const auto before = pixelsLike(plot.picture(), QColor(90, 90, 90), middle, 150);
    navigation.zoomX({3000, 4000}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QVERIFY(plot.frame().isElsewhere);
    QVERIFY(pixelsLike(plot.picture(), QColor(90, 90, 90), middle, 150) > before + 50);  // the words
    navigation.zoomX({200, 1000}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QVERIFY(!plot.frame().isElsewhere);
    navigation.zoomY("loss", {50, 60}, PlotNavigation::Gesture::New);
    plot.view.redraw();
    QVERIFY(plot.frame().isElsewhere);
  }

  void shift_and_wheel_zoom_y() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    const auto x = plot.view.navigation()->xRange();
    const auto y = plot.frame().geometry.y;
    plot.wheel(plot.at(0.5, 0.5), 1, Qt::ShiftModifier);
    QCOMPARE(plot.view.navigation()->xRange(), x);
    QVERIFY(nearly(plot.frame().geometry.y.length(), y.length() / 1.25, 1e-9));
  }

  void dragging_zooms_into_the_box() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    const auto geometry = plot.frame().geometry;
    const auto from = plot.at(0.2, 0.3);
    const auto to = plot.at(0.6, 0.7);
    plot.drag(from, to);
    const auto& x = plot.frame().geometry.x;
    const auto& y = plot.frame().geometry.y;
    QVERIFY(nearly(x.low, geometry.toPosition(from.x()), 1e-6 * geometry.x.length()));
    QVERIFY(nearly(x.high, geometry.toPosition(to.x()), 1e-6 * geometry.x.length()));
    QVERIFY(nearly(y.high, geometry.toHeight(from.y()), 1e-6));
    QVERIFY(nearly(y.low, geometry.toHeight(to.y()), 1e-6));
  }

  void flat_box_zooms_x_alone() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    plot.drag(plot.at(0.2, 0.5), plot.at(0.6, 0.5) + QPoint(0, 2));
    QVERIFY(plot.view.navigation()->isZoomed());
    QVERIFY(!plot.view.navigation()->yRange("loss"));
  }

  void middle_button_pans() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    plot.wheel(plot.at(0.5, 0.5), 3);
    const auto before = plot.view.navigation()->xRange();
    plot.drag(plot.at(0.5, 0.5), plot.at(0.25, 0.5), Qt::MiddleButton);
    const auto after = plot.view.navigation()->xRange();
    QVERIFY(after.low > before.low);
    QVERIFY(nearly(after.length(), before.length(), 1e-6 * before.length()));
  }

  void double_click_shows_all_data_again() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    const auto before = plot.view.navigation()->xRange();
    plot.drag(plot.at(0.2, 0.3), plot.at(0.6, 0.7));
    QTest::mouseDClick(plot.view.canvas(), Qt::LeftButton, {}, plot.at(0.5, 0.5));
    plot.view.redraw();
    QCOMPARE(plot.view.navigation()->xRange(), before);
    QVERIFY(!plot.view.navigation()->yRange("loss"));
  }

  void click_on_a_skipped_step_tells_the_step() {
    auto content = contentOf({series(wave(1001, 0))});
    content.marks = {{100, 100, "Step 100: skipped", {}}, {500, 777, "Step 777: skipped", {}}};
    Shown plot(content);
    QSignalSpy clicked(&plot.view, &PlotView::markActivated);
    const auto x = qRound(plot.frame().geometry.toPixelX(500));
    QTest::mouseClick(plot.view.canvas(), Qt::LeftButton, {}, QPoint(x, qRound(plot.area().bottom()) - 3));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toLongLong(), 777);
    QVERIFY(pixelsLike(plot.picture(), plotColors(false).bad, QRect(x - 2, qRound(plot.area().bottom()) - 8, 5, 8),
                       200) >= 5);
  }

  void click_on_a_nan_mark_tells_where() {
    auto y = wave(1001, 0);
    y[300] = kNaN;
    Shown plot(contentOf({series(y)}));
    QSignalSpy clicked(&plot.view, &PlotView::nonFiniteActivated);
    QTest::mouseClick(plot.view.canvas(), Qt::LeftButton, {}, QPoint(qRound(plot.frame().geometry.toPixelX(300)), 6));
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked[0][0].toDouble(), 300.0);
  }

  void pointer_reads_all_linked_plots_at_the_nearest_step() {
    PlotNavigation navigation;
    PlotCursor cursor;
    Shown first(contentOf({series({1, 2, 3, 4, 5})}), &navigation, &cursor);
    Shown second(contentOf({series({10, 20, kNaN, 40, 50})}), &navigation, &cursor);
    first.view.redraw();
    QTest::mouseMove(first.view.canvas(), QPoint(qRound(first.frame().geometry.toPixelX(2.2)), 100));
    QVERIFY(cursor.position().has_value());
    QCOMPARE(*cursor.position(), 2.0);
    second.view.redraw();
    const auto* item = second.view.findChild<LegendItem*>();
    QVERIFY(item != nullptr);
    QCOMPARE(item->accessibleName(), QString("reference: NaN"));
    QCOMPARE(first.view.findChild<LegendItem*>()->accessibleName().left(11), QString("reference: "));
    cursor.setPosition(std::nullopt);
    second.view.redraw();
    QCOMPARE(item->accessibleName(), QString("reference: 50.00"));
  }

  void the_cursor_says_where_it_reads_below_its_line() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    const auto x = qRound(plot.frame().geometry.toPixelX(500));
    const QRect below(x - 8, qRound(plot.area().bottom()) + 4, 16, 8);
    const auto dark = [&] { return pixelsLike(plot.picture(), Qt::black, below, 60); };
    const int before = dark();
    plot.view.plotCursor()->setPosition(500);
    plot.view.redraw();
    QVERIFY2(dark() > before + 40, qPrintable(QString::number(dark())));
    plot.view.plotCursor()->setPosition(std::nullopt);
    plot.view.redraw();
    QCOMPARE(dark(), before);
  }

  void a_pointer_that_leaves_ends_the_cursor_even_after_a_click() {
    PlotCursor cursor;
    Shown plot(contentOf({series(wave(100, 0))}), nullptr, &cursor);
    plot.view.activateWindow();
    QTest::mouseMove(plot.view.canvas(), plot.at(0.4, 0.5));
    QTest::mouseClick(plot.view.canvas(), Qt::LeftButton, {}, plot.at(0.5, 0.5));
    QVERIFY(cursor.position().has_value());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(plot.view.canvas(), &leave);
    QVERIFY(!cursor.position());
    // Placed with the keyboard it stays until the focus goes, wherever the pointer is.
    plot.key(Qt::Key_Home);
    QApplication::sendEvent(plot.view.canvas(), &leave);
    QVERIFY(cursor.position().has_value());
    QFocusEvent gone(QEvent::FocusOut, Qt::TabFocusReason);
    QApplication::sendEvent(plot.view.canvas(), &gone);
    QVERIFY(!cursor.position());
    plot.key(Qt::Key_Home);
    plot.view.setTableShown(true);
    QVERIFY(!cursor.position());
  }

  void zoom_of_one_plot_is_that_of_the_linked_ones() {
    PlotNavigation navigation;
    Shown first(contentOf({series(wave(1001, 0))}), &navigation);
    Shown second(contentOf({series(wave(1001, 4))}), &navigation);
    first.wheel(first.at(0.5, 0.5), 2);
    QVERIFY(second.view.redraw());
    QCOMPARE(second.frame().geometry.x, first.frame().geometry.x);
  }

  void click_in_the_legend_hides_a_line() {
    Shown plot(contentOf({series(wave(100, 0)), series(wave(100, 3))}));
    auto items = plot.view.findChildren<LegendItem*>();
    QCOMPARE(items.size(), 2);
    QSignalSpy changed(&plot.view, &PlotView::seriesVisibilityChanged);
    QTest::mouseClick(items[1], Qt::LeftButton);
    plot.view.redraw();
    QCOMPARE(changed.size(), 1);
    QCOMPARE(plot.frame().series.size(), std::size_t(1));
    QCOMPARE(pixelsLike(plot.picture(), plotColors(false).trials[0], plot.area().toRect(), 40), 0);
    items[1]->setFocus();
    QTest::keyClick(items[1], Qt::Key_Space);
    plot.view.redraw();
    QCOMPARE(plot.frame().series.size(), std::size_t(2));
  }

  // --- keyboard --------------------------------------------------------------------------------------------------

  void arrows_move_the_cursor_and_read_it_out() {
    Shown plot(contentOf({series({1, 2, 4, 8, 16})}));
    plot.key(Qt::Key_Home);
    QCOMPARE(*plot.view.plotCursor()->position(), 0.0);
    plot.key(Qt::Key_Right);
    plot.key(Qt::Key_Right);
    QCOMPARE(*plot.view.plotCursor()->position(), 2.0);
    QCOMPARE(plot.view.canvas()->accessibleDescription(), QString("step 2: reference 4"));
    plot.key(Qt::Key_Left);
    QCOMPARE(*plot.view.plotCursor()->position(), 1.0);
    plot.key(Qt::Key_Escape);
    QVERIFY(!plot.view.plotCursor()->position());
  }

  void marks_are_reached_and_activated_with_the_keyboard() {
    auto y = wave(1001, 0);
    y[300] = kNaN;
    auto content = contentOf({series(y)});
    content.marks = {{100, 100, "Step 100: skipped", {}}};
    Shown plot(content);
    QSignalSpy marks(&plot.view, &PlotView::markActivated);
    QSignalSpy nonFinite(&plot.view, &PlotView::nonFiniteActivated);
    plot.key(Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(*plot.view.plotCursor()->position(), 100.0);
    plot.key(Qt::Key_Return);
    QCOMPARE(marks.size(), 1);
    plot.key(Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(*plot.view.plotCursor()->position(), 300.0);
    plot.key(Qt::Key_Return);
    QCOMPARE(nonFinite.size(), 1);
  }

  void keys_zoom_pan_and_reset() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    auto* navigation = plot.view.navigation();
    const auto all = navigation->xRange();
    for (int i = 0; i < 4; ++i) plot.key(Qt::Key_Plus);
    QVERIFY(nearly(navigation->xRange().length(), all.length() / 2.44140625, 1e-6));  // 1.25 to the fourth
    const auto zoomed = navigation->xRange();
    plot.key(Qt::Key_PageDown);
    QVERIFY(nearly(navigation->xRange().low, zoomed.low + zoomed.length() / 2, 1e-6));
    const auto y = plot.frame().geometry.y;
    plot.key(Qt::Key_Up);
    QVERIFY(plot.frame().geometry.y.length() < y.length());
    plot.key(Qt::Key_0);
    QCOMPARE(navigation->xRange(), all);
  }

  void selection_is_made_with_the_keyboard() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    plot.view.plotCursor()->setPosition(200);
    plot.key(Qt::Key_S);
    plot.view.plotCursor()->setPosition(600);
    plot.key(Qt::Key_S);
    QVERIFY(nearly(plot.view.navigation()->xRange().low, 200, 2));
    QVERIFY(nearly(plot.view.navigation()->xRange().high, 600, 2));
  }

  void alt_and_arrows_go_through_the_history_of_zooms() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    auto* navigation = plot.view.navigation();
    const auto all = navigation->xRange();
    plot.drag(plot.at(0.2, 0.5), plot.at(0.8, 0.5));
    const auto first = navigation->xRange();
    plot.drag(plot.at(0.3, 0.2), plot.at(0.6, 0.8));
    const auto second = navigation->xRange();
    plot.key(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(navigation->xRange(), first);
    QVERIFY(!navigation->yRange("loss"));
    plot.key(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(navigation->xRange(), all);
    QVERIFY(!navigation->canGoBack());
    plot.key(Qt::Key_Right, Qt::AltModifier);
    plot.key(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(navigation->xRange(), second);
    QVERIFY(navigation->yRange("loss").has_value());
  }

  void turns_of_the_wheel_that_follow_each_other_are_one_step_of_the_history() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    const auto all = plot.view.navigation()->xRange();
    for (int i = 0; i < 5; ++i) plot.wheel(plot.at(0.5, 0.5), 1);
    plot.view.navigation()->back();
    QCOMPARE(plot.view.navigation()->xRange(), all);
  }

  // --- ranges ----------------------------------------------------------------------------------------------------

  void axis_shows_the_expected_range_from_the_start() {
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, 2000});
    Shown plot(contentOf({series(wave(100, 0))}), &navigation);
    QCOMPARE(plot.frame().geometry.x, (Range{0, 2000}));
  }

  void axis_of_a_growing_run_moves_rarely() {
    PlotNavigation navigation;
    QObject plot;
    QSignalSpy moved(&navigation, &PlotNavigation::rangesChanged);
    for (int last = 1; last <= 10'000; ++last) navigation.reportExtent(&plot, Range{0, static_cast<double>(last)});
    QVERIFY(navigation.xRange().contains(10'000));
    // Each move adds a fifth: log(10,000) / log(1.2) = 51.
    QVERIFY2(moved.size() <= 52, qPrintable(QString::number(moved.size())));
  }

  void another_x_axis_starts_with_its_own_range() {
    PlotNavigation navigation;
    QObject plot;
    navigation.reportExtent(&plot, Range{0, 100'000});
    navigation.reportExtent(&plot, Range{0, 90});
    QVERIFY(navigation.xRange().high < 200);
  }

  void starting_over_forgets_zooms_and_the_way_back() {
    PlotNavigation navigation;
    Shown plot(contentOf({series(wave(1001, 0))}), &navigation);
    plot.drag(plot.at(0.2, 0.3), plot.at(0.6, 0.7));
    navigation.startOver(Range{0, 50});
    QVERIFY(!navigation.isZoomed() && !navigation.canGoBack());
    QVERIFY(!navigation.yRange("loss"));
    QCOMPARE(navigation.xRange(), (Range{0, 50}));
  }

  void plot_outlives_the_navigation_it_was_given() {
    auto navigation = std::make_unique<PlotNavigation>();
    Shown plot(contentOf({series(wave(100, 0))}), navigation.get());
    navigation.reset();
    plot.wheel(plot.at(0.5, 0.5), 1);
    QVERIFY(plot.view.navigation() != nullptr);
    QVERIFY(plot.view.navigation()->isZoomed());
  }

  // --- theme, words, access --------------------------------------------------------------------------------------

  void colours_follow_the_palette() {
    Shown plot(contentOf({series(wave(100, 0))}));
    QPalette dark = lightPalette();
    dark.setColor(QPalette::Base, QColor(0x1e, 0x1e, 0x1e));
    dark.setColor(QPalette::Text, Qt::white);
    plot.view.setPalette(dark);
    plot.view.redraw();
    const auto corner = plot.picture().pixelColor(qRound(plot.area().right()) - 2, qRound(plot.area().bottom()) - 3);
    QVERIFY(corner.lightness() < 80);
  }

  void series_take_the_new_colour_of_their_role_with_the_theme() {
    auto content = contentOf({series(wave(100, 0)), series(wave(100, 3))});
    content.bands = {{0, 1, "tolerance", plotColors(false).trials[0]}};
    Shown plot(content);
    plot.view.setColors(plotColors(true));
    plot.view.redraw();
    QCOMPARE(plot.view.content().series[0].style.color, plotColors(true).reference);
    QCOMPARE(plot.frame().series[1].style.color, plotColors(true).trials[0]);
    QCOMPARE(*plot.view.content().bands[0].color, plotColors(true).trials[0]);
  }

  void the_sign_of_the_menu_is_seen_after_the_theme_changes() {
    const QPalette before = QApplication::palette();
    const auto restore = qScopeGuard([&before] { QApplication::setPalette(before); });
    QPalette dark(QColor(0x2a, 0x2c, 0x30), QColor(0x2a, 0x2c, 0x30));
    QPalette light(QColor(0xee, 0xee, 0xee), QColor(0xee, 0xee, 0xee));
    const auto contrast = [](QWidget& view) {
      const auto* const button = view.findChild<PlotHeader*>()->findChild<QToolButton*>();
      const QImage picture = view.grab(QRect(button->mapTo(&view, QPoint(0, 0)), button->size())).toImage();
      int least = 255;
      int most = 0;
      for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
          const int lightness = picture.pixelColor(x, y).lightness();
          least = std::min(least, lightness);
          most = std::max(most, lightness);
        }
      }
      return most - least;
    };
    QApplication::setPalette(light);
    PlotView view("loss");
    view.setContent(contentOf({series(wave(100, 0))}));
    view.resize(600, 300);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QVERIFY(contrast(view) > 100);
    QApplication::setPalette(dark);
    QCoreApplication::processEvents();
    QVERIFY(view.palette().color(QPalette::Base).lightness() < 80);
    QVERIFY2(contrast(view) > 100, qPrintable(QString::number(contrast(view))));
  }

  void a_button_is_up_after_its_menu_closed_with_the_pointer_elsewhere() {
    Shown plot(contentOf({series(wave(100, 0))}));
    auto* const menu = plot.view.findChild<PlotHeader*>()->menu();
    QToolButton* button = nullptr;
    for (auto* const one : plot.view.findChildren<QToolButton*>()) {
      if (one->menu() == menu) button = one;
    }
    QVERIFY(button != nullptr);
    QCursor::setPos(plot.view.mapToGlobal(QPoint(100, 200)));
    const QImage before = button->grab().toImage();
    QTimer::singleShot(0, menu, [&] {
      QCursor::setPos(plot.view.mapToGlobal(QPoint(100, 200)));
      button->setAttribute(Qt::WA_UnderMouse);
      menu->close();
    });
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(!menu->isVisible());
    QCoreApplication::processEvents();
    QVERIFY(!button->isDown());
    QCOMPARE(button->grab().toImage(), before);
  }

  void plot_may_leave_the_legend_to_another() {
    Shown plot(contentOf({series(wave(100, 0)), series(wave(100, 3))}));
    plot.view.setLegendVisible(false);
    for (const auto* item : plot.view.findChildren<LegendItem*>()) QVERIFY(!item->isVisible());
  }

  void time_is_labelled_in_whole_seconds_minutes_and_hours_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QStringList>("labels");
    QTest::newRow("seconds") << 60.0 << QStringList({"0:00", "0:30", "1:00"});
    QTest::newRow("hours") << 14400.0 << QStringList({"0:00", "2:00", "4:00"});
  }

  void time_is_labelled_in_whole_seconds_minutes_and_hours() {
    QFETCH(double, seconds);
    QFETCH(QStringList, labels);
    auto content = contentOf({series(wave(2, 0))});
    content.xKind = XAxisKind::Seconds;
    PlotNavigation navigation;
    navigation.setExpectedRange(Range{0, seconds});
    Shown plot(content, &navigation);
    QStringList found;
    for (const auto& tick : plot.frame().xTicks) found << tick.label;
    // How many there are depends on the font.
    for (const auto& label : labels) QVERIFY2(found.contains(label), qPrintable(found.join(' ')));
  }

  void combinations_with_control_are_left_to_the_window() {
    Shown plot(contentOf({series(wave(1001, 0))}));
    QKeyEvent save(QEvent::KeyPress, Qt::Key_S, Qt::ControlModifier, "s");
    save.setAccepted(true);
    QApplication::sendEvent(plot.view.canvas(), &save);
    QVERIFY(!save.isAccepted());
  }

  void everything_that_takes_focus_has_a_name() {
    Shown plot(contentOf({series(wave(100, 0)), series(wave(100, 1))}));
    QCOMPARE(plot.view.canvas()->accessibleName(), QString("Plot of Loss, cross-entropy"));
    for (const auto* widget : plot.view.findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
      QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }
  }

  void labels_speak_the_language_of_the_user() {
    QLocale::setDefault(QLocale(QLocale::German));
    auto content = contentOf({series(wave(5000, 0))});
    Shown plot(content);
    QStringList labels;
    for (const auto& tick : plot.frame().xTicks) labels << tick.label;
    for (const auto& tick : plot.frame().yTicks) labels << tick.label;
    QLocale::setDefault(QLocale::c());
    QVERIFY2(labels.contains("2.000"), qPrintable(labels.join(' ')));
    QVERIFY2(labels.contains("0,5"), qPrintable(labels.join(' ')));
    QVERIFY(plot.view.csv().find("0,0\n") == 0 + std::string("step,reference\n").size());  // files do not
  }

  void legend_that_does_not_fit_goes_below_the_title() {
    std::vector<std::shared_ptr<SeriesData>> many;
    for (int i = 0; i < 8; ++i) many.push_back(series(wave(10, i)));
    Shown plot(contentOf(many));
    const auto items = plot.view.findChildren<LegendItem*>();
    QCOMPARE(items.size(), 8);
    for (const auto* item : items) {
      QVERIFY(item->geometry().right() <= item->parentWidget()->width());
      QVERIFY(item->geometry().bottom() <= item->parentWidget()->height());
    }
    QVERIFY(items.back()->y() > 0);
  }
};

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  PlotViewTests tests;
  return QTest::qExec(&tests, argc, argv);
}
#include "plot_view_tests.moc"
