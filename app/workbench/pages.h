// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>

namespace mantissa::ui::shell {
class Page;
}

namespace mantissa::workbench {

/// All pages of the window, in the order of their tabs.
QVector<ui::shell::Page*> makePages();

}  // namespace mantissa::workbench
