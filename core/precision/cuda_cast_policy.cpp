// SPDX-License-Identifier: Apache-2.0
#include "core/precision/cuda_cast_policy.h"

#include <optional>

#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace mantissa::precision {
namespace {

using at::autocast::CastPolicy;
using namespace at;  // the header's lists write signatures without it

// Autocast of a device that does not exist here: its key is free, and CPU tensors reach it by the thread's key set. The
// wrappers below it are told that the device is the CPU.
constexpr c10::DispatchKey kRehearsal = c10::DispatchKey::AutocastPrivateUse1;

/// LibTorch's wrapper for CPU tensors, which on its own leaves only the CPU's autocast for the operator it calls.
template <CastPolicy policy, class Registered, class Redispatch, Redispatch* function, class Return, class Arguments>
struct Rehearsed_ {};

template <CastPolicy policy, class Registered, class Redispatch, Redispatch* function, class Return, class... Arguments>
struct Rehearsed_<policy, Registered, Redispatch, function, Return, c10::guts::typelist::typelist<Arguments...>> {
  static Return call(Arguments... arguments) {
    const c10::impl::ExcludeDispatchKeyGuard once(kRehearsal);
    return at::autocast::WrapFunction<policy, c10::DeviceType::CPU, Registered, Redispatch, function>::type::call(
        std::forward<Arguments>(arguments)...);
  }
};

template <CastPolicy policy, class Registered, class Redispatch, Redispatch* function>
using Rehearsed =
    Rehearsed_<policy, Registered, Redispatch, function, typename c10::guts::function_traits<Registered>::return_type,
               typename c10::guts::function_traits<Registered>::parameter_types>;

at::Tensor refuse_binary_cross_entropy(const at::Tensor& /*input*/, const at::Tensor& /*target*/,
                                       const std::optional<at::Tensor>& /*weight*/, std::int64_t /*reduction*/) {
  TORCH_CHECK(false,
              "CUDA's autocast refuses binary_cross_entropy, because its gradient can lie outside FP16. Let the model "
              "return logits and take binary_cross_entropy_with_logits (loss = \"bce_with_logits\"), or compute the "
              "loss in FP32 (float32_regions = [\"loss\"]).");
}

#define MANTISSA_CAST1(POLICY, OPERATOR)                                                       \
  library.impl("aten::" #OPERATOR, &Rehearsed<CastPolicy::POLICY, decltype(ATEN_FN(OPERATOR)), \
                                              decltype(ATEN_FN(OPERATOR)), &ATEN_FN(OPERATOR)>::call);
#define MANTISSA_CAST2(POLICY, OPERATOR, OVERLOAD)                                    \
  library.impl("aten::" #OPERATOR "." #OVERLOAD,                                      \
               &Rehearsed<CastPolicy::POLICY, decltype(ATEN_FN2(OPERATOR, OVERLOAD)), \
                          decltype(ATEN_FN2(OPERATOR, OVERLOAD)), &ATEN_FN2(OPERATOR, OVERLOAD)>::call);
#define MANTISSA_CAST_OF(_1, _2, NAME, ...) NAME
#define MANTISSA_CAST(POLICY, ...) MANTISSA_CAST_OF(__VA_ARGS__, MANTISSA_CAST2, MANTISSA_CAST1, )(POLICY, __VA_ARGS__)

#define MANTISSA_LOWER_PRECISION(...) MANTISSA_CAST(lower_precision_fp, __VA_ARGS__)
#define MANTISSA_FP32(...) MANTISSA_CAST(fp32, __VA_ARGS__)
#define MANTISSA_FP32_SET_OPT_DTYPE(...) MANTISSA_CAST(fp32_set_opt_dtype, __VA_ARGS__)
#define MANTISSA_PROMOTE(...) MANTISSA_CAST(promote, __VA_ARGS__)
#define MANTISSA_DIFFERENT_SIGNATURE(FUNCTION, NAME, REGISTERED, REDISPATCH, POLICY) \
  library.impl("aten::" NAME, &Rehearsed<CastPolicy::POLICY, REGISTERED, REDISPATCH, &FUNCTION>::call);

// Kept for the life of the process: without the key in a thread's set it costs nothing.
void register_once() {
  static const torch::Library fallback = [] {
    torch::Library library(torch::Library::IMPL, "_", kRehearsal, __FILE__, __LINE__);
    library.fallback(torch::CppFunction::makeFallthrough());
    return library;
  }();
  static const torch::Library lists = [] {
    torch::Library library(torch::Library::IMPL, "aten", kRehearsal, __FILE__, __LINE__);
    AT_FORALL_LOWER_PRECISION_FP(MANTISSA_LOWER_PRECISION)
    AT_FORALL_FP32(MANTISSA_FP32)
    AT_FORALL_FP32_SET_OPT_DTYPE(MANTISSA_FP32_SET_OPT_DTYPE)
    AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(MANTISSA_DIFFERENT_SIGNATURE)
    AT_FORALL_PROMOTE(MANTISSA_PROMOTE)
    library.impl("aten::binary_cross_entropy", &refuse_binary_cross_entropy);
    return library;
  }();
}

}  // namespace

CudaCastScope::CudaCastScope()
    : without_cpu_list_(c10::DispatchKey::AutocastCPU),
      with_cuda_list_((register_once(), c10::DispatchKeySet(kRehearsal))),
      was_excluded_(c10::impl::tls_is_dispatch_key_excluded(kRehearsal)) {
  c10::impl::tls_set_dispatch_key_excluded(kRehearsal, false);
}

CudaCastScope::~CudaCastScope() { c10::impl::tls_set_dispatch_key_excluded(kRehearsal, was_excluded_); }

}  // namespace mantissa::precision
