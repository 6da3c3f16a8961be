// SPDX-License-Identifier: Apache-2.0
#include "core/train/lbfgs.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/base/error.h"
#include "core/train/optimizer_state.h"
#include "core/train/python_number.h"

namespace mantissa::train {
namespace {

using Number = PythonNumber;

/// A place on the line that is searched: how far along the direction, with loss, gradient and slope there.
struct Point {
  Number distance = 0.0;
  double loss = 0.0;
  at::Tensor gradient;
  Number slope = 0.0;
};

/// The minimum of the cubic through two points with their slopes, within bounds (default: between the points).
Number cubic_minimum(const Point& one, const Point& two, const std::optional<std::pair<Number, Number>>& bounds = {}) {
  const Number x1 = one.distance;
  const Number x2 = two.distance;
  const Number lower = bounds ? bounds->first : x1 <= x2 ? x1 : x2;
  const Number upper = bounds ? bounds->second : x1 <= x2 ? x2 : x1;
  const Number g1 = one.slope;
  const Number g2 = two.slope;
  const Number d1 = g1 + g2 - Number(3 * (one.loss - two.loss)) / (x1 - x2);
  const Number d2_square = d1 * d1 - g1 * g2;
  if (!(d2_square >= 0.0)) return (lower + upper) / 2.0;
  const Number d2 = sqrt(d2_square);
  const Number minimum = x1 <= x2 ? x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + Number(2.0) * d2))
                                  : x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + Number(2.0) * d2));
  return min(max(minimum, lower), upper);
}

class Lbfgs : public Optimizer {
 public:
  Lbfgs(const spec::Optimizer& settings, std::vector<at::Tensor> parameters)
      : Optimizer(std::move(parameters)), settings_(settings) {
    learning_rate_ = settings.lr;
  }

  void step() override {
    throw Error(ErrorKind::CallOrder,
                {"LBFGS evaluates the loss within its step", "", 0, 0, "LBFGS", "a step alone", "step_with_loss", ""});
  }

  void step_with_loss(double loss, const Evaluate& evaluate) override {
    const at::NoGradGuard no_grad;
    const std::vector<at::Tensor> weights = copies_of_parameters();
    Memory memory = memory_;  // shares its tensors: none of them is changed in place
    try {
      follow_directions(loss, evaluate);
    } catch (...) {
      put_back(weights);
      memory_ = std::move(memory);
      throw;
    }
  }

  OptimizerState state_dict() const override;
  void load_state_dict(const OptimizerState& state) override;

 private:
  /// What a step leaves to the next.
  struct Memory {
    std::int64_t directions = 0;                               // followed so far (n_iter)
    std::int64_t evaluations = 0;                              // of the loss so far (func_evals)
    at::Tensor direction;                                      // the last one (d)
    Number distance = 0.0;                                     // along it (t)
    std::vector<at::Tensor> gradient_changes, weight_changes;  // old_dirs, old_stps
    std::vector<at::Tensor> inverse_curvatures;                // ro
    at::Tensor inverse_hessian;                                // H_diag; undefined: 1
    at::Tensor last_gradient;                                  // prev_flat_grad
    double last_loss = 0.0;
  };

