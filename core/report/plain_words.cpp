// SPDX-License-Identifier: Apache-2.0
#include "core/report/plain_words.h"

#include <cmath>

#include "core/base/byte_words.h"
#include "core/base/number_text.h"

namespace mantissa::report {
namespace {

constexpr const char* kNotMeasured = "–";

std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

std::string count_words(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

std::string number_words(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+∞" : "−∞";
  const std::string text = to_text(value, 4);
  const double rounded = number_from_text(text).value_or(value);
  if (std::abs(rounded) >= 1e3 && std::abs(rounded) < 1e7) {
    const auto whole = static_cast<std::int64_t>(rounded);
    if (static_cast<double>(whole) == rounded) return count_words(whole);
  }
  return text;
}

std::string number_words(const std::optional<double>& value) { return value ? number_words(*value) : kNotMeasured; }

std::string share_words(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return kNotMeasured;
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  std::string text = to_text(percent, 2);
  // 1,999 of 2,000 must not read as all of them.
  if (part < whole && percent > 99.0) text = percent >= 99.9 ? "> 99.9" : to_text(percent, 3);
  if (part >= whole) text = to_text(percent, 3);
  return text + " %";
}

std::string scale_words(double scale) {
  if (scale == 0.0) return kNotMeasured;
  if (std::isfinite(scale) && scale > 0.0) {
    int exponent = 0;
    if (std::frexp(scale, &exponent) == 0.5) return "2^" + std::to_string(exponent - 1);
  }
  return number_words(scale);
}

std::string duration_words(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0.0) return kNotMeasured;
  if (seconds < 0.95) return to_text(std::round(seconds * 1000.0)) + " ms";
  if (seconds < 9.95) return to_text(std::round(seconds * 10.0) / 10.0) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  return count_words(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

std::string bytes_words(std::int64_t bytes) { return mantissa::bytes_words(bytes); }

std::string skip_sentence(std::int64_t skipped, std::int64_t attempted) {
  if (attempted == 0) return "no step attempted";
  const std::string steps = count_words(attempted) + (attempted == 1 ? " step" : " steps");
  if (skipped == 0) return "none of " + steps + " skipped";
  return count_words(skipped) + " of " + steps + " skipped (" + share_words(skipped, attempted) + ")";
}

std::string verdict_words(record::VerdictWord word) {
  switch (word) {
    case record::VerdictWord::Accepted:
      return "✓ accepted";
    case record::VerdictWord::Rejected:
      return "✕ rejected";
    case record::VerdictWord::Undecided:
      return "? undecided";
  }
  return {};
}

}  // namespace mantissa::report
