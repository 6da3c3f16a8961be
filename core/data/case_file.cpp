// SPDX-License-Identifier: Apache-2.0
#include "core/data/case_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/data/csv.h"

namespace mantissa::data {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most ? text + ", … (" + std::to_string(names.size()) + " in all)" : text;
}

[[noreturn]] void refuse_header(const std::string& file, std::string problem, std::string found, std::string expected,
                                std::string remedy = {}) {
  ErrorFacts facts;
  facts.file = file;
  facts.line = 1;
  facts.problem = std::move(problem);
  facts.found = std::move(found);
  facts.expected = std::move(expected);
  facts.remedy = std::move(remedy);
  throw Error(ErrorKind::DataProblem, std::move(facts));
}

/// What each column of the file is, as the roles of a table.
class Header {
 public:
  Header(const CsvReader& reader, const Table& data) : file_(reader.path()), columns_(reader.columns()), data_(data) {
    if (!reader.has_header()) {
      refuse_header(file_, "a case file without a header", "numbers in the first line",
                    "id and the input columns " + some_of(data.input_names));
    }
  }

  Roles roles(const spec::Experiment& experiment) const {
    Roles roles;
    roles.experiment = &experiment;
    roles.missing = spec::Missing::Refuse;
    roles.case_file = true;
    refuse_missing();
    roles.columns.id = "id";
    roles.columns.inputs = data_.input_names;
    for (std::size_t i = 0; i < data_.input_names.size(); ++i) {
      if (i < data_.integer_inputs.size() && data_.integer_inputs[i])
        roles.columns.integers.push_back(data_.input_names[i]);
    }
    if (has_own("slice")) roles.columns.slice = "slice";
    if (has_own("kind")) roles.kind = "kind";
    roles.columns.target = targets();
    if (roles.columns.target.empty()) roles.wanted = Roles::Wanted::Inputs;
    refuse_others(roles);
    return roles;
  }

 private:
  /// A column of the file that is no input column of the data.
  bool has_own(const std::string& name) const { return contains(columns_, name) && !contains(data_.input_names, name); }

  void refuse_missing() const {
    if (contains(data_.input_names, "id")) {
      refuse_header(file_, "an input column of the data is called id, which names the cases here", "", "",
                    "Rename the column in the data");
    }
    std::vector<std::string> missing;
    if (!contains(columns_, "id")) missing.emplace_back("id");
    for (const std::string& name : data_.input_names) {
      if (!contains(columns_, name)) missing.push_back(name);
    }
    if (missing.empty()) return;
    refuse_header(file_, "no column " + some_of(missing), "columns " + some_of(columns_),
                  "id and the " + std::to_string(data_.input_names.size()) + " input columns of the data by name");
  }

  std::vector<std::string> targets() const {
    if (data_.target_names.size() == 1 && has_own("target")) return {"target"};
    std::vector<std::string> present;
    for (const std::string& name : data_.target_names) {
      if (has_own(name)) present.push_back(name);
    }
    if (present.empty() || present.size() == data_.target_names.size()) return present;
    refuse_header(file_, "some target columns and not all", some_of(present),
                  "all of " + some_of(data_.target_names) + ", or none");
  }

  void refuse_others(const Roles& roles) const {
    std::vector<std::string> others;
    for (const std::string& name : columns_) {
      const bool known = name == "id" || contains(data_.input_names, name) || contains(roles.columns.target, name) ||
                         name == roles.columns.slice || name == roles.kind;
      if (!known) others.push_back(name);
    }
    if (others.empty()) return;
    refuse_header(file_, "a case file of another width: columns that the data does not have as inputs or targets",
                  some_of(others), "id, kind, slice, " + some_of(data_.input_names) + " and the target");
  }

  std::string file_;
  const std::vector<std::string>& columns_;
  const Table& data_;
};

std::vector<record::CaseKind> kinds_of(const Table& table) {
  std::vector<record::CaseKind> kinds(static_cast<std::size_t>(table.rows()), record::CaseKind::Ordinary);
  for (std::size_t row = 0; row < table.kinds.size(); ++row) {
    const std::string& word = table.kinds[row];
    if (word.empty()) continue;
    const std::optional<record::CaseKind> kind = record::case_kind_from_text(word);
    if (!kind) {
      ErrorFacts facts;
      facts.file = table.file;
      facts.line = table.line_of(static_cast<std::int64_t>(row));
      facts.subject = "column kind";
      facts.found = '\'' + word + '\'';
      facts.expected = "ordinary, edge, boundary, or an empty cell for ordinary";
      throw Error(ErrorKind::DataProblem, std::move(facts));
    }
    kinds[row] = *kind;
  }
  return kinds;
}

}  // namespace

CaseFile read_case_file(const spec::Experiment& experiment, const Table& data) {
  const std::string& path = experiment.cases.path;
  CaseFile cases;
  const CsvReader reader(path);
  const Roles roles = Header(reader, data).roles(experiment);
  cases.table = read_table(path, roles);
  cases.kinds = kinds_of(cases.table);
  return cases;
}

}  // namespace mantissa::data
