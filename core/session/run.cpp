// SPDX-License-Identifier: Apache-2.0
#include "core/session/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/judge/judge.h"
#include "core/session/frozen_cases.h"
#include "core/session/prepared.h"
#include "core/session/progress_clock.h"
#include "core/session/reference_lock.h"
#include "core/spec/parse.h"
#include "core/train/failure_text.h"
#include "core/train/paired_run.h"

namespace mantissa::session {
namespace {

using Clock = std::chrono::steady_clock;

/// The trials of the experiment that this run asks for, in the file's order.
std::vector<const spec::Trial*> chosen_trials(const spec::Experiment& experiment,
                                              const std::vector<std::string>& names) {
  std::vector<const spec::Trial*> chosen;
  for (const std::string& name : names) {
    const auto is_named = [&](const spec::Trial& trial) { return trial.name == name; };
    if (std::none_of(experiment.trials.begin(), experiment.trials.end(), is_named)) {
      std::string known;
      for (const spec::Trial& trial : experiment.trials) known += (known.empty() ? "" : ", ") + trial.name;
      throw Error(ErrorKind::InvalidSetting,
                  {"no such trial", experiment.file, 0, 0, "--trial", name,
                   known.empty() ? "no trial: the experiment has none" : "one of " + known, ""});
    }
  }
  for (const spec::Trial& trial : experiment.trials) {
    if (names.empty() || std::find(names.begin(), names.end(), trial.name) != names.end()) chosen.push_back(&trial);
  }
  return chosen;
}

judge::TargetUnit unit_of(const data::Dataset& dataset) {
  return {dataset.target_scale, dataset.target_offset, dataset.target_log10};
}

record::ExperimentStart experiment_start(const spec::Experiment& asked, const Prepared& prepared,
                                         const FrozenCases& cases, const std::string& initial_sha256) {
  record::ExperimentStart start;
  start.name = asked.name;
  start.file = asked.file;
  start.text = spec::with_overrides(asked.text, asked.overrides);
  start.resolved = spec::canonical_json(prepared.experiment);
  start.sha256 = sha256(spec::canonical_json_to_hash(prepared.experiment));
  start.rules = spec::canonical_json_of_rules(asked);
  if (!start.rules.empty()) start.rules_sha256 = sha256(start.rules);
  start.cases_sha256 = cases.sha256;
  start.lock = reference_lock(prepared, initial_sha256);
  start.lock_sha256 = sha256(start.lock);
  return start;
}

record::TrialStart trial_start(const spec::Experiment& experiment, std::int64_t experiment_id,
                               std::int64_t reference_id, const spec::Trial* trial) {
  record::TrialStart start;
  start.experiment = experiment_id;
  start.reference = reference_id;
  start.kind = trial != nullptr ? record::TrialKind::Trial : record::TrialKind::Reference;
  start.name = trial != nullptr ? trial->name : "reference";
  start.autocast = trial != nullptr ? spec::to_text(trial->autocast) : "off";
  start.cast_policy = trial != nullptr ? trial->cast_policy : "device";
  start.device = experiment.training.device;
  if (trial != nullptr) start.policy = spec::canonical_json(*trial);
  return start;
}

/// One run from its first row in the archive to its last.
class Run {
 public:
  Run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer, const StopToken& stop)
      : asked_(experiment), options_(options), observer_(observer), stop_(stop) {}

  record::RunSummary execute() {
    trials_ = chosen_trials(asked_, options_.only_trials);
    observer_.on_phase("preparing");
    prepared_ = prepare(asked_);
    for (const std::string& note : prepared_.notes) observer_.on_note(note);
    cases_ = freeze_cases(prepared_.experiment, prepared_.dataset);
    if (!cases_.note.empty()) observer_.on_note(cases_.note);

