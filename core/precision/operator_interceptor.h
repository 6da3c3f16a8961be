// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace c10 {
class OperatorHandle;
}

namespace mantissa::precision {

/// Path of the module that runs on this thread, as PyTorch's `named_modules()` spells it: of a built-in model what its
/// ModuleScope says, of a scripted or traced one what the TorchScript interpreter knows. Empty for the model's root and
/// outside of models. Costs a few microseconds inside TorchScript.
std::string current_module_path();

/// Arguments or results of one call, in the order of the operator's schema; in place on the stack.
struct OperatorValues {
  c10::IValue* first;
  std::size_t count;

  c10::IValue* begin() const { return first; }
  c10::IValue* end() const { return first + count; }
  std::size_t size() const { return count; }
  c10::IValue& operator[](std::size_t index) const { return first[index]; }
};

/// One call of an operator, as the model or the loss makes it: before autocast, before autograd.
class OperatorCall {
 public:
  OperatorCall(const c10::OperatorHandle& handle, torch::jit::Stack& stack);

  const c10::FunctionSchema& schema() const { return schema_; }

  /// Without namespace and overload: "softmax", "add_".
  std::string_view name() const { return name_; }

  /// `current_module_path()`, found out when first asked for.
  const std::string& module() const;

  /// What the operator is called with. Only in `before`; there a value may be replaced by one of the same kind, and
  /// autograd follows the replacement.
  OperatorValues inputs();

  /// What the operator returned. Only in `after`; a value may be replaced.
  OperatorValues outputs();

  /// Runs this call, and all that it is made of, with autocast off. Only in `before`.
  void run_without_autocast() { without_autocast_ = true; }
  bool without_autocast() const { return without_autocast_; }

 private:
  const c10::FunctionSchema& schema_;
  torch::jit::Stack& stack_;
  std::string_view name_;
  mutable std::optional<std::string> module_;
  bool without_autocast_ = false;
};

/// Looks at every operator of a forward pass, and may change it: float32 regions, cast maps, tracers, planted faults.
///
/// What an observer runs itself is neither seen by observers nor cast. Its operators are recorded by autograd as the
/// model's are: look under a NoGradGuard, change without one. An exception leaves through the model.
class OperatorObserver {
 public:
  virtual ~OperatorObserver() = default;
  virtual void before(OperatorCall& /*call*/) {}

  /// Not called where the operator throws.
  virtual void after(OperatorCall& /*call*/) {}
};

/// Lets `observer` see the operators of this thread for as long as the object lives.
///
/// Seen are the operators that the model calls (`aten::softmax`, `aten::linear`), native or scripted, not those that
/// they are made of, and none of backward where backward runs outside of the scope. Scopes nest: observers of outer
/// scopes come first in `before` and last in `after`. Results stay the same to the bit where no observer changes
/// anything. Without a scope nothing is slower; with one an operator costs about 0.2 µs more, plus what the observer
/// does.
///
/// How: a fallback for the dispatch key TESTING_ONLY_GenericMode, which comes ahead of autocast and has no other use in
/// this process. A test holds that against a change in LibTorch.
class OperatorInterceptor {
 public:
  explicit OperatorInterceptor(OperatorObserver& observer);
  ~OperatorInterceptor();
  OperatorInterceptor(const OperatorInterceptor&) = delete;
  OperatorInterceptor& operator=(const OperatorInterceptor&) = delete;

 private:
  c10::impl::IncludeDispatchKeyGuard seen_;
};

/// Hides the operators of this thread from all observers that look on already, for as long as the object lives.
/// Observers that come meanwhile see them.
class UnseenByObservers {
 public:
  UnseenByObservers();
  ~UnseenByObservers();
  UnseenByObservers(const UnseenByObservers&) = delete;
  UnseenByObservers& operator=(const UnseenByObservers&) = delete;

 private:
  std::vector<OperatorObserver*> aside_;
};

}  // namespace mantissa::precision
