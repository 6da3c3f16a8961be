// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/record/trial.h"

namespace mantissa::compare {

/// What stands in a column of a trial. monostate: it was not measured, or does not apply. Numbers may be non-finite.
using Cell = std::variant<std::monostate, double, std::string>;

/// One column of the table of trials: a result, or what a trial was. Settings have no columns of their own; a filter
/// reads them by their key paths (trial_filter.h).
struct TrialColumn {
  std::string name;         ///< as filters, --sort and --columns write it: "final_loss"
  std::string description;  ///< one line with the unit: "seconds of training, evaluation left out"
  bool is_number = false;
};

/// In the order in which they are shown.
const std::vector<TrialColumn>& trial_columns();

/// Null where there is no such column.
const TrialColumn* find_trial_column(const std::string& name);

/// \param column  the name of a column that there is
Cell cell_of(const record::TrialRow& trial, const std::string& column);

/// Whether `a` comes before `b`: numbers by size, then texts byte by byte, then what is not finite, then what is not
/// there, so that nothing but a finite number is ever first. \param descending  turns numbers and texts around alone
bool comes_before(const Cell& a, const Cell& b, bool descending);

}  // namespace mantissa::compare
