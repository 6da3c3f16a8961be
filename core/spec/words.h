// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/spec/experiment.h"

namespace mantissa::spec {

/// The spelling of every enum of experiment.h, once. Private to core/spec; outside use `to_text` of parse.h.
template <class Enum>
struct Words;

template <class Enum, std::size_t N>
using WordList = std::array<std::pair<std::string_view, Enum>, N>;

template <>
struct Words<Task> {
  static constexpr WordList<Task, 3> list{{{"classification", Task::Classification},
                                           {"regression", Task::Regression},
                                           {"language-model", Task::LanguageModel}}};
};
template <>
struct Words<Order> {
  static constexpr WordList<Order, 2> list{{{"shuffled", Order::Shuffled}, {"file", Order::File}}};
};
template <>
struct Words<Missing> {
  static constexpr WordList<Missing, 2> list{{{"refuse", Missing::Refuse}, {"drop", Missing::Drop}}};
};
template <>
struct Words<Labels> {
  static constexpr WordList<Labels, 2> list{{{"index", Labels::Index}, {"map", Labels::Map}}};
};
template <>
struct Words<TargetTransform> {
  static constexpr WordList<TargetTransform, 3> list{{{"none", TargetTransform::None},
                                                      {"log10", TargetTransform::Log10},
                                                      {"standardize", TargetTransform::Standardize}}};
};
template <>
struct Words<PinMemory> {
  static constexpr WordList<PinMemory, 3> list{
      {{"auto", PinMemory::Auto}, {"true", PinMemory::Always}, {"false", PinMemory::Never}}};
};
template <>
struct Words<ModelKind> {
  static constexpr WordList<ModelKind, 7> list{{{"linear", ModelKind::Linear},
                                                {"mlp", ModelKind::Mlp},
                                                {"cnn", ModelKind::Cnn},
                                                {"resnet", ModelKind::Resnet},
                                                {"transformer", ModelKind::Transformer},
                                                {"lstm", ModelKind::Lstm},
                                                {"torchscript", ModelKind::TorchScript}}};
};
template <>
struct Words<Attention> {
  static constexpr WordList<Attention, 2> list{{{"own", Attention::Own}, {"sdpa", Attention::Sdpa}}};
};
template <>
struct Words<Activation> {
  static constexpr WordList<Activation, 5> list{{{"relu", Activation::Relu},
                                                 {"gelu", Activation::Gelu},
                                                 {"tanh", Activation::Tanh},
                                                 {"sigmoid", Activation::Sigmoid},
                                                 {"silu", Activation::Silu}}};
};
template <>
struct Words<Loss> {
  static constexpr WordList<Loss, 8> list{{{"cross_entropy", Loss::CrossEntropy},
                                           {"nll", Loss::Nll},
                                           {"mse", Loss::Mse},
                                           {"l1", Loss::L1},
                                           {"huber", Loss::Huber},
                                           {"bce", Loss::Bce},
                                           {"bce_with_logits", Loss::BceWithLogits},
                                           {"output", Loss::Output}}};
};
template <>
struct Words<StoredDtype> {
  static constexpr WordList<StoredDtype, 2> list{{{"widen", StoredDtype::Widen}, {"keep", StoredDtype::Keep}}};
};
template <>
struct Words<Reduction> {
  static constexpr WordList<Reduction, 2> list{{{"mean", Reduction::Mean}, {"sum", Reduction::Sum}}};
};
template <>
struct Words<OnNonFinite> {
  static constexpr WordList<OnNonFinite, 3> list{
      {{"stop", OnNonFinite::Stop}, {"skip", OnNonFinite::Skip}, {"apply", OnNonFinite::Apply}}};
};
template <>
struct Words<OptimizerKind> {
  static constexpr WordList<OptimizerKind, 5> list{{{"sgd", OptimizerKind::Sgd},
                                                    {"adam", OptimizerKind::Adam},
                                                    {"adamw", OptimizerKind::AdamW},
                                                    {"rmsprop", OptimizerKind::RmsProp},
                                                    {"lbfgs", OptimizerKind::Lbfgs}}};
};
template <>
struct Words<ScheduleKind> {
  static constexpr WordList<ScheduleKind, 5> list{{{"constant", ScheduleKind::Constant},
                                                   {"step", ScheduleKind::Step},
                                                   {"exponential", ScheduleKind::Exponential},
                                                   {"cosine", ScheduleKind::Cosine},
                                                   {"linear", ScheduleKind::Linear}}};
};
template <>
struct Words<SchedulePer> {
  static constexpr WordList<SchedulePer, 2> list{
      {{"applied-update", SchedulePer::AppliedUpdate}, {"iteration", SchedulePer::Iteration}}};
};
template <>
struct Words<ActivationCheckpointing> {
  static constexpr WordList<ActivationCheckpointing, 2> list{
      {{"off", ActivationCheckpointing::Off}, {"blocks", ActivationCheckpointing::Blocks}}};
};
template <>
struct Words<Autocast> {
  static constexpr WordList<Autocast, 3> list{
      {{"off", Autocast::Off}, {"float16", Autocast::Float16}, {"bfloat16", Autocast::BFloat16}}};
};
template <>
struct Words<HysteresisRefill> {
  static constexpr WordList<HysteresisRefill, 3> list{{{"growth", HysteresisRefill::Growth},
                                                       {"clean-step", HysteresisRefill::CleanStep},
                                                       {"never", HysteresisRefill::Never}}};
};
template <>
struct Words<Of> {
  static constexpr WordList<Of, 2> list{{{"same_weights", Of::SameWeights}, {"trained", Of::Trained}}};
};
template <>
struct Words<FlipsDecision> {
  static constexpr WordList<FlipsDecision, 3> list{
      {{"task", FlipsDecision::Task}, {"top-k", FlipsDecision::TopK}, {"ranking", FlipsDecision::Ranking}}};
};
template <>
struct Words<Reduce> {
  static constexpr WordList<Reduce, 4> list{
      {{"max", Reduce::Max}, {"mean", Reduce::Mean}, {"median", Reduce::Median}, {"quantile", Reduce::Quantile}}};
};

template <class Enum>
std::string word_of(Enum value) {
  for (const auto& [word, meaning] : Words<Enum>::list) {
    if (meaning == value) return std::string(word);
  }
  return {};
}

template <class Enum>
std::optional<Enum> from_word(std::string_view text) {
  for (const auto& [word, meaning] : Words<Enum>::list) {
    if (word == text) return meaning;
  }
  return std::nullopt;
}

/// "a | b | c", for messages and help.
template <class Enum>
std::string choices() {
  std::string text;
  for (const auto& [word, meaning] : Words<Enum>::list) {
    if (!text.empty()) text += " | ";
    text += word;
  }
  return text;
}

}  // namespace mantissa::spec
