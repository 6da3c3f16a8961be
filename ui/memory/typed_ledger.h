// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/memory/ledger.h"
#include "core/memory/plans.h"

namespace mantissa::ui::memory {

namespace engine = mantissa::memory;  ///< where all of it is worked out

/// What can be typed, in the order of the page.
enum class FieldId {
  Capacity,
  Reserve,
  Outside,
  Parameters,
  Fixed,
  PerSample,
  Microbatch,
  Accumulation,
  Blocks,
  Fp32,          ///< activations of a sample in FP32
  Checkpointed,  ///< the same under the policy, with activation checkpointing
  Updates,
  Deadline,
  Price,
};
inline constexpr std::size_t kFields = 14;
constexpr std::size_t placeOf(FieldId field) { return static_cast<std::size_t>(field); }

/// How the fixed state comes about: typed as a sum, or as bytes of each parameter.
enum class FixedState { AdamW, AdamWMaster, Sgd, SgdMomentum, RmsProp, Adagrad, Typed };
inline constexpr std::size_t kFixedStates = 7;

/// Bytes that each parameter takes.
struct BytesOfParameter {
  std::int64_t weight = 4;
  std::int64_t gradient = 4;
  std::int64_t moments = 0;  ///< of one moment; `momentCount` of them
  std::int64_t momentCount = 0;
  std::int64_t master = 0;  ///< FP32 copy of a weight in another dtype
};
BytesOfParameter bytesOfParameter(FixedState state);
/// "AdamW, FP32".
QString fixedStateText(FixedState state);

/// The policy whose activations `PerSample` are.
enum class TypedPolicy { Fp16, Bf16, Fp32 };
inline constexpr std::size_t kTypedPolicies = 3;
/// "FP16 autocast".
QString policyText(TypedPolicy policy);
/// "FP16": for the head of a column.
QString shortPolicyText(TypedPolicy policy);

/// A time of a step that was typed into the table of plans.
struct TypedTime {
  TypedPolicy policy = TypedPolicy::Fp16;
  bool isCheckpointed = false;
  engine::TimedStep step;
  QString arm = {};  ///< of a traced experiment, whose policy is its own; empty: of typed values

  bool isOf(const std::string& name, bool checkpointed) const {
    return isCheckpointed == checkpointed && arm == QString::fromStdString(name);
  }
  /// Whatever its seconds are.
  bool isSamePlan(const TypedTime& other) const {
    return policy == other.policy && isCheckpointed == other.isCheckpointed && arm == other.arm &&
           step.microbatch == other.step.microbatch && step.accumulation == other.step.accumulation;
  }
};

/// Everything that a person has typed, as it stands in the fields: what a saved ledger keeps.
struct TypedValues {
  std::array<QString, kFields> texts;
  FixedState state = FixedState::AdamW;
  TypedPolicy policy = TypedPolicy::Fp16;
  std::vector<TypedTime> times;

  const QString& text(FieldId field) const { return texts[placeOf(field)]; }
  QString& text(FieldId field) { return texts[placeOf(field)]; }

  /// 200 million parameters under AdamW beside 0.34 GB a sample on 24 GB: something to begin with.
  static TypedValues example();
};

/// What comes of it.
struct TypedAnswer {
  /// What is wrong, at the field: "Found '-3 GB', expected a size of at least 0 B." Where a field of the ledger is
  /// wrong there is no ledger, and nothing stands in its place.
  std::map<FieldId, QString> problems;
  std::optional<engine::Ledger> ledger;
  std::optional<std::int64_t> outsideBytes;       ///< nothing: nobody said
  std::optional<std::int64_t> parameters;         ///< a count; nothing: the fixed state is a typed sum
  std::optional<std::int64_t> fp32Bytes;          ///< of a sample in FP32; nothing: not said
  std::optional<std::int64_t> checkpointedBytes;  ///< nothing: not said
  std::int64_t fixedBytes = 0;                    ///< without what is outside of the allocator

  struct Option {
    TypedPolicy policy;
    bool isCheckpointed;
  };
  std::vector<Option> options;  ///< those of the question, in its order
  engine::PlanQuestion question;
  std::optional<engine::Plans> plans;
  QString noPlans;  ///< why there are none, as a sentence

  /// The first problem, with the name of its field; empty: there is none that the ledger needs.
  QString firstProblem() const;
};

/// What the fields say that a traced step needs, too.
struct CommonFields {
  std::map<FieldId, QString> problems;
  std::int64_t capacityBytes = 0;
  std::int64_t reserveParts = 0;
  /// Typed, or where nothing is typed the figure of core/memory/outside_table.h, as `mantissa-cli ledger` takes it,
  /// too; nothing: neither is there, and it is missing.
  std::optional<std::int64_t> outsideBytes;
  bool isOutsideFromTable = false;
  std::int64_t microbatch = 0;
  std::int64_t accumulation = 0;
  std::int64_t updates = 0;  ///< 0: not said
  std::optional<double> deadlineSeconds;
  std::optional<double> pricePerHour;
};
CommonFields commonFieldsOf(const TypedValues& values);

/// The word at a field: "Capacity".
QString fieldText(FieldId field);

/// Never throws: what cannot be read is a problem of its field.
TypedAnswer answerOf(const TypedValues& values);

/// A typed number as it is read everywhere: "0,34 GB" with a point, where the window's locale writes a comma and the
/// text has no more than one separator.
QString withDecimalPoint(const QString& text);

/// A typed count: digits, with separators of groups as the locale or English has them. Nothing: something else.
std::optional<std::int64_t> countOf(const QString& text);

/// A count of parameters as exact digits: "200 million", "25,557,032".
/// \throws Error InvalidSetting
std::int64_t parametersOf(const QString& text);

}  // namespace mantissa::ui::memory
