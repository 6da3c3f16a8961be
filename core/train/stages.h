// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "core/train/arm.h"

namespace mantissa::train {

/// One attempted step, as stages that each do one thing. Their order is the order of one update (clip on true
/// gradients, step through the scaler, schedule on applied updates); tests put the same stages into faulty orders.
///
/// zero_gradients → forward_backward → unscale → check_finite → clip → apply_updates → update_scale
///
/// With several optimizers each has its own finite check, norm, clipping, refusal, learning rate and update; the loss
/// scale is one, and is updated once. An optimizer whose update is refused does not keep the others from theirs.

struct StageOptions {
  bool measure_norms = true;             ///< norms that the step itself does not need
  std::function<bool()> stop_requested;  ///< asked after every microbatch; empty: never
};

/// Thrown out of a step that was asked to stop between microbatches. Nothing of that step was applied.
struct StopRequested {};

using Stage = void (*)(Arm&, const Window&, Attempt&, const StageOptions&);

void zero_gradients(Arm&, const Window&, Attempt&, const StageOptions&);

/// Per microbatch: autocast(forward + loss), then backward of the scaled loss outside autocast. The loss of each
/// microbatch is divided by the window's real number of microbatches.
void forward_backward(Arm&, const Window&, Attempt&, const StageOptions&);

/// Through the scaler where there is one: true gradients from here on. Notes which optimizers found non-finite ones.
void unscale(Arm&, const Window&, Attempt&, const StageOptions&);

/// Looks at the true gradients: norm, non-finite ones and their cause. A gradient that was finite before unscaling and
/// is not after it means that the scale is too small: that fails the arm. So does the first non-finite value of a kind
/// that `stop_on` names, and without a scaler a non-finite gradient under `on_non_finite = stop`.
///
/// Then the rule: an optimizer whose norm is not at most `skip_norm` is refused its update with the cause `rule`. The
/// scaler is not told. Where the gradients are finite it counts a clean step and may grow.
void check_finite(Arm&, const Window&, Attempt&, const StageOptions&);

/// Clips each optimizer's gradients to its clip_norm as torch.nn.utils.clip_grad_norm_ does, unless it skips.
///
/// One difference: where the FP32 norm of finite gradients overflows, PyTorch silently makes every gradient zero; here
/// the norm is then taken in FP64, and a note says so.
void clip(Arm&, const Window&, Attempt&, const StageOptions&);

/// Steps every optimizer that may step, and its schedule with it. A kind that evaluates the loss again within its step
/// (LBFGS) does so on the same window; `iterations` counts the microbatches of every evaluation, `samples` those of the
/// first. An evaluation that is non-finite undoes the step and is a non-finite gradient like any other.
void apply_updates(Arm&, const Window&, Attempt&, const StageOptions&);

/// Moves the loss scale by the finite checks alone, and does what the policy asks for where an overflow found it at its
/// floor (at_floor.h).
void update_scale(Arm&, const Window&, Attempt&, const StageOptions&);

/// The stages up to true, checked gradients, and those after them. Between the two halves all arms hold their
/// gradients: that is where they are compared.
const std::vector<Stage>& gradient_stages();
const std::vector<Stage>& update_stages();

/// Runs stages in order until one fails the arm. Whatever the model throws becomes the arm's failure.
/// \throws StopRequested
void run_stages(const std::vector<Stage>& stages, Arm& arm, const Window& window, Attempt& attempt,
                const StageOptions& options);

}  // namespace mantissa::train
