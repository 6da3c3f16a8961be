// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

namespace mantissa::ui::shell {

/// What a button does to a run, as a shape.
enum class IconShape { Play, Pause, Stop, Step };

/// The shape in the colour of the palette's button text, at any size; follows light and dark.
QIcon shapeIcon(IconShape shape);

}  // namespace mantissa::ui::shell
