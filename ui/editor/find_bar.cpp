// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

#include "ui/editor/text_view.h"
#include "ui/measured_text.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {

FindBar::FindBar(TextView* text, QWidget* parent)
    : QWidget(parent), m_text(text), m_words(new QLineEdit), m_count(new QLabel), m_case(new QToolButton) {
  setObjectName(QStringLiteral("find"));
  m_words->setPlaceholderText(tr("Find in the text"));
  m_words->setAccessibleName(tr("Find in the text"));
  m_words->setClearButtonEnabled(true);
  m_words->setMinimumWidth(64);
  m_count->setAccessibleName(tr("Matches"));
  m_count->setTextFormat(Qt::PlainText);
  m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(tr("%1 of %2").arg(99).arg(999)));
  m_case->setText(QStringLiteral("Aa"));
  m_case->setCheckable(true);
  m_case->setAutoRaise(true);
  m_case->setAccessibleName(tr("Match capitals"));
  m_case->setToolTip(tr("Tells capitals from small letters"));
  const auto button = [this](const QString& sign, const QString& name, const QString& help, void (FindBar::*run)()) {
    auto* const made = new QToolButton;
    made->setText(sign);
    made->setAutoRaise(true);
    made->setAccessibleName(name);
    made->setToolTip(help);
    connect(made, &QToolButton::clicked, this, run);
    return made;
  };
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(m_words, 1);
  layout->addWidget(m_count);
  layout->addWidget(m_case);
  layout->addWidget(
      button(QStringLiteral("↑"), tr("Previous match"), tr("Previous match (Shift+F3)"), &FindBar::goToPrevious));
  layout->addWidget(button(QStringLiteral("↓"), tr("Next match"), tr("Next match (F3)"), &FindBar::goToNext));
  layout->addWidget(
      button(QStringLiteral("✕"), tr("Close the search"), tr("Close the search (Esc)"), &FindBar::dismiss));
  connect(m_words, &QLineEdit::textEdited, this, [this] {
    look();
    if (!m_matches.isEmpty()) selectFirstFrom(m_anchor);
  });
  connect(m_case, &QToolButton::toggled, this, &FindBar::look);
  connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
    if (isVisible()) look();
  });
  connect(m_text, &QPlainTextEdit::cursorPositionChanged, this, [this] {
    if (isVisible()) tell();
  });
  hide();
}

void FindBar::open() {
  const QString selected = m_text->textCursor().selectedText();
  if (!selected.isEmpty() && !selected.contains(QChar::ParagraphSeparator)) m_words->setText(selected);
  m_anchor = m_text->textCursor().selectionStart();
  show();
  m_words->setFocus(Qt::ShortcutFocusReason);
  m_words->selectAll();
  look();
}

void FindBar::dismiss() {
  hide();
  m_text->showMatches({}, 0);
  m_text->setFocus();
}

void FindBar::look() {
  m_matches.clear();
  const QString words = m_words->text();
  if (!words.isEmpty()) {
    const QString text = m_text->text();
    const Qt::CaseSensitivity capitals = m_case->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
    for (qsizetype at = text.indexOf(words, 0, capitals); at >= 0;
         at = text.indexOf(words, at + words.size(), capitals)) {
      m_matches << static_cast<int>(at);
    }
  }
  m_text->showMatches(m_matches, static_cast<int>(words.size()));
  tell();
}

int FindBar::matchAtCursor() const {
  const QTextCursor cursor = m_text->textCursor();
  if (cursor.selectionEnd() - cursor.selectionStart() != m_words->text().size()) return -1;
  return static_cast<int>(m_matches.indexOf(cursor.selectionStart()));
}

QString FindBar::countWords() const { return m_count->text(); }

void FindBar::tell() {
  const int current = matchAtCursor();
  const auto count = m_matches.size();
  QString words;
  if (!m_words->text().isEmpty()) {
    words = count == 0     ? tr("no match")
            : current >= 0 ? tr("%1 of %2").arg(wholeText(current + 1), wholeText(count))
            : count == 1   ? tr("1 match")
                           : tr("%1 matches").arg(wholeText(count));
  }
  m_count->setText(words);
  QPalette palette = m_count->palette();
  const bool isMissing = count == 0 && !m_words->text().isEmpty();
  palette.setColor(QPalette::WindowText,
                   isMissing ? shell::Theme::colors().bad : this->palette().color(QPalette::WindowText));
  m_count->setPalette(palette);
}

void FindBar::select(int match) {
  m_text->select(m_matches[match], static_cast<int>(m_words->text().size()));
  tell();
}

void FindBar::selectFirstFrom(int position) {
  const auto first = std::lower_bound(m_matches.begin(), m_matches.end(), position);
  select(first == m_matches.end() ? 0 : static_cast<int>(first - m_matches.begin()));
}

bool FindBar::findAgain() {
  if (m_words->text().isEmpty()) {
    open();
    return false;
  }
  show();
  look();
  return !m_matches.isEmpty();
}

void FindBar::goToNext() {
  if (!findAgain()) return;
  const QTextCursor cursor = m_text->textCursor();
  selectFirstFrom(matchAtCursor() >= 0 ? cursor.selectionStart() + 1 : cursor.position());
}

void FindBar::goToPrevious() {
  if (!findAgain()) return;
  const auto here = std::lower_bound(m_matches.begin(), m_matches.end(), m_text->textCursor().selectionStart());
  select(static_cast<int>(here == m_matches.begin() ? m_matches.size() - 1 : here - m_matches.begin() - 1));
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
      goToPrevious();
    } else {
      goToNext();
    }
    return;
  }
  QWidget::keyPressEvent(event);  // Escape goes up to the editor
}

}  // namespace mantissa::ui::editor
