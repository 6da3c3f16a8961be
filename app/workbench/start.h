// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/workbench/arguments.h"

namespace mantissa::ui::shell {
class MainWindow;
}

namespace mantissa::workbench {

/// The experiment of the first start; empty: those that ship with the program are not found.
QString sampleExperiment();

/// Opens what a start begins with, before the window is shown: what the command line names, or what was open last. What
/// was open last and is gone is told, once.
void openAtStart(ui::shell::MainWindow& window, const Arguments& arguments);

}  // namespace mantissa::workbench
