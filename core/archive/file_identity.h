// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mantissa::archive {

/// Which file it is, whatever its name: device and inode.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;

/// The file that is under this path now, links followed; nothing where there is none. Opens nothing: closing a file
/// that SQLite has open would take its locks away.
std::optional<FileIdentity> identity_of(const std::string& path);

}  // namespace mantissa::archive
