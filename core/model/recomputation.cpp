// SPDX-License-Identifier: Apache-2.0
#include "core/model/recomputation.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include "core/base/error.h"
#include "core/model/random_stream.h"
#include "core/precision/forward_replay.h"

namespace mantissa::model {
namespace {

namespace autograd = torch::autograd;

/// Begins a backward pass with a gradient that nobody else holds: the pass frees it where it is done with it.
class Handover : public autograd::Node {
 public:
  /// \param nothing  what the pass is begun with in its place
  Handover(at::Tensor gradient, const autograd::Edge& to, const at::Tensor& nothing)
      : autograd::Node(autograd::edge_list{to}), gradient_(std::move(gradient)) {
    add_input_metadata(nothing);
  }

 private:
  autograd::variable_list apply(autograd::variable_list&& /*nothing*/) override {
    autograd::variable_list results(1);
    results.front() = std::move(gradient_);
    return results;
  }

  at::Tensor gradient_;
};

/// Stands in the graph for the whole block. Its inputs are the block's, then the block's parameters: so a block whose
/// inputs need no gradient has a place in the graph, too, and gradients reach parameters by the same way as ever.
class Recomputation : public autograd::Node {
 public:
  Recomputation(std::shared_ptr<const Block> block, const at::Tensor& inputs, bool draws)
      : autograd::Node(autograd::collect_next_edges(inputs, block->parameters)),
        block_(std::move(block)),
        inputs_(inputs, /*is_output=*/false),
        device_(inputs.device()),
        state_(precision::ForwardState::current(device_.type())) {
    if (draws) generator_state_ = RandomStream::current(device_);
  }

  std::string name() const override { return "BlockRecomputation"; }

  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    inputs_.reset_data();
  }

 private:
  autograd::variable_list apply(autograd::variable_list&& gradients) override {
    if (at::GradMode::is_enabled()) {
      throw Error(ErrorKind::NotYetAvailable, {"second derivatives of a block that is computed again in backward", "",
                                               0, 0, "training.activation_checkpointing", "blocks", "off", ""});
    }
    autograd::variable_list results(num_outputs());
    if (!gradients.front().defined()) return results;
    at::Tensor inputs;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      inputs = inputs_.unpack();
    }
    inputs = inputs.detach().requires_grad_(task_should_compute_output(0));
    // Neither the output nor its gradient is held here: what backward does not need is freed on the way, as ever.
    const autograd::Edge output = autograd::impl::gradient_edge(run_again(inputs));
    const std::vector<std::size_t> wanted = wanted_results();
    autograd::edge_list edges;
    for (const std::size_t result : wanted) {
      edges.push_back(autograd::impl::gradient_edge(result == 0 ? inputs : block_->parameters[result - 1]));
    }
    autograd::variable_list found = backward(output, std::move(gradients.front()), edges);
    for (std::size_t i = 0; i < wanted.size(); ++i) results[wanted[i]] = std::move(found[i]);
    return results;
  }

  at::Tensor run_again(const at::Tensor& inputs) const {
    const at::AutoGradMode with_gradients(true);
    std::optional<UntouchedGenerator> untouched;
    if (generator_state_.defined()) {
      untouched.emplace(device_);
      RandomStream::set(generator_state_, device_);
    }
    const precision::ForwardReplay replay(state_);
    return block_->run(inputs);
  }

  /// Places of the block's inputs and of the parameters whose gradients this backward pass is asked for.
  std::vector<std::size_t> wanted_results() const {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < num_outputs(); ++i) {
      if (task_should_compute_output(i)) wanted.push_back(i);
    }
    return wanted;
  }

  static autograd::variable_list backward(const autograd::Edge& output, at::Tensor gradient,
                                          const autograd::edge_list& edges) {
    const at::Tensor nothing = gradient.new_empty({0});
    const std::shared_ptr<autograd::Node> begin(new Handover(std::move(gradient), output, nothing),
                                                autograd::deleteNode);
    return autograd::Engine::get_default_engine().execute({autograd::Edge(begin, 0)}, {nothing},
                                                          /*keep_graph=*/false, /*create_graph=*/false,
                                                          /*accumulate_grad=*/false, edges);
  }

  std::shared_ptr<const Block> block_;
  autograd::SavedVariable inputs_;
  c10::Device device_;
  precision::ForwardState state_;
  at::Tensor generator_state_;  // as the first run found it; undefined where the block draws nothing
};

}  // namespace

at::Tensor run_recomputed(const std::shared_ptr<const Block>& block, const at::Tensor& inputs, bool draws) {
  if (!autograd::compute_requires_grad(inputs, block->parameters)) return block->run(inputs);
  const std::shared_ptr<autograd::Node> node(new Recomputation(block, inputs, draws), autograd::deleteNode);
  at::Tensor output;
  {
    const at::NoGradGuard no_graph;
    // A copy of a weight that is made here leads to no gradient: it must serve nobody else.
    const precision::CastCacheSetting no_cache(false);
    output = block->run(inputs).variable_data();  // as detach(), which observers would see
  }
  autograd::set_history(output, node);
  return output;
}

}  // namespace mantissa::model
