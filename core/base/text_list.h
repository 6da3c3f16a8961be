// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// "a, b, c"
std::string joined(const std::vector<std::string>& texts, std::string_view separator = ", ");

/// "[1, 28, 28]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace mantissa