    train::BatchPlan plan(prepared_.experiment, prepared_.dataset.train);
    train::PairedRun paired(plan, make_arms(), options_.probes == Probes::Standard,
                            [this] { return stop_.requested(); });
    // Last of all that can refuse the experiment: a refused one leaves no trace in the archive.
    writer_ = std::make_unique<archive::Writer>(options_.archive);
    open_in_archive();
    train(paired, plan);
    finish(paired);
    writer_->close();
    return std::move(summary_);
  }

 private:
  std::vector<std::unique_ptr<train::Arm>> make_arms() {
    const spec::Experiment& experiment = prepared_.experiment;
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(std::make_unique<train::Arm>("reference", prepared_.network->clone(), experiment, nullptr));
    for (const spec::Trial* trial : trials_) {
      arms.push_back(std::make_unique<train::Arm>(trial->name, prepared_.network->clone(), experiment, trial));
    }
    return arms;
  }

  void open_in_archive() {
    initial_sha256_ = state_sha256(*prepared_.network);
    const record::ExperimentStart start = experiment_start(asked_, prepared_, cases_, initial_sha256_);
    rules_sha256_ = start.rules_sha256;
    summary_.experiment = asked_.name;
    summary_.experiment_id = writer_->begin_experiment(start);
    summary_.reference = open_arm(0, nullptr);
    writer_->write_weights(summary_.reference.id, "initial", state_bytes(*prepared_.network));
    for (const spec::Trial* trial : trials_) summary_.trials.push_back(open_arm(summary_.reference.id, trial));
    for (const record::TrialRow& row : summary_.trials) ids_.push_back(row.id);
    ids_.insert(ids_.begin(), summary_.reference.id);
  }

  record::TrialRow open_arm(std::int64_t reference_id, const spec::Trial* trial) {
    record::TrialRow row;
    row.experiment_id = summary_.experiment_id;
    row.experiment = summary_.experiment;
    row.start = trial_start(prepared_.experiment, summary_.experiment_id, reference_id, trial);
    row.id = writer_->begin_trial(row.start, &row.started_at);
    return row;
  }

  void train(train::PairedRun& paired, const train::BatchPlan& plan) {
    observer_.on_phase("training");
    ProgressClock progress(observer_, plan.total_steps());
    std::vector<bool> failure_told(paired.arm_count(), false);
    const auto sink = [this](std::size_t arm, record::StepRecord&& step) {
      step.trial = ids_[arm];
      writer_->append(step);
    };
    begin_ = Clock::now();
    while (paired.step(sink)) {
      for (std::size_t i = 0; i < paired.arm_count(); ++i) {
        const train::Arm& arm = paired.arm(i);
        if (!arm.failure || failure_told[i]) continue;
        failure_told[i] = true;
        observer_.on_note((i == 0 ? "The reference failed: " : arm.name + " failed: ") + arm.failure->text);
      }
      progress.tell(paired, writer_->waited_seconds());
    }
    progress.tell_last(paired);
    seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  void finish(train::PairedRun& paired) {
    train::Arm& reference = paired.arm(0);
    const bool compared = !paired.stopped() && !reference.failure;
    if (compared) {
      observer_.on_phase("comparing cases");
      evaluate_reference(reference);
    }
    finish_reference(paired, reference);
    for (std::size_t i = 1; i < paired.arm_count(); ++i) finish_trial(paired, i, compared);
  }

  void evaluate_reference(train::Arm& reference) {
    try {
      reference_outputs_ = evaluate(*reference.network, reference.policy, cases_.inputs);
    } catch (const std::exception& error) {
      reference.failure = train::failure_of(error, "on the frozen cases");
    }
  }

  record::TrialEnd common_end(const train::PairedRun& paired, const train::Arm& arm) const {
    record::TrialEnd end;
    end.counts = arm.tally.counts;
    end.final_loss = arm.tally.last_loss;
    end.seconds = seconds_;
    end.notes = arm.notes;
    if (arm.failure) {
      end.status = record::Status::Failed;
      end.failure = arm.failure->reason;
      end.failure_text = arm.failure->text;
    } else if (paired.stopped() || paired.arm(0).failure) {
      end.status = record::Status::Stopped;
    }
    return end;
  }

  std::string quality_metric() const {
    if (asked_.rules && !asked_.rules->quality.empty() && !asked_.rules->quality.front().metric.empty()) {
      return asked_.rules->quality.front().metric;
    }
    return judge::default_metric(prepared_.dataset.task);
  }

  /// The frozen cases with an arm's outputs beside the reference's, and everything that follows from them.
  std::vector<record::CaseRow> compared_rows(const std::vector<std::vector<double>>& trained,
                                             const std::vector<std::vector<double>>& same_weights) const {
    std::vector<record::CaseRow> rows = cases_.rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].output = trained[i];
      rows[i].output_reference = reference_outputs_[i];
      rows[i].output_same_weights = same_weights[i];
    }
    judge::compare(rows, prepared_.decision);
    return rows;
  }

