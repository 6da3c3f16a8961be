// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

namespace mantissa::ui::editor {

/// An experiment that ships with the program.
struct Template {
  QString file;   ///< path
  QString name;   ///< "digits-mlp"
  QString shows;  ///< the first comment of the file, without "What it shows:"
};

/// The folder of the shipped experiments, beside the installed program or in the sources that it was built from; empty:
/// not found.
QString templateFolder();

/// The experiments in a folder, by name. Files that cannot be read are left out.
QVector<Template> templatesIn(const QString& folder);

}  // namespace mantissa::ui::editor
