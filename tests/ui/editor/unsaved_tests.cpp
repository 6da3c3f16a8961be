// SPDX-License-Identifier: GPL-3.0-or-later
// What is not saved when the program ends without asking is there at the next start.
#include <spdlog/spdlog.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "editor_window.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

class UnsavedTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QFile file(path("a.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(kSound.toUtf8());
  }

  void a_window_that_is_closed_by_a_signal_leaves_what_was_typed_last() {
    {
      const auto window = start("state");
      QTest::keyClicks(window->open(path("a.toml"))->text(), QStringLiteral("# mine "));
      window->window->closeUnasked();
      QCOMPARE(content("a.toml"), kSound);
    }
    const auto window = start("state");
    window->editors->reopen();
    QVERIFY2(offers(*window).contains(QStringLiteral("Text of a.toml that was not saved when Mantissa ended")),
             qPrintable(offers(*window)));
    QVERIFY(!offers(*window).contains(QStringLiteral("changed since")));
    press(*window, "Restore");
    QCOMPARE(offers(*window), QString());
    ExperimentEditor* const editor = window->editors->current();
    QCOMPARE(editor->file(), path("a.toml"));
    QCOMPARE(editor->text()->text(), QStringLiteral("# mine ") + kSound);
    QVERIFY(editor->isChanged());
    QCOMPARE(copies("state"), 1);  // this window's, until it is saved
    window->trigger("editor_undo");
    QCOMPARE(editor->text()->text(), kSound);
    window->trigger("editor_redo");
    window->trigger("save");
    QCOMPARE(content("a.toml"), QStringLiteral("# mine ") + kSound);
    QCOMPARE(copies("state"), 0);
  }

  void a_window_that_is_killed_leaves_what_was_typed_some_seconds_ago() {
    const auto first = start("state");
    QTest::keyClicks(first->open(path("a.toml"))->text(), QStringLiteral("# mine "));
    QTRY_COMPARE(copies("state"), 1);  // nobody has asked for it
    // What a killed program leaves: its copies, and nobody who holds them.
    QVERIFY(QDir().mkdir(path("left")));
    const QDir state(path("state"));
    for (const QString& name : state.entryList({QStringLiteral("*.json")})) {
      QVERIFY(QFile::copy(state.filePath(name), path("left/") + name));
    }
    const auto second = start("left");
    second->editors->reopen();
    press(*second, "Restore");
    QCOMPARE(second->editors->current()->text()->text(), QStringLiteral("# mine ") + kSound);
  }

  void what_a_window_at_work_keeps_is_offered_to_no_other() {
    const auto first = start("state");
    QTest::keyClicks(first->open(path("a.toml"))->text(), QStringLiteral("# mine "));
    QTRY_COMPARE(copies("state"), 1);
    const auto second = start("state");
    second->editors->reopen();
    QCOMPARE(offers(*second), QString());
  }

  void nothing_is_left_of_what_was_saved_or_taken_back() {
    const auto window = start("state");
    ExperimentEditor* const editor = window->open(path("a.toml"));
    QTest::keyClicks(editor->text(), QStringLiteral("# mine "));
    QTRY_COMPARE(copies("state"), 1);
    window->trigger("save");
    QCOMPARE(copies("state"), 0);
    QTest::keyClicks(editor->text(), QStringLiteral("more"));
    QTRY_COMPARE(copies("state"), 1);
    while (editor->isChanged()) window->trigger("editor_undo");
    QCOMPARE(copies("state"), 0);
  }

  void nothing_is_left_of_what_its_person_gave_up() {
    const auto window = start("state");
    QTest::keyClicks(window->open(path("a.toml"))->text(), QStringLiteral("# mine "));
    QTRY_COMPARE(copies("state"), 1);
    editorQuestions().closing = [](QWidget*, const QString&) { return EditorQuestions::Closing::Discard; };
    window->window->close();
    QCOMPARE(copies("state"), 0);
  }

  void what_is_discarded_is_offered_no_more() {
    leave();
    {
      const auto window = start("state");
      window->editors->reopen();
      press(*window, "Discard");
      QCOMPARE(copies("state"), 0);
      QCOMPARE(window->window->documents().size(), 0);
    }
    const auto window = start("state");
    window->editors->reopen();
    QCOMPARE(offers(*window), QString());
  }

  void what_was_left_of_a_file_is_offered_when_it_is_opened() {
    leave();
    QFile file(path("a.toml"));
    QVERIFY(file.open(QIODevice::Append));
    file.write("# theirs\n");
    file.close();
    const auto window = start("state");
    window->open(path("a.toml"));
    QVERIFY2(offers(*window).contains(QStringLiteral("The file has been changed since.")), qPrintable(offers(*window)));
    press(*window, "Restore");
    QCOMPARE(window->editors->current()->text()->text(), QStringLiteral("# mine ") + kSound);
    QCOMPARE(offers(*window), QString());
  }

  void what_was_left_of_an_experiment_without_a_file_is_a_new_one_again() {
    {
      const auto window = start("state");
      window->openArchive("digits", kSound);
      window->editors->openArchived(0);
      QTRY_VERIFY(window->editors->current() != nullptr);
      QTest::keyClicks(window->editors->current()->text(), QStringLiteral("# mine "));
      window->window->closeUnasked();
    }
    const auto window = start("state");
    window->editors->reopen();
    press(*window, "Restore");
    ExperimentEditor* const editor = window->editors->current();
    QCOMPARE(editor->file(), QString());
    QCOMPARE(editor->title(), QStringLiteral("digits (new)"));
    QVERIFY(editor->text()->text().startsWith(QStringLiteral("# mine ")));
    QVERIFY(editor->isChanged());
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

  QString content(const char* name) const {
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QStringLiteral("unreadable");
  }

  int copies(const char* state) const {
    return static_cast<int>(QDir(path(state)).entryList({QStringLiteral("*.json")}).size());
  }

  std::unique_ptr<EditorWindow> start(const char* state) const {
    auto window = std::make_unique<EditorWindow>();
    window->editors->useUnsavedTexts(path(state));
    return window;
  }

  /// Leaves a changed text of a.toml behind.
  void leave() const {
    const auto window = start("state");
    QTest::keyClicks(window->open(path("a.toml"))->text(), QStringLiteral("# mine "));
    window->window->closeUnasked();
  }

  static QString offers(const EditorWindow& window) {
    return test::stripSentences(window.window->strips()).join(QLatin1Char('\n'));
  }

  static void press(const EditorWindow& window, const char* words) {
    for (QToolButton* const button : window.window->strips()->findChildren<QToolButton*>()) {
      if (button->text() != QString::fromLatin1(words)) continue;
      button->click();
      return;
    }
    qFatal("no such way out: %s", words);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(UnsavedTests)
#include "unsaved_tests.moc"
