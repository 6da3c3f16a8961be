// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can do in the window: every action, its shortcut and the menus.
#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QWhatsThis>

#include "ui/file_dialogs.h"
#include "ui/plain_tip.h"
#include "ui/shell/action_list.h"
#include "ui/shell/action_search.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/chart_actions.h"
#include "ui/shell/document.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/help_dialog.h"
#include "ui/shell/log_dock.h"
#include "ui/shell/main_window.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"
#include "ui/shell/theme.h"
#include "ui/shell/window_keys.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kWidestRecent = 360;  // px

}  // namespace

void MainWindow::makeActions() {
  const QString file = tr("File");
  const QString view = tr("View");
  const QString help = tr("Help");
  m_actions->add(QStringLiteral("open"), file, tr("&Open…"), QKeySequence::Open,
                 tr("Opens an experiment file or an archive"), [this] { chooseFile(); });
  m_actions->add(QStringLiteral("open_archive"), file, tr("Open &archive…"), QKeySequence(tr("Ctrl+Shift+O")),
                 tr("Opens another archive"), [this] { chooseArchive(); });
  m_actions->add(QStringLiteral("reload"), file, tr("&Reload archive"), QKeySequence(tr("Ctrl+R")),
                 tr("Reads the archive again"), [this] {
                   if (!m_archive.isEmpty()) openArchive(m_archive);
                 });
  m_actions->add(QStringLiteral("forget_recent"), file, tr("&Forget recent files"), QKeySequence(tr("Ctrl+Shift+Del")),
                 tr("Empties the list of recent files"), [this] { m_settings.forgetRecentFiles(); });
  m_actions->add(QStringLiteral("quit"), file, tr("&Quit"), QKeySequence(tr("Ctrl+Q")), tr("Closes the window"),
                 [this] { close(); });

  int number = 0;
  for (Page* const one : m_pages) {
    ++number;
    const QString id = one->id();
    m_actions->add(QStringLiteral("page_") + id, view, tr("%1 page").arg(one->title()),
                   QKeySequence(tr("Ctrl+%1").arg(number)), tr("Shows the page %1").arg(one->title()),
                   [this, id] { showPage(id); });
  }
  m_actions->add(QStringLiteral("find_action"), view, tr("Find an &action"), QKeySequence(tr("Ctrl+K")),
                 tr("Searches all actions by name"), [this] { m_search->setFocus(Qt::ShortcutFocusReason); });
  m_actions->add(QStringLiteral("filter_tree"), view, tr("&Filter the archive"), QKeySequence(tr("Ctrl+Shift+F")),
                 tr("Searches experiments and trials by name"), [this] { m_archiveDock->focusFilter(); });
  m_actions->add(QStringLiteral("toggle_tree"), view, tr("Show or hide the a&rchive tree"), QKeySequence(tr("F9")),
                 tr("The tree of experiments on the left"),
                 [this] { m_archiveDock->setVisible(!m_archiveDock->isVisible()); });
  m_actions->add(QStringLiteral("toggle_log"), view, tr("Show or hide the &log"), QKeySequence(tr("F12")),
                 tr("What the engine and the window say"), [this] { m_logDock->setVisible(!m_logDock->isVisible()); });
  makeThemeActions();
  m_chartActions = new ChartActions(this, [this] { return m_tabs->currentWidget(); });
  m_chartActions->make(*m_actions);
  m_actions->add(QStringLiteral("reset_layout"), view, tr("&Reset layout"), QKeySequence(tr("Ctrl+Shift+Y")),
                 tr("Puts docks and pages back to where they were at the first start"), [this] { resetLayout(); });
  m_actions->add(QStringLiteral("help"), help, tr("&Help"), QKeySequence(tr("F1")),
                 tr("Explains the page that is in front, its charts, words and keys"), [this] { showHelp(); });
  m_actions->add(QStringLiteral("whats_this"), help, tr("&What's this?"), QKeySequence(tr("Shift+F1")),
                 tr("Explains what is clicked next"), [] { QWhatsThis::enterWhatsThisMode(); });
  m_actions->add(
      QStringLiteral("about"), help, tr("&About Mantissa"), QKeySequence(tr("Ctrl+F1")), tr("Version and licences"),
      [this] {
        QMessageBox::about(
            this, tr("About Mantissa"),
            tr("<p><b>Mantissa</b> – a workbench for precision experiments.</p><p>The workbench is under the "
               "GNU General Public License, version 3 or later, because it links Qt Charts. The engine and "
               "the command line are under the Apache License 2.0. LibTorch and NVIDIA's libraries are "
               "fetched at installation under their own licences.</p>"));
      });
  for (Page* const one : m_pages) one->useActions(*m_actions);
  for (QAction* const action : m_actions->actions()) addAction(action);
  new WindowKeys(this, *m_actions);

  m_search = new ActionSearch(m_actions, this);
  m_search->setFixedWidth(260);
  m_search->setAction(m_actions->find(QStringLiteral("find_action")));
  auto* const corner = new QWidget;
  auto* const layout = new QHBoxLayout(corner);
  layout->setContentsMargins(8, 0, 0, 4);
  layout->addWidget(m_search);
  m_tabs->setCornerWidget(corner, Qt::TopRightCorner);
}

void MainWindow::addContextAction(QAction* action) {
  m_archiveDock->addContextAction(action);
  for (Page* const one : m_pages) one->addContextAction(action);
}

