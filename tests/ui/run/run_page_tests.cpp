// SPDX-License-Identifier: GPL-3.0-or-later
// The Run page in its window: curves of an archive, a run driven by the keyboard with a stub in place of the engine.
#include <spdlog/spdlog.h>
#include <sqlite3.h>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStatusBar>
#include <QTest>

#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/ui/plot/picture_pixels.h"
#include "tests/ui/run/run_page_fixtures.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/plot/plot_canvas.h"
#include "ui/run/counters_table.h"
#include "ui/run/results_column.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_controls.h"
#include "ui/run/run_page.h"
#include "ui/run/step_panel.h"
#include "ui/shell/action_list.h"
#include "ui/shell/empty_state.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"

using namespace mantissa;
using namespace mantissa::ui;
using test::pixelsLike;

class RunPageTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_page = new run::RunPage(test::stub(test::slowSteps));
    m_fixture = std::make_unique<test::WindowFixture>(QVector<shell::Page*>{m_page});
    m_window = &m_fixture->window();
    QVERIFY(m_fixture->isShown());
  }
  void cleanup() { m_fixture.reset(); }

  void an_archive_shows_its_newest_experiment_in_every_chart() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    QTRY_VERIFY(m_page->isSettled());
    const plot::PlotColors& colors = plot::plotColors(plot::isDark(m_page->palette()));
    const auto& plots = m_page->charts()->plots();
    for (const plot::PlotView* const view : plots) {
      // Both trials in every chart (the loss scale is that of fp16 alone), the reference where it has values.
      const QImage picture = view->image({600, 300}, 1.0);
      QVERIFY2(pixelsLike(picture, colors.trials[0]) > 100, qPrintable(view->id()));
      if (view != plots[1]) QVERIFY2(pixelsLike(picture, colors.trials[1]) > 100, qPrintable(view->id()));
    }
    QVERIFY(pixelsLike(plots[0]->image({600, 300}, 1.0), colors.reference) > 100);
    QCOMPARE(plots[1]->content().marks.size(), std::size_t{1});
    QCOMPARE(m_page->findChild<shell::GlanceStrip*>()->answerOf(1), QStringLiteral("✓ 1 of 200 steps skipped (0.5 %)"));
  }

  void a_finished_run_that_cannot_be_read_whole_has_no_live_words() {
    test::makeExampleArchive(path("a.db"));
    sqlite3* handle = nullptr;
    QCOMPARE(sqlite3_open(path("a.db").toUtf8().constData(), &handle), SQLITE_OK);
    QCOMPARE(sqlite3_exec(handle, "DROP TABLE evaluations", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(handle);
    m_window->open(path("a.db"));
    QTRY_VERIFY(m_page->strip()->answerOf(4).endsWith(QStringLiteral("annot be read")));
    const auto texts = [this] {
      QStringList all;
      for (const QLabel* const label : m_page->findChildren<QLabel*>()) all << label->text();
      return all.join(u'|');
    };
    QVERIFY2(texts().contains(QStringLiteral("From the archive, for reading.")), qPrintable(texts()));
    QVERIFY2(!texts().contains(QStringLiteral("Live from")), qPrintable(texts()));
    QVERIFY2(!texts().contains(QStringLiteral("Time left")), qPrintable(texts()));
    QTRY_VERIFY(m_page->isSettled());
  }

  void a_click_on_a_skip_opens_its_record_and_so_does_return_in_the_counters() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    QTRY_VERIFY(m_page->isSettled());
    const plot::PlotCanvas* const scale = m_page->charts()->plot(run::Chart::Scale)->canvas();
    const plot::PlotFrame& frame = scale->frame();
    QCOMPARE(frame.markPixels.size(), std::size_t{1});
    QTest::mouseClick(m_page->charts()->plot(run::Chart::Scale)->canvas(), Qt::LeftButton, Qt::NoModifier,
                      QPoint(qRound(frame.markPixels[0]), qRound(frame.geometry.area.bottom()) - 3));
    run::StepPanel* const panel = m_page->stepPanel();
    QVERIFY(panel->isVisible());
    QVERIFY2(panel->text().startsWith(QStringLiteral("Step 1\nfp16\nSkipped\tcalibration: ")),
             qPrintable(panel->text()));
    QTest::keyClick(panel, Qt::Key_Escape);
    QVERIFY(!panel->isVisible());
    run::CountersTable* const counters = m_page->counters();
    counters->setFocus();
    counters->setCurrentIndex(counters->model()->index(1, 0));
    QTest::keyClick(counters, Qt::Key_Return);
    QVERIFY(panel->isVisible());
    panel->close();
  }

  void an_empty_archive_takes_the_place_of_another_one() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    archive::Writer(path("empty.db").toStdString()).close();
    m_window->open(path("empty.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{0});
    QVERIFY(m_page->findChild<shell::EmptyState*>()->isVisible());
  }

  void a_small_window_scrolls_charts_and_counters_instead_of_flattening_them() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    auto* const column = m_page->findChild<run::ResultsColumn*>();
    m_window->resize(1600, 1000);
    QTRY_VERIFY(!column->countersScroll());
    QVERIFY(!m_page->charts()->isAncestorOf(m_page->counters()));
    m_window->resize(1100, 700);
    QTRY_VERIFY(column->countersScroll());
    // What is drawn keeps room for its lines, and one chart at least is seen whole.
    const plot::PlotView* const first = m_page->charts()->plots().front();
    QTRY_VERIFY(first->visibleRegion().boundingRect() == first->rect());
    for (const plot::PlotView* const view : m_page->charts()->plots()) {
      QVERIFY2(view->canvas()->height() >= 88, qPrintable(view->id()));
    }
    QVERIFY(m_page->charts()->isAncestorOf(m_page->counters()));
    auto* const scroll = m_page->charts()->findChild<QScrollArea*>();
    const auto areCountersSeenAtTheEnd = [&] {
      scroll->verticalScrollBar()->setValue(scroll->verticalScrollBar()->maximum());
      return m_page->counters()->visibleRegion().boundingRect() == m_page->counters()->rect();
    };
    QTRY_VERIFY(areCountersSeenAtTheEnd());
    m_window->resize(1600, 1000);
    QTRY_VERIFY(!column->countersScroll());
    QVERIFY(!m_page->charts()->isAncestorOf(m_page->counters()));
    QTRY_VERIFY(m_page->counters()->isVisible());
  }

  void a_narrow_strip_cuts_its_details_before_its_answers() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    QTRY_VERIFY(m_page->isSettled());
    m_window->resize(1280, 800);
    QTest::qWait(50);
    for (const QLabel* const label : m_page->strip()->findChildren<QLabel*>()) {
      if (!label->font().bold()) continue;
      const int needed = label->fontMetrics().horizontalAdvance(label->text());
      QVERIFY2(needed <= label->width(), qPrintable(QStringLiteral("%1: %2 of %3 px, in %4")
                                                        .arg(label->text())
                                                        .arg(needed)
                                                        .arg(label->width())
                                                        .arg(m_page->strip()->width())));
    }
  }

  void a_long_answer_leaves_the_others_more_than_their_shortest_words() {
    auto statements = run::glance({}, {});
    statements[1].answer = QStringLiteral("12 of 2,000 steps skipped, the last one at step 1,204");
    statements[1].shorterAnswers = {QStringLiteral("12 skipped"), QStringLiteral("0.6 %")};
    statements[3].answer = QStringLiteral("mean loss 1.234, falling again");
    statements[3].shorterAnswers = {QStringLiteral("loss, falling")};
    shell::GlanceStrip strip(run::kStatements);
    strip.setStatements(statements);
    strip.show();
    bool isWhole = false;
    for (int width = 500; width <= 1600; width += 10) {
      strip.resize(width, 54);
      QTest::qWait(1);
      if (!strip.shownAnswer(3).contains(QStringLiteral("1.234"))) continue;
      isWhole = true;
      QVERIFY2(!strip.shownAnswer(1).contains(QStringLiteral("0.6 %")), qPrintable(QString::number(width)));
    }
    QVERIFY(isWhole);
  }

  // A screen of 1600 x 1000 pixels at 150 % has room for a window of 1066 x 666.
  void no_number_of_the_strip_is_cut_on_a_small_screen() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    QTRY_VERIFY(m_page->isSettled());
    m_window->resize(1066, 666);
    QTest::qWait(50);
    for (std::size_t i = 0; i < run::kStatements; ++i) {
      for (const QString& seen : {m_page->strip()->shownAnswer(i), m_page->strip()->shownDetail(i)}) {
        QVERIFY2(!seen.contains(QChar(0x2026)), qPrintable(seen));
      }
    }
  }

  void counters_are_in_sight_on_a_small_screen() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    m_window->resize(1066, 666);
    for (QDockWidget* const dock : m_window->findChildren<QDockWidget*>()) {
      if (m_window->dockWidgetArea(dock) == Qt::BottomDockWidgetArea) dock->hide();  // as at the first start there
    }
    auto* const column = m_page->findChild<run::ResultsColumn*>();
    QTRY_VERIFY(!column->countersScroll());
    QTRY_VERIFY(m_page->counters()->visibleRegion().boundingRect() == m_page->counters()->rect());
  }

  void the_axis_chooser_moves_every_curve() {
    test::makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_page->shownData().steps(), qint64{test::kSteps});
    m_page->charts()->axisChooser()->setCurrentIndex(static_cast<int>(run::XAxis::Samples));
    const auto& series = m_page->charts()->plots()[0]->content().series;
    QCOMPARE(series.at(0).data->x(0), 64.0);
  }

  void a_run_is_started_held_stepped_and_stopped_by_keys() {
    QVERIFY(!action("run")->isEnabled());
    m_window->open(writeExperiment());
    QVERIFY2(action("run")->isEnabled(), qPrintable(action("run")->toolTip()));
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY(m_page->shownData().steps() > 5);
    QVERIFY2(!action("run")->isEnabled(), "what runs is not run a second time");
    QTest::keyClick(m_window, Qt::Key_Space, Qt::ControlModifier);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Paused);
    QVERIFY(action("run_pause")->isChecked());
    QCOMPARE(shell::plainText(*action("run")), QStringLiteral("Resume"));
    QCOMPARE(shell::plainText(*action("run_pause")), QStringLiteral("Pause"));  // one way on has one name
    QTest::qWait(400);
    const qint64 held = m_page->shownData().steps();
    QTest::keyClick(m_window, Qt::Key_F6);
    QTRY_COMPARE(m_page->shownData().steps(), held + 1);
    QTest::keyClick(m_window, Qt::Key_Space, Qt::ControlModifier);
    QTRY_VERIFY(m_page->shownData().steps() > held + 5);
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
    QVERIFY(action("run")->isEnabled());
    QVERIFY(!action("run_stop")->isEnabled());
  }

  void what_was_stopped_goes_on_by_the_primary_button_and_begins_anew_by_another() {
    test::makeExampleArchive(path("a.db"), test::kSteps, record::Status::Stopped);
    const auto button = [this](const char* name) {
      return m_page->controls()->findChild<QPushButton*>(QString::fromLatin1(name));
    };
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->open(writeExperiment());
    QPushButton* const goOn = button("run_resume");
    QTRY_VERIFY(button("run")->isVisible());
    QVERIFY(goOn != nullptr && !goOn->isVisible() && !button("run_again")->isVisible());
    const QRect place = button("run")->geometry();
    const QRect pause = button("run_pause")->geometry();
    m_page->selectTrial(1);
    QTRY_VERIFY(goOn->isVisible());
    QVERIFY(goOn->font().bold() && goOn->isEnabled());
    QCOMPARE(goOn->text(), QStringLiteral("&Go on"));
    QVERIFY(!button("run")->isVisible());
    QVERIFY(button("run_again")->isVisible() && !button("run_again")->font().bold());
    QTRY_COMPARE(goOn->geometry(), place);  // and what stands beside it has not moved
    QCOMPARE(button("run_pause")->geometry(), pause);
    goOn->click();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QVERIFY(!goOn->isVisible() && button("run")->isVisible());
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void an_opened_experiment_waits_for_one_key_press() {
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window));
    m_window->open(writeExperiment());
    const QWidget* const focused = QApplication::focusWidget();
    QVERIFY(focused != nullptr);
    QCOMPARE(focused->objectName(), QStringLiteral("run"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    // A second press right after it, and one while the run begins, are none.
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QTest::keyClick(m_window, Qt::Key_F5);
    QCOMPARE(m_page->controller()->waiting().size(), std::size_t{1});  // the run itself
    QTRY_VERIFY(m_page->shownData().steps() > 1);
    QVERIFY(m_page->controller()->waiting().empty());
    QTRY_COMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("run_pause"));
    QCOMPARE(m_page->controller()->state(), worker::JobState::Running);
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void an_exported_chart_is_told_of_with_its_place() {
    Q_EMIT m_page->charts()->exported(QStringLiteral("/charts/loss.png"));
    QCOMPARE(m_window->statusBar()->currentMessage(), QStringLiteral("Chart written to /charts/loss.png"));
  }

  void closing_while_running_asks_once_and_then_stops() {
    int asked = 0;
    bool answer = false;
    shell::MainWindow::setCloseQuestion([&](QWidget*, const QString&) {
      ++asked;
      return answer;
    });
    m_window->open(writeExperiment());
    action("run")->trigger();
    QTRY_VERIFY(m_page->shownData().steps() > 1);
    m_window->close();
    QCOMPARE(asked, 1);
    QVERIFY(m_window->isVisible());
    QVERIFY(m_page->isBusy());
    answer = true;
    m_window->close();
    QTRY_VERIFY(!m_window->isVisible());
    QCOMPARE(asked, 2);
    QVERIFY(!m_page->isBusy());
  }

  void the_key_that_answers_the_close_question_presses_nothing_behind_it() {
    shell::MainWindow::setCloseQuestion([](QWidget*, const QString&) { return false; });
    m_window->open(writeExperiment());
    action("run")->trigger();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    auto* const pause = m_page->controls()->findChild<QPushButton*>(QStringLiteral("run_pause"));
    QVERIFY(pause != nullptr);
    pause->setFocus();
    m_window->close();
    QTest::keyClick(pause, Qt::Key_Return);
    QTest::keyClick(pause, Qt::Key_Space);
    QTest::qWait(shell::MessageStrip::kDeafMilliseconds + 20);
    QKeyEvent held(QEvent::KeyPress, Qt::Key_Return, {}, QStringLiteral("\r"), true);  // down all the time
    QCoreApplication::sendEvent(pause, &held);
    QTest::qWait(50);
    QCOMPARE(m_page->controller()->state(), worker::JobState::Running);
    QTest::keyClick(pause, Qt::Key_Return);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Paused);
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void a_wrong_experiment_file_leaves_a_strip_that_names_it() {
    QFile file(path("wrong.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mantissa = 1\nname = \"wrong\"\n[training]\nbatchsize = 3\n");
    file.close();
    m_window->open(file.fileName());
    const auto strips = m_page->findChildren<shell::MessageStrip*>();
    QCOMPARE(strips.size(), 1);
    QVERIFY2(strips[0]->sentence().contains(QStringLiteral("wrong.toml")), qPrintable(strips[0]->sentence()));
    QVERIFY(!action("run")->isEnabled());
    QVERIFY(action("run")->toolTip().contains(QStringLiteral("Open an experiment file first")));
  }

 private:
  QString path(const char* name) const { return m_fixture->path(name); }
  QAction* action(const char* name) const { return m_fixture->action(name); }

  QString writeExperiment() const { return test::writeExperiment(path("digits.toml")); }

  std::unique_ptr<test::WindowFixture> m_fixture;
  shell::MainWindow* m_window = nullptr;  ///< of the fixture
  run::RunPage* m_page = nullptr;
};

QTEST_MAIN(RunPageTests)
#include "run_page_tests.moc"