  std::vector<at::Tensor> copies_of_parameters() const {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& parameter : parameters_) {
      copies.push_back(parameter.clone(at::MemoryFormat::Contiguous));
    }
    return copies;
  }

  void put_back(const std::vector<at::Tensor>& weights) {
    for (std::size_t i = 0; i < weights.size(); ++i) parameters_[i].copy_(weights[i]);
  }

  at::Tensor flat_gradient() const {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : parameters_) {
      const at::Tensor& gradient = parameter.grad();
      parts.push_back(gradient.defined() ? gradient.reshape(-1) : at::zeros({parameter.numel()}, parameter.options()));
    }
    return at::cat(parts, 0);
  }

  void move(Number distance, const at::Tensor& direction) {
    std::int64_t begin = 0;
    for (at::Tensor& parameter : parameters_) {
      const std::int64_t length = parameter.numel();
      parameter.add_(direction.narrow(0, begin, length).view_as(parameter), distance.value());
      begin += length;
    }
  }

  bool is_flat(const at::Tensor& gradient) const { return Number(gradient.abs().max()) <= settings_.tolerance_grad; }

  double evaluated(const Evaluate& evaluate) {
    const at::AutoGradMode with_gradients(true);
    return evaluate();
  }

  void follow_directions(double loss, const Evaluate& evaluate);
  void remember(const at::Tensor& gradient);
  at::Tensor next_direction(const at::Tensor& gradient) const;
  Point point_at(Number distance, const std::vector<at::Tensor>& weights, const Evaluate& evaluate);
  Point search(const Point& start, Number first_distance, std::int64_t most_evaluations, const Evaluate& evaluate,
               std::int64_t& evaluations);

  spec::Optimizer settings_;
  Memory memory_;
};

void Lbfgs::follow_directions(double loss, const Evaluate& evaluate) {
  Memory& memory = memory_;
  std::int64_t evaluations = 1;  // the one that brought `loss`
  ++memory.evaluations;
  at::Tensor gradient = flat_gradient();
  if (is_flat(gradient)) return;

  for (std::int64_t n = 1; n <= settings_.max_iter; ++n) {
    ++memory.directions;
    if (memory.directions == 1) {
      memory.direction = gradient.neg();
      memory.gradient_changes.clear();
      memory.weight_changes.clear();
      memory.inverse_curvatures.clear();
      memory.inverse_hessian = at::Tensor();
    } else {
      remember(gradient);
      memory.direction = next_direction(gradient);
    }
    memory.last_gradient = gradient.clone(at::MemoryFormat::Contiguous);
    memory.last_loss = loss;

    memory.distance = learning_rate_;
    if (memory.directions == 1) {
      memory.distance = min(Number(1.0), Number(1.0) / Number(gradient.abs().sum())) * Number(learning_rate_);
    }
    const Number slope(gradient.dot(memory.direction));
    if (slope > -settings_.tolerance_change) break;

    bool flat = false;
    std::int64_t of_this_direction = 0;
    if (settings_.strong_wolfe) {
      const Point found = search({0.0, loss, gradient, slope}, memory.distance, settings_.max_eval - evaluations,
                                 evaluate, of_this_direction);
      loss = found.loss;
      gradient = found.gradient;
      memory.distance = found.distance;
      move(memory.distance, memory.direction);
      flat = is_flat(gradient);
    } else {
      move(memory.distance, memory.direction);
      if (n != settings_.max_iter) {
        loss = evaluated(evaluate);
        gradient = flat_gradient();
        flat = is_flat(gradient);
        of_this_direction = 1;
      }
    }
    evaluations += of_this_direction;
    memory.evaluations += of_this_direction;

    if (n == settings_.max_iter || evaluations >= settings_.max_eval || flat) break;
    const Number largest_move(memory.direction.mul(memory.distance.value()).abs().max());
    if (largest_move <= settings_.tolerance_change) break;
    if (std::abs(loss - memory.last_loss) < settings_.tolerance_change) break;
  }
}

/// Takes what the last direction showed of the curvature into the memory.
void Lbfgs::remember(const at::Tensor& gradient) {
  const at::Tensor change = gradient.sub(memory_.last_gradient);
  const at::Tensor move = memory_.direction.mul(memory_.distance.value());
  const at::Tensor curvature = change.dot(move);
  if (!(Number(curvature) > 1e-10)) return;
  if (static_cast<std::int64_t>(memory_.gradient_changes.size()) == settings_.history_size) {
    memory_.gradient_changes.erase(memory_.gradient_changes.begin());
    memory_.weight_changes.erase(memory_.weight_changes.begin());
    memory_.inverse_curvatures.erase(memory_.inverse_curvatures.begin());
  }
  memory_.gradient_changes.push_back(change);
  memory_.weight_changes.push_back(move);
  memory_.inverse_curvatures.push_back(curvature.reciprocal());
  memory_.inverse_hessian = curvature.div(change.dot(change));
}

