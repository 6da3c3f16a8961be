// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace mantissa::ui::shell {

/// Other words, separated by spaces, that people look for an action with: "dark night theme" for the dark colours. In
/// the language of the window. Empty: none beyond its name and its help.
/// \param action  its object name
QString synonymsOf(const QString& action);

}  // namespace mantissa::ui::shell
