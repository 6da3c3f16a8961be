// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>
#include <vector>

namespace mantissa::ui::verdict {

/// One line of rules as a person reads them: a key and its value, or the heading of a rule.
struct RulesLine {
  QString key;
  QString value;  ///< with the numbers of the file; empty in a heading
  bool isHeading = false;
};

/// The canonical JSON of [rules] in the order and with the keys of the file; what is not set is left out. Keys that
/// this version does not know are there, too: what was fixed is shown whole. Empty: no rules, or no JSON.
std::vector<RulesLine> rulesLines(const std::string& json);

}  // namespace mantissa::ui::verdict
