// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/toml_highlighter.h"

#include <QApplication>
#include <QPalette>
#include <QTextCharFormat>

#include <algorithm>

#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

/// What a line begins in; the state of the block before it.
enum State { Plain = -1, InBasicText = 1, InLiteralText = 2 };

bool isBareEnd(QChar c) {
  return c.isSpace() || c == QLatin1Char(',') || c == QLatin1Char(']') || c == QLatin1Char('}') ||
         c == QLatin1Char('#');
}

QTextCharFormat colour(const QColor& color, bool bold = false) {
  QTextCharFormat format;
  format.setForeground(color);
  if (bold) format.setFontWeight(QFont::Bold);
  return format;
}

}  // namespace

TomlHighlighter::TomlHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {
  if (shell::Theme::current() != nullptr) {
    connect(shell::Theme::current(), &shell::Theme::changed, this, &QSyntaxHighlighter::rehighlight);
  }
}

void TomlHighlighter::highlightBlock(const QString& line) {
  const plot::PlotColors& colors = shell::Theme::colors();
  const QTextCharFormat table = colour(colors.reference, true);
  const QTextCharFormat comment = colour(QApplication::palette().color(QPalette::PlaceholderText));
  const QTextCharFormat text = colour(colors.good);
  const QTextCharFormat number = colour(colors.undecided);
  setCurrentBlockState(Plain);

  int i = 0;
  const int length = static_cast<int>(line.size());
  // From `i` to the end of a text that began with `quote` (three of them: it goes on over lines).
  const auto takeText = [&](int begin, QChar quote, bool severalLines) {
    const bool escapes = quote == QLatin1Char('"');
    const QString end(severalLines ? 3 : 1, quote);
    while (i < length && !QStringView(line).mid(i).startsWith(end))
      i += escapes && line[i] == QLatin1Char('\\') ? 2 : 1;
    if (i >= length && severalLines) setCurrentBlockState(escapes ? InBasicText : InLiteralText);
    i = std::min(length, i + static_cast<int>(end.size()));
    setFormat(begin, i - begin, text);
  };

  if (previousBlockState() == InBasicText) takeText(0, QLatin1Char('"'), true);
  if (previousBlockState() == InLiteralText) takeText(0, QLatin1Char('\''), true);

  const bool isHeader = i == 0 && line.trimmed().startsWith(QLatin1Char('['));
  bool isValue = false;
  while (i < length) {
    const QChar c = line[i];
    if (c == QLatin1Char('#')) {
      setFormat(i, length - i, comment);
      return;
    }
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
      const int begin = i;
      const bool severalLines = QStringView(line).mid(i).startsWith(QString(3, c));
      i += severalLines ? 3 : 1;
      takeText(begin, c, severalLines);
      continue;
    }
    if (c == QLatin1Char('=')) isValue = true;
    if (c.isDigit() || c == QLatin1Char('+') || c == QLatin1Char('-') || c.isLetter()) {
      const int begin = i;
      while (i < length && !isBareEnd(line[i]) && line[i] != QLatin1Char('=')) ++i;
      const QStringView word = QStringView(line).mid(begin, i - begin);
      const bool isWord = word == QLatin1String("true") || word == QLatin1String("false") ||
                          word.endsWith(QLatin1String("nan")) || word.endsWith(QLatin1String("inf"));
      if (isValue && (isWord || !word[0].isLetter())) setFormat(begin, i - begin, number);
      if (isHeader) setFormat(begin, i - begin, table);
      continue;
    }
    if (isHeader && !isValue) setFormat(i, 1, table);
    ++i;
  }
}

}  // namespace mantissa::ui::editor
