// SPDX-License-Identifier: GPL-3.0-or-later
// Finding words in the text of an experiment, by the keyboard alone.
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QLineEdit>
#include <QTest>

#include "editor_window.h"
#include "ui/editor/find_bar.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

// "batch" stands in lines 1, 3 and 4; a capital begins the second one.
const QString kText = QStringLiteral("# batch one\nmantissa = 1\n# Batch two\n# and a batch three\n");

}  // namespace

class FindTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_window = std::make_unique<EditorWindow>();
    m_editor = m_window->open(m_window->written("a.toml", kText));
    m_editor->text()->setFocus();
  }
  void cleanup() { m_window.reset(); }

  void matches_are_found_counted_marked_and_gone_through_around_the_end() {
    press(Qt::Key_F, Qt::ControlModifier);
    QVERIFY(bar()->isVisible());
    QCOMPARE(QApplication::focusWidget(), bar()->words());
    QTest::keyClicks(bar()->words(), QStringLiteral("batch"));
    QCOMPARE(bar()->countWords(), QStringLiteral("1 of 3"));
    QCOMPARE(marks(), 3);
    QCOMPARE(m_editor->text()->currentLine(), 1);
    press(Qt::Key_F3);
    QCOMPARE(bar()->countWords(), QStringLiteral("2 of 3"));
    QCOMPARE(m_editor->text()->currentLine(), 3);
    QTest::keyClick(bar()->words(), Qt::Key_Return);
    QCOMPARE(m_editor->text()->currentLine(), 4);
    press(Qt::Key_F3);
    QCOMPARE(m_editor->text()->currentLine(), 1);
    press(Qt::Key_F3, Qt::ShiftModifier);
    QCOMPARE(bar()->countWords(), QStringLiteral("3 of 3"));
    QTest::keyClick(bar()->words(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(m_editor->text()->currentLine(), 3);
    QCOMPARE(m_editor->text()->textCursor().selectedText(), QStringLiteral("Batch"));
    QCOMPARE(m_editor->text()->text(), kText);
  }

  void escape_closes_it_and_gives_the_keyboard_back_to_the_text() {
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(bar()->words(), QStringLiteral("two"));
    QTest::keyClick(bar()->words(), Qt::Key_Escape);
    QVERIFY(!bar()->isVisible());
    QCOMPARE(QApplication::focusWidget(), m_editor->text());
    QCOMPARE(marks(), 0);
    QCOMPARE(m_editor->text()->textCursor().selectedText(), QStringLiteral("two"));  // where it was found
    press(Qt::Key_F3);
    QVERIFY(bar()->isVisible());  // F3 goes on with the same words
    QTest::keyClick(m_editor->text(), Qt::Key_Escape);
    QVERIFY(!bar()->isVisible());
  }

  void what_is_selected_is_looked_for_and_capitals_count_where_wanted() {
    m_editor->text()->select(14, 8);  // in line 2
    QCOMPARE(m_editor->text()->textCursor().selectedText(), kText.mid(14, 8));
    m_editor->text()->select(static_cast<int>(kText.indexOf(QStringLiteral("Batch"))), 5);
    press(Qt::Key_F, Qt::ControlModifier);
    QCOMPARE(bar()->words()->text(), QStringLiteral("Batch"));
    QCOMPARE(bar()->countWords(), QStringLiteral("2 of 3"));
    for (QToolButton* const button : bar()->findChildren<QToolButton*>()) {
      if (button->isCheckable()) button->click();
    }
    QCOMPARE(bar()->countWords(), QStringLiteral("1 of 1"));
  }

  void words_that_are_nowhere_are_told_and_the_count_follows_the_text() {
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(bar()->words(), QStringLiteral("four"));
    QCOMPARE(bar()->countWords(), QStringLiteral("no match"));
    press(Qt::Key_F3);
    QCOMPARE(m_editor->text()->currentLine(), 1);
    m_editor->text()->edit(0, 0, QStringLiteral("# four four\n"));
    QCOMPARE(bar()->countWords(), QStringLiteral("2 matches"));
  }

  void its_keys_are_no_other_actions_and_all_of_it_has_a_name() {
    QVERIFY2(m_window->window->actions()->conflicts().isEmpty(),
             qPrintable(m_window->window->actions()->conflicts().join(QStringLiteral(", "))));
    QVERIFY(!bar()->words()->accessibleName().isEmpty());
    const auto buttons = bar()->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly);
    QCOMPARE(buttons.size(), 4);
    for (const QToolButton* const button : buttons) QVERIFY(!button->accessibleName().isEmpty());
    m_window->window->showPage(QStringLiteral("run"));
    QVERIFY(!m_window->action("editor_find")->isEnabled());
  }

 private:
  FindBar* bar() const { return m_editor->findBar(); }

  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const {
    QTest::keyClick(QApplication::focusWidget(), key, modifiers);
  }

  /// Selections that mark something shorter than a line.
  int marks() const {
    int count = 0;
    for (const QTextEdit::ExtraSelection& one : m_editor->text()->extraSelections()) {
      const QString words = one.cursor.selectedText();
      if (words.compare(bar()->words()->text(), Qt::CaseInsensitive) == 0 && !words.isEmpty()) ++count;
    }
    return count;
  }

  std::unique_ptr<EditorWindow> m_window;
  ExperimentEditor* m_editor = nullptr;
};

QTEST_MAIN(FindTests)
#include "find_tests.moc"
