// SPDX-License-Identifier: Apache-2.0
#include "core/session/run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/session/archive_rows.h"
#include "core/session/case_comparison.h"
#include "core/session/checkpointing.h"
#include "core/session/chosen_trials.h"
#include "core/session/control_point.h"
#include "core/session/frozen_cases.h"
#include "core/session/memory_answer.h"
#include "core/session/plain_failures.h"
#include "core/session/prepared.h"
#include "core/session/progress_clock.h"
#include "core/session/reference_lock.h"
#include "core/session/reference_yardsticks.h"
#include "core/session/resume_plan.h"
#include "core/session/run_arms.h"
#include "core/session/run_cases.h"
#include "core/session/run_costs.h"
#include "core/session/run_end.h"
#include "core/session/run_memory.h"
#include "core/spec/parse.h"
#include "core/train/paired_run.h"

namespace mantissa::session {
namespace {

using Clock = std::chrono::steady_clock;

/// "200,000".
std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

/// One run from its first row in the archive to its last, or from a checkpoint on.
class Run {
 public:
  /// \param resumed  nothing: from the first step on
  /// \param control  null: the run is only ever stopped, by its token
  Run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer, const StopToken& stop,
      RunControl* control, const ResumePlan* resumed = nullptr)
      : asked_(experiment),
        options_(options),
        observer_(observer),
        stop_(stop),
        control_(control),
        resumed_(resumed),
        comparison_(experiment, prepared_, cases_) {}

  record::RunSummary execute() {
    try {
      return make();
    } catch (const Error& error) {
      if (!stepped_) fail_opened_arms(error);
      throw;
    } catch (const std::exception& error) {
      if (stepped_) throw;
      const Error plain = plain_error(error, asked_.file, "before the first step of the run",
                                      "Take a smaller model, a smaller batch, or fewer trials at once");
      fail_opened_arms(plain);
      throw plain;
    }
  }

 private:
  record::RunSummary make() {
    trials_ = resumed_ != nullptr ? resumed_trials() : chosen_trials(asked_, options_.only_trials);
    if (options_.probes == Probes::Off && asked_.budget.growth_limit_bytes) {
      throw Error(ErrorKind::InvalidSetting,
                  {"the growth of memory is not measured without probes", asked_.file, 0, 0, "budget.growth_limit",
                   "--probes off", "", "Leave out --probes, or the limit"});
    }
    observer_.on_phase("preparing");
    if (resumed_ != nullptr) compare_model_file(*resumed_);
    prepared_ = prepare(asked_);
    for (const std::string& note : prepared_.notes) observer_.on_note(note);
    // A run that goes on keeps the cases that it was begun with.
    taken_from_ = resumed_ == nullptr ? options_.cases_from
                                      : cases_taken_from(options_.archive, resumed_->arms.front().row.experiment_id);
    cases_ = frozen_cases_of_run(prepared_, options_.archive, taken_from_);
    for (const std::string& note : cases_.notes) observer_.on_note(note);

