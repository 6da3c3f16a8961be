// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/marker_delegate.h"

#include <QApplication>
#include <QPainter>
#include <QPen>

#include "ui/models/trial_list.h"
#include "ui/plot/plot_colors.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kMarker = 10;     // px across
constexpr int kRoom = 18;       // px that a marker takes of its cell
constexpr double kFrame = 1.8;  // px of a hollow one
constexpr int kNoMarker = -1;

}  // namespace

MarkerDelegate::MarkerDelegate(int placeRole, QObject* parent) : QStyledItemDelegate(parent), m_placeRole(placeRole) {}

void MarkerDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const int place = index.data(m_placeRole).toInt();
  QStyleOptionViewItem rest = option;
  initStyleOption(&rest, index);
  if (place == kNoMarker) {
    rest.font.setBold(true);
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &rest, painter, rest.widget);
    return;
  }
  // The ground of the whole cell first, then the text beside the marker.
  const QString text = rest.text;
  rest.text.clear();
  QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &rest, painter, rest.widget);
  const plot::PlotColors& colors = Theme::colors();
  const bool isYardstick = place == models::kYardstickPlace;
  const plot::SeriesStyle style =
      place == 0 || isYardstick ? plot::referenceStyle(colors) : plot::trialStyle(colors, place - 1);
  const QPointF center(option.rect.left() + kRoom / 2.0, option.rect.center().y() + 0.5);
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (selected) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(option.palette.base());
    painter->drawEllipse(center, kMarker * 0.8, kMarker * 0.8);
  }
  plot::drawMarker(*painter, style.marker, center, kMarker, style.color);
  // Of the reference, and hollow: not the reference itself.
  if (isYardstick) {
    plot::drawMarker(*painter, style.marker, center, kMarker - 2 * kFrame, option.palette.color(QPalette::Base));
  }
  painter->restore();

  rest.text = text;
  rest.rect.setLeft(option.rect.left() + kRoom);
  rest.backgroundBrush = Qt::NoBrush;
  const QPalette::ColorGroup group = (option.state & QStyle::State_Enabled) == 0  ? QPalette::Disabled
                                     : (option.state & QStyle::State_Active) != 0 ? QPalette::Normal
                                                                                  : QPalette::Inactive;
  painter->save();
  painter->setFont(rest.font);
  painter->setPen(option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text));
  const QString elided = rest.fontMetrics.elidedText(text, option.textElideMode, rest.rect.width() - 4);
  painter->drawText(rest.rect.adjusted(2, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft, elided);
  painter->restore();
}

QSize MarkerDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  if (index.data(m_placeRole).toInt() != kNoMarker) size.rwidth() += kRoom;
  return {size.width(), std::max(size.height(), option.fontMetrics.height() + 6)};
}

}  // namespace mantissa::ui::shell
