// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/theme.h"

#include <QApplication>
#include <QEvent>
#include <QStyle>
#include <QStyleFactory>
#include <QToolTip>

namespace mantissa::ui::shell {
namespace {

Theme* theTheme = nullptr;

QPalette lightPalette() {
  QPalette palette;
  palette.setColor(QPalette::Window, QColor(0xef, 0xef, 0xef));
  palette.setColor(QPalette::WindowText, QColor(0x1b, 0x1d, 0x20));
  palette.setColor(QPalette::Base, Qt::white);
  palette.setColor(QPalette::AlternateBase, QColor(0xf6, 0xf7, 0xf8));
  palette.setColor(QPalette::Text, QColor(0x1b, 0x1d, 0x20));
  palette.setColor(QPalette::Button, QColor(0xf4, 0xf4, 0xf4));
  palette.setColor(QPalette::ButtonText, QColor(0x1b, 0x1d, 0x20));
  palette.setColor(QPalette::BrightText, Qt::white);
  palette.setColor(QPalette::Highlight, QColor(0x2f, 0x7f, 0xc1));
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::ToolTipBase, QColor(0xff, 0xff, 0xf0));
  palette.setColor(QPalette::ToolTipText, QColor(0x1b, 0x1d, 0x20));
  palette.setColor(QPalette::PlaceholderText, QColor(0x6a, 0x6e, 0x75));
  palette.setColor(QPalette::Link, QColor(0x00, 0x5c, 0x99));
  palette.setColor(QPalette::Light, Qt::white);
  palette.setColor(QPalette::Midlight, QColor(0xe2, 0xe2, 0xe2));
  palette.setColor(QPalette::Mid, QColor(0xb8, 0xb8, 0xb8));
  palette.setColor(QPalette::Dark, QColor(0x9a, 0x9a, 0x9a));
  palette.setColor(QPalette::Shadow, QColor(0x6e, 0x6e, 0x6e));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, QColor(0x8c, 0x90, 0x96));
  }
  return palette;
}

QPalette darkPalette() {
  QPalette palette;
  palette.setColor(QPalette::Window, QColor(0x26, 0x28, 0x2c));
  palette.setColor(QPalette::WindowText, QColor(0xe4, 0xe6, 0xea));
  palette.setColor(QPalette::Base, QColor(0x1c, 0x1e, 0x21));
  palette.setColor(QPalette::AlternateBase, QColor(0x22, 0x24, 0x28));
  palette.setColor(QPalette::Text, QColor(0xe4, 0xe6, 0xea));
  palette.setColor(QPalette::Button, QColor(0x32, 0x35, 0x3a));
  palette.setColor(QPalette::ButtonText, QColor(0xe4, 0xe6, 0xea));
  palette.setColor(QPalette::BrightText, Qt::white);
  palette.setColor(QPalette::Highlight, QColor(0x2f, 0x74, 0xb0));
  palette.setColor(QPalette::HighlightedText, Qt::white);
  palette.setColor(QPalette::ToolTipBase, QColor(0x3a, 0x3d, 0x42));
  palette.setColor(QPalette::ToolTipText, QColor(0xe4, 0xe6, 0xea));
  palette.setColor(QPalette::PlaceholderText, QColor(0x9b, 0xa1, 0xaa));
  palette.setColor(QPalette::Link, QColor(0x7c, 0xc0, 0xf5));
  palette.setColor(QPalette::Light, QColor(0x48, 0x4c, 0x52));
  palette.setColor(QPalette::Midlight, QColor(0x3c, 0x3f, 0x45));
  palette.setColor(QPalette::Mid, QColor(0x50, 0x54, 0x5b));
  palette.setColor(QPalette::Dark, QColor(0x15, 0x16, 0x18));
  palette.setColor(QPalette::Shadow, QColor(0x0c, 0x0d, 0x0e));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, QColor(0x82, 0x87, 0x8f));
  }
  return palette;
}

/// Qt 6.4 has no word for the system's scheme: its palette tells.
bool looksDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

}  // namespace

Theme::Theme(QApplication& application) : m_application(application), m_system(QApplication::palette()) {
  theTheme = this;
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
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
  const QPalette palette = dark ? darkPalette() : lightPalette();
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
