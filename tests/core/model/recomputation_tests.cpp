// SPDX-License-Identifier: Apache-2.0
// Blocks that backward computes again: every bit as without, seen once by observers, and safe where it fails.
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <QTest>

#include "core/base/error.h"
#include "core/model/network.h"
#include "core/model/random_stream.h"
#include "core/model/recomputation.h"
#include "core/precision/cast_map.h"
#include "core/precision/forward_replay.h"

using namespace mantissa;

namespace {

struct Kind {
  const char* name;
  spec::ModelKind kind;
  spec::Attention attention = spec::Attention::Sdpa;
  double dropout = 0.0;
};

const Kind kinds[] = {
    {"mlp with dropout", spec::ModelKind::Mlp, {}, 0.25},
    {"cnn with dropout", spec::ModelKind::Cnn, {}, 0.25},
    {"resnet", spec::ModelKind::Resnet},
    {"transformer", spec::ModelKind::Transformer},
    {"transformer with dropout", spec::ModelKind::Transformer, spec::Attention::Sdpa, 0.25},
    {"transformer whose attention is written out, with dropout", spec::ModelKind::Transformer, spec::Attention::Own,
     0.25},
};

std::unique_ptr<model::Network> network_of(const Kind& kind) {
  spec::Model settings;
  settings.kind = kind.kind;
  settings.hidden = {12, 10, 8, 6, 6};
  settings.activation = spec::Activation::Gelu;
  settings.channels = {3, 4};
  settings.depth = 8;
  settings.width = kind.kind == spec::ModelKind::Transformer ? 8 : 4;
  settings.layers = 2;
  settings.heads = 2;
  settings.attention = kind.attention;
  settings.dropout = kind.dropout;
  switch (kind.kind) {
    case spec::ModelKind::Mlp:
      return model::build(settings, {7}, 3, 5);
    case spec::ModelKind::Transformer:
      return model::build(settings, {6}, 11, 5, at::kLong);
    default:
      return model::build(settings, {2, 12, 12}, 3, 5);
  }
}

at::Tensor inputs_of(const Kind& kind, std::uint64_t seed) {
  at::manual_seed(seed);
  if (kind.kind == spec::ModelKind::Mlp) return at::randn({9, 7});
  if (kind.kind == spec::ModelKind::Transformer) return at::randint(11, {4, 6}, at::kLong);
  return at::randn({5, 2, 12, 12});
}

precision::Policy policy_of(std::optional<c10::ScalarType> dtype, const std::string& casts = "device") {
  precision::Policy policy;
  policy.autocast = dtype;
  policy.cast_policy = casts;
  return policy;
}

/// All that two microbatches leave behind.
struct Left {
  std::vector<at::Tensor> outputs;
  std::vector<model::NamedTensor> gradients;
  std::vector<model::NamedTensor> buffers;
  at::Tensor generator;
};

Left two_microbatches(const Kind& kind, const precision::Policy& policy, bool recompute) {
  const std::unique_ptr<model::Network> network = network_of(kind);
  network->set_training(true);
  network->recompute_blocks(recompute);
  Left left;
  for (const std::uint64_t seed : {21U, 22U}) {
    const at::Tensor inputs = inputs_of(kind, seed);
    at::Tensor loss;
    {
      const precision::ForwardScope scope(policy, c10::kCPU);
      const at::Tensor output = network->forward(inputs);
      left.outputs.push_back(output.detach());
      loss = output.to(at::kFloat).square().mean();
    }
    loss.backward();
  }
  for (const model::NamedTensor& parameter : network->parameters()) {
    left.gradients.push_back({parameter.name, parameter.tensor.grad()});
  }
  left.buffers = network->buffers();
  left.generator = model::RandomStream::current(c10::kCPU);
  return left;
}

/// The name of the first tensor that differs; empty: every bit is equal.
std::string difference(const std::vector<model::NamedTensor>& expected, const std::vector<model::NamedTensor>& found) {
  if (expected.size() != found.size()) return "their number";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].tensor.defined() || !expected[i].tensor.equal(found[i].tensor)) return expected[i].name;
  }
  return {};
}

void check_equal(const Kind& kind, const precision::Policy& policy) {
  const Left expected = two_microbatches(kind, policy, false);
  const Left found = two_microbatches(kind, policy, true);
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) QVERIFY(expected.outputs[i].equal(found.outputs[i]));
  QCOMPARE(QString::fromStdString(difference(expected.gradients, found.gradients)), QString());
  QCOMPARE(QString::fromStdString(difference(expected.buffers, found.buffers)), QString());
  QVERIFY(expected.generator.equal(found.generator));
}

