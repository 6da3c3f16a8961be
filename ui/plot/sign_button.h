// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyleOptionToolButton>
#include <QToolButton>

namespace mantissa::ui::plot {

/// A button whose sign itself says that there is a menu: an arrow beside it would say so twice. Not by a style sheet,
/// whose widgets do not follow the palette of the application.
class SignButton : public QToolButton {
 public:
  using QToolButton::QToolButton;

 protected:
  void initStyleOption(QStyleOptionToolButton* option) const override {
    QToolButton::initStyleOption(option);
    option->features &= ~QStyleOptionToolButton::ToolButtonFeatures(QStyleOptionToolButton::HasMenu);
  }
};

}  // namespace mantissa::ui::plot
