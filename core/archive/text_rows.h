// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/sqlite.h"

namespace mantissa::archive {

/// Texts of an arm in their order. \param sql  an INSERT of (trial, position, text)
inline void insert_list(Connection& connection, std::int64_t trial, const char* sql,
                        const std::vector<std::string>& texts) {
  Statement insert(connection, sql);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    insert.bind(1, trial).bind(2, static_cast<std::int64_t>(i)).bind(3, std::string_view(texts[i])).run();
  }
}

/// \param sql  a SELECT of the texts of trial ?1 in their order
inline std::vector<std::string> read_list(Connection& connection, std::int64_t trial, const char* sql) {
  Statement select(connection, sql);
  select.bind(1, trial);
  std::vector<std::string> texts;
  while (select.step()) texts.push_back(select.text(0));
  return texts;
}

}  // namespace mantissa::archive
