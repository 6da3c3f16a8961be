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
  if (kept_.size() == buffers_.size()) {
    // Always: batch normalisation writes past the tensors' version counters, so nothing tells that one has changed.
    for (std::size_t i = 0; i < buffers_.size(); ++i) kept_[i].copy_(buffers_[i].tensor);
    return;
  }
  for (const model::NamedTensor& buffer : buffers_) kept_.push_back(buffer.tensor.detach().clone());
}

std::vector<std::string> BufferGuard::restore_poisoned() {
  std::vector<std::string> poisoned;
  std::vector<std::string> modules;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (observe::all_finite(buffers_[i].tensor) || !observe::all_finite(kept_[i])) continue;
    poisoned.push_back(buffers_[i].name);
    modules.push_back(module_of(buffers_[i].name));
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; !modules.empty() && i < kept_.size(); ++i) {
    if (std::find(modules.begin(), modules.end(), module_of(buffers_[i].name)) == modules.end()) continue;
    buffers_[i].tensor.copy_(kept_[i]);
  }
  return poisoned;
}

void BufferGuard::restore_all() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < kept_.size(); ++i) buffers_[i].tensor.copy_(kept_[i]);
}

}  // namespace mantissa::train
