// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/workbench/arguments.h"

namespace mantissa::ui::editor {
class EditorTabs;
}
namespace mantissa::ui::shell {
class MainWindow;
}

namespace mantissa::workbench {

/// The experiment of the first start; empty: those that ship with the program are not found.
QString sampleExperiment();

/// Opens what a start begins with, before the window is shown: what the command line names, or what was open last. What
/// was open last and is gone is told, once. Editors open again as soon as the window has been painted.
/// \param sample  the experiment of a first start; empty: there is none, which is told
void openAtStart(ui::shell::MainWindow& window, ui::editor::EditorTabs& editors, const Arguments& arguments,
                 const QString& sample);

}  // namespace mantissa::workbench
