// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>

#include "ui/rules/run_facts.h"

class QAction;

namespace mantissa::ui::shell {
class MainWindow;
}

namespace mantissa::ui::editor {

class ArchivedText;
class ExperimentEditor;
class UnsavedTexts;
struct UnsavedText;

/// The editors that are open in a window: makes them, gives the window their actions, and lets them run.
class EditorTabs : public QObject {
  Q_OBJECT

 public:
  /// Lives as long as the window.
  explicit EditorTabs(shell::MainWindow& window);

  /// A file in an editor of its own, or the editor that has it already. A strip of the window says why not.
  void openFile(const QString& path);
  /// Adds a trial to a file, in its editor. \param preset  its place in policyPresets()
  void addTrial(const QString& path, int preset);
  /// Writes how a step is computed into a file, in its editor, where a person sees and saves it.
  void usePlan(const QString& path, qint64 batch, qint64 accumulate, bool activationCheckpointing);
  /// The text of an experiment in the open archive as a new experiment; 0: the newest one.
  /// \param page  the table of the form that is shown first; empty: its first one
  void openArchived(std::int64_t experiment, const QString& page = {});
  /// Keeps what is not saved in this folder, and offers what was left there: at the start by reopen(), and of a file
  /// that is opened. Call it once, before the first editor. Without it nothing is kept.
  void useUnsavedTexts(const QString& folder);
  /// What editors explain rules by: the archive that is open in the window, read by this. Without it, or with an empty
  /// one, no run is read.
  void explainRulesBy(const rules::EvidenceReader& read);
  /// What stood in editors when the window closed last, behind what is in front; files that are gone are told, once.
  /// From then on the editors of this window are remembered.
  void reopen();
  /// Asks for a template and begins a new experiment with it.
  void newExperiment();
  /// A shipped experiment as a new one.
  void openTemplate(const QString& file);

  /// Before a file is run: changes that an editor has of it are saved, if the person wants that, in it or in another
  /// one. \return the file to run; empty: none
  QString saveBeforeRun(const QString& path);

  /// Files that editors hold changes of which are not saved.
  QStringList unsavedFiles() const;

  /// The editor in front; nullptr where there is none.
  ExperimentEditor* current() const;
  /// Whether all that was asked for is open and checked.
  bool isSettled() const;

 Q_SIGNALS:
  /// An experiment was written into this file.
  void saved(const QString& path);
  /// Other files than before hold less than their editors.
  void unsavedFilesChanged(const QStringList& files);

 private:
  void makeActions();
  void enableActions();
  ExperimentEditor* open(const QString& name, const QString& text);
  ExperimentEditor* editorOf(const QString& path) const;
  enum class Front { Taken, Stays };  ///< of the window, by a new editor
  ExperimentEditor* add(ExperimentEditor* editor, Front front = Front::Taken);
  void run();
  void tellUnsaved();
  void explainRules();
  void rememberEditors();
  /// \param file  of which; empty: of all
  void offerUnsaved(const QString& file);
  void restoreUnsaved(const UnsavedText& text);

  shell::MainWindow& m_window;
  ArchivedText* m_archived;
  QString m_archivedPage;  ///< of the form, for what is read
  QAction* m_runAgain = nullptr;
  QAction* m_run = nullptr;
  QStringList m_unsaved;
  rules::EvidenceReader m_readEvidence;
  std::shared_ptr<UnsavedTexts> m_unsavedTexts;  ///< nullptr: nothing is kept
  bool m_remembers = false;                      ///< those of the start before are open again
  QKeySequence m_runKeys;                        ///< of the Run page's action, which an editor in front takes over
  QKeySequence m_ownRunKeys;                     ///< of an editor's own
};

}  // namespace mantissa::ui::editor