/// The two loops of the recursion: minus the approximate inverse Hessian times the gradient.
at::Tensor Lbfgs::next_direction(const at::Tensor& gradient) const {
  const std::size_t remembered = memory_.gradient_changes.size();
  std::vector<at::Tensor> shares(remembered);
  at::Tensor direction = gradient.neg();
  for (std::size_t i = remembered; i-- > 0;) {
    shares[i] = memory_.weight_changes[i].dot(direction).mul(memory_.inverse_curvatures[i]);
    direction.add_(memory_.gradient_changes[i], shares[i].neg().item());
  }
  direction = memory_.inverse_hessian.defined() ? direction.mul(memory_.inverse_hessian) : direction.mul(1);
  for (std::size_t i = 0; i < remembered; ++i) {
    const at::Tensor back = memory_.gradient_changes[i].dot(direction).mul(memory_.inverse_curvatures[i]);
    direction.add_(memory_.weight_changes[i], shares[i].sub(back).item());
  }
  return direction;
}

/// Loss, gradient and slope at a distance along the direction; the weights are put back.
Point Lbfgs::point_at(Number distance, const std::vector<at::Tensor>& weights, const Evaluate& evaluate) {
  move(distance, memory_.direction);
  Point point;
  point.distance = distance;
  point.loss = evaluated(evaluate);
  point.gradient = flat_gradient();
  put_back(weights);
  point.slope = Number(point.gradient.dot(memory_.direction));
  return point;
}

/// The line search `_strong_wolfe` of torch.optim.lbfgs: bracket a point that meets the strong Wolfe conditions, then
/// narrow the bracket.
Point Lbfgs::search(const Point& start, Number first_distance, std::int64_t most_evaluations, const Evaluate& evaluate,
                    std::int64_t& evaluations) {
  constexpr double kSufficientDecrease = 1e-4;
  constexpr double kCurvature = 0.9;
  const std::vector<at::Tensor> weights = copies_of_parameters();
  const Number largest_component(memory_.direction.abs().max());
  const Number steep = Number(-kCurvature) * start.slope;
  const auto above_line = [&start](const Point& point) {
    return Number(point.loss) > Number(start.loss) + Number(kSufficientDecrease) * point.distance * start.slope;
  };

  Point point = point_at(first_distance, weights, evaluate);
  evaluations = 1;
  Point previous = start;
  std::vector<Point> bracket;
  bool done = false;
  std::int64_t searched = 0;
  while (searched < most_evaluations) {
    if (above_line(point) || (searched > 1 && point.loss >= previous.loss)) {
      bracket = {previous, point};
      break;
    }
    if (abs(point.slope) <= steep) {
      bracket = {point};
      done = true;
      break;
    }
    if (point.slope >= 0.0) {
      bracket = {previous, point};
      break;
    }
    const Number least = point.distance + Number(0.01) * (point.distance - previous.distance);
    const Number distance = cubic_minimum(previous, point, std::pair(least, point.distance * Number(10.0)));
    previous = point;
    point = point_at(distance, weights, evaluate);
    ++evaluations;
    ++searched;
  }
  if (searched == most_evaluations || bracket.empty()) bracket = {start, point};

  bool little_progress = false;
  std::size_t low = bracket.front().loss <= bracket.back().loss ? 0 : bracket.size() - 1;
  while (!done && searched < most_evaluations) {
    const std::size_t high = 1 - low;
    const Number first = bracket[0].distance;
    const Number second = bracket[1].distance;
    if (abs(second - first) * largest_component < settings_.tolerance_change) break;

    Number distance = cubic_minimum(bracket[0], bracket[1]);
    // A point close to an end of the bracket, twice in a row or at the very end, moves a tenth of it inwards.
    const Number far = max(first, second);
    const Number near = min(first, second);
    const Number tenth = Number(0.1) * (far - near);
    if (min(far - distance, distance - near) < tenth) {
      if (little_progress || distance >= far || distance <= near) {
        distance = abs(distance - far) < abs(distance - near) ? far - tenth : near + tenth;
        little_progress = false;
      } else {
        little_progress = true;
      }
    } else {
      little_progress = false;
    }

    point = point_at(distance, weights, evaluate);
    ++evaluations;
    ++searched;
    if (above_line(point) || point.loss >= bracket[low].loss) {
      bracket[high] = point;
      low = bracket[0].loss <= bracket[1].loss ? 0 : 1;
    } else {
      if (abs(point.slope) <= steep) {
        done = true;
      } else if (point.slope * (bracket[high].distance - bracket[low].distance) >= 0.0) {
        bracket[high] = bracket[low];
      }
      bracket[low] = point;
    }
  }
  return bracket[low];
}

