// SPDX-License-Identifier: Apache-2.0
#include "core/report/safetensors.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::report {
namespace {

using record::TensorBytes;

// The format's dtypes in the order of its specification, narrowest first: the official writer sorts by this order.
struct Dtype {
  std::string_view word;
  std::int64_t bytes;
};
constexpr std::array<Dtype, 15> kDtypes = {{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"F8_E5M2", 1},
                                            {"F8_E4M3", 1},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F32", 4},
                                            {"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8}}};

std::size_t rank_of(const TensorBytes& tensor) {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].word == tensor.dtype) return i;
  }
  throw Error(ErrorKind::CallOrder,
              {"a dtype that safetensors does not know", "", 0, 0, tensor.name, tensor.dtype, "", ""});
}

void check_size(const TensorBytes& tensor) {
  std::int64_t bytes = kDtypes[rank_of(tensor)].bytes;
  for (const std::int64_t size : tensor.shape) bytes *= size;
  if (bytes != static_cast<std::int64_t>(tensor.bytes.size())) {
    throw Error(ErrorKind::CallOrder, {"the bytes of a tensor do not fit its shape", "", 0, 0, tensor.name,
                                       std::to_string(tensor.bytes.size()) + " bytes", std::to_string(bytes), ""});
  }
}

std::vector<const TensorBytes*> in_file_order(const std::vector<TensorBytes>& tensors) {
  std::vector<const TensorBytes*> order;
  for (const TensorBytes& tensor : tensors) {
    check_size(tensor);
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](const TensorBytes* a, const TensorBytes* b) {
    const std::size_t rank_a = rank_of(*a), rank_b = rank_of(*b);
    return rank_a != rank_b ? rank_a > rank_b : a->name < b->name;
  });
  return order;
}

void write(const std::vector<TensorBytes>& tensors, const nlohmann::ordered_json& metadata, const Sink& sink) {
  const std::vector<const TensorBytes*> order = in_file_order(tensors);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header["__metadata__"] = metadata;
  std::set<std::string_view> names;
  std::size_t offset = 0;
  for (const TensorBytes* tensor : order) {
    if (!names.insert(tensor->name).second) {
      throw Error(ErrorKind::CallOrder, {"two tensors of the same name", "", 0, 0, tensor->name, "", "", ""});
    }
    nlohmann::ordered_json entry;
    entry["dtype"] = tensor->dtype;
    entry["shape"] = tensor->shape;
    entry["data_offsets"] = {offset, offset + tensor->bytes.size()};
    header[tensor->name] = std::move(entry);
    offset += tensor->bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // the data starts aligned
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xff);
  sink(length);
  sink(text);
  for (const TensorBytes* tensor : order) sink(tensor->bytes);
}

std::string text_of(const record::StateValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return mantissa::to_text(*real);
  return std::get<std::string>(value);
}

}  // namespace

void write_safetensors(const std::vector<record::TensorBytes>& tensors, const Sink& sink) {
  const nlohmann::ordered_json metadata = {{"format", "pt"}};
  write(tensors, metadata, sink);
}

void write_checkpoint(const record::ArmState& state, const Sink& sink) {
  nlohmann::ordered_json metadata = {{"format", "pt"}};
  for (const auto& [name, value] : state.values) metadata[name] = text_of(value);
  write(state.tensors, metadata, sink);
}

}  // namespace mantissa::report
