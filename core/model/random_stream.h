// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace mantissa::model {

/// Lets a device's default generator draw from a random stream of one's own for as long as the object lives, and notes
/// in `state` how far it came. An undefined state: nothing draws, nothing is touched.
class RandomStream {
 public:
  RandomStream(at::Tensor& state, c10::Device device) : state_(state), device_(device) {
    if (state_.defined()) set(state_, device_);
  }
  ~RandomStream() {
    if (state_.defined()) state_ = current(device_);
  }
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;

  /// The state of the device's default generator, as a tensor of its own in this process's memory.
  static at::Tensor current(c10::Device device) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return generator.get_state();
  }
  static void set(const at::Tensor& state, c10::Device device) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
  }

  /// The state of a stream after `manual_seed(seed)`; the default generator is left as it was.
  static at::Tensor seeded(std::uint64_t seed, c10::Device device) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    const at::Tensor before = generator.get_state();
    generator.set_current_seed(seed);
    const at::Tensor state = generator.get_state();
    generator.set_state(before);
    return state;
  }

 private:
  at::Tensor& state_;
  c10::Device device_;
};

/// Leaves a device's default generator as it was found.
class UntouchedGenerator {
 public:
  explicit UntouchedGenerator(c10::Device device) : device_(device), before_(RandomStream::current(device)) {}
  ~UntouchedGenerator() { RandomStream::set(before_, device_); }
  UntouchedGenerator(const UntouchedGenerator&) = delete;
  UntouchedGenerator& operator=(const UntouchedGenerator&) = delete;

 private:
  c10::Device device_;
  at::Tensor before_;
};

}  // namespace mantissa::model
