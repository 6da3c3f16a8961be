// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace mantissa::cli {

/// The first bytes of a file, at most `limit`. \throws Error FileProblem: missing, a folder, unreadable.
std::string read_start(const std::string& path, std::size_t limit);

/// The whole file. \throws Error as `read_start`, and where it is larger than `limit`.
std::string read_whole(const std::string& path, std::size_t limit);

}  // namespace mantissa::cli
