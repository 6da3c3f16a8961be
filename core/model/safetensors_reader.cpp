// SPDX-License-Identifier: Apache-2.0
#include "core/model/safetensors_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/input_file.h"

namespace mantissa::model {
namespace {

constexpr std::uint64_t kLargestHeader = 100'000'000;  // the official reader's

constexpr std::array<std::pair<std::string_view, at::ScalarType>, 16> kDtypes{{{"BOOL", at::kBool},
                                                                               {"U8", at::kByte},
                                                                               {"I8", at::kChar},
                                                                               {"F8_E5M2", at::kFloat8_e5m2},
                                                                               {"F8_E4M3", at::kFloat8_e4m3fn},
                                                                               {"I16", at::kShort},
                                                                               {"U16", at::kUInt16},
                                                                               {"F16", at::kHalf},
                                                                               {"BF16", at::kBFloat16},
                                                                               {"I32", at::kInt},
                                                                               {"U32", at::kUInt32},
                                                                               {"F32", at::kFloat},
                                                                               {"C64", at::kComplexFloat},
                                                                               {"F64", at::kDouble},
                                                                               {"I64", at::kLong},
                                                                               {"U64", at::kUInt64}}};

struct Described {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;
  bool has_shape = false;
};

/// Takes the header apart while it is parsed: a parsed object would already have lost the first of two equal keys.
class Header {  // the interface of nlohmann::json_sax
 public:
  std::vector<Described> tensors;
  std::string problem;  ///< empty: none
  std::string subject;

