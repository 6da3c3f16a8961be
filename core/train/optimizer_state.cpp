// SPDX-License-Identifier: Apache-2.0
#include "core/train/optimizer_state.h"

#include <sstream>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"

namespace mantissa::train {
namespace {

std::string words_of(const at::Tensor& tensor) {
  std::ostringstream words;
  words << tensor.scalar_type() << ' ' << tensor.sizes() << " on " << tensor.device();
  return words.str();
}

}  // namespace

at::Tensor StateReader::tensor(const std::string& name, const at::Tensor& like) {
  for (std::size_t i = 0; i < state_.tensors.size(); ++i) {
    const auto& [known, found] = state_.tensors[i];
    if (known != name) continue;
    if (found.sizes() != like.sizes() || found.scalar_type() != like.scalar_type()) {
      refuse(name, words_of(found), words_of(like));
    }
    tensor_taken_[i] = true;
    const at::NoGradGuard no_grad;
    return at::empty_like(like).copy_(found);  // the layout of the parameter, wherever the stored tensor lies
  }
  return {};
}

std::optional<double> StateReader::number(const std::string& name) {
  for (const auto& [known, value] : state_.numbers) {
    if (known != name) continue;
    ++numbers_taken_;
    return value;
  }
  return std::nullopt;
}

void StateReader::finish() const {
  for (std::size_t i = 0; i < tensor_taken_.size(); ++i) {
    if (!tensor_taken_[i])
      refuse(state_.tensors[i].first, "a tensor too many", "the tensors of this kind of optimizer");
  }
  if (numbers_taken_ != state_.numbers.size()) {
    refuse("numbers", std::to_string(state_.numbers.size()), std::to_string(numbers_taken_));
  }
}

void StateReader::refuse(const std::string& name, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"the optimizer's state is not of this optimizer", "", 0, 0, name, found,
                                          expected, "Load a state that was saved with the same model and optimizer"});
}

}  // namespace mantissa::train
