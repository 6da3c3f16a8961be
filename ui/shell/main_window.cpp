// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <spdlog/spdlog.h>

#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QStatusBar>
#include <QStorageInfo>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "core/report/plain_words.h"
#include "ui/measured_text.h"
#include "ui/models/archive_loader.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/plain_tip.h"
#include "ui/shell/action_list.h"
#include "ui/shell/action_search.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/document.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/log_dock.h"
#include "ui/shell/machine_facts.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/page.h"
#include "ui/shell/quiet_keys.h"
#include "ui/shell/settings.h"
#include "ui/shell/strip_place.h"

namespace mantissa::ui::shell {
namespace {

constexpr char kArchiveTopic[] = "archive";
constexpr char kInterruptedTopic[] = "interrupted";
constexpr int kBelowStrips = 8;  // px above the status bar
constexpr int kReadingMilliseconds = 8000;
constexpr int kDoneMilliseconds = 5000;     // what went well is read at a glance
constexpr int kRoomForTitle = 40;           // px: what a window manager puts around it
constexpr int kWidestName = 200;            // px, in the status bar
constexpr qint64 kSizeMilliseconds = 2000;  // between two looks at the archive's size while a run goes on

QString shortFileName(const QString& path) {
  return shortName(QFileInfo(path).fileName(), QFontMetrics(QApplication::font()), kWidestName);
}

bool askToStop(QWidget* parent, const QString& sentence) {
  QMessageBox box(QMessageBox::Question, MainWindow::tr("Not everything has run"), inLinesOfABox(sentence),
                  QMessageBox::NoButton, parent);
  box.setTextFormat(Qt::PlainText);
  const QPushButton* const stop = box.addButton(MainWindow::tr("Stop and close"), QMessageBox::AcceptRole);
  box.setDefaultButton(box.addButton(MainWindow::tr("Keep open"), QMessageBox::RejectRole));
  box.exec();
  return box.clickedButton() == stop;
}

/// What closing the window would end. \param waiting  runs that would not begin any more
QString closingWords(bool isBusy, const QString& special, int waiting) {
  const QString number = wholeText(waiting);
  if (!isBusy) {
    return waiting == 1
               ? MainWindow::tr("Close the window? 1 run waits in the queue: it is thrown away and does not run.")
               : MainWindow::tr("Close the window? %1 runs wait in the queue: they are thrown away and do not run.")
                     .arg(number);
  }
  const QString stops =
      !special.isEmpty()
          ? special
          : MainWindow::tr(
                "Stop the run and close the window? What was recorded up to its last complete step stays in the "
                "archive.");
  if (waiting == 0) return stops;
  const QString lost =
      waiting == 1 ? MainWindow::tr("1 run waits in the queue: it is thrown away and does not run.")
                   : MainWindow::tr("%1 runs wait in the queue: they are thrown away and do not run.").arg(number);
  return stops + u' ' + lost;
}

QString failureTopic(const Page& page) { return QStringLiteral("failure of %1").arg(page.id()); }

MainWindow::CloseQuestion& closeQuestion() {
  static MainWindow::CloseQuestion question = askToStop;
  return question;
}

}  // namespace

MainWindow::MainWindow(Settings& settings, LogModel* log, const QVector<Page*>& pages)
    : m_settings(settings), m_actions(new ActionList(this)), m_loader(new models::ArchiveLoader(this)), m_pages(pages) {
  setObjectName(QStringLiteral("window"));
  setWindowTitle(tr("Mantissa"));
  setAcceptDrops(true);
  setDockOptions(AnimatedDocks | AllowTabbedDocks);
  makePages();
  makeDocks(log);
  makeStatusBar();
  makeActions();
  makeMenus();
  connect(m_loader, &models::ArchiveLoader::loaded, this, &MainWindow::showTrials);
  connect(m_loader, &models::ArchiveLoader::failed, this, &MainWindow::showArchiveFailure);

  m_firstState = saveState();
  resize(QSize(1400, 900).boundedTo(screen()->availableSize() - QSize(0, kRoomForTitle)));
  // Before it is shown: the room that it would need makes no window larger.
  if (m_settings.windowState().isEmpty()) showLogWhereThereIsRoom();
  restoreGeometry(m_settings.windowGeometry());
  restoreState(m_settings.windowState());
  m_archiveWidth = m_settings.archiveWidth();
  if (!m_settings.windowState().isEmpty()) m_logRoom = m_settings.logRoom();
  m_archiveDock->installEventFilter(this);
  for (Page* const one : m_pages) one->restoreLayout(m_settings.pageLayout(one->id()));
  rememberChanges();
}

MainWindow::~MainWindow() {
  // Tabs that go one after another are no news for those who listen, and docks are hidden when this is a plain widget
  // again and has nobody left to tell.
  m_tabs->disconnect(this);
  m_archiveDock->disconnect(this);
  m_logDock->disconnect(this);
}

void MainWindow::makePages() {
  auto* const body = new QWidget;
  auto* const layout = new QVBoxLayout(body);
  layout->setContentsMargins(8, 8, 8, 0);
  layout->setSpacing(0);
  m_strips = new MessageStrips;
  m_tabs = new QTabWidget;
  m_tabs->setDocumentMode(true);
  m_tabs->setAccessibleName(tr("Pages"));
  connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::currentDocumentChanged);
  connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
    placeStrips();
    if (m_tabs->currentWidget() == page(QStringLiteral("run")))
      m_strips->dismiss(QString::fromLatin1(kInterruptedTopic));
    auto* const shown = qobject_cast<Page*>(m_tabs->currentWidget());
    if (shown == nullptr) return;
    m_strips->dismiss(failureTopic(*shown));  // it tells of it itself
    markTab(shown, false);
  });
  m_stripPlace = new StripPlace(kBelowStrips);
  m_stripPlace->add(m_strips);
  layout->addWidget(m_tabs, 1);
  layout->addWidget(m_stripPlace);
  setCentralWidget(body);

  for (Page* const one : m_pages) {
    one->useSettings(m_settings);
    m_tabs->addTab(one, one->title());
    connect(one, &Page::trialChosen, this, [this](std::int64_t id) {
      m_archiveDock->selectTrial(id);
      showPage(QStringLiteral("run"));
    });
    connect(one, &Page::trialShown, this, [this](std::int64_t id) { m_archiveDock->selectTrial(id); });
    connect(one, &Page::archiveChanged, this, &MainWindow::showChange);
    connect(one, &Page::archiveTroubled, this, [this](const QString& sentence) {
      if (!sentence.isEmpty() && sentence == m_archiveTrouble) return;  // told, and perhaps dismissed
      tellArchiveTrouble(m_archive, sentence);
    });
    connect(one, &Page::runBroken, this, &MainWindow::tellBroken);
    connect(one, &Page::runPaused, this, [this](const QString& archive, std::int64_t experiment) {
      m_archiveDock->setPaused(archive == m_archive ? experiment : 0);
    });
    connect(one, &Page::told, this,
            [this](const QString& sentence) { statusBar()->showMessage(sentence, kDoneMilliseconds); });
    connect(one, &Page::frontWanted, this, [this, one] { m_tabs->setCurrentWidget(one); });
    connect(one, &Page::stripPlaceChanged, this, &MainWindow::placeStrips);
    connect(one, &Page::failureTold, this, [this, one](const QString& sentence) { tellFailure(one, sentence); });
    connect(one, &Page::workEnded, this, [this] {
      if (m_closing) close();
    });
  }
}

