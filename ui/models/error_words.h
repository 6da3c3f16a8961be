// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/base/error.h"

namespace mantissa::ui::models {

/// What went wrong, as the window says it: place, problem, what was found and expected, and a way out that exists in
/// the window. Core's own way out speaks of options of the command line where it cannot do without.
QString errorText(const Error& error);

}  // namespace mantissa::ui::models
