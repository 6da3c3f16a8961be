// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/experiment_editor.h"

#include <spdlog/spdlog.h>

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QSplitter>
#include <QStandardPaths>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/base/error.h"
#include "ui/editor/editor_questions.h"
#include "ui/editor/experiment_form.h"
#include "ui/editor/file_watch.h"
#include "ui/editor/find_bar.h"
#include "ui/editor/outline_model.h"
#include "ui/editor/paths_in_text.h"
#include "ui/editor/problem_summary.h"
#include "ui/editor/text_checker.h"
#include "ui/editor/text_view.h"
#include "ui/models/error_words.h"
#include "ui/shell/action_button.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/settings.h"
#include "ui/shell/strip_place.h"

namespace mantissa::ui::editor {
namespace {

constexpr char kFileTopic[] = "file";
constexpr char kEndingsTopic[] = "endings";
constexpr char kPathsTopic[] = "paths";
constexpr char kRightsTopic[] = "rights";

}  // namespace

ExperimentEditor::ExperimentEditor(const TextFile& file, QWidget* parent)
    : shell::Document(parent),
      m_file(file),
      m_watch(new FileWatch(this)),
      m_checker(new TextChecker(this)),
      m_strips(new shell::MessageStrips),
      m_stripPlace(new shell::StripPlace),
      m_buttons(new QHBoxLayout),
      m_summary(new ProblemSummary),
      m_splitter(new QSplitter),
      m_outline(new OutlineModel(this)),
      m_outlineView(new QTreeView),
      m_form(new ExperimentForm),
      m_text(new TextView),
      m_find(new FindBar(m_text)),
      m_reloadAction(new QAction(tr("Read again"), this)),
      m_saveAsAction(new QAction(tr("Save as…"), this)),
      m_overwriteAction(new QAction(tr("Overwrite…"), this)),
      m_keepAction(new QAction(tr("Keep mine"), this)),
      m_differenceAction(new QAction(tr("Show difference"), this)),
      m_writeAgainAction(new QAction(tr("Write it again"), this)) {
  makeLayout();
  m_text->load(m_file.text);
  listen();
  listenToDisk();
  listenToForm();
  showText();
  showPage(QStringLiteral("trial"));  // what a person comes here for most
  tellOfFile();
  m_watch->watch(m_file.path);
  m_checker->checkNow(m_text->text(), nameForChecks());
}

ExperimentEditor::ExperimentEditor(const QString& name, const QString& text, QWidget* parent)
    : ExperimentEditor(TextFile{{}, {}, false, false, false, text}, parent) {
  m_newName = name;
  m_checker->checkNow(m_text->text(), nameForChecks());
}

void ExperimentEditor::tellOfFile() {
  m_strips->dismiss(QString::fromLatin1(kEndingsTopic));
  m_strips->dismiss(QString::fromLatin1(kRightsTopic));
  if (m_file.hasMixedEndings) {
    m_strips->show(shell::MessageStrip::Kind::Note,
                   m_file.hasCarriageReturns
                       ? tr("Lines of this file end in two ways. Saving ends all of them in CR LF, as most do.")
                       : tr("Lines of this file end in two ways. Saving ends all of them in LF, as most do."),
                   QString::fromLatin1(kEndingsTopic));
  }
  if (m_text->text() != m_file.text) {
    m_strips->show(shell::MessageStrip::Kind::Warning,
                   tr("This file has characters that an editor of lines cannot keep, such as single carriage returns. "
                      "Saving would change them."),
                   QString::fromLatin1(kEndingsTopic));
  }
  if (!m_file.path.isEmpty() && !QFileInfo(m_file.path).isWritable()) {
    m_strips
        ->show(shell::MessageStrip::Kind::Note,
               tr("%1 is read-only. Changes can be saved under another name.").arg(title()),
               QString::fromLatin1(kRightsTopic))
        ->addWayOut(m_saveAsAction);
  }
}

void ExperimentEditor::makeLayout() {
  m_buttons->setSpacing(8);
  connect(m_summary, &ProblemSummary::clicked, this, &ExperimentEditor::goToNextProblem);
  auto* const head = new QHBoxLayout;
  head->setSpacing(16);
  head->addLayout(m_buttons);
  head->addWidget(m_summary, 1);
  m_outlineView->setModel(m_outline);
  m_outlineView->setHeaderHidden(true);
  m_outlineView->setUniformRowHeights(true);
  m_outlineView->setAccessibleName(tr("Outline of the experiment file"));
  m_outlineView->setMinimumWidth(110);
  auto* const textColumn = new QWidget;
  textColumn->setMinimumWidth(160);
  auto* const column = new QVBoxLayout(textColumn);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_stripPlace->add(m_strips);
  column->addWidget(m_text, 1);
  column->addWidget(m_stripPlace);
  column->addWidget(m_find);
  m_splitter->addWidget(m_outlineView);
  m_splitter->addWidget(m_form);
  m_splitter->addWidget(textColumn);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setStretchFactor(1, 2);
  m_splitter->setStretchFactor(2, 3);
  m_splitter->setSizes({140, 420, 600});
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addLayout(head);
  layout->addWidget(m_splitter, 1);
}

void ExperimentEditor::listen() {
  connect(m_text, &QPlainTextEdit::textChanged, this, [this] { m_checker->check(m_text->text(), nameForChecks()); });
  connect(m_text->document(), &QTextDocument::modificationChanged, this, &ExperimentEditor::titleChanged);
  connect(m_splitter, &QSplitter::splitterMoved, this, &ExperimentEditor::layoutChanged);
  connect(m_checker, &TextChecker::checked, this, &ExperimentEditor::takeProblems);
}

void ExperimentEditor::addButton(QAction* action, const QString& icon) {
  auto* const button = new shell::ActionButton(action);
  button->setIcon(QIcon::fromTheme(icon));
  if (m_buttons->count() == 0) button->setPrimary();
  m_buttons->addWidget(button);
}

QString ExperimentEditor::title() const {
  return m_file.path.isEmpty() ? tr("%1 (new)").arg(m_newName) : QFileInfo(m_file.path).fileName();
}

QString ExperimentEditor::details() const {
  return m_file.path.isEmpty() ? tr("A new experiment that no file holds yet") : QDir::toNativeSeparators(m_file.path);
}

bool ExperimentEditor::isChanged() const { return m_text->document()->isModified(); }

bool ExperimentEditor::isChecking() const { return m_checker->isPending(); }

QString ExperimentEditor::nameForChecks() const {
  return m_file.path.isEmpty() ? m_newName + QStringLiteral(".toml") : m_file.path;
}

bool ExperimentEditor::takeStrips(shell::MessageStrips& strips) {
  m_stripPlace->add(&strips);
  return true;
}

bool ExperimentEditor::mayClose() {
  finishTyping();
  if (!isChanged()) return true;
  switch (editorQuestions().closing(this, title())) {
    case EditorQuestions::Closing::Save:
      return save();
    case EditorQuestions::Closing::Discard:
      return true;
    case EditorQuestions::Closing::Cancel:
      break;
  }
  return false;
}

bool ExperimentEditor::save() {
  finishTyping();
  if (m_file.path.isEmpty()) return saveAs();
  if (isChangedOutside(m_file)) {
    tellOutsideChange(tr("Not saved."));
    return false;
  }
  return write(m_file.path);
}

/// After the experiment where that was renamed, otherwise the name that the file has.
QString ExperimentEditor::suggestedFileName() const {
  const auto nameIn = [](const QString& text) {
    const std::optional<TomlText> toml = TomlText::read(text);
    return toml ? decodedText(toml->value(QStringLiteral("name"))).value_or(QString()) : QString();
  };
  QString name = nameIn(m_text->text());
  if (!name.isEmpty() && name != nameIn(m_file.text)) {
    return name.replace(QLatin1Char('/'), QLatin1Char('-')) + QStringLiteral(".toml");
  }
  return m_file.path.isEmpty() ? m_newName + QStringLiteral(".toml") : QFileInfo(m_file.path).fileName();
}

bool ExperimentEditor::saveAs() {
  finishTyping();
  const QString name = suggestedFileName();
  const QString kind = QStringLiteral("experiment");
  const QString beside = m_file.path.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                                               : QFileInfo(m_file.path).absolutePath();
  const QString last = m_settings != nullptr ? m_settings->folder(kind) : QString();
  QString path = editorQuestions().place(this, QDir(QFileInfo(last).isDir() ? last : beside).filePath(name));
  if (path.isEmpty()) return false;
  if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".toml");
  if (!write(path)) return false;
  if (m_settings != nullptr) m_settings->setFolderOf(kind, path);
  return true;
}