    initial_sha256_ = state_sha256(*prepared_.network);
    train::BatchPlan plan(prepared_.experiment, prepared_.dataset.train);
    make_yardsticks();
    if (resumed_ != nullptr) check_resume(plan);
    predict_memory(plan);
    auto paired = std::make_unique<train::PairedRun>(
        plan, make_arms(prepared_, trials_), options_.probes == Probes::Standard,
        [this] { return stop_.requested() || (writer_ && writer_->has_failed()); },
        yardsticks_ ? yardsticks_->for_training() : train::Yardsticks());
    if (resumed_ != nullptr) go_on(*paired);
    note_beginnings(*paired);
    if (memory_) memory_->watch(*paired);
    // What was said of data and model is kept with the reference, which every trial is compared with. A resumed one
    // brings most of it along; more steps may add to it.
    std::vector<std::string>& kept = paired->arm(0).notes;
    for (const std::string& note : prepared_.notes) {
      if (std::find(kept.begin(), kept.end(), note) == kept.end()) kept.push_back(note);
    }
    // Last of all that can refuse the experiment: a refused one leaves no trace in the archive.
    archive::WriterOptions writing;
    writing.feed = options_.feed;
    writing.waits = [this] { tell_waiting(); };
    writer_ = std::make_unique<archive::Writer>(options_.archive, writing);
    if (resumed_ != nullptr && !resumed_->child) {
      reopen_in_archive();
    } else {
      open_in_archive(*paired);
    }
    writer_->write_case_set(summary_.experiment_id, case_set_of(cases_, taken_from_));
    if (resumed_ != nullptr) tell_going_on(*paired, plan);
    if (memory_) memory_->write_news(*writer_, ids_);
    tell_arms();
    checkpointing_ =
        std::make_unique<Checkpointing>(prepared_.experiment.training, *writer_, ids_, comparison_, observer_);
    if (resumed_ != nullptr && resumed_->child) checkpointing_->at_begin(*paired);
    look_for_memory(*paired, plan);
    train(*paired, plan);
    finish(std::move(paired));
    writer_->close();
    return std::move(summary_);
  }

  /// Where memory did not suffice for the first step, and what was taken for the run has been given back: none of its
  /// arms is left as one whose process died. What is resumed can still go on from its checkpoint.
  void fail_opened_arms(const Error& error) {
    const bool begins = resumed_ == nullptr || resumed_->child;
    if (error.kind() != ErrorKind::OutOfMemory || !writer_ || !begins) return;
    record::TrialEnd end;
    end.status = record::Status::Failed;
    end.failure = "memory";
    end.failure_text = sentence(error.facts());
    try {
      for (const std::int64_t id : opened_ids_) writer_->finish_trial(id, end);
      writer_->close();
    } catch (const Error& second) {
      observer_.on_note("The archive does not say how the run ended: " + sentence(second.facts()));
    }
  }

  /// In the order of the plan's arms.
  std::vector<const spec::Trial*> resumed_trials() const {
    std::vector<const spec::Trial*> trials;
    for (const std::string& name : resumed_->trials) trials.push_back(chosen_trials(asked_, {name}).front());
    return trials;
  }

  void make_yardsticks() {
    const bool measure = options_.probes == Probes::Standard;
    if (measure) yardsticks_ = std::make_unique<ReferenceYardsticks>(prepared_, trials_.size());
    if (resumed_ == nullptr) return;
    if (resumed_->child) return keep_yardsticks_of_child();
    // A run goes on with the arms that it was begun with.
    const std::size_t begun_with = resumed_->rounding.size() + repeats_of(*resumed_).size();
    if (!yardsticks_ && begun_with > 0) {
      throw Error(ErrorKind::InvalidSetting, {"the run measures its reference against itself, which needs probes", "",
                                              0, 0, "--probes", "off", "standard", "Leave --probes out"});
    }
    if (yardsticks_ && begun_with != yardsticks_->size()) yardsticks_.reset();
  }

  /// Repeats go on from states of their own; begun in the midst of the run they would be no yardstick.
  void keep_yardsticks_of_child() {
    const auto asked = static_cast<std::size_t>(prepared_.experiment.reference.repeats);
    if (!yardsticks_ || repeats_of(*resumed_).size() == asked) return;
    yardsticks_.reset();
    observer_.on_note(
        "The yardsticks are not measured: the run that this one goes on from has no whole repeats, because its probes "
        "were off.");
  }

  static std::vector<const ResumedArm*> repeats_of(const ResumePlan& plan) {
    std::vector<const ResumedArm*> repeats;
    for (const ResumedArm& arm : plan.arms) {
      if (arm.row.start.kind == record::TrialKind::Repeat) repeats.push_back(&arm);
    }
    return repeats;
  }

