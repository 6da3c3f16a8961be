// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPalette>

#include "ui/plot/plot_colors.h"
#include "ui/shell/settings.h"

class QApplication;

namespace mantissa::ui::shell {

/// Light or dark: follows the system's palette or is forced. One object a program, made after QApplication and before
/// the first widget. Window thread only.
class Theme : public QObject {
  Q_OBJECT

 public:
  explicit Theme(QApplication& application);
  ~Theme() override;

  void setMode(ThemeMode mode);
  ThemeMode mode() const { return m_mode; }
  bool isDark() const { return m_dark; }

  /// The one of this program; nullptr before it is made.
  static Theme* current();
  /// The semantic colours in force; the light ones where there is no theme yet.
  static const plot::PlotColors& colors();

 Q_SIGNALS:
  /// Colours are other ones now. Widgets that paint by the palette alone need not listen.
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void apply();

  QApplication& m_application;
  QPalette m_system;  ///< as the platform gave it
  ThemeMode m_mode = ThemeMode::System;
  bool m_dark = false;
  bool m_applying = false;
};

}  // namespace mantissa::ui::shell
