// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace mantissa::archive {

/// The answer to one SELECT of a person's own, row by row, of one moment of the archive.
///
/// It can read the archive and nothing else: the connection is read-only, and an authorizer refuses every statement
/// that would write, attach a file, change a setting or load code (https://sqlite.org/c3ref/set_authorizer.html).
/// Used by one thread at a time, `interrupt` apart.
class Query {
 public:
  struct Bytes {
    std::string bytes;
  };
  /// monostate: NULL. SQLite has no NaN; the views say what a NULL stands for in columns that end in _state.
  using Value = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;

  /// \throws Error InvalidSetting  where it is no single SELECT, or reads what is not there; `column` is the place in
  ///         the text from 1 where SQLite tells it. And what opening an archive throws, as Reader
  Query(const std::string& archive, const std::string& sql);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  /// As the SELECT names them. Several may be called alike.
  const std::vector<std::string>& columns() const;

  /// True while there is a row. \throws Error InvalidSetting  of an expression that fails at a row, or interrupted
  bool next();

  /// Of the row at which `next` stands. \param column  from 0
  Value value(std::size_t column) const;

  /// Ends `next` early. Safe from any thread while this object lives.
  void interrupt();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The views that keep their columns from version to version: "trial_summary", …
std::vector<std::string> documented_views(const std::string& archive);

}  // namespace mantissa::archive