  void predict_memory(const train::BatchPlan& plan) {
    const std::int64_t steps = plan.total_steps() - (resumed_ != nullptr ? resumed_->step : 0);
    if (options_.memory == CompareMemory::Off || options_.probes == Probes::Off || steps < 1) return;
    observer_.on_phase("tracing memory");
    memory_ = std::make_unique<RunMemory>(prepared_, trials_, plan, steps);
    for (const std::string& note : memory_->predict(stop_)) observer_.on_note(note);
    if (resumed_ == nullptr || resumed_->child) return;
    for (std::size_t i = 0; i < memory_->size(); ++i) memory_->go_on_from(i, resumed_->arms[i].row.end.memory);
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
    // A run that ended after its last step still has its comparisons and verdicts to come.
    if (resumed_->step == plan.total_steps() && !resumed_->child && !resumed_->judged) return;
    throw Error(ErrorKind::InvalidSetting,
                {"nothing is left to train", "", 0, 0, "training.steps",
                 "a checkpoint at step " + std::to_string(resumed_->step) + " of " + std::to_string(plan.total_steps()),
                 "more steps than that",
                 "Ask for more, such as --set training.steps=" +
                     std::to_string(2 * std::max<std::int64_t>(resumed_->step, 1))});
  }

  void go_on(train::PairedRun& paired) {
    if (resumed_->arms.size() != paired.arm_count()) {
      throw Error(ErrorKind::ArchiveDamaged,
                  {"the archive holds another number of arms than the run has", options_.archive, 0, 0, "table trials",
                   std::to_string(resumed_->arms.size()), std::to_string(paired.arm_count()), "Use a backup"});
    }
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
      }
      if (resumed_->child) train::begin_own_tally(arm);
      states.push_back(resumed.state);
    }
    paired.go_on_from(resumed_->step, states);
  }

  /// Once the archive has let it go on.
  void tell_going_on(const train::PairedRun& paired, const train::BatchPlan& plan) {
    const bool trained = resumed_->step == plan.total_steps();
    observer_.on_note("Going on from the checkpoint at step " + grouped(resumed_->step) + " of " +
                      grouped(plan.total_steps()) +
                      (trained ? ": no step is left, the comparisons and verdicts are." : "."));
    for (const std::string& note : resumed_->notes) observer_.on_note(note);
    for (std::size_t i = 0; i < resumed_->arms.size(); ++i) {
      for (const std::string& note : resumed_->arms[i].notes) observer_.on_note(paired.arm(i).name + ": " + note);
    }
  }

  /// What the weights of the reference and of each trial were before their own first step.
  void note_beginnings(const train::PairedRun& paired) {
    for (std::size_t i = 0; i <= trials_.size(); ++i) {
      const record::TrialRow* const row = resumed_ != nullptr ? &resumed_->arms[i].row : nullptr;
      if (resumed_ != nullptr && resumed_->child) {
        began_with_.push_back(state_sha256(*paired.arm(i).network));
      } else if (row != nullptr && row->start.parent != 0) {
        began_with_.push_back(state_sha256(archive::Reader(options_.archive).weights(row->id, "initial")));
      } else {
        began_with_.push_back(initial_sha256_);
      }
    }
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

  /// Yardsticks are means over all steps of the run, and the peak of memory is that of all.
  void see_earlier_steps() {
    if (!yardsticks_ && options_.gains == MeasureGains::Off) return;
    const archive::Reader reader(options_.archive);
    for (std::size_t place = 0; place < ids_.size(); ++place) {
      reader.steps(ids_[place], [&](const record::StepRecord& step) {
        if (step.step <= resumed_->step) see(place, step);
        return step.step < resumed_->step;
      });
    }
  }

  void see(std::size_t place, const record::StepRecord& step) {
    if (yardsticks_) yardsticks_->see(place, step);
    if (memory_) memory_->see(place, step);
    if (!step.peak_bytes) return;
    if (place >= peak_bytes_.size()) peak_bytes_.resize(place + 1);
    peak_bytes_[place] = std::max(peak_bytes_[place].value_or(0), *step.peak_bytes);
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
    if (resumed_ != nullptr && opened_ids_.size() < resumed_->arms.size()) {
      row.start.parent = resumed_->arms[opened_ids_.size()].row.id;
      row.start.parent_step = resumed_->step;
    }
    row.id = writer_->begin_trial(row.start, &row.started_at);
    opened_ids_.push_back(row.id);
    return row;
  }

  void tell_arms() {
    std::vector<record::TrialRow> arms = {summary_.reference};
    arms.insert(arms.end(), summary_.trials.begin(), summary_.trials.end());
    arms.insert(arms.end(), summary_.yardsticks.begin(), summary_.yardsticks.end());
    observer_.on_arms(arms);
  }

  /// Before the first step: what there is for the arms.
  void look_for_memory(const train::PairedRun& paired, const train::BatchPlan& plan) {
    const spec::Training& training = prepared_.experiment.training;
    step_size_ = memory_ ? memory_->step() : StepSize{plan.batch(), training.accumulate};
    memory_limit_.there = memory_there(training.device);
    for (std::size_t i = 0; i < paired.arm_count(); ++i) {
      failed_before_.push_back(paired.arm(i).failure.has_value());
      for (const model::NamedTensor& tensor : paired.arm(i).network->state()) {
        memory_limit_.held_bytes += static_cast<std::int64_t>(tensor.tensor.nbytes());
      }
    }
  }

  /// Arms that ran out of memory in this run's steps are told what fits.
  void answer_out_of_memory(train::PairedRun& paired) {
    for (std::size_t i = 0; i <= trials_.size(); ++i) {
      train::Arm& arm = paired.arm(i);
      if (failed_before_[i] || !arm.failure || arm.failure->reason != "memory" || arm.failure->by_growth) continue;
      record::MemoryAnswer answer = session::answer_out_of_memory(asked_, memory_.get(), i, step_size_, memory_limit_);
      arm.notes.push_back(answer.text);
      if (!summary_.memory_answer) summary_.memory_answer = std::move(answer);
    }
  }

  void train(train::PairedRun& paired, const train::BatchPlan& plan) {
    observer_.on_phase("training");
    ProgressClock progress(observer_, plan.total_steps(), paired.steps_done());
    std::vector<bool> failure_told;
    for (std::size_t i = 0; i < paired.arm_count(); ++i) failure_told.push_back(paired.arm(i).failure.has_value());
    for (std::size_t i = 0; i < paired.arm_count(); ++i) {
      policy_changes_told_.push_back(paired.arm(i).policy_changes.size());
    }
    peak_bytes_.resize(ids_.size());
    const auto sink = [this](std::size_t arm, record::StepRecord&& step) {
      step.trial = ids_[arm];
      see(arm, step);
      writer_->append(step);
    };
    ControlPoint control_point(control_, observer_, plan.total_steps(), prepared_.experiment.training.checkpoint.every);
    begin_ = Clock::now();
    for (;;) {
      begin_ += control_point.before_step(paired, progress, [this] { writer_->check(); });
      if (!paired.step(sink)) break;
      stepped_ = true;
      checkpointing_->after_step(paired);
      for (std::size_t i = 0; i < paired.arm_count(); ++i) {
        train::Arm& arm = paired.arm(i);
        tell_policy_changes(i, arm);
        for (const std::string& warning : std::exchange(arm.warnings, {})) {
          observer_.on_note((i == 0 ? "The reference: " : arm.name + ": ") + warning);
        }
        if (!arm.failure || failure_told[i]) continue;
        failure_told[i] = true;
        observer_.on_note((i == 0 ? "The reference failed: " : arm.name + " failed: ") + arm.failure->text);
      }
      if (memory_) memory_->write_news(*writer_, ids_);
      progress.tell(paired, was_locked_ ? 0.0 : writer_->waited_seconds());
      tell_waiting();
      const bool due = options_.stop_after > 0 && paired.steps_done() == options_.stop_after;
      if (due && options_.stop_after < plan.total_steps()) {
        summary_.stopped_as_planned = true;
        paired.stop();
      }
    }
    writer_->check();  // what has failed has stopped the run, too
    control_point.after_training(paired);
    progress.tell_last(paired);
    answer_out_of_memory(paired);
    seconds_ = paired.seconds_before() + std::chrono::duration<double>(Clock::now() - begin_).count();
    checkpointing_->at_end(paired);
  }

  void tell_waiting() {
    if (!writer_) return;
    const archive::Waiting now = writer_->waiting();
    if (now == archive::Waiting::Lock && !was_locked_) {
      was_locked_ = true;  // told once, as a slow disk is
      observer_.on_note(
          "Another program holds the archive locked. The run waits for it where its memory for records is full; "
          "nothing "
          "is dropped.");
    }
    const bool waits = now != archive::Waiting::Nothing;
    if (waits || waits_) observer_.on_waiting(waits);
    waits_ = waits;
  }

  void tell_policy_changes(std::size_t index, const train::Arm& arm) {
    std::size_t& told = policy_changes_told_[index];
    if (told == arm.policy_changes.size()) return;
    if (memory_) memory_->leave(index);
    writer_->write_policy_changes(ids_[index], arm.policy_changes);
    for (; told < arm.policy_changes.size(); ++told) {
      const record::PolicyChange& change = arm.policy_changes[told];
      observer_.on_note(arm.name + ": from step " + std::to_string(change.step) + " on under the policy of " +
                        change.trial + ", because the loss scale stood at its floor.");
    }
  }

  void finish(std::unique_ptr<train::PairedRun> paired) {
    if (memory_) {
      memory_->finish(*paired);
      memory_->write_news(*writer_, ids_);
    }
    RunEnd end({asked_, prepared_, cases_, comparison_, yardsticks_.get(), *writer_, *checkpointing_, ids_, trials_,
                rules_sha256_, began_with_, seconds_, memory_.get(), observer_, options_.archive, taken_from_},
               summary_);
    const bool costs_follow = options_.gains != MeasureGains::Off && !paired->stopped();
    end.finish(*paired, costs_follow);
    if (!costs_follow) return;
    try {
      measure_costs(std::move(paired), end);
    } catch (...) {
      end.judge_without_costs("measuring them failed");
      throw;
    }
    end.judge_without_costs("the measurement was stopped");
  }

  /// After all other rules: nobody is shown how fast a rejected trial is.
  void measure_costs(std::unique_ptr<train::PairedRun> paired, RunEnd& end) {
    if (summary_.reference.end.status != record::Status::Finished) return;
    observer_.on_phase("measuring gains");
    RunCosts bench({asked_, prepared_, cases_, options_.gains, seconds_});
    bench.add(paired->arm(0), nullptr, peak_bytes_[0]);
    std::vector<std::size_t> measured;
    for (std::size_t i = 0; i < trials_.size(); ++i) {  // repeats of the reference cost what it costs
      if (!end.is_worth_measuring(i)) continue;
      bench.add(paired->arm(i + 1), trials_[i], peak_bytes_[i + 1]);
      measured.push_back(i);
    }
    paired.reset();  // the probes' recorder and what the arms hold
    const std::vector<record::Costs> costs = bench.measure([this] { return stop_.requested(); });
    for (const std::string& note : bench.notes()) observer_.on_note(note);
    if (stop_.requested()) return;
    record::TrialRow& reference = summary_.reference;
    reference.end.gains = costs.front().gains;
    reference.end.latency = costs.front().latency;
    writer_->write_costs(reference.id, costs.front());
    if (costs.front().gains || !costs.front().latency.empty()) observer_.on_arm_end(reference);
    for (std::size_t i = 0; i < measured.size(); ++i) end.take_costs(measured[i], costs[i + 1], costs.front().gains);
  }

  const spec::Experiment& asked_;
  const RunOptions& options_;
  Observer& observer_;
  const StopToken& stop_;
  RunControl* control_;
  const ResumePlan* resumed_;
  std::vector<const spec::Trial*> trials_;
  Prepared prepared_;
  FrozenCases cases_;
  std::int64_t taken_from_ = 0;  // the trial whose frozen cases these are; 0: none
  CaseComparison comparison_;
  std::unique_ptr<ReferenceYardsticks> yardsticks_;  // nothing where probes are off
  std::unique_ptr<RunMemory> memory_;                // nothing where it is not compared
  RunMemoryLimit memory_limit_;
  StepSize step_size_;
  std::vector<bool> failed_before_;  // of each arm: before this run's first step
  std::unique_ptr<archive::Writer> writer_;
  std::vector<std::int64_t> ids_;         // reference, trials, yardsticks: in the order of the paired run
  std::vector<std::int64_t> opened_ids_;  // of the arms that this run has begun in the archive
  bool waits_ = false;                    // for the archive, when it was last told
  bool was_locked_ = false;               // by another program, at some time
  bool stepped_ = false;                  // at least one step was made
  std::unique_ptr<Checkpointing> checkpointing_;
  std::string rules_sha256_;
  std::string initial_sha256_;                           // of the model's initial weights
  std::vector<std::string> began_with_;                  // of the reference and the trials
  std::vector<std::size_t> policy_changes_told_;         // of each arm
  std::vector<std::optional<std::int64_t>> peak_bytes_;  // of each arm's steps
  record::RunSummary summary_;
  Clock::time_point begin_;
  double seconds_ = 0.0;
};

