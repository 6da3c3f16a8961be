// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/recorded_lines.h"

#include <zlib.h>

namespace mantissa::oracle {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> recorded_lines(const std::string& name) {
  const std::string path = MANTISSA_SOURCE_DIR "/tests/oracle/fixtures/" + name;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  std::string text;
  std::vector<char> block(1 << 16);
  for (int count; (count = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  gzclose(file);
  return split(text, '\n');
}

}  // namespace mantissa::oracle
