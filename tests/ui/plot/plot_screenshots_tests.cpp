// SPDX-License-Identifier: GPL-3.0-or-later
// Four plots as they stand on the Run page, live in light and paused in dark. With MANTISSA_SCREENSHOTS=FOLDER the
// pictures are kept to be looked at; QT_SCALE_FACTOR=1.5 makes them larger.
#include <QtTest/QtTest>

#include <QApplication>
#include <QGridLayout>
#include <QStyleFactory>

#include "tests/ui/plot/made_up_run.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_view.h"

using namespace mantissa::ui::plot;

namespace {

QPalette paletteOf(bool dark) {
  QPalette palette;
  const auto set = [&](std::initializer_list<QPalette::ColorRole> roles, const QColor& color) {
    for (const auto role : roles) palette.setColor(role, color);
  };
  set({QPalette::Window}, dark ? QColor(0x2b, 0x2d, 0x30) : QColor(0xef, 0xef, 0xef));
  set({QPalette::Base}, dark ? QColor(0x1e, 0x1f, 0x22) : QColor(Qt::white));
  set({QPalette::AlternateBase}, dark ? QColor(0x25, 0x27, 0x2a) : QColor(0xf6, 0xf7, 0xf8));
  set({QPalette::Button}, dark ? QColor(0x35, 0x37, 0x3b) : QColor(0xf4, 0xf4, 0xf4));
  set({QPalette::Text, QPalette::WindowText, QPalette::ButtonText},
      dark ? QColor(0xe6, 0xe6, 0xe6) : QColor(0x1b, 0x1d, 0x20));
  set({QPalette::Mid}, dark ? QColor(0x45, 0x48, 0x4d) : QColor(0xc8, 0xc8, 0xc8));
  return palette;
}

}  // namespace

class PlotScreenshotsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void four_plots_look_as_on_the_run_page_data() {
    QTest::addColumn<bool>("dark");
    QTest::addColumn<int>("steps");
    QTest::newRow("light") << false << 1640;
    QTest::newRow("dark") << true << 1640;
    QTest::newRow("light-million") << false << 1'000'000;
  }

  void four_plots_look_as_on_the_run_page() {
    QFETCH(bool, dark);
    QFETCH(int, steps);
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(paletteOf(dark));
    const auto& colors = plotColors(dark);
    const MadeUpRun run(static_cast<std::size_t>(steps));
    PlotNavigation navigation;
    PlotCursor cursor;
    if (steps < 2000) navigation.setExpectedRange(Range{0, 2000});
    QWidget page;
    page.resize(1042, 530);
    auto* grid = new QGridLayout(&page);
    grid->setContentsMargins(8, 8, 8, 8);
    grid->setSpacing(8);
    std::vector<PlotView*> views;
    auto index = 0;
    for (auto content : {run.loss(colors), run.scale(colors), run.deviation(colors), run.gradientNorm(colors)}) {
      content.live = !dark;
      auto* view = new PlotView(content.title);
      view->setNavigation(&navigation);
      view->setPlotCursor(&cursor);
      view->setContent(content);
      grid->addWidget(view, index / 2, index % 2);
      views.push_back(view);
      ++index;
    }
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    if (dark) cursor.setPosition(984);
    for (int tick = 0; tick < 2; ++tick) {
      for (auto* view : views) view->redraw();
    }
    const auto picture = page.grab();
    for (const auto* view : views) QVERIFY(!view->canvas()->frame().lines.empty());
    const auto folder = qEnvironmentVariable("MANTISSA_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    const auto percent = qRound(page.devicePixelRatioF() * 100);
    QVERIFY(picture.save(QString("%1/plots-%2-%3.png").arg(folder, QTest::currentDataTag()).arg(percent)));
    if (!dark) return;
    views[0]->exportTo(folder + "/export.png");
    views[2]->exportTo(folder + "/export.svg");
    views[0]->setTableShown(true);
    views[3]->setDifference(true);
    views[2]->resize(300, 200);
    for (auto* view : views) view->redraw();
    QVERIFY(page.grab().save(folder + "/plots-table.png"));
  }
};

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  PlotScreenshotsTests tests;
  return QTest::qExec(&tests, argc, argv);
}
#include "plot_screenshots_tests.moc"
