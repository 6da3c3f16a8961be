// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

#include "ui/shell/settings.h"

namespace mantissa::workbench {

/// What the command line asks for.
struct Arguments {
  QStringList files;          ///< experiment files and archives to open
  QString archive;            ///< empty: the last one
  QString screenshotPage;     ///< empty: no screenshot, a window
  QString screenshotFile;     ///< a PNG
  QSize size = {1600, 1000};  ///< of the screenshot
  std::optional<ui::shell::ThemeMode> theme;
  bool help = false;
  bool version = false;
};

/// Reads the words behind the program's name. On a mistake returns nothing, and `problem` says what is wrong in a
/// sentence. Needs no QApplication: whether there will be a window is decided by it.
std::optional<Arguments> readArguments(const QStringList& words, QString* problem);

/// What --help prints.
QString helpText();

}  // namespace mantissa::workbench
