// SPDX-License-Identifier: Apache-2.0
#include "core/archive/stale_log.h"

#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>

#include "core/archive/file_identity.h"

namespace mantissa::archive {

namespace fs = std::filesystem;

bool has_log_open(const std::string& archive) {
  const std::optional<FileIdentity> log = identity_of(archive + "-wal");
  if (!log) return false;
  std::error_code code;
  for (fs::directory_iterator one("/proc/self/fd", code), end; !code && one != end; one.increment(code)) {
    if (identity_of(one->path()) == log) return true;  // a descriptor is a link to its file
  }
  return false;
}

void set_log_aside(const std::string& archive) noexcept {
  try {
    constexpr int kMost = 100;
    const std::string aside = archive + "-wal.replaced";
    std::error_code ignored;
    for (int i = 1; i <= kMost; ++i) {
      const std::string place = i == 1 ? aside : aside + '-' + std::to_string(i);
      if (fs::exists(fs::symlink_status(place, ignored))) continue;
      fs::rename(archive + "-wal", place);
      fs::remove(archive + "-shm", ignored);
      return;
    }
  } catch (const std::exception&) {
    // The file's folder cannot be written: readers are told that the archive is damaged.
  }
}

}  // namespace mantissa::archive
