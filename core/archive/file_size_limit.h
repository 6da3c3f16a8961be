// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

namespace mantissa::archive {

/// The problem of DiskFull where the system, or a limit of the process (`ulimit -f`), lets no file be so large.
inline constexpr char kFileSizeLimit[] = "the archive would be larger than this system lets a file be";

/// Whether that is what went wrong: room on the disk would change nothing.
inline bool is_file_size_limit(const ErrorFacts& facts) { return facts.problem == kFileSizeLimit; }

}  // namespace mantissa::archive