OptimizerState Lbfgs::state_dict() const {
  OptimizerState state;
  const Memory& memory = memory_;
  state.numbers = {{"func_evals", static_cast<double>(memory.evaluations)},
                   {"n_iter", static_cast<double>(memory.directions)},
                   {"t", memory.distance.value()},
                   {"prev_loss", memory.last_loss},
                   {"history", static_cast<double>(memory.gradient_changes.size())}};
  const auto add = [&state](const std::string& name, const at::Tensor& tensor) {
    if (tensor.defined()) state.tensors.emplace_back(name, tensor);
  };
  add("d", memory.direction);
  add("prev_flat_grad", memory.last_gradient);
  add("H_diag", memory.inverse_hessian);
  for (std::size_t i = 0; i < memory.gradient_changes.size(); ++i) {
    const std::string index = '.' + std::to_string(i);
    add("old_dirs" + index, memory.gradient_changes[i]);
    add("old_stps" + index, memory.weight_changes[i]);
    add("ro" + index, memory.inverse_curvatures[i]);
  }
  return state;
}

void Lbfgs::load_state_dict(const OptimizerState& state) {
  StateReader reader(state);
  Memory memory;
  const auto whole = [&reader](const std::string& name) {
    const std::optional<double> value = reader.number(name);
    if (!value) StateReader::refuse(name, "nothing", "a number");
    return *value;
  };
  memory.evaluations = static_cast<std::int64_t>(whole("func_evals"));
  memory.directions = static_cast<std::int64_t>(whole("n_iter"));
  memory.distance = whole("t");
  memory.last_loss = whole("prev_loss");
  const auto history = static_cast<std::int64_t>(whole("history"));
  if (history < 0 || history > settings_.history_size) {
    StateReader::refuse("history", std::to_string(history), "at most " + std::to_string(settings_.history_size));
  }
  std::int64_t elements = 0;
  for (const at::Tensor& parameter : parameters_) elements += parameter.numel();
  const at::Tensor vector = at::empty({elements}, parameters_.front().options());
  const at::Tensor scalar = at::empty({}, parameters_.front().options());
  const auto required = [&reader](const std::string& name, const at::Tensor& like) {
    at::Tensor tensor = reader.tensor(name, like);
    if (!tensor.defined()) StateReader::refuse(name, "nothing", "a tensor");
    return tensor;
  };
  if (memory.directions > 0) {
    memory.direction = required("d", vector);
    memory.last_gradient = required("prev_flat_grad", vector);
    memory.inverse_hessian = reader.tensor("H_diag", scalar);
  }
  for (std::int64_t i = 0; i < history; ++i) {
    const std::string index = '.' + std::to_string(i);
    memory.gradient_changes.push_back(required("old_dirs" + index, vector));
    memory.weight_changes.push_back(required("old_stps" + index, vector));
    memory.inverse_curvatures.push_back(required("ro" + index, scalar));
  }
  reader.finish();
  memory_ = std::move(memory);
}

}  // namespace

std::unique_ptr<Optimizer> make_lbfgs(const spec::Optimizer& settings, std::vector<at::Tensor> parameters) {
  return std::make_unique<Lbfgs>(settings, std::move(parameters));
}

}  // namespace mantissa::train
