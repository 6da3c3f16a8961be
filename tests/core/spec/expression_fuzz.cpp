// SPDX-License-Identifier: Apache-2.0
// For libFuzzer (packaging/checks/fuzz.sh): whatever the text, it is read or refused with a place within it, and what
// was read says of any row that it holds or that it does not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/spec/expression.h"

using mantissa::Error;
using mantissa::spec::Expression;

namespace {

/// Values by the place of the name, of every kind.
Expression::Value value_at(std::size_t place) {
  switch (place % 4) {
    case 0:
      return 1.0;
    case 1:
      return std::string_view("a");
    case 2:
      return {};
    default:
      return -static_cast<double>(place);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Expression expression(text);
    if (expression.text() != text) std::abort();
    try {
      expression.holds(value_at);
    } catch (const Error& error) {
      if (error.facts().subject.empty()) std::abort();  // a number beside a string, and by its name
    }
  } catch (const Error& error) {
    if (error.facts().column < 1 || error.facts().column > static_cast<int>(size) + 1) std::abort();
  }
  return 0;
}
