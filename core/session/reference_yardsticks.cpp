// SPDX-License-Identifier: Apache-2.0
#include "core/session/reference_yardsticks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/session/archive_rows.h"
#include "core/spec/names.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

constexpr std::uint64_t kSeedsApart = 1000;  // the contract's: repeat r has training.seed + 1000 r

std::vector<int> other_thread_counts(int own, std::int64_t count) {
  std::vector<int> threads;
  for (int other = 1; static_cast<std::int64_t>(threads.size()) < count; ++other) {
    if (other != own) threads.push_back(other);
  }
  return threads;
}

std::int64_t steps_between(const spec::Experiment& experiment) {
  std::int64_t every = 0;
  for (const spec::Trial& trial : experiment.trials) {
    if (trial.shadow_every > 0 && (every == 0 || trial.shadow_every < every)) every = trial.shadow_every;
  }
  return every > 0 ? every : train::Yardsticks().every;
}

/// The measure in which notes state deviations: that of the rules' preset.
spec::OutputRule usual_measure(spec::Of of) {
  spec::OutputRule rule;
  rule.of = of;
  return rule;
}

constexpr char kMeasure[] = "q0.99 of case_relative";
constexpr char kStepMeasure[] = "mean of output_relative";
constexpr char kRoundingFloor[] = "rounding-floor";
constexpr char kSpread[] = "run-to-run-spread";

std::string short_text(double value) { return mantissa::to_text(value, 4); }

std::string thread_words(int threads) { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }

std::string repeat_words(std::size_t count) {
  return count == 1 ? "of 1 repeat" : "largest of " + std::to_string(count) + " repeats";
}

}  // namespace

ReferenceYardsticks::ReferenceYardsticks(const Prepared& prepared, std::size_t trials)
    : prepared_(prepared),
      trials_(trials),
      repeats_(static_cast<std::size_t>(prepared.experiment.reference.repeats)),
      vary_seed_(std::find(prepared.experiment.reference.vary.begin(), prepared.experiment.reference.vary.end(),
                           "seed") != prepared.experiment.reference.vary.end()),
      threads_(
          other_thread_counts(prepared.experiment.training.threads, prepared.experiment.reference.rounding_repeats)),
      float64_(prepared.experiment.reference.float64),
      every_(steps_between(prepared.experiment)),
      means_(1 + trials + size()) {}

train::Yardsticks ReferenceYardsticks::for_training() {
  train::Yardsticks yardsticks;
  yardsticks.rounding_threads = threads_;
  yardsticks.every = every_;
  for (std::size_t r = 1; r <= repeats_; ++r) {
    spec::Experiment& experiment = *experiments_.emplace_back(std::make_unique<spec::Experiment>(prepared_.experiment));
    experiment.training.seed += kSeedsApart * r;
    const spec::Experiment& weights_and_dropout = vary_seed_ ? experiment : prepared_.experiment;
    auto network = vary_seed_ ? network_of_seed(prepared_, experiment.training.seed) : prepared_.network->clone();
    yardsticks.repeats.push_back(
        {std::make_unique<train::Arm>(name_of(r - 1), std::move(network), weights_and_dropout, nullptr),
         std::make_unique<train::BatchPlan>(experiment, prepared_.dataset.train)});
  }
  return yardsticks;
}

std::string ReferenceYardsticks::name_of(std::size_t i) const {
  if (is_repeat(i)) return spec::repeat_name(i + 1);
  const std::size_t rounding = i - repeats_;
  return rounding < threads_.size() ? spec::rounding_name(rounding + 1) : spec::float64_name;
}

std::vector<record::TrialStart> ReferenceYardsticks::starts(std::int64_t experiment_id,
                                                            std::int64_t reference_id) const {
  std::vector<record::TrialStart> starts;
  for (std::size_t i = 0; i < size(); ++i) {
    record::TrialStart& start =
        starts.emplace_back(trial_start(prepared_.experiment, experiment_id, reference_id, nullptr));
    start.kind = is_repeat(i) ? record::TrialKind::Repeat : record::TrialKind::Rounding;
    start.name = name_of(i);
    nlohmann::json varied;
    if (is_repeat(i)) {
      varied = {{"vary", vary_seed_ ? "seed" : "order"},
                {"seed", prepared_.experiment.training.seed + kSeedsApart * (i + 1)}};
    } else if (i - repeats_ < threads_.size()) {
      varied = {{"threads", threads_[i - repeats_]}};
    } else {
      varied = {{"dtype", "float64"}};
    }
    start.policy = varied.dump();
  }
  return starts;
}

std::vector<record::CaseRow> ReferenceYardsticks::finish(std::size_t i, train::PairedRun& run,
                                                         const CaseComparison& comparison, bool compared,
                                                         record::TrialEnd& end) {
  std::vector<record::CaseRow> rows;
  train::Arm& reference = run.arm(0);
  try {
    if (is_repeat(i)) {
      // Repeats stand behind the trials.
      train::Arm& repeat = run.arm(run.arm_count() - repeats_ + i);
      if (!compared || repeat.failure) return rows;
      rows = comparison.repeat_rows(repeat);
      comparison.summarise(rows, end);
      end.flips.reset();  // decisions of other weights: a matter of quality
      end.quality_reference = comparison.reference_quality();
      quality_metric_ = end.quality_metric;
      const double distance = std::fabs(*end.quality - *end.quality_reference);
      quality_spread_ = judge::larger(quality_spread_, distance);
      spread_.push_back(rows);
      return rows;
    }
    if (!compared) return rows;
    const std::size_t rounding = i - repeats_;
    const bool on_threads = rounding < threads_.size();
    rows = on_threads ? comparison.rounding_rows(reference, threads_[rounding]) : comparison.float64_rows(reference);
    end.flips =
        std::count_if(rows.begin(), rows.end(), [](const record::CaseRow& row) { return row.flip_same_weights; });
    rounding_.push_back(rows);
    rounding_names_.push_back(on_threads ? "on " + thread_words(threads_[rounding]) : "in FP64");
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const train::Failure failure = train::failure_of(error, "on the frozen cases");
    end.status = record::Status::Failed;
    end.failure = failure.reason;
    end.failure_text = failure.text;
    rows.clear();
  }
  return rows;
}

