// SPDX-License-Identifier: Apache-2.0
#include "core/train/schedule.h"

#include <cmath>
#include <string>

#include "core/base/error.h"

namespace mantissa::train {
namespace {

constexpr double kPi = 3.141592653589793;  // math.pi

std::int64_t horizon_of(const spec::Schedule& settings) {
  if (settings.kind != spec::ScheduleKind::Cosine && settings.kind != spec::ScheduleKind::Linear) return 0;
  const std::int64_t total = settings.total.value_or(0);
  if (total > settings.warmup) return total - settings.warmup;
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "training.schedule.total", std::to_string(total),
                                          "more than the warm-up of " + std::to_string(settings.warmup), ""});
}

double warm_up_rate(double base_rate, std::int64_t count, std::int64_t warmup) {
  return base_rate * static_cast<double>(count + 1) / static_cast<double>(warmup);
}

}  // namespace

Schedule::Schedule(const spec::Schedule& settings, double learning_rate)
    : settings_(settings), base_rate_(learning_rate), horizon_(horizon_of(settings)), learning_rate_(learning_rate) {
  if (settings_.warmup > 0) learning_rate_ = warm_up_rate(base_rate_, 0, settings_.warmup);
}

void Schedule::after_step(bool applied, std::int64_t microbatches) {
  if (settings_.per == spec::SchedulePer::Iteration) {
    for (std::int64_t i = 0; i < microbatches; ++i) advance();
  } else if (applied) {
    advance();
  }
}

void Schedule::advance() {
  ++count_;
  if (count_ < settings_.warmup) {
    learning_rate_ = warm_up_rate(base_rate_, count_, settings_.warmup);
  } else if (count_ == settings_.warmup) {
    learning_rate_ = base_rate_;
  } else {
    learning_rate_ = next_rate(count_ - settings_.warmup);
  }
}

void Schedule::load(const State& state) {
  count_ = state.count;
  learning_rate_ = state.learning_rate;
}

/// `get_lr` of torch.optim.lr_scheduler for last_epoch = own_count >= 1, from the rate before. Every operation in
/// PyTorch's order.
double Schedule::next_rate(std::int64_t own_count) const {
  const auto count = static_cast<double>(own_count);
  const auto horizon = static_cast<double>(horizon_);
  switch (settings_.kind) {
    case spec::ScheduleKind::Constant:
      return learning_rate_;
    case spec::ScheduleKind::Step:
      return own_count % settings_.every == 0 ? learning_rate_ * settings_.gamma : learning_rate_;
    case spec::ScheduleKind::Exponential:
      return learning_rate_ * settings_.gamma;
    case spec::ScheduleKind::Cosine: {
      const double floor = settings_.min_lr;
      if ((own_count - 1 - horizon_) % (2 * horizon_) == 0) {
        return learning_rate_ + (base_rate_ - floor) * (1 - std::cos(kPi / horizon)) / 2;
      }
      return (1 + std::cos(kPi * count / horizon)) / (1 + std::cos(kPi * (count - 1) / horizon)) *
                 (learning_rate_ - floor) +
             floor;
    }
    case spec::ScheduleKind::Linear: {
      if (own_count > horizon_) return learning_rate_;
      const double fall = settings_.end_factor - 1.0;
      return learning_rate_ * (1.0 + fall / (horizon * 1.0 + (count - 1) * fall));
    }
  }
  return learning_rate_;
}

}  // namespace mantissa::train
