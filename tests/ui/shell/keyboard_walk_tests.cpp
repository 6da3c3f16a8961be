// SPDX-License-Identifier: GPL-3.0-or-later
// The window without a mouse: Tab reaches everything on a page that answers to keys, says its name, and comes back.
#include <spdlog/spdlog.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>

#include <memory>

#include "app/workbench/pages.h"
#include "tests/ui/shell/example_archive.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/editor/editor_tabs.h"
#include "ui/editor/templates.h"
#include "ui/plot/plot_canvas.h"
#include "ui/shell/theme.h"

using namespace mantissa;
using namespace mantissa::ui;

namespace {

constexpr int kMostStops = 400;  // of one walk around a page

bool answersToKeys(const QWidget& one) {
  return qobject_cast<const QAbstractButton*>(&one) != nullptr || qobject_cast<const QComboBox*>(&one) != nullptr ||
         qobject_cast<const QLineEdit*>(&one) != nullptr || qobject_cast<const QAbstractSpinBox*>(&one) != nullptr ||
         qobject_cast<const QAbstractItemView*>(&one) != nullptr ||
         qobject_cast<const QPlainTextEdit*>(&one) != nullptr || qobject_cast<const plot::PlotCanvas*>(&one) != nullptr;
}

/// What the title of a dock and the tab of an editor have for the mouse: actions with keys of their own do the same.
bool hasAnAction(const QWidget& one) {
  return one.inherits("QDockWidgetTitleButton") || qobject_cast<const QTabBar*>(one.parentWidget()) != nullptr;
}

/// A part of another widget, which stands for both: the line of a spin box, the list behind a combo box.
bool isPartOfAnother(const QWidget& one) {
  for (const QWidget* above = one.parentWidget(); above != nullptr; above = above->parentWidget()) {
    if (answersToKeys(*above)) return true;
  }
  return false;
}

QString describe(const QWidget* one) {
  const QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(one));
  return QStringLiteral("%1 \"%2\" in %3")
      .arg(QString::fromLatin1(one->metaObject()->className()),
           spoken != nullptr ? spoken->text(QAccessible::Name) : QString(),
           QString::fromLatin1(one->parentWidget()->metaObject()->className()));
}

}  // namespace

class KeyboardWalkTests : public QObject {
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

  void tab_reaches_all_that_answers_to_keys_and_says_its_name_data() {
    QTest::addColumn<QString>("page");
    for (const char* const page : {"archive", "run", "memory"}) QTest::newRow(page) << QString::fromLatin1(page);
  }
  void tab_reaches_all_that_answers_to_keys_and_says_its_name() {
    QFETCH(QString, page);
    openArchive();
    m_box->window().showPage(page);
    QTRY_VERIFY(m_box->window().page(page)->isSettled());
    expectWalk();
  }

  void tab_reaches_all_fields_of_an_editor() {
    m_editors->openTemplate(editor::templateFolder() + QStringLiteral("/digits-mlp.toml"));
    QTRY_VERIFY(m_editors->isSettled() && m_editors->current() != nullptr);
    expectWalk();
  }

 private:
  void openArchive();
  void expectWalk();

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<test::WindowFixture> m_box;
  editor::EditorTabs* m_editors = nullptr;
};

void KeyboardWalkTests::openArchive() {
  const QString file = m_box->path("walk.db");
  test::makeExampleArchive(file, 50);
  QSignalSpy settled(&m_box->window(), &shell::MainWindow::archiveSettled);
  m_box->window().openArchive(file);
  QTRY_VERIFY(!settled.isEmpty());
}

/// Tab around the window until it is where it began.
void KeyboardWalkTests::expectWalk() {
  QTest::keyClick(&m_box->window(), Qt::Key_Tab);
  QWidget* const first = QApplication::focusWidget();
  QVERIFY(first != nullptr);
  QSet<const QWidget*> reached;
  QWidget* now = first;
  do {
    reached.insert(now);
    const QAccessibleInterface* const spoken = QAccessible::queryAccessibleInterface(now);
    QVERIFY2(spoken != nullptr && !spoken->text(QAccessible::Name).isEmpty(), qPrintable(describe(now)));
    QTest::keyClick(now, Qt::Key_Tab);
    QVERIFY2(QApplication::focusWidget() != now, qPrintable(describe(now)));  // it keeps the keyboard
    now = QApplication::focusWidget();
    QVERIFY(now != nullptr);
  } while (now != first && reached.size() < kMostStops);
  QCOMPARE(describe(now), describe(first));

  QStringList missed;
  for (const QWidget* const one : m_box->window().findChildren<QWidget*>()) {
    if (!answersToKeys(*one) || hasAnAction(*one) || isPartOfAnother(*one) || !one->isVisible() || !one->isEnabled())
      continue;
    if (one->width() == 0 || one->height() == 0) continue;
    const QWidget* const proxy = one->focusProxy();
    if (!reached.contains(one) && (proxy == nullptr || !reached.contains(proxy))) missed << describe(one);
  }
  QVERIFY2(missed.isEmpty(), qPrintable(missed.join(u'\n')));
}

QTEST_MAIN(KeyboardWalkTests)
#include "keyboard_walk_tests.moc"
