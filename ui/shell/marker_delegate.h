// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace mantissa::ui::shell {

/// Draws an arm's marker before its name, in its colour and shape, so that it is the same on every page. On a selected
/// row the marker gets a ring.
class MarkerDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  /// \param placeRole  the role that gives the arm's place (ui/models/trial_list.h); -1: no marker
  explicit MarkerDelegate(int placeRole, QObject* parent = nullptr);

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  int m_placeRole;
};

}  // namespace mantissa::ui::shell
