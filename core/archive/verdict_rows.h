// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/verdict.h"

namespace mantissa::archive {

class Connection;

/// A verdict with its reasons and rules, of an arm that has none yet.
void insert_verdict(Connection& connection, std::int64_t trial, const record::Verdict& verdict);

/// What was written by anybody else: a verdict that its own rules contradict, or whose word there is not, is never
/// shown as it stands. It becomes rejected where one of its rules is, else undecided, and says why. \param word  as it
/// stands in the archive; \param rules_sha256  of the rules that it must have been reached by
void distrust_what_its_rules_contradict(record::Verdict& verdict, const std::string& word,
                                        const std::string& rules_sha256);

/// Nothing where the arm was not judged.
std::optional<record::Verdict> read_verdict(Connection& connection, std::int64_t trial);

/// Whose rules: two tables of one form.
enum class RulesOf { Verdict, Judgement };
/// \param owner  a trial (Verdict), or a judgement
void insert_rule_verdicts(Connection& connection, RulesOf of, std::int64_t owner,
                          const std::vector<record::RuleVerdict>& rules);
std::vector<record::RuleVerdict> read_rule_verdicts(Connection& connection, RulesOf of, std::int64_t owner);

/// What a verdict rests on; empty: nothing is kept. Replaces what stood there.
void replace_evidence(Connection& connection, std::int64_t trial, const std::string& evidence);

/// \throws Error ArchiveDamaged where it is not what was written
std::optional<std::string> read_evidence(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
