// SPDX-License-Identifier: Apache-2.0
#include "core/session/run_end.h"

#include <exception>
#include <optional>
#include <utility>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/judge/utility.h"
#include "core/session/archive_rows.h"
#include "core/session/archived_evidence.h"
#include "core/session/other_seeds.h"
#include "core/session/reference_context.h"
#include "core/session/reference_lock.h"
#include "core/session/run_cases.h"
#include "core/spec/parse.h"
#include "core/train/failure_text.h"

namespace mantissa::session {
namespace {

/// It trains nothing: of the reference's end it has the status alone.
record::TrialEnd rounding_end(const record::TrialEnd& reference) {
  record::TrialEnd end;
  end.status = reference.status;
  if (reference.status == record::Status::Failed) {
    end.status = record::Status::Stopped;
    end.failure_text = "The reference failed: " + reference.failure_text;
  }
  end.seconds = reference.seconds;
  return end;
}

/// Updates smaller than half the spacing of the weights change nothing: nothing fails, and nothing is learnt.
void note_unmoved(record::TrialEnd& end, const train::Arm& arm, bool moved) {
  const std::int64_t applied = train::own_counts(arm.tally).applied;
  if (moved || applied == 0 || !arm.tally.any_gradient_nonzero) return;
  end.notes.push_back("The weights did not change in " + std::to_string(applied) +
                      " applied updates although gradients were not zero: the updates are lost to rounding, or the "
                      "learning rate is 0.");
}

/// Nobody is shown how fast a rejected trial is.
bool is_sound(const record::TrialEnd& end) {
  return end.status == record::Status::Finished && end.verdict && end.verdict->word != record::VerdictWord::Rejected;
}

std::string why_no_costs(const record::TrialEnd& trial, const record::TrialEnd& reference, bool costs_follow) {
  if (trial.status != record::Status::Finished) return "only a trial that finished is measured";
  if (reference.status != record::Status::Finished) return "the reference did not finish";
  return costs_follow ? "a trial that another rule rejects is not measured" : "measuring was switched off";
}

}  // namespace

void RunEnd::finish(train::PairedRun& paired, bool costs_follow) {
  train::Arm& reference = paired.arm(0);
  const bool compared = !paired.stopped() && !reference.failure;
  if (compared) {
    given_.observer.on_phase("comparing cases");
    const bool was_complete = given_.cases.is_complete();
    given_.comparison.evaluate_reference(reference);
    if (!was_complete && given_.cases.is_complete()) {  // before any output of a trial is read
      given_.writer.write_case_set(summary_.experiment_id, case_set_of(given_.cases, given_.cases_taken_from));
    }
  }
  if (compared && given_.comparison.has_reference()) {
    given_.writer.write_context(given_.ids[0], reference_context(given_.asked, given_.prepared, given_.cases));
  }
  if (given_.yardsticks != nullptr) finish_yardsticks(paired, compared && given_.comparison.has_reference());
  finish_reference(paired, reference);
  for (std::size_t i = 1; i <= given_.trials.size(); ++i) finish_trial(paired, i, compared, costs_follow);
}

void RunEnd::finish_yardsticks(train::PairedRun& paired, bool compared) {
  for (std::size_t i = 0; i < summary_.yardsticks.size(); ++i) {
    record::TrialRow& row = summary_.yardsticks[i];
    const std::size_t place = 1 + given_.trials.size() + i;  // in the run, where it is a whole repeat
    const bool is_repeat = row.start.kind == record::TrialKind::Repeat;
    record::TrialEnd end = training_end(paired, paired.arm(is_repeat ? place : 0), given_.seconds);
    if (!is_repeat) end = rounding_end(end);
    const std::vector<record::CaseRow> rows = given_.yardsticks->finish(i, paired, given_.comparison, compared, end);
    if (!rows.empty()) given_.writer.write_cases(row.id, rows);
    if (is_repeat) keep_weights(row.id, paired.arm(place), end);
    end_arm(row, std::move(end));
  }
}

void RunEnd::keep_weights(std::int64_t id, const train::Arm& arm, record::TrialEnd& end) {
  try {
    given_.writer.write_weights(id, "final", state_bytes(*arm.network));
  } catch (const std::exception& error) {
    const auto* const ours = dynamic_cast<const Error*>(&error);
    const bool of_the_archive = ours != nullptr && ours->kind() == ErrorKind::OutOfMemory;
    const std::optional<std::string> words = train::out_of_memory(error, "while they were copied");
    if (!words && !of_the_archive) throw;
    end.notes.push_back("The final weights are not kept. " +
                        (words ? *words : "Memory did not suffice to write them."));
    given_.observer.on_note(arm.name + ": " + end.notes.back());
  }
}

void RunEnd::end_arm(record::TrialRow& row, record::TrialEnd end) {
  given_.writer.finish_trial(row.id, end, &row.finished_at);
  row.end = std::move(end);
  given_.observer.on_arm_end(row);
}

void RunEnd::finish_reference(const train::PairedRun& paired, const train::Arm& arm) {
  record::TrialEnd end = training_end(paired, arm, given_.seconds);
  reference_moved_ = state_sha256(*arm.network) != given_.began_with[0];
  note_unmoved(end, arm, reference_moved_);
  non_finite_reference_ = train::non_finite_state(arm);
  if (arm.tally.first_non_finite_loss_step > 0) {
    non_finite_reference_.push_back("loss at step " + std::to_string(arm.tally.first_non_finite_loss_step));
  }
  for (const std::string& what : non_finite_reference_) {
    end.notes.push_back("Non-finite in the reference: " + what + ".");
  }
  if (given_.yardsticks != nullptr) {
    for (std::string& note : given_.yardsticks->notes_on_reference()) end.notes.push_back(std::move(note));
    end.yardsticks = given_.yardsticks->readings(0, {}, end);
  }
  if (given_.comparison.has_reference()) {
    const std::vector<record::CaseRow> rows = given_.comparison.reference_rows();
    given_.comparison.summarise(rows, end);
    end.flips.reset();  // nothing decides differently from itself
    given_.writer.write_cases(given_.ids[0], rows);
  }
  if (given_.memory != nullptr) end.memory = given_.memory->of(0);
  keep_weights(given_.ids[0], arm, end);
  given_.checkpointing.add_final_quality(0, paired.steps_done(), end);
  end_arm(summary_.reference, std::move(end));
}

judge::Evidence RunEnd::evidence_of(const train::PairedRun& paired, std::size_t index, const record::TrialEnd& end,
                                    std::vector<record::CaseRow> rows) const {
  const train::Arm& reference = paired.arm(0);
  const train::Arm& arm = paired.arm(index);
  const spec::Trial& trial = *given_.trials[index - 1];
  judge::Evidence evidence;
  evidence.device = given_.prepared.experiment.training.device;
  evidence.cast_policy = trial.cast_policy;
  evidence.autocast = spec::to_text(trial.autocast);
  evidence.policy_changes = end.policy_changes;
  evidence.status = end.status;
  evidence.failure = end.failure;
  evidence.failure_text = end.failure_text;
  evidence.counts = train::own_counts(arm.tally);
  evidence.max_consecutive_skips = arm.max_consecutive_skips;
  evidence.first_non_finite_loss_step = arm.tally.first_non_finite_loss_step;
  evidence.non_finite = train::non_finite_state(arm);
  evidence.non_finite_reference = non_finite_reference_;
  evidence.reference_finished = !reference.failure;
  if (reference.failure) evidence.reference_failure_text = reference.failure->text;
  if (evidence.counts.applied > 0) {
    evidence.gradients_all_zero = !arm.tally.any_gradient_nonzero && reference.tally.any_gradient_nonzero;
    if (reference.tally.zero_gradient_steps == 0) evidence.zero_gradient_steps = arm.tally.zero_gradient_steps;
    evidence.weights_unchanged = reference_moved_ && state_sha256(*arm.network) == given_.began_with[index];
  } else if (evidence.counts.attempted > 0) {
    evidence.weights_unchanged = reference_moved_;  // every step was refused: no weight moved
  }
  evidence.cases_are_training_rows = given_.cases.from_training_part;
  evidence.decision = given_.prepared.decision;
  evidence.task = given_.prepared.dataset.task;
  evidence.unit = given_.comparison.unit();
  evidence.cases = std::move(rows);
  evidence.utility = given_.asked.utility;
  if (given_.yardsticks != nullptr) given_.yardsticks->add_evidence(evidence);
  evidence.other_seeds = other_seeds(archive::Reader(given_.archive), summary_.experiment_id, trial.name,
                                     given_.asked.rules, evidence.decision);
  return evidence;
}

void RunEnd::finish_trial(train::PairedRun& paired, std::size_t index, bool compared, bool costs_follow) {
  train::Arm& arm = paired.arm(index);
  std::vector<record::CaseRow> rows;
  if (compared && !arm.failure && given_.comparison.has_reference())
    rows = given_.comparison.trial_rows(paired.arm(0), arm);
  record::TrialEnd end = training_end(paired, arm, given_.seconds);
  add_notes_on_trial(end, paired.arm(0), arm);
  note_unmoved(end, arm, state_sha256(*arm.network) != given_.began_with[index]);
  judge::Evidence evidence = evidence_of(paired, index, end, std::move(rows));
  if (!evidence.cases.empty()) {
    given_.comparison.summarise(evidence.cases, end);
    end.quality_reference = summary_.reference.end.quality;
    given_.writer.write_cases(given_.ids[index], evidence.cases);
  }
  if (given_.yardsticks != nullptr) end.yardsticks = given_.yardsticks->readings(index, evidence.cases, end);
  judge(end, evidence);
  if (evidence.utility && !evidence.cases.empty()) {
    end.utility = judge::utility_of(evidence.cases, evidence.decision, *evidence.utility);
  }
  if (given_.memory != nullptr) end.memory = given_.memory->of(index);
  keep_weights(given_.ids[index], arm, end);
  given_.checkpointing.add_final_quality(index, paired.steps_done(), end);
  const bool has_costs = given_.asked.rules && !given_.asked.rules->cost.empty();
  if (!has_costs) return end_arm(summary_.trials[index - 1], std::move(end));
  const bool may_wait = costs_follow && summary_.reference.end.status == record::Status::Finished;
  if (may_wait && is_sound(end)) {
    waiting_.emplace(index - 1, Waiting{std::move(evidence), std::move(end)});
    return;
  }
  evidence.costs.missing = why_no_costs(end, summary_.reference.end, costs_follow);
  judge(end, evidence);
  end_arm(summary_.trials[index - 1], std::move(end));
}

void RunEnd::judge(record::TrialEnd& end, const judge::Evidence& evidence) const {
  end.verdict = judge::judge(given_.asked.rules, given_.rules_sha256, evidence);
  end.evidence = evidence_text(evidence);
}

bool RunEnd::is_worth_measuring(std::size_t trial) const {
  return waiting_.count(trial) > 0 || is_sound(summary_.trials[trial].end);
}

void RunEnd::judge_waiting(std::size_t trial) {
  auto waiting = waiting_.extract(trial);
  Waiting& one = waiting.mapped();
  judge(one.end, one.evidence);
  end_arm(summary_.trials[trial], std::move(one.end));
}

void RunEnd::take_costs(std::size_t trial, const record::Costs& own, const std::optional<record::Gains>& reference) {
  record::TrialRow& row = summary_.trials[trial];
  given_.writer.write_costs(row.id, own);  // before the verdict that rests on them
  const auto waiting = waiting_.find(trial);
  if (waiting == waiting_.end()) {
    row.end.gains = own.gains;
    row.end.latency = own.latency;
    if (own.gains || !own.latency.empty()) given_.observer.on_arm_end(row);
    return;
  }
  Waiting& one = waiting->second;
  one.end.gains = own.gains;
  one.end.latency = own.latency;
  one.evidence.costs = {own, reference, ""};
  judge_waiting(trial);
}

void RunEnd::judge_without_costs(const std::string& missing) {
  while (!waiting_.empty()) {
    waiting_.begin()->second.evidence.costs.missing = missing;
    judge_waiting(waiting_.begin()->first);
  }
}

}  // namespace mantissa::session
