// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that can be done in the window: its keys, its place in the searchable list, and what finds it there.
#include <spdlog/spdlog.h>

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QCompleter>
#include <QMenu>
#include <QTest>

#include <memory>

#include "app/workbench/pages.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/editor/editor_tabs.h"
#include "ui/editor/templates.h"
#include "ui/shell/action_search.h"
#include "ui/shell/theme.h"

using namespace mantissa;
using namespace mantissa::ui;

class ActionTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_box = std::make_unique<test::WindowFixture>(workbench::makePages());
    m_editors = workbench::addEditor(m_box->window());
    QVERIFY(m_box->isShown());
  }
  void cleanup() {
    m_box.reset();
    m_theme.reset();
  }

  void every_action_has_a_shortcut_of_its_own_whatever_is_in_front() {
    expectKeys();
    openEditor();
    expectKeys();
  }

  void every_action_of_the_menus_stands_in_the_list() {
    const QVector<QAction*>& listed = m_box->window().actions()->actions();
    int seen = 0;
    for (const QMenu* const menu : m_box->window().findChildren<QMenu*>()) {
      if (qobject_cast<QWidget*>(menu->parent()) != m_box->window().menuWidget()) continue;
      for (QAction* const action : menu->actions()) {
        if (action->isSeparator() || action->menu() != nullptr) continue;
        ++seen;
        QVERIFY2(listed.contains(action), qPrintable(action->text()));
      }
    }
    QVERIFY(seen > 30);
  }

  void every_action_of_the_list_is_found_by_its_own_name() {
    for (const QAction* const action : m_box->window().actions()->actions()) {
      const QString name = shell::plainText(*action);
      const QStringList found = search().matches(name);
      QVERIFY2(found.filter(name).size() >= 1, qPrintable(name + QStringLiteral(": ") + found.join(QLatin1Char(';'))));
    }
  }

  void words_that_people_use_find_what_they_mean_data() {
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("best");
    QTest::newRow("dark") << "dark"
                          << "View: Dark colours";
    QTest::newRow("night") << "night"
                           << "View: Dark colours";
    QTest::newRow("theme light") << "theme light"
                                 << "View: Light colours";
    QTest::newRow("stop") << "stop"
                          << "Run: Stop";
    QTest::newRow("kill") << "kill"
                          << "Run: Stop";
    QTest::newRow("continue") << "continue"
                              << "Run: Pause";
    QTest::newRow("continue checkpoint") << "continue checkpoint"
                                         << "Run: Go on with this run";
    QTest::newRow("csv") << "csv"
                         << "Chart: Export the values as CSV";
    QTest::newRow("export chart") << "export chart"
                                  << "Chart: Export the chart as PNG";
    QTest::newRow("chart menu") << "chart menu"
                                << "View: Menu of the chart";
    QTest::newRow("save") << "save"
                          << "File: Save";
    QTest::newRow("exit") << "exit"
                          << "File: Quit";
    QTest::newRow("start") << "start"
                           << "Run: Run";
  }
  void words_that_people_use_find_what_they_mean() {
    QFETCH(QString, words);
    QFETCH(QString, best);
    const QStringList found = search().matches(words);
    QVERIFY2(!found.isEmpty() && found.first().startsWith(best), qPrintable(found.join(QStringLiteral("\n"))));
  }

  void settings_finds_the_themes_and_the_layout() {
    const QString found = search().matches(QStringLiteral("settings")).join(QLatin1Char('\n'));
    for (const char* const name : {"Dark colours", "Light colours", "Colours of the system", "Reset layout"}) {
      QVERIFY2(found.contains(QLatin1String(name)), qPrintable(found));
    }
  }

  void a_best_match_that_cannot_be_done_lets_no_other_action_happen() {
    // Nothing runs: Stop is disabled. The names of others have the word as well.
    search().setFocus();
    QTest::keyClicks(&search(), QStringLiteral("colours"));
    QTest::keyClick(&search(), Qt::Key_Return);
    QCOMPARE(m_theme->mode(), shell::ThemeMode::System);
    bool ran = false;
    for (QAction* const action : m_box->window().actions()->actions()) {
      connect(action, &QAction::triggered, this, [&ran] { ran = true; });
    }
    QTest::keyClicks(&search(), QStringLiteral("stop"));
    QTest::keyClick(&search(), Qt::Key_Return);
    QVERIFY(!ran);
  }

  void the_list_shows_whole_rows() {
    m_box->window().resize(1280, 760);
    m_box->action("find_action")->trigger();
    const auto* const completer = search().findChild<QCompleter*>();
    const QAbstractItemView* const popup = completer->popup();
    QTRY_VERIFY(popup->isVisible());
    QVERIFY(popup->model()->rowCount() > 14);
    QCOMPARE(popup->viewport()->height(), 14 * popup->sizeHintForRow(0));
  }

  void the_colours_in_force_have_the_check_mark() {
    QVERIFY(m_box->action("theme_0")->isChecked());
    QTest::keyClick(&m_box->window(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(m_theme->isDark());
    QVERIFY(m_box->action("theme_2")->isChecked());
    QVERIFY(!m_box->action("theme_0")->isChecked());
    QCOMPARE(m_box->settings().theme(), shell::ThemeMode::Dark);
    QVERIFY(search().matches(QStringLiteral("dark")).first().contains(QStringLiteral("✓")));
    QVERIFY(!search().matches(QStringLiteral("light")).first().contains(QStringLiteral("✓")));
  }

  void the_search_field_hints_at_the_shortcut_that_its_action_has_where_there_is_room() {
    QAction* const find = m_box->window().actions()->find(QStringLiteral("find_action"));
    QCOMPARE(search().placeholderText(), QStringLiteral("Find an action (Ctrl+K)"));
    find->setShortcut(QKeySequence(QStringLiteral("Ctrl+J")));
    QCOMPARE(search().placeholderText(), QStringLiteral("Find an action (Ctrl+J)"));
    search().setFixedWidth(search().fontMetrics().horizontalAdvance(QStringLiteral("Find an action (Ctrl")));
    QTRY_COMPARE(search().placeholderText(), QStringLiteral("Find an action"));
  }

 private:
  shell::ActionSearch& search() { return *m_box->window().findChild<shell::ActionSearch*>(); }

  void openEditor() {
    m_editors->openTemplate(editor::templateFolder() + QStringLiteral("/digits-mlp.toml"));
    QTRY_VERIFY(m_editors->isSettled() && m_editors->current() != nullptr);
  }

  void expectKeys() {
    const shell::ActionList& list = *m_box->window().actions();
    QVERIFY2(list.conflicts().isEmpty(), qPrintable(list.conflicts().join(QStringLiteral(", "))));
    for (const QAction* const action : list.actions()) {
      QVERIFY2(!action->shortcut().isEmpty(), qPrintable(action->objectName() + QStringLiteral(" has no shortcut")));
      QVERIFY2(m_box->window().QWidget::actions().contains(const_cast<QAction*>(action)),
               qPrintable(action->objectName() + QStringLiteral(": the window does not listen to its keys")));
    }
  }

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<test::WindowFixture> m_box;
  editor::EditorTabs* m_editors = nullptr;
};

QTEST_MAIN(ActionTests)
#include "action_tests.moc"
