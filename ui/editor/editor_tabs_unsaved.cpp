// SPDX-License-Identifier: GPL-3.0-or-later
// What the editors of a window keep for the case that it ends without asking, and offer at the next start.
#include <QAction>
#include <QFileInfo>
#include <QLocale>

#include "ui/editor/editor_tabs.h"
#include "ui/editor/experiment_editor.h"
#include "ui/editor/paths_in_text.h"
#include "ui/editor/unsaved_copy.h"
#include "ui/editor/unsaved_texts.h"
#include "ui/shell/main_window.h"
#include "ui/shell/message_strip.h"

namespace mantissa::ui::editor {

void EditorTabs::useUnsavedTexts(const QString& folder) {
  m_unsavedTexts = std::make_shared<UnsavedTexts>(folder);
  connect(&m_window, &shell::MainWindow::closingUnasked, this, [this] {
    for (UnsavedCopy* const copy : m_window.findChildren<UnsavedCopy*>()) {
      copy->keepNow();
      copy->setOutlives();
    }
  });
  connect(&m_window, &shell::MainWindow::closed, this, [this] {
    // A process that ends at once destroys nothing; what is not saved was given up by its person.
    for (UnsavedCopy* const copy : m_window.findChildren<UnsavedCopy*>()) {
      if (!copy->outlives()) copy->forget();
    }
  });
}

void EditorTabs::offerUnsaved(const QString& file) {
  if (!m_unsavedTexts) return;
  for (const UnsavedText& one : m_unsavedTexts->left()) {
    if (!file.isEmpty() && QFileInfo(file) != QFileInfo(one.file)) continue;
    const OnDisk found = one.file.isEmpty() ? OnDisk() : onDisk(one.file);
    const bool isThere = found.kind == OnDisk::Kind::Bytes;
    TextFile asRead;
    if (isThere) asRead = formOf(found.bytes);
    if (isThere && found.bytes == bytesOf(asRead, one.text)) {
      m_unsavedTexts->forget(one.copy);  // it was saved after all
      continue;
    }
    const QString name = one.file.isEmpty() ? tr("%1 (new)").arg(one.name) : QFileInfo(one.file).fileName();
    QString words = tr("Text of %1 that was not saved when Mantissa ended is kept, as it was on %2.")
                        .arg(name, QLocale().toString(one.when.toLocalTime(), QLocale::ShortFormat));
    if (!one.file.isEmpty() && !isThere) words += QLatin1Char(' ') + tr("The file cannot be read now.");
    if (isThere && UnsavedTexts::printOf(found.bytes) != one.print) {
      words += QLatin1Char(' ') + tr("The file has been changed since.");
    }
    const QString topic = QStringLiteral("unsaved ") + one.copy;
    shell::MessageStrip* const strip = m_window.strips()->show(shell::MessageStrip::Kind::Warning, words, topic);
    auto* const restore = new QAction(tr("Restore"), strip);
    restore->setToolTip(tr("Puts the text into an editor; nothing is written into the file before it is saved"));
    auto* const discard = new QAction(tr("Discard"), strip);
    discard->setToolTip(tr("Forgets the text"));
    connect(restore, &QAction::triggered, this, [this, one, topic] {
      restoreUnsaved(one);
      m_window.strips()->dismiss(topic);
    });
    connect(discard, &QAction::triggered, this, [this, one, topic] {
      m_unsavedTexts->forget(one.copy);
      m_window.strips()->dismiss(topic);
    });
    strip->addWayOut(discard);
    strip->addWayOut(restore);
  }
}

void EditorTabs::restoreUnsaved(const UnsavedText& text) {
  ExperimentEditor* editor = nullptr;
  QString words = text.text;
  if (!text.file.isEmpty() && onDisk(text.file).kind == OnDisk::Kind::Bytes) {
    openFile(text.file);
    editor = editorOf(text.file);
  }
  if (editor == nullptr) {
    const QFileInfo info(text.file);
    if (!text.file.isEmpty()) words = withAbsolutePaths(words, info.absolutePath());
    editor = open(text.file.isEmpty() ? text.name : info.completeBaseName(), words);
  }
  editor->takeUnsaved(words);
  if (auto* const copy = editor->findChild<UnsavedCopy*>()) copy->keepNow();  // before the other one goes
  m_unsavedTexts->forget(text.copy);
}

}  // namespace mantissa::ui::editor
