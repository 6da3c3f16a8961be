// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVector>

namespace mantissa::ui::editor {

/// A line of one text or of both.
struct DifferenceLine {
  enum class Of { Both, Mine, Theirs };
  Of of = Of::Both;
  int line = 0;  ///< from 1: in mine, of lines that are theirs alone in theirs
  QString text;
};

/// Two texts as one list of lines, in order: as many of both as can be. Where more than 2,000 lines differ in a row,
/// all of mine come before all of theirs.
QVector<DifferenceLine> lineDifference(const QString& mine, const QString& theirs);

}  // namespace mantissa::ui::editor
