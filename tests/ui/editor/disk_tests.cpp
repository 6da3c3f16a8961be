// SPDX-License-Identifier: GPL-3.0-or-later
// Other programs change, replace and delete the file of an editor; nothing is lost, and it is told at once.
#include <spdlog/spdlog.h>

#include <QDialog>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include <sys/resource.h>

#include <csignal>

#include "core/archive/reader.h"
#include "editor_window.h"
#include "ui/editor/line_difference.h"
#include "ui/run/run_page.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

class DiskTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_window = std::make_unique<EditorWindow>();
    m_editor = m_window->open(m_window->written("a.toml", kSound));
  }
  void cleanup() { m_window.reset(); }

  void a_change_by_another_program_is_told_at_once() {
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    QTRY_VERIFY(strip().contains(QStringLiteral("Another program has changed a.toml")));
    m_window->wayOut(m_editor, QStringLiteral("Read again"));
    QCOMPARE(text(), QStringLiteral("# theirs\n") + kSound);
    QVERIFY(!m_editor->isChanged());
    QCOMPARE(m_editor->strips()->count(), 0);
  }

  void a_file_that_is_replaced_by_another_of_its_name_is_watched_on() {
    for (const char* const words : {"# one\n", "# two\n", "# three\n"}) {
      replaceFile(QString::fromLatin1(words) + kSound);
      QTRY_VERIFY(!strip().isEmpty());
      m_window->wayOut(m_editor, QStringLiteral("Read again"));
      QCOMPARE(text(), QString::fromLatin1(words) + kSound);
    }
  }

  void a_replaced_file_with_the_same_text_is_no_news() {
    replaceFile(kSound);
    QTest::qWait(300);  // longer than the watch waits
    QCOMPARE(strip(), QString());
    QVERIFY(!m_editor->isChanged());
  }

  void what_another_program_made_the_same_as_here_is_saved() {
    QTest::keyClicks(m_editor->text(), QStringLiteral("# x"));
    QTest::keyClick(m_editor->text(), Qt::Key_Return);
    QVERIFY(m_editor->isChanged());
    replaceFile(QStringLiteral("# x\n") + kSound);
    QTRY_VERIFY(!m_editor->isChanged());
    QCOMPARE(strip(), QString());
  }

  void saving_is_no_change_by_another_program() {
    QTest::keyClicks(m_editor->text(), QStringLiteral("# x"));
    m_window->trigger("save");
    QTest::qWait(300);
    QCOMPARE(strip(), QString());
  }

  void a_file_that_is_deleted_keeps_its_text_here_and_can_be_written_again() {
    QVERIFY(QFile::remove(m_window->path("a.toml")));
    QTRY_VERIFY(strip().contains(QStringLiteral("a.toml is gone")));
    QVERIFY(m_editor->isChanged());  // closing asks: what stands here stands nowhere else
    QCOMPARE(text(), kSound);
    m_window->wayOut(m_editor, QStringLiteral("Write it again"));
    QCOMPARE(m_window->content("a.toml"), kSound);
    QVERIFY(!m_editor->isChanged());
    QCOMPARE(m_editor->strips()->count(), 0);
    m_window->written("a.toml", QStringLiteral("# theirs\n"));
    QTRY_VERIFY(strip().contains(QStringLiteral("changed a.toml")));  // watched on
  }

  void a_file_that_grows_beyond_what_can_be_read_is_told_and_not_read() {
    QTest::keyClicks(m_editor->text(), QStringLiteral("# mine "));
    const QString mine = text();
    QVERIFY(QFile::resize(m_window->path("a.toml"), (qint64{1} << 20) + 1));
    QTRY_VERIFY(strip().contains(QStringLiteral("it is larger than 1 MiB now")));
    QCOMPARE(ways(), (QStringList{QStringLiteral("Overwrite…"), QStringLiteral("Save as…")}));
    m_window->trigger("save");
    QVERIFY2(strip().contains(QStringLiteral("Not saved.")), qPrintable(strip()));
    editorQuestions().overwriting = [](QWidget*, const QString&) { return true; };
    m_window->wayOut(m_editor, QStringLiteral("Overwrite…"));
    QCOMPARE(m_window->content("a.toml"), mine);
    QCOMPARE(strip(), QString());
  }

  void a_view_of_differences_keeps_mine_only_of_what_can_be_read() {
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    QTRY_VERIFY(!strip().isEmpty());
    m_window->wayOut(m_editor, QStringLiteral("Show difference"));
    QVERIFY(QFile::resize(m_window->path("a.toml"), (qint64{1} << 20) + 1));
    for (QPushButton* const button :
         m_editor->findChild<QDialog*>(QStringLiteral("difference"))->findChildren<QPushButton*>()) {
      if (button->text() == QStringLiteral("Keep mine")) button->click();
    }
    QVERIFY2(strip().contains(QStringLiteral("larger than 1 MiB")), qPrintable(strip()));
  }

  void a_folder_in_the_place_of_the_file_is_told_as_one_with_save_as_alone() {
    QVERIFY(QFile::remove(m_window->path("a.toml")));
    QVERIFY(QDir().mkdir(m_window->path("a.toml")));
    QTRY_VERIFY(strip().contains(QStringLiteral("a.toml is a folder now")));
    QCOMPARE(ways(), QStringList{QStringLiteral("Save as…")});
    QVERIFY(m_editor->isChanged());
    m_window->trigger("save");
    QVERIFY2(strip().contains(QStringLiteral("Not saved. a.toml is a folder now")), qPrintable(strip()));
    QCOMPARE(text(), kSound);
  }

  void a_file_that_comes_back_as_it_was_leaves_nothing_to_tell() {
    QVERIFY(QFile::remove(m_window->path("a.toml")));
    QTRY_VERIFY(!strip().isEmpty());
    m_window->written("a.toml", kSound);
    QTRY_COMPARE(strip(), QString());
    QVERIFY(!m_editor->isChanged());
  }

  void keeping_mine_lets_save_replace_that_version_and_no_later_one() {
    const QString theirs = QStringLiteral("# theirs\n") + kSound;
    m_window->written("a.toml", theirs);
    QTRY_VERIFY(!strip().isEmpty());
    m_window->wayOut(m_editor, QStringLiteral("Keep mine"));
    QCOMPARE(strip(), QString());
    QVERIFY(m_editor->isChanged());
    QCOMPARE(m_window->content("a.toml"), theirs);
    m_window->trigger("save");
    QCOMPARE(m_window->content("a.toml"), kSound);
    m_window->written("a.toml", theirs);
    QTRY_VERIFY(!strip().isEmpty());
    m_window->wayOut(m_editor, QStringLiteral("Keep mine"));
    m_window->written("a.toml", QStringLiteral("# later\n"));
    m_window->trigger("save");
    QCOMPARE(m_window->content("a.toml"), QStringLiteral("# later\n"));
    QVERIFY2(strip().contains(QStringLiteral("Not saved.")), qPrintable(strip()));
  }

  void the_difference_shows_the_lines_of_both_and_the_ways_out() {
    m_window->written("a.toml", QString(kSound).replace(QStringLiteral("digits"), QStringLiteral("wine")));
    QTRY_VERIFY(!strip().isEmpty());
    m_window->wayOut(m_editor, QStringLiteral("Show difference"));
    auto* const view = m_editor->findChild<QDialog*>(QStringLiteral("difference"));
    QVERIFY(view != nullptr);
    const QString shown = view->findChild<QPlainTextEdit*>()->toPlainText();
    QVERIFY2(shown.contains(QStringLiteral("    3 − source = \"digits\"\n    3 + source = \"wine\"\n")),
             qPrintable(shown));
    for (QPushButton* const button : view->findChildren<QPushButton*>()) {
      if (button->text() == QStringLiteral("Read again")) button->click();
    }
    QVERIFY(text().contains(QStringLiteral("wine")));
  }

  void reading_again_can_be_undone() {
    editorQuestions().givingUp = [](QWidget*, const QString&) { return true; };
    QTest::keyClicks(m_editor->text(), QStringLiteral("# mine"));
    const QString mine = text();
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    QTRY_VERIFY(!strip().isEmpty());
    m_window->wayOut(m_editor, QStringLiteral("Read again"));
    QVERIFY(!m_editor->isChanged());
    m_window->trigger("editor_undo");
    QCOMPARE(text(), mine);
    QVERIFY(m_editor->isChanged());
  }

  void run_runs_nothing_else_than_what_stands_in_the_editor() {
    m_window->openArchive("digits", kSound);
    m_window->window->showDocument(m_editor);
    m_window->settle();
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    m_window->trigger("editor_run");
    QVERIFY2(strip().contains(QStringLiteral("Not run.")) || strip().contains(QStringLiteral("Not run:")),
             qPrintable(strip()));
    QCOMPARE(m_window->editors->current(), m_editor);
  }

  void a_save_that_is_refused_before_a_run_is_shown_where_it_is_told() {
    QTest::keyClicks(m_editor->text(), QStringLiteral("# mine"));
    m_window->written("a.toml", QStringLiteral("# theirs\n") + kSound);
    m_window->window->showPage(QStringLiteral("run"));
    editorQuestions().savingBeforeRun = [](QWidget*, const QString&) { return EditorQuestions::Saving::Save; };
    QVERIFY(m_window->editors->saveBeforeRun(m_window->path("a.toml")).isEmpty());
    QCOMPARE(m_window->editors->current(), m_editor);
    QVERIFY2(strip().contains(QStringLiteral("Not saved.")), qPrintable(strip()));
  }

  void a_queued_file_with_unsaved_changes_asks_first() {
    m_window->openArchive("digits", kSound);
    m_window->window->showDocument(m_editor);
    QTest::keyClicks(m_editor->text(), QStringLiteral("# mine "));
    int asked = 0;
    editorQuestions().savingBeforeRun = [&](QWidget*, const QString&) {
      ++asked;
      return EditorQuestions::Saving::Cancel;
    };
    ui::run::RunPage::setFileQuestion(
        [this](QWidget*, const QString&) { return QStringList{m_window->path("a.toml")}; });
    m_window->trigger("run_queue_files");
    QCOMPARE(asked, 1);
    QVERIFY(!m_window->window->page(QStringLiteral("run"))->isBusy());
    QCOMPARE(m_window->content("a.toml"), kSound);
  }

  void the_run_page_says_that_its_file_has_unsaved_changes() {
    m_window->window->open(m_window->path("a.toml"));
    m_window->window->showDocument(m_editor);
    QTest::keyClicks(m_editor->text(), QStringLiteral("# mine "));
    QVERIFY2(runPageWords().contains(QStringLiteral("a.toml has changes in the editor that are not saved")),
             qPrintable(runPageWords()));
    m_window->trigger("editor_undo");
    QVERIFY(!runPageWords().contains(QStringLiteral("not saved")));
  }

  void a_disk_that_takes_no_more_leaves_file_and_text_as_they_are() {
    std::signal(SIGXFSZ, SIG_IGN);
    const QString longer = kSound + QStringLiteral("# ") + QString(5000, QLatin1Char('x')) + QLatin1Char('\n');
    m_window->setText(m_editor, longer);
    rlimit before{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{1000, before.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    m_window->trigger("save");
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
    QVERIFY2(strip().contains(QStringLiteral("Not saved. ")), qPrintable(strip()));
    QVERIFY2(strip().contains(QStringLiteral("nothing was changed")), qPrintable(strip()));
    QCOMPARE(m_window->content("a.toml"), kSound);
    QCOMPARE(text(), longer);
    QVERIFY(m_editor->isChanged());
    m_window->trigger("save");
    QCOMPARE(m_window->content("a.toml"), longer);
  }

  void what_is_no_experiment_file_is_refused_by_name_with_a_way_out_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("told");
    QTest::newRow("5 MB") << QByteArray(5'000'000, '#') << "is larger than 1 MiB";
    QTest::newRow("binary") << QByteArray(
                                   "\x7f"
                                   "ELF\0\0\0",
                                   7)
                            << "is not a text file";
    QTest::newRow("Latin-1") << QByteArray("name = \"\xE4\"\n") << "is not UTF-8";
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFEm\0a\0", 6) << "is not a text file";
  }
  void what_is_no_experiment_file_is_refused_by_name_with_a_way_out() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, told);
    QFile file(m_window->path("b.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    const QString words = refusal(file.fileName());
    QVERIFY2(words.contains(file.fileName()) && words.contains(told), qPrintable(words));
    QVERIFY2(words.count(QLatin1Char('.')) >= 3, qPrintable(words));  // the name's, what is wrong, what to do
    QCOMPARE(m_window->window->documents().size(), 1);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), bytes);
  }

  void a_file_that_runs_and_is_too_large_to_edit_says_so_before_it_is_tried() {
    const QString padding = QString((1 << 20) - kSound.size() - 1, QLatin1Char('#')) + QLatin1Char('\n');
    m_window->window->open(m_window->written("largest.toml", kSound + padding));
    QVERIFY2(m_window->action("edit_experiment")->isEnabled(), "1 MiB");
    m_window->window->open(m_window->written("larger.toml", kSound + QLatin1Char('#') + padding));
    QVERIFY2(!m_window->action("edit_experiment")->isEnabled(), "a byte more");
    QVERIFY2(m_window->action("edit_experiment")->toolTip().contains(QStringLiteral("at most 1 MiB")),
             qPrintable(m_window->action("edit_experiment")->toolTip()));
  }

  void folders_and_missing_files_are_refused_too() {
    QVERIFY2(refusal(m_window->path(".")).contains(QStringLiteral("is not a file")), "a folder");
    QVERIFY2(refusal(m_window->path("no.toml")).contains(QStringLiteral("there is no such file")), "a missing file");
  }

  void an_empty_file_opens_says_so_and_can_be_filled() {
    ExperimentEditor* const empty = m_window->open(m_window->written("empty.toml", QString()));
    QCOMPARE(empty->problems().problems.size(), 1);
    QVERIFY2(empty->problems().problems.first().words.contains(QStringLiteral("the file is empty")),
             qPrintable(empty->problems().problems.first().words));
    empty->showPage(QStringLiteral("data"));
    QTest::keyClicks(empty->text(), QStringLiteral("mantissa = 1"));
    m_window->trigger("save");
    QCOMPARE(m_window->content("empty.toml"), QStringLiteral("mantissa = 1"));
  }

  void reading_what_is_no_text_any_more_keeps_the_text_here() {
    QFile file(m_window->path("a.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("\xE4\0", 2);
    file.close();
    QTRY_VERIFY(!strip().isEmpty());
    m_window->wayOut(m_editor, QStringLiteral("Read again"));
    QVERIFY2(strip().contains(QStringLiteral("is not a text file")), qPrintable(strip()));
    QCOMPARE(text(), kSound);
    m_window->trigger("save");
    QVERIFY2(strip().contains(QStringLiteral("Not saved.")), qPrintable(strip()));
  }

  void the_differences_of_two_texts_are_as_few_as_can_be() {
    // a b c d against a x c d e: b became x, e came.
    const QVector<DifferenceLine> lines = lineDifference(QStringLiteral("a\nb\nc\nd"), QStringLiteral("a\nx\nc\nd\ne"));
    QString signs;
    for (const DifferenceLine& line : lines) {
      signs += (line.of == DifferenceLine::Of::Mine     ? QLatin1Char('-')
                : line.of == DifferenceLine::Of::Theirs ? QLatin1Char('+')
                                                        : QLatin1Char('=')) +
               line.text;
    }
    QCOMPARE(signs, QStringLiteral("=a-b+x=c=d+e"));
    QCOMPARE(lines.last().line, 5);
  }

 private:
  QString text() const { return m_editor->text()->text(); }
  QString strip() const { return EditorWindow::strip(m_editor); }

  /// What the strips of the editor offer, sorted.
  QStringList ways() const {
    QStringList words;
    for (const QToolButton* const button : m_editor->strips()->findChildren<QToolButton*>()) {
      if (button->defaultAction() != nullptr) words << button->text();
    }
    words.sort();
    return words;
  }

  /// As editors do it: another file that takes the name.
  void replaceFile(const QString& text) const {
    const QString other = m_window->written("a.toml.new", text);
    if (std::rename(QFile::encodeName(other).constData(), QFile::encodeName(m_window->path("a.toml")).constData()) != 0)
      qFatal("the file cannot be replaced");
  }

  /// What the window says when a file is to be edited.
  QString refusal(const QString& path) const {
    m_window->editors->openFile(path);
    return test::stripSentences(m_window->window->strips()).join(QLatin1Char('\n'));
  }

  QString runPageWords() const {
    return test::stripSentences(m_window->window->page(QStringLiteral("run"))).join(QLatin1Char('\n'));
  }

  std::unique_ptr<EditorWindow> m_window;
  ExperimentEditor* m_editor = nullptr;
};

QTEST_MAIN(DiskTests)
#include "disk_tests.moc"
