// SPDX-License-Identifier: GPL-3.0-or-later
// Typing into the form: what is no value is told at its field at once, and every edit is one step of undo.
#include <spdlog/spdlog.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QTest>

#include "editor_window.h"
#include "ui/editor/experiment_form.h"
#include "ui/editor/field.h"
#include "ui/editor/form_section.h"
#include "ui/editor/outline_model.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

const QString kText = QStringLiteral(
    "mantissa = 1\n"
    "[data]\n"
    "source = \"digits\"\n"
    "[model]\n"
    "kind = \"mlp\"\n"
    "hidden = [64]\n"
    "[training]\n"
    "batch = 64    # samples\n"
    "steps = 5\n"
    "[[trial]]\n"
    "name = \"a\"\n"
    "autocast = \"float16\"\n");

}  // namespace

class TypingTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_window = std::make_unique<EditorWindow>();
    m_editor = m_window->open(m_window->written("a.toml", kText));
  }
  void cleanup() { m_window.reset(); }

  void what_is_no_number_is_told_at_the_field_with_the_key_that_made_it_so() {
    QLineEdit* const line = begin("training.clip_norm");
    QTest::keyClicks(line, QStringLiteral("0"));
    QCOMPARE(field("training.clip_norm")->problem(), QString());
    QTest::keyClicks(line, QStringLiteral(","));
    QVERIFY(!field("training.clip_norm")->problem().isEmpty());  // no check has run: no wait
    QTest::keyClicks(line, QStringLiteral("9"));
    QCOMPARE(field("training.clip_norm")->problem(),
             QStringLiteral("Found 0,9, expected a number. Write 0.9 with a point."));
    // The text says what the field says, in a way that no engine takes for a number, and stays TOML.
    QVERIFY2(text().contains(QStringLiteral("clip_norm = \"0,9\"\n")), qPrintable(text()));
    m_window->settle();
    QVERIFY(m_editor->problems().isToml);
    QVERIFY(!m_editor->problems().problems.isEmpty());
    QVERIFY(!m_window->action("editor_run")->isEnabled());
    QCOMPARE(line->text(), QStringLiteral("0,9"));
    type("training.clip_norm", "0.9");
    QCOMPARE(field("training.clip_norm")->problem(), QString());
    QVERIFY2(text().contains(QStringLiteral("clip_norm = 0.9\n")), qPrintable(text()));
  }

  void the_message_stands_also_where_the_engines_check_ends_before_it() {
    m_window->setText(m_editor, kText + QStringLiteral("[unknown]\nx = 1\n"));
    type("training.batch", "1 000");
    m_window->settle();
    QCOMPARE(field("training.batch")->problem(),
             QStringLiteral("Found 1 000, expected an integer. Write 1000 without anything between the digits."));
  }

  void a_wrong_type_in_the_text_is_told_at_the_field() {
    m_window->setText(m_editor, QString(kText).replace(QStringLiteral("batch = 64"), QStringLiteral("batch = \"64\"")));
    QCOMPARE(field("training.batch")->problem(),
             QStringLiteral("Found 64 in quotes, expected a number. Write it without quotes."));
  }

  void every_kind_of_line_says_at_once_what_it_expected_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("told");
    QTest::newRow("integer") << "training.batch"
                             << "1e-"
                             << "batch = \"1e-\""
                             << "Found 1e-, expected an integer.";
    QTest::newRow("number") << "training.clip_norm"
                            << "abc"
                            << "clip_norm = \"abc\""
                            << "Found abc, expected a number.";
    QTest::newRow("list of numbers") << "model.hidden"
                                     << "64,,32"
                                     << "hidden = [64, \"\", 32]"
                                     << "Found nothing";
    QTest::newRow("list of numbers, open") << "model.hidden"
                                           << "[64"
                                           << "hidden = \"[64\""
                                           << "Found [64, expected a list.";
    QTest::newRow("list of texts") << "data.columns.inputs"
                                   << "a,,b"
                                   << "inputs = [\"a\", \"\", \"b\"]"
                                   << "Found nothing";
    QTest::newRow("text or list") << "data.columns.target"
                                  << "[a"
                                  << "target = \"[a\""
                                  << "Found [a, expected a list.";
    QTest::newRow("any list") << "model.inputs"
                              << "[x]"
                              << "inputs = \"[x]\""
                              << "Found [x], expected a list.";
  }
  void every_kind_of_line_says_at_once_what_it_expected() {
    QFETCH(QString, path);
    QFETCH(QString, typed);
    QFETCH(QString, written);
    QFETCH(QString, told);
    for (QCheckBox* const box : m_editor->form()->findChildren<QCheckBox*>()) {
      if (box->text().contains(QStringLiteral("other kinds"))) box->setChecked(true);
    }
    const QByteArray key = path.toLatin1();
    type(key.constData(), typed);
    QVERIFY2(text().contains(written), qPrintable(text()));
    QVERIFY2(field(key.constData())->problem().startsWith(told), qPrintable(field(key.constData())->problem()));
    m_window->settle();
    QVERIFY(m_editor->problems().isToml);
    auto* const line = qobject_cast<QLineEdit*>(field(key.constData())->input());
    QCOMPARE(line->text(), typed);
    QVERIFY(line->hasFocus());
  }

  void a_comma_at_the_end_of_a_list_waits_for_the_next_item() {
    type("model.hidden", "64,");
    QVERIFY2(text().contains(QStringLiteral("hidden = [64]\n")), qPrintable(text()));
    QCOMPARE(field("model.hidden")->problem(), QString());
    QTest::keyClicks(field("model.hidden")->input(), QStringLiteral(" 32"));
    QVERIFY2(text().contains(QStringLiteral("hidden = [64, 32]\n")), qPrintable(text()));
  }

  void a_path_that_leads_nowhere_is_told_and_one_that_leads_to_a_file_is_not() {
    type("model.weights", "w.pt");
    m_window->settle();
    QVERIFY2(field("model.weights")->problem().contains(m_window->path("w.pt")),
             qPrintable(field("model.weights")->problem()));
    QVERIFY(m_editor->problems().problems.isEmpty());  // the file may come before the run
    m_window->written("w.pt", QStringLiteral("x"));
    type("model.weights", "./w.pt");
    m_window->settle();
    QCOMPARE(field("model.weights")->problem(), QString());
  }

  void an_open_choice_that_is_emptied_keeps_its_key_until_it_is_left() {
    auto* const box = qobject_cast<QComboBox*>(field("training.device")->input());
    box->lineEdit()->setFocus();
    QTest::keyClicks(box->lineEdit(), QStringLiteral("cuda:1"));
    QVERIFY2(text().contains(QStringLiteral("device = \"cuda:1\"\n")), qPrintable(text()));
    box->lineEdit()->selectAll();
    QTest::keyClick(box->lineEdit(), Qt::Key_Delete);
    QVERIFY(text().contains(QStringLiteral("device")));
    QTest::keyClicks(box->lineEdit(), QStringLiteral("cpu"));
    QVERIFY2(text().contains(QStringLiteral("device = \"cpu\"\n")), qPrintable(text()));
    box->lineEdit()->selectAll();
    QTest::keyClick(box->lineEdit(), Qt::Key_Delete);
    QTest::keyClick(box->lineEdit(), Qt::Key_Return);
    QVERIFY2(!text().contains(QStringLiteral("device")), qPrintable(text()));
  }

  void saving_takes_what_was_begun_in_a_field() {
    QLineEdit* const line = begin("training.batch");
    QTest::keyClick(line, Qt::Key_Delete);
    QVERIFY(text().contains(QStringLiteral("batch")));
    QTest::keyClick(m_window->window.get(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY2(!m_window->content("a.toml").contains(QStringLiteral("batch")), qPrintable(m_window->content("a.toml")));
  }

  void every_choice_and_every_tick_is_a_step_of_its_own() {
    auto* const source = qobject_cast<QComboBox*>(field("data.source")->input());
    choose(source, QStringLiteral("wine"));
    choose(source, QStringLiteral("diabetes"));
    undo();
    QVERIFY2(text().contains(QStringLiteral("source = \"wine\"")), qPrintable(text()));
    QCOMPARE(source->currentText(), QStringLiteral("wine"));  // the form follows at once
    undo();
    QCOMPARE(text(), kText);
    auto* const standardize = qobject_cast<QCheckBox*>(field("data.standardize")->input());
    QTest::keyClick(standardize, Qt::Key_Space);
    QTest::keyClick(standardize, Qt::Key_Space);
    undo();
    QVERIFY2(text().contains(QStringLiteral("standardize = true")), qPrintable(text()));
    undo();
    QCOMPARE(text(), kText);
    QVERIFY(!m_editor->isChanged());
  }

  void coming_back_to_a_field_begins_another_step() {
    type("training.batch", "128");
    begin("training.steps");
    QLineEdit* const line = begin("training.batch");
    QTest::keyClicks(line, QStringLiteral("256"));
    undo();
    QVERIFY2(text().contains(QStringLiteral("batch = 128 ")), qPrintable(text()));
    undo();
    QCOMPARE(text(), kText);
  }

  void the_button_that_takes_a_key_away_is_a_step_of_its_own() {
    type("training.batch", "128");
    for (QToolButton* const button : field("training.batch")->findChildren<QToolButton*>()) {
      if (button->isVisible()) button->click();
    }
    QVERIFY(!text().contains(QStringLiteral("batch")));
    undo();
    QVERIFY2(text().contains(QStringLiteral("batch = 128 ")), qPrintable(text()));
  }

  void edits_of_the_text_and_of_the_form_come_back_one_by_one_in_their_order() {
    m_editor->text()->setFocus();
    m_editor->text()->goTo(9, 10);
    QTest::keyClicks(m_editor->text(), QStringLiteral("0"));  // steps = 50
    const QString first = text();
    type("training.steps", "70");
    const QString second = text();
    m_editor->text()->setFocus();
    m_editor->text()->goTo(9, 11);
    QTest::keyClicks(m_editor->text(), QStringLiteral("0"));  // steps = 700, right behind what the form wrote
    const QString third = text();
    QVERIFY(third.contains(QStringLiteral("steps = 700\n")));
    undo();
    QCOMPARE(text(), second);
    undo();
    QCOMPARE(text(), first);
    undo();
    QCOMPARE(text(), kText);
    for (const QString& expected : {first, second, third}) {
      QTest::keyClick(m_editor->text(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
      QCOMPARE(text(), expected);
    }
  }

  void undo_gives_an_emptied_line_its_value_back_before_it_touches_the_text() {
    type("training.steps", "7");
    QLineEdit* const line = begin("training.batch");
    QTest::keyClick(line, Qt::Key_Delete);
    undo();
    QCOMPARE(line->text(), QStringLiteral("64"));
    QVERIFY(text().contains(QStringLiteral("steps = 7\n")));
    undo();
    QCOMPARE(text(), kText);
  }

 private:
  QString text() const { return m_editor->text()->text(); }

  Field* field(const char* path) const { return EditorWindow::field(m_editor, path); }

  QLineEdit* begin(const char* path) const { return EditorWindow::begin(m_editor, path); }
  void type(const char* path, const QString& words) const { QTest::keyClicks(begin(path), words); }
  void type(const char* path, const char* words) const { type(path, QString::fromUtf8(words)); }

  static void choose(QComboBox* box, const QString& word) {
    box->setFocus();
    box->setCurrentIndex(box->findData(word));
    Q_EMIT box->activated(box->currentIndex());
  }

  /// As a person does it, wherever the keyboard is.
  static void undo() { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier); }

  std::unique_ptr<EditorWindow> m_window;
  ExperimentEditor* m_editor = nullptr;
};

QTEST_MAIN(TypingTests)
#include "typing_tests.moc"