void MainWindow::placeStrips() {
  auto* const page = qobject_cast<Page*>(m_tabs->currentWidget());
  Document* const document = currentDocument();
  const bool isTaken =
      page != nullptr ? page->takeStrips(*m_strips) : document != nullptr && document->takeStrips(*m_strips);
  if (!isTaken) m_stripPlace->add(m_strips);
}

/// What failed on a page that is not in front.
void MainWindow::tellFailure(Page* page, const QString& sentence) {
  if (sentence.isEmpty()) {
    m_strips->dismiss(failureTopic(*page));
    markTab(page, false);
    return;
  }
  statusBar()->showMessage(sentence.section(u'\n', 0, 0), kReadingMilliseconds);
  if (m_tabs->currentWidget() == page) return;
  m_strips->show(MessageStrip::Kind::Failure, sentence, failureTopic(*page))
      ->addWayOut(m_actions->find(QStringLiteral("page_") + page->id()));
  markTab(page, true);
}

void MainWindow::markTab(Page* page, bool hasFailure) {
  const int index = m_tabs->indexOf(page);
  m_tabs->setTabText(index, hasFailure ? QStringLiteral("! %1").arg(page->title()) : page->title());
  m_tabs->tabBar()->setAccessibleTabName(index,
                                         hasFailure ? tr("%1, with a failure").arg(page->title()) : page->title());
}

