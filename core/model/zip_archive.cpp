// SPDX-License-Identifier: Apache-2.0
#include "core/model/zip_archive.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <zlib.h>

#include "core/base/error.h"

namespace mantissa::model {
namespace {

// Signatures and sizes: PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.14 to
// 4.3.16 (its end, also for zip64).
constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kEnd64Locator = 0x07064b50;
constexpr std::uint64_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::uint64_t kPiece = 1 << 16;

// torch compresses code alone and stores tensors as they are; a small file could unpack to more than any memory.
constexpr std::uint64_t kMostUnpacked = std::uint64_t{256} << 20;

std::uint64_t number_at(const std::string& bytes, std::uint64_t at, int width) {
  std::uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(at) + static_cast<std::size_t>(i)]);
  }
  return value;
}
std::uint32_t u16(const std::string& bytes, std::uint64_t at) {
  return static_cast<std::uint32_t>(number_at(bytes, at, 2));
}
std::uint32_t u32(const std::string& bytes, std::uint64_t at) {
  return static_cast<std::uint32_t>(number_at(bytes, at, 4));
}
std::uint64_t u64(const std::string& bytes, std::uint64_t at) { return number_at(bytes, at, 8); }

std::uint32_t checksum(std::uint32_t so_far, const void* bytes, std::uint64_t size) {
  return static_cast<std::uint32_t>(::crc32_z(so_far, static_cast<const Bytef*>(bytes), size));
}

bool leaves_its_folder(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string::npos ||
      name.find('\0') != std::string::npos || name.find(':') != std::string::npos) {
    return true;
  }
  const std::string framed = '/' + name + '/';
  return framed.find("/../") != std::string::npos || framed.find("/./") != std::string::npos;
}

}  // namespace

ZipArchive::ZipArchive(const std::string& path) : file_(path) {
  read_directory();
  refuse_overlaps();
  take_off_top_folder();
}

void ZipArchive::refuse(const std::string& problem, const std::string& entry, const std::string& found) const {
  throw Error(ErrorKind::FileProblem, {problem, file_.path(), 0, 0, entry.empty() ? "" : "entry " + entry, found, "",
                                       "Copy or save the file again"});
}

void ZipArchive::read_directory() {
  if (file_.size() == kEndSize && u32(file_.read(0, 4), 0) == kEnd) refuse("is an empty zip archive");
  if (file_.size() < 4 || u32(file_.read(0, 4), 0) != kLocal) refuse("is no zip archive, as torch.save writes it");
  const std::uint64_t tail_size = std::min<std::uint64_t>(file_.size(), kEndSize + 0xffff);
  const std::uint64_t tail_offset = file_.size() - tail_size;
  const std::string tail = file_.read(tail_offset, tail_size);
  std::uint64_t end = tail_size >= kEndSize ? tail_size - kEndSize + 1 : 0;
  const auto is_end = [&](std::uint64_t at) {
    return u32(tail, at) == kEnd && at + kEndSize + u16(tail, at + 20) == tail_size;
  };
  while (end > 0 && !is_end(end - 1)) --end;
  if (end == 0) refuse("is cut short: the directory at the end of the zip archive is missing");
  --end;

  std::uint64_t count = u16(tail, end + 10);
  std::uint64_t size = u32(tail, end + 12);
  std::uint64_t offset = u32(tail, end + 16);
  std::uint64_t directory_end = tail_offset + end;
  if (end >= kLocatorSize && u32(tail, end - kLocatorSize) == kEnd64Locator) {
    const std::uint64_t end64 = u64(tail, end - kLocatorSize + 8);
    if (!file_.holds(end64, kEnd64Size)) refuse("has a damaged zip directory");
    const std::string record = file_.read(end64, kEnd64Size);
    if (u32(record, 0) != kEnd64) refuse("has a damaged zip directory");
    count = u64(record, 32);
    size = u64(record, 40);
    offset = u64(record, 48);
    directory_end = end64;
  }
  if (!file_.holds(offset, size) || offset + size != directory_end || count > size / kCentralSize) {
    refuse("has a damaged zip directory");
  }
  const std::string directory = file_.read(offset, size);
  std::set<std::string> names;
  std::uint64_t unpacked = 0;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry entry = read_entry(directory, at, offset);
    if (!names.insert(entry.name).second) refuse("has two entries of one name", entry.name);
    if (entry.deflated && entry.size > kMostUnpacked - unpacked) {
      refuse("has compressed entries that unpack to more than " + std::to_string(kMostUnpacked >> 20) + " MiB",
             entry.name, std::to_string(entry.size) + " bytes in this one");
    }
    if (entry.deflated) unpacked += entry.size;
    entries_.push_back(std::move(entry));
  }
  if (at != size) refuse("has a damaged zip directory");
}

