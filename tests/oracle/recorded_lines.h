// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mantissa::oracle {

/// The parts between separators; one more than there are separators.
std::vector<std::string> split(const std::string& text, char separator);

/// The lines of a compressed text in fixtures/; empty where it cannot be read.
std::vector<std::string> recorded_lines(const std::string& name);

}  // namespace mantissa::oracle
