// SPDX-License-Identifier: Apache-2.0
#include "core/train/buffer_guard.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/observe/finite_scan.h"

namespace mantissa::train {
namespace {

std::string module_of(const std::string& buffer) {
  const std::size_t dot = buffer.rfind('.');
  return dot == std::string::npos ? std::string() : buffer.substr(0, dot);
}

}  // namespace

void BufferGuard::keep() {
  const at::NoGradGuard no_grad;
  const std::vector<model::NamedTensor>& buffers = network_->buffers();
  tensors_.resize(buffers.size());
  kept_.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const at::Tensor& tensor = buffers[i].tensor;
    tensors_[i] = tensor;
    const bool fits =
        kept_[i].defined() && kept_[i].sizes() == tensor.sizes() && kept_[i].scalar_type() == tensor.scalar_type();
    // Always: batch normalisation writes past the tensors' version counters, so nothing tells that one has changed.
    if (fits) {
      kept_[i].copy_(tensor);
    } else {
      kept_[i] = tensor.detach().clone();
    }
  }
}

std::vector<std::string> BufferGuard::restore_poisoned() {
  const std::vector<model::NamedTensor>& buffers = network_->buffers();
  std::vector<std::string> poisoned;
  std::vector<std::string> modules;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (observe::all_finite(buffers[i].tensor) || !observe::all_finite(kept_[i])) continue;
    poisoned.push_back(buffers[i].name);
    modules.push_back(module_of(buffers[i].name));
  }
  for (std::size_t i = 0; !modules.empty() && i < tensors_.size(); ++i) {
    if (std::find(modules.begin(), modules.end(), module_of(buffers[i].name)) == modules.end()) continue;
    restore(i);
  }
  return poisoned;
}

void BufferGuard::restore_all() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) restore(i);
}

void BufferGuard::forget() { tensors_.clear(); }

void BufferGuard::restore(std::size_t index) {
  const at::NoGradGuard no_grad;
  network_->put_buffer(index, tensors_[index]);
  tensors_[index].copy_(kept_[index]);
}

}  // namespace mantissa::train
