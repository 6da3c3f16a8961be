// SPDX-License-Identifier: Apache-2.0
#include "core/precision/autocast_scope.h"

#include <utility>

#include <ATen/autocast_mode.h>

#include "core/base/error.h"

namespace mantissa::precision {

AutocastScope::AutocastScope(c10::DeviceType device, std::optional<c10::ScalarType> dtype,
                             std::optional<bool> cache_enabled)
    : device_(device),
      previous_enabled_(at::autocast::is_autocast_enabled(device)),
      previous_dtype_(at::autocast::get_autocast_dtype(device)),
      previous_cache_enabled_(at::autocast::is_autocast_cache_enabled()) {
  if (dtype && *dtype != at::kHalf && *dtype != at::kBFloat16) {
    ErrorFacts facts;
    facts.subject = "AutocastScope";
    facts.found = c10::toString(*dtype);
    facts.expected = "Half or BFloat16";
    facts.remedy = "Pass nothing to run in FP32";
    throw Error(ErrorKind::InvalidSetting, std::move(facts));
  }
  at::autocast::set_autocast_enabled(device_, dtype.has_value());
  if (dtype) at::autocast::set_autocast_dtype(device_, *dtype);
  at::autocast::increment_nesting();
  at::autocast::set_autocast_cache_enabled(cache_enabled.value_or(previous_cache_enabled_));
}

AutocastScope::~AutocastScope() {
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, previous_enabled_);
  at::autocast::set_autocast_dtype(device_, previous_dtype_);
  at::autocast::set_autocast_cache_enabled(previous_cache_enabled_);
}

int AutocastScope::depth() {
  const int inside = at::autocast::increment_nesting();  // there is no way to read it alone
  at::autocast::decrement_nesting();
  return inside - 1;
}

CastCacheSetting::CastCacheSetting(bool keeps_casts) : previous_(at::autocast::is_autocast_cache_enabled()) {
  at::autocast::set_autocast_cache_enabled(keeps_casts);
}

CastCacheSetting::~CastCacheSetting() { at::autocast::set_autocast_cache_enabled(previous_); }

}  // namespace mantissa::precision
