// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>

namespace mantissa::ui::shell {
class MainWindow;
class Page;
}  // namespace mantissa::ui::shell

namespace mantissa::ui::editor {
class EditorTabs;
}

namespace mantissa::workbench {

/// All pages of the window, in the order of their tabs.
QVector<ui::shell::Page*> makePages();

/// Lets experiments be edited in tabs of the window, which owns what this returns.
ui::editor::EditorTabs* addEditor(ui::shell::MainWindow& window);

/// Lets the log say what TorchScript models print, which would go to the terminal otherwise: "model: batch of [8, 2]".
void showModelPrints();

}  // namespace mantissa::workbench
