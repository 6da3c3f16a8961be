// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/gains.h"
#include "core/record/memory_answer.h"
#include "core/record/memory_comparison.h"
#include "core/record/utility.h"
#include "core/record/verdict.h"

namespace mantissa::record {

/// Two kinds measure the reference against itself: `Repeat` is a whole repeat, the run-to-run spread (its steps fill
/// deviation_*, its cases the columns of the arm's own weights); `Rounding` runs the reference's weights in another
/// thread count or in FP64, the rounding floor (its steps fill shadow_*, its cases the columns *_same_weights).
enum class TrialKind { Reference, Trial, Foreign, Repeat, Rounding };
constexpr bool is_yardstick(TrialKind kind) { return kind == TrialKind::Repeat || kind == TrialKind::Rounding; }
std::string_view to_text(TrialKind kind);
std::optional<TrialKind> trial_kind_from_text(std::string_view text);

/// `stopped`: by the user; `interrupted`: the process is gone; `failed`: TrialEnd::failure says why.
enum class Status { Running, Finished, Stopped, Interrupted, Failed };
std::string_view to_text(Status status);
std::optional<Status> status_from_text(std::string_view text);

/// What a run of an experiment is about, stored before its first step.
struct ExperimentStart {
  std::string name;
  std::string file;      ///< path as given
  std::string text;      ///< the file's text with the overrides applied: what runs it again
  std::string resolved;  ///< canonical JSON of the experiment with overrides applied and defaults filled in
  std::string sha256;    ///< of `resolved` without name, description and [expect]
  std::string rules;     ///< canonical JSON of [rules]; empty where there are none
  std::string rules_sha256;
  std::string cases_sha256;  ///< of the pool of frozen cases and the selection rule
  std::string lock;          ///< JSON: everything that locks the reference (session/reference_lock.h)
  std::string lock_sha256;
};

/// What is known of an arm before its first step.
struct TrialStart {
  std::int64_t experiment = 0;  ///< id given by the archive
  std::int64_t reference = 0;   ///< id of the reference; 0 for a reference
  TrialKind kind = TrialKind::Trial;
  std::string name;
  std::string autocast;     ///< "off", "float16", "bfloat16"
  std::string cast_policy;  ///< "device" …
  std::string device;
  std::string policy;  ///< canonical JSON of the [[trial]] block, or what a yardstick varies; empty for a reference
  std::int64_t parent = 0;       ///< id of the arm whose checkpoint it goes on from under another policy; 0: none
  std::int64_t parent_step = 0;  ///< the attempted steps that this arm had done
};

/// Counts that stand at the end of an arm. All three counters of a step are kept apart.
struct Counts {
  std::int64_t attempted = 0;
  std::int64_t applied = 0;
  std::int64_t skipped = 0;
  std::int64_t iterations = 0;
  std::int64_t samples = 0;
};

/// A trial that went on under another policy than the one it began with.
struct PolicyChange {
  std::int64_t step = 0;    ///< the first attempted step under the new policy
  std::string trial;        ///< whose policy it is
  std::string autocast;     ///< "off", "float16", "bfloat16"
  std::string cast_policy;  ///< "device" …
  std::string policy;       ///< canonical JSON of that [[trial]] block
  std::string reason;       ///< "scale-floor"
};

/// What one optimizer of an arm came to.
struct OptimizerEnd {
  std::string kind;  ///< "adamw", …; empty where an interrupted arm did not get to say it
  std::int64_t applied = 0;
  std::int64_t skipped = 0;
  std::optional<double> lr;  ///< of the arm's last step; nothing where it made none
  std::string lr_per;        ///< what the schedule counts: "applied-update", "iteration"; empty like `kind`
};

/// How far an arm is from the reference, beside the yardstick that belongs to that distance.
struct YardstickReading {
  std::string of;               ///< "same_weights", "shadow"; "trained", "trajectory"
  std::string measure;          ///< "q0.99 of case_relative", "mean of output_relative", "accuracy"
  std::string yardstick;        ///< "rounding-floor" for the first two, "run-to-run-spread" for the others
  std::optional<double> value;  ///< nothing for the reference, which is measured against itself alone
  double size = 0.0;            ///< of the yardstick: the largest of its repeats, NaN where one of them is

  /// value / size; nothing where that says nothing: no value, or a size that is 0 or not finite.
  std::optional<double> multiple() const;
};

/// The result of an arm.
struct TrialEnd {
  Status status = Status::Finished;
  std::string failure;       ///< "forward", "non-finite", "scale-too-small", …; empty unless failed
  std::string failure_text;  ///< the sentence; of a stopped arm, too, where its reference failed: no person stopped it
  Counts counts;
  std::vector<OptimizerEnd> optimizers;  ///< by index; empty for an arm without a trainable parameter
  std::optional<double> final_loss;
  std::string quality_metric;  ///< "accuracy", "rmse" …; empty: not measured
  std::optional<double> quality;
  std::optional<double> quality_reference;
  std::optional<std::int64_t> flips;  ///< of the comparison that the flips rule judges (same_weights by default)
  double seconds = 0.0;
  std::vector<std::string> notes;            ///< things a reader must know: "2 parameters got no gradient: …"
  std::vector<PolicyChange> policy_changes;  ///< in the order of their steps; empty: one policy from beginning to end
  std::vector<YardstickReading> yardsticks;  ///< empty where the experiment has no [reference] repeats
  std::optional<Verdict> verdict;            ///< none for a reference
  std::string evidence;                      ///< JSON: what the verdict rests on; written, and read by Reader::evidence
  /// Nothing: not measured, which a trial that another rule than those on costs rejects never is.
  std::optional<Gains> gains;
  std::vector<Latency> latency;            ///< by batch size; empty: not measured
  std::optional<MemoryComparison> memory;  ///< nothing where the run did not look at it
  /// Nothing without [utility]. Not kept, worked out of the cases and the evidence (core/session/archived_utility.h).
  std::optional<Utility> utility;
};

/// An arm as it stands in the archive.
struct TrialRow {
  std::int64_t id = 0;
  std::int64_t experiment_id = 0;
  std::string experiment;
  std::string started_at;   ///< ISO 8601, UTC
  std::string finished_at;  ///< empty while it runs
  TrialStart start;
  TrialEnd end;
};

/// Result of one `run`.
struct RunSummary {
  std::string experiment;
  std::int64_t experiment_id = 0;
  TrialRow reference;
  std::vector<TrialRow> yardsticks;  ///< kinds Repeat and Rounding
  std::vector<TrialRow> trials;
  std::optional<MemoryAnswer> memory_answer;  ///< to the first arm that ran out of memory; nothing: none did
  bool stopped_as_planned = false;            ///< it came to the step after which it was to stop
};

/// A tensor of a state_dict as bytes, for the archive and for exports.
struct TensorBytes {
  std::string name;   ///< PyTorch's state_dict name
  std::string dtype;  ///< safetensors' word: "F32", "F16", "BF16", "I64", …
  std::vector<std::int64_t> shape;
  std::string bytes;  ///< little-endian, contiguous
};

}  // namespace mantissa::record
