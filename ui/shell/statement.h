// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace mantissa::ui::shell {

/// One question about what a page shows, answered in a glance: a word, a number, a state.
struct Statement {
  enum class State { Unknown, Good, Warn, Bad, Plain, Undecided };
  QString question;  ///< "Finite"
  QString answer;    ///< "1 NaN loss in fp16"
  QString detail;    ///< the number behind it
  QString help;      ///< what its words mean, for the tooltip
  State state = State::Unknown;
  bool beginsWithName = false;  ///< of an arm: written as it is
  /// The same in fewer words, the longest first: words go before numbers do.
  QStringList shorterAnswers = {};
  QStringList shorterDetails = {};
};

}  // namespace mantissa::ui::shell
