// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The columns of a step record, declared once. The struct (step_record.h), the SQL table, CSV, JSON and table models
/// are all made from this list, in this order, which is the order of `mantissa-cli export steps`.
///
/// X(name, type, description); types:
///   Count  std::int64_t, always there          Flag  bool, always there
///   Cause  SkipCause, always there             Text  std::string, empty where there is none
///   Real   std::optional<double>, nothing where it was not measured; NaN and infinities are values
///   OptionalCount  std::optional<std::int64_t>, nothing where there is none or it was not measured
#define MANTISSA_STEP_COLUMNS(X)                                                                                     \
  X(step, Count, "attempted step, from 1")                                                                           \
  X(iteration, Count, "microbatches done, this step's included")                                                     \
  X(applied_updates, Count, "optimizer updates applied so far, this step's included")                                \
  X(samples, Count, "samples seen, this step's included")                                                            \
  X(epoch, Count, "epoch of this step's last microbatch, from 1")                                                    \
  X(wall_seconds, Real, "seconds since the run's first step began")                                                  \
  X(loss, Real, "mean of the window's microbatch losses, unscaled")                                                  \
  X(loss_reference, Real, "the reference's loss on the same window")                                                 \
  X(scale_before, Real, "loss scale used in this step")                                                              \
  X(scale_after, Real, "loss scale after the update")                                                                \
  X(growth_tracker, Count, "clean steps since the scale last changed, after the update")                             \
  X(skipped, Flag, "the optimizer update was refused")                                                               \
  X(skip_cause, Cause, "why it was refused")                                                                         \
  X(overflow_optimizer, OptionalCount, "index of the first optimizer with a non-finite gradient")                    \
  X(overflow_parameter, Text, "first parameter with a non-finite gradient")                                          \
  X(lr, Real, "learning rate of this step; of the first optimizer where there are several")                          \
  X(grad_norm_scaled, Real, "gradient 2-norm before unscaling")                                                      \
  X(grad_norm, Real, "gradient 2-norm after unscaling, before clipping")                                             \
  X(grad_norm_clipped, Real, "gradient 2-norm after clipping")                                                       \
  X(clipped, Flag, "clipping changed the gradients")                                                                 \
  X(weight_change, Real, "2-norm of the update of all parameters; every tenth step and the last")                    \
  X(live_bytes, OptionalCount, "tensor memory alive after the step")                                                 \
  X(peak_bytes, OptionalCount, "most tensor memory alive within the step")                                           \
  X(step_seconds, Real, "duration of this arm's step")                                                               \
  X(deviation_output_max, Real, "trajectory: largest |output - reference output|")                                   \
  X(deviation_output_rmse, Real, "trajectory: root mean square of the output difference")                            \
  X(deviation_output_relative, Real, "trajectory: 2-norm of the output difference / 2-norm of the reference output") \
  X(deviation_output_cosine, Real, "trajectory: cosine between outputs")                                             \
  X(deviation_output_ulp, Real, "trajectory: largest output difference in FP32 units in the last place")             \
  X(deviation_loss, Real, "trajectory: loss - loss_reference")                                                       \
  X(deviation_gradient_relative, Real, "trajectory: 2-norm of the gradient difference / of the reference gradient")  \
  X(deviation_gradient_cosine, Real, "trajectory: cosine between gradients")                                         \
  X(deviation_weight_relative, Real, "trajectory: 2-norm of the weight difference / of the reference weights")       \
  X(shadow_output_max, Real, "shadow: largest |output - reference output|")                                          \
  X(shadow_output_rmse, Real, "shadow: root mean square of the output difference")                                   \
  X(shadow_output_relative, Real, "shadow: 2-norm of the output difference / 2-norm of the reference output")        \
  X(shadow_output_cosine, Real, "shadow: cosine between outputs")                                                    \
  X(shadow_output_ulp, Real, "shadow: largest output difference in FP32 units in the last place")                    \
  X(shadow_loss, Real, "shadow: loss - loss_reference")                                                              \
  X(shadow_gradient_relative, Real, "shadow: 2-norm of the gradient difference / of the reference gradient")         \
  X(shadow_gradient_cosine, Real, "shadow: cosine between gradients")                                                \
  X(shadow_weight_relative, Real, "shadow: always empty, the weights are the reference's")                           \
  X(largest_finite_gradient, Real, "skipped step: largest finite |gradient|, still scaled, of overflow_optimizer")

/// What a step has for each optimizer where an arm has several: exported as `column[index]`, and in a table of its own
/// in the archive. Types as above. The columns without an index then are: `skipped` any optimizer's, `applied_updates`
/// the steps at which all applied, `clipped` any, norms over all optimizers' gradients together, `lr` the first one's,
/// and `skip_cause`, `overflow_parameter`, `largest_finite_gradient` those of `overflow_optimizer` (`skip_cause` of the
/// first skipped one where no gradient was non-finite).
#define MANTISSA_OPTIMIZER_COLUMNS(X)                                                         \
  X(applied_updates, Count, "updates of this optimizer applied so far, this step's included") \
  X(skipped, Flag, "the update of this optimizer was refused")                                \
  X(skip_cause, Cause, "why it was refused")                                                  \
  X(overflow_parameter, Text, "its first parameter with a non-finite gradient")               \
  X(lr, Real, "its learning rate in this step")                                               \
  X(grad_norm_scaled, Real, "2-norm of its gradients before unscaling")                       \
  X(grad_norm, Real, "2-norm of its gradients after unscaling, before clipping")              \
  X(grad_norm_clipped, Real, "2-norm of its gradients after clipping")                        \
  X(clipped, Flag, "clipping changed its gradients")                                          \
  X(largest_finite_gradient, Real, "skipped step: its largest finite |gradient|, still scaled")
