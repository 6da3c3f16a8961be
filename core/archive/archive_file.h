// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/archive/sqlite.h"

namespace mantissa::archive {

/// Opens an archive to write, creates it where there is none. Its folder must exist.
/// \throws Error FileProblem, ArchiveDamaged, ArchiveNewer, ArchiveReadOnly, ArchiveLocked, DiskFull.
std::unique_ptr<Connection> open_for_writing(const std::string& path, std::chrono::milliseconds busy_timeout);

/// Opens an archive to read, beside writers and on read-only media.
/// \throws Error FileProblem, ArchiveDamaged, ArchiveNewer, ArchiveReadOnly, ArchiveLocked.
std::unique_ptr<Connection> open_for_reading(const std::string& path, std::chrono::milliseconds busy_timeout);

/// After the last reader: takes away the files -wal and -shm that SQLite has put beside the archive for it. Where
/// another connection uses them, where they hold records, or where they cannot be taken away, they stay.
void take_away_side_files(const std::string& path) noexcept;

}  // namespace mantissa::archive
