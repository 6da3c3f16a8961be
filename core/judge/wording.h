// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::judge {

/// Four significant digits; NaN, +∞, −∞.
std::string short_number(double value);

/// Four significant digits, or all of them where four would read like `limit` although the value is another one.
std::string number_beside(double value, double limit);

/// "1,204".
std::string count(std::int64_t number);

/// "1 case", "1,204 cases".
std::string count(std::int64_t number, std::string_view noun);

/// "a", "a and b", "a, b and 4 more": the first three at most.
std::string first_three(const std::vector<std::string>& items);

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);

}  // namespace mantissa::judge
