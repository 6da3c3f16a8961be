// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace mantissa::precision {

/// Casts CPU tensors of this thread as CUDA's autocast would cast CUDA tensors, for as long as the object lives.
///
/// The operator lists and the wrappers are those of the linked LibTorch (ATen/autocast_mode.h: lower_precision_fp,
/// fp32, fp32_set_opt_dtype, fp32_append_dtype, promote), so they are CUDA's of that very version; binary_cross_entropy
/// throws as it does there. Open it inside an AutocastScope of the CPU: that one holds the dtype and the copies of
/// weights; its own list of casts is switched off meanwhile. Other threads and other scopes are not touched.
///
/// What is rehearsed are the casts. Kernels are the CPU's: they round, sum and take operators apart in their own way
/// (an LSTM is one operator on CUDA and several here).
class CudaCastScope {
 public:
  CudaCastScope();
  ~CudaCastScope();
  CudaCastScope(const CudaCastScope&) = delete;
  CudaCastScope& operator=(const CudaCastScope&) = delete;

 private:
  c10::impl::ExcludeDispatchKeyGuard without_cpu_list_;
  c10::impl::IncludeDispatchKeyGuard with_cuda_list_;
  bool was_excluded_;
};

}  // namespace mantissa::precision
