// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mantissa::spec {

/// One step into what a model returned: a place in a tuple or list (from 0), or the name of a field or a key.
using OutputStep = std::variant<std::int64_t, std::string>;

/// `output[1].boxes` as its steps: 1, "boxes". `output` alone has none. A key that is no identifier stands in quotes:
/// `output["box scores"]`. Nothing where the text is no selector.
std::optional<std::vector<OutputStep>> parse_output_selector(std::string_view text);

/// How messages and help describe a selector.
inline constexpr const char* output_selector_words = "output, output[1], output.boxes or several such steps";

}  // namespace mantissa::spec
