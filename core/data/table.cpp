// SPDX-License-Identifier: Apache-2.0
#include "core/data/table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/data/csv.h"
#include "core/data/setting_error.h"

namespace mantissa::data {

namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

/// Positions of the columns by role, from 0.
struct Places {
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> targets;
  std::size_t id = kNoColumn;
  std::size_t slice = kNoColumn;
  std::size_t kind = kNoColumn;
};

std::string joined(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += ", … (" + std::to_string(names.size()) + " in all)";
  return text;
}

/// Gives every column its role, each at most one.
class RoleBook {
 public:
  RoleBook(const Roles& roles, const CsvReader& file) : roles_(roles), file_(file) {
    for (std::size_t i = 0; i < file.columns().size(); ++i) position_.emplace(file.columns()[i], i);
  }

  Places assign() {
    Places places;
    const spec::Columns& asked = roles_.columns;
    for (const auto& name : asked.target) places.targets.push_back(take(name, "target"));
    if (!asked.id.empty()) places.id = take(asked.id, "id");
    if (!asked.slice.empty()) places.slice = take(asked.slice, "slice");
    if (!roles_.kind.empty()) places.kind = take(roles_.kind, "kind");
    for (const auto& name : asked.inputs) places.inputs.push_back(take(name, "inputs"));
    const std::size_t count = file_.columns().size();
    if (roles_.wanted == Roles::Wanted::Targets) {
      if (asked.target.empty() && count > 1) refuse_several_as_default_target();
      if (asked.target.empty()) places.targets.push_back(0);
      return places;
    }
    if (asked.target.empty() && roles_.wanted == Roles::Wanted::All) {
      // The last column that is no id and no slice.
      std::size_t last = count;
      while (last > 0 && (last - 1 == places.id || last - 1 == places.slice)) --last;
      if (last == 0) refuse_without("target");
      if (role_.count(last - 1) > 0) refuse_input_as_default_target(file_.columns()[last - 1]);
      places.targets.push_back(take(file_.columns()[last - 1], "target"));
    }
    if (asked.inputs.empty()) {
      for (std::size_t i = 0; i < count; ++i) {
        const bool left_out =
            std::find(roles_.left_out.begin(), roles_.left_out.end(), file_.columns()[i]) != roles_.left_out.end();
        if (role_.count(i) == 0 && !left_out) places.inputs.push_back(i);
      }
    }
    if (places.inputs.empty()) refuse_without("inputs");
    return places;
  }

 private:
  std::size_t take(const std::string& name, const std::string& role) {
    ErrorFacts facts;
    const std::string key = "data.columns." + role;
    facts.found = '\'' + name + '\'';
    const auto found = position_.find(name);
    if (found == position_.end()) {
      facts.problem = "no such column in " + file_.path();
      facts.expected = "one of " + joined(file_.columns(), 12);
      if (!file_.has_header()) {
        facts.remedy = "The file has no header: its columns are called column1, column2, …";
      }
      throw setting_error(*roles_.experiment, key, std::move(facts));
    }
    const auto [other, fresh] = role_.emplace(found->second, role);
    if (!fresh) {
      facts.problem = "one column in two roles";
      facts.expected = "a column that is not already in data.columns." + other->second;
      throw setting_error(*roles_.experiment, key, std::move(facts));
    }
    return found->second;
  }

  [[noreturn]] void refuse_input_as_default_target(const std::string& name) {
    ErrorFacts facts;
    facts.problem = "the last column is both input and target";
    facts.found = '\'' + name + "' among the inputs, and no target named";
    facts.expected = "inputs without the last column, which is the target unless another is named";
    facts.remedy = "Name the target with data.columns.target, or take '" + name + "' out of the inputs";
    throw setting_error(*roles_.experiment, "data.columns.inputs", std::move(facts));
  }

  [[noreturn]] void refuse_several_as_default_target() {
    ErrorFacts facts;
    facts.problem = "several columns in the file of targets, and none named";
    facts.found = "columns " + joined(file_.columns(), 12) + " in " + file_.path();
    facts.expected = "data.columns.target where there is more than one";
    facts.remedy = "Name the target, or all of them, with data.columns.target";
    throw setting_error(*roles_.experiment, "data.targets", std::move(facts));
  }

  [[noreturn]] void refuse_without(const std::string& role) {
    ErrorFacts facts;
    facts.file = file_.path();
    facts.problem = "no column is left for the " + role;
    facts.found = "columns " + joined(file_.columns(), 12);
    facts.expected = roles_.wanted == Roles::Wanted::All ? "at least one input column and one target column"
                                                         : "at least one input column";
    facts.remedy = file_.separator_advice();
    if (facts.remedy.empty()) facts.remedy = "Name the columns with data.columns";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  const Roles& roles_;
  const CsvReader& file_;
  std::unordered_map<std::string, std::size_t> position_;
  std::map<std::size_t, std::string> role_;
};

class TableBuilder {
 public:
  TableBuilder(const std::string& path, const Roles& roles) : reader_(path), roles_(roles) {
    if (roles.same_columns_as != nullptr) check_columns(*roles.same_columns_as);
    places_ = RoleBook(roles, reader_).assign();
    table_.file = path;
    table_.columns = reader_.columns();
    for (const auto i : places_.inputs) table_.input_names.push_back(reader_.columns()[i]);
    for (const auto i : places_.targets) table_.target_names.push_back(reader_.columns()[i]);
    table_.targets.resize(places_.targets.size());
    mark_integers();
    for (const auto i : reader_.unnamed_columns()) {
      if (std::find(places_.inputs.begin(), places_.inputs.end(), i) == places_.inputs.end()) continue;
      table_.notes.push_back("column " + std::to_string(i + 1) + " of " + path + " has no name, is called " +
                             reader_.columns()[i] +
                             " and is an input; leave it out with data.columns.inputs if it "
                             "is a row number");
    }
  }

