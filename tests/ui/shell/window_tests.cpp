// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a person uses it: keyboard, bad files, what it remembers.
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QUrl>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/workbench/arguments.h"
#include "app/workbench/pages.h"
#include "app/workbench/start.h"
#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/session/model_prints.h"
#include "tests/ui/shell/example_archive.h"
#include "tests/ui/shell/strip_sentences.h"
#include "ui/editor/editor_questions.h"
#include "ui/editor/editor_tabs.h"
#include "ui/models/trial_table_model.h"
#include "ui/plot/plot_header.h"
#include "ui/plot/plot_view.h"
#include "ui/run/run_page.h"
#include "ui/shell/action_list.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/log_dock.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"

using namespace mantissa;
using namespace mantissa::ui::shell;

class WindowTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<Settings>(path("workbench.ini"));
    m_log = std::make_unique<LogModel>();
    m_window = std::make_unique<MainWindow>(*m_settings, m_log.get(), workbench::makePages());
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
  }
  void cleanup() {
    m_window.reset();
    m_log.reset();
    m_settings.reset();
  }

  void the_log_waits_for_its_key_where_the_first_window_is_low() {
    for (const bool isLow : {true, false}) {
      QTemporaryDir folder;
      Settings settings(folder.filePath("workbench.ini"));
      LogModel log;
      MainWindow window(settings, &log, mantissa::workbench::makePages());
      window.resize(1280, isLow ? 800 : 900);
      window.show();
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      const auto* const dock = window.findChild<LogDock*>();
      QCOMPARE(dock->isVisible(), !isLow);
      window.actions()->find(QStringLiteral("toggle_log"))->trigger();
      QCOMPARE(dock->isVisible(), isLow);
    }
  }

  void every_action_has_a_place_in_the_list_and_no_shortcut_is_taken_twice() {
    QVERIFY2(m_window->actions()->conflicts().isEmpty(), qPrintable(m_window->actions()->conflicts().join(", ")));
    for (const QAction* const action : m_window->actions()->actions()) {
      QVERIFY2(!action->whatsThis().isEmpty(), qPrintable(action->objectName()));
    }
  }

  void a_link_that_leads_to_itself_is_told_as_the_system_tells_it() {
    QVERIFY(QFile::link(path("loop.toml"), path("loop.toml")));
    m_window->open(path("loop.toml"));
    QCOMPARE(test::stripSentences(m_window->strips()),
             QStringList{path("loop.toml") +
                         QStringLiteral(" cannot be read: Too many levels of symbolic links. Choose another one.")});
  }

  void dialogs_for_charts_and_experiments_begin_where_the_last_file_of_their_kind_was() {
    auto* const editors = workbench::addEditor(*m_window);
    QVERIFY(QDir().mkpath(path("charts")) && QDir().mkpath(path("saved")));
    QFile file(path("a.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly) &&
            file.write("mantissa = 1\nname = \"a\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n"
                       "[training]\nsteps = 100\n") > 0);
    file.close();
    m_window->open(path("a.toml"));
    QStringList suggested;
    ui::plot::PlotView::setFileChooser([&](QWidget*, const QString&, const QString& name, const QString&) {
      suggested << QFileInfo(name).absolutePath();
      return path("charts/loss.csv");
    });
    const auto* const chart = m_window->page(QStringLiteral("run"))->findChild<ui::plot::PlotView*>();
    for (int i = 0; i < 2; ++i) {
      for (QAction* const action : chart->findChild<ui::plot::PlotHeader*>()->menu()->actions()) {
        if (action->text().contains(QStringLiteral("CSV"))) action->trigger();
      }
    }
    QCOMPARE(suggested, QStringList({QFileInfo(path("a.toml")).absolutePath(), path("charts")}));
    suggested.clear();
    ui::editor::editorQuestions().place = [&](QWidget*, const QString& suggestion) {
      suggested << suggestion;
      return path("saved/b.toml");
    };
    editors->openFile(path("a.toml"));
    for (int i = 0; i < 2; ++i) m_window->actions()->find(QStringLiteral("save_as"))->trigger();
    QCOMPARE(suggested, QStringList({path("a.toml"), path("saved/b.toml")}));
    m_settings->setFolderOf(QStringLiteral("experiment"), path("charts/any.toml"));
    m_window->actions()->find(QStringLiteral("save_as"))->trigger();
    QCOMPARE(suggested.last(), path("charts/b.toml"));
  }

  void pages_answer_to_control_and_their_number() {
    auto* const tabs = m_window->findChild<QTabWidget*>();
    for (int i = tabs->count() - 1; i >= 0; --i) {
      QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
      QCOMPARE(tabs->currentIndex(), i);
    }
  }

  void every_button_without_words_has_an_accessible_name() {
    for (const QToolButton* const button : m_window->findChildren<QToolButton*>()) {
      const bool has_words = button->text().size() > 1 || button->defaultAction() != nullptr;
      // The window's own: Qt's dock, tab and line edit buttons bring theirs.
      if (button->objectName().startsWith(QLatin1String("qt_")) || button->text().isEmpty()) continue;
      QVERIFY2(has_words || !button->accessibleName().isEmpty(), qPrintable(button->text()));
    }
  }

  void bad_files_leave_a_strip_that_names_them_and_change_nothing() {
    const QString folder = path("folder.db");
    QVERIFY(QDir().mkpath(folder));
    QFile damaged(path("damaged.db"));
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write(QByteArray("SQLite format 3\0", 16) + QByteArray(2000, 'x'));
    damaged.close();
    const qint64 size = damaged.size();
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->open(path("missing.toml"));
    m_window->open(folder);
    m_window->open(damaged.fileName());
    QTRY_COMPARE(settled.count(), 1);
    const QStringList sentences = test::stripSentences(m_window->strips());
    QCOMPARE(sentences.size(), 3);
    QVERIFY(sentences[0].contains(QStringLiteral("missing.toml")));
    QVERIFY(sentences[1].contains(QStringLiteral("is a folder")));
    QVERIFY2(sentences[2].contains(QStringLiteral("damaged.db")), qPrintable(sentences[2]));
    QCOMPARE(QFile(damaged.fileName()).size(), size);
    QVERIFY(m_window->archive().isEmpty());
  }

  void what_is_no_file_is_told_at_once_and_nobody_waits_for_it() {
    const QString pipe = path("pipe");
    QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
    m_window->open(pipe);
    m_window->open(QStringLiteral("/dev/zero"));
    const QStringList sentences = test::stripSentences(m_window->strips());
    QCOMPARE(sentences.size(), 2);
    QVERIFY2(sentences[0].contains(QStringLiteral("pipe is a pipe, a socket or a device")), qPrintable(sentences[0]));
    QVERIFY2(sentences[1].contains(QStringLiteral("/dev/zero is a pipe, a socket")), qPrintable(sentences[1]));
    QVERIFY(m_settings->recentFiles().isEmpty());
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->openArchiveToBe(pipe);
    QTRY_COMPARE(settled.count(), 1);
    QVERIFY(test::stripSentences(m_window->strips()).last().contains(QStringLiteral("is not a regular file")));
  }

  void a_recent_file_that_has_gone_can_be_forgotten() {
    const QString gone = path("gone.toml");
    m_window->rememberFile(gone);
    m_window->rememberFile(path("other.toml"));
    m_window->open(gone);
    const auto strips = m_window->strips()->findChildren<MessageStrip*>();
    QCOMPARE(strips.size(), 1);
    QVERIFY(strips.front()->sentence().contains(QStringLiteral("is not there any more")));
    for (QToolButton* const button : strips.front()->findChildren<QToolButton*>()) {
      if (button->text() == QStringLiteral("Forget it")) button->click();
    }
    QTRY_COMPARE(m_window->strips()->count(), 0);
    QCOMPARE(m_settings->recentFiles(), QStringList(path("other.toml")));
  }

  void of_many_files_dropped_at_once_one_archive_and_one_experiment_are_opened() {
    makeArchive(path("a.db"));
    makeArchive(path("b.db"));
    QList<QUrl> urls = {QUrl(QStringLiteral("https://example.org/x.db"))};
    for (int i = 0; i < 23; ++i) {
      const QString name = path(qPrintable(QStringLiteral("folder %1").arg(i)));
      QVERIFY(QDir().mkdir(name));
      urls << QUrl::fromLocalFile(name);
    }
    for (int i = 0; i < 23; ++i) {
      QFile text(path(qPrintable(QStringLiteral("note %1.txt").arg(i))));
      QVERIFY(text.open(QIODevice::WriteOnly));
      urls << QUrl::fromLocalFile(text.fileName());
    }
    for (const char* const name : {"missing.toml", "a.db", "b.db", "a.db"}) urls << QUrl::fromLocalFile(path(name));
    QMimeData data;
    data.setUrls(urls);
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QTRY_COMPARE(settled.count(), 1);
    QCOMPARE(m_window->archive(), path("a.db"));
    const QStringList sentences = test::stripSentences(m_window->strips());
    QCOMPARE(sentences.size(), 1);
    QVERIFY2(sentences[0].startsWith(QStringLiteral(
                 "Of the 49 files that were dropped, these were not opened: 1 further experiment or archive, 23 "
                 "folders, 1 that is not there, 23 that are neither .toml nor .db.")),
             qPrintable(sentences[0]));
  }

  void what_is_dropped_is_told_apart_by_its_content_and_what_cannot_be_opened_says_why() {
    makeArchive(path("no suffix"));
    const auto drop = [this](const QList<QUrl>& urls) {
      QMimeData data;
      data.setUrls(urls);
      QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(m_window.get(), &enter);
      if (!enter.isAccepted()) return;
      QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(m_window.get(), &event);
    };
    drop({QUrl::fromLocalFile(path("no suffix"))});
    QTRY_COMPARE(m_window->archive(), path("no suffix"));
    QFile upper(path("UP.TOML"));
    QVERIFY(upper.open(QIODevice::WriteOnly) && upper.write("mantissa = 1\nname = \"up\"\n") > 0);
    upper.close();
    QVERIFY(QDir().mkdir(path("folder")));
    drop({QUrl::fromLocalFile(upper.fileName()), QUrl::fromLocalFile(path("folder"))});
    QVERIFY(m_settings->recentFiles().contains(path("UP.TOML")));
    const auto told = [this] { return test::stripSentences(m_window->strips()).join(u'|'); };
    QVERIFY2(told().contains(QStringLiteral("these were not opened: 1 folder.")), qPrintable(told()));
    drop({QUrl(QStringLiteral("https://example.org/x.toml"))});
    QTRY_VERIFY2(told().contains(QStringLiteral("What was dropped is no file of this computer.")), qPrintable(told()));
  }

  void what_could_not_be_opened_is_told_until_something_else_is_opened() {
    makeArchive(path("a.db"));
    m_window->open(path("missing.toml"));
    const auto strips = [this] { return m_window->strips()->findChildren<MessageStrip*>(); };
    QCOMPARE(strips().size(), 1);
    QTRY_VERIFY(strips().first()->wasSeen());
    m_window->open(path("a.db"));
    QCOMPARE(strips().size(), 0);
  }

  void an_archive_that_a_run_would_have_made_is_not_missed() {
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->openArchiveToBe(path("new.db"));
    QTRY_COMPARE(settled.count(), 1);
    // A run has failed before its first step.
    Q_EMIT m_window->page(QStringLiteral("run"))->archiveChanged(path("new.db"));
    QTest::qWait(200);
    QCOMPARE(test::stripSentences(m_window->strips()), QStringList());
    QCOMPARE(m_window->archive(), path("new.db"));
  }

  void an_interrupted_run_that_goes_on_is_told_of_no_longer() {
    test::makeExampleArchive(path("lost.db"), 20, record::Status::Interrupted);
    m_window->showPage(QStringLiteral("archive"));
    openArchive(path("lost.db"));
    QCOMPARE(m_window->strips()->count(), 1);
    archive::Writer writer(path("lost.db").toStdString());  // as the process that goes on with it
    writer.resume_trials({1, 2, 3}, 10, "");
    QTRY_COMPARE(m_window->strips()->count(), 0);
  }

  void an_archive_fills_tree_and_table_and_is_remembered() {
    makeArchive(path("a.db"));
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->open(path("a.db"));
    QTRY_COMPARE(settled.count(), 1);
    QCOMPARE(m_window->archive(), path("a.db"));
    QCOMPARE(m_settings->archive(), path("a.db"));
    QCOMPARE(m_settings->recentFiles(), QStringList(path("a.db")));
    auto* const dock = m_window->findChild<ArchiveDock*>();
    dock->selectTrial(2);
    QCOMPARE(dock->selectedTrial(), std::int64_t{2});
  }

  void a_newest_run_whose_process_is_gone_is_told_of_until_its_page_is_shown() {
    test::makeExampleArchive(path("lost.db"), 20, record::Status::Interrupted);
    test::makeExampleArchive(path("whole.db"), 20);
    const auto told = [this] { return test::stripSentences(m_window->strips()).join(QLatin1Char('|')); };
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->showPage(QStringLiteral("archive"));
    m_window->open(path("lost.db"));
    QTRY_COMPARE(settled.count(), 1);
    QVERIFY2(told().startsWith(QStringLiteral("digits was interrupted")), qPrintable(told()));
    m_window->actions()->find(QStringLiteral("page_run"))->trigger();
    QTRY_COMPARE(told(), QString());
    m_window->showPage(QStringLiteral("archive"));
    m_window->actions()->find(QStringLiteral("reload"))->trigger();
    QTRY_COMPARE(settled.count(), 2);
    QCOMPARE(told(), QString());  // once
    m_window->open(path("whole.db"));
    QTRY_COMPARE(settled.count(), 3);
    QCOMPARE(told(), QString());
  }

  void an_experiment_file_runs_into_the_archive_that_is_open() {
    makeArchive(path("a.db"));
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->open(path("a.db"));
    QTRY_COMPARE(settled.count(), 1);
    QFile file(path("tiny.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "mantissa = 1\nname = \"tiny\"\n[data]\nsource = \"digits\"\n[model]\nkind = \"linear\"\n[training]\n"
        "steps = 5\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n");
    file.close();
    m_window->open(file.fileName());
    QVERIFY(m_window->actions()->find(QStringLiteral("run"))->isEnabled());
    m_window->actions()->find(QStringLiteral("run"))->trigger();
    QTRY_VERIFY(m_window->page(QStringLiteral("run"))->isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->page(QStringLiteral("run"))->isBusy(), 60000);
    const std::vector<record::TrialRow> arms = archive::Reader(path("a.db").toStdString()).trials();
    QCOMPARE(arms.size(), std::size_t{4});  // two that were there, the reference and bf16
    QCOMPARE(arms.back().experiment, std::string("tiny"));
    QCOMPARE(arms.back().end.counts.attempted, std::int64_t{5});
    auto* const dock = m_window->findChild<ArchiveDock*>();
    dock->selectTrial(arms.back().id);
    QTRY_COMPARE(dock->selectedTrial(), arms.back().id);
  }

  void a_lost_run_that_was_dismissed_is_not_told_of_at_the_next_start() {
    test::makeExampleArchive(path("lost.db"), 20, record::Status::Interrupted);
    m_window->showPage(QStringLiteral("archive"));
    openArchive(path("lost.db"));
    const auto strips = m_window->strips()->findChildren<MessageStrip*>();
    QCOMPARE(strips.size(), 1);
    for (QToolButton* const button : strips.front()->findChildren<QToolButton*>()) {
      if (button->accessibleName() == QStringLiteral("Dismiss the message")) button->click();
    }
    m_window = std::make_unique<MainWindow>(*m_settings, m_log.get(), workbench::makePages());
    m_window->show();
    m_window->showPage(QStringLiteral("archive"));
    openArchive(path("lost.db"));
    QCOMPARE(m_window->strips()->count(), 0);
  }

  void the_key_of_an_action_that_cannot_be_says_why() {
    m_window->showPage(QStringLiteral("archive"));
    QTest::keyClick(m_window.get(), Qt::Key_F7);
    QVERIFY2(m_window->statusBar()->currentMessage().startsWith(QStringLiteral("Go on with this run: ")),
             qPrintable(m_window->statusBar()->currentMessage()));
  }

  void the_row_that_is_chosen_on_the_archive_page_is_what_can_go_on() {
    test::makeExampleArchive(path("a.db"), 20, record::Status::Interrupted);
    test::makeExampleArchive(path("a.db"), 20);
    openArchive(path("a.db"));
    const QAction* const resume = m_window->actions()->find(QStringLiteral("run_resume"));
    m_window->showPage(QStringLiteral("archive"));
    QVERIFY(!resume->isEnabled());
    auto* const table = m_window->page(QStringLiteral("archive"))->findChild<QTableView*>();
    table->setFocus();
    QTRY_VERIFY(table->hasFocus());
    const QAbstractItemModel& model = *table->model();
    for (int row = 0; row < model.rowCount(); ++row) {
      if (model.index(row, 0).data(ui::models::TrialTableModel::TrialRole).toLongLong() == 2) {
        table->setCurrentIndex(model.index(row, 0));
      }
    }
    QTRY_VERIFY(resume->isEnabled());
    QCOMPARE(m_window->archiveDock()->selectedTrial(), std::int64_t{2});
  }

  void rows_of_the_archive_page_have_the_menu_of_the_tree_and_the_number_of_their_run() {
    auto* const editors = workbench::addEditor(*m_window);
    test::makeExampleArchive(path("a.db"));
    test::makeExampleArchive(path("a.db"));
    m_window->openArchive(path("a.db"));
    auto* const page = m_window->page(QStringLiteral("archive"));
    auto* const table = page->findChild<QTableView*>();
    QTRY_COMPARE(table->model()->rowCount(), 6);
    QCOMPARE(table->model()->index(0, 0).data().toString(), QStringLiteral("digits · #2"));
    QCOMPARE(table->model()->index(5, 0).data().toString(), QStringLiteral("digits · #1"));
    const QPoint place = table->visualRect(table->model()->index(5, 0)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, place);
    QContextMenuEvent event(QContextMenuEvent::Mouse, place, table->viewport()->mapToGlobal(place));
    QCoreApplication::sendEvent(table->viewport(), &event);
    auto* const menu = table->findChild<QMenu*>();
    QVERIFY(menu != nullptr);
    QCOMPARE(menu->actions(), m_window->archiveDock()->findChild<QTreeView*>()->actions());
    QCOMPARE(m_window->archiveDock()->selectedExperiment(), 1);
    QVERIFY(menu->actions().first()->isEnabled());
    menu->close();
    delete editors;
  }

  void an_empty_tree_says_how_it_is_filled() {
    const auto* const dock = m_window->archiveDock();
    const auto shows = [dock] {
      const auto labels = dock->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* one) {
        return one->isVisible() && one->text().contains(QStringLiteral("F5"));
      });
    };
    QVERIFY(shows());
    makeArchive(path("a.db"));
    openArchive(path("a.db"));
    QVERIFY(!shows());
    QVERIFY(dock->findChild<QTreeView*>()->isVisible());
  }

  void an_archive_that_is_to_be_made_is_open_and_its_folder_must_exist() {
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->openArchiveToBe(path("nowhere/new.db"));
    QCOMPARE(settled.count(), 1);
    QVERIFY(m_window->archive().isEmpty());
    const QString sentence = test::stripSentences(m_window->strips()).join(QLatin1Char('|'));
    QVERIFY2(sentence.contains(path("nowhere")) && sentence.contains(QStringLiteral("does not exist")),
             qPrintable(sentence));
    m_window->openArchiveToBe(path("new.db"));
    QTRY_COMPARE(m_window->archive(), path("new.db"));
    QCOMPARE(m_window->strips()->count(), 0);
    QVERIFY(!QFile::exists(path("new.db")));
  }

  void an_experiment_that_begins_opens_in_the_tree() {
    makeArchive(path("a.db"));
    openArchive(path("a.db"));
    const auto* const tree = m_window->findChild<ArchiveDock*>()->findChild<QTreeView*>();
    QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
    makeArchive(path("a.db"));
    openArchive(path("a.db"));
    QCOMPARE(tree->model()->rowCount(), 2);
    QVERIFY(tree->isExpanded(tree->model()->index(0, 0)));
    QVERIFY(tree->isExpanded(tree->model()->index(1, 0)));  // as it was
  }

  void the_status_bar_follows_the_archive_while_a_run_fills_it() {
    makeArchive(path("a.db"));
    openArchive(path("a.db"));
    const auto hasLabel = [this](const QString& text) {
      const QList<QLabel*> labels = m_window->statusBar()->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [&](const QLabel* one) { return one->text() == text; });
    };
    QFile log(path("a.db-wal"));
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.resize(10'000'000'000 - QFileInfo(path("a.db")).size());  // sparse: takes no room
    const QString text = QStringLiteral("a.db · 10 GB");
    QVERIFY(!hasLabel(text));
    Page* const run = m_window->page(QStringLiteral("run"));
    QTRY_VERIFY_WITH_TIMEOUT((Q_EMIT run->progressed(QStringLiteral("digits"), 1, 10), hasLabel(text)), 10000);
    log.remove();
  }

  void what_a_model_prints_stands_in_the_log() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", m_log->sink()));
    workbench::showModelPrints();
    QFile file(path("talking.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 2\n[model]\nkind = \"torchscript\"\npath = "
        "\"" MANTISSA_SOURCE_DIR "/tests/core/session/talking.pt\"\n[training]\nthreads = 1\nsteps = 2\nbatch = 8\n");
    file.close();
    makeArchive(path("a.db"));
    openArchive(path("a.db"));
    m_window->open(file.fileName());
    m_window->actions()->find(QStringLiteral("run"))->trigger();
    const auto isTold = [this] {
      m_log->drain();
      for (int row = 0; row < m_log->rowCount(); ++row) {
        const QString line = m_log->index(row, LogModel::TextColumn).data().toString();
        if (line.startsWith(QStringLiteral("model: ")) && line.endsWith(QStringLiteral("batch of [8, 2]"))) return true;
      }
      return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isTold(), 60000);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->page(QStringLiteral("run"))->isBusy(), 60000);
    session::send_model_prints_to({});
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
  }

  void a_line_of_the_log_names_an_archive_once() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", m_log->sink()));
    const QString missing = path("nothing.db");
    m_window->openArchive(missing);
    QString line;
    const auto isTold = [&] {
      m_log->drain();
      for (int row = 0; row < m_log->rowCount(); ++row) {
        line = m_log->index(row, LogModel::TextColumn).data().toString();
        if (line.contains(missing)) return true;
      }
      return false;
    };
    QTRY_VERIFY(isTold());
    QVERIFY2(line.count(missing) == 1, qPrintable(line));
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
  }

  void an_archive_that_is_gone_is_logged_and_told_once_whoever_meets_it() {
    test::makeExampleArchive(path("a.db"));
    m_window->openArchive(path("a.db"));
    m_window->showPage(QStringLiteral("run"));
    const auto* const page = qobject_cast<ui::run::RunPage*>(m_window->page(QStringLiteral("run")));
    QTRY_VERIFY(page->isSettled());
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", m_log->sink()));
    QVERIFY(QFile::rename(path("a.db"), path("b.db")));
    const auto lines = [this] {
      m_log->drain();
      int count = 0;
      for (int row = 0; row < m_log->rowCount(); ++row) {
        count += m_log->index(row, LogModel::TextColumn).data().toString().contains(path("a.db")) ? 1 : 0;
      }
      return count;
    };
    QTRY_COMPARE(lines(), 1);
    QTest::qWait(2500);  // the tree and the page have looked again, both
    m_window->actions()->find(QStringLiteral("reload"))->trigger();
    QTest::qWait(200);
    QCOMPARE(lines(), 1);
    QCOMPARE(test::stripSentences(m_window.get()).filter(path("a.db")).size(), 1);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
  }

  void the_last_experiment_is_ready_at_a_later_start_and_the_archive_is_shown() {
    test::makeExampleArchive(path("a.db"));
    QFile file(path("last.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n[training]\nsteps = 5\n");
    file.close();
    QCOMPARE(m_window->lastExperiment(), QString());
    m_settings->rememberFile(path("gone.toml"));
    m_settings->rememberFile(file.fileName());
    m_settings->rememberFile(path("a.db"));
    QCOMPARE(m_window->lastExperiment(), QFileInfo(file).absoluteFilePath());
    m_window->openArchive(path("a.db"));
    m_window->holdExperiment(m_window->lastExperiment());
    const QAction* const run = m_window->actions()->find(QStringLiteral("run"));
    QVERIFY2(run->isEnabled(), qPrintable(run->toolTip()));
    QCOMPARE(m_window->findChild<QTabWidget*>()->currentWidget(), m_window->page(QStringLiteral("archive")));
    auto* const page = qobject_cast<ui::run::RunPage*>(m_window->page(QStringLiteral("run")));
    QTRY_VERIFY(page->shownData().experiment() == 1);
  }

  void a_window_that_was_small_gives_the_tree_its_width_back() {
    m_window->resize(1400, 900);
    QTest::qWait(50);
    const int width = m_window->archiveDock()->width();
    m_window->resize(m_window->minimumSizeHint().width(), 700);
    QTRY_VERIFY(m_window->archiveDock()->width() < width);
    m_window->resize(1400, 900);
    QTRY_COMPARE(m_window->archiveDock()->width(), width);
  }

  void names_of_the_tree_keep_most_of_its_width_in_a_small_window() {
    record::TrialRow arm;
    arm.id = arm.experiment_id = 1;
    arm.experiment = "digits-mlp";
    arm.start.kind = record::TrialKind::Trial;
    arm.start.name = "fp16";
    arm.end.status = record::Status::Failed;
    arm.end.failure_text = "no space left";  // a state longer than its name
    m_window->archiveDock()->setTrials(std::make_shared<const std::vector<record::TrialRow>>(1, arm));
    m_window->resize(853, 513);
    auto* const tree = m_window->archiveDock()->findChild<QTreeView*>();
    tree->expandAll();
    QTest::qWait(50);
    QVERIFY2(2 * tree->columnWidth(0) >= tree->viewport()->width(), qPrintable(QString::number(tree->columnWidth(0))));
    const QRect place = tree->visualRect(tree->model()->index(0, 0, tree->model()->index(0, 0)));
    // Beside the marker, which takes 20 px.
    QVERIFY2(place.width() >= tree->fontMetrics().horizontalAdvance(QStringLiteral("fp16")) + 20,
             qPrintable(QString::number(place.width())));
  }

  void the_window_can_be_as_small_as_a_scaled_small_screen() {
    const QSize least = m_window->minimumSizeHint();  // of 1280 x 800 at 150 %, below a title bar of 20 pixels
    QVERIFY2(least.width() <= 853 && least.height() <= 513,
             qPrintable(QStringLiteral("%1 x %2").arg(least.width()).arg(least.height())));
    m_window->findChild<LogDock*>()->show();
    QTest::qWait(20);
    QVERIFY2(m_window->minimumSizeHint().height() <= 513,
             qPrintable(QString::number(m_window->minimumSizeHint().height())));
  }

  void the_log_gives_its_room_to_the_pages_while_the_window_is_low() {
    auto* const log = m_window->findChild<LogDock*>();
    m_window->resize(1400, 900);
    log->show();
    m_window->resize(853, 533);
    QTRY_VERIFY(!log->isVisible());
    m_window->actions()->find(QStringLiteral("toggle_log"))->trigger();
    QVERIFY(log->isVisible());  // who wants it has it
    m_window->resize(900, 560);
    QTest::qWait(20);
    QVERIFY(log->isVisible());
    m_window->resize(1400, 900);
    log->hide();
    m_window->resize(853, 533);
    m_window->resize(1400, 900);
    QTest::qWait(20);
    QVERIFY(!log->isVisible());
    log->show();
    m_window->resize(853, 533);
    QTRY_VERIFY(!log->isVisible());
    m_window->resize(1400, 900);
    QTRY_VERIFY(log->isVisible());
  }

  void a_window_of_a_small_screen_has_room_for_two_rows_of_charts() {
    m_window->resize(1400, 900);
    m_window->findChild<LogDock*>()->show();
    m_window->showPage(QStringLiteral("run"));
    test::makeExampleArchive(path("a.db"), 200);
    m_window->open(path("a.db"));
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    m_window->resize(1280, 760);
    const auto charts = m_window->page(QStringLiteral("run"))->findChildren<ui::plot::PlotView*>();
    QCOMPARE(charts.size(), 4);
    for (const ui::plot::PlotView* const chart : charts) {
      QTRY_COMPARE(chart->visibleRegion().boundingRect(), chart->rect());
    }
  }

  void nothing_of_an_experiment_lies_below_its_scroll_bar_in_a_small_window() {
    m_window->open(mantissa::workbench::sampleExperiment());
    m_window->resize(853, 513);
    auto* const run = m_window->page(QStringLiteral("run"));
    for (const QScrollArea* const area : run->findChildren<QScrollArea*>()) {
      if (area->accessibleName() != QLatin1String("The experiment")) continue;
      QTRY_VERIFY(area->verticalScrollBar()->isVisible());
      QVERIFY2(area->widget()->width() <= area->viewport()->width(),
               qPrintable(QString::number(area->widget()->width())));
      return;
    }
    QFAIL("the experiment has no scroll area");
  }

  void a_log_that_gave_its_room_is_back_in_a_large_window_of_the_next_start() {
    const auto next = [this] {
      m_window->close();
      m_window = std::make_unique<MainWindow>(*m_settings, m_log.get(), workbench::makePages());
      m_window->resize(1400, 900);
      m_window->show();
      if (!QTest::qWaitForWindowExposed(m_window.get())) return false;
      return m_window->findChild<LogDock*>()->isVisible();
    };
    auto* const log = m_window->findChild<LogDock*>();
    m_window->resize(1400, 900);
    log->show();
    m_window->resize(853, 533);
    QTRY_VERIFY(!log->isVisible());
    QVERIFY(next());
    m_window->actions()->find(QStringLiteral("toggle_log"))->trigger();  // what a person hides stays hidden
    QVERIFY(!next());
  }

  void layouts_persist_and_reset() {
    auto* const dock = m_window->findChild<ArchiveDock*>();
    QVERIFY(dock->isVisible());
    m_window->actions()->find(QStringLiteral("toggle_tree"))->trigger();
    QVERIFY(!dock->isVisible());
    m_window->close();
    m_window = std::make_unique<MainWindow>(*m_settings, m_log.get(), workbench::makePages());
    m_window->show();
    QVERIFY(!m_window->findChild<ArchiveDock*>()->isVisible());
    m_window->actions()->find(QStringLiteral("reset_layout"))->trigger();
    QVERIFY(m_window->findChild<ArchiveDock*>()->isVisible());
  }

  void words_of_the_command_line_are_understood_or_told_apart() {
    QString problem;
    const auto good = workbench::readArguments(
        {"--screenshot", "run", "--archive", "a.db", "-o", "p.png", "--theme", "dark", "--size", "800x600"}, &problem);
    QVERIFY2(good.has_value(), qPrintable(problem));
    QCOMPARE(good->size, QSize(800, 600));
    QCOMPARE(*good->theme, ThemeMode::Dark);
    const QVector<QPair<QStringList, QString>> mistakes = {
        {{"--screenshot", "nothing", "-o", "p.png"}, "expected one of archive, run"},
        {{"--screenshot", "run"}, "go together"},
        {{"--size", "0x5"}, "found '0x5'"},
        {{"--size", "1x1"}, "found '1x1'"},
        {{"--size", "99999x99999"}, "to 16000x16000"},
        {{"--screenshot", "run", "-o", ""}, "found an empty name"},
        {{"--theme", "pink"}, "expected light, dark or system"},
        {{"--nonsense"}, "nonsense"},
    };
    for (const auto& [words, part] : mistakes) {
      QVERIFY(!workbench::readArguments(words, &problem));
      QVERIFY2(problem.contains(part), qPrintable(problem));
    }
  }

 private:
  void openArchive(const QString& file) {
    QSignalSpy settled(m_window.get(), &MainWindow::archiveSettled);
    m_window->openArchive(file);
    QTRY_COMPARE(settled.count(), 1);
  }

  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }

  static void makeArchive(const QString& file) {
    archive::Writer writer(file.toStdString());
    record::ExperimentStart experiment;
    experiment.name = "digits";
    record::TrialStart reference;
    reference.experiment = writer.begin_experiment(experiment);
    reference.kind = record::TrialKind::Reference;
    reference.name = "reference";
    record::TrialStart trial = reference;
    trial.reference = writer.begin_trial(reference);
    trial.kind = record::TrialKind::Trial;
    trial.name = "fp16";
    trial.autocast = "float16";
    const std::int64_t id = writer.begin_trial(trial);
    writer.finish_trial(trial.reference, {});
    writer.finish_trial(id, {});
    writer.close();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Settings> m_settings;
  std::unique_ptr<LogModel> m_log;
  std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(WindowTests)
#include "window_tests.moc"
