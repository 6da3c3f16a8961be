// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

namespace mantissa::ui::shell {

/// Bytes of the largest file that the editor opens: the largest experiment is a hundredth of it. What is larger can be
/// run, up to what the engine reads.
constexpr qint64 kLargestEdited = qint64{1} << 20;

}  // namespace mantissa::ui::shell
