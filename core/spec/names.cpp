// SPDX-License-Identifier: Apache-2.0
#include "core/spec/names.h"

#include <algorithm>

#include "core/spec/table_reader.h"

namespace mantissa::spec {
namespace {

bool is_unfit(char c) { return c == '/' || c == '[' || c == ']' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string name_value(const Setting& setting) {
  std::string name = text_value(setting);
  if (name == "reference" || name == "last") {
    refuse(setting, "another name", "the word stands for something else on the command line");
  }
  if (name.find_first_not_of("0123456789") == std::string::npos) {
    refuse(setting, "a name with a letter", "a name of digits alone looks like the id of a trial");
  }
  if (std::any_of(name.begin(), name.end(), is_unfit) || name.front() == ' ' || name.back() == ' ') {
    refuse(setting, "a name without slashes, brackets, line breaks or blanks at its ends");
  }
  return name;
}

std::string name_from_stem(const std::string& stem) {
  std::string name = stem;
  std::replace_if(name.begin(), name.end(), is_unfit, '-');
  return name;
}

}  // namespace mantissa::spec
