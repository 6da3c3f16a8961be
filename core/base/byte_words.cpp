// SPDX-License-Identifier: Apache-2.0
#include "core/base/byte_words.h"

#include "core/base/number_text.h"

namespace mantissa {

std::string bytes_words(std::int64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* const larger : {"kB", "MB", "GB", "TB"}) {
    // 999.6 kB would round to 1000 kB.
    if (value < 999.5) break;
    value /= 1000.0;
    unit = larger;
  }
  return to_text(value, 3) + ' ' + unit;
}

}  // namespace mantissa
