// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_list.h"

namespace mantissa {

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) all += separator;
    all += texts[i];
  }
  return all;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return '[' + text + ']';
}

}  // namespace mantissa
