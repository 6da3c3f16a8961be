// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace mantissa {

/// A file that appears whole or not at all: written beside its place, flushed to the disk, then renamed.
///
/// Without `commit()` (an exception on the way, say) nothing is left behind and an older file stays as it was.
/// \throws Error FileProblem where the folder cannot be written, DiskFull and WriteFailed while writing.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);

  /// Puts the file into its place. Call it once, last.
  void commit();

 private:
  [[noreturn]] void fail(int error_number) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* stream_ = nullptr;
};

}  // namespace mantissa