  void finish_reference(const train::PairedRun& paired, const train::Arm& arm) {
    record::TrialEnd end = common_end(paired, arm);
    reference_moved_ = state_sha256(*arm.network) != initial_sha256_;
    non_finite_reference_ = train::non_finite_state(arm);
    if (arm.tally.first_non_finite_loss_step > 0) {
      non_finite_reference_.push_back("loss at step " + std::to_string(arm.tally.first_non_finite_loss_step));
    }
    for (const std::string& what : non_finite_reference_) {
      end.notes.push_back("Non-finite in the reference: " + what + ".");
    }
    if (!reference_outputs_.empty()) {
      const std::vector<record::CaseRow> rows = compared_rows(reference_outputs_, reference_outputs_);
      end.quality_metric = quality_metric();
      end.quality =
          judge::quality(rows, end.quality_metric, spec::Of::Trained, /*reference=*/true, unit_of(prepared_.dataset));
      writer_->write_cases(ids_[0], rows);
    }
    writer_->write_weights(ids_[0], "final", state_bytes(*arm.network));
    reference_end_ = end;
    writer_->finish_trial(ids_[0], end, &summary_.reference.finished_at);
    summary_.reference.end = std::move(end);
  }

  /// Fills in the outputs of both comparisons; a model that fails here fails the trial.
  std::vector<record::CaseRow> compare_cases(train::PairedRun& paired, train::Arm& arm) {
    try {
      const auto same_weights = evaluate(*paired.arm(0).network, arm.policy, cases_.inputs);
      const auto trained = evaluate(*arm.network, arm.policy, cases_.inputs);
      return compared_rows(trained, same_weights);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      arm.failure = train::failure_of(error, "on the frozen cases");
      return {};
    }
  }

  judge::Evidence evidence_of(const train::PairedRun& paired, const train::Arm& arm, const record::TrialEnd& end,
                              const spec::Trial& trial, std::vector<record::CaseRow> rows) const {
    const train::Arm& reference = paired.arm(0);
    judge::Evidence evidence;
    evidence.device = prepared_.experiment.training.device;
    evidence.cast_policy = trial.cast_policy;
    evidence.autocast = spec::to_text(trial.autocast);
    evidence.status = end.status;
    evidence.failure = end.failure;
    evidence.failure_text = end.failure_text;
    evidence.counts = end.counts;
    evidence.max_consecutive_skips = arm.max_consecutive_skips;
    evidence.first_non_finite_loss_step = arm.tally.first_non_finite_loss_step;
    evidence.non_finite = train::non_finite_state(arm);
    evidence.non_finite_reference = non_finite_reference_;
    evidence.reference_finished = !reference.failure;
    if (reference.failure) evidence.reference_failure_text = reference.failure->text;
    if (arm.tally.counts.applied > 0) {
      evidence.gradients_all_zero = !arm.tally.any_gradient_nonzero && reference.tally.any_gradient_nonzero;
      evidence.weights_unchanged = reference_moved_ && state_sha256(*arm.network) == initial_sha256_;
    }
    evidence.cases_are_training_rows = cases_.from_training_part;
    evidence.decision = prepared_.decision;
    evidence.task = prepared_.dataset.task;
    evidence.unit = unit_of(prepared_.dataset);
    evidence.cases = std::move(rows);
    return evidence;
  }

