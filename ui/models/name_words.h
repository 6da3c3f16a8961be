// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace mantissa::ui::models {

/// A name to put into a sentence of the window: one with characters that are written from right to left stands between
/// U+2068 FIRST STRONG ISOLATE and U+2069 POP DIRECTIONAL ISOLATE, or what follows it would be drawn within it. All
/// others are as they are. Not for files, logs and the clipboard.
QString isolated(const QString& name);

/// A sentence of the window for the log.
QString withoutIsolates(QString sentence);

/// For a label whose text can be selected: such a one takes its direction from the first letter, also of a name in
/// isolates. A sentence with isolates begins with U+200E LEFT-TO-RIGHT MARK then, all others are as they are.
QString readFromLeft(const QString& sentence);

}  // namespace mantissa::ui::models
