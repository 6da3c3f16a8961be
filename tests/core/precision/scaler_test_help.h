// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/precision/grad_scaler.h"
#include "tests/core/precision/small_optimizer.h"

namespace mantissa::precision {

inline GradScalerOptions options_of(double init_scale, std::int64_t growth_interval = 2000) {
  GradScalerOptions options;
  options.init_scale = init_scale;
  options.growth_interval = growth_interval;
  return options;
}

inline void initialise(GradScaler& scaler) { scaler.scale(at::ones({})); }

/// What was thrown, as its kind and text; nothing thrown fails the comparison with any kind.
inline std::string refusal(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == kind ? error.what() : std::string("another kind: ") + error.what();
  }
  return "nothing was thrown";
}

#define EXPECT_REFUSAL(kind, call, words)                                      \
  do {                                                                         \
    const std::string text = refusal(ErrorKind::kind, [&] { call; });          \
    QVERIFY2(text.find(words) != std::string::npos, ("got: " + text).c_str()); \
    QVERIFY2(text.rfind("another kind", 0) != 0, text.c_str());                \
  } while (false)

}  // namespace mantissa::precision
