// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>
#include <QVector>

#include "core/base/error.h"

namespace mantissa::ui::editor {

/// Something that is wrong in the text, as the window says it.
struct Problem {
  int line = 0;     ///< from 1; 0: of the whole text
  int column = 0;   ///< from 1, in characters; 0: of the whole line
  QString subject;  ///< the key as core/spec names it: "trial[fp16].scaler.init_scale"; empty: none
  QString words;    ///< what is wrong and the way out: "Found -1, expected an integer of at least 1."

  /// "Line 12, training.batch: found -1, expected an integer of at least 1."
  QString sentence() const;
};

/// What a check of a text found.
struct TextProblems {
  bool isToml = false;  ///< false: one problem, where the text stops being TOML
  QVector<Problem> problems;
  QStringList warnings;
  QVector<Problem> missing;  ///< files that are not there now: no problem of the text, but nothing that can run
};

/// The facts of an error of core/spec in the window's words: ways out that name a command line name the form.
Problem problemOf(const ErrorFacts& facts);

}  // namespace mantissa::ui::editor

Q_DECLARE_METATYPE(mantissa::ui::editor::TextProblems)