void MainWindow::makeThemeActions() {
  struct Choice {
    ThemeMode mode;
    QString text;
    QString keys;
  };
  const Choice choices[] = {{ThemeMode::System, tr("Colours of the &system"), tr("Ctrl+Shift+A")},
                            {ThemeMode::Light, tr("&Light colours"), tr("Ctrl+Shift+L")},
                            {ThemeMode::Dark, tr("&Dark colours"), tr("Ctrl+Shift+D")}};
  auto* const group = new QActionGroup(this);
  for (const Choice& choice : choices) {
    QAction* const action = m_actions->add(QStringLiteral("theme_%1").arg(static_cast<int>(choice.mode)), tr("View"),
                                           choice.text, QKeySequence(choice.keys),
                                           tr("Chooses light or dark, charts included"), [this, mode = choice.mode] {
                                             m_settings.setTheme(mode);
                                             if (Theme::current() != nullptr) Theme::current()->setMode(mode);
                                           });
    action->setCheckable(true);
    action->setChecked(choice.mode == (Theme::current() != nullptr ? Theme::current()->mode() : m_settings.theme()));
    group->addAction(action);
  }
}

void MainWindow::showHelp() {
  if (m_help == nullptr) m_help = new HelpDialog(*m_actions, this);
  QVector<HelpTopic> topics;
  for (const Page* const one : m_pages) topics.push_back(one->help());
  const Document* const document = currentDocument();
  if (document != nullptr) topics.push_back(document->help());
  m_help->setTopics(topics + generalHelp(*m_actions));
  const auto* const page = qobject_cast<const Page*>(m_tabs->currentWidget());
  m_help->showTopic(document != nullptr ? document->help().id : page != nullptr ? page->id() : QString());
  m_help->show();
  m_help->raise();
  m_help->activateWindow();
}

void MainWindow::makeMenus() {
  const auto add = [this](QMenu* menu, std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      if (*name == '\0') {
        menu->addSeparator();
      } else if (QAction* const action = m_actions->find(QLatin1String(name))) {
        menu->addAction(action);  // those of pages that this window does not have are missing
      }
    }
  };
  m_fileMenu = menuBar()->addMenu(tr("&File"));
  QMenu* const file = m_fileMenu;
  add(file, {"open", "open_archive"});
  m_recentMenu = file->addMenu(tr("Open &recent"));
  m_recentMenu->setToolTipsVisible(true);
  connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentFiles);
  add(file, {"reload", "", "quit"});
  m_editMenu = menuBar()->addMenu(tr("&Edit"));
  QMenu* const view = menuBar()->addMenu(tr("&View"));
  for (Page* const one : m_pages) view->addAction(m_actions->find(QStringLiteral("page_") + one->id()));
  add(view, {"", "find_action", "filter_tree", "toggle_tree", "toggle_log", "toggle_controls", "chart_menu"});
  add(view->addMenu(tr("C&hart")), {"chart_table", "chart_copy", "", "chart_png", "chart_svg", "chart_csv", "",
                                    "chart_logarithmic", "chart_difference", "chart_smoothing"});
  add(view, {"", "theme_0", "theme_1", "theme_2", "", "reset_layout"});
  if (m_actions->find(QStringLiteral("run")) != nullptr) {
    QMenu* const run = menuBar()->addMenu(tr("&Run"));
    add(run, {"run", "run_look_ahead", "run_queue", "run_queue_files", "run_default_archive", "", "run_pause",
              "run_step", "run_stop", "run_stop_at_checkpoint", "run_show", "", "run_resume"});
  }
  if (m_actions->find(QStringLiteral("memory_solve")) != nullptr) {
    add(menuBar()->addMenu(tr("&Tools")),
        {"memory_solve", "memory_use_plan", "", "memory_save_ledger", "memory_forget_ledger"});
  }
  QMenu* const help = menuBar()->addMenu(tr("&Help"));
  add(help, {"help", "whats_this", "about"});
}

void MainWindow::fillRecentFiles() {
  m_recentMenu->clear();
  for (const QString& path : m_settings.recentFiles()) {
    QAction* const action = m_recentMenu->addAction(
        withoutMnemonic(shortName(QFileInfo(path).fileName(), m_recentMenu->fontMetrics(), kWidestRecent)));
    action->setToolTip(plainTip(path));
    action->setStatusTip(path);
    connect(action, &QAction::triggered, this, [this, path] { open(path); });
  }
  if (m_recentMenu->isEmpty()) {
    m_recentMenu->addAction(tr("No recent files"))->setEnabled(false);
    return;
  }
  m_recentMenu->addSeparator();
  m_recentMenu->addAction(m_actions->find(QStringLiteral("forget_recent")));
}

void MainWindow::chooseFile() {
  const QString path = file_dialogs::open(this, tr("Open"), m_settings.startFolder(QStringLiteral("open"), m_archive),
                                          tr("Experiments and archives (*.toml *.db);;All files (*)"));
  if (path.isEmpty()) return;
  m_settings.setFolderOf(QStringLiteral("open"), path);
  open(path);
}

void MainWindow::chooseArchive() {
  const QString path =
      file_dialogs::open(this, tr("Open archive"), m_settings.startFolder(QStringLiteral("archive"), m_archive),
                         tr("Archives (*.db);;All files (*)"));
  if (path.isEmpty()) return;
  m_settings.setFolderOf(QStringLiteral("archive"), path);
  openArchive(path);
}

}  // namespace mantissa::ui::shell