  Table build() {
    CsvRow row;
    while (reader_.next(row)) {
      ++source_row_;
      add(row);
    }
    if (source_row_ == 0) {
      ErrorFacts facts;
      facts.file = reader_.path();
      facts.problem = "the file has a header but no rows";
      facts.expected = "at least one row of data";
      throw Error(ErrorKind::DataProblem, std::move(facts));
    }
    if (table_.rows() == 0) {
      ErrorFacts facts;
      facts.file = reader_.path();
      facts.problem = "every row has a missing value, so data.missing = \"drop\" leaves none";
      facts.expected = "at least one complete row";
      facts.remedy = "Leave the columns with missing values out with data.columns.inputs";
      throw Error(ErrorKind::DataProblem, std::move(facts));
    }
    if (table_.dropped > 0) {
      table_.notes.push_back(std::to_string(table_.dropped) + (table_.dropped == 1 ? " row" : " rows") + " of " +
                             reader_.path() + " with missing values " + (table_.dropped == 1 ? "was" : "were") +
                             " left out");
    }
    return std::move(table_);
  }

 private:
  void mark_integers() {
    table_.integer_inputs.assign(table_.input_names.size(), false);
    for (const auto& name : roles_.columns.integers) {
      if (roles_.wanted == Roles::Wanted::Targets) break;
      const auto found = std::find(table_.input_names.begin(), table_.input_names.end(), name);
      if (found == table_.input_names.end()) {
        ErrorFacts facts;
        facts.problem = "no such input column in " + reader_.path();
        facts.found = '\'' + name + '\'';
        facts.expected = "one of the inputs " + joined(table_.input_names, 12);
        throw setting_error(*roles_.experiment, "data.columns.integers", std::move(facts));
      }
      table_.integer_inputs[static_cast<std::size_t>(found - table_.input_names.begin())] = true;
    }
    const auto& marks = table_.integer_inputs;
    all_integers_ = !marks.empty() && std::find(marks.begin(), marks.end(), false) == marks.end();
  }

