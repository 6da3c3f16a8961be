// SPDX-License-Identifier: Apache-2.0
#include "core/judge/case_evidence.h"

#include <algorithm>
#include <iterator>

#include "core/judge/rules.h"
#include "core/judge/statistics.h"
#include "core/judge/wording.h"

namespace mantissa::judge {
namespace {

using record::CaseRow;

/// Of a case with positions only their counts are left.
const std::optional<std::int64_t>& non_finite_positions(const CaseRow& row, spec::Of of) {
  return of == spec::Of::Trained ? row.positions_non_finite : row.positions_non_finite_same_weights;
}

bool has_output(const CaseRow& row, spec::Of of) {
  return !output_of(row, of).empty() || non_finite_positions(row, of).has_value();
}

bool has_reference(const CaseRow& row) {
  return !row.output_reference.empty() || row.positions_non_finite_reference.has_value();
}

std::vector<CaseRow> rows_of_slice(const std::vector<CaseRow>& rows, const std::string& slice) {
  std::vector<CaseRow> chosen;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen),
               [&slice](const CaseRow& row) { return row.slice == slice; });
  return chosen;
}

const record::OtherOutput* other_of(const CaseRow& row, const std::string& selector) {
  const auto found = std::find_if(row.other_outputs.begin(), row.other_outputs.end(),
                                  [&selector](const record::OtherOutput& one) { return one.selector == selector; });
  return found == row.other_outputs.end() ? nullptr : &*found;
}

std::vector<CaseRow> rows_of_output(const std::vector<CaseRow>& rows, const std::string& selector) {
  std::vector<CaseRow> chosen;
  chosen.reserve(rows.size());
  for (const CaseRow& row : rows) {
    CaseRow& made = chosen.emplace_back();
    made.id = row.id;
    made.kind = row.kind;
    made.slice = row.slice;
    const record::OtherOutput* const other = other_of(row, selector);
    if (other == nullptr) continue;
    made.output_reference = other->reference;
    if (other->trained.size() == other->reference.size()) made.output = other->trained;
    if (other->same_weights.size() == other->reference.size()) made.output_same_weights = other->same_weights;
  }
  compare(chosen, DecisionRule());  // it decides nothing
  return chosen;
}

}  // namespace

std::int64_t size_of(const std::vector<CaseRow>& rows) { return static_cast<std::int64_t>(rows.size()); }

const std::vector<double>& output_of(const CaseRow& row, spec::Of of) {
  return of == spec::Of::Trained ? row.output : row.output_same_weights;
}

std::string missing_outputs(const Evidence& evidence, spec::Of of) {
  if (evidence.cases.empty()) {
    const bool ended_early = evidence.status != record::Status::Finished || !evidence.reference_finished;
    return ended_early ? "the frozen cases were not evaluated, because the run ended early"
                       : "there are no frozen cases";
  }
  const char* column = of == spec::Of::Trained ? "output[i]" : "output_same_weights[i]";
  std::int64_t missing = 0;
  std::int64_t missing_reference = 0;
  for (const CaseRow& row : evidence.cases) {
    if (!has_output(row, of)) ++missing;
    if (!has_reference(row)) ++missing_reference;
  }
  if (missing == 0 && missing_reference == 0) return {};
  if (missing == 0) {
    missing = missing_reference;
    column = "output_reference[i]";
  }
  return std::string(column) + " is missing in " + count(missing) + " of " + count(size_of(evidence.cases), "case");
}

std::string non_finite_outputs(const Evidence& evidence, spec::Of of) {
  std::vector<std::string> ids;
  for (const CaseRow& row : evidence.cases) {
    if (!has_finite_output(row, of)) ids.push_back(row.id);
  }
  if (ids.empty()) return {};
  return "non-finite: the output (" + to_text(of) + ") of " + count(static_cast<std::int64_t>(ids.size())) + " of " +
         count(size_of(evidence.cases), "case") + " is no number: " + first_three(ids);
}

