// SPDX-License-Identifier: GPL-3.0-or-later
// F1 in the whole window: what it opens, and that what it says is about this window.
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QListWidget>
#include <QTest>
#include <QTextBrowser>

#include <memory>

#include "app/workbench/pages.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/editor/editor_tabs.h"
#include "ui/editor/templates.h"
#include "ui/shell/document.h"
#include "ui/shell/help_dialog.h"
#include "ui/shell/theme.h"

using namespace mantissa;
using namespace mantissa::ui;

class HelpTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_box = std::make_unique<test::WindowFixture>(workbench::makePages());
    m_editors = workbench::addEditor(m_box->window());
    QVERIFY(m_box->isShown());
    m_box->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_box->window()));
  }
  void cleanup() {
    m_box.reset();
    m_theme.reset();
  }

  void f1_explains_the_page_that_is_in_front_data() {
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("topic");
    QTest::newRow("archive") << "archive"
                             << "Archive";
    QTest::newRow("run") << "run"
                         << "Run";
    QTest::newRow("gains") << "gains"
                           << "Gains";
  }
  void f1_explains_the_page_that_is_in_front() {
    QFETCH(QString, page);
    QFETCH(QString, topic);
    m_box->window().showPage(page);
    QTest::keyClick(&m_box->window(), Qt::Key_F1);
    QVERIFY(help() != nullptr);
    QVERIFY(help()->isVisible());
    QVERIFY(!help()->isModal());
    QCOMPARE(topics()->currentItem()->text(), topic);
    QVERIFY2(text().startsWith(topic + u'\n'), qPrintable(text()));
  }

  void f1_in_an_editor_explains_the_editor() {
    openEditor();
    QVERIFY(m_box->window().currentDocument() != nullptr);
    m_box->action("help")->trigger();
    QVERIFY2(text().startsWith(QStringLiteral("Editor\n")), qPrintable(text()));
  }

  void keys_are_those_that_the_actions_have_now() {
    m_box->action("run_pause")->setShortcut(QKeySequence(QStringLiteral("Ctrl+Alt+7")));
    m_box->window().showPage(QStringLiteral("run"));
    m_box->action("help")->trigger();
    QVERIFY2(text().contains(QStringLiteral("Ctrl+Alt+7")), qPrintable(text()));
    QVERIFY(!text().contains(QStringLiteral("Ctrl+Space")));
  }

  void every_action_that_a_topic_names_is_there() {
    openEditor();
    QVector<shell::HelpTopic> all = shell::generalHelp(*m_box->window().actions());
    for (const char* const page : {"archive", "run", "compare", "memory", "diagnose", "verdict", "report", "gains"}) {
      all.push_back(m_box->window().page(QString::fromLatin1(page))->help());
      QCOMPARE(all.last().id, QString::fromLatin1(page));
    }
    all.push_back(m_box->window().currentDocument()->help());
    int named = 0;
    for (const shell::HelpTopic& topic : all) {
      QVERIFY2(!topic.purpose.isEmpty(), qPrintable(topic.id));
      for (const QString& action : topic.actions) {
        ++named;
        QVERIFY2(m_box->window().actions()->find(action) != nullptr, qPrintable(topic.id + u' ' + action));
      }
    }
    QVERIFY(named > 60);  // the topic of keys has all actions
  }

  void what_a_topic_says_is_never_markup() {
    const shell::HelpTopic topic{QStringLiteral("x"),
                                 QStringLiteral("<b>&"),
                                 QStringLiteral("1 < 2"),
                                 {{QStringLiteral("<i>"), QStringLiteral("<script>")}},
                                 {}};
    QTextBrowser browser;
    browser.setHtml(shell::richText(topic, *m_box->window().actions()));
    for (const char* const part : {"<b>&", "1 < 2", "<i>", "<script>"}) {
      QVERIFY2(browser.toPlainText().contains(QString::fromLatin1(part)), part);
    }
  }

 private:
  void openEditor() {
    m_editors->openTemplate(editor::templateFolder() + QStringLiteral("/digits-mlp.toml"));
    QTRY_VERIFY(m_editors->isSettled() && m_editors->current() != nullptr);
  }
  shell::HelpDialog* help() const { return m_box->window().findChild<shell::HelpDialog*>(); }
  QListWidget* topics() const { return help()->findChild<QListWidget*>(); }
  QString text() const { return help()->findChild<QTextBrowser*>()->toPlainText(); }

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<test::WindowFixture> m_box;
  editor::EditorTabs* m_editors = nullptr;
};

QTEST_MAIN(HelpTests)
#include "help_tests.moc"
