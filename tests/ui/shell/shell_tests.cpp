// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the window that need no window: settings, the list of actions, the log, themes.
#include <spdlog/logger.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <thread>
#include <vector>

#include "ui/shell/action_list.h"
#include "ui/shell/action_search.h"
#include "ui/shell/log_dock.h"
#include "ui/shell/log_model.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/shell/theme.h"

using namespace mantissa::ui::shell;

class ShellTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void popups_have_an_edge_that_is_seen_on_their_ground() {
    Theme theme(*qApp);
    for (const ThemeMode mode : {ThemeMode::Dark, ThemeMode::Light}) {
      theme.setMode(mode);
      QMenu menu;
      for (int i = 0; i < 3; ++i) menu.addAction(QString());
      menu.resize(120, menu.sizeHint().height());
      const QImage picture = menu.grab().toImage();
      const int middle = picture.height() / 2;
      const auto contrast = [&](int x) {
        return std::abs(qGray(picture.pixel(x, middle)) - qGray(picture.pixel(10, middle)));
      };
      QVERIFY2(contrast(0) > 60, qPrintable(QString::number(contrast(0))));
      QVERIFY(contrast(picture.width() - 1) > 60);
    }
  }

  void settings_come_back_after_a_restart() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("workbench.ini"));
    {
      Settings settings(file);
      QCOMPARE(settings.theme(), ThemeMode::System);
      settings.setTheme(ThemeMode::Dark);
      settings.setWindow("geometry", "state", {300, 1200}, 640);
      settings.setPageLayout(QStringLiteral("archive"), "columns");
    }
    Settings settings(file);
    QCOMPARE(settings.theme(), ThemeMode::Dark);
    QCOMPARE(settings.windowGeometry(), QByteArray("geometry"));
    QCOMPARE(settings.pageLayout(QStringLiteral("archive")), QByteArray("columns"));
    settings.resetLayout();
    QVERIFY(settings.windowState().isEmpty());
    QVERIFY(settings.pageLayout(QStringLiteral("archive")).isEmpty());
    QCOMPARE(settings.theme(), ThemeMode::Dark);
  }

  void recent_files_stand_newest_first_once_each_and_end_somewhere() {
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("workbench.ini")));
    for (int i = 0; i < Settings::kRecentFiles + 3; ++i) settings.rememberFile(QStringLiteral("/x/%1.db").arg(i));
    settings.rememberFile(QStringLiteral("/x/5.db"));
    QCOMPARE(settings.recentFiles().size(), int{Settings::kRecentFiles});
    QCOMPARE(settings.recentFiles().first(), QStringLiteral("/x/5.db"));
    QCOMPARE(settings.recentFiles().count(QStringLiteral("/x/5.db")), 1);
    settings.forgetRecentFiles();
    QVERIFY(settings.recentFiles().isEmpty());
  }

  void a_disabled_action_says_why_and_is_not_triggered_from_the_search() {
    ActionList actions;
    const QAbstractItemModelTester tester(&actions, QAbstractItemModelTester::FailureReportingMode::QtTest);
    int runs = 0;
    QAction* const run = actions.add(QStringLiteral("run"), QStringLiteral("Run"), QStringLiteral("&Start run"),
                                     QKeySequence(QStringLiteral("F5")), QStringLiteral("Starts"), [&runs] { ++runs; });
    actions.setEnabled(run, false, QStringLiteral("No experiment is open"));
    QVERIFY(run->toolTip().contains(QStringLiteral("No experiment is open")));
    ActionSearch search(&actions);
    QTest::keyClicks(&search, QStringLiteral("start"));
    QTest::keyClick(&search, Qt::Key_Return);
    QCOMPARE(runs, 0);
    actions.setEnabled(run, true);
    search.clear();
    QTest::keyClicks(&search, QStringLiteral("run START"));
    QTest::keyClick(&search, Qt::Key_Return);
    QCOMPARE(runs, 1);
    QVERIFY(!run->toolTip().contains(QStringLiteral("No experiment")));
  }

  void two_actions_with_one_shortcut_are_found() {
    ActionList actions;
    const QKeySequence keys(QStringLiteral("Ctrl+J"));
    actions.add(QStringLiteral("a"), {}, QStringLiteral("A"), keys, {}, [] {});
    QVERIFY(actions.conflicts().isEmpty());
    actions.add(QStringLiteral("b"), {}, QStringLiteral("B"), keys, {}, [] {});
    QCOMPARE(actions.conflicts(), QStringList(QStringLiteral("Ctrl+J")));
  }

  void the_log_takes_lines_from_any_thread_and_is_never_unbounded() {
    LogModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    spdlog::logger logger("test", model.sink());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&logger] {
        for (int i = 0; i < 4000; ++i) logger.info("line {}", i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    model.drain();
    QCOMPARE(model.rowCount(), int{LogModel::kMostRows});
    logger.error("the last one");
    model.drain();
    QCOMPARE(model.rowCount(), int{LogModel::kMostRows});
    QCOMPARE(model.index(model.rowCount() - 1, LogModel::TextColumn).data().toString(), QStringLiteral("the last one"));
  }

  void the_log_shows_its_levels_and_copies_what_it_shows() {
    LogModel model;
    spdlog::logger logger("test", model.sink());
    logger.set_level(spdlog::level::debug);
    LogDock dock(&model);
    logger.debug("fine print");
    logger.info("epoch 1");
    logger.warn("disk is nearly full");
    model.drain();
    const QStringList lines = dock.text().split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 2);  // "info and above"
    QVERIFY(lines[1].endsWith(QStringLiteral("warning\tdisk is nearly full")));
  }

  void ways_out_stand_below_a_sentence_that_would_become_a_column_beside_them_data() {
    QTest::addColumn<int>("letters");
    QTest::addColumn<bool>("isBelow");
    QTest::newRow("narrow") << 80 << true;  // beside four buttons of 15 letters fewer than 50 letters are left
    QTest::newRow("wide") << 400 << false;
    QTest::newRow("narrower than the buttons together") << 40 << true;
  }
  void ways_out_stand_below_a_sentence_that_would_become_a_column_beside_them() {
    QFETCH(int, letters);
    QFETCH(bool, isBelow);
    const QString sentence = QStringLiteral("Another program has changed it since it was read here. ").repeated(3);
    MessageStrip strip(MessageStrip::Kind::Warning, sentence);
    QList<QAction*> actions;
    for (int i = 0; i < 4; ++i) {
      actions << new QAction(QStringLiteral("Show difference"), &strip);
      strip.addWayOut(actions.last());
    }
    const int width = letters * strip.fontMetrics().averageCharWidth();
    strip.resize(width, strip.heightForWidth(width));
    strip.show();
    QVERIFY(QTest::qWaitForWindowExposed(&strip));
    const auto* const label = strip.findChild<QLabel*>();
    QVERIFY(label->height() >= label->heightForWidth(label->width()));  // no line is cut
    for (const QToolButton* const button : strip.findChildren<QToolButton*>()) {
      QVERIFY(strip.rect().contains(button->geometry()));
      if (button->defaultAction() == nullptr) continue;
      QCOMPARE(button->y() >= label->geometry().bottom(), isBelow);
      QCOMPARE(button->x() > label->geometry().right(), !isBelow);
    }
    if (isBelow) QVERIFY(2 * label->width() > width);
  }

  void a_strip_stays_until_it_is_dismissed_and_its_topic_has_one() {
    MessageStrips strips;
    strips.show(MessageStrip::Kind::Failure, QStringLiteral("first"), QStringLiteral("archive"));
    strips.show(MessageStrip::Kind::Failure, QStringLiteral("second"), QStringLiteral("archive"));
    strips.show(MessageStrip::Kind::Note, QStringLiteral("other"));
    QCOMPARE(strips.count(), 2);
    strips.dismiss(QStringLiteral("archive"));
    QCOMPARE(strips.count(), 1);
  }

  void forced_colours_reach_palette_and_charts() {
    Theme theme(*qApp);
    QSignalSpy changes(&theme, &Theme::changed);
    theme.setMode(ThemeMode::Dark);
    QVERIFY(theme.isDark());
    QVERIFY(QApplication::palette().color(QPalette::Base).lightness() < 64);
    const QColor dark = Theme::colors().bad;
    theme.setMode(ThemeMode::Light);
    QVERIFY(!theme.isDark());
    QVERIFY(Theme::colors().bad != dark);
    QCOMPARE(changes.count(), 2);
  }

  void a_default_is_fainter_than_a_value_in_a_form_that_is_disabled_too() {
    Theme theme(*qApp);
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
      theme.setMode(mode);
      const QPalette palette = QApplication::palette();
      for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Disabled}) {
        const int ground = palette.color(group, QPalette::Base).lightness();
        const auto strength = [&](QPalette::ColorRole role) {
          return std::abs(palette.color(group, role).lightness() - ground);
        };
        QVERIFY(strength(QPalette::PlaceholderText) < strength(QPalette::Text));
      }
    }
  }
};

QTEST_MAIN(ShellTests)
#include "shell_tests.moc"
