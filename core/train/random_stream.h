// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>

namespace mantissa::train {

/// Lets the default generator draw from a random stream of one's own for as long as the object lives, and notes in
/// `state` how far it came. An undefined state: nothing draws, nothing is touched.
class RandomStream {
 public:
  explicit RandomStream(at::Tensor& state) : state_(state) {
    if (state_.defined()) set(state_);
  }
  ~RandomStream() {
    if (state_.defined()) state_ = current();
  }
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;

  /// The default generator's state, as a tensor of its own.
  static at::Tensor current() {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return generator.get_state();
  }
  static void set(const at::Tensor& state) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
  }

 private:
  at::Tensor& state_;
};

}  // namespace mantissa::train
