// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace mantissa {

/// A file that appears whole or not at all: written beside its place, flushed to the disk, then renamed.
///
/// A file that was there passes its permissions on. Without `commit()` (an exception on the way, say) nothing is left
/// behind and an older file stays as it was. Links are followed and stay. A device, a pipe or an open file behind /proc
/// (as /dev/stdout is) cannot be replaced: it is written straight into. \throws Error FileProblem where the folder
/// cannot be written, DiskFull and WriteFailed while writing.
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
  void open_in_place();

  std::filesystem::path path_;       // as given
  std::filesystem::path target_;     // behind all links
  std::filesystem::path temporary_;  // empty where the file is written in place
  std::FILE* stream_ = nullptr;
};

}  // namespace mantissa
