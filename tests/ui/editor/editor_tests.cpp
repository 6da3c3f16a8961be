// SPDX-License-Identifier: GPL-3.0-or-later
// The editor in its window, as a person uses it: opens, writes, saves, closes, runs.
#include <spdlog/spdlog.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QMessageBox>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "core/archive/reader.h"
#include "editor_window.h"

using namespace mantissa;
using namespace mantissa::ui::editor;
using ui::shell::MessageStrip;

class EditorTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() { m_window = std::make_unique<EditorWindow>(); }
  void cleanup() { m_window.reset(); }

  void a_file_opens_once_and_its_tab_says_whether_it_is_changed() {
    const QString path = m_window->written("a.toml", kSound);
    ExperimentEditor* const editor = m_window->open(path);
    m_window->editors->openFile(path);
    QCOMPARE(m_window->window->documents().size(), 1);
    QCOMPARE(m_window->tabText(), QStringLiteral("a.toml"));
    QTest::keyClicks(editor->text(), QStringLiteral("# x"));
    QCOMPARE(m_window->tabText(), QStringLiteral("● a.toml"));
    m_window->trigger("editor_undo");
    QCOMPARE(editor->text()->text(), kSound);
    QCOMPARE(m_window->tabText(), QStringLiteral("a.toml"));
  }

  void the_run_page_opens_what_it_shows() {
    const QString path = m_window->written("a.toml", kSound);
    m_window->window->open(path);
    QVERIFY(m_window->editors->current() == nullptr);
    QTest::keyClick(m_window->window.get(), Qt::Key_E, Qt::ControlModifier);
    QVERIFY(m_window->editors->current() != nullptr);
    QCOMPARE(m_window->editors->current()->file(), path);
  }

  void saving_writes_what_the_text_says_and_nothing_else() {
    const QString path = m_window->written("a.toml", QStringLiteral("# ä\r\n") + kSound.chopped(1));
    ExperimentEditor* const editor = m_window->open(path);
    QTest::keyClick(editor->text(), Qt::Key_End);
    QTest::keyClicks(editor->text(), QStringLiteral("!"));
    QTest::keyClick(m_window->window.get(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!editor->isChanged());
    QCOMPARE(m_window->content("a.toml"), QStringLiteral("# ä!\n") + kSound.chopped(1));
  }

  void characters_that_look_like_blanks_stay_what_they_are() {
    const QString text =
        QStringLiteral("# no-break\u00a0blank, line\u2028separator, tab\t, form\ffeed, \U0001F600\n") + kSound;
    ExperimentEditor* const editor = m_window->open(m_window->written("a.toml", text));
    QCOMPARE(editor->text()->text(), text);
    QCOMPARE(editor->strips()->count(), 0);
    ExperimentEditor* const other = m_window->open(m_window->written("b.toml", QStringLiteral("# a\rb\n") + kSound));
    QVERIFY2(m_window->strip(other).contains(QStringLiteral("carriage returns")), qPrintable(m_window->strip(other)));
  }

  void closing_asks_once_where_changes_would_be_lost() {
    const QString path = m_window->written("a.toml", kSound);
    ExperimentEditor* const editor = m_window->open(path);
    int asked = 0;
    auto answer = EditorQuestions::Closing::Cancel;
    editorQuestions().closing = [&](QWidget*, const QString&) {
      ++asked;
      return answer;
    };
    QTest::keyClicks(editor->text(), QStringLiteral("# mine "));
    m_window->trigger("close_tab");
    QCOMPARE(asked, 1);
    QCOMPARE(m_window->window->documents().size(), 1);
    QVERIFY(!m_window->window->close());
    QCOMPARE(asked, 2);
    answer = EditorQuestions::Closing::Save;
    m_window->trigger("close_tab");
    QCOMPARE(asked, 3);
    QCOMPARE(m_window->window->documents().size(), 0);
    QVERIFY(m_window->content("a.toml").startsWith(QStringLiteral("# mine ")));
    ExperimentEditor* const again = m_window->open(path);
    QTest::keyClicks(again->text(), QStringLiteral("x"));
    answer = EditorQuestions::Closing::Discard;
    m_window->trigger("close_tab");
    QCOMPARE(asked, 4);
    QVERIFY(m_window->content("a.toml").startsWith(QStringLiteral("# mine ")));
  }

  void an_unchanged_editor_closes_without_a_question() {
    editorQuestions().closing = [](QWidget*, const QString&) {
      qFatal("asked for nothing");
      return EditorQuestions::Closing::Cancel;
    };
    m_window->open(m_window->written("a.toml", kSound));
    m_window->trigger("close_tab");
    QCOMPARE(m_window->window->documents().size(), 0);
  }

  void problems_stand_at_their_lines_in_the_windows_words() {
    ExperimentEditor* const editor =
        m_window->open(m_window->written("a.toml", kSound + QStringLiteral("[training]\nbatch = 0\nfoo = 1\n")));
    QCOMPARE(editor->problems().problems.size(), 2);
    QVERIFY2(editor->text()->problemAt(8).contains(QStringLiteral("training.foo: unknown key")),
             qPrintable(editor->text()->problemAt(8)));
    QVERIFY2(!editor->text()->problemAt(8).contains(QStringLiteral("mantissa-cli")),
             qPrintable(editor->text()->problemAt(8)));
    m_window->setText(editor, kSound + QStringLiteral("[training]\nbatch = 0\n"));
    QVERIFY2(editor->text()->problemAt(7).contains(QStringLiteral("training.batch: found 0")),
             qPrintable(editor->text()->problemAt(7)));
    QTest::keyClick(m_window->window.get(), Qt::Key_F4);
    QCOMPARE(editor->text()->currentLine(), 7);
    m_window->setText(editor, kSound);
    QVERIFY(editor->problems().problems.isEmpty());
    QVERIFY(editor->text()->problemAt(7).isEmpty());
  }

  void a_file_changed_outside_is_not_replaced_unless_confirmed() {
    ExperimentEditor* const editor = m_window->open(m_window->written("a.toml", kSound));
    QTest::keyClicks(editor->text(), QStringLiteral("# mine"));
    QTest::keyClick(editor->text(), Qt::Key_Return);
    m_window->written("a.toml", QStringLiteral("# theirs\n"));
    m_window->trigger("save");
    QVERIFY(editor->isChanged());
    QCOMPARE(m_window->content("a.toml"), QStringLiteral("# theirs\n"));
    QVERIFY2(m_window->strip(editor).contains(QStringLiteral("Another program has changed a.toml")),
             qPrintable(m_window->strip(editor)));

    bool confirmed = false;
    editorQuestions().overwriting = [&](QWidget*, const QString&) { return confirmed; };
    m_window->wayOut(editor, QStringLiteral("Overwrite…"));
    QCOMPARE(m_window->content("a.toml"), QStringLiteral("# theirs\n"));
    confirmed = true;
    m_window->wayOut(editor, QStringLiteral("Overwrite…"));
    QCOMPARE(m_window->content("a.toml"), QStringLiteral("# mine\n") + kSound);
    QVERIFY(!editor->isChanged());
    QCOMPARE(editor->strips()->count(), 0);
  }

  void a_file_changed_outside_can_be_read_again() {
    ExperimentEditor* const editor = m_window->open(m_window->written("a.toml", kSound));
    QTest::keyClicks(editor->text(), QStringLiteral("# mine"));
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    m_window->trigger("save");
    editorQuestions().givingUp = [](QWidget*, const QString&) { return true; };
    m_window->wayOut(editor, QStringLiteral("Read again"));
    QCOMPARE(editor->text()->text(), QStringLiteral("# theirs\n") + kSound);
    QVERIFY(!editor->isChanged());
  }

  void a_failed_save_names_file_and_reason_and_keeps_the_text() {
    ExperimentEditor* const editor = m_window->open(m_window->written("a.toml", kSound));
    QTest::keyClicks(editor->text(), QStringLiteral("# mine"));
    const QString gone = m_window->path("gone/b.toml");
    editorQuestions().place = [&](QWidget*, const QString&) { return gone; };
    m_window->trigger("save_as");
    QVERIFY2(m_window->strip(editor).contains(gone), qPrintable(m_window->strip(editor)));
    QVERIFY(editor->isChanged());
    QCOMPARE(editor->file(), m_window->path("a.toml"));
    QCOMPARE(m_window->content("a.toml"), kSound);
    editorQuestions().place = [&](QWidget*, const QString&) { return m_window->path("b"); };
    m_window->trigger("save_as");
    QCOMPARE(m_window->tabText(), QStringLiteral("b.toml"));
    QVERIFY(m_window->content("b.toml").startsWith(QStringLiteral("# mine")));
    QCOMPARE(editor->strips()->count(), 0);
  }

  void a_template_begins_an_experiment_without_a_file() {
    QStringList names;
    editorQuestions().templateRow = [&](QWidget*, const QList<std::pair<QString, QString>>& rows) {
      for (const auto& [name, shows] : rows) {
        names << name;
        if (shows.isEmpty()) qFatal("a template that says nothing");
      }
      return static_cast<int>(names.indexOf(QStringLiteral("digits-mlp")));
    };
    QTest::keyClick(m_window->window.get(), Qt::Key_N, Qt::ControlModifier);
    ExperimentEditor* const editor = m_window->editors->current();
    QVERIFY(editor != nullptr);
    QVERIFY(editor->file().isEmpty());
    QVERIFY(editor->text()->text().contains(QStringLiteral("source = \"digits\"")));
    QString suggested;
    editorQuestions().place = [&](QWidget*, const QString& suggestion) {
      suggested = suggestion;
      return m_window->path("mine.toml");
    };
    m_window->trigger("save");
    QVERIFY2(suggested.endsWith(QStringLiteral("/digits-mlp.toml")), qPrintable(suggested));
    QCOMPARE(m_window->content("mine.toml"), editor->text()->text());
  }

  void the_plus_of_the_tree_asks_for_a_template_too() {
    int asked = 0;
    editorQuestions().templateRow = [&](QWidget*, const QList<std::pair<QString, QString>>&) {
      ++asked;
      return -1;
    };
    for (QToolButton* const button : m_window->window->archiveDock()->findChildren<QToolButton*>()) {
      if (button->text() == QStringLiteral("+")) button->click();
    }
    QCOMPARE(asked, 1);
    QVERIFY(m_window->editors->current() == nullptr);
  }

  void files_beside_a_template_are_found_from_anywhere() {
    m_window->editors->openTemplate(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/overflow-regions.toml"));
    QVERIFY2(m_window->editors->current()->text()->text().contains(
                 QStringLiteral("path = \"" MANTISSA_SOURCE_DIR "/experiments/files/large_attention.pt\"")),
             qPrintable(m_window->editors->current()->text()->text()));
  }

  void a_file_that_moves_away_from_its_data_says_so() {
    m_window->written("x.csv", QStringLiteral("a,b\n1,2\n"));
    ExperimentEditor* const editor = m_window->open(m_window->written(
        "a.toml", QStringLiteral("mantissa = 1\n[data]\npath = \"x.csv\"\n[model]\nkind = \"mlp\"\n")));
    QTRY_VERIFY(!editor->isChecking());
    QVERIFY(editor->problems().missing.isEmpty());
    QVERIFY(QDir().mkpath(m_window->path("other")));
    editorQuestions().place = [&](QWidget*, const QString&) { return m_window->path("other/a.toml"); };
    m_window->trigger("save_as");
    QVERIFY2(m_window->strip(editor).contains(QStringLiteral("x.csv leads nowhere")),
             qPrintable(m_window->strip(editor)));
    QTRY_COMPARE(editor->problems().missing.size(), 1);  // by the check, too, although the text is as before
  }

  void a_file_changed_outside_is_told_when_its_tab_is_shown() {
    ExperimentEditor* const editor = m_window->open(m_window->written("a.toml", kSound));
    m_window->window->showPage(QStringLiteral("run"));
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    QCOMPARE(editor->strips()->count(), 0);
    m_window->window->showDocument(editor);
    QVERIFY2(m_window->strip(editor).contains(QStringLiteral("a.toml")), qPrintable(m_window->strip(editor)));
    m_window->wayOut(editor, QStringLiteral("Read again"));
    QVERIFY(editor->text()->text().startsWith(QStringLiteral("# theirs")));
    QCOMPARE(editor->strips()->count(), 0);
  }

  void an_archived_experiment_runs_again_with_changes() {
    m_window->openArchive("digits", kSound);
    QAction* const again = m_window->action("run_again");
    QVERIFY(!again->isEnabled());
    m_window->window->archiveDock()->selectTrial(1);
    QVERIFY(again->isEnabled());
    again->trigger();
    QTRY_VERIFY(m_window->editors->current() != nullptr);
    QCOMPARE(m_window->editors->current()->text()->text(), kSound);
    QVERIFY(m_window->editors->current()->file().isEmpty());
  }

  void f5_saves_and_runs_the_experiment_in_front() {
    m_window->openArchive("digits", kSound);
    const QString path = m_window->written(
        "tiny.toml", QStringLiteral("mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"linear\"\n"
                                    "[training]\nsteps = 2\nbatch = 8\n"));
    ExperimentEditor* const editor = m_window->open(path);
    QTest::keyClicks(editor->text(), QStringLiteral("# mine"));
    QVERIFY(QTest::qWaitFor([this] { return !m_window->action("editor_run")->isEnabled(); }));  // no version is left
    QTest::keyClick(editor->text(), Qt::Key_Return);
    QTRY_VERIFY(m_window->action("editor_run")->isEnabled());
    int asked = 0;
    auto answer = EditorQuestions::Saving::Cancel;
    editorQuestions().savingBeforeRun = [&](QWidget*, const QString&) {
      ++asked;
      return answer;
    };
    QTest::keyClick(m_window->window.get(), Qt::Key_F5);
    QCOMPARE(asked, 1);
    QVERIFY(editor->isChanged());
    QCOMPARE(m_window->editors->current(), editor);
    answer = EditorQuestions::Saving::Save;
    QTest::keyClick(m_window->window.get(), Qt::Key_F5);
    QCOMPARE(asked, 2);
    QVERIFY(m_window->content("tiny.toml").startsWith(QStringLiteral("# mine\n")));
    QVERIFY(m_window->editors->current() == nullptr);
    QVERIFY(m_window->window->page(QStringLiteral("run"))->isVisible());
    const auto newest = [this] { return archive::Reader(m_window->path("a.db").toStdString()).trials().back(); };
    QTRY_COMPARE_WITH_TIMEOUT(newest().experiment, std::string("tiny"), 60000);
    QTRY_COMPARE_WITH_TIMEOUT(newest().end.counts.attempted, std::int64_t{2}, 60000);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->window->page(QStringLiteral("run"))->isBusy(), 60000);
  }

  void a_file_with_unsaved_changes_is_not_run_from_the_run_page_unasked() {
    m_window->openArchive("digits", kSound);
    const QString path = m_window->written("tiny.toml", QStringLiteral("mantissa = 1\n"));
    QCOMPARE(m_window->editors->saveBeforeRun(path), path);  // no editor has it
    ExperimentEditor* const editor = m_window->open(path);
    QCOMPARE(m_window->editors->saveBeforeRun(path), path);  // nor is it changed
    QTest::keyClicks(editor->text(), QStringLiteral("# mine "));
    auto answer = EditorQuestions::Saving::Cancel;
    editorQuestions().savingBeforeRun = [&](QWidget*, const QString&) { return answer; };
    QVERIFY(m_window->editors->saveBeforeRun(path).isEmpty());
    QVERIFY(editor->isChanged());
    answer = EditorQuestions::Saving::Save;
    QCOMPARE(m_window->editors->saveBeforeRun(path), path);
    QVERIFY(m_window->content("tiny.toml").startsWith(QStringLiteral("# mine ")));
  }

  void what_is_saved_as_another_file_before_a_run_is_run_from_there() {
    m_window->openArchive("digits", kSound);
    const QString text = kSound + QStringLiteral("[training]\nsteps = 2\nbatch = 8\n");
    const QString mine = m_window->written("mine.toml", text);
    m_window->window->open(mine);
    ExperimentEditor* const editor = m_window->open(mine);
    QTest::keyClicks(editor->text(), QStringLiteral("# mine"));
    QTest::keyClick(editor->text(), Qt::Key_Return);
    editorQuestions().savingBeforeRun = [](QWidget*, const QString&) { return EditorQuestions::Saving::SaveAs; };
    editorQuestions().place = [](QWidget*, const QString&) { return QString(); };
    QVERIFY(m_window->editors->saveBeforeRun(mine).isEmpty());  // nowhere to save it: nothing runs
    QVERIFY(editor->isChanged());
    const QString other = m_window->path("other.toml");
    editorQuestions().place = [&](QWidget*, const QString&) { return other; };
    m_window->window->showPage(QStringLiteral("run"));
    QVERIFY2(m_window->action("run")->isEnabled(), qPrintable(m_window->action("run")->toolTip()));
    m_window->trigger("run");
    QCOMPARE(editor->file(), other);
    const auto newest = [this] { return archive::Reader(m_window->path("a.db").toStdString()).trials().back(); };
    QTRY_COMPARE_WITH_TIMEOUT(newest().experiment, std::string("other"), 60000);  // by the name of its file
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->window->page(QStringLiteral("run"))->isBusy(), 60000);
    QCOMPARE(m_window->content("mine.toml"), text);
    QVERIFY(m_window->content("other.toml").startsWith(QStringLiteral("# mine\n")));
    QCOMPARE(editor->file(), other);
  }

  void before_a_run_a_changed_file_can_be_saved_saved_as_another_or_left_data() {
    QTest::addColumn<QString>("button");
    QTest::addColumn<int>("answer");
    QTest::newRow("save") << QStringLiteral("Save and run") << static_cast<int>(EditorQuestions::Saving::Save);
    QTest::newRow("save as") << QStringLiteral("Save as…") << static_cast<int>(EditorQuestions::Saving::SaveAs);
    QTest::newRow("cancel") << QStringLiteral("Cancel") << static_cast<int>(EditorQuestions::Saving::Cancel);
  }
  void before_a_run_a_changed_file_can_be_saved_saved_as_another_or_left() {
    QFETCH(QString, button);
    QFETCH(int, answer);
    QStringList words;
    QTimer::singleShot(0, m_window->window.get(), [&] {
      auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (box == nullptr) return;
      QAbstractButton* pressed = nullptr;
      for (QAbstractButton* const one : box->buttons()) {
        words << one->text().remove(u'&');
        if (words.last() == button) pressed = one;
      }
      if (pressed != nullptr) {
        pressed->click();
      } else {
        box->reject();
      }
    });
    QCOMPARE(static_cast<int>(editorQuestions().savingBeforeRun(m_window->window.get(), QStringLiteral("a.toml"))),
             answer);
    QVERIFY2(words.contains(button), qPrintable(words.join(u'|')));
  }

  void a_new_experiment_asks_for_its_place_before_it_runs() {
    m_window->openArchive("digits", kSound);
    m_window->editors->openTemplate(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments/digits-mlp.toml"));
    m_window->settle();
    int asked = 0;
    editorQuestions().place = [&](QWidget*, const QString&) {
      ++asked;
      return QString();
    };
    editorQuestions().savingBeforeRun = [](QWidget*, const QString&) {
      qFatal("asked twice");
      return EditorQuestions::Saving::Cancel;
    };
    m_window->trigger("editor_run");
    QCOMPARE(asked, 1);
    QVERIFY(m_window->editors->current() != nullptr);  // nowhere to save it: nothing runs
  }

  void what_waits_to_be_run_follows_the_file() {
    const QString path = m_window->written("a.toml", kSound);
    m_window->window->open(path);
    m_window->open(path);
    QTest::keyClicks(m_window->editors->current()->text(), QStringLiteral("name = \"other\""));
    QTest::keyClick(m_window->editors->current()->text(), Qt::Key_Return);
    m_window->trigger("save");
    QStringList words;
    for (const QLabel* const label : m_window->window->page(QStringLiteral("run"))->findChildren<QLabel*>()) {
      words << label->text();
    }
    QVERIFY(words.contains(QStringLiteral("other")));
  }

  void widths_that_a_person_chose_are_those_of_the_next_editor() {
    ExperimentEditor* const editor = m_window->open(m_window->written("a.toml", kSound));
    auto* const splitter = editor->findChild<QSplitter*>();
    const int before = splitter->sizes().first();
    QTest::mousePress(splitter->handle(1), Qt::LeftButton, {}, {2, 100});
    QTest::mouseMove(splitter->handle(1), {52, 100});
    QTest::mouseRelease(splitter->handle(1), Qt::LeftButton, {}, {52, 100});
    const int chosen = splitter->sizes().first();
    QVERIFY(chosen > before + 20);
    ExperimentEditor* const next = m_window->open(m_window->written("b.toml", kSound));
    QTRY_COMPARE(next->findChild<QSplitter*>()->sizes().first(), chosen);
  }

  void keys_of_the_pages_stay_with_an_editor_in_front() {
    m_window->open(m_window->written("a.toml", kSound));
    QVERIFY2(m_window->window->actions()->conflicts().isEmpty(),
             qPrintable(m_window->window->actions()->conflicts().join(", ")));
    QTest::keyClick(m_window->editors->current()->text(), Qt::Key_2, Qt::ControlModifier);
    QVERIFY(m_window->window->page(QStringLiteral("run"))->isVisible());
    QVERIFY(m_window->window->actions()->conflicts().isEmpty());
  }

 private:
  std::unique_ptr<EditorWindow> m_window;
};

QTEST_MAIN(EditorTests)
#include "editor_tests.moc"
