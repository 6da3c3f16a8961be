// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa::archive {

/// Whether the write-ahead log (-wal) that lies beside this archive now is one that this process has open. Opens and
/// closes nothing: that would take locks away.
bool has_log_open(const std::string& archive);

/// Renames the log beside an archive whose file was replaced, to `-wal.replaced`, or with a number behind it where that
/// is taken: it belongs to the file that was there before, and whoever opens the new one would read it as damaged. The
/// log's index (-shm) goes: it is made anew from the log. Does nothing where it cannot.
void set_log_aside(const std::string& archive) noexcept;

}  // namespace mantissa::archive
