// SPDX-License-Identifier: Apache-2.0
#include "core/archive/file_identity.h"

#include <sys/stat.h>

namespace mantissa::archive {

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return FileIdentity(facts.st_dev, facts.st_ino);
}

}  // namespace mantissa::archive
