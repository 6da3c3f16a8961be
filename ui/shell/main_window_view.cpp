// SPDX-License-Identifier: GPL-3.0-or-later
// How the window fits what it shows into its size, and what it remembers of it and of what is in front.
#include "ui/shell/main_window.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QTabWidget>
#include <QTimer>

#include <algorithm>
#include <utility>

#include "ui/shell/action_search.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/log_dock.h"
#include "ui/shell/page.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kRememberMilliseconds = 2000;  // after the last change: who drags is not disturbed

}  // namespace

/// In a small window the tabs of the pages come before the room of the search.
void MainWindow::resizeEvent(QResizeEvent* event) {
  constexpr int kWideWindow = 1300;
  if (m_search != nullptr) m_search->setFixedWidth(width() < kWideWindow ? 140 : 260);
  QMainWindow::resizeEvent(event);
  QTimer::singleShot(0, this, &MainWindow::fitArchive);  // once the docks have their new places
  fitLog();
  rememberSoon();
}

void MainWindow::moveEvent(QMoveEvent* event) {
  QMainWindow::moveEvent(event);
  rememberSoon();
}

/// Of what a low window has no room for, the log goes first; it is there again with the room, and by its key before.
void MainWindow::fitLog() {
  constexpr int kRoomBesideLog = 800;  // two rows of charts and the counters
  if (m_logDock == nullptr || m_logDock->isFloating()) return;
  if (m_logRoom > 0 && height() >= m_logRoom) m_logDock->show();
  const bool isLow = height() < kRoomBesideLog;
  if (isLow == std::exchange(m_isLow, isLow) || !isLow || m_logDock->isHidden()) return;
  m_logRoom = kRoomBesideLog;
  m_logDock->hide();
}

/// A small window makes the tree narrower than a person has made it, for good: a larger one gives the width back.
void MainWindow::fitArchive() {
  const Qt::DockWidgetArea area = dockWidgetArea(m_archiveDock);
  const bool isBeside = area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
  if (!isBeside || !m_archiveDock->isVisible() || m_archiveDock->isFloating()) return;
  const int window = std::min(width(), m_archiveWidth.window);
  const int share = m_archiveWidth.tree * window / m_archiveWidth.window;
  if (m_archiveDock->width() < share) resizeDocks({m_archiveDock}, {share}, Qt::Horizontal);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  // Only a person who drags has a button down: the system resizes windows by itself.
  const bool isDragged = watched == m_archiveDock && event->type() == QEvent::Resize &&
                         QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
  if (isDragged && !m_archiveDock->isFloating()) m_archiveWidth = {m_archiveDock->width(), width()};
  return QMainWindow::eventFilter(watched, event);
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (std::exchange(m_wasShown, true)) return;
  if (m_settings.windowState().isEmpty()) showLogWhereThereIsRoom();
  m_isLow = false;  // the layout of a larger window may have been restored into a low one
  fitLog();
}

/// In a low window the pages need the height; what fails is told in strips, and F12 shows the log.
void MainWindow::showLogWhereThereIsRoom() {
  constexpr int kRoomForLog = 860;
  const bool hasRoom = height() >= kRoomForLog;
  m_logDock->setVisible(hasRoom);
  m_logRoom = hasRoom ? 0 : kRoomForLog;
}

void MainWindow::resetLayout() {
  m_settings.resetLayout();
  m_archiveWidth = {};
  restoreState(m_firstState);
  for (Page* const one : m_pages) one->restoreLayout({});
  showLogWhereThereIsRoom();
}

/// What a process leaves that is killed: window, pages and view are written a moment after they change.
void MainWindow::rememberChanges() {
  m_remembering.setSingleShot(true);
  m_remembering.setInterval(kRememberMilliseconds);
  connect(&m_remembering, &QTimer::timeout, this, &MainWindow::remember);
  connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::rememberSoon);
  connect(m_archiveDock, &ArchiveDock::viewChanged, this, &MainWindow::rememberSoon);
  for (const QDockWidget* const dock :
       {static_cast<QDockWidget*>(m_archiveDock), static_cast<QDockWidget*>(m_logDock)}) {
    connect(dock, &QDockWidget::visibilityChanged, this, &MainWindow::rememberSoon);
    connect(dock, &QDockWidget::dockLocationChanged, this, &MainWindow::rememberSoon);
    connect(dock, &QDockWidget::topLevelChanged, this, &MainWindow::rememberSoon);
  }
  connect(m_logDock, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    if (visible) m_logRoom = 0;
  });
}

void MainWindow::rememberSoon() {
  if (m_wasShown && isVisible()) m_remembering.start();
}

void MainWindow::remember() {
  m_remembering.stop();
  m_settings.setWindow(saveGeometry(), saveState(), m_archiveWidth, m_logRoom);
  for (const Page* const one : qAsConst(m_pages)) m_settings.setPageLayout(one->id(), one->saveLayout());
  if (m_viewToGoOnWith) return;  // it has not come to that yet
  Settings::View view = m_settings.view();
  const auto* const page = qobject_cast<const Page*>(m_tabs->currentWidget());
  if (page != nullptr) view.page = page->id();
  view.archive = m_archive.isEmpty() ? QString() : QFileInfo(m_archive).absoluteFilePath();
  view.experiment = m_archiveDock->selectedExperiment();
  view.trial = m_archiveDock->selectedTrial();
  view.expanded = m_archiveDock->expanded().value_or(view.expanded);
  m_settings.setView(view);
}

void MainWindow::restoreView() {
  m_viewToGoOnWith = m_settings.view();
  // Its page stands there from the first paint on; what it shows comes with the archive.
  if (m_viewToGoOnWith) showPage(m_viewToGoOnWith->page);
  m_pageAtStart = m_tabs->currentWidget();
}

/// Once the archive is there, unless another one is, or a person has gone elsewhere meanwhile.
void MainWindow::goOnWithView() {
  const std::optional<Settings::View> view = std::exchange(m_viewToGoOnWith, std::nullopt);
  const bool isElsewhere = m_tabs->currentWidget() != m_pageAtStart || m_archiveDock->selectedExperiment() != 0;
  if (!view || isElsewhere) return;
  if (view->archive != QFileInfo(m_archive).absoluteFilePath()) return m_tabs->setCurrentWidget(m_pages.first());
  m_archiveDock->restore(view->expanded, view->experiment, view->trial);
  showPage(view->page);
}

}  // namespace mantissa::ui::shell
