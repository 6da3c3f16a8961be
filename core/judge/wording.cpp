// SPDX-License-Identifier: Apache-2.0
#include "core/judge/wording.h"

#include <cmath>
#include <cstddef>

#include "core/base/number_text.h"

namespace mantissa::judge {
namespace {

constexpr std::size_t kMostNamed = 3;

std::string joined(const std::vector<std::string>& items, std::size_t number, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < number; ++i) text += (i == 0 ? "" : ", ") + items[i];
  if (!last.empty()) text += (text.empty() ? "" : " and ") + std::string(last);
  return text;
}

}  // namespace

std::string short_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+∞" : "−∞";
  return to_text(value, 4);
}

std::string number_beside(double value, double limit) {
  const std::string text = short_number(value);
  return text == short_number(limit) && value != limit ? to_text(value) : text;
}

std::string count(std::int64_t number) {
  std::string text = std::to_string(number);  // integers know no locale
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t place = text.size(); place > sign + 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

std::string count(std::int64_t number, std::string_view noun) {
  return count(number) + ' ' + std::string(noun) + (number == 1 ? "" : "s");
}

std::string first_three(const std::vector<std::string>& items) {
  if (items.size() <= kMostNamed) return listed(items);
  return joined(items, kMostNamed, count(static_cast<std::int64_t>(items.size() - kMostNamed)) + " more");
}

std::string listed(const std::vector<std::string>& items) {
  if (items.empty()) return {};
  return joined(items, items.size() - 1, items.back());
}

}  // namespace mantissa::judge
