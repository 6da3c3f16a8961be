// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa::precision {

/// Says which module of a built-in model runs on this thread: its forward opens one for as long as it runs.
///
/// Scripted and traced models need none, the TorchScript interpreter knows its module
/// (`torch::jit::currentModuleHierarchy()`). LibTorch's front end has no hooks on modules, so built-in models say it
/// themselves. Costs two writes to thread-local memory.
class ModuleScope {
 public:
  /// \param path  of the module as PyTorch's `named_modules()` spells it, from the model's root ("blocks.3.attn"; empty
  ///              for the root). Must outlive the scope: keep it in the module.
  explicit ModuleScope(const std::string& path) : outer_(current_) { current_ = &path; }
  ~ModuleScope() { current_ = outer_; }
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

  /// The innermost module's path; empty outside of every scope.
  static const std::string& current();

 private:
  const std::string* outer_;
  static thread_local const std::string* current_;
};

}  // namespace mantissa::precision
