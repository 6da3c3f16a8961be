// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>

#include "ui/editor/policies_view.h"
#include "ui/editor/problem.h"
#include "ui/editor/text_file.h"
#include "ui/editor/toml_edit.h"
#include "ui/editor/toml_text.h"
#include "ui/editor/unsaved_texts.h"
#include "ui/rules/run_facts.h"
#include "ui/shell/document.h"

class QAction;
class QHBoxLayout;
class QSplitter;
class QTreeView;

namespace mantissa::ui::shell {
class MessageStrips;
class StripPlace;
class Settings;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::editor {

class ExperimentForm;
class FileWatch;
class FindBar;
class OutlineModel;
class ProblemSummary;
class TextChecker;
class TextView;

/// One experiment file: an outline of it, its form and its text in step, and what keeps the file on the disk whole.
///
/// The text is the only truth: the form edits the text, so that one stack of undo steps covers both and comments stay
/// where they are. The form shows the last text that could be read.
class ExperimentEditor : public shell::Document {
  Q_OBJECT

 public:
  /// For a file that was read.
  explicit ExperimentEditor(const TextFile& file, QWidget* parent = nullptr);
  /// For a text that no file holds yet. \param name  of the experiment: a name for the file
  ExperimentEditor(const QString& name, const QString& text, QWidget* parent = nullptr);

  QString title() const override;
  QString details() const override;
  shell::HelpTopic help() const override;
  bool isChanged() const override;
  bool mayClose() override;
  bool takeStrips(shell::MessageStrips& strips) override;

  /// The file's path; empty: none yet.
  const QString& file() const { return m_file.path; }
  TextView* text() const { return m_text; }
  FindBar* findBar() const { return m_find; }
  ExperimentForm* form() const { return m_form; }
  OutlineModel* outline() const { return m_outline; }
  shell::MessageStrips* strips() const { return m_strips; }
  const TextProblems& problems() const { return m_problems; }
  /// Whether a check of the text is under way.
  bool isChecking() const;
  /// Whether what the rules mean is still to be said where a person looks at it.
  bool isExplaining() const;

  /// Buttons above the text; the first one is the primary.
  void addButton(QAction* action, const QString& icon);

  /// Writes the file; asks for a place where there is none. Refuses to replace what another program wrote meanwhile: a
  /// strip offers the ways out. \return whether the text is in the file now
  bool save();
  bool saveAs();
  /// Whether the file holds what stands here, so that running it runs what one sees; a strip says why not.
  bool isWhatTheFileHolds();
  /// Takes the file's text again; asks where changes would be lost. It is a step that can be undone.
  void reload();
  /// Takes the last edit back, of the text or of a field; redo makes it again.
  void undo();
  void redo();
  /// What stands here while it is not saved, without the copy's place and time.
  UnsavedText unsavedText() const;
  /// Puts a text here that was not saved elsewhere, as a change that can be undone.
  void takeUnsaved(const QString& text);
  /// What was begun in a field and not sent yet, as if the field was left.
  void finishTyping();
  /// Puts the cursor to the next problem after it, around the end.
  void goToNextProblem();
  /// Shows a page of the form, and the outline with it.
  void showPage(const QString& table);

  /// Adds a trial that begins with this policy, as a change that can be undone.
  void addTrial(const PolicyPreset& preset);
  /// Rules are explained by the runs of this archive, on a thread of their own. Looks for new ones where it is the one
  /// that was set before. \param archive  empty: none is open
  void explainRulesBy(const QString& archive, const rules::EvidenceReader& read);
  /// Lets the rules come from a preset, as one change that can be undone; a strip names the rules of the text that gave
  /// way to it. \param preset  see withRulesPreset
  void takeRulesPreset(const QString& preset);
  /// Writes how a step is computed, as one change that can be undone: training.batch, training.accumulate and
  /// training.activation_checkpointing, and nothing else. Keys whose default says it already are not added.
  void usePlan(qint64 batch, qint64 accumulate, bool activationCheckpointing);
  /// How wide outline, form and text are.
  QByteArray saveLayout() const;
  void restoreLayout(const QByteArray& layout);

  /// Keeps where experiments were saved, which is where "Save as" begins. They outlive the editor.
  void useSettings(shell::Settings& settings) { m_settings = &settings; }

 Q_SIGNALS:
  void saved(const QString& path);
  /// A person made outline, form or text wider.
  void layoutChanged();
  /// The text was checked.
  void problemsChanged();

 protected:
  void focusInEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void makeLayout();
  void listen();
  void takeProblems(const TextProblems& problems);
  bool write(const QString& path);
  void tellOfFile();
  // Other programs and the file.
  void listenToDisk();
  bool isThere() const;
  void lookForOutsideChange();
  /// \param refusal  what was not done because of it; empty: nothing was asked for
  void tellOutsideChange(const QString& refusal);
  QString outsideWords(OnDisk::Kind kind) const;
  void markAsChanged();
  void keepMine();
  void showDifference();
  // The form and the text.
  using Change = std::function<std::optional<TextEdit>(const QString& text)>;
  void listenToForm();
  void showText();
  void showProblems();
  void explainRules();
  /// \param typedInto  the key whose value is being typed: all of it is one step that can be undone; empty: a step of
  /// its own
  void change(const QString& path, const QString& typedInto, const Change& change);
  /// Outline and form at once, not after the check: what depends on a key comes and goes with it.
  void showChangedText();
  bool renameExpected(const QString& path, const QString& value);
  QString suggestedFileName() const;
  void copyItem(const QString& path);
  void removeItem(const QString& path);
  QString freeTrialName(const QString& wish) const;
  QString folder() const;
  QString nameForChecks() const;

  TextFile m_file;
  shell::Settings* m_settings = nullptr;
  QString m_newName;  ///< of an experiment without a file
  TextProblems m_problems;
  std::optional<QByteArray> m_outside;  ///< what the last strip about another program told of
  FileWatch* m_watch;
  TextChecker* m_checker;
  shell::MessageStrips* m_strips;
  shell::StripPlace* m_stripPlace;
  QHBoxLayout* m_buttons;
  ProblemSummary* m_summary;
  QSplitter* m_splitter;
  OutlineModel* m_outline;
  QTreeView* m_outlineView;
  ExperimentForm* m_form;
  TextView* m_text;
  FindBar* m_find;
  std::optional<TomlText> m_toml;  ///< the last text that could be read
  QString m_typedInto;             ///< the key that the last of all changes was typed into; empty: another change
  int m_typedRevision = -1;        ///< of the document after it
  QAction* m_reloadAction;
  QAction* m_saveAsAction;
  QAction* m_overwriteAction;
  QAction* m_keepAction;
  QAction* m_differenceAction;
  QAction* m_writeAgainAction;
};

}  // namespace mantissa::ui::editor
