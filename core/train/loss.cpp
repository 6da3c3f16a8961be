// SPDX-License-Identifier: Apache-2.0
#include "core/train/loss.h"

#include <string>

#include <ATen/ATen.h>

#include "core/base/error.h"
#include "core/base/text_list.h"

namespace mantissa::train {

LossFunction::LossFunction(const spec::Training& training)
    : loss_(training.loss.value()),
      reduction_(training.reduction == spec::Reduction::Mean ? at::Reduction::Mean : at::Reduction::Sum),
      ignore_index_(training.ignore_index) {}

at::Tensor LossFunction::operator()(const at::Tensor& output, const at::Tensor& targets) const {
  if (loss_ == spec::Loss::CrossEntropy || loss_ == spec::Loss::Nll) {
    if (targets.dim() == 2 && output.dim() == 3) return by_class(output.flatten(0, 1), targets.flatten());
    return by_class(output, targets);
  }

  const at::Tensor shaped = output.dim() == 1 && targets.dim() == 2 ? output.unsqueeze(1) : output;
  if (shaped.sizes() != targets.sizes()) {
    throw Error(ErrorKind::DataProblem, {"the model's output and the targets have other shapes", "", 0, 0, "model",
                                         shape_text(output.sizes().vec()), shape_text(targets.sizes().vec()),
                                         "Give the model as many outputs as there are target columns"});
  }
  switch (loss_) {
    case spec::Loss::Mse:
      return at::mse_loss(shaped, targets, reduction_);
    case spec::Loss::L1:
      return at::l1_loss(shaped, targets, reduction_);
    case spec::Loss::Huber:
      return at::huber_loss(shaped, targets, reduction_);
    case spec::Loss::Bce:
      return at::binary_cross_entropy(shaped, targets, {}, reduction_);
    default:
      return at::binary_cross_entropy_with_logits(shaped, targets, {}, {}, reduction_);
  }
}

at::Tensor LossFunction::by_class(const at::Tensor& output, const at::Tensor& targets) const {
  if (loss_ == spec::Loss::Nll) return at::nll_loss(output, targets, {}, reduction_, ignore_index_);
  return at::cross_entropy_loss(output, targets, {}, reduction_, ignore_index_);
}

}  // namespace mantissa::train