/// A file that is not there: says where the run looks for it.
Error with_folder_of_run(const Error& error, const ResumePlan& plan) {
  if (error.kind() != ErrorKind::FileProblem || plan.folder.empty()) return error;
  ErrorFacts facts = error.facts();
  facts.remedy =
      "The run was begun with the experiment in " + plan.folder +
      ", where its relative paths begin: bring the files back, or resume in the folder that has them and the "
      "experiment's file now";
  return Error(error.kind(), std::move(facts));
}

record::RunSummary controlled_run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                                  const StopToken& stop, RunControl* control) {
  record::RunSummary summary;
  with_plain_words(experiment.file, [&] { summary = Run(experiment, options, observer, stop, control).execute(); });
  return summary;
}

record::RunSummary controlled_resume(const ResumeOptions& options, Observer& observer, const StopToken& stop,
                                     RunControl* control) {
  RunOptions run_options;
  run_options.archive = options.archive;
  run_options.probes = options.probes;
  run_options.gains = options.gains;
  run_options.memory = options.memory;
  run_options.stop_after = options.stop_after;
  run_options.feed = options.feed;
  record::RunSummary summary;
  with_plain_words({}, [&] {
    const ResumePlan plan = plan_resume(options);
    try {
      summary = Run(plan.experiment, run_options, observer, stop, control, &plan).execute();
    } catch (const Error& error) {
      throw with_folder_of_run(error, plan);
    }
  });
  return summary;
}

}  // namespace

