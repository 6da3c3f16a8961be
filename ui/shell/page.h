// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QWidget>

#include <cstdint>

#include "ui/models/trial_list.h"
#include "ui/shell/help_topic.h"

class QAction;

namespace mantissa::ui::shell {

class ActionList;
class MessageStrips;
class Settings;

/// One page of the window. Pages know the archive that is open and the arm that is selected in its tree, nothing of
/// each other.
class Page : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  /// The word of the command line and of the settings: "archive", "run"; never translated.
  virtual QString id() const = 0;
  /// The word on its tab.
  virtual QString title() const = 0;

  /// What F1 tells of it.
  virtual HelpTopic help() const = 0;

  /// The archive's arms were read anew; empty path and no arms where none is open.
  virtual void setArchive(const QString& /*path*/, const models::TrialList& /*trials*/) {}

  /// The archive that was asked for could not be opened and none is open: nothing may go into another one unasked.
  virtual void refuseArchive(const QString& /*path*/) {}

  /// An arm was chosen in the tree, or by a page that says so with `trialShown`; 0: none.
  virtual void selectTrial(std::int64_t /*id*/) {}

  /// An experiment itself was chosen in the tree.
  virtual void selectExperiment(std::int64_t /*id*/) {}

  /// The window's list of actions, once it is made: pages add their own and take those that fill their empty states.
  virtual void useActions(ActionList& /*actions*/) {}

  /// What can be done with the arm or experiment that is selected, wherever it is shown: for the menus of rows.
  virtual void addContextAction(QAction* /*action*/) {}

  /// What the workbench remembers, before anything else happens. It outlives the page.
  virtual void useSettings(Settings& /*settings*/) {}

  /// An experiment file was opened: the page for it shows it, or says what is wrong with it.
  virtual void openExperiment(const QString& /*path*/) {}

  /// The experiment file that was open last is open again at a start: nobody has asked to look at it.
  virtual void holdExperiment(const QString& /*path*/) {}

  /// Whether everything is shown that is there: a picture of the page may be taken.
  virtual bool isSettled() const { return true; }

  /// Work that would be lost if the window closed now; `finishWork` ends it cleanly and `workEnded` tells when.
  virtual bool isBusy() const { return false; }
  /// Asked again by a person who will not wait any longer, it may leave behind what does not end.
  virtual void finishWork() {}
  /// What a person should know who is asked whether the window may close, beyond that what was recorded stays.
  virtual QString closingWords() const { return {}; }
  /// How many runs wait for their turn beyond the work at hand: closing the window gives them up.
  virtual int waitingRuns() const { return 0; }

  /// The window has closed. False: something is at work that does not end, and the process has to end with it, without
  /// destroying the page.
  virtual bool letsGo() { return true; }

  /// The page comes to the front: takes the window's message strips to its own, where they move nothing of the page.
  /// False: they stand below the page.
  virtual bool takeStrips(MessageStrips& /*strips*/) { return false; }

  /// Splitters, hidden columns …: what the person arranged.
  virtual QByteArray saveLayout() const { return {}; }
  virtual void restoreLayout(const QByteArray& /*layout*/) {}

 Q_SIGNALS:
  /// An arm was chosen here, to be looked at on the page for it.
  void trialChosen(std::int64_t id);
  /// The page has turned to this arm, of a run that has begun for instance: it is to be selected in the tree, once it
  /// stands there.
  void trialShown(std::int64_t id);
  /// The open archive cannot be read: told by the window, once for all that meet it. Empty: it can be again.
  void archiveTroubled(const QString& sentence);
  /// Arms of this archive began or ended.
  void archiveChanged(const QString& path);
  /// A run of this window has ended, and its archive cannot be told: `why` in a few words. Empty: a run begins.
  void runBroken(const QString& archive, std::int64_t experiment, const QString& why);
  /// How far the job at work is, in steps; an empty name: there is none.
  void progressed(const QString& job, qint64 step, qint64 steps);
  /// The run of this window holds; 0: none does.
  void runPaused(const QString& archive, std::int64_t experiment);
  /// A sentence about what was just done, for a moment.
  void told(const QString& sentence);
  /// A person has asked elsewhere for what this page shows.
  void frontWanted();
  /// Something failed, of which the page tells in a strip of its own: for a person who looks at another page. Empty:
  /// what was told is over.
  void failureTold(const QString& sentence);
  /// Whether the page takes the window's strips is to be asked again.
  void stripPlaceChanged();
  /// Nothing keeps the window open any more.
  void workEnded();
};

}  // namespace mantissa::ui::shell
