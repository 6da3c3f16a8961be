// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/text_view.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

#include "ui/editor/toml_highlighter.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

constexpr qsizetype kMostMarks = 1000;  // of matches: more in a text are counted, not marked

/// Qt joins what is typed right behind a programmed change to that change's step of undo, but never to a change of
/// format: a format that shows nothing ends the step.
void closeStep(QTextCursor& cursor, int position, int length) {
  const int end = position + length;
  const bool isAtBegin = length == 0 && position == 0;
  cursor.setPosition(length > 0 ? position : qMax(0, position - 1));
  if (isAtBegin) {
    cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
  } else {
    cursor.setPosition(end, QTextCursor::KeepAnchor);
  }
  QTextCharFormat other;
  other.setProperty(QTextFormat::UserProperty, 1 - cursor.charFormat().intProperty(QTextFormat::UserProperty));
  cursor.mergeCharFormat(other);
}

}  // namespace

/// The column left of the text.
class LineNumbers : public QWidget {
 public:
  explicit LineNumbers(TextView* text) : QWidget(text), m_text(text) {}
  QSize sizeHint() const override { return {m_text->numbersWidth(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override { m_text->paintNumbers(event); }

 private:
  TextView* m_text;
};

TextView::TextView(QWidget* parent) : QPlainTextEdit(parent), m_numbers(new LineNumbers(this)) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setStyleHint(QFont::Monospace);
  setFont(font);
  setLineWrapMode(NoWrap);
  setTabChangesFocus(true);  // TOML needs no tabs, the keyboard needs a way out
  setAccessibleName(tr("Text of the experiment file"));
  new TomlHighlighter(document());
  connect(this, &QPlainTextEdit::blockCountChanged, this, &TextView::layoutNumbers);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
    if (dy != 0) {
      m_numbers->scroll(0, dy);
    } else {
      m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
    }
  });
  connect(this, &QPlainTextEdit::cursorPositionChanged, this, &TextView::markLines);
  if (shell::Theme::current() != nullptr) {
    connect(shell::Theme::current(), &shell::Theme::changed, this, &TextView::markLines);
  }
  layoutNumbers();
  markLines();
}

void TextView::load(const QString& text) {
  setPlainText(text);
  document()->setModified(false);
}

QString TextView::text() const {
  QString text = document()->toRawText();
  text.replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
  return text;
}

void TextView::edit(int position, int removed, const QString& inserted, bool joinsBefore) {
  QTextCursor cursor(document());
  if (joinsBefore) {
    cursor.joinPreviousEditBlock();
  } else {
    cursor.beginEditBlock();
  }
  cursor.setPosition(position);
  cursor.setPosition(position + removed, QTextCursor::KeepAnchor);
  cursor.insertText(inserted);
  closeStep(cursor, position, static_cast<int>(inserted.size()));
  cursor.endEditBlock();
}

void TextView::replace(const QString& text) {
  const QString before = this->text();
  if (before == text) return;
  const auto most = std::min(before.size(), text.size());
  qsizetype begin = 0;
  while (begin < most && before[begin] == text[begin]) ++begin;
  qsizetype same = 0;  // at the end
  while (same < most - begin && before[before.size() - 1 - same] == text[text.size() - 1 - same]) ++same;
  edit(static_cast<int>(begin), static_cast<int>(before.size() - begin - same),
       text.mid(begin, text.size() - begin - same));
}

void TextView::showMatches(const QVector<int>& begins, int length) {
  m_matches = begins;
  m_matchLength = length;
  markLines();
}

void TextView::select(int begin, int length) {
  QTextCursor cursor(document());
  cursor.setPosition(begin);
  cursor.setPosition(begin + length, QTextCursor::KeepAnchor);
  setTextCursor(cursor);
  if (!viewport()->rect().contains(cursorRect())) centerCursor();
}

void TextView::showProblems(const QVector<Problem>& problems) {
  m_problems = problems;
  markLines();
  m_numbers->update();
}

QString TextView::problemAt(int line) const {
  QStringList words;
  for (const Problem& problem : m_problems) {
    if (problem.line == line) words << problem.sentence();
  }
  return words.join(QLatin1Char('\n'));
}

void TextView::goTo(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + qBound(0, column - 1, block.length() - 1));
  setTextCursor(cursor);
  centerCursor();
}

int TextView::currentLine() const { return textCursor().blockNumber() + 1; }

void TextView::markLines() {
  QList<QTextEdit::ExtraSelection> marks;
  QTextEdit::ExtraSelection current;
  current.format.setBackground(palette().color(QPalette::AlternateBase));
  current.format.setProperty(QTextFormat::FullWidthSelection, true);
  current.cursor = textCursor();
  current.cursor.clearSelection();
  marks << current;
  for (const Problem& problem : m_problems) {
    const QTextBlock block = document()->findBlockByNumber(problem.line - 1);
    if (!block.isValid() || problem.line < 1) continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(block);
    mark.cursor.setPosition(block.position() + qBound(0, problem.column - 1, block.length() - 1));
    mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(shell::Theme::colors().bad);
    marks << mark;
  }
  QColor ground = shell::Theme::colors().warn;
  ground.setAlphaF(0.3F);
  const int length = document()->characterCount() - 1;
  for (qsizetype i = 0; i < std::min<qsizetype>(m_matches.size(), kMostMarks); ++i) {
    if (m_matches[i] + m_matchLength > length) break;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(document());
    mark.cursor.setPosition(m_matches[i]);
    mark.cursor.setPosition(m_matches[i] + m_matchLength, QTextCursor::KeepAnchor);
    mark.format.setBackground(ground);
    marks << mark;
  }
  setExtraSelections(marks);
}

int TextView::numbersWidth() const {
  const int digits = static_cast<int>(QString::number(qMax(99, blockCount())).size());
  return fontMetrics().horizontalAdvance(QLatin1Char('0')) * (digits + 2) + 4;
}

void TextView::layoutNumbers() {
  setViewportMargins(numbersWidth(), 0, 0, 0);
  const QRect inside = contentsRect();
  m_numbers->setGeometry(inside.left(), inside.top(), numbersWidth(), inside.height());
}

void TextView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  layoutNumbers();
}

void TextView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::FontChange) layoutNumbers();
  if (event->type() == QEvent::PaletteChange) markLines();
}

void TextView::paintNumbers(QPaintEvent* event) {
  QPainter painter(m_numbers);
  painter.fillRect(event->rect(), palette().color(QPalette::AlternateBase));
  QTextBlock block = firstVisibleBlock();
  double top = blockBoundingGeometry(block).translated(contentOffset()).top();
  const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
  while (block.isValid() && top <= event->rect().bottom()) {
    const double height = blockBoundingRect(block).height();
    const int line = block.blockNumber() + 1;
    const bool isMarked = !problemAt(line).isEmpty();
    const QRectF place(0, top, m_numbers->width() - digit / 2.0, height);
    painter.setPen(isMarked ? shell::Theme::colors().bad : palette().color(QPalette::PlaceholderText));
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
    if (isMarked) painter.drawText(place.adjusted(2, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("✕"));
    top += height;
    block = block.next();
  }
}

bool TextView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* const help = static_cast<QHelpEvent*>(event);
    const QPoint inText = viewport()->mapFrom(this, QPoint(qMax(help->pos().x(), numbersWidth()), help->pos().y()));
    const QString words = problemAt(cursorForPosition(inText).blockNumber() + 1);
    if (words.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(help->globalPos(), words, this);
    }
    return true;
  }
  return QPlainTextEdit::event(event);
}

}  // namespace mantissa::ui::editor
