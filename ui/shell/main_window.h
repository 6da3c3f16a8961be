// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QMainWindow>
#include <QString>
#include <QTimer>
#include <QVector>

#include <functional>
#include <optional>

#include "ui/models/ended_arms.h"
#include "ui/models/trial_list.h"
#include "ui/shell/settings.h"

class QLabel;
class QMenu;
class QProgressBar;
class QTabWidget;

namespace mantissa::ui::models {
class ArchiveLoader;
}

namespace mantissa::ui::shell {

class ActionList;
class ActionSearch;
class ArchiveDock;
class Document;
class HelpDialog;
class LogDock;
class ChartActions;
class LogModel;
class MessageStrip;
class MessageStrips;
class Page;
class StripPlace;

/// The window: the archive's tree on the left, pages on the right, the log below, the machine in the status bar.
///
/// It owns what all pages share (actions, the open archive, message strips) and decides nothing about experiments.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// \param pages  in the order of their tabs; the window takes them.
  MainWindow(Settings& settings, LogModel* log, const QVector<Page*>& pages);
  ~MainWindow() override;

  /// Opens an archive or an experiment file, told apart by its content; a strip says what is wrong with it.
  void open(const QString& path);
  void openArchive(const QString& path);
  /// Shows again what was in front when the program was left: once its archive, which is opened now, is there.
  void restoreView();
  /// An experiment that F5 runs from now on; what is in front and what is shown of the archive stay.
  void holdExperiment(const QString& path);
  /// The newest experiment file among the recent ones that is still there; empty: none.
  QString lastExperiment() const;
  /// The experiment file that was opened last, whether or not it is still there; empty: none.
  QString newestExperiment() const;
  void tellMissing(const QString& path);
  /// What was open last and is not there at the next start.
  enum class Gone { Experiment, Archive };
  void tellGone(const QString& path, Gone what);
  /// At a first start without the experiments that ship with the program: what can be done all the same, on the page
  /// that runs one.
  void tellNoExperiments();
  void openDropped(const QStringList& paths);
  /// The same for one that the first run may still have to make, in a folder that exists.
  void openArchiveToBe(const QString& path);

  /// The page with this id to the front; false where there is none.
  bool showPage(const QString& id);
  Page* page(const QString& id) const;

  /// Puts a document into a tab of its own, after those that are open, and to the front; the window takes it.
  void addDocument(Document* document);
  /// The same, while what is in front stays there.
  void addDocumentBehind(Document* document);
  void showDocument(Document* document);
  /// Closes its tab, unless the document wants to stay. \return whether it was closed
  bool closeDocument(Document* document);
  const QVector<Document*>& documents() const { return m_documents; }
  /// The document that is in front; nullptr where a page is.
  Document* currentDocument() const;

  ActionList* actions() const { return m_actions; }
  /// Into the menus of the tree's rows and of the pages that show the same arms.
  void addContextAction(QAction* action);
  ArchiveDock* archiveDock() const { return m_archiveDock; }
  /// The File menu, which documents add their actions to, and the menu with what changes their text.
  QMenu* fileMenu() const { return m_fileMenu; }
  QMenu* editMenu() const { return m_editMenu; }
  Settings& settings() const { return m_settings; }
  /// Keeps a file among the recent ones.
  void rememberFile(const QString& path);
  MessageStrips* strips() const { return m_strips; }
  const QString& archive() const { return m_archive; }

  /// Closes as if asked to stop what runs at once, and asks nothing.
  void closeUnasked();
  /// After it has closed: see Page.
  bool letsGo();

  /// Asks whether a run may be stopped, or runs that wait be given up, so that the window can close. `sentence` names
  /// them. Replaceable for tests.
  using CloseQuestion = std::function<bool(QWidget* parent, const QString& sentence)>;
  static void setCloseQuestion(CloseQuestion question);

 Q_SIGNALS:
  /// The archive was read, or could not be.
  void archiveSettled();
  /// Another document is in front, or none.
  void currentDocumentChanged();
  /// It closes because the process is asked to end: nobody answers questions.
  void closingUnasked();
  /// It has closed.
  void closed();
  /// One was added, closed or renamed.
  void documentsChanged();

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void moveEvent(QMoveEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  static constexpr char kFileTopic[] = "file ";  // and its path: of what could not be opened

  void makePages();
  void makeDocks(LogModel* log);
  void makeStatusBar();
  void makeActions();
  void makeThemeActions();
  void showHelp();
  void makeMenus();
  void fillRecentFiles();
  void showTrials(const QString& path, const models::TrialList& read);
  void showArms(const models::TrialList& trials, bool isOther);
  void tellBroken(const QString& archive, std::int64_t experiment, const QString& why);
  void tellInterruptedRun(const models::TrialList& trials);
  void showChange(const QString& path);
  void showArchiveFailure(const QString& path, const QString& sentence);
  void tellArchiveTrouble(const QString& path, const QString& sentence);
  void chooseFile();
  void chooseArchive();
  void resetLayout();
  void showLogWhereThereIsRoom();
  void fitLog();
  void fitArchive();
  void rememberChanges();
  void rememberSoon();
  void remember();
  void goOnWithView();
  void tellArchiveSize();
  void tellFailure(Page* page, const QString& sentence);
  void placeStrips();
  void markTab(Page* page, bool hasFailure);
  void showProgress(const QString& job, qint64 step, qint64 steps);
  bool mayClose();
  void addForgetting(MessageStrip* strip, const QString& path);
  void showTitles();
  void showTitle(Document* document, const QString& title);
  bool isArchive(const QString& path) const;
  static QString fileTopic(const QString& path);

  Settings& m_settings;
  ActionList* m_actions;
  models::ArchiveLoader* m_loader;
  ArchiveDock* m_archiveDock = nullptr;
  LogDock* m_logDock = nullptr;
  bool m_isLow = false;
  int m_logRoom = 0;  ///< px of height from which on the log is back, which gave its room by itself; 0: it has not
  MessageStrips* m_strips = nullptr;
  StripPlace* m_stripPlace = nullptr;  ///< below the pages: of the strips where the page in front does not take them
  QTabWidget* m_tabs = nullptr;
  ActionSearch* m_search = nullptr;
  ChartActions* m_chartActions = nullptr;
  HelpDialog* m_help = nullptr;  ///< once it was asked for
  QVector<Page*> m_pages;
  QVector<Document*> m_documents;
  QMenu* m_fileMenu = nullptr;
  QMenu* m_editMenu = nullptr;
  QMenu* m_recentMenu = nullptr;
  QLabel* m_machineLabel = nullptr;
  QLabel* m_archiveLabel = nullptr;
  QLabel* m_diskLabel = nullptr;
  QLabel* m_jobLabel = nullptr;
  QProgressBar* m_jobBar = nullptr;
  QString m_archive;
  QString m_archiveTrouble;    ///< what is wrong with one, as it was told last
  models::TrialList m_trials;  ///< of the archive
  models::EndedArms m_ended;
  QElapsedTimer m_sizeTold;  ///< since the status bar was told what the archive takes
  Settings::ArchiveWidth m_archiveWidth;
  bool m_closing = false;  ///< asked once; the window closes when the work has ended
  bool m_wasShown = false;
  QTimer m_remembering;  ///< runs while something has changed that is to be remembered
  std::optional<Settings::View> m_viewToGoOnWith;
  const QWidget* m_pageAtStart = nullptr;  ///< in front until the archive is there; another one is a person's choice
  QByteArray m_firstState;                 ///< of the docks as the window was made: what "reset layout" goes back to
};

}  // namespace mantissa::ui::shell
