// SPDX-License-Identifier: Apache-2.0
#include "core/memory/size_text.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/memory/ledger.h"
#include "core/spec/units.h"

namespace mantissa::memory {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void refuse(const std::string& field, std::string_view found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, "'" + std::string(found) + "'", expected, ""});
}

/// An unsigned decimal number as its digits: 1.5e2 is digits 15, point 3 (1.5e2 = 0.15 · 10^3).
struct Decimal {
  std::string digits;
  std::int64_t point = 0;  ///< so many digits stand before the decimal point; may lie outside of them
};

std::optional<Decimal> decimal_from_text(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  Decimal decimal;
  const std::size_t exponent_at = text.find_first_of("eE");
  const std::string_view significand = text.substr(0, exponent_at);
  const std::size_t point_at = std::min(significand.find('.'), significand.size());
  for (std::size_t i = 0; i < significand.size(); ++i) {
    if (i == point_at) continue;
    if (significand[i] < '0' || significand[i] > '9') return std::nullopt;
    decimal.digits += significand[i];
  }
  if (decimal.digits.empty()) return std::nullopt;
  decimal.point = static_cast<std::int64_t>(point_at);
  if (exponent_at != std::string_view::npos) {
    const std::optional<double> exponent = number_from_text(text.substr(exponent_at + 1));
    if (!exponent || text.find_first_not_of("+-0123456789", exponent_at + 1) != std::string_view::npos) {
      return std::nullopt;
    }
    constexpr double kBeyondAll = 1e6;  // no size has a million digits; keeps the sum below in range
    decimal.point += static_cast<std::int64_t>(std::clamp(*exponent, -kBeyondAll, kBeyondAll));
  }
  return decimal;
}

/// decimal * unit as a whole number, or nothing beyond 64 bits. \param unit  up to 2^59.
std::optional<std::int64_t> scaled(const Decimal& decimal, std::int64_t unit, Rounding rounding) {
  const auto count = static_cast<std::int64_t>(decimal.digits.size());
  const auto digit = [&decimal](std::int64_t at) {
    return static_cast<std::int64_t>(decimal.digits[static_cast<std::size_t>(at)] - '0');
  };
  // Decimals from the last to the first: 0.34 u = (3u + 4u / 10) / 10. Cutting each quotient cuts the whole only once.
  std::int64_t below_one = 0;
  bool cut = false;
  for (std::int64_t at = count - 1; at >= std::max<std::int64_t>(decimal.point, 0); --at) {
    const std::int64_t sum = digit(at) * unit + below_one;
    below_one = sum / 10;
    cut = cut || sum % 10 != 0;
  }
  for (std::int64_t zero = decimal.point; zero < 0 && below_one != 0; ++zero) {
    cut = cut || below_one % 10 != 0;
    below_one /= 10;
  }
  std::int64_t whole = 0;
  for (std::int64_t at = 0; at < decimal.point; ++at) {
    if (at >= count && whole == 0) break;  // zeros behind zero
    const std::int64_t next = at < count ? digit(at) : 0;
    if (whole > (kLargest - next) / 10) return std::nullopt;
    whole = 10 * whole + next;
  }
  if (cut && rounding == Rounding::Up) ++below_one;
  if (whole > (kLargest - below_one) / unit) return std::nullopt;
  return whole * unit + below_one;
}

struct NumberAndUnit {
  std::string_view number;
  std::string_view unit;
};

NumberAndUnit split(std::string_view text) {
  // A decimal comma belongs to the number, so that it is the number that is refused.
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,+-eE"), text.size());
  const std::size_t unit_at = std::min(text.find_first_not_of(' ', end), text.size());
  return {text.substr(0, end), text.substr(unit_at)};
}

bool is_negative(std::string_view number) { return !number.empty() && number.front() == '-'; }

std::optional<std::int64_t> bytes_of_dtype(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> kDtypes{{{"float64", 8},
                                                                               {"float32", 4},
                                                                               {"bfloat16", 2},
                                                                               {"float16", 2},
                                                                               {"int64", 8},
                                                                               {"int32", 4},
                                                                               {"int16", 2},
                                                                               {"int8", 1},
                                                                               {"uint8", 1},
                                                                               {"bool", 1}}};
  for (const auto& [dtype, bytes] : kDtypes) {
    if (dtype == name) return bytes;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t size_from_text(const std::string& field, std::string_view text, Rounding rounding) {
  const auto [number, unit] = split(text);
  if (is_negative(number)) refuse(field, text, "a size of at least 0 B");
  const std::optional<Decimal> decimal = decimal_from_text(number);
  if (!decimal) refuse(field, text, "a size with its unit, such as 3.2 GB or 24 GiB, with a decimal point");
  const std::optional<std::int64_t> unit_bytes = spec::bytes_of_unit(unit);
  if (!unit_bytes) {
    refuse(field, text, "a number and a unit: B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024)");
  }
  const std::optional<std::int64_t> bytes = scaled(*decimal, *unit_bytes, rounding);
  if (!bytes) refuse(field, text, "at most " + std::to_string(kLargest) + " B (64 bits)");
  return *bytes;
}

std::int64_t held_size_from_text(const std::string& field, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return size_from_text(field, text, Rounding::Up);
  const std::optional<std::int64_t> count = integer_from_text(text.substr(0, colon));
  if (!count || *count < 0) {
    refuse(field, text, "COUNT:DTYPE with a whole number of elements from 0 to " + std::to_string(kLargest));
  }
  const std::optional<std::int64_t> bytes_each = bytes_of_dtype(text.substr(colon + 1));
  if (!bytes_each) {
    refuse(field, text,
           "COUNT:DTYPE with float64, float32, bfloat16, float16, int64, int32, int16, int8, uint8 or bool");
  }
  if (*count > kLargest / *bytes_each) {
    refuse(field, text, "at most " + std::to_string(kLargest / *bytes_each) + " elements of this dtype (64 bits)");
  }
  return *count * *bytes_each;
}

std::int64_t reserve_from_text(const std::string& field, std::string_view text) {
  const std::string expected = "a share from 0 to below 1, such as 0.10, or from 0 % to below 100 %";
  const auto [number, unit] = split(text);
  const std::optional<Decimal> decimal = decimal_from_text(number);
  const bool is_share = text.size() == number.size();
  if (!decimal || (!is_share && unit != "%")) refuse(field, text, expected);
  const std::optional<std::int64_t> parts =
      scaled(*decimal, is_share ? kWholeReserve : kWholeReserve / 100, Rounding::Up);
  if (!parts || *parts >= kWholeReserve) refuse(field, text, expected);
  return *parts;
}

std::int64_t count_from_text(const std::string& field, std::string_view text) {
  const std::optional<std::int64_t> count = integer_from_text(text);
  if (!count || *count < 1) {
    refuse(field, text, "a whole number from 1 to " + std::to_string(kLargest));
  }
  return *count;
}

}  // namespace mantissa::memory
