// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of the window's actions work wherever the keyboard is, in fields for text as well.
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTest>

#include <memory>

#include "app/workbench/pages.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/theme.h"

using namespace mantissa;
using namespace mantissa::ui;

namespace {

/// A field that takes every key for itself, as Qt's do with some on every platform, with others on one or the other.
template <class Field>
class Greedy : public Field {
 protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride) return Field::event(event);
    event->accept();
    return true;
  }
};

}  // namespace

class TypingKeysTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_box = std::make_unique<test::WindowFixture>(workbench::makePages());
    workbench::addEditor(m_box->window());
    QVERIFY(m_box->isShown());
    m_box->window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&m_box->window()));
  }
  void cleanup() {
    m_box.reset();
    m_theme.reset();
  }

  void every_action_is_done_by_its_keys_while_a_field_has_the_keyboard_data() {
    QTest::addColumn<QString>("field");
    QTest::addColumn<bool>("isGreedy");
    for (const char* const field : {"line", "number", "choice", "text"}) {
      QTest::addRow("%s", field) << field << false;
      QTest::addRow("%s that takes every key", field) << field << true;
    }
  }
  void every_action_is_done_by_its_keys_while_a_field_has_the_keyboard() {
    QFETCH(QString, field);
    QFETCH(bool, isGreedy);
    QWidget* const widget = make(field, isGreedy);
    widget->setParent(m_box->window().centralWidget());
    widget->setGeometry(0, 0, 200, 60);
    widget->show();
    widget->setFocus();
    QVERIFY(widget->hasFocus());
    QStringList dead;
    int sent = 0;
    for (QAction* const action : m_box->window().actions()->actions()) {
      if (belongsToFields(*action)) continue;
      int done = 0;
      action->disconnect();  // its keys are looked at, not what it does
      action->setEnabled(true);
      connect(action, &QAction::triggered, this, [&done] { ++done; });
      QTest::keySequence(widget, action->shortcut());
      ++sent;
      if (done != 1) dead << action->objectName() + u' ' + action->shortcut().toString();
      action->disconnect();
      action->setEnabled(false);
    }
    QVERIFY2(dead.isEmpty(), qPrintable(dead.join(QStringLiteral(", "))));
    QVERIFY(sent > 40);
  }

  void undo_stays_with_the_field() {
    auto* const line = new QLineEdit(m_box->window().centralWidget());
    line->show();
    line->setFocus();
    QAction* const undo = m_box->action("editor_undo");
    undo->disconnect();
    undo->setEnabled(true);
    QTest::keyClicks(line, QStringLiteral("abc"));
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(line->text(), QString());
  }

 private:
  static bool belongsToFields(const QAction& action) {
    return action.objectName() == QLatin1String("editor_undo") || action.objectName() == QLatin1String("editor_redo");
  }

  static QWidget* make(const QString& field, bool isGreedy) {
    if (field == QLatin1String("line")) return isGreedy ? new Greedy<QLineEdit> : new QLineEdit;
    if (field == QLatin1String("number")) return isGreedy ? new Greedy<QSpinBox> : new QSpinBox;
    if (field == QLatin1String("text")) return isGreedy ? new Greedy<QPlainTextEdit> : new QPlainTextEdit;
    QComboBox* const choice = isGreedy ? new Greedy<QComboBox> : new QComboBox;
    choice->setEditable(true);
    return choice;
  }

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<test::WindowFixture> m_box;
};

QTEST_MAIN(TypingKeysTests)
#include "typing_keys_tests.moc"
