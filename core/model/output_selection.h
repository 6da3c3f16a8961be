// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "core/spec/output_selector.h"

namespace mantissa::model {

/// One tensor of what a model returned, and how an experiment names it.
struct NamedOutput {
  std::string selector;  ///< "output[1]", "output.boxes"
  at::Tensor tensor;
};

/// A step of a selector: ".boxes", "[\"two words\"]", "[1]".
std::string step_to(const std::string& name);
std::string step_to(std::size_t index);

/// All tensors of what a model returned, in order: in tuples, lists, dictionaries and objects, however nested.
std::vector<NamedOutput> tensors_of(const c10::IValue& output);

/// Picks one tensor of what a model returned.
class OutputSelection {
 public:
  /// \param key  of the experiment, for messages: "model.prediction"
  OutputSelection(std::string key, std::string selector);

  /// \throws Error InvalidSetting where there is no such tensor: what the model returned stands in the message, and
  ///         the selector that is spelled most alike.
  at::Tensor pick(const c10::IValue& output) const;

  /// Whether the whole output is meant.
  bool whole() const { return steps_.empty(); }

 private:
  std::string key_;
  std::string selector_;
  std::vector<spec::OutputStep> steps_;
};

/// The loss among a model's outputs: what `selection` picks; where that is the whole output and it is no tensor, the
/// only scalar in it.
/// \throws Error InvalidSetting where there is none or it is no floating scalar.
at::Tensor pick_loss(const OutputSelection& selection, const c10::IValue& output);

}  // namespace mantissa::model
