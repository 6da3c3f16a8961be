// SPDX-License-Identifier: GPL-3.0-or-later
// What the page puts into its queue, and what of it has failed.
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>

#include <QFileInfo>
#include <QStackedLayout>

#include "core/base/error.h"
#include "core/spec/parse.h"
#include "ui/file_dialogs.h"
#include "ui/measured_text.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/run/run_charts.h"
#include "ui/run/run_page.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::run {
namespace {

constexpr char kQueueFolder[] = "queue";
constexpr char kExportFolder[] = "export";

RunPage::FileQuestion& fileQuestion() {
  static RunPage::FileQuestion question = [](QWidget* parent, const QString& folder) {
    return file_dialogs::openSeveral(parent, RunPage::tr("Queue experiment files"), folder,
                                     RunPage::tr("Experiments (*.toml);;All files (*)"));
  };
  return question;
}

}  // namespace

void RunPage::setFileQuestion(FileQuestion question) { fileQuestion() = std::move(question); }

void RunPage::queueOpened() {
  if (!readAsSaved()) return;
  m_isAside = false;
  m_queue->run(m_opened, archiveToRunInto());
}

void RunPage::useSettings(shell::Settings& settings) {
  m_settings = &settings;
  connect(m_charts, &RunCharts::exported, this,
          [this](const QString& path) { m_settings->setFolderOf(QString::fromLatin1(kExportFolder), path); });
  connect(m_charts, &RunCharts::exportAsked, this,
          [this] { m_charts->setExportFolder(startFolder(QString::fromLatin1(kExportFolder))); });
}

/// Where the last file of a kind was, beside the experiment that is open, or among the documents.
QString RunPage::startFolder(const QString& kind) const {
  const QString opened = m_opened ? QString::fromStdString(m_opened->file) : QString();
  return m_settings != nullptr ? m_settings->startFolder(kind, opened) : QString();
}

void RunPage::queueFiles() {
  if (!m_refusedArchive.isEmpty()) {
    showFailure(refusedArchiveWords(), QString::fromLatin1(kRefusedTopic));
    return;
  }
  const QString kind = QString::fromLatin1(kQueueFolder);
  const QStringList paths = fileQuestion()(this, startFolder(kind));
  if (paths.isEmpty()) return;
  if (m_settings != nullptr) m_settings->setFolderOf(kind, paths.first());
  m_strips->dismiss(QString::fromLatin1(kQueueTopic));
  if (!makeArchiveFolder()) return;
  QStringList refused;
  for (const QString& path : paths) {
    const QString file = m_beforeRun ? m_beforeRun(path) : path;
    if (!file.isEmpty()) queueFile(file, &refused);
  }
  if (refused.isEmpty()) return;
  const QString sentence =
      paths.size() == 1
          ? tr("Not queued: %1").arg(refused.first())
          : withLines(tr("%1 of %2 files were not queued:").arg(wholeText(refused.size()), wholeText(paths.size())),
                      refused);
  m_strips->show(shell::MessageStrip::Kind::Failure, sentence, QString::fromLatin1(kQueueTopic));
  m_stack->setCurrentIndex(0);
  Q_EMIT failureTold(sentence);
}

/// A file that cannot be run says why in `refused`; those behind it have their turn all the same.
void RunPage::queueFile(const QString& path, QStringList* refused) {
  try {
    m_queue->run(std::make_shared<const spec::Experiment>(spec::read_experiment(path.toStdString())),
                 archiveToRunInto());
  } catch (const Error& error) {
    const QString reason = models::errorText(error);
    const QString name = QFileInfo(path).fileName();
    *refused << (reason.contains(name) ? reason : QStringLiteral("%1: %2").arg(name, reason));
    spdlog::warn("not queued: {}", refused->back().toStdString());
  }
}

/// A run goes on with what it began with, whatever its file says by now.
void RunPage::tellChangedFile(const spec::Experiment& archived, const QString& title) {
  if (!QFileInfo(QString::fromStdString(archived.file)).isFile()) return;
  try {
    if (spec::canonical_json(spec::read_experiment(archived.file)) == spec::canonical_json(archived)) return;
  } catch (const Error&) {
    // Broken by now: that, too, is another file than the one that was run.
  }
  const QString sentence =
      tr("%1 goes on with the settings of the archive; %2 has changed since.")
          .arg(models::isolated(title), models::isolated(QFileInfo(QString::fromStdString(archived.file)).fileName()));
  spdlog::info("{}", models::withoutIsolates(sentence).toStdString());
  m_strips->show(shell::MessageStrip::Kind::Note, sentence, QString::fromLatin1(kRunTopic));
}

/// A run that waits for nothing but the event loop is the work at hand.
int RunPage::waitingRuns() const { return static_cast<int>(m_controller->waiting().size()) - (startsSoon() ? 1 : 0); }

void RunPage::countRun() {
  const bool isOfFile = m_own.resumes == 0 && m_own.experiment && !m_own.experiment->file.empty();
  m_failures.begin(isOfFile ? QFileInfo(QString::fromStdString(m_own.experiment->file)).fileName() : runTitle());
}

void RunPage::collectFailedArm(const record::TrialRow& arm) {
  if (arm.end.status != record::Status::Failed) return;
  const QString name = QString::fromStdString(arm.start.name);
  const QString reason = models::figuresIn(QString::fromStdString(arm.end.failure_text));
  if (!m_failures.addArm(name, reason)) return;
  spdlog::warn("{}: {} has failed: {}", models::withoutIsolates(runTitle()).toStdString(), arm.start.name,
               arm.end.failure_text);
  tellFailures();
}

void RunPage::tellFailures() {
  const QString topic = QString::fromLatin1(kFailuresTopic);
  const QString sentence = m_failures.sentence(static_cast<int>(m_controller->waiting().size()));
  const shell::MessageStrip* const strip = m_strips->show(shell::MessageStrip::Kind::Failure, sentence, topic);
  connect(strip, &shell::MessageStrip::dismissed, this, [this] { m_failures.forget(); });
  m_stack->setCurrentIndex(0);
  Q_EMIT failureTold(sentence);
}

void RunPage::forgetFailures() {
  m_failures = RunFailures();
  m_strips->dismiss(QString::fromLatin1(kFailuresTopic));
  Q_EMIT failureTold({});
}

}  // namespace mantissa::ui::run