void MainWindow::makeDocks(LogModel* log) {
  m_archiveDock = new ArchiveDock(this);
  addDockWidget(Qt::LeftDockWidgetArea, m_archiveDock);
  m_logDock = new LogDock(log, this);
  addDockWidget(Qt::BottomDockWidgetArea, m_logDock);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  resizeDocks({m_archiveDock}, {m_archiveWidth.tree}, Qt::Horizontal);
  resizeDocks({m_logDock}, {140}, Qt::Vertical);
  connect(m_archiveDock, &ArchiveDock::trialSelected, this, [this](std::int64_t id) {
    for (Page* const one : m_pages) one->selectTrial(id);
  });
  connect(m_archiveDock, &ArchiveDock::experimentSelected, this, [this](std::int64_t id) {
    for (Page* const one : m_pages) one->selectExperiment(id);
  });
}

void MainWindow::makeStatusBar() {
  m_machineLabel = new QLabel;
  m_archiveLabel = new QLabel(tr("no archive"));
  m_diskLabel = new QLabel;
  for (QLabel* const label : {m_machineLabel, m_archiveLabel, m_diskLabel}) {
    label->setTextFormat(Qt::PlainText);
    label->setContentsMargins(8, 0, 8, 0);
    statusBar()->addWidget(label);
  }
  m_jobLabel = new QLabel;
  m_jobLabel->setTextFormat(Qt::PlainText);
  m_jobBar = new QProgressBar;
  m_jobBar->setMaximumWidth(160);
  m_jobBar->setAccessibleName(tr("Progress of the run"));
  statusBar()->addPermanentWidget(m_jobLabel);
  statusBar()->addPermanentWidget(m_jobBar);
  showProgress({}, 0, 0);
  for (Page* const one : m_pages) connect(one, &Page::progressed, this, &MainWindow::showProgress);
  auto* const machine = new MachineFacts(this);
  connect(machine, &MachineFacts::found, this, [this](const QString& line, const QString& details) {
    m_machineLabel->setText(line);
    m_machineLabel->setToolTip(plainTip(details));
  });
  machine->start();
}

void MainWindow::showProgress(const QString& job, qint64 step, qint64 steps) {
  m_jobLabel->setVisible(!job.isEmpty());
  m_jobBar->setVisible(!job.isEmpty());
  if (job.isEmpty()) return;
  if (!m_archive.isEmpty() && m_sizeTold.hasExpired(kSizeMilliseconds)) tellArchiveSize();
  const QString name = shortName(job, m_jobLabel->fontMetrics(), kWidestName);
  const QString made = models::figure(report::count_words(step));
  m_jobLabel->setText(steps > 0 ? tr("%1: %2 of %3 steps").arg(name, made, models::figure(report::count_words(steps)))
                                : tr("%1: %2 steps").arg(name, made));
  m_jobLabel->setToolTip(plainTip(job));
  constexpr int kParts = 1000;  // steps may be more than an int holds
  m_jobBar->setRange(0, kParts);
  m_jobBar->setValue(steps > 0 ? static_cast<int>(static_cast<double>(step) / static_cast<double>(steps) * kParts) : 0);
}

void MainWindow::open(const QString& path) {
  m_strips->dismissSeen(QString::fromLatin1(kFileTopic));
  if (QFileInfo(path).isDir()) {
    m_strips->show(MessageStrip::Kind::Failure,
                   tr("%1 is a folder. Choose an experiment file (.toml) or an archive (.db).").arg(path),
                   fileTopic(path));
    return;
  }
  if (!QFileInfo::exists(path)) return tellMissing(path);
  if (!QFileInfo(path).isFile()) {  // looking into a pipe would wait for whoever writes into it
    m_strips->show(
        MessageStrip::Kind::Failure,
        tr("%1 is a pipe, a socket or a device. Choose an experiment file (.toml) or an archive (.db).").arg(path),
        fileTopic(path));
    return;
  }
  if (isArchive(path)) {
    openArchive(path);
    return;
  }
  m_settings.rememberFile(path);
  showPage(QStringLiteral("run"));
  for (Page* const one : m_pages) one->openExperiment(path);
}

void MainWindow::holdExperiment(const QString& path) {
  for (Page* const one : m_pages) one->holdExperiment(path);
}

QString MainWindow::lastExperiment() const {
  for (const QString& path : m_settings.recentFiles()) {
    if (QFileInfo(path).isFile() && !isArchive(path)) return path;
  }
  return {};
}

