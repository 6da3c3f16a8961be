// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a chart is done by keys and found in the list of actions, for the chart that a person means.
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>

#include <memory>
#include <utility>

#include "app/workbench/pages.h"
#include "tests/ui/shell/example_archive.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_search.h"
#include "ui/shell/theme.h"

using namespace mantissa;
using namespace mantissa::ui;

class ChartActionsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_box = std::make_unique<test::WindowFixture>(workbench::makePages());
    QVERIFY(m_box->isShown());
    m_box->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_box->window()));
    const QString file = m_box->path("charts.db");
    test::makeExampleArchive(file, 50);
    QSignalSpy settled(&m_box->window(), &shell::MainWindow::archiveSettled);
    m_box->window().openArchive(file);
    QTRY_VERIFY(!settled.isEmpty());
    m_box->window().showPage(QStringLiteral("run"));
    QTRY_VERIFY(m_box->window().page(QStringLiteral("run"))->isSettled());
  }
  void cleanup() {
    m_box.reset();
    m_theme.reset();
  }

  void table_axis_and_difference_are_those_of_the_chart_that_has_the_keyboard() {
    plot::PlotView* const loss = chart("loss");
    plot::PlotView* const gradient = chart("gradient");
    gradient->canvas()->setFocus();
    press(Qt::Key_T, Qt::ControlModifier);
    QVERIFY(gradient->isTableShown());
    QVERIFY(!loss->isTableShown());
    press(Qt::Key_T, Qt::ControlModifier);
    QVERIFY(!gradient->isTableShown());
    press(Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(gradient->content().scale, plot::YScale::Linear);
    QCOMPARE(loss->content().scale, plot::YScale::Log10);
    press(Qt::Key_D, Qt::ControlModifier);
    QVERIFY(gradient->content().difference);
    QVERIFY(!loss->content().difference);
  }

  void with_the_keyboard_elsewhere_the_chart_that_was_used_last_is_meant() {
    chart("gradient")->canvas()->setFocus();
    search().setFocus();
    press(Qt::Key_T, Qt::ControlModifier);
    QVERIFY(chart("gradient")->isTableShown());
    QVERIFY(!chart("loss")->isTableShown());
  }

  void the_key_of_the_table_works_from_the_menu_button_too() {
    plot::PlotView* const loss = chart("loss");
    for (QToolButton* const button : loss->findChildren<QToolButton*>()) {
      if (button->menu() == nullptr || !button->isVisible()) continue;
      button->setFocus();
      press(Qt::Key_T, Qt::ControlModifier);
      QVERIFY(loss->isTableShown());
      return;
    }
    QFAIL("no menu button");
  }

  void files_are_written_by_keys_data() {
    QTest::addColumn<int>("key");
    QTest::addColumn<QString>("ending");
    QTest::newRow("PNG") << int(Qt::Key_P) << "png";
    QTest::newRow("SVG") << int(Qt::Key_G) << "svg";
    QTest::newRow("CSV") << int(Qt::Key_T) << "csv";
  }
  void files_are_written_by_keys() {
    QFETCH(int, key);
    QFETCH(QString, ending);
    const QString file = m_box->path("chart.") + ending;
    plot::PlotView::setFileChooser([&file](QWidget*, const QString&, const QString&, const QString&) { return file; });
    chart("loss")->canvas()->setFocus();
    press(key, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(QFileInfo(file).size() > 0);
  }

  void a_chart_is_copied_by_its_key() {
    QGuiApplication::clipboard()->clear();
    chart("loss")->canvas()->setFocus();
    press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!QGuiApplication::clipboard()->image().isNull());
  }

  void smoothing_goes_and_comes_back() {
    const auto kind = [this] { return chart("loss")->content().smoothing.kind; };
    QCOMPARE(kind(), plot::Smoothing::Kind::Exponential);
    press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(kind(), plot::Smoothing::Kind::None);
    press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(kind(), plot::Smoothing::Kind::Exponential);
  }

  void the_newest_steps_come_back_by_a_key() {
    plot::PlotNavigation* const navigation = chart("loss")->navigation();
    const double newest = navigation->xRange().high;
    navigation->zoomX({1, 2}, plot::PlotNavigation::Gesture::New);
    QVERIFY(!navigation->isEndInSight());
    press(Qt::Key_F6, Qt::ShiftModifier);
    QVERIFY(navigation->isEndInSight());
    QVERIFY(navigation->xRange().high <= newest);
  }

  void what_a_chart_cannot_do_is_said() {
    chart("scale")->canvas()->setFocus();
    press(Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(chart("scale")->content().scale, plot::YScale::Log2);
    QCOMPARE(m_box->window().statusBar()->currentMessage(),
             QStringLiteral("Loss scale always stands as powers of two."));
    m_box->window().showPage(QStringLiteral("archive"));
    press(Qt::Key_T, Qt::ControlModifier);
    QCOMPARE(m_box->window().statusBar()->currentMessage(), QStringLiteral("No chart is in view."));
  }

  void they_are_found_by_words() {
    const std::pair<const char*, const char*> searches[] = {{"png", "Chart: Export the chart as PNG"},
                                                            {"svg", "Chart: Export the chart as SVG"},
                                                            {"csv", "Chart: Export the values as CSV"},
                                                            {"log axis", "Chart: Logarithmic axis of the chart"},
                                                            {"difference", "Chart: Difference to the reference"},
                                                            {"smooth", "Chart: Smoothing of the charts"},
                                                            {"chart table", "Chart: Table of the chart"},
                                                            {"copy chart", "Chart: Copy the chart"}};
    for (const auto& [words, best] : searches) {
      const QStringList found = search().matches(QString::fromLatin1(words));
      QVERIFY2(!found.isEmpty() && found.first().startsWith(QLatin1String(best)), qPrintable(found.join(u'\n')));
    }
  }

 private:
  shell::ActionSearch& search() { return *m_box->window().findChild<shell::ActionSearch*>(); }
  plot::PlotView* chart(const char* id) { return m_box->window().findChild<plot::PlotView*>(QString::fromLatin1(id)); }
  static void press(int key, Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(QApplication::focusWidget(), static_cast<Qt::Key>(key), modifiers);
  }

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<test::WindowFixture> m_box;
};

QTEST_MAIN(ChartActionsTests)
#include "chart_actions_tests.moc"
