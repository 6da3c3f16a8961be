// SPDX-License-Identifier: Apache-2.0
#include "core/session/doctor.h"

#include <functional>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/cuda/device_facts.h"
#include "core/cuda/device_work.h"
#include "core/model/random_stream.h"
#include "core/precision/autocast_scope.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

/// An operator on tensors of one dtype that it makes itself; returns what backward starts from.
struct Operator {
  const char* name;
  std::function<at::Tensor(const at::TensorOptions&)> forward;
};

at::Tensor leaf(at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::randn(sizes, options.dtype(at::kFloat)).to(options.dtype().toScalarType()).requires_grad_();
}

at::Tensor lstm(const at::TensorOptions& options) {
  constexpr std::int64_t kCells = 4;
  constexpr std::int64_t kInputs = 3;
  const std::vector<at::Tensor> weights = {leaf({4 * kCells, kInputs}, options), leaf({4 * kCells, kCells}, options),
                                           leaf({4 * kCells}, options), leaf({4 * kCells}, options)};
  const std::vector<at::Tensor> state = {leaf({1, 2, kCells}, options), leaf({1, 2, kCells}, options)};
  return std::get<0>(at::lstm(leaf({5, 2, kInputs}, options), state, weights, /*has_biases=*/true, /*num_layers=*/1,
                              /*dropout=*/0.0, /*train=*/true, /*bidirectional=*/false, /*batch_first=*/false));
}

std::vector<Operator> operators() {
  using Options = const at::TensorOptions&;
  return {
      {"linear",
       [](Options o) {
         return at::linear(leaf({4, 8}, o), leaf({3, 8}, o), leaf({3}, o));
       }},
      {"matmul",
       [](Options o) {
         return at::matmul(leaf({2, 4, 8}, o), leaf({2, 8, 4}, o));
       }},
      {"conv2d",
       [](Options o) {
         return at::conv2d(leaf({1, 2, 6, 6}, o), leaf({3, 2, 3, 3}, o));
       }},
      {"lstm", lstm},
      {"scaled_dot_product_attention",
       [](Options o) {
         return at::scaled_dot_product_attention(leaf({1, 2, 4, 8}, o), leaf({1, 2, 4, 8}, o), leaf({1, 2, 4, 8}, o));
       }},
      {"layer_norm",
       [](Options o) {
         return at::layer_norm(leaf({4, 8}, o), {8}, leaf({8}, o), leaf({8}, o));
       }},
      {"batch_norm",
       [](Options o) {
         return at::batch_norm(leaf({4, 8}, o), leaf({8}, o), leaf({8}, o), {}, {}, true, 0.1, 1e-5, false);
       }},
      {"embedding",
       [](Options o) {
         return at::embedding(leaf({6, 4}, o), at::arange(3, o.dtype(at::kLong)));
       }},
      {"gelu",
       [](Options o) {
         return at::gelu(leaf({4, 8}, o));
       }},
      {"softmax",
       [](Options o) {
         return at::softmax(leaf({4, 8}, o), 1);
       }},
      {"cross_entropy",
       [](Options o) {
         return at::cross_entropy_loss(leaf({4, 8}, o), at::arange(4, o.dtype(at::kLong)));
       }},
      {"mse_loss",
       [](Options o) {
         return at::mse_loss(leaf({4, 1}, o), leaf({4, 1}, o));
       }},
  };
}

/// Forward and backward once, on tensors of `made`, under autocast to `autocast`.
void try_once(const Operator& tried, const at::TensorOptions& made, std::optional<at::ScalarType> autocast,
              bool& forward, bool& backward) {
  forward = backward = false;
  at::Tensor output;
  {
    const precision::AutocastScope scope(made.device().type(), autocast);
    output = tried.forward(made);
  }
  forward = true;
  output.sum().backward();
  cuda::synchronize(output.device());  // a kernel's failure shows only then
  backward = true;
}

OperatorSupport support_of(const Operator& tried, const std::string& device, at::ScalarType dtype, const char* word) {
  OperatorSupport support;
  support.operator_name = tried.name;
  support.device = device;
  support.dtype = word;
  const at::TensorOptions on_device = at::TensorOptions().device(c10::Device(device));
  try {
    try_once(tried, on_device.dtype(dtype), std::nullopt, support.forward, support.backward);
    // Trials give operators FP32 weights under autocast, which may choose another kernel: oneDNN's LSTM, for one.
    if (dtype != at::kFloat) {
      try_once(tried, on_device.dtype(at::kFloat), dtype, support.forward, support.backward);
    }
  } catch (const std::exception& error) {
    support.problem = train::condensed(error);
  }
  return support;
}

std::vector<std::pair<at::ScalarType, const char*>> dtypes() {
  return {{at::kFloat, "float32"}, {at::kHalf, "float16"}, {at::kBFloat16, "bfloat16"}};
}

}  // namespace

std::vector<OperatorSupport> try_operators(const std::string& device) {
  require_device(device);
  std::vector<OperatorSupport> results;
  for (const Operator& tried : operators()) {
    for (const auto& [dtype, word] : dtypes()) results.push_back(support_of(tried, device, dtype, word));
  }
  return results;
}

std::vector<std::string> names_of_tried_operators() {
  std::vector<std::string> names;
  for (const Operator& tried : operators()) {
    for (const auto& [dtype, word] : dtypes()) names.push_back(std::string(tried.name) + ' ' + word);
  }
  return names;
}

OperatorSupport try_operator(const std::string& name, const std::string& device, const std::string& dtype) {
  require_device(device);
  const model::UntouchedGenerator untouched{c10::Device(device)};
  for (const Operator& tried : operators()) {
    if (tried.name != name) continue;
    for (const auto& [type, word] : dtypes()) {
      if (word == dtype) return support_of(tried, device, type, word);
    }
  }
  throw Error(ErrorKind::CallOrder, {"no such operator or dtype to try", "", 0, 0, name, dtype, "", ""});
}

void require_device(const std::string& device) {
  if (device == "cpu") return;
  const cuda::DeviceReport found = cuda::find_devices();
  const c10::Device asked(device);
  const int index = asked.has_index() ? asked.index() : 0;
  if (index < static_cast<int>(found.devices.size())) return;
  std::string what = found.problem;
  if (what.empty()) {
    what = std::to_string(found.devices.size()) + (found.devices.size() == 1 ? " device" : " devices") +
           ", the last is cuda:" + std::to_string(found.devices.back().index);
  }
  throw Error(ErrorKind::DeviceProblem,
              {"the device is not there", "", 0, 0, "training.device = \"" + device + "\"", what,
               "a device that mantissa-cli doctor lists", "Set training.device = \"cpu\" to train here"});
}

}  // namespace mantissa::session
