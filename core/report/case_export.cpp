// SPDX-License-Identifier: Apache-2.0
#include "core/report/case_export.h"

#include <algorithm>
#include <cstddef>

#include "core/record/case_columns.h"

namespace mantissa::report {
namespace {

using record::CaseRow;

// How many columns a member takes: the longest vector of all rows, 1 for everything else.
std::size_t width(const std::vector<CaseRow>& cases, std::vector<double> CaseRow::*member) {
  std::size_t widest = 0;
  for (const CaseRow& row : cases) widest = std::max(widest, (row.*member).size());
  return widest;
}
template <class Value>
std::size_t width(const std::vector<CaseRow>&, Value CaseRow::*) {
  return 1;
}

// How many columns a member of a task with positions takes: none where no case has one.
template <class Value>
std::size_t width_where_measured(const std::vector<CaseRow>& cases, std::optional<Value> CaseRow::*member) {
  const auto measured = [member](const CaseRow& row) { return (row.*member).has_value(); };
  return std::any_of(cases.begin(), cases.end(), measured) ? 1 : 0;
}
template <class Member>
std::size_t width_where_measured(const std::vector<CaseRow>&, Member) {
  return 1;
}

constexpr bool indexed_Values = true, indexed_Target = true, indexed_Text = false, indexed_Kind = false,
               indexed_Number = false, indexed_Real = false, indexed_OptionalCount = false, indexed_Flag = false,
               indexed_OptionalFlag = false, indexed_PositionCount = false, indexed_PositionReal = false;
constexpr bool only_where_measured_Values = false, only_where_measured_Target = false, only_where_measured_Text = false,
               only_where_measured_Kind = false, only_where_measured_Number = false, only_where_measured_Real = false,
               only_where_measured_OptionalCount = false, only_where_measured_Flag = false,
               only_where_measured_OptionalFlag = false, only_where_measured_PositionCount = true,
               only_where_measured_PositionReal = true;

void put_Text(TableWriter& table, const std::string& value, std::size_t) { table.text(value); }
void put_Kind(TableWriter& table, record::CaseKind value, std::size_t) { table.text(record::to_text(value)); }
void put_Number(TableWriter& table, double value, std::size_t) { table.number(value); }
void put_Real(TableWriter& table, const std::optional<double>& value, std::size_t) { table.number(value); }
void put_OptionalCount(TableWriter& table, const std::optional<std::int64_t>& value, std::size_t) {
  table.integer(value);
}
void put_PositionCount(TableWriter& table, const std::optional<std::int64_t>& value, std::size_t columns) {
  if (columns > 0) table.integer(value);
}
void put_PositionReal(TableWriter& table, const std::optional<double>& value, std::size_t columns) {
  if (columns > 0) table.number(value);
}
void put_Flag(TableWriter& table, bool value, std::size_t) { table.flag(value); }
void put_OptionalFlag(TableWriter& table, const std::optional<bool>& value, std::size_t) { table.flag(value); }
void put_Values(TableWriter& table, const std::vector<double>& values, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) {
    if (i < values.size()) {
      table.number(values[i]);
    } else {
      table.missing();
    }
  }
}
void put_Target(TableWriter& table, const std::vector<double>& values, std::size_t columns) {
  put_Values(table, values, columns);
}

/// An empty text would read as a decision for nothing.
void put_decided(TableWriter& table, const record::DecidedCase& decided) {
  for (const std::string* const words : {&decided.trained, &decided.reference, &decided.same_weights}) {
    if (words->empty()) {
      table.missing();
    } else {
      table.text(*words);
    }
  }
}

}  // namespace

void export_cases(TableFormat format, const std::vector<CaseRow>& cases, const Sink& sink,
                  const std::vector<record::DecidedCase>& decided) {
  // The target's column stands there in any case; outputs only where there are some.
  std::vector<std::string> names;
  const auto add_names = [&names](const std::string& column, bool indexed, bool target, std::size_t columns) {
    if (!indexed && columns == 0) return;
    if (!indexed || (target && columns <= 1)) {
      names.push_back(column);
      return;
    }
    for (std::size_t i = 0; i < columns; ++i) names.push_back(column + '[' + std::to_string(i) + ']');
  };
  struct Widths {
#define MANTISSA_WIDTH(member, column, type, description) std::size_t member = 1;
    MANTISSA_CASE_COLUMNS(MANTISSA_WIDTH)
#undef MANTISSA_WIDTH
  } widths;
#define MANTISSA_NAMES(member, column, type, description)                                                          \
  widths.member =                                                                                                  \
      only_where_measured_##type ? width_where_measured(cases, &CaseRow::member) : width(cases, &CaseRow::member); \
  add_names(column, indexed_##type, #type == std::string_view("Target"), widths.member);
  MANTISSA_CASE_COLUMNS(MANTISSA_NAMES)
#undef MANTISSA_NAMES
  widths.target = std::max<std::size_t>(widths.target, 1);

  const bool has_decided = decided.size() == cases.size() && !decided.empty();
  if (has_decided) names.insert(names.end(), {"decided", "decided_reference", "decided_same_weights"});

  TableWriter table(format, names, sink);
  std::size_t place = 0;
  for (const CaseRow& row : cases) {
#define MANTISSA_PUT(member, column, type, description) put_##type(table, row.member, widths.member);
    MANTISSA_CASE_COLUMNS(MANTISSA_PUT)
#undef MANTISSA_PUT
    if (has_decided) put_decided(table, decided[place++]);
    table.end_row();
  }
  table.finish();
}

}  // namespace mantissa::report