using Run = std::function<at::Tensor(const at::Tensor&)>;

/// y = run(x) as a block of one parameter.
std::shared_ptr<const model::Block> block_of(Run run, std::vector<at::Tensor> parameters = {}) {
  auto block = std::make_shared<model::Block>();
  block->run = std::move(run);
  block->parameters = std::move(parameters);
  return block;
}

/// Whether a block on the way to this tensor is computed again.
bool recomputes(const at::Tensor& tensor) {
  std::vector<std::shared_ptr<torch::autograd::Node>> left{tensor.grad_fn()};
  while (!left.empty()) {
    const std::shared_ptr<torch::autograd::Node> node = left.back();
    left.pop_back();
    if (node == nullptr) continue;
    if (node->name() == "BlockRecomputation") return true;
    for (const torch::autograd::Edge& edge : node->next_edges()) left.push_back(edge.function);
  }
  return false;
}

class Counter : public precision::OperatorObserver {
 public:
  void before(precision::OperatorCall& call) override { calls.emplace_back(call.name()); }
  std::vector<std::string> calls;
};

}  // namespace

class RecomputationTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void outputs_gradients_buffers_and_random_numbers_are_the_same_to_the_bit_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("dtype");
    for (int kind = 0; kind < static_cast<int>(std::size(kinds)); ++kind) {
      QTest::addRow("%s, FP32", kinds[kind].name) << kind << -1;
      QTest::addRow("%s, BF16", kinds[kind].name) << kind << static_cast<int>(at::kBFloat16);
    }
    QTest::addRow("%s, FP16", kinds[0].name) << 0 << static_cast<int>(at::kHalf);
    QTest::addRow("%s, FP16", kinds[4].name) << 4 << static_cast<int>(at::kHalf);
  }
  void outputs_gradients_buffers_and_random_numbers_are_the_same_to_the_bit() {
    QFETCH(int, kind);
    QFETCH(int, dtype);
    std::optional<c10::ScalarType> autocast;
    if (dtype >= 0) autocast = static_cast<c10::ScalarType>(dtype);
    check_equal(kinds[kind], policy_of(autocast));
  }

  void the_second_run_casts_as_cuda_does_where_the_first_did() {
    check_equal(kinds[5], policy_of(at::kBFloat16, "cuda"));
    check_equal(kinds[2], policy_of(at::kBFloat16, "cuda"));
  }

  void the_second_run_keeps_in_float32_what_the_first_did_data() {
    QTest::addColumn<QString>("module");
    QTest::addColumn<QString>("operation");
    QTest::newRow("a part of a block") << "blocks.0.attn" << QString();
    QTest::newRow("a whole block") << "blocks.1" << QString();
    QTest::newRow("all blocks") << "blocks" << QString();
    QTest::newRow("an operator") << QString() << "softmax";
    QTest::newRow("an operator in one module") << "blocks.0"
                                               << "bmm";
  }
  void the_second_run_keeps_in_float32_what_the_first_did() {
    QFETCH(QString, module);
    QFETCH(QString, operation);
    precision::Policy policy = policy_of(at::kBFloat16);
    policy.float32_regions = std::make_shared<precision::Float32Regions>(
        std::vector<spec::Float32Region>{{module.toStdString(), operation.toStdString()}});
    check_equal(kinds[5], policy);
  }

  void running_statistics_move_once() {
    const std::unique_ptr<model::Network> network = network_of(kinds[2]);
    network->recompute_blocks(true);
    network->forward(inputs_of(kinds[2], 3)).sum().backward();
    for (const model::NamedTensor& buffer : network->buffers()) {
      if (buffer.name.find("num_batches_tracked") == std::string::npos) continue;
      QCOMPARE(buffer.tensor.item<std::int64_t>(), std::int64_t{1});  // one forward pass
    }
  }

  void an_observer_sees_one_forward_even_if_it_looks_on_in_backward() {
    const auto calls_of = [](bool recompute) {
      const std::unique_ptr<model::Network> network = network_of(kinds[4]);
      network->recompute_blocks(recompute);
      const at::Tensor inputs = inputs_of(kinds[4], 3);
      Counter counter;
      const precision::OperatorInterceptor looks_on(counter);
      const precision::Policy policy = policy_of(at::kBFloat16);
      at::Tensor output;
      {
        const precision::ForwardScope scope(policy, c10::kCPU);
        output = network->forward(inputs);
      }
      const std::size_t in_forward = counter.calls.size();
      output.sum().backward();
      // What backward itself calls depends on what it computes, not on the block: products are enough to compare.
      std::size_t linears = 0;
      for (const std::string& name : counter.calls) linears += name == "linear" ? 1 : 0;
      return std::make_pair(std::vector<std::string>(counter.calls.begin(), counter.calls.begin() + in_forward),
                            linears);
    };
    const auto without = calls_of(false);
    const auto with = calls_of(true);
    QVERIFY(with.first == without.first);
    QCOMPARE(with.second, without.second);
    QCOMPARE(with.second, std::size_t{2 * 4 + 1});  // qkv, proj and two of the mlp in 2 blocks, and the head
  }

  void gradients_reach_parameters_of_a_block_whose_inputs_need_none() {
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const at::Tensor output =
        model::run_recomputed(block_of([&](const at::Tensor& x) { return x * weight; }, {weight}), at::full({1}, 5.0),
                              /*draws=*/false);
    QVERIFY(output.requires_grad());
    output.backward();
    QCOMPARE(weight.grad().item<double>(), 5.0);  // d(wx)/dw = x
  }

  void a_frozen_parameter_gets_no_gradient() {
    const at::Tensor frozen = at::full({1}, 3.0);
    const at::Tensor inputs = at::full({1}, 5.0).requires_grad_();
    model::run_recomputed(block_of([&](const at::Tensor& x) { return x * frozen; }, {frozen}), inputs, false)
        .backward();
    QVERIFY(!frozen.grad().defined());
    QCOMPARE(inputs.grad().item<double>(), 3.0);
  }

  void a_parameter_that_the_block_does_not_use_gets_no_gradient() {
    const at::Tensor idle = at::full({1}, 3.0).requires_grad_();
    const at::Tensor inputs = at::full({1}, 5.0).requires_grad_();
    model::run_recomputed(block_of([](const at::Tensor& x) { return x * 2; }, {idle}), inputs, false).backward();
    QVERIFY(!idle.grad().defined());
    QCOMPARE(inputs.grad().item<double>(), 2.0);
  }

  void a_block_whose_output_depends_on_nothing_that_is_trained_passes_no_gradient_on() {
    const at::Tensor idle = at::full({1}, 3.0).requires_grad_();
    model::run_recomputed(block_of([](const at::Tensor& x) { return x * 2; }, {idle}), at::ones({1}), false).backward();
    QVERIFY(!idle.grad().defined());
  }

  void only_the_gradients_that_are_asked_for_are_computed() {
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const at::Tensor inputs = at::full({1}, 5.0).requires_grad_();
    const at::Tensor output =
        model::run_recomputed(block_of([&](const at::Tensor& x) { return x * weight; }, {weight}), inputs, false);
    const std::vector<at::Tensor> found = torch::autograd::grad({output}, {weight});
    QCOMPARE(found.at(0).item<double>(), 5.0);
    QVERIFY(!weight.grad().defined() && !inputs.grad().defined());
  }

  void a_block_runs_once_where_no_gradient_is_computed() {
    int runs = 0;
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const auto block = block_of(
        [&](const at::Tensor& x) {
          ++runs;
          return x * weight;
        },
        {weight});
    {
      const at::NoGradGuard no_grad;
      QVERIFY(!model::run_recomputed(block, at::ones({1}), false).requires_grad());
    }
    QCOMPARE(runs, 1);
    model::run_recomputed(block, at::ones({1}), false).backward();
    QCOMPARE(runs, 3);
  }

  void what_the_second_run_throws_backward_throws_and_nothing_stays_switched() {
    const at::Tensor weight = at::full({2, 2}, 3.0).requires_grad_();
    int runs = 0;
    const auto block = block_of(
        [&](const at::Tensor& x) -> at::Tensor {
          if (++runs == 2) throw std::runtime_error("broken in the second run");
          return at::mm(x, weight);
        },
        {weight});
    const precision::Policy policy = policy_of(at::kBFloat16);
    const at::Tensor generator = model::RandomStream::current(c10::kCPU);
    at::Tensor output;
    {
      const precision::ForwardScope scope(policy, c10::kCPU);
      output = model::run_recomputed(block, at::ones({2, 2}), /*draws=*/true).sum();
    }
    try {
      output.backward();
      QFAIL("no error");
    } catch (const std::exception& error) {
      QVERIFY2(std::string(error.what()).find("broken in the second run") != std::string::npos, error.what());
    }
    QCOMPARE(precision::AutocastScope::depth(), 0);
    QVERIFY(!at::autocast::is_autocast_enabled(c10::kCPU));
    QVERIFY(at::autocast::is_autocast_cache_enabled());
    QVERIFY(!precision::ForwardReplay::active());
    QVERIFY(at::GradMode::is_enabled());
    QVERIFY(model::RandomStream::current(c10::kCPU).equal(generator));
    QVERIFY(precision::ModuleScope::current().empty());
  }

  void an_error_of_ours_arrives_as_itself() {
    int runs = 0;
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const at::Tensor output = model::run_recomputed(block_of(
                                                        [&](const at::Tensor& x) -> at::Tensor {
                                                          if (++runs == 2) throw Error(ErrorKind::CallOrder, {});
                                                          return x * weight;
                                                        },
                                                        {weight}),
                                                    at::ones({1}), false);
    QVERIFY_THROWS_EXCEPTION(Error, output.backward());
  }

  /// Backward belongs outside of autocast; within it, copies of weights in its cache must not be mistaken for ours.
  void backward_within_an_outer_autocast_scope_finds_the_same_gradients() {
    const auto gradients = [](bool recompute) {
      const std::unique_ptr<model::Network> network = network_of(kinds[3]);
      network->recompute_blocks(recompute);
      const at::Tensor inputs = inputs_of(kinds[3], 3);
      const precision::AutocastScope outer(c10::kCPU, at::kBFloat16);
      for (int i = 0; i < 2; ++i) network->forward(inputs).to(at::kFloat).square().sum().backward();
      std::vector<model::NamedTensor> found;
      for (const model::NamedTensor& parameter : network->parameters()) {
        found.push_back({parameter.name, parameter.tensor.grad()});
      }
      return found;
    };
    QCOMPARE(QString::fromStdString(difference(gradients(false), gradients(true))), QString());
  }

  void a_second_backward_is_refused_as_ever() {
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const at::Tensor output = model::run_recomputed(block_of([&](const at::Tensor& x) { return x * weight; }, {weight}),
                                                    at::ones({1}), false);
    output.backward();
    QVERIFY_THROWS_EXCEPTION(c10::Error, output.backward());
  }

  void second_derivatives_are_refused() {
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const at::Tensor output = model::run_recomputed(
        block_of([&](const at::Tensor& x) { return x * weight * weight; }, {weight}), at::ones({1}), false);
    QVERIFY_THROWS_EXCEPTION(Error, torch::autograd::grad({output}, {weight}, {}, true, /*create_graph=*/true));
  }

  void inputs_that_are_written_over_before_backward_are_refused() {
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    at::Tensor inputs = at::ones({1});
    const at::Tensor output =
        model::run_recomputed(block_of([&](const at::Tensor& x) { return x * weight; }, {weight}), inputs, false);
    inputs.add_(1);
    QVERIFY_THROWS_EXCEPTION(c10::Error, output.backward());
  }

  void a_block_that_returns_its_inputs_leaves_them_alone() {
    const at::Tensor weight = at::full({1}, 3.0).requires_grad_();
    const at::Tensor inputs = at::ones({1}).requires_grad_();
    const at::Tensor output =
        model::run_recomputed(block_of([](const at::Tensor& x) { return x; }, {weight}), inputs, false);
    QVERIFY(inputs.is_leaf());
    (output * 4).backward();
    QCOMPARE(inputs.grad().item<double>(), 4.0);
  }

  void a_clone_does_as_its_original() {
    const std::unique_ptr<model::Network> network = network_of(kinds[2]);
    network->recompute_blocks(true);
    QVERIFY(recomputes(network->clone()->forward(inputs_of(kinds[2], 3))));
    network->recompute_blocks(false);
    QVERIFY(!recomputes(network->clone()->forward(inputs_of(kinds[2], 3))));
  }

  void models_without_blocks_refuse_it() {
    spec::Model settings;
    for (const spec::ModelKind kind : {spec::ModelKind::Linear, spec::ModelKind::Lstm}) {
      settings.kind = kind;
      const std::unique_ptr<model::Network> network =
          kind == spec::ModelKind::Linear ? model::build(settings, {3}, 1, 1) : model::build(settings, {4, 3}, 1, 1);
      QVERIFY_THROWS_EXCEPTION(Error, network->recompute_blocks(true));
      network->recompute_blocks(false);
    }
  }
};

QTEST_APPLESS_MAIN(RecomputationTests)
#include "recomputation_tests.moc"
