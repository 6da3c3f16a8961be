// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::data {

/// The bytes of a file in pieces, unpacked on the way when the content is gzip (whatever the file is called).
class FileBytes {
 public:
  /// \throws Error FileProblem for a missing file, a folder, a pipe or device, a file that may not be read.
  explicit FileBytes(const std::string& path);

  /// The next piece; empty at the end of the file. Valid until the next call.
  /// \throws Error FileProblem where the gzip stream is cut short or damaged, unpacks to more than 64 MiB and more than
  ///         250 times its size (see the .cpp), or reading fails.
  std::string_view next();

  const std::string& path() const { return path_; }

 private:
  void refuse_bomb() const;

  struct CloseGzip {
    void operator()(void* file) const;
  };

  std::string path_;
  std::unique_ptr<void, CloseGzip> file_;
  std::vector<char> buffer_;
  std::uint64_t unpacked_ = 0;  // bytes given out so far
};

}  // namespace mantissa::data
