// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/theme.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolTip>

namespace mantissa::ui::shell {
namespace {

Theme* theTheme = nullptr;

struct RoleColors {
  QPalette::ColorRole role;
  QColor light;
  QColor dark;
};

/// Our own two palettes, role by role.
QPalette paletteOf(bool dark) {
  static const RoleColors kRoles[] = {
      {QPalette::Window, QColor(0xef, 0xef, 0xef), QColor(0x26, 0x28, 0x2c)},
      {QPalette::WindowText, QColor(0x1b, 0x1d, 0x20), QColor(0xe4, 0xe6, 0xea)},
      {QPalette::Base, QColor(Qt::white), QColor(0x1c, 0x1e, 0x21)},
      {QPalette::AlternateBase, QColor(0xf6, 0xf7, 0xf8), QColor(0x22, 0x24, 0x28)},
      {QPalette::Text, QColor(0x1b, 0x1d, 0x20), QColor(0xe4, 0xe6, 0xea)},
      {QPalette::Button, QColor(0xf4, 0xf4, 0xf4), QColor(0x32, 0x35, 0x3a)},
      {QPalette::ButtonText, QColor(0x1b, 0x1d, 0x20), QColor(0xe4, 0xe6, 0xea)},
      {QPalette::BrightText, QColor(Qt::white), QColor(Qt::white)},
      {QPalette::Highlight, QColor(0x2f, 0x7f, 0xc1), QColor(0x2f, 0x74, 0xb0)},
      {QPalette::HighlightedText, QColor(Qt::white), QColor(Qt::white)},
      {QPalette::ToolTipBase, QColor(0xff, 0xff, 0xf0), QColor(0x3a, 0x3d, 0x42)},
      {QPalette::ToolTipText, QColor(0x1b, 0x1d, 0x20), QColor(0xe4, 0xe6, 0xea)},
      {QPalette::PlaceholderText, QColor(0x6a, 0x6e, 0x75), QColor(0x9b, 0xa1, 0xaa)},
      {QPalette::Link, QColor(0x00, 0x5c, 0x99), QColor(0x7c, 0xc0, 0xf5)},
      {QPalette::Light, QColor(Qt::white), QColor(0x48, 0x4c, 0x52)},
      {QPalette::Midlight, QColor(0xe2, 0xe2, 0xe2), QColor(0x3c, 0x3f, 0x45)},
      {QPalette::Mid, QColor(0xb8, 0xb8, 0xb8), QColor(0x50, 0x54, 0x5b)},
      {QPalette::Dark, QColor(0x9a, 0x9a, 0x9a), QColor(0x15, 0x16, 0x18)},
      {QPalette::Shadow, QColor(0x6e, 0x6e, 0x6e), QColor(0x0c, 0x0d, 0x0e)},
  };
  QPalette palette;
  for (const RoleColors& one : kRoles) palette.setColor(one.role, dark ? one.dark : one.light);
  const QColor disabled = dark ? QColor(0x82, 0x87, 0x8f) : QColor(0x8c, 0x90, 0x96);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, disabled);
  }
  // A default stays fainter than a value.
  palette.setColor(QPalette::Disabled, QPalette::PlaceholderText,
                   dark ? QColor(0x56, 0x5a, 0x61) : QColor(0xb9, 0xbc, 0xc1));
  return palette;
}

/// Qt 6.4 has no word for the system's scheme: its palette tells.
bool looksDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

/// Fusion with an edge around everything that stands before the window, and around the boxes of check marks: in dark
/// colours its own is as dark as the ground, a list looks as if it were printed over what is below it, and an empty box
/// is not seen.
class EdgedStyle : public QProxyStyle {
 public:
  EdgedStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    if (element == PE_FrameMenu || (element == PE_Frame && isPopup(widget))) return drawEdge(*option, *painter);
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element == PE_IndicatorCheckBox && looksDark(option->palette)) drawEdge(*option, *painter);
  }

  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override {
    if (element == CE_ShapedFrame && isPopup(widget)) return drawEdge(*option, *painter);
    QProxyStyle::drawControl(element, option, painter, widget);
  }

  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
    return metric == PM_MenuPanelWidth ? 1 : QProxyStyle::pixelMetric(metric, option, widget);
  }

 private:
  static bool isPopup(const QWidget* widget) { return widget != nullptr && widget->windowType() == Qt::Popup; }

  static void drawEdge(const QStyleOption& option, QPainter& painter) {
    painter.save();
    painter.setPen(option.palette.color(QPalette::PlaceholderText));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
    painter.restore();
  }
};

}  // namespace

Theme::Theme(QApplication& application) : m_application(application), m_system(QApplication::palette()) {
  theTheme = this;
  QApplication::setStyle(new EdgedStyle);
  apply();
  m_application.installEventFilter(this);
}

Theme::~Theme() { theTheme = nullptr; }

Theme* Theme::current() { return theTheme; }

const plot::PlotColors& Theme::colors() { return plot::plotColors(theTheme != nullptr && theTheme->m_dark); }

void Theme::setMode(ThemeMode mode) {
  m_mode = mode;
  apply();
}

void Theme::apply() {
  const bool dark = m_mode == ThemeMode::Dark || (m_mode == ThemeMode::System && looksDark(m_system));
  m_applying = true;
  const QPalette palette = paletteOf(dark);
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
  m_applying = false;
  m_dark = dark;
  Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &m_application && event->type() == QEvent::ThemeChange && !m_applying) {
    m_system = m_application.style()->standardPalette();
    if (m_mode == ThemeMode::System) apply();
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace mantissa::ui::shell
