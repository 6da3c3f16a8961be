// SPDX-License-Identifier: GPL-3.0-or-later
// What an editor does about other programs that change its file.
#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/base/error.h"
#include "ui/editor/difference_view.h"
#include "ui/editor/editor_questions.h"
#include "ui/editor/experiment_editor.h"
#include "ui/editor/file_watch.h"
#include "ui/editor/text_view.h"
#include "ui/models/error_words.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::editor {
namespace {

constexpr char kFileTopic[] = "file";

}  // namespace

void ExperimentEditor::listenToDisk() {
  m_keepAction->setToolTip(tr("Keeps the text as it is here: saving it replaces what the other program wrote"));
  m_differenceAction->setToolTip(tr("Shows the lines that differ between the text here and the file"));
  m_writeAgainAction->setToolTip(tr("Writes the text into a file of the name that it had"));
  connect(m_watch, &FileWatch::changed, this, &ExperimentEditor::lookForOutsideChange);
  connect(m_reloadAction, &QAction::triggered, this, &ExperimentEditor::reload);
  connect(m_saveAsAction, &QAction::triggered, this, &ExperimentEditor::saveAs);
  connect(m_keepAction, &QAction::triggered, this, &ExperimentEditor::keepMine);
  connect(m_differenceAction, &QAction::triggered, this, &ExperimentEditor::showDifference);
  connect(m_writeAgainAction, &QAction::triggered, this, [this] {
    if (isThere()) {
      save();  // it came back meanwhile, perhaps as another one
    } else {
      write(m_file.path);
    }
  });
  connect(m_overwriteAction, &QAction::triggered, this, [this] {
    if (editorQuestions().overwriting(this, title())) write(m_file.path);
  });
}

bool ExperimentEditor::isThere() const { return QFileInfo::exists(m_file.path); }

QByteArray ExperimentEditor::bytesOnDisk() const {
  QFile file(m_file.path);
  return QFileInfo(m_file.path).isFile() && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void ExperimentEditor::lookForOutsideChange() {
  if (m_file.path.isEmpty()) return;
  if (!isChangedOutside(m_file)) {
    if (!m_outside) return;
    // As it was again: nothing is left to tell.
    m_outside.reset();
    m_strips->dismiss(QString::fromLatin1(kFileTopic));
    if (bytesOf(m_file, m_text->text()) == m_file.bytes) m_text->document()->setModified(false);
    return;
  }
  const QByteArray bytes = bytesOnDisk();
  if (isThere() && bytes == bytesOf(m_file, m_text->text())) {
    // The other program wrote what stands here.
    m_file.bytes = bytes;
    m_outside.reset();
    m_strips->dismiss(QString::fromLatin1(kFileTopic));
    m_text->document()->setModified(false);
    return;
  }
  if (m_outside != outside()) tellOutsideChange({});  // told once
}

QByteArray ExperimentEditor::outside() const { return isThere() ? '+' + bytesOnDisk() : QByteArray("-"); }

void ExperimentEditor::tellOutsideChange(const QString& refusal) {
  m_outside = outside();
  const QString name = QFileInfo(m_file.path).fileName();
  const auto kind = refusal.isEmpty() ? shell::MessageStrip::Kind::Warning : shell::MessageStrip::Kind::Failure;
  const QString before = refusal.isEmpty() ? QString() : refusal + QLatin1Char(' ');
  if (!isThere()) {
    shell::MessageStrip* const strip = m_strips->show(
        kind, before + tr("%1 is gone: another program has deleted or renamed it. Its text is kept here.").arg(name),
        QString::fromLatin1(kFileTopic));
    strip->addWayOut(m_saveAsAction);
    strip->addWayOut(m_writeAgainAction);
    markAsChanged();
    return;
  }
  const QString words = isChanged() ? tr("Another program has changed %1 since it was read here, and changes here are "
                                         "not saved.")
                                    : tr("Another program has changed %1 since it was read here.");
  shell::MessageStrip* const strip = m_strips->show(kind, before + words.arg(name), QString::fromLatin1(kFileTopic));
  if (refusal.isEmpty()) {
    strip->addWayOut(m_keepAction);
  } else {
    strip->addWayOut(m_saveAsAction);
    strip->addWayOut(m_overwriteAction);
  }
  strip->addWayOut(m_differenceAction);
  strip->addWayOut(m_reloadAction);
}

bool ExperimentEditor::isWhatTheFileHolds() {
  finishTyping();
  if (m_file.path.isEmpty() || isChanged()) return false;
  lookForOutsideChange();
  if (!isChangedOutside(m_file)) return true;
  tellOutsideChange(tr("Not run: the file holds something else than what stands here."));
  return false;
}

void ExperimentEditor::markAsChanged() {
  // Also where it is changed already: no step of undo leads to what a file holds.
  m_text->document()->setModified(false);
  m_text->document()->setModified(true);
}

void ExperimentEditor::keepMine() {
  if (!isThere()) {
    lookForOutsideChange();
    return;
  }
  m_file.bytes = bytesOnDisk();
  m_outside.reset();
  m_strips->dismiss(QString::fromLatin1(kFileTopic));
  markAsChanged();
}

void ExperimentEditor::showDifference() {
  try {
    const TextFile theirs = readTextFile(m_file.path);
    auto* const view = new DifferenceView(title(), m_text->text(), theirs.text, {m_reloadAction, m_keepAction}, this);
    view->show();
  } catch (const Error& error) {
    m_strips->show(shell::MessageStrip::Kind::Failure, models::errorText(error), QString::fromLatin1(kFileTopic))
        ->addWayOut(m_saveAsAction);
  }
}

void ExperimentEditor::reload() {
  if (m_file.path.isEmpty() || (isChanged() && !editorQuestions().givingUp(this, title()))) return;
  TextFile file;
  try {
    file = readTextFile(m_file.path);
  } catch (const Error& error) {
    shell::MessageStrip* const strip =
        m_strips->show(shell::MessageStrip::Kind::Failure, models::errorText(error), QString::fromLatin1(kFileTopic));
    strip->addWayOut(m_saveAsAction);
    if (!isThere()) markAsChanged();
    return;
  }
  m_file = file;
  m_outside.reset();
  m_typedInto.clear();
  m_strips->dismiss(QString::fromLatin1(kFileTopic));
  m_text->replace(m_file.text);  // one step: undo gives back what stood here
  m_text->document()->setModified(false);
  showChangedText();
  tellOfFile();
  Q_EMIT titleChanged();
}

}  // namespace mantissa::ui::editor