QString MainWindow::newestExperiment() const {
  const QStringList files = m_settings.recentFiles();
  const auto isExperiment = [this](const QString& path) { return !isArchive(path); };
  const auto found = std::find_if(files.begin(), files.end(), isExperiment);
  return found != files.end() ? *found : QString();
}

void MainWindow::openArchive(const QString& path) {
  if (path != m_archive) m_archiveLabel->setText(tr("reading %1 …").arg(models::isolated(shortFileName(path))));
  m_loader->load(path);
}

void MainWindow::openArchiveToBe(const QString& path) {
  if (QFileInfo::exists(path)) return openArchive(path);
  const QFileInfo folder(QFileInfo(path).absolutePath());
  if (!folder.isDir()) {
    return showArchiveFailure(path, tr("%1: the archive's folder %2 does not exist. Make it, or name the archive with "
                                       "another path.")
                                        .arg(path, folder.filePath()));
  }
  m_loader->await(path);
}

/// A run has gone on in an archive. Where another one is open, that one stays.
void MainWindow::showChange(const QString& path) {
  // A run that has failed before its first step has not made its archive. One that had arms is lost.
  const bool hadArms = path == m_archive && m_trials && !m_trials->empty();
  if (!hadArms && !QFileInfo::exists(path)) return;
  if (m_archive.isEmpty() || path == m_archive) openArchive(path);
}

void MainWindow::showTrials(const QString& path, const models::TrialList& read) {
  const bool isOther = path != m_archive;
  m_archive = path;
  if (isOther) {
    m_settings.setArchive(QFileInfo(path).absoluteFilePath());
    m_settings.rememberFile(path);
    m_archiveLabel->setToolTip(plainTip(QFileInfo(path).absoluteFilePath()));
    setWindowTitle(tr("%1 – Mantissa").arg(models::isolated(QFileInfo(path).fileName())));
  }
  tellArchiveTrouble(path, {});
  const models::TrialList trials = m_ended.take(path, read);
  showArms(trials, isOther);
  if (isOther) goOnWithView();
  // One that a person stops now is offered where it was stopped.
  if (isOther || (models::interruptedArm(trials) == nullptr && models::stoppedArm(trials) == nullptr)) {
    tellInterruptedRun(trials);
  }
  Q_EMIT archiveSettled();
}

void MainWindow::showArms(const models::TrialList& trials, bool isOther) {
  // While arms run their counts come anew every second, of which the tree shows nothing.
  const bool isNew = isOther || !models::standAlike(m_trials, trials);
  m_trials = trials;
  if (isNew) m_archiveDock->setTrials(trials);
  for (Page* const one : m_pages) one->setArchive(m_archive, trials);
  if (isNew || m_sizeTold.hasExpired(kSizeMilliseconds)) tellArchiveSize();
}

void MainWindow::tellBroken(const QString& archive, std::int64_t experiment, const QString& why) {
  if (why.isEmpty()) return m_ended.forget(archive, experiment);
  m_ended.end(archive, experiment, why);
  if (archive == m_archive) showArms(m_ended.applied(archive, m_trials), false);
}

void MainWindow::tellInterruptedRun(const models::TrialList& trials) {
  const QString topic = QString::fromLatin1(kInterruptedTopic);
  m_strips->dismiss(topic);
  Page* const run = page(QStringLiteral("run"));
  const bool isInterrupted = models::interruptedArm(trials) != nullptr;
  const record::TrialRow* const lost = isInterrupted ? models::interruptedArm(trials) : models::stoppedArm(trials);
  if (lost == nullptr || run == nullptr || m_tabs->currentWidget() == run) return;
  const QString what = models::endKey(m_archive, *lost);
  if (m_settings.isDismissed(what)) return;
  MessageStrip* const strip = m_strips->show(
      MessageStrip::Kind::Note,
      (isInterrupted
           ? tr("%1 was interrupted before its end. The Run page shows how far it came and whether it can go on.")
           : tr("%1 was stopped before its end. The Run page shows how far it came and whether it can go on."))
          .arg(models::isolated(models::experimentTitle(*lost, trials))),
      topic);
  strip->addWayOut(m_actions->find(QStringLiteral("page_run")));
  // A run that a person has stopped is offered once; what was lost is, until it is dismissed.
  if (!isInterrupted) return m_settings.dismiss(what);
  connect(strip, &MessageStrip::dismissed, this, [this, what] { m_settings.dismiss(what); });
}

