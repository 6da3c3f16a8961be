// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

namespace mantissa::ui::shell {

/// Items in a row, and in further rows where one has no room for all of them: long words of another language then cost
/// height, not the width of the window.
class FlowLayout : public QLayout {
 public:
  explicit FlowLayout(QWidget* parent = nullptr);
  ~FlowLayout() override;

  /// Rows are filled: every item has its least width and an equal part of what is left.
  void setFilling(bool filling);

  /// A widget that stands on the right of the last row if there is room, and is not there otherwise.
  void addOptional(QWidget* widget);
  void moveToFront(const QWidget* widget);

  void addItem(QLayoutItem* item) override;
  int count() const override;
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(const QRect& rect) override;

 private:
  /// \return the height that all rows take
  int arrange(const QRect& rect, bool place) const;
  void placeRow(const QList<QLayoutItem*>& row, const QRect& rect) const;
  QList<QLayoutItem*> shownItems() const;

  QList<QLayoutItem*> m_items;
  QWidget* m_optional = nullptr;
  bool m_filling = false;
};

}  // namespace mantissa::ui::shell