record::RunSummary run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                       const StopToken& stop) {
  return controlled_run(experiment, options, observer, stop, nullptr);
}

record::RunSummary run(const spec::Experiment& experiment, const RunOptions& options, Observer& observer,
                       RunControl& control) {
  return controlled_run(experiment, options, observer, control.stop_token(), &control);
}

record::RunSummary resume(const ResumeOptions& options, Observer& observer, const StopToken& stop) {
  return controlled_resume(options, observer, stop, nullptr);
}

record::RunSummary resume(const ResumeOptions& options, Observer& observer, RunControl& control) {
  return controlled_resume(options, observer, control.stop_token(), &control);
}

std::vector<std::string> check(const spec::Experiment& experiment) {
  const auto prepare_arms = [&experiment] {
    Prepared prepared = prepare(experiment);
    // Arms refuse globs that match no parameter.
    const train::Arm reference("reference", prepared.network->clone(), prepared.experiment, nullptr);
    std::vector<std::string> notes = std::move(prepared.notes);
    notes.insert(notes.end(), reference.notes.begin(), reference.notes.end());
    return notes;
  };
  return with_plain_errors(experiment.file, "while the experiment was checked",
                           "Take a smaller model or a smaller batch", prepare_arms);
}

}  // namespace mantissa::session
