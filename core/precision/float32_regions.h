// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/precision/operator_interceptor.h"
#include "core/spec/experiment.h"

namespace mantissa::precision {

/// Whether `pattern` means the module at `path`: a glob over the path of the module or of one that it lies in, as the
/// optimizers' globs over parameters. \returns the length of the shortest part of `path` that matches ("blocks.0" of
/// "blocks.0.attn.q" for "blocks.*"), or -1.
int matched_module(const std::string& pattern, const std::string& path);

/// Whether `pattern`, a glob, means this operator: by its name without namespace and overload, as the model calls it
/// ("softmax"), its in-place form ("softmax_") and its private twin ("_softmax") included.
bool matches_operator(const std::string& pattern, std::string_view name);

/// Keeps modules and operators in FP32 while autocast casts the others.
///
/// A module region does what `with torch.autocast(device, enabled=False): y = module(x.float())` does: autocast is off
/// for every operator inside, FP16 and BF16 tensors that come in from outside are cast once, at their first use, and
/// results leave in FP32. A tensor that the module itself turned into FP16 (`x.half()`) is cast at its next use.
/// An operator region does the same for the inputs of each call, `with …: y = operator(x.float())`; what an in-place
/// operator or an `out=` writes into keeps its dtype. FP64 stays FP64. Backward follows through autograd.
class Float32Regions : public OperatorObserver {
 public:
  explicit Float32Regions(std::vector<spec::Float32Region> regions) : regions_(std::move(regions)) {}

  void before(OperatorCall& call) override;

  /// Forgets the tensors that were cast: at the end of each forward.
  void leave();

 private:
  /// What the regions say of one module.
  struct Module {
    std::string whole;                   ///< path of the module whose all is kept in FP32
    bool all = false;                    ///< whether there is one; its path may be empty
    std::vector<std::string> operators;  ///< globs of the operators kept in FP32 here
  };
  struct Cast {
    at::Tensor source;  ///< keeps the address taken
    std::uint32_t version;
    bool for_gradients;
    at::Tensor result;
  };

  const Module& module_of(const std::string& path);
  at::Tensor cast_once(const at::Tensor& source);

  std::vector<spec::Float32Region> regions_;
  std::unordered_map<std::string, Module> modules_;
  std::string inside_;  ///< the region whose casts are kept
  bool is_inside_ = false;
  std::unordered_map<const c10::TensorImpl*, Cast> casts_;
};

}  // namespace mantissa::precision
