// SPDX-License-Identifier: GPL-3.0-or-later
// Documents: closable tabs behind the pages. Files: those that are gone, and many at once.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <QAction>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/plain_tip.h"
#include "ui/shell/action_list.h"
#include "ui/shell/document.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kWidestTitle = 200;  // px
constexpr char kDroppedTopic[] = "dropped";

/// An archive by its first bytes, whatever its name: "SQLite format 3".
bool isDatabase(const QString& path) {
  QFile file(path);
  return QFileInfo(path).isFile() && file.open(QIODevice::ReadOnly) && file.read(15) == "SQLite format 3";
}

/// What a tab says of a document beside others of the same title: also the first folder, from the file upwards, in
/// which its path differs from theirs. Of documents without a file nothing more is known.
QString distinctTitle(const Document& document, const QVector<Document*>& documents) {
  QVector<QStringList> others;
  for (const Document* const other : documents) {
    if (other != &document && other->title() == document.title()) others << other->details().split(u'/');
  }
  const QStringList own = document.details().split(u'/');
  for (qsizetype up = 2; !others.isEmpty() && up < own.size(); ++up) {
    const QString& folder = own[own.size() - up];
    const bool isShared = std::any_of(others.begin(), others.end(), [&](const QStringList& other) {
      return up < other.size() && other[other.size() - up] == folder;
    });
    if (!isShared) return MainWindow::tr("%1 in %2").arg(document.title(), folder);
  }
  return document.title();
}

}  // namespace

void MainWindow::addDocument(Document* document) {
  addDocumentBehind(document);
  showDocument(document);
}

void MainWindow::addDocumentBehind(Document* document) {
  m_documents << document;
  const int index = m_tabs->addTab(document, QString());
  auto* const close = new QToolButton;
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setFocusPolicy(Qt::NoFocus);  // Ctrl+W does it from the keyboard
  connect(close, &QToolButton::clicked, this, [this, document] { closeDocument(document); });
  m_tabs->tabBar()->setTabButton(index, QTabBar::RightSide, close);
  connect(document, &Document::titleChanged, this, &MainWindow::showTitles);
  showTitles();
}

/// All of them: one that comes, goes or is renamed may have the title of another.
void MainWindow::showTitles() {
  for (Document* const one : m_documents) showTitle(one, distinctTitle(*one, m_documents));
  Q_EMIT documentsChanged();
}

void MainWindow::showTitle(Document* document, const QString& title) {
  const int index = m_tabs->indexOf(document);
  if (index < 0) return;
  const QString words = withoutMnemonic(shortName(title, m_tabs->fontMetrics(), kWidestTitle));
  m_tabs->setTabText(index, document->isChanged() ? QStringLiteral("● %1").arg(words) : words);
  m_tabs->setTabToolTip(index, plainTip(document->details()));
  m_tabs->tabBar()->setAccessibleTabName(index, document->isChanged() ? tr("%1, changed").arg(title) : title);
  QWidget* const close = m_tabs->tabBar()->tabButton(index, QTabBar::RightSide);
  close->setAccessibleName(tr("Close %1").arg(title));
  close->setToolTip(plainTip(tr("Close %1").arg(title)));
}

void MainWindow::showDocument(Document* document) {
  m_tabs->setCurrentWidget(document);
  document->setFocus();
}

bool MainWindow::closeDocument(Document* document) {
  showDocument(document);
  if (!document->mayClose()) return false;
  m_documents.removeOne(document);
  m_tabs->removeTab(m_tabs->indexOf(document));
  document->deleteLater();
  showTitles();
  return true;
}

Document* MainWindow::currentDocument() const { return qobject_cast<Document*>(m_tabs->currentWidget()); }

void MainWindow::rememberFile(const QString& path) { m_settings.rememberFile(path); }

QString MainWindow::fileTopic(const QString& path) { return QString::fromLatin1(kFileTopic) + path; }

/// By its content where it has any: a damaged archive is no database any more, and its name tells what it was. One that
/// is open is not looked into: closing it again would take away the locks that SQLite holds on it.
bool MainWindow::isArchive(const QString& path) const {
  const bool isOpen = !m_archive.isEmpty() && QFileInfo(path) == QFileInfo(m_archive);
  return isOpen || path.endsWith(QLatin1String(".db"), Qt::CaseInsensitive) || isDatabase(path);
}

