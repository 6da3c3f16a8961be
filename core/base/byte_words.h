// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mantissa {

/// Three significant digits and a decimal unit: "512 B", "13.2 MB", "1.05 GB".
std::string bytes_words(std::int64_t bytes);

}  // namespace mantissa
