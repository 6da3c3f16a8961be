// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

class QLabel;

namespace mantissa::ui::shell {

/// A sentence, its ways out and a button that dismisses it: the ways out beside the sentence where it keeps the room to
/// be read, below it otherwise, in as many rows as they need.
class StripLayout : public QLayout {
 public:
  explicit StripLayout(QWidget* parent);
  ~StripLayout() override;

  /// Each of them once.
  void setSentence(QLabel* label);
  void setDismiss(QWidget* button);
  /// Left of those before it.
  void addWayOut(QWidget* button);

  void addItem(QLayoutItem* item) override;  ///< another way out
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
  QList<QLayoutItem*> items() const;
  /// \param place  whether to put the items there, or only to measure. \return the height that they need
  int arrange(const QRect& rect, bool place) const;
  void put(QLayoutItem* item, const QRect& within, const QRect& where, bool place) const;
  bool fitsBeside(int left) const;

  QLayoutItem* m_sentence = nullptr;
  QLayoutItem* m_dismiss = nullptr;
  QList<QLayoutItem*> m_waysOut;  ///< left to right
};

}  // namespace mantissa::ui::shell
