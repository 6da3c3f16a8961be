// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/traced_plans.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/error.h"
#include "core/memory/ledger.h"
#include "core/memory/replay.h"
#include "ui/models/error_words.h"

namespace mantissa::ui::memory {
namespace {

/// Leaves the solver, which knows nothing of threads.
class Obsolete : public std::exception {};

bool isSameTime(const TypedTime& one, const TypedTime& other) {
  return one.isSamePlan(other) && one.step.seconds == other.step.seconds;
}

}  // namespace

bool SolverQuestion::operator==(const SolverQuestion& other) const {
  return traced == other.traced && forecast == other.forecast && device.capacity_bytes == other.device.capacity_bytes &&
         device.reserve_parts == other.device.reserve_parts && device.outside_bytes == other.device.outside_bytes &&
         accumulation == other.accumulation && accumulationAt == other.accumulationAt &&
         effectiveBatch == other.effectiveBatch && updates == other.updates &&
         deadlineSeconds == other.deadlineSeconds && pricePerHour == other.pricePerHour &&
         std::equal(times.begin(), times.end(), other.times.begin(), other.times.end(), isSameTime);
}

SolverQuestion questionOf(const TracedQuestion& question, bool asksAccumulation) {
  const session::StepSize& planned = question.traced->trace.planned;
  const CommonFields& fields = question.fields;
  SolverQuestion solver;
  solver.traced = question.traced;
  solver.forecast = question.choice.forecast;
  solver.device = question.device();
  solver.accumulation = fields.accumulation;
  solver.accumulationAt = asksAccumulation ? fields.microbatch : 0;
  solver.effectiveBatch = planned.microbatch * planned.accumulation;
  solver.updates = fields.updates;
  solver.deadlineSeconds = fields.deadlineSeconds;
  solver.pricePerHour = fields.pricePerHour;
  solver.times = question.choice.values.times;
  return solver;
}

engine::Need TracedPlans::needOf(std::size_t forecast, const engine::Device& device, std::int64_t microbatch,
                                 std::int64_t accumulation) {
  constexpr std::size_t kMostKept = 20'000;
  if (m_uses.size() >= kMostKept) m_uses.clear();
  const auto trace = [&] { return m_traced->forecasts[forecast].forecast.at(microbatch, accumulation); };
  auto use = m_uses.find({forecast, microbatch, accumulation});
  if (use == m_uses.end()) {
    engine::StepUse made = engine::step_use_of(trace());
    made.by_module = {};  // a plan shows none
    use = m_uses.emplace(Size{forecast, microbatch, accumulation}, std::move(made)).first;
  }
  const engine::ModelLedger ledger = engine::model_ledger_of(
      use->second, device,
      [&trace](const engine::AllocatorSettings& settings) { return engine::replay(trace().events, settings); });
  return {ledger.needed_bytes, ledger.fits, ledger.could_fit()};
}

std::optional<SolverAnswer> TracedPlans::solve(const SolverQuestion& question,
                                               const std::function<bool()>& isObsolete) {
  if (m_traced != question.traced) {
    m_traced = question.traced;
    m_uses.clear();
  }
  SolverAnswer answer;
  answer.asked = question;
  engine::PlanQuestion& plans = answer.question;
  plans.effective_batch = question.effectiveBatch;
  plans.updates = question.updates;
  plans.deadline_seconds = question.deadlineSeconds;
  plans.price_per_hour = question.pricePerHour;
  try {
    plans.usable_bytes = question.device.capacity_bytes -
                         engine::reserve_of(question.device.capacity_bytes, question.device.reserve_parts);
    for (std::size_t i = 0; i < question.traced->forecasts.size(); ++i) {
      const session::ArmForecast& forecast = question.traced->forecasts[i];
      engine::PlanOption option;
      option.policy = forecast.policy;
      option.activation_checkpointing = forecast.activation_checkpointing;
      for (const TypedTime& time : question.times) {
        if (time.isOf(forecast.arm, forecast.activation_checkpointing)) option.timed.push_back(time.step);
      }
      if (option.timed.empty()) option.timed = forecast.timed;
      option.need = [this, i, &isObsolete, device = question.device](std::int64_t microbatch,
                                                                     std::int64_t accumulation) {
        if (isObsolete()) throw Obsolete();
        return needOf(i, device, microbatch, accumulation);
      };
      plans.options.push_back(std::move(option));
    }
    const engine::PlanOption& chosen = plans.options[question.forecast];
    answer.largestMicrobatch = engine::largest_microbatch(chosen, question.accumulation, kMostSamples);
    if (question.accumulationAt > 0) {
      // What a step needs grows with its microbatches as it does with their samples.
      engine::PlanOption turned = chosen;
      turned.need = [&chosen](std::int64_t accumulation, std::int64_t microbatch) {
        return chosen.need(microbatch, accumulation);
      };
      answer.largestAccumulation = engine::largest_microbatch(turned, question.accumulationAt, kMostSamples);
    }
    answer.plans = engine::plans_of(plans);
  } catch (const Error& error) {
    answer.noPlans = models::errorText(error);
  } catch (const Obsolete&) {
    return std::nullopt;
  }
  for (engine::PlanOption& option : plans.options) option.need = {};  // of this call
  return answer;
}

}  // namespace mantissa::ui::memory
