// SPDX-License-Identifier: GPL-3.0-or-later
// What the Run page says beside its charts is true for as long as it stands there: strips, notes and the pre-flight.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QMap>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStatusBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tests/ui/run/run_page_fixtures.h"
#include "tests/ui/shell/strip_sentences.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/models/name_words.h"
#include "ui/models/trial_tree_model.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_controls.h"
#include "ui/run/run_page.h"
#include "ui/shell/action_list.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/coming_page.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/strip_place.h"

using namespace mantissa;
using namespace mantissa::ui;
using test::kSteps;
using test::makeExampleArchive;

class RunStripsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_resumed = 0;
    m_lookAheadWaits = false;
    const auto work = [this](const worker::Job& job, session::Observer& observer, session::RunControl& control) {
      if (const auto* resume = std::get_if<worker::Job::Resume>(&job.work)) m_resumed = resume->options.trial;
      return test::slowSteps(job, observer, control);
    };
    const auto lookAhead = [this](const worker::Job::Run& run, const session::StopToken&,
                                  const session::ArmTeller& tell) {
      tell("fp16");
      while (m_lookAheadWaits) QTest::qSleep(1);
      session::Preflight found;
      found.steps = 100;
      found.timed_steps = 20;
      found.step_seconds = 36;
      found.training_seconds = run.experiment.name == "dm" ? 3600 : 7200;
      found.rules = "{}";
      found.rules_sha256 = "0123abcd4567";
      return found;
    };
    m_page = new run::RunPage(test::stub(work, lookAhead));
    auto* const other = new shell::ComingPage(QStringLiteral("other"), QStringLiteral("Other"), QString());
    m_fixture = std::make_unique<test::WindowFixture>(QVector<shell::Page*>{m_page, other});
    m_window = &m_fixture->window();
    QVERIFY(m_fixture->isShown());
  }
  void cleanup() {
    m_lookAheadWaits = false;
    m_fixture.reset();
  }

  void what_was_opened_during_a_run_is_what_run_starts_and_the_page_says_so() {
    m_window->open(write("dm"));
    QTRY_VERIFY(preflightSays("1 h 00 min"));
    begin();
    m_window->open(write("other"));
    QVERIFY2(told().startsWith(QStringLiteral("other.toml is open. Queue it")), qPrintable(told()));
    end();
    QTRY_VERIFY2(!told().contains(QStringLiteral("Queue it")), qPrintable(told()));
    QVERIFY2(told().contains(QStringLiteral("other.toml is open, and Run starts it.")), qPrintable(told()));
    QVERIFY(labels().contains(QStringLiteral("Run starts other.toml, into archive.db.")) ||
            labels().join(u'|').contains(QStringLiteral("Run starts other.toml, into ")));
    begin();
    QVERIFY(labels().contains(QStringLiteral("other")));
    QVERIFY2(!told().contains(QStringLiteral("other.toml")), qPrintable(told()));
    QVERIFY(!preflightSays("1 h 00 min"));  // which was found out of dm
    end();
  }

  void what_waits_aside_can_be_shown_and_is_looked_at_then() {
    m_window->open(write("dm"));
    begin();
    m_window->open(write("other"));
    end();
    QTRY_VERIFY(told().contains(QStringLiteral("Run starts it")));
    press(QStringLiteral("Show it"));
    QVERIFY(labels().contains(QStringLiteral("other")));
    QVERIFY2(!told().contains(QStringLiteral("other.toml")), qPrintable(told()));
    QTRY_VERIFY(preflightSays("2 h 00 min"));
  }

  void what_was_queued_is_no_longer_told_to_wait() {
    m_window->open(write("dm"));
    begin();
    m_window->open(write("other"));
    action("run_queue")->trigger();
    QVERIFY2(!told().contains(QStringLiteral("other.toml")), qPrintable(told()));
    m_page->controller()->clearWaiting();
    end();
    QTest::qWait(20);
    QVERIFY2(!told().contains(QStringLiteral("other.toml")), qPrintable(told()));
  }

  void of_very_many_trials_the_first_are_listed_and_the_others_counted() {
    const std::vector<std::pair<QString, QString>> trials(2000, {QStringLiteral("trial"), QStringLiteral("BF16")});
    m_page->controls()->showExperiment(QStringLiteral("sweep"), {}, {}, trials);
    QCOMPARE(labels().filter(QStringLiteral("BF16")).size(), 40);
    QVERIFY(labels().contains(QStringLiteral("and 1,960 more trials")));
  }

  void without_a_folder_of_its_own_the_note_asks_for_an_archive() {
    const QByteArray data = qgetenv("XDG_DATA_HOME");
    const QByteArray home = qgetenv("HOME");
    qunsetenv("XDG_DATA_HOME");
    qunsetenv("HOME");
    m_window->open(write("dm"));
    const QStringList told = labels();
    qputenv("XDG_DATA_HOME", data);
    qputenv("HOME", home);
    QVERIFY2(told.join(u'|').contains(QStringLiteral("open or create an archive to run into")),
             qPrintable(told.join(u'|')));
    QVERIFY(told.filter(QStringLiteral("Runs into .")).isEmpty());
  }

  void the_note_names_the_archive_that_is_written() {
    makeExampleArchive(path("a.db"));
    makeExampleArchive(path("b.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->open(write("dm"));
    begin();
    QVERIFY(labels().contains(QStringLiteral("Runs into a.db.")));
    m_window->open(path("b.db"));
    QTRY_COMPARE(m_window->archive(), path("b.db"));
    QVERIFY2(labels().contains(QStringLiteral("Runs into a.db.")), qPrintable(labels().join(u'|')));
    QTRY_VERIFY(windowLabels().contains(QStringLiteral("dm into a.db")));
    end();
    QTRY_VERIFY2(labels().contains(QStringLiteral("Runs into b.db.")), qPrintable(labels().join(u'|')));
  }

  void a_stopped_run_is_told_of_no_longer_when_another_experiment_is_shown() {
    makeExampleArchive(path("a.db"), kSteps, record::Status::Stopped);
    m_window->open(path("a.db"));
    QTRY_VERIFY(told().contains(QStringLiteral("was stopped at step")));
    m_window->open(write("dm"));
    QVERIFY2(!told().contains(QStringLiteral("was stopped at step")), qPrintable(told()));
    m_page->selectTrial(1);
    QTRY_VERIFY2(told().contains(QStringLiteral("was stopped at step")), qPrintable(told()));
  }

  void a_file_that_could_not_be_read_is_told_until_a_good_one_is_open() {
    QFile bad(path("bad.toml"));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("mantissa = 1\n[training]\nbatchsize = 3\n") > 0);
    bad.close();
    m_window->open(bad.fileName());
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>() != nullptr);
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>()->wasSeen());
    m_window->open(write("dm"));
    QCOMPARE(told(), QString());
  }

  void a_file_that_could_not_be_read_is_told_beside_a_good_one_of_the_same_start() {
    QFile bad(path("bad.toml"));
    QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("mantissa = 1\n[training]\nbatchsize = 3\n") > 0);
    bad.close();
    m_window->open(bad.fileName());
    m_window->open(write("dm"));  // before anybody has seen anything
    QVERIFY2(told().contains(QStringLiteral("bad.toml")), qPrintable(told()));
  }

  void an_interrupted_run_is_told_of_where_a_file_was_given_and_goes_on_by_its_key() {
    makeExampleArchive(path("k.db"), kSteps, record::Status::Interrupted);
    m_window->openArchiveToBe(path("k.db"));
    m_window->open(write("dm"));
    QTRY_VERIFY2(told().contains(QStringLiteral("digits was interrupted before its end")), qPrintable(told()));
    QVERIFY(labels().contains(QStringLiteral("dm")));  // what was given is shown
    QVERIFY(action("run_resume")->isEnabled());
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_VERIFY(m_resumed.load() != 0);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QVERIFY2(!told().contains(QStringLiteral("was interrupted")), qPrintable(told()));
    end();
  }

  void an_interrupted_run_without_a_checkpoint_does_not_go_on_by_its_key() {
    makeExampleArchive(path("k.db"), kSteps, record::Status::Interrupted, false);
    m_window->openArchiveToBe(path("k.db"));
    m_window->open(write("dm"));
    QTRY_VERIFY(told().contains(QStringLiteral("was interrupted before its end")));
    QTest::keyClick(m_window, Qt::Key_F7);
    QTRY_VERIFY2(told().contains(QStringLiteral("it left no checkpoint to go on from")), qPrintable(told()));
    QCOMPARE(m_page->controller()->state(), worker::JobState::Idle);
    QCOMPARE(m_resumed.load(), std::int64_t{0});
  }

  void a_run_that_no_longer_waits_is_not_said_to_wait_for_the_pre_flight() {
    m_lookAheadWaits = true;
    m_page->controller()->setPatience(std::chrono::milliseconds(10));
    m_window->open(write("dm"));
    QTRY_VERIFY(m_page->controller()->looksAhead());
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_VERIFY2(told().contains(QStringLiteral("The run waits for them")), qPrintable(told()));
    QTest::keyClick(m_window, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(told(), QString());  // and the trial steps still do not come back
    QVERIFY(m_page->controller()->looksAhead());
  }

  void a_name_without_blanks_makes_no_strip_wider_and_can_be_read_whole() {
    m_window->open(write("dm"));
    const int least = m_window->minimumSizeHint().width();
    begin();
    m_window->open(write(QString(200, u'W').toUtf8().constData()));
    QTest::qWait(50);
    QCOMPARE(m_window->minimumSizeHint().width(), least);
    const auto* const strip = m_page->findChild<shell::MessageStrip*>();
    QVERIFY(strip != nullptr && strip->sentence().contains(QString(200, u'W')));
    const auto* const label = strip->findChild<QLabel*>();
    for (const QString& word : label->text().split(u' ')) {
      QVERIFY2(label->fontMetrics().horizontalAdvance(word) <= label->width(), qPrintable(word));
    }
    QVERIFY(label->toolTip().contains(QString(200, u'W')));
    end();
    QTRY_VERIFY(told().contains(QStringLiteral("Run starts it")));
    QTest::qWait(50);
    QCOMPARE(m_window->minimumSizeHint().width(), least);
  }

  void a_field_without_the_keyboard_is_not_changed_by_the_wheel() {
    m_window->open(write("dm"));
    QStringList turned;
    for (QComboBox* const field : m_page->charts()->findChildren<QComboBox*>()) {
      if (!field->isVisible()) continue;
      const int before = field->currentIndex();
      m_page->setFocus();
      turn(field);
      QCOMPARE(field->currentIndex(), before);
      field->setFocus();
      turn(field);
      if (field->currentIndex() != before) turned << field->accessibleName();
    }
    for (const char* const name : {"What the curves are drawn against", "Smoothing"}) {
      QVERIFY2(turned.contains(QString::fromLatin1(name)), qPrintable(turned.join(u'|')));
    }
  }

  void names_from_right_to_left_keep_what_follows_them_outside() {
    const QString name = QString::fromUtf8("a&b שלום");
    QCOMPARE(models::isolated(QStringLiteral("fp16")), QStringLiteral("fp16"));
    QCOMPARE(models::isolated(name), QChar(0x2068) + name + QChar(0x2069));
    QCOMPARE(models::withoutIsolates(models::isolated(name) + QStringLiteral(" ends")), name + QStringLiteral(" ends"));
    m_window->open(write(name.toUtf8().constData(), "rtl"));
    begin();
    QTRY_VERIFY(windowLabels().contains(models::isolated(name) + QStringLiteral(": ")));
    end();
    m_window->open(write("dm"));
    begin();
    m_window->open(write("other", "שלום"));
    QTest::qWait(20);
    // What begins with such a name is still read from left to right.
    const auto* const strip = m_page->findChild<shell::MessageStrip*>();
    QVERIFY(strip != nullptr);
    QVERIFY(!strip->sentence().contains(QChar(0x200E)));
    auto* const label = strip->findChild<QLabel*>();
    QCOMPARE(label->text().front(), QChar(0x200E));
    label->setSelection(0, static_cast<int>(label->text().size()));
    QTest::keyClick(label, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), models::withoutIsolates(strip->sentence()));
    end();
  }

  void run_names_what_it_starts_where_another_experiment_is_shown() {
    makeExampleArchive(path("a.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->open(write("dm"));
    QCOMPARE(nameOf("run"), QStringLiteral("Run"));
    m_page->selectTrial(1);
    QCOMPARE(nameOf("run"), QStringLiteral("Run dm.toml"));
    QVERIFY2(action("run")->toolTip().contains(QStringLiteral("Runs dm.toml")), qPrintable(action("run")->toolTip()));
    begin();
    QCOMPARE(nameOf("run"), QStringLiteral("Run"));
    end();
    QCOMPARE(nameOf("run"), QStringLiteral("Run"));
  }

  void pause_and_stop_name_their_run_while_another_is_shown_and_lead_back_to_it() {
    trainsBesideAnother();
    QCOMPARE(nameOf("run_stop"), QStringLiteral("Stop"));
    QVERIFY(!action("run_show")->isEnabled());
    m_page->selectTrial(1);
    for (const char* const name : {"run_pause", "run_stop"}) {
      QVERIFY2(nameOf(name).endsWith(QStringLiteral(" dm")), qPrintable(nameOf(name)));
      QVERIFY(action(name)->toolTip().contains(QStringLiteral("dm, which is not what is shown")));
    }
    QCOMPARE(nameOf("run_stop_at_checkpoint"), QStringLiteral("Stop dm at the next checkpoint"));
    QVERIFY2(told().contains(QStringLiteral("dm goes on, and Pause and Stop are about it")), qPrintable(told()));
    press(QStringLiteral("Show the running experiment"));
    QVERIFY(labels().contains(QStringLiteral("dm")));
    QCOMPARE(nameOf("run_stop"), QStringLiteral("Stop"));
    QVERIFY2(!told().contains(QStringLiteral("dm goes on")), qPrintable(told()));
    end();
  }

  void the_buttons_of_a_run_keep_their_places_whatever_it_is_called() {
    makeExampleArchive(path("a.db"));
    const QString name(60, u'W');
    m_window->open(write(name.toUtf8().constData(), "long"));
    const auto places = [this] {
      QMap<QString, QRect> found;
      for (const char* const button : {"run", "run_pause", "run_stop", "run_step"}) {
        found[QString::fromLatin1(button)] = buttonOf(button)->geometry();
      }
      return found;
    };
    const QMap<QString, QRect> before = places();
    begin();
    QCOMPARE(places(), before);
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_page->selectTrial(1);
    QTest::qWait(50);
    QCOMPARE(places(), before);
    for (const char* const button : {"run_pause", "run_stop"}) {
      QVERIFY2(action(button)->text().size() > 12, qPrintable(action(button)->text()));
      QCOMPARE(buttonOf(button)->text(), action(button)->iconText());  // the verb, whole
      QVERIFY(buttonOf(button)->toolTip().contains(name));
      QVERIFY(buttonOf(button)->fontMetrics().size(Qt::TextShowMnemonic, buttonOf(button)->text()).width() <
              buttonOf(button)->width());
    }
    // A little more room has a part of the name.
    auto* const wide = buttonOf("run_pause");
    wide->setFixedWidth(2 * wide->width());
    QTRY_VERIFY2(wide->text().startsWith(QStringLiteral("&Pause W")) && wide->text().contains(u'…'),
                 qPrintable(wide->text()));
    end();
  }

  void an_experiment_of_the_tree_is_shown_as_a_trial_of_it_is() {
    trainsBesideAnother();
    auto* const tree = m_window->archiveDock()->findChild<QTreeView*>();
    QTRY_VERIFY(tree->model()->rowCount() == 1);
    const QPoint place = tree->visualRect(tree->model()->index(0, 0)).center();
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, place);
    QTRY_VERIFY2(labels().contains(QStringLiteral("digits")), qPrintable(labels().join(u'|')));
    end();
  }

  void what_is_pressed_where_a_strip_has_just_come_does_nothing() {
    shell::MessageStrips strips;
    strips.resize(600, 60);
    strips.QWidget::show();
    shell::MessageStrip* const strip = strips.show(shell::MessageStrip::Kind::Note, QStringLiteral("It was stopped."));
    QAction way(QStringLiteral("Go on"));
    int pressed = 0;
    connect(&way, &QAction::triggered, this, [&pressed] { ++pressed; });
    strip->addWayOut(&way);
    QVERIFY(QTest::qWaitForWindowExposed(&strips));
    const auto buttons = strip->findChildren<QToolButton*>();
    QCOMPARE(buttons.size(), 2);
    for (QToolButton* const button : buttons) QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(pressed, 0);
    QCOMPARE(strips.count(), 1);
    QTRY_VERIFY(strip->wasSeen());
    QTest::qWait(shell::MessageStrip::kDeafMilliseconds + 20);
    for (QToolButton* const button : buttons) {
      if (button->defaultAction() == &way) QTest::mouseClick(button, Qt::LeftButton);
    }
    QCOMPARE(pressed, 1);
  }

  void a_strip_that_comes_and_goes_moves_nothing_and_covers_no_control_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("first window") << QSize(1400, 900);
    QTest::newRow("small screen") << QSize(1280, 760);
    QTest::newRow("small screen at 150 %") << QSize(853, 493);
  }
  void a_strip_that_comes_and_goes_moves_nothing_and_covers_no_control() {
    QFETCH(QSize, size);
    m_window->resize(size);
    m_window->open(write("dm"));
    action("page_other")->trigger();
    action("page_run")->trigger();
    QTest::qWait(100);
    enterCharts(true);
    const int least = m_window->minimumSizeHint().height();
    const auto before = places();
    QVERIFY(before.size() > 20);
    // One of the page, and one of the window.
    m_page->setUnsavedFiles({path("dm.toml")});
    m_window->open(path("not there.toml"));
    const auto strips = m_window->findChildren<shell::MessageStrip*>();
    QCOMPARE(strips.size(), 2);
    for (const auto* const strip : strips) QTRY_VERIFY(strip->wasSeen());
    QTest::qWait(100);
    compare(places(), before);
    QCOMPARE(m_window->minimumSizeHint().height(), least);
    QVERIFY(strips[0]->isAncestorOf(strips[1]) || !rectOf(strips[0]).intersects(rectOf(strips[1])));
    for (const auto* const strip : strips) {
      if (size.height() < 700) continue;  // there they scroll
      QCOMPARE(strip->visibleRegion().boundingRect(), strip->rect());
    }
    for (const auto* const button : m_window->findChildren<QToolButton*>()) {
      const QRect seen = button->visibleRegion().boundingRect().translated(button->mapTo(m_window, QPoint()));
      if (seen.isEmpty() || qobject_cast<shell::MessageStrip*>(button->parentWidget()) != nullptr) continue;
      for (const auto* const strip : strips) {
        const QRect shown = strip->visibleRegion().boundingRect().translated(strip->mapTo(m_window, QPoint()));
        QVERIFY2(!shown.intersects(seen), qPrintable(button->text()));
      }
    }
    for (auto* const strip : strips) strip->findChildren<QToolButton*>().first()->setFocus();
    QTest::qWait(shell::MessageStrip::kDeafMilliseconds);
    for (auto* const strip : strips) strip->findChild<QToolButton*>(QStringLiteral("dismiss"))->click();
    QTRY_COMPARE(m_window->findChildren<shell::MessageStrip*>().size(), 0);
    QTest::qWait(100);
    compare(places(), before);
  }

  void charts_fit_above_a_strip_once_the_pointer_is_elsewhere_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("whole");
    QTest::newRow("first window") << QSize(1400, 900) << 4;
    QTest::newRow("small screen at 150 %") << QSize(853, 533) << 1;
  }
  void charts_fit_above_a_strip_once_the_pointer_is_elsewhere() {
    QFETCH(QSize, size);
    QFETCH(int, whole);
    m_window->resize(size);
    m_window->open(write("dm"));
    action("page_other")->trigger();
    action("page_run")->trigger();
    QTest::qWait(100);
    enterCharts(true);
    const auto before = places();
    m_page->setUnsavedFiles({path("dm.toml")});
    QTRY_COMPARE(m_page->findChildren<shell::MessageStrip*>().size(), 1);
    QTRY_VERIFY(m_page->findChild<shell::MessageStrip*>()->wasSeen());
    QTest::qWait(50);
    compare(places(), before);
    enterCharts(false);
    QTRY_VERIFY2(wholeCharts() >= whole, qPrintable(QString::number(wholeCharts())));
    const auto* const strip = m_page->findChild<shell::MessageStrip*>();
    QCOMPARE(strip->visibleRegion().boundingRect(), strip->rect());
    // Nothing but charts has moved.
    const auto after = places();
    for (std::size_t i = 0, seen = 0; i < before.size(); ++i) {
      if (m_page->charts()->isAncestorOf(before[i].first)) continue;
      while (seen < after.size() && after[seen].first != before[i].first) ++seen;
      QVERIFY(seen < after.size());
      QCOMPARE(after[seen].second, before[i].second);
    }
    m_page->setUnsavedFiles({});
    QTRY_COMPARE(m_window->findChildren<shell::MessageStrip*>().size(), 0);
    QTest::qWait(50);
    compare(places(), before);
  }

  void a_run_that_holds_is_told_in_the_status_bar_the_log_and_the_tree() {
    m_window->open(write("dm"));
    begin();
    action("run_pause")->trigger();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Paused);
    QTRY_VERIFY2(windowLabels().contains(QStringLiteral("dm, paused: ")), qPrintable(windowLabels()));
    QCOMPARE(nameOf("run"), QStringLiteral("Resume"));
    action("run")->trigger();
    QTRY_VERIFY(!windowLabels().contains(QStringLiteral("paused")));
    end();

    record::TrialRow arm;
    arm.id = 7;
    arm.experiment_id = 3;
    arm.start.name = "fp16";
    arm.end.status = record::Status::Running;
    models::TrialTreeModel tree;
    tree.setTrials(std::make_shared<const std::vector<record::TrialRow>>(1, arm));
    const auto state = [&tree] {
      return tree.indexOfTrial(7).siblingAtColumn(models::TrialTreeModel::StateColumn).data().toString();
    };
    tree.setPaused(3);
    QCOMPARE(state(), QStringLiteral("paused"));
    tree.setPaused(0);
    QCOMPARE(state(), QStringLiteral("running"));
  }

  // 1280 x 800 pixels at 100 % and at 150 %, with the tree and the log open.
  void no_number_of_the_strip_is_cut_whatever_has_gone_wrong() {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    m_window->open(write("dm"));
    for (const QSize size : {QSize(1280, 760), QSize(853, 493)}) {
      m_window->resize(size);
      QTest::qWait(50);
      checkStrip(m_page->strip()->width(), 1, true, 0.01705);     // skips every step
      checkStrip(m_page->strip()->width(), kNan, true, kNan);     // and is not finite
      checkStrip(m_page->strip()->width(), 51780, false, 12.75);  // deviates
    }
  }

  void resetting_the_layout_brings_back_the_controls_and_the_axis() {
    m_window->open(write("dm"));
    QComboBox* axis = nullptr;
    for (QComboBox* const field : m_page->charts()->findChildren<QComboBox*>()) {
      if (field->accessibleName() == QLatin1String("What the curves are drawn against")) axis = field;
    }
    QVERIFY(axis != nullptr);
    action("toggle_controls")->trigger();
    action("toggle_tree")->trigger();
    axis->setCurrentIndex(1);
    QVERIFY(m_page->controls()->isHidden() && m_window->archiveDock()->isHidden());
    action("reset_layout")->trigger();
    QVERIFY(!m_page->controls()->isHidden());
    QVERIFY(!m_window->archiveDock()->isHidden());
    QCOMPARE(axis->currentIndex(), 0);
  }

 private:
  QString nameOf(const char* name) const { return shell::plainText(*action(name)); }

  static void checkStrip(int width, double loss, bool skips, double deviation) {
    run::RunData data;
    record::TrialRow reference;
    reference.id = reference.experiment_id = 1;
    reference.start.kind = record::TrialKind::Reference;
    reference.start.name = "reference";
    record::TrialRow trial = reference;
    trial.id = 2;
    trial.start.kind = record::TrialKind::Trial;
    trial.start.name = "fp16-no-scaler";
    data.setArms({reference, trial});
    worker::StepBatch batch;
    std::vector<record::StepRecord> steps;
    for (std::int64_t number = 1; number <= kSteps; ++number) {
      record::StepRecord step;
      step.step = step.iteration = step.applied_updates = number;
      step.trial = 1;
      step.loss = 1;
      step.wall_seconds = 0.1 * static_cast<double>(number);
      steps.push_back(step);
      step.trial = 2;
      step.loss = loss;
      step.deviation_output_rmse = deviation;
      step.skipped = skips;
      if (skips) step.skip_cause = record::SkipCause::Overflow;
      if (skips) step.applied_updates = 0;
      steps.push_back(step);
    }
    batch.chunks = {std::make_shared<const std::vector<record::StepRecord>>(std::move(steps))};
    data.take({batch});
    run::Standing standing;
    standing.running = true;
    standing.plannedSteps = 2 * kSteps;
    shell::GlanceStrip strip(run::kStatements);
    strip.setStatements(run::glance(data, standing));
    strip.resize(width, 54);
    strip.show();
    QTest::qWait(20);
    for (std::size_t i = 0; i < run::kStatements; ++i) {
      for (const QString& seen : {strip.shownAnswer(i), strip.shownDetail(i)}) {
        QVERIFY2(!seen.contains(QChar(0x2026)), qPrintable(QStringLiteral("%1 px: %2").arg(width).arg(seen)));
      }
    }
  }

  QRect rectOf(const QWidget* widget) const { return {widget->mapTo(m_window, QPoint()), widget->size()}; }

  /// Of all that stands in the window, apart from what tells of it.
  std::vector<std::pair<const QWidget*, QRect>> places() const {
    std::vector<std::pair<const QWidget*, QRect>> found;
    for (const QWidget* const widget : m_window->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->isWindow() || isRoom(widget)) continue;
      found.emplace_back(widget, rectOf(widget));
    }
    return found;
  }
  void enterCharts(bool enters) const {
    auto* const scroll = m_page->charts()->findChild<QScrollArea*>();
    scroll->setAttribute(Qt::WA_UnderMouse, enters);
    if (enters) return;
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(scroll, &leave);
  }
  int wholeCharts() const {
    const auto views = m_page->charts()->plots();
    return static_cast<int>(std::count_if(views.begin(), views.end(), [](const plot::PlotView* view) {
      return view->visibleRegion().boundingRect() == view->rect();
    }));
  }

  /// What gives the room is smaller meanwhile, and strips have places of their own.
  static bool isRoom(const QWidget* widget) {
    for (const QWidget* one = widget; one != nullptr; one = one->parentWidget()) {
      if (qobject_cast<const shell::StripPlace*>(one) != nullptr || qobject_cast<const QStatusBar*>(one) != nullptr) {
        return true;
      }
    }
    const auto* const area = qobject_cast<const QScrollArea*>(widget);
    const auto* const above = qobject_cast<const QScrollArea*>(widget->parentWidget());
    return (area != nullptr && area->widget() != nullptr) || (above != nullptr && above->viewport() == widget) ||
           qobject_cast<const QScrollBar*>(widget) != nullptr ||
           widget->findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly) != nullptr;
  }
  static void compare(const std::vector<std::pair<const QWidget*, QRect>>& now,
                      const std::vector<std::pair<const QWidget*, QRect>>& before) {
    QCOMPARE(now.size(), before.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      QCOMPARE(now[i].first, before[i].first);
      const QString what =
          QStringLiteral("%1 \"%2\" from %3, %4 (%5 x %6) to %7, %8 (%9 x %10)")
              .arg(QString::fromLatin1(now[i].first->metaObject()->className()), now[i].first->accessibleName())
              .arg(before[i].second.x())
              .arg(before[i].second.y())
              .arg(before[i].second.width())
              .arg(before[i].second.height())
              .arg(now[i].second.x())
              .arg(now[i].second.y())
              .arg(now[i].second.width())
              .arg(now[i].second.height());
      QVERIFY2(now[i].second == before[i].second, qPrintable(what));
    }
  }

  /// dm runs into a.db while b.db, with another experiment, is open.
  void trainsBesideAnother() {
    makeExampleArchive(path("a.db"));
    makeExampleArchive(path("b.db"));
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->open(write("dm"));
    begin();
    m_window->open(path("b.db"));
    QTRY_COMPARE(m_window->archive(), path("b.db"));
  }

  static void turn(QWidget* field) {
    const QPointF middle = field->rect().center();
    QWheelEvent event(middle, field->mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(field, &event);
  }

  void begin() {
    QTest::keyClick(m_window, Qt::Key_F5);
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Running);
    QTRY_VERIFY(m_page->shownData().steps() > 2);
  }

  void end() {
    m_page->controller()->stop();
    QTRY_COMPARE(m_page->controller()->state(), worker::JobState::Idle);
  }

  void press(const QString& text) {
    for (QToolButton* const button : m_page->findChildren<QToolButton*>()) {
      if (button->text() == text) button->click();
    }
  }

  QPushButton* buttonOf(const char* name) const {
    return m_page->controls()->findChild<QPushButton*>(QString::fromLatin1(name));
  }

  static QStringList textsIn(const QWidget* widget) {
    QStringList texts;
    for (const QLabel* const label : widget->findChildren<QLabel*>()) texts << label->text();
    return texts;
  }
  QStringList labels() const { return textsIn(m_page->controls()); }
  QString windowLabels() const { return textsIn(m_window).join(u'|'); }
  QString told() const { return test::stripSentences(m_page).join(u'|'); }
  bool preflightSays(const char* words) const {
    const auto* const panel = m_page->controls()->preflight();
    return panel->isVisible() && textsIn(panel).contains(QString::fromUtf8(words));
  }

  QString path(const char* name) const { return m_fixture->path(name); }
  QAction* action(const char* name) const { return m_fixture->action(name); }

  /// \param file  its name without .toml; null: as the experiment
  QString write(const char* name, const char* file = nullptr) const {
    QFile text(path("x").chopped(1) + QString::fromUtf8(file != nullptr ? file : name) + QStringLiteral(".toml"));
    if (!text.open(QIODevice::WriteOnly)) return {};
    text.write(QByteArray("mantissa = 1\nname = \"") + QByteArray(name).left(60) +
               "\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\nsteps = 100\n[[trial]]\n"
               "name = \"fp16\"\nautocast = \"float16\"\n");
    return text.fileName();
  }

  std::unique_ptr<test::WindowFixture> m_fixture;
  shell::MainWindow* m_window = nullptr;  ///< of the fixture
  run::RunPage* m_page = nullptr;
  std::atomic<std::int64_t> m_resumed = 0;
  std::atomic<bool> m_lookAheadWaits = false;
};

QTEST_MAIN(RunStripsTests)
#include "run_strips_tests.moc"
