// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "core/record/case_row.h"
#include "core/record/checkpoint.h"
#include "core/record/memory_trace.h"
#include "core/record/step_record.h"
#include "core/record/trial.h"
#include "core/record/verdict.h"

namespace mantissa::record {
namespace {

template <class Value, std::size_t size>
using Words = std::array<std::pair<Value, std::string_view>, size>;

template <class Value, std::size_t size>
std::string_view word_of(const Words<Value, size>& words, Value value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return {};
}

template <class Value, std::size_t size>
std::optional<Value> value_of(const Words<Value, size>& words, std::string_view text) {
  for (const auto& [value, word] : words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

constexpr Words<SkipCause, 10> kSkipCauses = {{{SkipCause::None, ""},
                                               {SkipCause::Calibration, "calibration"},
                                               {SkipCause::GrowthProbe, "growth-probe"},
                                               {SkipCause::Overflow, "overflow"},
                                               {SkipCause::Input, "input"},
                                               {SkipCause::Loss, "loss"},
                                               {SkipCause::Weights, "weights"},
                                               {SkipCause::Rule, "rule"},
                                               {SkipCause::NoGradient, "no-gradient"},
                                               {SkipCause::ScaleTooSmall, "scale-too-small"}}};
constexpr Words<CaseKind, 3> kCaseKinds = {
    {{CaseKind::Ordinary, "ordinary"}, {CaseKind::Edge, "edge"}, {CaseKind::Boundary, "boundary"}}};
constexpr Words<VerdictWord, 3> kVerdictWords = {
    {{VerdictWord::Accepted, "accepted"}, {VerdictWord::Rejected, "rejected"}, {VerdictWord::Undecided, "undecided"}}};
constexpr Words<TrialKind, 5> kTrialKinds = {{{TrialKind::Reference, "reference"},
                                              {TrialKind::Trial, "trial"},
                                              {TrialKind::Foreign, "foreign"},
                                              {TrialKind::Repeat, "repeat"},
                                              {TrialKind::Rounding, "rounding"}}};
constexpr Words<Status, 5> kStatuses = {{{Status::Running, "running"},
                                         {Status::Finished, "finished"},
                                         {Status::Stopped, "stopped"},
                                         {Status::Interrupted, "interrupted"},
                                         {Status::Failed, "failed"}}};
constexpr Words<MemoryCategory, kMemoryCategories> kMemoryCategoryWords = {
    {{MemoryCategory::Parameters, "parameters"},
     {MemoryCategory::Buffers, "buffers"},
     {MemoryCategory::OptimizerState, "optimizer_state"},
     {MemoryCategory::Gradients, "gradients"},
     {MemoryCategory::Inputs, "inputs"},
     {MemoryCategory::SavedActivations, "saved_activations"},
     {MemoryCategory::CastCopies, "cast_copies"},
     {MemoryCategory::Temporaries, "temporaries"}}};
constexpr Words<Direction, 2> kDirections = {{{Direction::Higher, "higher"}, {Direction::Lower, "lower"}}};

}  // namespace

std::string_view to_text(SkipCause cause) { return word_of(kSkipCauses, cause); }
std::optional<SkipCause> skip_cause_from_text(std::string_view text) { return value_of(kSkipCauses, text); }
std::string_view to_text(CaseKind kind) { return word_of(kCaseKinds, kind); }
std::optional<CaseKind> case_kind_from_text(std::string_view text) { return value_of(kCaseKinds, text); }
std::string_view to_text(VerdictWord word) { return word_of(kVerdictWords, word); }
std::optional<VerdictWord> verdict_word_from_text(std::string_view text) { return value_of(kVerdictWords, text); }
std::string_view to_text(TrialKind kind) { return word_of(kTrialKinds, kind); }
std::optional<TrialKind> trial_kind_from_text(std::string_view text) { return value_of(kTrialKinds, text); }
std::string_view to_text(Status status) { return word_of(kStatuses, status); }
std::optional<Status> status_from_text(std::string_view text) { return value_of(kStatuses, text); }
std::string_view to_text(MemoryCategory category) { return word_of(kMemoryCategoryWords, category); }
std::optional<MemoryCategory> memory_category_from_text(std::string_view text) {
  return value_of(kMemoryCategoryWords, text);
}
std::string_view to_text(Direction direction) { return word_of(kDirections, direction); }
std::optional<Direction> direction_from_text(std::string_view text) { return value_of(kDirections, text); }

}  // namespace mantissa::record
