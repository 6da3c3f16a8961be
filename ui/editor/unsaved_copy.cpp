// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/unsaved_copy.h"

#include <utility>

#include "ui/editor/experiment_editor.h"
#include "ui/editor/text_view.h"
#include "ui/editor/unsaved_texts.h"

namespace mantissa::ui::editor {

UnsavedCopy::UnsavedCopy(ExperimentEditor& editor, std::shared_ptr<UnsavedTexts> texts)
    : QObject(&editor), m_editor(editor), m_texts(std::move(texts)), m_copy(m_texts->newCopy()) {
  m_pause.setSingleShot(true);
  m_pause.setInterval(kPause);
  connect(&m_pause, &QTimer::timeout, this, &UnsavedCopy::keepNow);
  connect(editor.text(), &QPlainTextEdit::textChanged, this, &UnsavedCopy::follow);
  connect(&editor, &ExperimentEditor::titleChanged, this, &UnsavedCopy::follow);
}

UnsavedCopy::~UnsavedCopy() {
  if (!m_outlives) forget();
}

void UnsavedCopy::follow() {
  if (!m_editor.isChanged()) {
    forget();
  } else if (!m_pause.isActive()) {
    m_pause.start();
  }
}

void UnsavedCopy::keepNow() {
  m_pause.stop();
  if (!m_editor.isChanged()) return;
  UnsavedText text = m_editor.unsavedText();
  text.copy = m_copy;
  text.when = QDateTime::currentDateTime();
  m_texts->keep(text);
  m_isKept = true;
}

void UnsavedCopy::forget() {
  m_pause.stop();
  if (std::exchange(m_isKept, false)) m_texts->forget(m_copy);
}

}  // namespace mantissa::ui::editor
