// SPDX-License-Identifier: GPL-3.0-or-later
// What a start begins with: what was open last, and what is said where it is gone.
#include <spdlog/spdlog.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include <memory>

#include "app/workbench/pages.h"
#include "app/workbench/start.h"
#include "tests/ui/run/run_page_fixtures.h"
#include "tests/ui/shell/strip_sentences.h"
#include "ui/editor/editor_tabs.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/document.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"

using namespace mantissa;
using ui::shell::MessageStrip;

class StartTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { spdlog::set_default_logger(std::make_shared<spdlog::logger>("test")); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_DATA_HOME", m_folder->path().toUtf8());
    m_settings = std::make_unique<ui::shell::Settings>(path("workbench.ini"));
  }
  void cleanup() {
    m_window.reset();
    m_settings.reset();
  }

  void files_that_were_open_last_and_are_gone_are_told_once_with_a_way_out() {
    start({}, {test::writeExperiment(path("last.toml")), exampleArchive("a.db")});
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    QCOMPARE(told(), QStringList());
    QVERIFY(QFile::rename(path("last.toml"), path("moved.toml")));
    QVERIFY(QFile::rename(path("a.db"), path("moved.db")));
    start();
    QCOMPARE(told().size(), 2);
    QVERIFY2(told().join(u'|').contains(path("last.toml") + QStringLiteral(", the experiment that was opened last")),
             qPrintable(told().join(u'|')));
    QVERIFY2(told().join(u'|').contains(path("a.db") + QStringLiteral(", the archive that was open last")),
             qPrintable(told().join(u'|')));
    for (const auto* const strip : strips()) {
      QStringList ways;
      for (const QToolButton* const button : strip->findChildren<QToolButton*>()) ways << button->text();
      QVERIFY2(ways.contains(QStringLiteral("Forget it")) && ways.filter(QStringLiteral("pen")).size() == 1,
               qPrintable(ways.join(u'|')));
    }
    start();
    QCOMPARE(told(), QStringList());
    // A disk that was connected again and is not any more is another fact.
    QVERIFY(QFile::rename(path("moved.db"), path("a.db")));
    start();
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    QVERIFY(QFile::rename(path("a.db"), path("moved.db")));
    start();
    QCOMPARE(told().size(), 1);
  }

  void an_archive_that_is_forgotten_is_not_asked_for_at_the_next_start() {
    m_settings->setArchive(path("gone.db"));
    start();
    QCOMPARE(told().size(), 1);
    for (QToolButton* const button : strips().first()->findChildren<QToolButton*>()) {
      if (button->text() == QStringLiteral("Forget it")) button->click();
    }
    QCOMPARE(m_settings->archive(), QString());
    QTRY_COMPARE(told(), QStringList());
  }

  void editors_open_again_behind_what_is_in_front_and_those_whose_files_are_gone_are_told_once() {
    start();
    QTest::qWait(50);
    for (const char* const name : {"one.toml", "two.toml", "three.toml"}) {
      m_editors->openFile(test::writeExperiment(path(name)));
    }
    m_editors->openFile(path("two.toml"));
    m_window->closeDocument(m_window->currentDocument());
    QVERIFY(QFile::remove(path("three.toml")));
    start({}, {exampleArchive("a.db")});
    QTRY_COMPARE(editors(), QStringList{QStringLiteral("one.toml")});
    QCOMPARE(m_window->currentDocument(), nullptr);
    QTRY_COMPARE(told().filter(QStringLiteral("three.toml")).size(), 1);
    start();
    QTRY_COMPARE(editors(), QStringList{QStringLiteral("one.toml")});
    QCOMPARE(told().filter(QStringLiteral("three.toml")).size(), 0);
  }

  void a_first_start_without_the_shipped_experiments_says_what_can_be_done() {
    m_sample.clear();
    start();
    QCOMPARE(told().size(), 1);
    QVERIFY2(told().first().contains(QStringLiteral("Open an experiment file or an archive")),
             qPrintable(told().first()));
    QVERIFY(m_window->page(QStringLiteral("run"))->isVisible());  // whose empty state has the same way out
    m_sample = workbench::sampleExperiment();
  }

  /// Written while the window is there, for one that is killed.
  void a_start_goes_on_with_the_page_the_arm_and_the_tree_of_the_one_before() {
    start({}, {exampleArchive("a.db")});
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    auto* tree = m_window->archiveDock()->findChild<QTreeView*>();
    m_window->archiveDock()->selectTrial(2);
    m_window->showPage(QStringLiteral("memory"));
    m_window->resize(1111, 777);
    QTRY_COMPARE(m_settings->view().page, QStringLiteral("memory"));
    QCOMPARE(m_settings->view().trial, std::int64_t{2});
    QVERIFY(m_settings->windowGeometry() == m_window->saveGeometry());
    start();
    QVERIFY(m_window->page(QStringLiteral("memory"))->isVisible());  // from the first paint on
    QTRY_COMPARE(m_window->archiveDock()->selectedTrial(), std::int64_t{2});
    QVERIFY(m_window->page(QStringLiteral("memory"))->isVisible());
    QCOMPARE(m_window->size(), QSize(1111, 777));
    // An experiment without its arms, on another page.
    tree = m_window->archiveDock()->findChild<QTreeView*>();
    tree->setCurrentIndex(tree->model()->index(0, 0));
    tree->collapse(tree->model()->index(0, 0));
    m_window->showPage(QStringLiteral("run"));
    start();
    QVERIFY(m_window->page(QStringLiteral("run"))->isVisible());
    QTRY_COMPARE(m_window->archiveDock()->selectedExperiment(), std::int64_t{1});
    QCOMPARE(m_window->archiveDock()->selectedTrial(), std::int64_t{0});
    QVERIFY(m_window->page(QStringLiteral("run"))->isVisible());
    tree = m_window->archiveDock()->findChild<QTreeView*>();
    QVERIFY(!tree->isExpanded(tree->model()->index(0, 0)));
    // Of another archive nothing is known.
    start({}, {exampleArchive("b.db")});
    QTRY_COMPARE(m_window->archive(), path("b.db"));
    QTRY_VERIFY(m_window->page(QStringLiteral("archive"))->isVisible());
    QCOMPARE(m_window->archiveDock()->selectedExperiment(), std::int64_t{0});
  }

  void a_run_that_was_stopped_is_offered_once_at_a_start() {
    test::makeExampleArchive(path("a.db"), test::kSteps, record::Status::Stopped);
    m_settings->setArchive(path("a.db"));
    start();
    QTRY_COMPARE(told(), QStringList{QStringLiteral("digits was stopped before its end. The Run page shows how far it "
                                                    "came and whether it can go on.")});
    m_window->showPage(QStringLiteral("run"));
    QTRY_COMPARE(told(), QStringList());
    m_window->showPage(QStringLiteral("archive"));
    start();
    QTRY_COMPARE(m_window->archive(), path("a.db"));
    QCOMPARE(told(), QStringList());
  }

 private:
  QStringList editors() const {
    QStringList titles;
    for (const ui::shell::Document* const document : m_window->documents()) titles << document->title();
    return titles;
  }

  /// Another start with the same settings; the window of the one before is closed.
  void start(const workbench::Arguments& given = {}, const QStringList& files = {}) {
    if (m_window) m_window->close();
    m_window = std::make_unique<ui::shell::MainWindow>(*m_settings, &m_log, workbench::makePages());
    m_editors = workbench::addEditor(*m_window);
    workbench::Arguments arguments = given;
    arguments.files = files;
    workbench::openAtStart(*m_window, *m_editors, arguments, m_sample);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
  }

  QList<MessageStrip*> strips() const { return m_window->strips()->findChildren<MessageStrip*>(); }
  QStringList told() const { return test::stripSentences(m_window->strips()); }
  QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
  QString exampleArchive(const char* name, record::Status status = record::Status::Finished) const {
    test::makeExampleArchive(path(name), test::kSteps, status);
    return path(name);
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ui::shell::Settings> m_settings;
  ui::shell::LogModel m_log;
  std::unique_ptr<ui::shell::MainWindow> m_window;
  QString m_sample = workbench::sampleExperiment();
  ui::editor::EditorTabs* m_editors = nullptr;  ///< of the window
};

QTEST_MAIN(StartTests)
#include "start_tests.moc"
