// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/shape_icon.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPixmap>

#include <algorithm>

namespace mantissa::ui::shell {
namespace {

/// In a square from 0 to 1.
QPainterPath pathOf(IconShape shape) {
  QPainterPath path;
  const auto triangle = [&path](double left, double right) {
    path.addPolygon(QPolygonF({{left, 0.12}, {right, 0.5}, {left, 0.88}}));
    path.closeSubpath();
  };
  switch (shape) {
    case IconShape::Play:
      triangle(0.2, 0.9);
      break;
    case IconShape::Pause:
      path.addRect(0.2, 0.12, 0.2, 0.76);
      path.addRect(0.6, 0.12, 0.2, 0.76);
      break;
    case IconShape::Stop:
      path.addRect(0.15, 0.15, 0.7, 0.7);
      break;
    case IconShape::Step:
      triangle(0.15, 0.7);
      path.addRect(0.72, 0.12, 0.14, 0.76);
      break;
  }
  return path;
}

class ShapeIconEngine : public QIconEngine {
 public:
  explicit ShapeIconEngine(IconShape shape) : m_shape(shape) {}

  QIconEngine* clone() const override { return new ShapeIconEngine(m_shape); }

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State /*state*/) override {
    const QPalette palette = QGuiApplication::palette();
    const QPalette::ColorGroup group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    const int side = std::min(rect.width(), rect.height());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.center().x() + 1 - side / 2.0, rect.center().y() + 1 - side / 2.0);
    painter->scale(side, side);
    painter->fillPath(pathOf(m_shape), palette.color(group, QPalette::ButtonText));
    painter->restore();
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap picture(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return picture;
  }

 private:
  IconShape m_shape;
};

}  // namespace

QIcon shapeIcon(IconShape shape) { return QIcon(new ShapeIconEngine(shape)); }

}  // namespace mantissa::ui::shell
