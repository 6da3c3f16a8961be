// SPDX-License-Identifier: GPL-3.0-or-later
// What an editor does about other programs that change its file.
#include <QAction>
#include <QDir>
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

/// Told apart from every other way that the file could be; of one that is too large to be read it is enough that it is.
QByteArray identityOf(const OnDisk& found) {
  return QByteArray::number(static_cast<int>(found.kind)) + ':' + found.bytes;
}

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
  const OnDisk found = onDisk(m_file.path);
  if (found.kind == OnDisk::Kind::Bytes && found.bytes == bytesOf(m_file, m_text->text())) {
    // The other program wrote what stands here.
    m_file.bytes = found.bytes;
    m_outside.reset();
    m_strips->dismiss(QString::fromLatin1(kFileTopic));
    m_text->document()->setModified(false);
    return;
  }
  if (m_outside != identityOf(found)) tellOutsideChange({});  // told once
}

QString ExperimentEditor::outsideWords(OnDisk::Kind kind) const {
  switch (kind) {
    case OnDisk::Kind::Nothing:
      return tr("%1 is gone: another program has deleted or renamed it. Its text is kept here.");
    case OnDisk::Kind::Folder:
      return tr("%1 is a folder now: another program has put it in the place of the file. Its text is kept here.");
    case OnDisk::Kind::TooLarge:
      return isChanged() ? tr("Another program has changed %1 since it was read here: it is larger than 1 MiB now, too "
                              "large to be read. Changes here are not saved.")
                         : tr("Another program has changed %1 since it was read here: it is larger than 1 MiB now, too "
                              "large to be read. Its text is kept here.");
    case OnDisk::Kind::Unreadable:
      return tr(
          "%1 cannot be read any more: another program has changed it or its permissions. Its text is kept "
          "here.");
    case OnDisk::Kind::Bytes:
      break;
  }
  return isChanged() ? tr("Another program has changed %1 since it was read here, and changes here are not saved.")
                     : tr("Another program has changed %1 since it was read here.");
}

void ExperimentEditor::tellOutsideChange(const QString& refusal) {
  const OnDisk found = onDisk(m_file.path);
  m_outside = identityOf(found);
  const auto kind = refusal.isEmpty() ? shell::MessageStrip::Kind::Warning : shell::MessageStrip::Kind::Failure;
  const QString before = refusal.isEmpty() ? QString() : refusal + QLatin1Char(' ');
  shell::MessageStrip* const strip = m_strips->show(
      kind, before + outsideWords(found.kind).arg(QFileInfo(m_file.path).fileName()), QString::fromLatin1(kFileTopic));
  const bool isText = found.kind == OnDisk::Kind::Bytes;
  if (!isText || !refusal.isEmpty()) strip->addWayOut(m_saveAsAction);
  switch (found.kind) {
    case OnDisk::Kind::Nothing:
      strip->addWayOut(m_writeAgainAction);
      break;
    case OnDisk::Kind::Folder:
      break;
    case OnDisk::Kind::TooLarge:
    case OnDisk::Kind::Unreadable:
      strip->addWayOut(m_overwriteAction);
      break;
    case OnDisk::Kind::Bytes:
      strip->addWayOut(refusal.isEmpty() ? m_keepAction : m_overwriteAction);
      strip->addWayOut(m_differenceAction);
      strip->addWayOut(m_reloadAction);
      break;
  }
  if (!isText) markAsChanged();  // what stands here stands nowhere else
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
  const OnDisk found = onDisk(m_file.path);
  if (found.kind != OnDisk::Kind::Bytes) {
    tellOutsideChange({});
    return;
  }
  m_file.bytes = found.bytes;
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

UnsavedText ExperimentEditor::unsavedText() const {
  UnsavedText unsaved;
  if (!m_file.path.isEmpty()) unsaved.file = QFileInfo(m_file.path).absoluteFilePath();
  unsaved.name = m_newName;
  unsaved.print = UnsavedTexts::printOf(m_file.bytes);
  unsaved.text = m_text->text();
  return unsaved;
}

void ExperimentEditor::takeUnsaved(const QString& text) {
  m_typedInto.clear();
  m_text->replace(text);
  markAsChanged();
  showChangedText();
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
    if (onDisk(m_file.path).kind != OnDisk::Kind::Bytes) markAsChanged();
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
