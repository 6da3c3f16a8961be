// SPDX-License-Identifier: Apache-2.0
#include "core/session/logistic_regression.h"

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

namespace mantissa::session {
namespace {

constexpr int kMostIterations = 2000;
constexpr std::size_t kHistory = 20;       // pairs that the curvature is known from
constexpr double kEnoughDescent = 1e-4;    // Armijo's condition, the usual share
constexpr double kTolerancePerRow = 1e-8;  // of the largest element of the gradient

double product_of(const at::Tensor& one, const at::Tensor& other) { return one.mul(other).sum().item<double>(); }

/// The loss and its gradient over one matrix of parameters: the weights and, as its last row, the intercepts.
class Objective {
 public:
  Objective(at::Tensor inputs, at::Tensor targets, bool exclusive)
      : inputs_(std::move(inputs)), targets_(std::move(targets)), exclusive_(exclusive) {}

  double value(const at::Tensor& parameters, at::Tensor& gradient) const {
    const std::int64_t columns = inputs_.size(1);
    const at::Tensor weights = parameters.narrow(0, 0, columns);
    const at::Tensor logits = at::mm(inputs_, weights) + parameters.narrow(0, columns, 1);
    at::Tensor probabilities;
    double loss = 0.0;
    if (exclusive_) {
      const at::Tensor logarithms = at::log_softmax(logits, 1);
      loss = -logarithms.mul(targets_).sum().item<double>();
      probabilities = logarithms.exp();
    } else {
      // log(1 + e^z) - y z, in the form that does not overflow
      loss = (logits.clamp_min(0.0) - logits * targets_ + logits.abs().neg().exp().log1p()).sum().item<double>();
      probabilities = logits.sigmoid();
    }
    const at::Tensor difference = probabilities - targets_;
    gradient = at::cat({at::mm(inputs_.t(), difference) + weights, difference.sum(0, /*keepdim=*/true)});
    return loss + 0.5 * product_of(weights, weights);
  }

 private:
  at::Tensor inputs_, targets_;
  bool exclusive_;
};

/// The directions of L-BFGS (J. Nocedal, "Updating quasi-Newton matrices with limited storage", 1980).
class Curvature {
 public:
  at::Tensor direction(const at::Tensor& gradient) const {
    at::Tensor result = gradient.clone();
    std::vector<double> shares(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      const Pair& pair = pairs_[i];
      shares[i] = product_of(pair.step, result) / pair.product;
      result -= pair.change * shares[i];
    }
    if (!pairs_.empty()) result *= pairs_.back().product / product_of(pairs_.back().change, pairs_.back().change);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      result += pair.step * (shares[i] - product_of(pair.change, result) / pair.product);
    }
    return result.neg();
  }

  void add(at::Tensor step, at::Tensor change) {
    const double product = product_of(step, change);
    if (!(product > 0.0)) return;  // lost to rounding, near the minimum
    pairs_.push_back({std::move(step), std::move(change), product});
    if (pairs_.size() > kHistory) pairs_.pop_front();
  }

  bool is_empty() const { return pairs_.empty(); }

 private:
  struct Pair {
    at::Tensor step, change;
    double product;
  };
  std::deque<Pair> pairs_;
};

}  // namespace

at::Tensor LogisticFit::logits(const at::Tensor& inputs) const {
  return at::mm((inputs - mean) / scale, weights) + intercepts;
}

LogisticFit fit_logistic(const at::Tensor& inputs, const at::Tensor& targets, bool exclusive) {
  LogisticFit fit;
  fit.mean = inputs.mean(0);
  fit.scale = inputs.std(0, /*unbiased=*/false);
  fit.scale = at::where(fit.scale > 0.0, fit.scale, at::ones_like(fit.scale));
  const Objective objective((inputs - fit.mean) / fit.scale, targets, exclusive);
  const std::int64_t columns = inputs.size(1);
  at::Tensor parameters = at::zeros({columns + 1, targets.size(1)}, at::TensorOptions(at::kDouble));
  at::Tensor gradient;
  double value = objective.value(parameters, gradient);
  const double tolerance = kTolerancePerRow * static_cast<double>(inputs.size(0));
  Curvature curvature;
  fit.converged = false;
  for (int iteration = 0; iteration < kMostIterations && !fit.converged; ++iteration) {
    if (gradient.abs().max().item<double>() <= tolerance) {
      fit.converged = true;
      break;
    }
    const at::Tensor direction = curvature.direction(gradient);
    const double slope = product_of(gradient, direction);
    double length = curvature.is_empty() ? 1.0 / gradient.norm().item<double>() : 1.0;
    at::Tensor next;
    at::Tensor next_gradient;
    double next_value = 0.0;
    bool found = false;
    for (int halving = 0; halving < 40 && !found; ++halving, length *= 0.5) {
      next = parameters + direction * length;
      next_value = objective.value(next, next_gradient);
      found = next_value <= value + kEnoughDescent * length * slope;
    }
    if (!found) break;  // no lower value can be told from this one
    curvature.add(next - parameters, next_gradient - gradient);
    parameters = next;
    gradient = next_gradient;
    value = next_value;
  }
  fit.weights = parameters.narrow(0, 0, columns);
  fit.intercepts = parameters.select(0, columns);
  return fit;
}

}  // namespace mantissa::session
