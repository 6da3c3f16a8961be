// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa::report {

/// An estimate between its two bounds, for people.
struct IntervalWords {
  std::string value;
  std::string low;
  std::string high;
};

/// As `number_words` has them, all three with as many decimals as the one that needs most: "0.3059 (0.3018 to 0.3100)".
/// Powers of ten ("1.2e-07") and numbers that are not finite stay as they are.
IntervalWords interval_words(double value, double low, double high);

}  // namespace mantissa::report
