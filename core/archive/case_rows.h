// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive/sqlite.h"
#include "core/record/case_row.h"

namespace mantissa::archive {

/// Puts case rows into the table `cases`.
class CaseInsert {
 public:
  explicit CaseInsert(Connection& connection);
  void run(std::int64_t trial, std::int64_t position, const record::CaseRow& row);

 private:
  Statement statement_;
};

/// The cases of a trial in the order of the frozen set.
std::vector<record::CaseRow> read_cases(Connection& connection, std::int64_t trial);

}  // namespace mantissa::archive
