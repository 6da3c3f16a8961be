// SPDX-License-Identifier: Apache-2.0
#include "core/precision/loss_scaler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::precision {
namespace {

constexpr const char* kToleranceLeft = "mantissa.tolerance_left";
constexpr const char* kGrowthDelayLeft = "mantissa.growth_delay_left";
constexpr std::array kPyTorchKeys = {"scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"};

[[noreturn]] void refuse(const std::string& subject, const std::string& found, const std::string& expected,
                         const std::string& remedy) {
  ErrorFacts facts;
  facts.subject = "LossScaler, " + subject;
  facts.found = found;
  facts.expected = expected;
  facts.remedy = remedy;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

void require_count(const char* name, std::int64_t value, std::int64_t least) {
  if (value >= least) return;
  refuse(name, std::to_string(value), "at least " + std::to_string(least), "The default of every rule is off");
}

void require_bound(const char* name, double value) {
  if (value >= 0 && std::isfinite(static_cast<float>(value))) return;
  refuse(name, to_text(value), "0 for none, or a number that FP32 can hold", "The default is 0");
}

[[noreturn]] void refuse_beyond(const char* name, double value, const char* bound, double limit, bool above) {
  refuse(name, to_text(value), std::string(above ? "at most the " : "at least the ") + bound + ", " + to_text(limit),
         "Move one of the two");
}

void check(const GradScalerOptions& options, const ScalerRules& rules) {
  require_count("hysteresis", rules.hysteresis, 1);
  require_count("growth_delay", rules.growth_delay, 0);
  require_bound("floor", rules.floor);
  require_bound("ceiling", rules.ceiling);
  const auto first = static_cast<float>(options.init_scale);
  const auto floor = static_cast<float>(rules.floor);
  const auto ceiling = static_cast<float>(rules.ceiling);
  if (ceiling > 0 && floor > ceiling) refuse_beyond("floor", rules.floor, "ceiling", rules.ceiling, true);
  if (floor > 0 && !(first >= floor)) refuse_beyond("init_scale", options.init_scale, "floor", rules.floor, false);
  if (ceiling > 0 && !(first <= ceiling))
    refuse_beyond("init_scale", options.init_scale, "ceiling", rules.ceiling, true);
}

/// A whole number of a state, from `least` to `most`.
std::int64_t count_of(const std::string& key, double value, std::int64_t least, std::int64_t most) {
  if (value == std::floor(value) && value >= static_cast<double>(least) && value <= static_cast<double>(most)) {
    return static_cast<std::int64_t>(value);
  }
  refuse("state, " + key, to_text(value),
         "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
         "A state belongs to the settings under which it was saved");
}

double entry_of(const LossScalerState& state, const std::string& key) {
  const auto entry = state.find(key);
  if (entry != state.end()) return entry->second;
  std::string keys;
  for (const auto& [name, value] : state) keys += (keys.empty() ? "" : ", ") + name;
  refuse("state", "no " + key + " among " + keys, "the five keys of torch.amp.GradScaler.state_dict",
         "This looks like the state of another kind of scaler. Start from the initial scale instead");
}

}  // namespace

LossScaler::LossScaler(const GradScalerOptions& options, const ScalerRules& rules)
    : exact_(options), rules_(rules), tolerance_left_(rules.hysteresis - 1), growth_delay_left_(rules.growth_delay) {
  if (options.enabled) check(options, rules);
}

bool LossScaler::has_rules() const {
  return rules_.hysteresis > 1 || rules_.growth_delay > 0 || rules_.floor > 0.0 || rules_.ceiling > 0.0;
}

ScaleUpdate LossScaler::update() {
  if (!exact_.is_enabled()) return ScaleUpdate::Clean;
  const bool overflow = exact_.found_inf();
  if (!has_rules()) {
    exact_.update();
    return overflow ? ScaleUpdate::BackedOff : ScaleUpdate::Clean;
  }
  if (overflow) return after_overflow();
  after_clean_step();
  return ScaleUpdate::Clean;
}

ScaleUpdate LossScaler::after_overflow() {
  growth_delay_left_ = rules_.growth_delay;
  const double before = exact_.get_scale();
  if (tolerance_left_ > 0) {
    --tolerance_left_;
    exact_.update(before);  // ends the iteration as a plain update does
    set_scale(before, 0);
    return ScaleUpdate::Tolerated;
  }
  exact_.update();
  const auto floor = static_cast<double>(static_cast<float>(rules_.floor));
  if (floor <= 0.0) return ScaleUpdate::BackedOff;
  if (exact_.get_scale() < floor) set_scale(floor, exact_.get_growth_tracker());
  return before <= floor ? ScaleUpdate::AtFloor : ScaleUpdate::BackedOff;
}

void LossScaler::after_clean_step() {
  if (rules_.hysteresis_refill == spec::HysteresisRefill::CleanStep) tolerance_left_ = rules_.hysteresis - 1;
  if (growth_delay_left_ > 0) {
    --growth_delay_left_;
    exact_.update(exact_.get_scale());  // ends the iteration, leaves the tracker alone
    return;
  }
  const bool interval_ends = exact_.get_growth_tracker() + 1 == exact_.get_growth_interval();
  exact_.update();
  if (!interval_ends) return;
  if (rules_.hysteresis_refill == spec::HysteresisRefill::Growth) tolerance_left_ = rules_.hysteresis - 1;
  const auto ceiling = static_cast<double>(static_cast<float>(rules_.ceiling));
  if (ceiling > 0.0 && exact_.get_scale() > ceiling) set_scale(ceiling, exact_.get_growth_tracker());
}

// Through the state, the one way to set scale and tracker between two iterations.
void LossScaler::set_scale(double scale, std::int64_t growth_tracker) {
  std::optional<GradScalerState> state = exact_.state_dict();
  state->scale = scale;
  state->growth_tracker = growth_tracker;
  exact_.load_state_dict(state);
}

LossScalerState LossScaler::state_dict() const {
  const std::optional<GradScalerState> state = exact_.state_dict();
  if (!state) return {};
  return {{"scale", state->scale},
          {"growth_factor", state->growth_factor},
          {"backoff_factor", state->backoff_factor},
          {"growth_interval", static_cast<double>(state->growth_interval)},
          {"_growth_tracker", static_cast<double>(state->growth_tracker)},
          {kToleranceLeft, static_cast<double>(tolerance_left_)},
          {kGrowthDelayLeft, static_cast<double>(growth_delay_left_)}};
}

void LossScaler::load_state_dict(const LossScalerState& state) {
  if (!exact_.is_enabled()) return;
  if (state.empty()) return exact_.load_state_dict(std::nullopt);  // throws: the words are the same
  for (const char* const key : kPyTorchKeys) entry_of(state, key);
  std::int64_t tolerance = rules_.hysteresis - 1;
  std::int64_t delay = rules_.growth_delay;
  for (const auto& [key, value] : state) {
    if (key == kToleranceLeft) {
      tolerance = count_of(key, value, 0, rules_.hysteresis - 1);
    } else if (key == kGrowthDelayLeft) {
      delay = count_of(key, value, 0, rules_.growth_delay);
    } else if (std::find(kPyTorchKeys.begin(), kPyTorchKeys.end(), key) == kPyTorchKeys.end()) {
      refuse("state", "the key " + key, "the keys of torch.amp.GradScaler.state_dict and those of Mantissa",
             "This looks like the state of another kind of scaler. Start from the initial scale instead");
    }
  }
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  GradScalerState exact;
  exact.scale = entry_of(state, "scale");
  exact.growth_factor = entry_of(state, "growth_factor");
  exact.backoff_factor = entry_of(state, "backoff_factor");
  exact.growth_interval = count_of("growth_interval", entry_of(state, "growth_interval"), least, most);
  exact.growth_tracker = count_of("_growth_tracker", entry_of(state, "_growth_tracker"), least, most);
  exact_.load_state_dict(exact);  // the last that can refuse
  tolerance_left_ = tolerance;
  growth_delay_left_ = delay;
}

}  // namespace mantissa::precision
