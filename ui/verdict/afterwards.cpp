// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/afterwards.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QKeySequence>
#include <QSaveFile>
#include <QWidget>

#include <exception>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "ui/file_dialogs.h"
#include "ui/measured_text.h"
#include "ui/models/error_words.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/shell/action_list.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/verdict/mature_table.h"
#include "ui/verdict/rules_file.h"
#include "ui/verdict/rules_panel.h"

namespace mantissa::ui::verdict {
namespace {

constexpr char kJudgeTopic[] = "judge";
constexpr char kJoinTopic[] = "join";
constexpr char kMatureTopic[] = "mature";
constexpr char kSaveTopic[] = "rules_file";
constexpr char kRulesFolder[] = "experiment";
constexpr char kOutcomesFolder[] = "outcomes";

QString problemOf(const std::exception& error) {
  if (const auto* const known = dynamic_cast<const Error*>(&error)) return models::errorText(*known);
  return QString::fromUtf8(error.what());
}

}  // namespace

Afterwards::Afterwards(shell::MessageStrips& strips, MatureTable& mature, QWidget* page)
    : QObject(page),
      askForFile(&file_dialogs::open),
      askForPlace(&file_dialogs::save),
      m_strips(strips),
      m_mature(mature),
      m_page(page),
      m_reading(QStringLiteral("mature quality")),
      m_writing(QStringLiteral("judging afterwards")) {}

void Afterwards::setJudging(Judging judging) {
  m_judging = std::move(judging);
  enableActions();
}

void Afterwards::useActions(shell::ActionList& actions, RulesPanel& panel) {
  m_actions = &actions;
  m_judge = actions.add(QStringLiteral("verdict_judge_again"), tr("Tools"), tr("&Judge by other rules…"),
                        QKeySequence(tr("Ctrl+Alt+J")),
                        tr("Judges this trial once more by the rules of a file, post hoc: the verdict of the run "
                           "stays, and both stand side by side"),
                        [this] { askForRules(); });
  m_judgeOwn = actions.add(
      QStringLiteral("verdict_judge_own"), tr("Tools"), tr("Judge again by its &own rules"),
      QKeySequence(tr("Ctrl+Alt+U")),
      tr("Judges this trial once more by the rules that were fixed before its run: other seeds may have run meanwhile"),
      [this] {
        if (whyNot().isEmpty()) judgeBy(m_verdict->trial.id, {});
      });
  m_saveRules = actions.add(QStringLiteral("verdict_save_rules"), tr("Tools"), tr("E&xport the rules…"),
                            QKeySequence(tr("Ctrl+Alt+X")),
                            tr("Writes these rules into a file with mantissa = 1 and [rules], to be changed and judged "
                               "by"),
                            [this] { askForRulesPlace(); });
  m_saveRules->setIconText(tr("Export…"));
  panel.addRulesAction(m_saveRules);
  m_join = actions.add(QStringLiteral("verdict_join_outcomes"), tr("Tools"), tr("Join &outcomes…"),
                       QKeySequence(tr("Ctrl+Alt+O")),
                       tr("Adds outcomes that arrived after the verdict, from a CSV file with the columns case and "
                          "outcome: they give the mature quality"),
                       [this] { askForOutcomes(); });
  for (QAction* const one : {m_judge, m_judgeOwn, m_join}) panel.addAction(one);
  enableActions();
}

QString Afterwards::whyNot() const {
  if (!m_verdict) return tr("No trial is shown on the Verdict page");
  if (m_writing.isBusy()) return tr("Judging or joining is under way");
  if (m_verdict->trial.end.status == record::Status::Running) return tr("The trial runs still");
  return {};
}

void Afterwards::enableActions() {
  if (m_actions == nullptr) return;
  const QString why = whyNot();
  const QString missing = tr("It is not part of this window");
  m_actions->setEnabled(m_judge, why.isEmpty() && m_judging.judgeAgain, why.isEmpty() ? missing : why);
  m_actions->setEnabled(m_judgeOwn, why.isEmpty() && m_judging.judgeAgain, why.isEmpty() ? missing : why);
  const bool hasRules = m_verdict && !m_verdict->rules.empty() && !m_verdict->experimentText.empty();
  m_actions->setEnabled(m_saveRules, hasRules, m_verdict ? tr("No rules were fixed") : why);
  m_actions->setEnabled(m_join, why.isEmpty() && m_judging.addOutcomes, why.isEmpty() ? missing : why);
}

void Afterwards::show(const QString& archive, const SharedVerdict& verdict, const QString& subject) {
  const bool isOther = archive != m_archive || !verdict || !m_verdict || verdict->trial.id != m_verdict->trial.id;
  m_archive = archive;
  m_verdict = verdict;
  m_subject = subject;
  if (isOther) {
    m_rulesFolder.clear();
    m_mature.hide();
    for (const char* const topic : {kJudgeTopic, kJoinTopic, kMatureTopic, kSaveTopic}) {
      m_strips.dismissSeen(QString::fromLatin1(topic));
    }
  }
  enableActions();
  readMature();
}

void Afterwards::readMature() {
  m_reading.drop();
  if (!m_verdict || !m_judging.matureQuality) return;
  if (m_verdict->trial.end.status == record::Status::Running) return;
  m_reading.start([this, archive = m_archive.toStdString(), verdict = m_verdict,
                   read = m_judging.matureQuality](const std::function<bool()>&) -> models::BackgroundWork::Answer {
    std::optional<record::MatureQuality> mature;
    QString problem;
    try {
      mature = read(archive, verdict->trial.id);
    } catch (const std::exception& error) {
      problem = problemOf(error);
    }
    return [this, mature, problem, verdict] {
      if (verdict != m_verdict) return;
      m_mature.showMature(*verdict, mature, m_subject);
      const QString topic = QString::fromLatin1(kMatureTopic);
      if (problem.isEmpty()) {
        m_strips.dismiss(topic);
        return;
      }
      spdlog::warn("mature quality: {}", problem.toStdString());
      m_strips.show(shell::MessageStrip::Kind::Failure, tr("The mature quality cannot be read: %1").arg(problem),
                    topic);
    };
  });
}

QString Afterwards::startFolder(const char* kind) const {
  if (m_settings == nullptr || !m_verdict) return {};
  return m_settings->startFolder(QString::fromLatin1(kind), m_archive);
}

/// Where the experiment is, from which other rules are made.
QString Afterwards::rulesFolder() const {
  if (!m_rulesFolder.isEmpty()) return m_rulesFolder;
  const QFileInfo experiment(m_verdict ? m_verdict->experimentFile : QString());
  if (experiment.isAbsolute() && experiment.absoluteDir().exists()) return experiment.absolutePath();
  return startFolder(kRulesFolder);
}

/// The keyboard goes back to where it was on the page.
QString Afterwards::ask(const std::function<QString(QWidget*, const QString&, const QString&, const QString&)>& dialog,
                        const QString& title, const QString& start, const QString& filter) {
  const QPointer<QWidget> before = QApplication::focusWidget();
  const QString file = dialog(m_page, title, start, filter);
  const bool isOfPage = before != nullptr && m_page->isAncestorOf(before);
  (isOfPage ? before.data() : m_page)->setFocus(Qt::OtherFocusReason);
  return file;
}

void Afterwards::askForRulesPlace() {
  if (!m_verdict) return;
  const QString name = QFileInfo(m_verdict->experimentFile).completeBaseName();
  const QString start =
      QDir(rulesFolder()).filePath((name.isEmpty() ? tr("experiment") : name) + QStringLiteral("-rules.toml"));
  const QString file = ask(askForPlace, tr("Save the rules"), start, tr("Rules (*.toml);;All files (*)"));
  if (!file.isEmpty()) saveRules(file);
}

void Afterwards::saveRules(const QString& file) {
  if (!m_verdict) return;
  const QString topic = QString::fromLatin1(kSaveTopic);
  const QByteArray text = rulesFileText(*m_verdict).toUtf8();
  QSaveFile out(file);
  const bool isWritten = out.open(QIODevice::WriteOnly) && out.write(text) == text.size() && out.commit();
  if (!isWritten) {
    const QString sentence =
        tr("The rules cannot be written to %1: %2").arg(QDir::toNativeSeparators(file), out.errorString());
    spdlog::warn("{}", sentence.toStdString());
    m_strips.show(shell::MessageStrip::Kind::Failure, sentence, topic);
    return;
  }
  m_rulesFolder = QFileInfo(file).absolutePath();
  m_strips.dismiss(topic);
  const QString sentence = tr("Rules written to %1. Change them there, then choose Judge by other rules.")
                               .arg(QDir::toNativeSeparators(file));
  spdlog::info("{}", sentence.toStdString());
  Q_EMIT told(sentence);
}

void Afterwards::askForRules() {
  if (!whyNot().isEmpty()) return;
  const QString file = ask(askForFile, tr("Judge by the rules of a file"), rulesFolder(),
                           tr("Experiments and rules (*.toml);;All files (*)"));
  if (file.isEmpty() || !whyNot().isEmpty()) return;
  m_rulesFolder = QFileInfo(file).absolutePath();
  if (m_settings != nullptr) m_settings->setFolderOf(QString::fromLatin1(kRulesFolder), file);
  judgeBy(m_verdict->trial.id, file);
}

void Afterwards::askForOutcomes() {
  if (!whyNot().isEmpty()) return;
  const QString file =
      ask(askForFile, tr("Join outcomes"), startFolder(kOutcomesFolder), tr("Tables (*.csv);;All files (*)"));
  if (file.isEmpty()) return;
  if (m_settings != nullptr) m_settings->setFolderOf(QString::fromLatin1(kOutcomesFolder), file);
  joinOutcomes(file);
}

/// \param deed  on the work's thread: what it came to, in a sentence
void Afterwards::work(const QString& topic, std::int64_t trial, std::function<QString()> deed) {
  if (m_writing.isBusy()) return;
  m_strips.dismiss(topic);
  m_writing.start(
      [this, topic, trial, deed = std::move(deed)](const std::function<bool()>&) -> models::BackgroundWork::Answer {
        QString sentence;
        bool isDone = false;
        try {
          sentence = deed();
          isDone = true;
        } catch (const std::exception& error) {
          sentence = problemOf(error);
        }
        return [this, topic, trial, sentence, isDone] {
          enableActions();
          if (!isDone) {
            spdlog::warn("{}: {}", topic.toStdString(), sentence.toStdString());
            m_strips.show(shell::MessageStrip::Kind::Failure, sentence, topic);
            return;
          }
          spdlog::info("{}", sentence.toStdString());
          m_strips.show(shell::MessageStrip::Kind::Note, sentence, topic);
          Q_EMIT told(sentence);
          Q_EMIT changed(trial);
        };
      });
  enableActions();
}

void Afterwards::judgeBy(std::int64_t trial, const QString& rulesFile) {
  if (!m_judging.judgeAgain) return;
  work(QString::fromLatin1(kJudgeTopic), trial,
       [archive = m_archive.toStdString(), trial, rulesFile, judge = m_judging.judgeAgain] {
         const session::JudgedAgain result = judge(archive, trial, rulesFile.toStdString());
         const QString word = models::verdictText(result.judgement.verdict.word);
         const QString file = models::isolated(QFileInfo(rulesFile).fileName());
         QString sentence;
         if (result.judgement.post_hoc) {
           sentence = tr("Judged by %1, post hoc: %2. The verdict of the run stays %3.")
                          .arg(file, word, models::verdictText(result.of_run.word));
         } else if (rulesFile.isEmpty()) {
           sentence = result.judgement.verdict.word == result.of_run.word
                          ? tr("Judged again by its own rules: %1, as before. Nothing was added.").arg(word)
                          : tr("Judged again by its own rules: with the runs that came since it is %1.").arg(word);
         } else if (result.judgement.verdict.word == result.of_run.word) {
           sentence =
               tr("%1 has the rules that were fixed before the run: %2, as before. Nothing was added.").arg(file, word);
         } else {
           sentence = tr("%1 has the rules that were fixed before the run; with the runs that came since it is %2.")
                          .arg(file, word);
         }
         for (const std::string& note : result.notes) sentence += u' ' + QString::fromStdString(note) + u'.';
         return sentence;
       });
}

void Afterwards::joinOutcomes(const QString& file) {
  if (!m_verdict || !m_judging.addOutcomes) return;
  const std::int64_t trial = m_verdict->trial.id;
  work(QString::fromLatin1(kJoinTopic), trial,
       [archive = m_archive.toStdString(), trial, file, add = m_judging.addOutcomes] {
         const std::int64_t count = add(archive, trial, file.toStdString());
         const QString name = models::isolated(QFileInfo(file).fileName());
         if (count == 0) return tr("Every outcome of %1 was known already.").arg(name);
         return count == 1 ? tr("1 outcome of %1 was joined.").arg(name)
                           : tr("%1 outcomes of %2 were joined.").arg(wholeText(count), name);
       });
}

}  // namespace mantissa::ui::verdict
