// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include "core/model/network.h"
#include "core/spec/experiment.h"

namespace mantissa::model {

/// What each argument of a TorchScript model's forward is made from: `model.inputs` of an experiment.
///
/// | entry              | argument                                                                          |
/// |--------------------|-----------------------------------------------------------------------------------|
/// | "x", "inputs"      | all inputs of the batch, as a model with one input gets them                      |
/// | "targets"          | the targets as the loss would get them: int64 [batch], or FP32 [batch, targets]   |
/// | an input column    | [batch, 1]; int64 where data.columns.integers names it                            |
/// | a target column    | [batch, 1] of FP32 targets; int64 [batch] where the targets are class indices     |
/// | a list of columns  | [batch, columns]; int64 where all of them are integer columns                     |
/// | a number, a truth  | a constant of the type that the argument is declared with                         |
///
/// "x" is refused where a column of this name stands beside others: it could mean both.
class InputBinding {
 public:
  /// Without entries: all inputs of the batch as the only argument.
  /// \throws Error InvalidSetting (subject model.inputs) where entries and forward's arguments do not fit.
  InputBinding(const std::vector<spec::ModelInput>& entries, const Usage& usage, const c10::FunctionSchema& forward);

  /// Whether forward gets the inputs of the batch and nothing else.
  bool plain() const { return plain_; }
  bool takes_targets() const { return takes_targets_; }

  /// The arguments for one batch, without self.
  /// \throws Error InvalidSetting for columns of inputs that are not [batch, columns].
  std::vector<c10::IValue> arguments(const at::Tensor& inputs, const at::Tensor& targets) const;

 private:
  struct Whole {};
  struct Targets {
    std::optional<std::int64_t> column;  // nothing: all of them
  };
  struct Columns {
    std::vector<std::int64_t> places;
    bool as_integers = false;
  };
  struct Constant {
    c10::IValue value;  // a tensor is moved to the device of the inputs
  };
  using Source = std::variant<Whole, Targets, Columns, Constant>;

  Source source_of(const std::string& name, const std::string& subject, const Usage& usage) const;
  Columns columns_of(const std::vector<std::string>& names, const std::string& subject, const Usage& usage) const;

  std::vector<Source> sources_;
  bool plain_ = true;
  bool takes_targets_ = false;
};

/// "x (Tensor), sr (int)": what forward takes, without self.
std::string described_arguments(const c10::FunctionSchema& forward);

}  // namespace mantissa::model
