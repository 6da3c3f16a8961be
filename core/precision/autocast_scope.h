// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace mantissa::precision {

/// Runs eligible operators of this thread in a lower precision for as long as the object lives, as `torch.autocast`.
///
/// Scopes nest, also an inner one that switches off inside an outer one that switched on. The destructor restores what
/// it found, however the scope is left; leaving the outermost scope drops the low-precision copies of weights.
///
/// Those copies live until the outermost scope ends, so a scope around a whole loop would go on with the weights of its
/// first pass. Open one per forward pass, and run backward outside.
class AutocastScope {
 public:
  /// \param dtype  float16 or bfloat16; nothing switches autocast off in this scope
  /// \param cache_enabled  whether low-precision copies of weights are kept; nothing leaves that as it is
  /// \throws Error InvalidSetting  another dtype; the state is then as before
  AutocastScope(c10::DeviceType device, std::optional<c10::ScalarType> dtype,
                std::optional<bool> cache_enabled = std::nullopt);
  ~AutocastScope();

  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

  /// How many scopes this thread is in, counting those that other code opened.
  static int depth();

 private:
  c10::DeviceType device_;
  bool previous_enabled_;
  c10::ScalarType previous_dtype_;
  bool previous_cache_enabled_;
};

/// Whether autocast keeps its low-precision copies of weights, for as long as the object lives, on this thread.
class CastCacheSetting {
 public:
  explicit CastCacheSetting(bool keeps_casts);
  ~CastCacheSetting();
  CastCacheSetting(const CastCacheSetting&) = delete;
  CastCacheSetting& operator=(const CastCacheSetting&) = delete;

 private:
  bool previous_;
};

}  // namespace mantissa::precision
