// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

#include <utility>

#include "core/base/plain_text.h"

namespace mantissa {

std::string sentence(const ErrorFacts& facts) {
  std::string where;
  const auto add = [&where](const std::string& part) {
    if (part.empty()) return;
    if (!where.empty()) where += ", ";
    where += part;
  };
  add(facts.file);
  if (facts.line > 0) add("line " + std::to_string(facts.line));
  add(facts.subject);

  std::string text = where.empty() ? facts.problem : where + ": " + facts.problem;
  if (!facts.found.empty()) text += (facts.problem.empty() ? "found " : ": found ") + facts.found;
  if (!facts.expected.empty()) text += (facts.found.empty() ? ": expected " : ", expected ") + facts.expected;
  text += '.';
  if (!facts.remedy.empty()) text += ' ' + facts.remedy + (facts.remedy.back() == '?' ? "" : ".");
  return text;
}

namespace {

ErrorFacts without_stacks(ErrorFacts facts) {
  facts.problem = without_stack(std::move(facts.problem));
  facts.found = without_stack(std::move(facts.found));
  return facts;
}

}  // namespace

Error::Error(ErrorKind kind, ErrorFacts facts)
    : kind_(kind), facts_(without_stacks(std::move(facts))), text_(sentence(facts_)) {}

Error Error::in_file(const std::string& file) const {
  ErrorFacts facts = facts_;
  if (facts.file.empty()) facts.file = file;
  return Error(kind_, std::move(facts));
}

}  // namespace mantissa
