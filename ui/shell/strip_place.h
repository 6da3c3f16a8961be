// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace mantissa::ui::shell {

class MessageStrips;

/// Where message strips stand: at the foot of something that scrolls, whose lower end gives them the room. So a strip
/// that comes or goes moves nothing under the mouse, and what it covers can be scrolled to.
///
/// It takes no room while there is no strip, at most half of its parent's height, and makes no window higher: where
/// there is not enough room for all strips, they scroll, the newest in sight.
class StripPlace : public QScrollArea {
  Q_OBJECT

 public:
  /// \param below  px that stay free below the strips
  explicit StripPlace(int below = 0, QWidget* parent = nullptr);

  /// Those of the window stand above a page's own. They leave the place where they stood before.
  void add(MessageStrips* strips);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();

  QVBoxLayout* m_strips;
  int m_height = 0;  ///< px of all strips, at the width that the place has
};

}  // namespace mantissa::ui::shell
