// SPDX-License-Identifier: Apache-2.0
#include "core/data/idx.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/data/file_bytes.h"

namespace mantissa::data {

namespace {

struct ElementType {
  unsigned char code;
  const char* name;
  std::size_t bytes;
};
constexpr std::array<ElementType, 6> kTypes = {{{0x08, "uint8", 1},
                                                {0x09, "int8", 1},
                                                {0x0B, "int16", 2},
                                                {0x0C, "int32", 4},
                                                {0x0D, "float32", 4},
                                                {0x0E, "float64", 8}}};
constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kMostDimensions = 8;

const ElementType* type_of(unsigned char code) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [code](const auto& type) { return type.code == code; });
  return found == kTypes.end() ? nullptr : &*found;
}

unsigned char byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

std::uint64_t big_endian(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

template <class Value, class Bits>
double value_of(std::uint64_t bits) {
  const auto narrow = static_cast<Bits>(bits);
  Value value;
  std::memcpy(&value, &narrow, sizeof value);
  return static_cast<double>(value);
}

double element(const char* bytes, const ElementType& type) {
  const std::uint64_t bits = big_endian(bytes, type.bytes);
  switch (type.code) {
    case 0x08:
      return static_cast<double>(bits);
    case 0x09:
      return value_of<std::int8_t, std::uint8_t>(bits);
    case 0x0B:
      return value_of<std::int16_t, std::uint16_t>(bits);
    case 0x0C:
      return value_of<std::int32_t, std::uint32_t>(bits);
    case 0x0D:
      return value_of<float, std::uint32_t>(bits);
    default:
      return value_of<double, std::uint64_t>(bits);
  }
}

std::string bytes_text(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

class IdxReader {
 public:
  explicit IdxReader(const std::string& path) : source_(path) { array_.path = path; }

  IdxArray read() {
    read_magic();
    read_shape();
    read_elements();
    return std::move(array_);
  }

 private:
  [[noreturn]] void refuse(std::string problem, std::string found, std::string expected, std::string remedy) const {
    ErrorFacts facts;
    facts.file = array_.path;
    facts.problem = std::move(problem);
    facts.found = std::move(found);
    facts.expected = std::move(expected);
    facts.remedy = std::move(remedy);
    throw Error(ErrorKind::DataProblem, std::move(facts));
  }

  /// Reads on until `bytes_` holds `count` bytes or the file ends.
  bool fill(std::uint64_t count) {
    while (bytes_.size() < count) {
      const std::string_view piece = source_.next();
      if (piece.empty()) return false;
      bytes_.append(piece);
    }
    return true;
  }

  void read_magic() {
    if (!fill(kMagicBytes)) {
      const bool empty = bytes_.empty();
      refuse(empty ? "the file is empty" : "the file ends within its header", empty ? "" : bytes_text(bytes_.size()),
             "an IDX header of at least 8 bytes", "Copy or download the file again");
    }
    const std::uint64_t magic = big_endian(bytes_.data(), kMagicBytes);
    type_ = type_of(byte_at(bytes_, 2));
    dimensions_ = byte_at(bytes_, 3);
    const bool sound = byte_at(bytes_, 0) == 0 && byte_at(bytes_, 1) == 0 && type_ != nullptr && dimensions_ >= 1 &&
                       dimensions_ <= kMostDimensions;
    if (sound) return;
    std::string remedy = "Check that this is an IDX file, such as train-images-idx3-ubyte";
    const bool reversed = byte_at(bytes_, 3) == 0 && byte_at(bytes_, 2) == 0 && type_of(byte_at(bytes_, 1)) != nullptr;
    if (reversed) remedy = "The file seems to be written little-endian: IDX is big-endian, write it so";
    if (byte_at(bytes_, 0) == 0x1F && byte_at(bytes_, 1) == 0x8B) {
      remedy = "The file is gzip within gzip: unpack it once (gunzip)";
    }
    refuse("this is no IDX file", "the first four bytes " + std::to_string(magic) + " as a big-endian number",
           "2049 (0x00000801) for labels, 2051 (0x00000803) for images, or another type and number of dimensions",
           remedy);
  }

  void read_shape() {
    const std::size_t header = kMagicBytes + 4 * dimensions_;
    if (!fill(header)) {
      refuse("the file ends within its header", bytes_text(bytes_.size()),
             std::to_string(header) + " bytes for " + std::to_string(dimensions_) + " dimensions",
             "Copy or download the file again");
    }
    std::optional<std::uint64_t> elements = 1;
    for (std::size_t i = 0; i < dimensions_; ++i) {
      const std::uint64_t size = big_endian(bytes_.data() + kMagicBytes + 4 * i, 4);
      array_.shape.push_back(static_cast<std::int64_t>(size));
      shape_text_ += (i == 0 ? "" : " × ") + std::to_string(size);
      constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / sizeof(double);
      elements =
          elements && (size == 0 || *elements <= most / size) ? std::make_optional(*elements * size) : std::nullopt;
    }
    if (!elements) {
      refuse("the header promises more elements than any file holds", shape_text_, "the sizes of real data",
             "Copy or download the file again");
    }
    if (*elements == 0) {
      refuse("the file holds no elements", shape_text_, "sizes of at least 1", "");
    }
    elements_ = *elements;
    bytes_.erase(0, header);
    array_.type = type_->name;
  }

  void read_elements() {
    const std::uint64_t expected = elements_ * type_->bytes;
    fill(expected);
    const std::string promised = bytes_text(expected) + " of elements (" + shape_text_ +
                                 (type_->bytes == 1 ? "" : ", ") +
                                 (type_->bytes == 1 ? "" : std::to_string(type_->bytes) + " bytes each") + ')';
    if (bytes_.size() < expected) {
      refuse("the file is cut short", bytes_text(bytes_.size()), promised, "Copy or download the file again");
    }
    if (bytes_.size() > expected || !source_.next().empty()) {
      refuse("the file goes on after its last element", "more than " + bytes_text(expected), promised,
             "Copy or download the file again");
    }
    array_.values.reserve(static_cast<std::size_t>(elements_));
    for (const char* at = bytes_.data(); at != bytes_.data() + bytes_.size(); at += type_->bytes) {
      array_.values.push_back(element(at, *type_));
    }
  }

  FileBytes source_;
  std::string bytes_;  // read and not yet used
  IdxArray array_;
  const ElementType* type_ = nullptr;
  std::size_t dimensions_ = 0;
  std::uint64_t elements_ = 0;
  std::string shape_text_;
};

}  // namespace

IdxArray read_idx(const std::string& path) { return IdxReader(path).read(); }

bool looks_like_idx(const std::string& path, std::string_view start) {
  if (start.size() >= 2 && start[0] == '\0' && start[1] == '\0') return true;
  const std::string name = path.substr(path.find_last_of('/') + 1);
  for (const char* const mark : {"-idx1-", "-idx2-", "-idx3-", "-idx4-"}) {
    if (name.find(mark) != std::string::npos) return true;
  }
  const auto ends_with = [&name](std::string_view end) {
    return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  return ends_with(".idx") || ends_with(".idx.gz");
}

}  // namespace mantissa::data
