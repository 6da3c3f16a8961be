// SPDX-License-Identifier: Apache-2.0
#include "core/report/pt_file.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <zlib.h>

#include "core/base/error.h"

namespace mantissa::report {
namespace {

using record::TensorBytes;

struct Storage {
  std::string_view word;        // safetensors' word for the dtype
  std::string_view class_name;  // torch's
  std::uint64_t bytes;
};
constexpr std::array<Storage, 10> kStorages = {{{"F32", "FloatStorage", 4},
                                                {"F64", "DoubleStorage", 8},
                                                {"F16", "HalfStorage", 2},
                                                {"BF16", "BFloat16Storage", 2},
                                                {"I64", "LongStorage", 8},
                                                {"I32", "IntStorage", 4},
                                                {"I16", "ShortStorage", 2},
                                                {"I8", "CharStorage", 1},
                                                {"U8", "ByteStorage", 1},
                                                {"BOOL", "BoolStorage", 1}}};

const Storage& storage_of(const TensorBytes& tensor) {
  for (const Storage& storage : kStorages) {
    if (storage.word == tensor.dtype) return storage;
  }
  throw Error(ErrorKind::CallOrder,
              {"a dtype that torch has no storage for", "", 0, 0, tensor.name, tensor.dtype, "", "Export safetensors"});
}

std::string little(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

/// Pickle opcodes by their names in Python's pickletools.py.
std::string text_of(std::string_view text) {  // BINUNICODE
  return 'X' + little(text.size(), 4) + std::string(text);
}
std::string integer_of(std::int64_t value) {
  const bool small = value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
  return small ? 'J' + little(static_cast<std::uint64_t>(value), 4)                       // BININT
               : std::string("\x8a\x08") + little(static_cast<std::uint64_t>(value), 8);  // LONG1
}
std::string global_of(std::string_view module, std::string_view name) {  // GLOBAL
  return 'c' + std::string(module) + '\n' + std::string(name) + '\n';
}
std::string tuple_of(const std::string& items) { return '(' + items + 't'; }  // MARK … TUPLE
std::string empty_ordered_dict() { return global_of("collections", "OrderedDict") + ")R"; }

/// torch._utils._rebuild_tensor_v2(storage, 0, sizes, strides, requires_grad=False, OrderedDict())
std::string tensor_pickle(const TensorBytes& tensor, std::size_t index) {
  const Storage& storage = storage_of(tensor);
  std::uint64_t elements = 1;
  std::vector<std::int64_t> strides(tensor.shape.size());
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    strides[i] = static_cast<std::int64_t>(elements);
    elements *= static_cast<std::uint64_t>(tensor.shape[i]);
  }
  if (elements * storage.bytes != tensor.bytes.size()) {
    throw Error(ErrorKind::CallOrder, {"the bytes of a tensor do not fit its shape", "", 0, 0, tensor.name,
                                       std::to_string(tensor.bytes.size()) + " bytes", "", ""});
  }
  std::string sizes_text, strides_text;
  for (const std::int64_t size : tensor.shape) sizes_text += integer_of(size);
  for (const std::int64_t stride : strides) strides_text += integer_of(stride);
  const std::string id =
      tuple_of(text_of("storage") + global_of("torch", storage.class_name) + text_of(std::to_string(index)) +
               text_of("cpu") + integer_of(static_cast<std::int64_t>(elements)));
  const std::string arguments = tuple_of(id + 'Q' + integer_of(0) + tuple_of(sizes_text) + tuple_of(strides_text) +
                                         '\x89' + empty_ordered_dict());
  return global_of("torch._utils", "_rebuild_tensor_v2") + arguments + 'R';
}

std::string pickle_of(const std::vector<TensorBytes>& tensors) {
  std::string pickle = "\x80\x02" + empty_ordered_dict() + '(';
  for (std::size_t i = 0; i < tensors.size(); ++i) pickle += text_of(tensors[i].name) + tensor_pickle(tensors[i], i);
  return pickle + "u.";  // SETITEMS, STOP
}

/// A zip archive of stored entries, written in one pass (PKWARE's APPNOTE 6.3, 4.3.7, 4.3.12, 4.3.16).
class ZipWriter {
 public:
  explicit ZipWriter(const Sink& sink) : sink_(sink) {}

  void add(const std::string& name, std::string_view bytes) {
    constexpr std::uint64_t kAlignment = 64;  // torch maps storages into memory
    const std::string full_name = "archive/" + name;
    const std::uint64_t unpadded = position_ + 30 + full_name.size() + 4;
    const std::uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
    const std::string extra = "FB" + little(padding, 2) + std::string(padding, 'Z');  // torch's own padding field
    const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::string common = little(0, 2) + little(0, 2) + little(0, 4) + little(sum, 4) + little(bytes.size(), 4) +
                               little(bytes.size(), 4) + little(full_name.size(), 2);
    directory_ += "PK\x01\x02" + little(20, 2) + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) +
                  little(0, 2) + little(0, 4) + little(position_, 4) + full_name;
    put("PK\x03\x04" + little(20, 2) + common + little(extra.size(), 2) + full_name + extra);
    put(bytes);
    ++count_;
  }

  void finish() {
    const std::uint64_t begin = position_;
    put(directory_);
    put("PK\x05\x06" + little(0, 4) + little(count_, 2) + little(count_, 2) + little(directory_.size(), 4) +
        little(begin, 4) + little(0, 2));
  }

 private:
  void put(std::string_view bytes) {
    sink_(bytes);
    position_ += bytes.size();
  }

  const Sink& sink_;
  std::uint64_t position_ = 0;
  std::uint64_t count_ = 0;
  std::string directory_;
};

void refuse_what_needs_zip64(const std::vector<TensorBytes>& tensors) {
  constexpr std::uint64_t kMostBytes = 0xf0000000, kMostEntries = 60'000;
  std::uint64_t bytes = 0;
  for (const TensorBytes& tensor : tensors) bytes += tensor.bytes.size() + tensor.name.size() + 1024;
  if (bytes <= kMostBytes && tensors.size() <= kMostEntries) return;
  throw Error(ErrorKind::InvalidSetting, {"weights too large for a .pt file", "", 0, 0, "-o",
                                          std::to_string(bytes) + " bytes", "at most 4 GB", "Export safetensors"});
}

}  // namespace

void write_pt(const std::vector<TensorBytes>& tensors, const Sink& sink) {
  refuse_what_needs_zip64(tensors);
  ZipWriter zip(sink);
  zip.add("data.pkl", pickle_of(tensors));
  zip.add("byteorder", "little");
  for (std::size_t i = 0; i < tensors.size(); ++i) zip.add("data/" + std::to_string(i), tensors[i].bytes);
  zip.add("version", "3\n");
  zip.finish();
}

}  // namespace mantissa::report