std::string counted_cases(std::int64_t counted, const std::vector<CaseRow>& rows) {
  const std::int64_t all = size_of(rows);
  if (counted == all) return count(all, "case");
  const auto without =
      std::count_if(rows.begin(), rows.end(), [](const CaseRow& row) { return row.target.empty() && !row.positions; });
  const std::int64_t ignored = all - counted - without;
  std::vector<std::string> why;
  if (without > 0) why.push_back(count(without) + (without == 1 ? " has no target" : " have no target"));
  if (ignored > 0) why.push_back(count(ignored) + (ignored == 1 ? " has" : " have") + " a target that does not count");
  return count(counted) + " of " + count(all, "case") + " (" + listed(why) + ')';
}

std::string too_few_cases(std::int64_t counted, const std::vector<CaseRow>& rows) {
  if (2 * counted >= size_of(rows)) return {};
  return "fewer than half of the frozen cases have a target that counts";
}

std::string name_of(const char* rule, const std::string& name) {
  return name.empty() ? std::string(rule) : std::string(rule) + '.' + name;
}

void add_slice(record::RuleVerdict& verdict, const std::string& slice, const Evidence& whole, const Evidence& part) {
  if (slice.empty()) return;
  verdict.limit += ", of slice " + slice;
  if (!part.cases.empty() || whole.cases.empty()) {
    verdict.reason = "slice " + slice + ": " + verdict.reason;
    return;
  }
  verdict.verdict = record::VerdictWord::Undecided;
  verdict.reason = "no frozen case is of slice " + slice;
}

Evidence on_slice(const Evidence& evidence, const std::string& slice) {
  Evidence part = evidence;
  part.cases = rows_of_slice(evidence.cases, slice);
  for (auto& rows : part.rounding) rows = rows_of_slice(rows, slice);
  for (auto& rows : part.spread) rows = rows_of_slice(rows, slice);
  for (OtherSeed& other : part.other_seeds) other.cases = rows_of_slice(other.cases, slice);
  return part;
}

std::vector<std::string> other_outputs(const Evidence& evidence) {
  std::vector<std::string> selectors;
  if (evidence.cases.empty()) return selectors;
  for (const record::OtherOutput& other : evidence.cases.front().other_outputs) selectors.push_back(other.selector);
  return selectors;
}

Evidence on_output(const Evidence& evidence, const std::string& selector) {
  Evidence part = evidence;
  part.decision = DecisionRule();
  part.cases = rows_of_output(evidence.cases, selector);
  for (auto& rows : part.rounding) rows = rows_of_output(rows, selector);
  for (auto& rows : part.spread) rows = rows_of_output(rows, selector);
  return part;
}

std::string wrong_size(const Evidence& evidence, const std::string& selector, spec::Of of) {
  for (const CaseRow& row : evidence.cases) {
    const record::OtherOutput* const other = other_of(row, selector);
    if (other == nullptr) continue;
    const std::vector<double>& values = of == spec::Of::Trained ? other->trained : other->same_weights;
    if (values.empty() || values.size() == other->reference.size()) continue;
    return "it has " + count(static_cast<std::int64_t>(values.size()), "element") + " (" + to_text(of) + ") in case " +
           row.id + " where the reference has " + count(static_cast<std::int64_t>(other->reference.size()));
  }
  return {};
}

std::string to_text(spec::Of of) { return of == spec::Of::Trained ? "trained" : "same_weights"; }

bool has_finite_output(const CaseRow& row, spec::Of of) {
  return non_finite_positions(row, of).value_or(0) == 0 && all_finite(output_of(row, of));
}

bool has_finite_reference(const CaseRow& row) {
  return row.positions_non_finite_reference.value_or(0) == 0 && all_finite(row.output_reference);
}

std::vector<std::string> non_finite_reference_cases(const Evidence& evidence) {
  std::vector<std::string> ids;
  for (const CaseRow& row : evidence.cases) {
    if (!has_finite_reference(row)) ids.push_back(row.id);
  }
  return ids;
}

}  // namespace mantissa::judge