void MainWindow::tellMissing(const QString& path) {
  // A link that leads to itself, or a folder that may not be entered: the file may well be there.
  std::error_code trouble;
  const bool isThere = std::filesystem::exists(QFile::encodeName(path).toStdString(), trouble);
  if (!isThere && trouble) {
    const QString reason = QString::fromStdString(trouble.message());
    m_strips->show(MessageStrip::Kind::Failure, tr("%1 cannot be read: %2. Choose another one.").arg(path, reason),
                   fileTopic(path));
    return;
  }
  if (!m_settings.recentFiles().contains(path)) {
    m_strips->show(MessageStrip::Kind::Failure, tr("There is no file %1. Choose another one.").arg(path),
                   fileTopic(path));
    return;
  }
  MessageStrip* const strip =
      m_strips->show(MessageStrip::Kind::Failure,
                     tr("%1 is not there any more: it was moved or deleted, or its disk is not connected.").arg(path),
                     fileTopic(path));
  addForgetting(strip, path);
}

void MainWindow::addForgetting(MessageStrip* strip, const QString& path) {
  auto* const forget = new QAction(tr("Forget it"), strip);
  forget->setToolTip(tr("Takes it out of the list of recent files"));
  connect(forget, &QAction::triggered, this, [this, path] {
    m_settings.forgetFile(path);
    if (m_settings.archive() == path) m_settings.setArchive({});
    m_strips->dismiss(fileTopic(path));
  });
  strip->addWayOut(forget);
}

void MainWindow::tellNoExperiments() {
  showPage(QStringLiteral("run"));
  m_strips
      ->show(
          MessageStrip::Kind::Warning,
          tr("The experiments that ship with the program are not where they belong: there is none to begin with. Open "
             "an experiment file or an archive, or install the program again."),
          QStringLiteral("no experiments"))
      ->addWayOut(m_actions->find(QStringLiteral("open")));
}

void MainWindow::tellGone(const QString& path, Gone what) {
  const QString name = models::isolated(path);
  const bool isOfArchive = what == Gone::Archive;
  MessageStrip* const strip =
      m_strips->show(MessageStrip::Kind::Warning,
                     (isOfArchive ? tr("%1, the archive that was open last, is not there: it was moved or deleted, or "
                                       "its disk is not connected. Runs go into another archive until it is opened.")
                                  : tr("%1, the experiment that was opened last, is not there: it was moved or "
                                       "deleted, or its disk is not connected."))
                         .arg(name),
                     fileTopic(path));
  addForgetting(strip, path);
  strip->addWayOut(m_actions->find(isOfArchive ? QStringLiteral("open_archive") : QStringLiteral("open")));
  spdlog::warn("{}", models::withoutIsolates(strip->sentence()).toStdString());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  // Whatever it is: what cannot be opened says why once it is dropped.
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList paths;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) paths << url.toLocalFile();
  }
  paths.removeDuplicates();
  openDropped(paths);
  event->acceptProposedAction();
}

/// The window shows one archive and one experiment: of many files that are dropped at once, the first of each, and one
/// strip that tells of the others.
void MainWindow::openDropped(const QStringList& paths) {
  m_strips->dismissSeen(QString::fromLatin1(kDroppedTopic));
  if (paths.isEmpty()) {
    m_strips->show(MessageStrip::Kind::Failure,
                   tr("What was dropped is no file of this computer. Save it to a disk first, and drop it from there."),
                   QString::fromLatin1(kDroppedTopic));
    return;
  }
  if (paths.size() == 1) return open(paths.first());
  QString archive;
  QString experiment;
  int folders = 0;
  int missing = 0;
  int others = 0;
  int further = 0;
  const auto take = [&further](QString& first, const QString& path) {
    if (first.isEmpty()) {
      first = path;
    } else {
      ++further;
    }
  };
  for (const QString& path : paths) {
    const QFileInfo file(path);
    if (file.isDir()) {
      ++folders;
    } else if (!file.exists()) {
      ++missing;
    } else if (isArchive(path)) {
      take(archive, path);
    } else if (file.isFile() && path.endsWith(QLatin1String(".toml"), Qt::CaseInsensitive)) {
      take(experiment, path);
    } else {
      ++others;
    }
  }
  if (!archive.isEmpty()) open(archive);
  if (!experiment.isEmpty()) open(experiment);
  QStringList left;
  const auto add = [&left](int number, const QString& one, const QString& many) {
    if (number > 0) left << (number == 1 ? one : many.arg(wholeText(number)));
  };
  add(further, tr("1 further experiment or archive"), tr("%1 further experiments or archives"));
  add(folders, tr("1 folder"), tr("%1 folders"));
  add(missing, tr("1 that is not there"), tr("%1 that are not there"));
  add(others, tr("1 that is neither .toml nor .db"), tr("%1 that are neither .toml nor .db"));
  if (left.isEmpty()) return;
  m_strips->show(MessageStrip::Kind::Warning,
                 tr("Of the %1 files that were dropped, these were not opened: %2. One experiment and one archive are "
                    "opened at a time; several experiments can be queued (Run menu).")
                     .arg(wholeText(paths.size()), left.join(QStringLiteral(", "))),
                 QString::fromLatin1(kDroppedTopic));
}

}  // namespace mantissa::ui::shell
