// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/archive/sqlite.h"

namespace mantissa::archive {

/// Writes real columns as schema.sql describes: finite numbers as they are, everything else as NULL with two bits.
/// One object a row; the columns in order, then `states()`.
class RealWriter {
 public:
  void bind(Statement& statement, int position, const std::optional<double>& value) {
    std::int64_t state = 0;
    if (value && std::isfinite(*value)) {
      statement.bind(position, *value);
      if (*value == 0.0 && std::signbit(*value)) state = 3;
    } else {
      statement.bind_null(position);
      if (value) state = std::isnan(*value) ? 1 : *value > 0 ? 2 : 3;
    }
    states_ |= state << shift_;
    shift_ += 2;
  }

  std::int64_t states() const { return states_; }

 private:
  std::int64_t states_ = 0;
  int shift_ = 0;
};

/// The reverse: one object a row, the columns in the same order.
class RealReader {
 public:
  explicit RealReader(std::int64_t states) : states_(states) {}

  std::optional<double> read(const Statement& statement, int column) {
    const int state = static_cast<int>(states_ >> shift_ & 3);
    shift_ += 2;
    if (!statement.is_null(column)) {
      const double value = statement.real(column);
      return state == 3 && value == 0.0 ? -0.0 : value;
    }
    switch (state) {
      case 1:
        return std::numeric_limits<double>::quiet_NaN();
      case 2:
        return std::numeric_limits<double>::infinity();
      case 3:
        return -std::numeric_limits<double>::infinity();
      default:
        return std::nullopt;
    }
  }

 private:
  std::int64_t states_;
  int shift_ = 0;
};

}  // namespace mantissa::archive