std::vector<std::string> ReferenceYardsticks::notes_on_reference() const {
  std::vector<std::string> notes;
  if (!rounding_.empty()) {
    std::string each;
    for (std::size_t i = 0; i < rounding_.size(); ++i) {
      const double size = judge::reduced_measure(rounding_[i], usual_measure(spec::Of::SameWeights), "");
      each += (each.empty() ? "" : ", ") + rounding_names_[i] + ' ' + short_text(size);
    }
    const double floor = *judge::yardstick(rounding_, usual_measure(spec::Of::SameWeights), "");
    std::string note = "Rounding floor, the yardstick of same weights and shadow: " + std::string(kMeasure) + " is " +
                       short_text(floor) + " (" + each + "; the run itself is on " +
                       thread_words(prepared_.experiment.training.threads) + ").";
    if (floor == 0.0) {
      note +=
          " The outputs are equal in every bit, so nothing is a multiple of it; reference.float64 = true measures "
          "against FP64.";
    } else if (largest_mean(repeats_, threads_.size(), &Means::shadow) == 0.0) {
      note +=
          " In training steps another number of threads gives equal bits, so that a shadow deviation is no multiple "
          "of it.";
    }
    notes.push_back(std::move(note));
  }
  if (!spread_.empty()) {
    const double size = *judge::yardstick(spread_, usual_measure(spec::Of::Trained), "");
    notes.push_back("Run-to-run spread, the yardstick of trained, trajectory and quality: " + std::string(kMeasure) +
                    " is " + short_text(size) + " and " + quality_metric_ + " differs by " +
                    short_text(quality_spread_) + " (" + repeat_words(spread_.size()) + " with another " +
                    (vary_seed_ ? "seed" : "order") + ").");
  }
  return notes;
}

void ReferenceYardsticks::see(std::size_t place, const record::StepRecord& step) {
  if (step.step % every_ != 0) return;  // trials have a trajectory in every step, repeats in these
  means_[place].trajectory.add(step.deviation_output_relative);
  means_[place].shadow.add(step.shadow_output_relative);
}

std::optional<double> ReferenceYardsticks::largest_mean(std::size_t first, std::size_t count,
                                                        judge::StepMean Means::*column) const {
  std::vector<judge::StepMean> repeats;
  for (std::size_t i = first; i < first + count; ++i) repeats.push_back(means_[1 + trials_ + i].*column);
  return judge::largest_mean(repeats);
}

std::vector<record::YardstickReading> ReferenceYardsticks::readings(std::size_t place,
                                                                    const std::vector<record::CaseRow>& rows,
                                                                    const record::TrialEnd& end) const {
  const bool is_reference = place == 0;
  std::vector<record::YardstickReading> readings;
  const auto add = [&](const char* of, const std::string& measure, const char* yardstick,
                       const std::optional<double>& value, const std::optional<double>& size) {
    if (size && (value || is_reference)) readings.push_back({of, measure, yardstick, value, *size});
  };
  const auto on_cases = [&](spec::Of of) {
    return is_reference || rows.empty() ? std::nullopt
                                        : std::optional(judge::reduced_measure(rows, usual_measure(of), ""));
  };
  const auto cases_of = [](const std::vector<std::vector<record::CaseRow>>& repeats, spec::Of of) {
    return judge::yardstick(repeats, usual_measure(of), "");
  };
  add("same_weights", kMeasure, kRoundingFloor, on_cases(spec::Of::SameWeights),
      cases_of(rounding_, spec::Of::SameWeights));
  add("shadow", kStepMeasure, kRoundingFloor, means_[place].shadow.value(),
      largest_mean(repeats_, threads_.size(), &Means::shadow));
  add("trained", kMeasure, kSpread, on_cases(spec::Of::Trained), cases_of(spread_, spec::Of::Trained));
  add("trajectory", kStepMeasure, kSpread, means_[place].trajectory.value(),
      largest_mean(0, repeats_, &Means::trajectory));
  std::optional<double> quality;
  if (!is_reference && end.quality && end.quality_reference && end.quality_metric == quality_metric_) {
    quality = std::fabs(*end.quality - *end.quality_reference);
  }
  if (!spread_.empty()) add("trained", "difference of " + quality_metric_, kSpread, quality, quality_spread_);
  return readings;
}

void ReferenceYardsticks::add_evidence(judge::Evidence& evidence) const {
  evidence.rounding = rounding_;
  evidence.spread = spread_;
  if (float64_ && rounding_.size() > threads_.size()) evidence.float64 = threads_.size();
}

}  // namespace mantissa::session
