// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/editor_tabs.h"

#include <QAction>
#include <QFileInfo>
#include <QMenu>

#include "core/base/error.h"
#include "ui/editor/archived_text.h"
#include "ui/editor/editor_questions.h"
#include "ui/editor/experiment_editor.h"
#include "ui/editor/find_bar.h"
#include "ui/editor/paths_in_text.h"
#include "ui/editor/policies_view.h"
#include "ui/editor/templates.h"
#include "ui/editor/text_view.h"
#include "ui/editor/unsaved_copy.h"
#include "ui/measured_text.h"
#include "ui/models/error_words.h"
#include "ui/shell/action_list.h"
#include "ui/shell/archive_dock.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"

namespace mantissa::ui::editor {
namespace {

constexpr char kTopic[] = "editor";
constexpr char kGoneTopic[] = "gone editors";
constexpr char kLayout[] = "editor";  // of all editors: the last one that was arranged

/// The actions that need an editor in front.
const char* const kOfAnEditor[] = {"save",        "save_as",          "close_tab",           "editor_undo",
                                   "editor_redo", "editor_run",       "next_problem",        "editor_reload",
                                   "editor_find", "editor_find_next", "editor_find_previous"};

}  // namespace

EditorTabs::EditorTabs(shell::MainWindow& window)
    : QObject(&window), m_window(window), m_archived(new ArchivedText(this)) {
  makeActions();
  connect(&m_window, &shell::MainWindow::currentDocumentChanged, this, &EditorTabs::enableActions);
  connect(&m_window, &shell::MainWindow::currentDocumentChanged, this, &EditorTabs::tellUnsaved);
  connect(&m_window, &shell::MainWindow::documentsChanged, this, &EditorTabs::rememberEditors);
  connect(&m_window, &shell::MainWindow::archiveSettled, this, &EditorTabs::enableActions);
  connect(&m_window, &shell::MainWindow::archiveSettled, this, &EditorTabs::explainRules);
  connect(m_window.archiveDock(), &shell::ArchiveDock::newExperimentRequested, this, &EditorTabs::newExperiment);
  connect(m_window.archiveDock(), &shell::ArchiveDock::trialSelected, this, &EditorTabs::enableActions);
  connect(m_archived, &ArchivedText::arrived, this,
          [this](const QString& name, const QString& file, const QString& text) {
            ExperimentEditor* const editor = open(name, withAbsolutePaths(text, QFileInfo(file).absolutePath()));
            if (!m_archivedPage.isEmpty()) editor->showPage(m_archivedPage);
          });
  connect(m_archived, &ArchivedText::failed, this, [this](const QString& sentence) {
    m_window.strips()->show(shell::MessageStrip::Kind::Failure, sentence, QString::fromLatin1(kTopic));
  });
  enableActions();
}

void EditorTabs::makeActions() {
  shell::ActionList& actions = *m_window.actions();
  const QString file = tr("File");
  const QString edit = tr("Edit");
  QVector<QAction*> added;
  const auto add = [&](const char* name, const QString& group, const QString& text, const QKeySequence& keys,
                       const QString& help, std::function<void()> run) {
    added << actions.add(QString::fromLatin1(name), group, text, keys, help, std::move(run));
    return added.last();
  };
  const auto ofEditor = [this](void (*work)(ExperimentEditor&)) {
    return [this, work] {
      if (ExperimentEditor* const editor = current()) work(*editor);
    };
  };
  QAction* const make =
      add("new_experiment", file, tr("&New experiment…"), QKeySequence::New,
          tr("Begins an experiment as a copy of one that ships with the program"), [this] { newExperiment(); });
  m_runAgain = add("run_again", file, tr("R&un again with changes"), QKeySequence(tr("Ctrl+Shift+E")),
                   tr("Opens the archived experiment that is selected in the tree as a new experiment"),
                   [this] { openArchived(m_window.archiveDock()->selectedExperiment()); });
  QAction* const save = add("save", file, tr("&Save"), QKeySequence::Save, tr("Writes the experiment into its file"),
                            ofEditor([](ExperimentEditor& editor) { editor.save(); }));
  QAction* const saveAs =
      add("save_as", file, tr("Save &as…"), QKeySequence(tr("Ctrl+Shift+S")),
          tr("Writes the experiment into another file"), ofEditor([](ExperimentEditor& editor) { editor.saveAs(); }));
  QAction* const reload =
      add("editor_reload", file, tr("Read the &file again"), QKeySequence(tr("Ctrl+Alt+R")),
          tr("Takes the text that the file holds now"), ofEditor([](ExperimentEditor& editor) { editor.reload(); }));
  QAction* const close = add("close_tab", file, tr("&Close the editor"), QKeySequence(tr("Ctrl+W")),
                             tr("Closes the experiment in front; asks where changes would be lost"), [this] {
                               if (ExperimentEditor* const editor = current()) m_window.closeDocument(editor);
                             });
  QAction* const undo = add("editor_undo", edit, tr("&Undo"), QKeySequence::Undo,
                            tr("Takes back the last change, of the text or of a field"),
                            ofEditor([](ExperimentEditor& editor) { editor.undo(); }));
  QAction* const redo =
      add("editor_redo", edit, tr("&Redo"), QKeySequence(tr("Ctrl+Shift+Z")),
          tr("Makes the change again that was taken back"), ofEditor([](ExperimentEditor& editor) { editor.redo(); }));
  QAction* const next =
      add("next_problem", edit, tr("Next &problem"), QKeySequence(tr("F4")), tr("Goes to the next problem in the text"),
          ofEditor([](ExperimentEditor& editor) { editor.goToNextProblem(); }));
  QAction* const find = add("editor_find", edit, tr("&Find in the text"), QKeySequence(tr("Ctrl+F")),
                            tr("Finds words in the text of the experiment in front"),
                            ofEditor([](ExperimentEditor& editor) { editor.findBar()->open(); }));
  QAction* const findNext =
      add("editor_find_next", edit, tr("Next &match"), QKeySequence(tr("F3")), tr("Goes to the next match in the text"),
          ofEditor([](ExperimentEditor& editor) { editor.findBar()->goToNext(); }));
  QAction* const findPrevious = add("editor_find_previous", edit, tr("P&revious match"), QKeySequence(tr("Shift+F3")),
                                    tr("Goes to the match before in the text"),
                                    ofEditor([](ExperimentEditor& editor) { editor.findBar()->goToPrevious(); }));
  m_run = add("editor_run", tr("Run"), tr("Run this &experiment"), QKeySequence(tr("Ctrl+Return")),
              tr("Runs the experiment in front as it is saved, on the Run page"), [this] { run(); });

  m_window.addActions(added);
  QMenu* const fileMenu = m_window.fileMenu();
  QAction* const first = fileMenu->actions().value(0);
  fileMenu->insertActions(first, {make});
  QAction* const before = actions.find(QStringLiteral("reload"));
  fileMenu->insertSeparator(before);
  fileMenu->insertActions(before, {m_runAgain, save, saveAs, reload, close});
  fileMenu->insertSeparator(before);
  m_window.editMenu()->addActions({undo, redo});
  m_window.editMenu()->addSeparator();
  m_window.editMenu()->addActions({find, findNext, findPrevious});
  m_window.editMenu()->addSeparator();
  m_window.editMenu()->addActions({next, m_run});
  m_window.addContextAction(m_runAgain);
  if (const QAction* const runPage = actions.find(QStringLiteral("run"))) m_runKeys = runPage->shortcut();
  m_ownRunKeys = m_run->shortcut();
}

void EditorTabs::enableActions() {
  shell::ActionList& actions = *m_window.actions();
  const bool isInFront = current() != nullptr;
  // F5 runs what is in front: one key, never two actions that want it.
  if (QAction* const runPage = actions.find(QStringLiteral("run"))) {
    const QKeySequence beside(tr("Ctrl+F5"));
    if (isInFront) {
      runPage->setShortcut(beside);
      m_run->setShortcuts({m_runKeys, m_ownRunKeys});
    } else {
      runPage->setShortcuts({m_runKeys, beside});
      m_run->setShortcut(m_ownRunKeys);
    }
  }
  for (const char* const name : kOfAnEditor) {
    actions.setEnabled(actions.find(QString::fromLatin1(name)), isInFront,
                       tr("Open an experiment in the editor first."));
  }
  if (isInFront) {
    const bool hasFile = !current()->file().isEmpty();
    actions.setEnabled(actions.find(QStringLiteral("editor_reload")), hasFile, tr("No file holds it yet."));
    const bool isSound = current()->problems().problems.isEmpty();
    actions.setEnabled(m_run, isSound, tr("The text has a problem: see above it."));
  }
  actions.setEnabled(m_runAgain, m_window.archiveDock()->selectedExperiment() != 0,
                     tr("Select an experiment or a trial in the archive first."));
}

ExperimentEditor* EditorTabs::current() const { return qobject_cast<ExperimentEditor*>(m_window.currentDocument()); }

bool EditorTabs::isSettled() const {
  return !m_archived->isPending() && (current() == nullptr || (!current()->isChecking() && !current()->isExplaining()));
}

void EditorTabs::openFile(const QString& path) {
  if (ExperimentEditor* const editor = editorOf(path)) {
    m_window.strips()->dismiss(QString::fromLatin1(kTopic));
    m_window.showDocument(editor);
    return;
  }
  try {
    add(new ExperimentEditor(readTextFile(QFileInfo(path).absoluteFilePath())));
    m_window.rememberFile(path);
    offerUnsaved(QFileInfo(path).absoluteFilePath());
  } catch (const Error& error) {
    m_window.strips()->show(shell::MessageStrip::Kind::Failure, models::errorText(error), QString::fromLatin1(kTopic));
  }
}

void EditorTabs::reopen() {
  QStringList gone;
  for (const QString& path : m_window.settings().editedFiles()) {
    if (editorOf(path) != nullptr) continue;
    if (!QFileInfo(path).isFile()) {
      // The one that was opened last is told by the start itself.
      const QString what = shell::Settings::goneKey(path);
      if (!m_window.settings().isDismissed(what)) gone << QFileInfo(path).fileName();
      m_window.settings().dismiss(what);
      continue;
    }
    try {
      add(new ExperimentEditor(readTextFile(path)), Front::Stays);
    } catch (const Error& error) {
      gone << models::errorText(error);
    }
  }
  m_remembers = true;
  rememberEditors();
  offerUnsaved({});
  if (gone.isEmpty()) return;
  const QString names = gone.join(QStringLiteral(", "));
  m_window.strips()->show(
      shell::MessageStrip::Kind::Note,
      gone.size() == 1
          ? tr("The editor of %1 is not open again: its file is not there.").arg(names)
          : tr("%1 editors are not open again: their files are not there (%2).").arg(wholeText(gone.size()), names),
      QString::fromLatin1(kGoneTopic));
}

/// Not only when the window closes: it may be killed.
void EditorTabs::rememberEditors() {
  if (!m_remembers) return;
  QStringList files;
  for (shell::Document* const document : m_window.documents()) {
    const auto* const editor = qobject_cast<ExperimentEditor*>(document);
    if (editor != nullptr && !editor->file().isEmpty()) files << QFileInfo(editor->file()).absoluteFilePath();
  }
  if (files != m_window.settings().editedFiles()) m_window.settings().setEditedFiles(files);
}

void EditorTabs::addTrial(const QString& path, int preset) {
  openFile(path);
  if (ExperimentEditor* const editor = editorOf(path)) editor->addTrial(policyPresets().at(preset));
}

void EditorTabs::usePlan(const QString& path, qint64 batch, qint64 accumulate, bool activationCheckpointing) {
  openFile(path);
  if (ExperimentEditor* const editor = editorOf(path)) editor->usePlan(batch, accumulate, activationCheckpointing);
}

void EditorTabs::openArchived(std::int64_t experiment, const QString& page) {
  m_archivedPage = page;
  if (!m_window.archive().isEmpty()) m_archived->read(m_window.archive(), experiment);
}

void EditorTabs::newExperiment() {
  const QVector<Template> templates = templatesIn(templateFolder());
  if (templates.isEmpty()) {
    m_window.strips()->show(
        shell::MessageStrip::Kind::Failure,
        tr("The experiments that ship with the program are not where they belong. Install it again, or open a file."),
        QString::fromLatin1(kTopic));
    return;
  }
  QList<std::pair<QString, QString>> rows;
  for (const Template& one : templates) rows << std::pair(one.name, one.shows);
  const int row = editorQuestions().templateRow(&m_window, rows);
  if (row < 0 || row >= templates.size()) return;
  openTemplate(templates[row].file);
}

void EditorTabs::openTemplate(const QString& file) {
  const QFileInfo info(file);
  try {
    open(info.completeBaseName(), withAbsolutePaths(readTextFile(file).text, info.absolutePath()));
  } catch (const Error& error) {
    m_window.strips()->show(shell::MessageStrip::Kind::Failure, models::errorText(error), QString::fromLatin1(kTopic));
  }
}

ExperimentEditor* EditorTabs::open(const QString& name, const QString& text) {
  return add(new ExperimentEditor(name, text));
}

ExperimentEditor* EditorTabs::add(ExperimentEditor* editor, Front front) {
  m_window.strips()->dismiss(QString::fromLatin1(kTopic));
  editor->addButton(m_run, QStringLiteral("media-playback-start"));
  editor->addButton(m_window.actions()->find(QStringLiteral("save")), QStringLiteral("document-save"));
  connect(editor, &ExperimentEditor::saved, this, [this](const QString& path) {
    m_window.rememberFile(path);
    enableActions();
    Q_EMIT saved(path);
  });
  editor->useSettings(m_window.settings());
  editor->explainRulesBy(m_window.archive(), m_readEvidence);
  editor->restoreLayout(m_window.settings().pageLayout(QString::fromLatin1(kLayout)));
  connect(editor, &ExperimentEditor::layoutChanged, this,
          [this, editor] { m_window.settings().setPageLayout(QString::fromLatin1(kLayout), editor->saveLayout()); });
  connect(editor, &ExperimentEditor::problemsChanged, this, &EditorTabs::enableActions);
  connect(editor, &ExperimentEditor::titleChanged, this, &EditorTabs::tellUnsaved);
  if (m_unsavedTexts) new UnsavedCopy(*editor, m_unsavedTexts);
  if (front == Front::Stays) {
    m_window.addDocumentBehind(editor);
  } else {
    m_window.addDocument(editor);
  }
  return editor;
}

ExperimentEditor* EditorTabs::editorOf(const QString& path) const {
  const QString canonical = QFileInfo(path).canonicalFilePath();
  if (canonical.isEmpty()) return nullptr;
  for (shell::Document* const document : m_window.documents()) {
    auto* const editor = qobject_cast<ExperimentEditor*>(document);
    if (editor != nullptr && QFileInfo(editor->file()).canonicalFilePath() == canonical) return editor;
  }
  return nullptr;
}

QString EditorTabs::saveBeforeRun(const QString& path) {
  ExperimentEditor* const editor = editorOf(path);
  if (editor != nullptr) editor->finishTyping();
  if (editor == nullptr || !editor->isChanged()) return path;
  const EditorQuestions::Saving answer = editorQuestions().savingBeforeRun(editor, editor->title());
  if (answer == EditorQuestions::Saving::Cancel) return {};
  if (answer == EditorQuestions::Saving::Save ? editor->save() : editor->saveAs()) return editor->file();
  m_window.showDocument(editor);  // where the reason stands
  return {};
}

void EditorTabs::explainRulesBy(const rules::EvidenceReader& read) {
  m_readEvidence = read;
  explainRules();
}

void EditorTabs::explainRules() {
  for (shell::Document* const document : m_window.documents()) {
    if (auto* const editor = qobject_cast<ExperimentEditor*>(document)) {
      editor->explainRulesBy(m_window.archive(), m_readEvidence);
    }
  }
}

QStringList EditorTabs::unsavedFiles() const {
  QStringList files;
  for (shell::Document* const document : m_window.documents()) {
    const auto* const editor = qobject_cast<ExperimentEditor*>(document);
    if (editor != nullptr && editor->isChanged() && !editor->file().isEmpty()) files << editor->file();
  }
  return files;
}

void EditorTabs::tellUnsaved() {
  const QStringList files = unsavedFiles();
  if (files == m_unsaved) return;
  m_unsaved = files;
  Q_EMIT unsavedFilesChanged(files);
}

void EditorTabs::run() {
  ExperimentEditor* const editor = current();
  if (editor == nullptr) return;
  // A new experiment asks for its place; that is question enough.
  const bool isNew = editor->file().isEmpty();
  if (isNew ? !editor->save() : saveBeforeRun(editor->file()).isEmpty()) return;
  if (!editor->isWhatTheFileHolds()) return;
  m_window.open(editor->file());
  QAction* const run = m_window.actions()->find(QStringLiteral("run"));
  if (run != nullptr && run->isEnabled()) run->trigger();
}

}  // namespace mantissa::ui::editor
