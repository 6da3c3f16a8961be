// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>

#include <cstdint>
#include <functional>
#include <optional>

#include "ui/models/background_work.h"
#include "ui/verdict/judging.h"
#include "ui/verdict/verdict_data.h"

class QAction;
class QWidget;

namespace mantissa::ui::shell {
class ActionList;
class MessageStrips;
class Settings;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::verdict {

class MatureTable;
class RulesPanel;

/// What may be done with a verdict after it was given: judging by other rules, which is post hoc, and joining outcomes
/// that arrived late. Neither changes the verdict; both work on a thread of their own, and say in a strip why not.
/// Window thread.
class Afterwards : public QObject {
  Q_OBJECT

 public:
  /// \param page  the parent of dialogs; \param mature  shows the quality that outcomes give
  Afterwards(shell::MessageStrips& strips, MatureTable& mature, QWidget* page);

  void setJudging(Judging judging);
  void useActions(shell::ActionList& actions, RulesPanel& panel);
  void useSettings(shell::Settings& settings) { m_settings = &settings; }

  /// \param verdict  null: none is shown
  void show(const QString& archive, const SharedVerdict& verdict, const QString& subject);

  /// By the rules of a file, without asking for it; of none, by those of the run. \param trial  of the archive that is
  /// shown
  void judgeBy(std::int64_t trial, const QString& rulesFile);
  void joinOutcomes(const QString& file);
  /// Writes the rules of the trial that is shown as a file to begin other ones with.
  void saveRules(const QString& file);

  bool isBusy() const { return m_writing.isBusy() || m_reading.isBusy(); }

  /// Asks for an existing file: empty, none. Replaceable for tests.
  std::function<QString(QWidget* parent, const QString& title, const QString& start, const QString& filter)> askForFile;
  /// Asks for a file to write.
  std::function<QString(QWidget* parent, const QString& title, const QString& start, const QString& filter)>
      askForPlace;

 Q_SIGNALS:
  /// The archive holds something new about a trial.
  void changed(std::int64_t trial);
  /// A sentence for the status bar.
  void told(const QString& sentence);

 private:
  void askForRules();
  void askForOutcomes();
  void askForRulesPlace();
  QString rulesFolder() const;
  QString ask(const std::function<QString(QWidget*, const QString&, const QString&, const QString&)>& dialog,
              const QString& title, const QString& start, const QString& filter);
  void readMature();
  void enableActions();
  QString whyNot() const;
  QString startFolder(const char* kind) const;
  void work(const QString& topic, std::int64_t trial, std::function<QString()> deed);

  shell::MessageStrips& m_strips;
  MatureTable& m_mature;
  QWidget* m_page;
  Judging m_judging;
  QString m_archive;
  SharedVerdict m_verdict;
  QString m_subject;
  shell::Settings* m_settings = nullptr;
  shell::ActionList* m_actions = nullptr;
  QString m_rulesFolder;  ///< where rules were saved or chosen last, of this experiment; empty: nowhere yet
  QAction* m_judge = nullptr;
  QAction* m_judgeOwn = nullptr;
  QAction* m_saveRules = nullptr;
  QAction* m_join = nullptr;
  // Last: what they wait for at the end uses the rest.
  models::BackgroundWork m_reading;
  models::BackgroundWork m_writing;
};

}  // namespace mantissa::ui::verdict