void MainWindow::showArchiveFailure(const QString& path, const QString& sentence) {
  // What was open stays open: a bad file changes nothing but the message.
  tellArchiveTrouble(path, sentence);
  m_viewToGoOnWith.reset();
  m_archiveLabel->setText(m_archive.isEmpty() ? tr("no archive") : shortFileName(m_archive));
  if (m_archive.isEmpty()) {
    for (Page* const one : m_pages) one->refuseArchive(path);
  }
  Q_EMIT archiveSettled();
}

/// Empty: it can be read. The tree, the pages and a run may all meet the same fact, which the log has once.
void MainWindow::tellArchiveTrouble(const QString& path, const QString& sentence) {
  const bool isNew = std::exchange(m_archiveTrouble, sentence) != sentence;
  if (sentence.isEmpty()) return m_strips->dismiss(QString::fromLatin1(kArchiveTopic));
  m_strips->show(MessageStrip::Kind::Failure, sentence, QString::fromLatin1(kArchiveTopic))
      ->addWayOut(m_actions->find(QStringLiteral("open_archive")));
  if (!isNew) return;
  // What is wrong with a file begins with its name, where the words are the engine's.
  const QString line = sentence.contains(path) ? sentence : QStringLiteral("%1: %2").arg(path, sentence);
  spdlog::warn("{}", line.toStdString());
}

void MainWindow::tellArchiveSize() {
  m_sizeTold.start();
  // What was written last lies in the log beside it.
  const qint64 bytes = QFileInfo(m_archive).size() + QFileInfo(m_archive + QStringLiteral("-wal")).size();
  m_archiveLabel->setText(
      tr("%1 · %2").arg(models::isolated(shortFileName(m_archive)), models::figure(report::bytes_words(bytes))));
  const QStorageInfo disk(QFileInfo(m_archive).absolutePath());
  m_diskLabel->setText(tr("%1 free").arg(models::figure(report::bytes_words(disk.bytesAvailable()))));
}

bool MainWindow::showPage(const QString& id) {
  Page* const wanted = page(id);
  if (wanted != nullptr) m_tabs->setCurrentWidget(wanted);
  return wanted != nullptr;
}

Page* MainWindow::page(const QString& id) const {
  for (Page* const one : m_pages) {
    if (one->id() == id) return one;
  }
  return nullptr;
}

bool MainWindow::mayClose() {
  // Asked once: not again when the work that kept the window open has ended.
  for (Document* const document : m_closing ? QVector<Document*>() : m_documents) {
    if (!document->isChanged()) continue;
    showDocument(document);
    if (!document->mayClose()) return false;
  }
  QVector<Page*> busy;
  for (Page* const one : m_pages) {
    if (one->isBusy()) busy << one;
  }
  int waiting = 0;
  for (const Page* const one : m_pages) waiting += one->waitingRuns();
  if (busy.isEmpty() && (waiting == 0 || m_closing)) return true;
  const QString special = busy.isEmpty() ? QString() : busy.first()->closingWords();
  if (!m_closing && !closeQuestion()(this, closingWords(!busy.isEmpty(), special, waiting))) return false;
  if (busy.isEmpty()) return true;
  m_closing = true;
  for (Page* const one : busy) one->finishWork();
  return false;
}

void MainWindow::closeUnasked() {
  m_closing = true;
  Q_EMIT closingUnasked();
  close();
}

bool MainWindow::letsGo() {
  bool all = true;
  for (Page* const one : m_pages) all = one->letsGo() && all;
  return all;
}

void MainWindow::setCloseQuestion(CloseQuestion question) { closeQuestion() = std::move(question); }

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayClose()) {
    if (!m_closing) new QuietKeys(this);  // asked, and answered that it stays
    event->ignore();
    return;
  }
  remember();
  event->accept();
  Q_EMIT closed();
}

/// What comes here nobody has used. Of an action that cannot be now, the key says why.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  const QVector<QAction*>& actions = m_actions->actions();
  for (int row = 0; row < actions.size(); ++row) {
    const QAction& action = *actions[row];
    if (action.isEnabled() || action.shortcut() != QKeySequence(event->keyCombination())) continue;
    const QString reason = m_actions->index(row).data(ActionList::ReasonRole).toString();
    statusBar()->showMessage(tr("%1: %2").arg(plainText(action), reason), kReadingMilliseconds);
    return;
  }
  QMainWindow::keyPressEvent(event);
}

}  // namespace mantissa::ui::shell