  void finish_trial(train::PairedRun& paired, std::size_t index, bool compared) {
    train::Arm& arm = paired.arm(index);
    const spec::Trial& trial = *trials_[index - 1];
    std::vector<record::CaseRow> rows;
    if (compared && !arm.failure && !reference_outputs_.empty()) rows = compare_cases(paired, arm);
    record::TrialEnd end = common_end(paired, arm);
    if (paired.arm(0).failure && !arm.failure) {
      end.notes.push_back("Stopped because the reference failed: " + paired.arm(0).failure->text);
    }
    if (arm.tally.zero_gradient_steps > 0 && paired.arm(0).tally.zero_gradient_steps == 0) {
      end.notes.push_back("Gradients were exactly zero in " + std::to_string(arm.tally.zero_gradient_steps) +
                          " steps, first in step " + std::to_string(arm.tally.first_zero_gradient_step) +
                          ", and never in the reference: they underflow.");
    }
    const judge::Evidence evidence = evidence_of(paired, arm, end, trial, std::move(rows));
    if (!evidence.cases.empty()) {
      end.quality_metric = quality_metric();
      end.quality = judge::quality(evidence.cases, end.quality_metric, spec::Of::Trained, false, evidence.unit);
      end.quality_reference = reference_end_.quality;
      if (prepared_.decision.kind != judge::DecisionKind::None) end.flips = count_flips(evidence.cases);
      writer_->write_cases(ids_[index], evidence.cases);
    }
    end.verdict = judge::judge(asked_.rules, rules_sha256_, evidence);
    writer_->write_weights(ids_[index], "final", state_bytes(*arm.network));
    record::TrialRow& row = summary_.trials[index - 1];
    writer_->finish_trial(ids_[index], end, &row.finished_at);
    row.end = std::move(end);
  }

  std::int64_t count_flips(const std::vector<record::CaseRow>& rows) const {
    const bool trained = asked_.rules && asked_.rules->flips && asked_.rules->flips->of == spec::Of::Trained;
    return std::count_if(rows.begin(), rows.end(),
                         [trained](const record::CaseRow& row) { return trained ? row.flip : row.flip_same_weights; });
  }

  const spec::Experiment& asked_;
  const RunOptions& options_;
  Observer& observer_;
  const StopToken& stop_;
  std::vector<const spec::Trial*> trials_;
  Prepared prepared_;
  FrozenCases cases_;
  std::unique_ptr<archive::Writer> writer_;
  std::vector<std::int64_t> ids_;  // reference, then trials
  std::string rules_sha256_;
  std::string initial_sha256_;    // of the weights that every arm starts from
  bool reference_moved_ = false;  // away from them
  std::vector<std::vector<double>> reference_outputs_;
  std::vector<std::string> non_finite_reference_;
  record::TrialEnd reference_end_;
  record::RunSummary summary_;
  Clock::time_point begin_;
  double seconds_ = 0.0;
};

}  // namespace

record::RunSummary run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                       const StopToken& stop) {
  return Run(experiment, options, observer, stop).execute();
}

std::vector<std::string> check(const spec::Experiment& experiment) {
  Prepared prepared = prepare(experiment);
  // Arms refuse globs that match no parameter.
  const train::Arm reference("reference", prepared.network->clone(), prepared.experiment, nullptr);
  std::vector<std::string> notes = std::move(prepared.notes);
  notes.insert(notes.end(), reference.notes.begin(), reference.notes.end());
  return notes;
}

}  // namespace mantissa::session
