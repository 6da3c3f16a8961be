// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mantissa::judge {

/// One rule of a verdict, for people.
struct RuleEntry {
  std::string name;  ///< as verdicts name it; a rule with a name or a kind of its own stands behind a dot: "flips.edge"
  std::string key;   ///< in an experiment file; empty: always applied
  std::string meaning;  ///< what it asks for
  std::string value;    ///< the number that it judges; where it judges none, what it looks at
  std::string limit;    ///< of rules.preset = "default", from spec::add_default_rules; or its fixed limit
};

/// Every rule that `judge` can give, in the order of a verdict: the source of `help rules`.
const std::vector<RuleEntry>& rule_catalogue();

/// The text of `mantissa-cli help rules`.
std::string rules_help_text();

}  // namespace mantissa::judge
