// SPDX-License-Identifier: Apache-2.0
#include "core/session/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/judge/judge.h"
#include "core/session/archive_rows.h"
#include "core/session/case_comparison.h"
#include "core/session/checkpointing.h"
#include "core/session/frozen_cases.h"
#include "core/session/gains.h"
#include "core/session/prepared.h"
#include "core/session/progress_clock.h"
#include "core/session/reference_lock.h"
#include "core/session/reference_yardsticks.h"
#include "core/session/resume_plan.h"
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

void append(std::vector<std::string>& notes, std::vector<std::string> more) {
  for (std::string& note : more) notes.push_back(std::move(note));
}

/// One run from its first row in the archive to its last, or from a checkpoint on.
class Run {
 public:
  /// \param resumed  nothing: from the first step on
  Run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer, const StopToken& stop,
      const ResumePlan* resumed = nullptr)
      : asked_(experiment),
        options_(options),
        observer_(observer),
        stop_(stop),
        resumed_(resumed),
        comparison_(experiment, prepared_, cases_) {}

  record::RunSummary execute() {
    trials_ = resumed_ != nullptr ? resumed_trials() : chosen_trials(asked_, options_.only_trials);
    observer_.on_phase("preparing");
    prepared_ = prepare(asked_);
    for (const std::string& note : prepared_.notes) observer_.on_note(note);
    cases_ = freeze_cases(prepared_.experiment, prepared_.dataset);
    if (prepared_.prediction_is_loss) {
      for (record::CaseRow& row : cases_.rows) row.target.clear();  // nothing that an output could be compared with
    }
    if (!cases_.note.empty()) observer_.on_note(cases_.note);

    initial_sha256_ = state_sha256(*prepared_.network);
    train::BatchPlan plan(prepared_.experiment, prepared_.dataset.train);
    make_yardsticks();
    if (resumed_ != nullptr) check_resume(plan);
    auto paired = std::make_unique<train::PairedRun>(
        plan, make_arms(), options_.probes == Probes::Standard, [this] { return stop_.requested(); }, make_repeats());
    // What was said of data and model is kept with the reference, which every trial is compared with.
    append(paired->arm(0).notes, prepared_.notes);
    if (resumed_ != nullptr) go_on(*paired, plan);
    // Last of all that can refuse the experiment: a refused one leaves no trace in the archive.
    writer_ = std::make_unique<archive::Writer>(options_.archive);
    if (resumed_ != nullptr && !resumed_->child) {
      reopen_in_archive();
    } else {
      open_in_archive(*paired);
    }
    checkpointing_ = std::make_unique<Checkpointing>(prepared_.experiment.training, *writer_, ids_, comparison_);
    if (resumed_ != nullptr && resumed_->child) checkpointing_->at_begin(*paired);
    train(*paired, plan);
    finish(*paired);
    if (options_.gains != MeasureGains::Off && !paired->stopped()) measure_gains(std::move(paired));
    writer_->close();
    return std::move(summary_);
  }

 private:
  /// In the order of the plan's arms.
  std::vector<const spec::Trial*> resumed_trials() const {
    std::vector<const spec::Trial*> trials;
    for (const std::string& name : resumed_->trials) trials.push_back(chosen_trials(asked_, {name}).front());
    return trials;
  }

  std::vector<std::unique_ptr<train::Arm>> make_arms() {
    const spec::Experiment& experiment = prepared_.experiment;
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(std::make_unique<train::Arm>("reference", prepared_.network->clone(), experiment, nullptr));
    for (const spec::Trial* trial : trials_) {
      arms.push_back(std::make_unique<train::Arm>(trial->name, prepared_.network->clone(), experiment, trial));
    }
    return arms;
  }

  void make_yardsticks() {
    const bool measure = options_.probes == Probes::Standard;
    if (measure) yardsticks_ = std::make_unique<ReferenceYardsticks>(prepared_, trials_.size());
    // A run goes on with the arms that it was begun with.
    if (resumed_ == nullptr || resumed_->child) return;
    const std::size_t begun_with = resumed_->rounding.size() + repeats_of(*resumed_).size();
    if (!yardsticks_ && begun_with > 0) {
      throw Error(ErrorKind::InvalidSetting, {"the run measures its reference against itself, which needs probes", "",
                                              0, 0, "--probes", "off", "standard", "Leave --probes out"});
    }
    if (yardsticks_ && begun_with != yardsticks_->size()) yardsticks_.reset();
  }

  static std::vector<const ResumedArm*> repeats_of(const ResumePlan& plan) {
    std::vector<const ResumedArm*> repeats;
    for (const ResumedArm& arm : plan.arms) {
      if (arm.row.start.kind == record::TrialKind::Repeat) repeats.push_back(&arm);
    }
    return repeats;
  }

  train::Yardsticks make_repeats() {
    if (!yardsticks_) return {};
    train::Yardsticks yardsticks = yardsticks_->for_training();
    if (resumed_ == nullptr) return yardsticks;
    const std::vector<const ResumedArm*> resumed = repeats_of(*resumed_);
    for (std::size_t r = 0; r < resumed.size(); ++r) {
      train::load_state(*yardsticks.repeats.at(r).arm, resumed[r]->state, train::PolicyOfState::Same,
                        train::ScalerStart::GoOn);
    }
    return yardsticks;
  }

  void check_resume(const train::BatchPlan& plan) {
    for (const std::string& note : compare_locks(*resumed_, reference_lock(prepared_, initial_sha256_))) {
      observer_.on_note(note);
    }
    if (options_.stop_after > 0 && options_.stop_after <= resumed_->step) {
      throw Error(ErrorKind::InvalidSetting,
                  {"the run is past that step", "", 0, 0, "--stop-after", std::to_string(options_.stop_after),
                   "more than the " + std::to_string(resumed_->step) + " steps of the checkpoint",
                   "Steps are counted from the very first"});
    }
    if (resumed_->step < plan.total_steps()) return;
    throw Error(ErrorKind::InvalidSetting,
                {"nothing is left to train", "", 0, 0, "training.steps",
                 "a checkpoint at step " + std::to_string(resumed_->step) + " of " + std::to_string(plan.total_steps()),
                 "more steps than that",
                 "Ask for more, such as --set training.steps=" +
                     std::to_string(2 * std::max<std::int64_t>(resumed_->step, 1))});
  }

  void go_on(train::PairedRun& paired, train::BatchPlan& plan) {
    observer_.on_note("Going on from the checkpoint at step " + std::to_string(resumed_->step) + " of " +
                      std::to_string(plan.total_steps()) + '.');
    std::vector<record::ArmState> states;
    for (std::size_t i = 0; i < resumed_->arms.size(); ++i) {
      train::Arm& arm = paired.arm(i);
      const ResumedArm& resumed = resumed_->arms[i];
      const bool own_policy = resumed_->child && i > 0;
      train::load_state(arm, resumed.state, own_policy ? train::PolicyOfState::Own : train::PolicyOfState::Same,
                        resumed.scaler);
      // 0 where its shadow has ended early; a child is shadowed as its own block says.
      if (!resumed_->child) arm.shadow_every = train::integer_of(resumed.state, "progress.shadow_every");
      for (const std::string& note : resumed.notes) {
        arm.notes.push_back(note);
        observer_.on_note(arm.name + ": " + note);
      }
      states.push_back(resumed.state);
    }
    paired.go_on_from(resumed_->step, states);
  }

  void reopen_in_archive() {
    summary_.experiment = asked_.name;
    summary_.experiment_id = resumed_->arms.front().row.experiment_id;
    rules_sha256_ = resumed_->archived.rules_sha256;
    for (const ResumedArm& arm : resumed_->arms) reopen_arm(arm.row);
    for (const record::TrialRow& row : resumed_->rounding) reopen_arm(row);
    see_earlier_steps();
    writer_->resume_trials(ids_, resumed_->step, resumed_->overrides);
  }

  /// Yardsticks are means over all steps of the run.
  void see_earlier_steps() {
    if (!yardsticks_) return;
    const archive::Reader reader(options_.archive);
    for (std::size_t place = 0; place < ids_.size(); ++place) {
      reader.steps(ids_[place], [&](const record::StepRecord& step) {
        if (step.step <= resumed_->step) yardsticks_->see(place, step);
        return step.step < resumed_->step;
      });
    }
  }

  void reopen_arm(record::TrialRow row) {
    ids_.push_back(row.id);
    row.finished_at.clear();
    row.end = record::TrialEnd();
    switch (row.start.kind) {
      case record::TrialKind::Reference:
        summary_.reference = std::move(row);
        break;
      case record::TrialKind::Repeat:
      case record::TrialKind::Rounding:
        summary_.yardsticks.push_back(std::move(row));
        break;
      default:
        summary_.trials.push_back(std::move(row));
    }
  }

  void open_in_archive(const train::PairedRun& paired) {
    const record::ExperimentStart start = experiment_start(asked_, prepared_, cases_, initial_sha256_);
    rules_sha256_ = start.rules_sha256;
    summary_.experiment = asked_.name;
    summary_.experiment_id = writer_->begin_experiment(start);
    summary_.reference = open_arm(0, nullptr);
    writer_->write_weights(summary_.reference.id, "initial", state_bytes(*prepared_.network));
    for (const spec::Trial* trial : trials_) summary_.trials.push_back(open_arm(summary_.reference.id, trial));
    if (yardsticks_) open_yardsticks();
    ids_.push_back(summary_.reference.id);
    for (const record::TrialRow& row : summary_.trials) ids_.push_back(row.id);
    for (const record::TrialRow& row : summary_.yardsticks) ids_.push_back(row.id);
    // A child does not begin with the reference's weights.
    for (std::size_t i = 0; resumed_ != nullptr && i < paired.arm_count(); ++i) {
      writer_->write_weights(ids_[i], "initial", state_bytes(*paired.arm(i).network));
    }
  }

  void open_yardsticks() {
    for (record::TrialStart& start : yardsticks_->starts(summary_.experiment_id, summary_.reference.id)) {
      summary_.yardsticks.push_back(open_arm(std::move(start)));
    }
  }

  record::TrialRow open_arm(std::int64_t reference_id, const spec::Trial* trial) {
    return open_arm(trial_start(prepared_.experiment, summary_.experiment_id, reference_id, trial));
  }

  record::TrialRow open_arm(record::TrialStart start) {
    record::TrialRow row;
    row.experiment_id = summary_.experiment_id;
    row.experiment = summary_.experiment;
    row.start = std::move(start);
    if (resumed_ != nullptr && opened_ < resumed_->arms.size()) {
      row.start.parent = resumed_->arms[opened_].row.id;
      row.start.parent_step = resumed_->step;
    }
    ++opened_;
    row.id = writer_->begin_trial(row.start, &row.started_at);
    return row;
  }

  void train(train::PairedRun& paired, const train::BatchPlan& plan) {
    observer_.on_phase("training");
    ProgressClock progress(observer_, plan.total_steps(), paired.steps_done());
    std::vector<bool> failure_told;
    for (std::size_t i = 0; i < paired.arm_count(); ++i) failure_told.push_back(paired.arm(i).failure.has_value());
    for (std::size_t i = 0; i < paired.arm_count(); ++i) {
      policy_changes_told_.push_back(paired.arm(i).policy_changes.size());
    }
    peak_bytes_.assign(paired.arm_count(), std::nullopt);
    const auto sink = [this](std::size_t arm, record::StepRecord&& step) {
      step.trial = ids_[arm];
      if (yardsticks_) yardsticks_->see(arm, step);
      if (step.peak_bytes && arm < peak_bytes_.size()) {
        peak_bytes_[arm] = std::max(peak_bytes_[arm].value_or(0), *step.peak_bytes);
      }
      writer_->append(step);
    };
    begin_ = Clock::now();
    while (paired.step(sink)) {
      checkpointing_->after_step(paired);
      for (std::size_t i = 0; i < paired.arm_count(); ++i) {
        const train::Arm& arm = paired.arm(i);
        tell_policy_changes(i, arm);
        if (!arm.failure || failure_told[i]) continue;
        failure_told[i] = true;
        observer_.on_note((i == 0 ? "The reference failed: " : arm.name + " failed: ") + arm.failure->text);
      }
      progress.tell(paired, writer_->waited_seconds());
      if (paired.steps_done() == options_.stop_after && options_.stop_after < plan.total_steps()) {
        summary_.stopped_as_planned = true;
        paired.stop();
      }
    }
    progress.tell_last(paired);
    seconds_ = paired.seconds_before() + std::chrono::duration<double>(Clock::now() - begin_).count();
    checkpointing_->at_end(paired);
  }

  void tell_policy_changes(std::size_t index, const train::Arm& arm) {
    std::size_t& told = policy_changes_told_[index];
    if (told == arm.policy_changes.size()) return;
    writer_->write_policy_changes(ids_[index], arm.policy_changes);
    for (; told < arm.policy_changes.size(); ++told) {
      const record::PolicyChange& change = arm.policy_changes[told];
      observer_.on_note(arm.name + ": from step " + std::to_string(change.step) + " on under the policy of " +
                        change.trial + ", because the loss scale stood at its floor.");
    }
  }

  void finish(train::PairedRun& paired) {
    train::Arm& reference = paired.arm(0);
    const bool compared = !paired.stopped() && !reference.failure;
    if (compared) {
      observer_.on_phase("comparing cases");
      comparison_.evaluate_reference(reference);
    }
    if (yardsticks_) finish_yardsticks(paired, compared && comparison_.has_reference());
    finish_reference(paired, reference);
    for (std::size_t i = 1; i <= trials_.size(); ++i) finish_trial(paired, i, compared);
  }

  void finish_yardsticks(train::PairedRun& paired, bool compared) {
    for (std::size_t i = 0; i < summary_.yardsticks.size(); ++i) {
      record::TrialRow& row = summary_.yardsticks[i];
      const std::size_t place = 1 + trials_.size() + i;  // in the run, where it is a whole repeat
      const bool is_repeat = row.start.kind == record::TrialKind::Repeat;
      record::TrialEnd end = training_end(paired, paired.arm(is_repeat ? place : 0), seconds_);
      if (!is_repeat) end = rounding_end(end);
      const std::vector<record::CaseRow> rows = yardsticks_->finish(i, paired, comparison_, compared, end);
      if (!rows.empty()) writer_->write_cases(row.id, rows);
      if (is_repeat) writer_->write_weights(row.id, "final", state_bytes(*paired.arm(place).network));
      writer_->finish_trial(row.id, end, &row.finished_at);
      row.end = std::move(end);
    }
  }

  /// It trains nothing: of the reference's end it has the status alone.
  static record::TrialEnd rounding_end(const record::TrialEnd& reference) {
    record::TrialEnd end;
    end.status = reference.status == record::Status::Failed ? record::Status::Stopped : reference.status;
    end.seconds = reference.seconds;
    return end;
  }

  void finish_reference(const train::PairedRun& paired, const train::Arm& arm) {
    record::TrialEnd end = training_end(paired, arm, seconds_);
    reference_moved_ = state_sha256(*arm.network) != initial_sha256_;
    note_unmoved(end, arm, reference_moved_);
    non_finite_reference_ = train::non_finite_state(arm);
    if (arm.tally.first_non_finite_loss_step > 0) {
      non_finite_reference_.push_back("loss at step " + std::to_string(arm.tally.first_non_finite_loss_step));
    }
    for (const std::string& what : non_finite_reference_) {
      end.notes.push_back("Non-finite in the reference: " + what + ".");
    }
    if (yardsticks_) {
      append(end.notes, yardsticks_->notes_on_reference());
      end.yardsticks = yardsticks_->readings(0, {}, end);
    }
    if (comparison_.has_reference()) {
      const std::vector<record::CaseRow> rows = comparison_.reference_rows();
      comparison_.summarise(rows, end);
      end.flips.reset();  // nothing decides differently from itself
      writer_->write_cases(ids_[0], rows);
    }
    writer_->write_weights(ids_[0], "final", state_bytes(*arm.network));
    checkpointing_->add_final_quality(0, paired.steps_done(), end);
    writer_->finish_trial(ids_[0], end, &summary_.reference.finished_at);
    summary_.reference.end = std::move(end);
  }

  /// Updates smaller than half the spacing of the weights change nothing: nothing fails, and nothing is learnt.
  static void note_unmoved(record::TrialEnd& end, const train::Arm& arm, bool moved) {
    if (moved || arm.tally.counts.applied == 0 || !arm.tally.any_gradient_nonzero) return;
    end.notes.push_back("The weights did not change in " + std::to_string(arm.tally.counts.applied) +
                        " applied updates although gradients were not zero: the updates are lost to rounding, or the "
                        "learning rate is 0.");
  }

  judge::Evidence evidence_of(const train::PairedRun& paired, const train::Arm& arm, const record::TrialEnd& end,
                              const spec::Trial& trial, std::vector<record::CaseRow> rows) const {
    const train::Arm& reference = paired.arm(0);
    judge::Evidence evidence;
    evidence.device = prepared_.experiment.training.device;
    evidence.cast_policy = trial.cast_policy;
    evidence.autocast = spec::to_text(trial.autocast);
    evidence.policy_changes = end.policy_changes;
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
    evidence.unit = comparison_.unit();
    evidence.cases = std::move(rows);
    if (yardsticks_) yardsticks_->add_evidence(evidence);
    return evidence;
  }

  void finish_trial(train::PairedRun& paired, std::size_t index, bool compared) {
    train::Arm& arm = paired.arm(index);
    const spec::Trial& trial = *trials_[index - 1];
    std::vector<record::CaseRow> rows;
    if (compared && !arm.failure && comparison_.has_reference()) rows = comparison_.trial_rows(paired.arm(0), arm);
    record::TrialEnd end = training_end(paired, arm, seconds_);
    add_notes_on_trial(end, paired.arm(0), arm);
    note_unmoved(end, arm, state_sha256(*arm.network) != initial_sha256_);
    const judge::Evidence evidence = evidence_of(paired, arm, end, trial, std::move(rows));
    if (!evidence.cases.empty()) {
      comparison_.summarise(evidence.cases, end);
      end.quality_reference = summary_.reference.end.quality;
      writer_->write_cases(ids_[index], evidence.cases);
    }
    if (yardsticks_) end.yardsticks = yardsticks_->readings(index, evidence.cases, end);
    end.verdict = judge::judge(asked_.rules, rules_sha256_, evidence);
    writer_->write_weights(ids_[index], "final", state_bytes(*arm.network));
    checkpointing_->add_final_quality(index, paired.steps_done(), end);
    record::TrialRow& row = summary_.trials[index - 1];
    writer_->finish_trial(ids_[index], end, &row.finished_at);
    row.end = std::move(end);
  }

  /// After the verdicts: nobody is shown how fast a rejected trial is.
  void measure_gains(std::unique_ptr<train::PairedRun> paired) {
    const auto finished = [](const record::TrialEnd& end) { return end.status == record::Status::Finished; };
    if (!finished(summary_.reference.end) || paired->steps_done() == 0) return;
    observer_.on_phase("measuring gains");
    GainsBench bench(prepared_.experiment, prepared_.dataset.train);
    std::vector<record::TrialRow*> rows = {&summary_.reference};
    bench.add(paired->arm(0), nullptr, peak_bytes_[0]);
    for (std::size_t i = 1; i <= trials_.size(); ++i) {  // repeats of the reference cost what it costs
      record::TrialRow& row = summary_.trials[i - 1];
      if (!finished(row.end) || row.end.verdict->word == record::VerdictWord::Rejected) continue;
      bench.add(paired->arm(i), trials_[i - 1], peak_bytes_[i]);
      rows.push_back(&row);
    }
    paired.reset();  // the probes' recorder and what the arms hold
    const auto gains = bench.measure(limits_of(options_.gains, seconds_), [this] { return stop_.requested(); });
    for (const std::string& note : bench.notes()) observer_.on_note(note);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i]->end.gains = gains[i];
      if (gains[i]) writer_->write_gains(rows[i]->id, *gains[i]);
    }
  }

  const spec::Experiment& asked_;
  const RunOptions& options_;
  Observer& observer_;
  const StopToken& stop_;
  const ResumePlan* resumed_;
  std::vector<const spec::Trial*> trials_;
  Prepared prepared_;
  FrozenCases cases_;
  CaseComparison comparison_;
  std::unique_ptr<ReferenceYardsticks> yardsticks_;  // nothing where probes are off
  std::unique_ptr<archive::Writer> writer_;
  std::vector<std::int64_t> ids_;  // reference, trials, yardsticks: in the order of the paired run
  std::size_t opened_ = 0;         // arms of ids_ so far
  std::unique_ptr<Checkpointing> checkpointing_;
  std::string rules_sha256_;
  std::string initial_sha256_;    // of the weights that every arm starts from
  bool reference_moved_ = false;  // away from them
  std::vector<std::string> non_finite_reference_;
  std::vector<std::size_t> policy_changes_told_;         // of each arm
  std::vector<std::optional<std::int64_t>> peak_bytes_;  // of each arm's steps
  record::RunSummary summary_;
  Clock::time_point begin_;
  double seconds_ = 0.0;
};

}  // namespace

record::RunSummary run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                       const StopToken& stop) {
  try {
    return Run(experiment, options, observer, stop).execute();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    // Within a step or an evaluation it would have failed its arm alone.
    const train::Failure failure = train::failure_of(error, "while the run was made ready or ended");
    if (failure.reason != "memory") throw;
    throw Error(ErrorKind::OutOfMemory, {failure.text, experiment.file, 0, 0, "", "", "",
                                         "Take a smaller model, a smaller batch, or fewer trials at once"});
  }
}

record::RunSummary resume(const ResumeOptions& options, Observer& observer, const StopToken& stop) {
  const ResumePlan plan = plan_resume(options);
  RunOptions run_options;
  run_options.archive = options.archive;
  run_options.probes = options.probes;
  run_options.gains = options.gains;
  run_options.stop_after = options.stop_after;
  return Run(plan.experiment, run_options, observer, stop, &plan).execute();
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