bool ExperimentEditor::write(const QString& path) {
  const QStringList lost = pathsLostBetween(m_text->text(), folder(), QFileInfo(path).absolutePath());
  TextFile file = m_file;
  file.path = path;
  try {
    writeTextFile(file, m_text->text());
  } catch (const Error& error) {
    const QString sentence = models::errorText(error);
    spdlog::warn("{}", sentence.toStdString());
    m_strips
        ->show(shell::MessageStrip::Kind::Failure, tr("Not saved. %1").arg(sentence), QString::fromLatin1(kFileTopic))
        ->addWayOut(m_saveAsAction);
    return false;
  }
  m_file = file;
  m_outside.reset();
  m_watch->watch(m_file.path);
  m_checker->checkNow(m_text->text(), nameForChecks());  // relative paths lead somewhere else from another folder
  m_strips->dismiss(QString::fromLatin1(kRightsTopic));
  m_strips->dismiss(QString::fromLatin1(kFileTopic));
  m_strips->dismiss(QString::fromLatin1(kEndingsTopic));
  m_strips->dismiss(QString::fromLatin1(kPathsTopic));
  if (!lost.isEmpty()) {
    m_strips->show(
        shell::MessageStrip::Kind::Warning,
        tr("Paths are relative to the experiment file. From its new place %1 leads nowhere: change the path, "
           "or move the file, too.")
            .arg(lost.join(QStringLiteral(", "))),
        QString::fromLatin1(kPathsTopic));
  }
  m_text->document()->setModified(false);
  m_typedInto.clear();  // what is changed from now on is a step of its own: undo comes back to what was saved
  Q_EMIT titleChanged();
  Q_EMIT saved(m_file.path);
  return true;
}