ZipArchive::Entry ZipArchive::read_entry(const std::string& directory, std::size_t& at,
                                         std::uint64_t directory_offset) {
  if (directory.size() - at < kCentralSize || u32(directory, at) != kCentral) refuse("has a damaged zip directory");
  const std::uint64_t name_size = u16(directory, at + 28), extra_size = u16(directory, at + 30),
                      comment_size = u16(directory, at + 32);
  const std::uint64_t whole = kCentralSize + name_size + extra_size + comment_size;
  if (directory.size() - at < whole) refuse("has a damaged zip directory");
  Entry entry;
  entry.name = directory.substr(at + kCentralSize, name_size);
  if (leaves_its_folder(entry.name)) refuse("has an entry whose name leaves the archive's folder", entry.name);
  if ((u16(directory, at + 8) & 1U) != 0) refuse("has an encrypted entry", entry.name);
  const std::uint32_t method = u16(directory, at + 10);
  if (method != 0 && method != 8) refuse("has an entry with a compression that torch does not write", entry.name);
  entry.deflated = method == 8;
  entry.crc32 = u32(directory, at + 16);
  entry.stored_size = u32(directory, at + 20);
  entry.size = u32(directory, at + 24);
  std::uint64_t header = u32(directory, at + 42);

  std::uint64_t extra = at + kCentralSize + name_size;
  const std::uint64_t extra_end = extra + extra_size;
  while (extra + 4 <= extra_end) {
    const std::uint64_t field_size = u16(directory, extra + 2);
    if (field_size > extra_end - extra - 4) refuse("has a damaged zip directory", entry.name);
    if (u16(directory, extra) == 1) {  // zip64: only the numbers that did not fit, in this order
      std::uint64_t field = extra + 4;
      for (std::uint64_t* number : {&entry.size, &entry.stored_size, &header}) {
        if (*number != kIn64) continue;
        if (field + 8 > extra + 4 + field_size) refuse("has a damaged zip directory", entry.name);
        *number = u64(directory, field);
        field += 8;
      }
    }
    extra += 4 + field_size;
  }
  if (!entry.deflated && entry.size != entry.stored_size) refuse("has an entry with two sizes", entry.name);
  locate(entry, header, entry.name, directory_offset);
  at += whole;
  return entry;
}

void ZipArchive::locate(Entry& entry, std::uint64_t header, const std::string& full_name, std::uint64_t end) {
  if (header > end || end - header < kLocalSize) refuse("has an entry outside the file", full_name);
  const std::string local = file_.read(header, kLocalSize);
  const std::uint64_t name_size = u16(local, 26);
  const std::uint64_t begin = header + kLocalSize + name_size + u16(local, 28);
  const bool same_method = u16(local, 8) == (entry.deflated ? 8U : 0U);
  if (u32(local, 0) != kLocal || !same_method || name_size != full_name.size() || begin > end) {
    refuse("has a damaged header of an entry", full_name);
  }
  if (file_.read(header + kLocalSize, name_size) != full_name) refuse("has an entry of two names", full_name);
  if (entry.stored_size > end - begin) refuse("has an entry outside the file", full_name);
  entry.offset = begin;
}

void ZipArchive::refuse_overlaps() const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Entry& before = *order[i - 1];
    // Two equal empty entries cannot be: each has a header of its own in front.
    if (order[i]->offset - before.offset < before.stored_size) refuse("has entries that overlap", order[i]->name);
  }
}

void ZipArchive::take_off_top_folder() {
  if (entries_.empty()) refuse("is an empty zip archive");
  const std::string folder = entries_.front().name.substr(0, entries_.front().name.find('/') + 1);
  if (folder.empty()) refuse("has no top folder, as torch's archives have", entries_.front().name);
  for (Entry& entry : entries_) {
    if (entry.name.compare(0, folder.size(), folder) != 0) refuse("has several top folders", entry.name);
    entry.name.erase(0, folder.size());
  }
}

const ZipArchive::Entry* ZipArchive::find(const std::string& name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

void ZipArchive::read(const Entry& entry, void* to) {
  if (entry.deflated) refuse("has a compressed entry where torch.save stores it", entry.name);
  file_.read(entry.offset, to, entry.size);
  if (checksum(0, to, entry.size) != entry.crc32)
    refuse("is damaged: the checksum of an entry does not fit", entry.name);
}

std::string ZipArchive::read(const Entry& entry) {
  std::string bytes(entry.size, '\0');
  read(entry, bytes.data());
  return bytes;
}

void ZipArchive::verify() {
  for (const Entry& entry : entries_) {
    std::uint32_t sum = 0;
    std::uint64_t unpacked = 0;
    z_stream stream{};
    if (entry.deflated && ::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    int state = Z_OK;
    std::array<unsigned char, kPiece> out;
    for (std::uint64_t done = 0; done < entry.stored_size; done += kPiece) {
      std::string piece = file_.read(entry.offset + done, std::min(kPiece, entry.stored_size - done));
      if (!entry.deflated) {
        sum = checksum(sum, piece.data(), piece.size());
        unpacked += piece.size();
        continue;
      }
      stream.next_in = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_in = static_cast<uInt>(piece.size());
      do {
        stream.next_out = out.data();
        stream.avail_out = static_cast<uInt>(out.size());
        state = ::inflate(&stream, Z_NO_FLUSH);
        const std::uint64_t made = out.size() - stream.avail_out;
        sum = checksum(sum, out.data(), made);
        unpacked += made;
      } while (state == Z_OK && stream.avail_out == 0 && unpacked <= entry.size);
      if (state != Z_OK && state != Z_BUF_ERROR) break;
    }
    if (entry.deflated) ::inflateEnd(&stream);
    const bool complete = !entry.deflated || state == Z_STREAM_END;
    if (!complete || unpacked != entry.size || sum != entry.crc32) {
      refuse("is damaged: the checksum of an entry does not fit", entry.name);
    }
  }
}

}  // namespace mantissa::model