  bool start_object(std::size_t) {
    if (++depth_ > 2 || in_array_) return fail("the header is nested too deep");
    if (depth_ == 2) field_.clear();
    return true;
  }
  bool end_object() {
    if (depth_-- == 2) in_metadata_ = false;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ == 1) {
      if (!names_.insert(name).second) return fail("duplicate key", name);
      in_metadata_ = name == "__metadata__";
      if (!in_metadata_) {
        tensors.emplace_back();
        tensors.back().name = name;
        fields_.clear();
      }
      return true;
    }
    field_ = name;
    if (in_metadata_) return true;
    if (!fields_.insert(name).second) return fail("duplicate key", tensors.back().name + "." + name);
    if (name != "dtype" && name != "shape" && name != "data_offsets") {
      return fail("an unknown key in the header", tensors.back().name + "." + name);
    }
    return true;
  }
  bool start_array(std::size_t) {
    const bool expected = depth_ == 2 && !in_metadata_ && !in_array_ && (field_ == "shape" || field_ == "data_offsets");
    if (!expected) return fail("a list where the header has none");
    in_array_ = true;
    if (field_ == "shape") tensors.back().has_shape = true;
    return true;
  }
  bool end_array() {
    in_array_ = false;
    return true;
  }
  bool number_unsigned(std::uint64_t value) {
    if (!in_array_) return fail("a number where the header has none");
    (field_ == "shape" ? tensors.back().shape : tensors.back().offsets).push_back(value);
    return true;
  }
  bool string(std::string& value) {
    if (depth_ == 2 && in_metadata_) return true;
    if (depth_ != 2 || in_array_ || field_ != "dtype") return fail("a text where the header has none");
    tensors.back().dtype = value;
    return true;
  }
  bool number_integer(std::int64_t) { return fail("a negative number in the header"); }
  bool number_float(double, const std::string&) { return fail("a fraction in the header"); }
  bool boolean(bool) { return fail("true or false in the header"); }
  bool null() { return fail("null in the header"); }
  bool binary(std::vector<std::uint8_t>&) { return fail("binary data in the header"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    return fail("the header is not JSON", {}, position);
  }

 private:
  bool fail(const std::string& what, const std::string& about = {}, std::size_t position = 0) {
    if (!problem.empty()) return false;
    problem = what;
    if (position > 0) problem += ", at its byte " + std::to_string(position);
    subject = !about.empty() ? about : tensors.empty() ? std::string() : tensors.back().name;
    return false;
  }

  int depth_ = 0;
  bool in_array_ = false;
  bool in_metadata_ = false;
  std::string field_;
  std::set<std::string> names_, fields_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {}

  std::vector<NamedTensor> read() {
    std::vector<Described> described = header();
    std::sort(described.begin(), described.end(), [](const Described& a, const Described& b) {
      return std::pair(a.offsets[0], a.offsets[1]) < std::pair(b.offsets[0], b.offsets[1]);
    });
    check_coverage(described);
    std::vector<NamedTensor> tensors;
    for (const Described& item : described) {
      const std::vector<std::int64_t> sizes(item.shape.begin(), item.shape.end());
      at::Tensor tensor = at::empty(sizes, *type_of(item.dtype));
      file_.read(data_ + item.offsets[0], tensor.mutable_data_ptr(), item.offsets[1] - item.offsets[0]);
      tensors.push_back({item.name, std::move(tensor)});
    }
    return tensors;
  }

 private:
  static std::optional<at::ScalarType> type_of(const std::string& word) {
    for (const auto& [name, type] : kDtypes) {
      if (name == word) return type;
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse(const std::string& problem, const std::string& subject = {}, const std::string& found = {},
                           const std::string& expected = {}, const std::string& remedy = {}) const {
    throw Error(ErrorKind::FileProblem, {problem, file_.path(), 0, 0, subject, found, expected, remedy});
  }

  std::vector<Described> header() {
    if (file_.size() < 8)
      refuse("is too short for a safetensors file", "", std::to_string(file_.size()) + " bytes", "at least 8");
    const std::string start = file_.read(0, std::min<std::uint64_t>(file_.size(), 9));
    if (start.compare(0, 4, "PK\x03\x04") == 0) {
      refuse("is a zip archive, as torch.save writes .pt files, and no safetensors file", "", "", "",
             "Rename it to .pt");
    }
    std::uint64_t length = 0;
    for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(start[static_cast<std::size_t>(i)]);
    if (length > kLargestHeader) {
      refuse("the header length is too large", "", std::to_string(length) + " bytes",
             "at most " + std::to_string(kLargestHeader), "It may be no safetensors file at all");
    }
    if (length > file_.size() - 8) {
      refuse("the header length goes past the end of the file", "", std::to_string(length) + " bytes",
             std::to_string(file_.size() - 8) + " at most");
    }
    data_ = 8 + length;
    const std::string text = file_.read(8, length);
    if (text.empty() || text.front() != '{') refuse("the header is not JSON", "", "", "an object that begins with {");
    Header header;
    const bool parsed = nlohmann::json::sax_parse(text, &header);
    if (!parsed) refuse(header.problem.empty() ? "the header is not JSON" : header.problem, header.subject);
    for (const Described& item : header.tensors) check(item);
    return std::move(header.tensors);
  }

  void check(const Described& item) const {
    const auto type = type_of(item.dtype);
    if (!type) refuse("a dtype that is not known", item.name, item.dtype);
    if (!item.has_shape || item.offsets.size() != 2) refuse("the header lacks shape or data_offsets", item.name);
    const std::uint64_t begin = item.offsets[0], end = item.offsets[1], available = file_.size() - data_;
    if (begin > end) refuse("data_offsets are reversed", item.name, offsets_text(item));
    if (end > available) {
      refuse("the data goes past the end of the file", item.name, offsets_text(item),
             "at most " + std::to_string(available) + " bytes of data");
    }
    std::uint64_t bytes = c10::elementSize(*type);
    for (const std::uint64_t size : item.shape) {
      if (size != 0 && bytes > std::numeric_limits<std::int64_t>::max() / size) {
        refuse("the size does not fit the shape: its product is too large", item.name);
      }
      bytes *= size;
    }
    if (bytes != end - begin) {
      refuse("the size does not fit the shape", item.name, std::to_string(end - begin) + " bytes",
             std::to_string(bytes));
    }
  }

  static std::string offsets_text(const Described& item) {
    return "[" + std::to_string(item.offsets[0]) + ", " + std::to_string(item.offsets[1]) + "]";
  }

  void check_coverage(const std::vector<Described>& described) const {
    std::uint64_t end = 0;
    for (const Described& item : described) {
      if (item.offsets[0] < end) refuse("tensors overlap", item.name, offsets_text(item));
      if (item.offsets[0] > end) refuse("a hole before the tensor", item.name, offsets_text(item));
      end = item.offsets[1];
    }
    const std::uint64_t available = file_.size() - data_;
    if (end == available) return;
    refuse("trailing bytes that belong to no tensor", "", std::to_string(available - end) + " bytes", "none");
  }

  InputFile file_;
  std::uint64_t data_ = 0;  // where the data begins
};

}  // namespace

std::vector<NamedTensor> read_safetensors(const std::string& path) { return Reader(path).read(); }

}  // namespace mantissa::model