void ExperimentEditor::takeProblems(const TextProblems& problems) {
  m_problems = problems;
  m_text->showProblems(problems.problems);
  m_summary->show(problems);
  showText();
  Q_EMIT problemsChanged();
}

void ExperimentEditor::goToNextProblem() {
  if (m_problems.problems.isEmpty()) return;
  const Problem* next = nullptr;
  for (const Problem& problem : m_problems.problems) {
    if (next == nullptr && problem.line > m_text->currentLine()) next = &problem;
  }
  if (next == nullptr) next = &m_problems.problems.first();
  m_text->goTo(next->line, next->column);
  m_text->setFocus();
}

QByteArray ExperimentEditor::saveLayout() const { return m_splitter->saveState(); }

void ExperimentEditor::restoreLayout(const QByteArray& layout) { m_splitter->restoreState(layout); }

void ExperimentEditor::showEvent(QShowEvent* event) {
  shell::Document::showEvent(event);
  lookForOutsideChange();
}

bool ExperimentEditor::event(QEvent* event) {
  if (event->type() == QEvent::WindowActivate && isVisible()) lookForOutsideChange();
  return shell::Document::event(event);
}

void ExperimentEditor::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && m_find->isVisible()) {
    m_find->dismiss();
    return;
  }
  shell::Document::keyPressEvent(event);
}

void ExperimentEditor::focusInEvent(QFocusEvent* event) {
  shell::Document::focusInEvent(event);
  m_text->setFocus();
}

}  // namespace mantissa::ui::editor
