// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/input_file.h"

namespace mantissa::model {

/// The zip archives that torch.save and torch.jit.save write, read with suspicion: every offset, size and name is
/// checked while opening, every checksum while reading. Nothing is allocated by what a header claims.
class ZipArchive {
 public:
  struct Entry {
    std::string name;  ///< without the archive's own top folder: "data.pkl", "data/0"
    bool deflated = false;
    std::uint32_t crc32 = 0;
    std::uint64_t stored_size = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  ///< of the data
  };

  /// \throws Error FileProblem: no zip archive, cut short, entries that overlap or leave the file, names that leave
  ///         their folder, two entries of one name, encryption, other compression, several top folders.
  explicit ZipArchive(const std::string& path);

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(const std::string& name) const;  ///< null where there is none

  /// The bytes of an entry that is stored as it is. \throws Error FileProblem where its checksum does not fit.
  std::string read(const Entry& entry);
  void read(const Entry& entry, void* to);

  /// Reads every entry, compressed ones too, and compares its checksum. \throws Error FileProblem naming the damaged
  /// one.
  void verify();

  const std::string& path() const { return file_.path(); }

 private:
  void read_directory();
  Entry read_entry(const std::string& directory, std::size_t& at, std::uint64_t directory_offset);
  void locate(Entry& entry, std::uint64_t header, const std::string& full_name, std::uint64_t end);
  void take_off_top_folder();
  void refuse_overlaps() const;
  [[noreturn]] void refuse(const std::string& problem, const std::string& entry = {},
                           const std::string& found = {}) const;

  InputFile file_;
  std::vector<Entry> entries_;
};

}  // namespace mantissa::model
