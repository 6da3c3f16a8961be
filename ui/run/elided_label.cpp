// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/elided_label.h"

#include <QPainter>

namespace mantissa::ui::run {

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

QString ElidedLabel::shownText() const {
  const int room = contentsRect().width();
  if (m_shorter.isEmpty()) return fontMetrics().elidedText(text(), Qt::ElideRight, room);
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

}  // namespace mantissa::ui::run
