// SPDX-License-Identifier: Apache-2.0
#include "core/memory/plans.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::memory {
namespace {

[[noreturn]] void refuse(const char* field, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, field, found, expected, ""});
}

void require_sound(const PlanQuestion& question) {
  if (question.effective_batch < 1 || question.effective_batch > kMostEffectiveBatch) {
    refuse("effective-batch", std::to_string(question.effective_batch),
           "from 1 to " + std::to_string(kMostEffectiveBatch));
  }
  if (question.updates < 0) refuse("updates", std::to_string(question.updates), "at least 0");
  if (question.options.empty()) refuse("options", "none", "at least one");
  const auto require_not_negative = [](const char* field, const std::optional<double>& value) {
    if (value && !(*value >= 0.0 && std::isfinite(*value))) {
      refuse(field, to_text(*value), "a finite number, at least 0");
    }
  };
  require_not_negative("deadline", question.deadline_seconds);
  require_not_negative("price", question.price_per_hour);
}

std::vector<std::int64_t> divisors_of(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    divisors.push_back(i);
    if (i != number / i) divisors.push_back(number / i);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

void add_time(const PlanQuestion& question, const PlanOption& option, const StepTime& time, Plan& plan) {
  plan.update_seconds = time.at(plan.microbatch, plan.accumulation);
  const TimedStep& first = option.timed.front();
  plan.assumed = std::all_of(option.timed.begin(), option.timed.end(), [&first](const TimedStep& step) {
    return step.microbatch == first.microbatch && step.accumulation == first.accumulation;
  });
  // In proportion to its samples: of as many the very same, to the last bit, for ties are decided by what was given.
  if (plan.assumed && first.microbatch * first.accumulation == plan.microbatch * plan.accumulation) {
    plan.update_seconds = option.timed.back().seconds;
  }
  for (const TimedStep& step : option.timed) {
    if (step.microbatch != plan.microbatch || step.accumulation != plan.accumulation) continue;
    plan.update_seconds = step.seconds;
    plan.timed = true;
    plan.assumed = false;
  }
  if (question.updates == 0) return;
  plan.finish_seconds = static_cast<double>(question.updates) * *plan.update_seconds;
  if (question.deadline_seconds) plan.spare_seconds = *question.deadline_seconds - *plan.finish_seconds;
  constexpr double kSecondsOfAnHour = 3600.0;
  if (question.price_per_hour) plan.cost = *plan.finish_seconds / kSecondsOfAnHour * *question.price_per_hour;
}

bool comes_before(const Plan& one, const Plan& other) {
  if (one.fits != other.fits) return one.fits;
  if (!one.fits && one.headroom_bytes != other.headroom_bytes) return one.headroom_bytes > other.headroom_bytes;
  if (one.update_seconds.has_value() != other.update_seconds.has_value()) return one.update_seconds.has_value();
  if (one.update_seconds && *one.update_seconds != *other.update_seconds) {
    return *one.update_seconds < *other.update_seconds;
  }
  if (one.timed != other.timed) return one.timed;
  if (one.accumulation != other.accumulation) return one.accumulation < other.accumulation;
  return one.headroom_bytes > other.headroom_bytes;
}

}  // namespace

Plans plans_of(const PlanQuestion& question) {
  require_sound(question);
  const std::vector<std::int64_t> microbatches = divisors_of(question.effective_batch);
  Plans all;
  for (std::size_t place = 0; place < question.options.size(); ++place) {
    const PlanOption& option = question.options[place];
    std::optional<StepTime> time;
    if (!option.timed.empty()) time = step_time_of(option.timed);
    for (const std::int64_t microbatch : microbatches) {
      Plan plan;
      plan.option = place;
      plan.microbatch = microbatch;
      plan.accumulation = question.effective_batch / microbatch;
      const Need need = option.need(plan.microbatch, plan.accumulation);
      plan.peak_bytes = need.bytes;
      plan.headroom_bytes = question.usable_bytes - need.bytes;
      plan.fits = need.fits;
      if (time) add_time(question, option, *time, plan);
      all.plans.push_back(plan);
    }
  }
  std::stable_sort(all.plans.begin(), all.plans.end(), comes_before);
  if (!all.plans.empty() && all.plans[0].fits && all.plans[0].update_seconds) all.best = 0;
  return all;
}

std::optional<std::int64_t> largest_microbatch(const PlanOption& option, std::int64_t accumulation, std::int64_t most) {
  constexpr std::int64_t kStride = 16;
  const auto need = [&](std::int64_t microbatch) { return option.need(microbatch, accumulation); };
  const auto could_fit = [&](std::int64_t microbatch) {
    const Need here = need(microbatch);
    return here.could_fit || here.fits;
  };
  if (most < 1 || !could_fit(1)) return std::nullopt;
  std::int64_t could = 1;
  std::int64_t beyond = std::min(most, kMostEffectiveBatch) + 1;  // could not, or is not to be tried
  const auto try_one = [&](std::int64_t microbatch) { (could_fit(microbatch) ? could : beyond) = microbatch; };
  for (std::int64_t next = 2; next < beyond; next *= 2) try_one(next);
  while (beyond - could > 1) try_one(could + (beyond - could) / 2);

  std::int64_t fits = could;
  std::int64_t too_large = could + 1;
  while (fits >= 1 && !need(fits).fits) {
    too_large = fits;
    fits -= std::max<std::int64_t>(1, fits / kStride);
  }
  if (fits < 1) return std::nullopt;
  while (too_large - fits > 1) {
    const std::int64_t middle = fits + (too_large - fits) / 2;
    (need(middle).fits ? fits : too_large) = middle;
  }
  return fits;
}

}  // namespace mantissa::memory
