// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace mantissa::model {

/// A file read at places that its own headers name: nothing is believed before it is known to lie inside the file.
class InputFile {
 public:
  /// \throws Error FileProblem: missing, a folder, a pipe or a device, unreadable.
  explicit InputFile(std::string path);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t length) const { return offset <= size_ && length <= size_ - offset; }

  /// \throws Error FileProblem where this is not inside the file or reading fails.
  void read(std::uint64_t offset, void* to, std::uint64_t length);
  std::string read(std::uint64_t offset, std::uint64_t length);

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  std::ifstream stream_;
};

}  // namespace mantissa::model
