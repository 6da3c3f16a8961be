// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/elided_label.h"

#include <QApplication>
#include <QFontMetrics>
#include <QPainter>

namespace mantissa::ui::shell {

QString shortName(const QString& name, const QFontMetrics& metrics, int width) {
  return metrics.elidedText(name, Qt::ElideMiddle, width);
}

QString withShortWords(const QString& text, const QFontMetrics& metrics, int width) {
  QStringList lines = text.split(u'\n');
  for (QString& line : lines) {
    QStringList words = line.split(u' ');
    for (QString& word : words) word = shortName(word, metrics, width);
    line = words.join(u' ');
  }
  return lines.join(u'\n');
}

QString inLinesOfABox(const QString& sentence) {
  constexpr int kLine = 440;  // px
  return withShortWords(sentence, QFontMetrics(QApplication::font()), kLine);
}

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) { setTextFormat(Qt::PlainText); }

void ElidedLabel::setShorter(const QStringList& shorter) {
  m_shorter = shorter;
  m_cuts = false;
  update();
}

void ElidedLabel::setShorterOrCut(const QStringList& shorter) {
  m_shorter = shorter;
  m_cuts = true;
  update();
}

void ElidedLabel::setMode(Qt::TextElideMode mode) {
  m_mode = mode;
  update();
}

QString ElidedLabel::shownText() const {
  const int room = contentsRect().width();
  if (m_shorter.isEmpty()) return fontMetrics().elidedText(text(), m_mode, room);
  for (const QString& words : QStringList{text()} + m_shorter) {
    if (fontMetrics().horizontalAdvance(words) <= room) return words;
  }
  return m_cuts ? fontMetrics().elidedText(m_shorter.last(), Qt::ElideRight, room) : QString();
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  painter.drawText(contentsRect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shownText());
}

}  // namespace mantissa::ui::shell