  /// Throws unless the number reaches the model unchanged: through int64, or through FP32 beside other columns.
  void require_integer(const CsvRow& row, std::size_t column, double number) const {
    constexpr double kExactInFloat32 = 16777216.0;          // 2^24
    constexpr double kExactInFloat64 = 9007199254740992.0;  // 2^53: cells are read as FP64
    const double most = all_integers_ ? kExactInFloat64 : kExactInFloat32;
    if (number == std::trunc(number) && std::abs(number) <= most) return;
    ErrorFacts facts;
    facts.file = reader_.path();
    facts.line = static_cast<int>(row.line);
    facts.column = static_cast<int>(column + 1);
    facts.subject = "column " + reader_.columns()[column];
    facts.found = '\'' + std::string(row.cells[column]) + '\'';
    if (number != std::trunc(number)) {
      facts.problem = "a fraction in a column of integers";
      facts.expected = "a whole number";
      facts.remedy = "Correct the value, or take the column out of data.columns.integers";
    } else {
      facts.problem = all_integers_ ? "an integer too large to be read exactly"
                                    : "an integer too large for the FP32 tensor that it shares with other columns";
      facts.expected = all_integers_ ? "a magnitude up to 9007199254740992" : "a magnitude up to 16777216";
      facts.remedy = "Number the values from 0 on";
    }
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  void check_columns(const Table& other) const {
    const auto sorted = [](std::vector<std::string> names) {
      std::sort(names.begin(), names.end());
      return names;
    };
    const auto here = sorted(reader_.columns());
    const auto there = sorted(other.columns);
    if (here == there) return;
    std::vector<std::string> extra;
    std::vector<std::string> absent;
    std::set_difference(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(extra));
    std::set_difference(there.begin(), there.end(), here.begin(), here.end(), std::back_inserter(absent));
    ErrorFacts facts;
    facts.file = reader_.path();
    facts.line = 1;
    facts.problem = "the test file has other columns than " + other.file;
    if (!absent.empty()) facts.found = "no column " + joined(absent, 5);
    if (!extra.empty()) facts.found += (absent.empty() ? "" : ", and besides ") + joined(extra, 5);
    facts.expected = "the columns " + joined(other.columns, 12);
    facts.remedy = "Give both files the same header";
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  void add(const CsvRow& row) {
    const std::size_t begin = table_.inputs.size();
    bool complete = true;
    for (std::size_t k = 0; k < places_.inputs.size(); ++k) {
      const std::size_t i = places_.inputs[k];
      const CellValue value = value_of_cell(row.cells[i]);
      if (value.kind != CellKind::Number) {
        require_droppable(row, i, value);
        complete = false;
      } else if (table_.integer_inputs[k]) {
        require_integer(row, i, value.number);
      }
      table_.inputs.push_back(value.number);
    }
    for (const auto i : places_.targets) {
      const CellValue value = value_of_cell(row.cells[i]);
      if (value.kind == CellKind::Missing && roles_.case_file) continue;
      if (value.kind == CellKind::Missing || value.kind == CellKind::Nan) {
        require_droppable(row, i, value);
        complete = false;
      }
    }
    if (!complete) {
      table_.inputs.resize(begin);
      ++table_.dropped;
      return;
    }
    for (std::size_t t = 0; t < places_.targets.size(); ++t) {
      const std::string_view cell = row.cells[places_.targets[t]];
      add_target(table_.targets[t], cell);
      if (!roles_.case_file) continue;
      table_.targets[t].is_missing.push_back(value_of_cell(cell).kind == CellKind::Missing);
    }
    table_.lines.push_back(row.line);
    if (places_.slice != kNoColumn) table_.slices.emplace_back(row.cells[places_.slice]);
    if (places_.kind != kNoColumn) table_.kinds.emplace_back(row.cells[places_.kind]);
    table_.ids.push_back(places_.id == kNoColumn ? std::to_string(source_row_) : checked_id(row));
  }

  static void add_target(TargetColumn& column, std::string_view cell) {
    const CellValue value = value_of_cell(cell);
    const bool number = value.kind != CellKind::Text;
    column.numbers.push_back(value.number);
    column.texts.emplace_back(cell);
    column.is_number.push_back(number);
    column.any_number = column.any_number || number;
    column.any_text = column.any_text || !number;
    if (!number) return;
    column.all_whole = column.all_whole && std::isfinite(value.number) && value.number == std::trunc(value.number);
    column.all_written_as_whole =
        column.all_written_as_whole && column.all_whole && cell.find_first_of(".eE") == std::string_view::npos;
  }

  /// Throws unless the value is missing and such rows may be left out.
  void require_droppable(const CsvRow& row, std::size_t column, const CellValue& value) const {
    const bool missing = value.kind == CellKind::Missing || value.kind == CellKind::Nan;
    if (missing && roles_.missing == spec::Missing::Drop) return;
    ErrorFacts facts;
    facts.file = reader_.path();
    facts.line = static_cast<int>(row.line);
    facts.column = static_cast<int>(column + 1);
    facts.subject = "column " + reader_.columns()[column];
    facts.found = row.cells[column].empty() ? "an empty cell" : '\'' + std::string(row.cells[column]) + '\'';
    facts.expected = "a number";
    switch (value.kind) {
      case CellKind::Missing:
        facts.problem = "a missing value";
        facts.expected = "a value";
        facts.remedy = leave_out_remedy();
        break;
      case CellKind::Nan:
        facts.problem = "NaN is already in the data";
        facts.expected = "a finite number";
        facts.remedy = leave_out_remedy();
        break;
      case CellKind::Infinite:
        facts.problem = "an infinite number is already in the data";
        facts.expected = "a finite number";
        facts.remedy = "Correct the value, or remove the row from the file";
        break;
      default:
        facts.problem = "text in an input column";
        facts.remedy = roles_.case_file
                           ? "Write the value as a number"
                           : "Leave the column out with data.columns.inputs, or write its values as numbers";
    }
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  std::string leave_out_remedy() const {
    return roles_.case_file ? "Give the case a value, or take it out of the file"
                            : "Set data.missing = \"drop\" to leave such rows out";
  }

  std::string checked_id(const CsvRow& row) {
    std::string id(row.cells[places_.id]);
    const auto [first, fresh] = id_lines_.emplace(id, row.line);
    if (id.empty() || !fresh) {
      ErrorFacts facts;
      facts.file = reader_.path();
      facts.line = static_cast<int>(row.line);
      facts.column = static_cast<int>(places_.id + 1);
      facts.subject = "column " + reader_.columns()[places_.id];
      facts.problem =
          id.empty() ? "a row without an id" : "an id that line " + std::to_string(first->second) + " has too";
      facts.found = id.empty() ? "an empty cell" : '\'' + id + '\'';
      facts.expected = "an id of its own for every row";
      facts.remedy =
          roles_.case_file ? "Correct the ids" : "Correct the ids, or leave data.columns.id out to use the row numbers";
      throw Error(ErrorKind::DataProblem, std::move(facts));
    }
    return id;
  }

  CsvReader reader_;
  const Roles& roles_;
  Places places_;
  Table table_;
  std::int64_t source_row_ = 0;
  bool all_integers_ = false;
  std::unordered_map<std::string, std::int64_t> id_lines_;
};

}  // namespace

Table read_table(const std::string& path, const Roles& roles) { return TableBuilder(path, roles).build(); }

}  // namespace mantissa::data
