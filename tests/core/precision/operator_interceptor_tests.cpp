// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>
#include <vector>

#include <QTest>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "core/precision/autocast_scope.h"
#include "core/precision/cast_map.h"
#include "core/precision/float32_regions.h"
#include "core/precision/module_scope.h"
#include "core/precision/operator_interceptor.h"

using namespace mantissa;
using namespace mantissa::precision;

namespace {

/// Names of the operators seen, with ">" before and "<" after them.
class Listener : public OperatorObserver {
 public:
  explicit Listener(std::vector<std::string>& seen, std::string mark = {}) : seen_(seen), mark_(std::move(mark)) {}
  void before(OperatorCall& call) override { seen_.push_back(mark_ + ">" + std::string(call.name())); }
  void after(OperatorCall& call) override { seen_.push_back(mark_ + "<" + std::string(call.name())); }

 private:
  std::vector<std::string>& seen_;
  std::string mark_;
};

using Names = std::vector<std::string>;

torch::jit::Module scripted_block() {
  torch::jit::Module inner("Inner");
  inner.register_parameter("weight", at::arange(16, at::kFloat).reshape({4, 4}).div(16), false);
  inner.define("def forward(self, x):\n  return torch.softmax(torch.matmul(x, self.weight), -1) + x\n");
  torch::jit::Module outer("Outer");
  outer.register_module("attn", inner);
  outer.define(
      "def helper(self, x):\n  return x * 2\n"
      "def forward(self, x):\n  return self.attn.forward(self.helper(x))\n");
  return outer;
}

/// Two linear layers with a GELU between; written with plain functions.
at::Tensor small_network(const at::Tensor& x, const std::vector<at::Tensor>& weights) {
  return at::linear(at::gelu(at::linear(x, weights[0])), weights[1]);
}

struct Pass {
  at::Tensor output;
  std::vector<at::Tensor> gradients;
};

Pass train_once(c10::ScalarType dtype,
                const std::function<at::Tensor(const at::Tensor&, std::vector<at::Tensor>&)>& model) {
  at::manual_seed(3);
  const at::Tensor x = at::randn({5, 4}).requires_grad_();
  std::vector<at::Tensor> leaves = {at::randn({6, 4}).requires_grad_(), at::randn({4, 6}).requires_grad_()};
  Pass pass;
  {
    const AutocastScope autocast(c10::DeviceType::CPU, dtype);
    pass.output = model(x, leaves);
  }
  leaves.push_back(x);
  pass.gradients = torch::autograd::grad({pass.output.to(at::kFloat).square().sum()}, leaves);
  return pass;
}

bool same_bits(const Pass& a, const Pass& b) {
  if (a.output.scalar_type() != b.output.scalar_type() || !at::equal(a.output, b.output)) return false;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    if (!at::equal(a.gradients[i], b.gradients[i])) return false;
  }
  return true;
}

Float32Regions keeping(std::vector<spec::Float32Region> regions) { return Float32Regions(std::move(regions)); }

at::Tensor without_autocast(const std::function<at::Tensor()>& compute) {
  const AutocastScope off(c10::DeviceType::CPU, std::nullopt);
  return compute();
}

}  // namespace

class OperatorInterceptorTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The key's name says that it is there for tests: were it gone or moved behind autocast, this would say so.
  void operators_are_seen_before_autocast_and_only_inside_the_scope() {
    CastMap map;
    const at::Tensor x = at::ones({2, 2});
    {
      const AutocastScope autocast(c10::DeviceType::CPU, at::kBFloat16);
      at::mm(x, x);
      const OperatorInterceptor scope(map);
      at::mm(x, x);
    }
    at::mm(x, x);
    QCOMPARE(map.records().size(), std::size_t(1));
    const CastRecord& record = map.records().front();
    QCOMPARE(record.operator_name, std::string("aten::mm"));
    QCOMPARE(record.calls, std::int64_t(1));
    QVERIFY((record.inputs == std::vector<c10::ScalarType>{at::kFloat, at::kFloat}));
    QVERIFY(record.output == at::kBFloat16 && record.ran_in() == at::kBFloat16);
  }

  void what_an_operator_is_made_of_and_backward_are_not_seen() {
    Names seen;
    Listener listener(seen);
    const at::Tensor x = at::ones({2, 2}).requires_grad_();
    const at::Tensor target = at::zeros({2}, at::kLong);
    at::Tensor loss;
    {
      const OperatorInterceptor scope(listener);
      loss = at::cross_entropy_loss(at::matmul(x, x), target);
    }
    loss.backward();
    QVERIFY(x.grad().defined());
    QCOMPARE(seen, (Names{">matmul", "<matmul", ">cross_entropy_loss", "<cross_entropy_loss"}));
  }

  void a_passive_observer_changes_no_bit_data() {
    QTest::addColumn<int>("dtype");
    QTest::newRow("bfloat16") << static_cast<int>(at::kBFloat16);
    QTest::newRow("float16") << static_cast<int>(at::kHalf);
  }

  void a_passive_observer_changes_no_bit() {
    QFETCH(int, dtype);
    const auto type = static_cast<c10::ScalarType>(dtype);
    torch::jit::setGraphExecutorOptimize(false);
    torch::jit::Module scripted = scripted_block();
    const auto model = [&](const at::Tensor& x, std::vector<at::Tensor>& w) {
      return scripted.forward({small_network(x, w)}).toTensor();
    };
    const auto watched = [&](const at::Tensor& x, std::vector<at::Tensor>& w) {
      CastMap map;
      const OperatorInterceptor scope(map);
      return model(x, w);
    };
    QVERIFY(same_bits(train_once(type, model), train_once(type, watched)));
  }

  void scopes_nest_outermost_first_and_leave_in_turn() {
    Names seen;
    Listener outer(seen, "outer"), inner(seen, "inner");
    const at::Tensor x = at::ones({2});
    const OperatorInterceptor first(outer);
    {
      const OperatorInterceptor second(inner);
      at::neg(x);
    }
    at::abs(x);
    QCOMPARE(seen, (Names{"outer>neg", "inner>neg", "inner<neg", "outer<neg", "outer>abs", "outer<abs"}));
  }

  void an_exception_leaves_no_interception_and_no_autocast_behind() {
    Names seen;
    Listener listener(seen);
    const at::Tensor half = at::ones({2}, at::kHalf);
    try {
      const AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);
      const OperatorInterceptor scope(listener);
      half.masked_fill(half == 1, -1e9);
      QFAIL("FP16 holds no -1e9");
    } catch (const std::exception&) {  // LibTorch throws a plain runtime_error here
    }
    QCOMPARE(seen, (Names{">eq", "<eq", ">masked_fill"}));
    QCOMPARE(AutocastScope::depth(), 0);
    at::neg(half);
    QCOMPARE(seen.size(), std::size_t(3));
    const OperatorInterceptor again(listener);
    at::neg(half);
    QCOMPARE(seen.back(), std::string("<neg"));
  }

  void what_an_observer_runs_itself_is_neither_seen_nor_cast() {
    class Busy : public OperatorObserver {
     public:
      void before(OperatorCall& call) override {
        ++seen;
        const at::Tensor x = call.inputs()[0].toTensor();
        dtype = at::mm(x, x).scalar_type();
      }
      int seen = 0;
      c10::ScalarType dtype = at::kDouble;
    } busy;
    const at::Tensor x = at::ones({2, 2});
    const AutocastScope autocast(c10::DeviceType::CPU, at::kBFloat16);
    const OperatorInterceptor scope(busy);
    at::mm(x, x);
    QCOMPARE(busy.seen, 1);
    QVERIFY(busy.dtype == at::kFloat);
  }

  void a_changed_output_flows_on() {
    class Negate : public OperatorObserver {
     public:
      void after(OperatorCall& call) override {
        if (call.name() == "exp") call.outputs()[0] = call.outputs()[0].toTensor().neg();
      }
    } negate;
    const OperatorInterceptor scope(negate);
    QCOMPARE(at::exp(at::zeros({1})).item<float>(), -1.0F);
  }

  void native_and_scripted_models_say_which_module_runs() {
    CastMap map;
    {
      const OperatorInterceptor scope(map);
      const std::string path = "blocks.3.attn";
      const ModuleScope module(path);
      at::neg(at::ones({2}));
    }
    QCOMPARE(map.records().back().module, std::string("blocks.3.attn"));
    torch::jit::setGraphExecutorOptimize(false);
    torch::jit::Module model = scripted_block();
    CastMap scripted;
    {
      const OperatorInterceptor scope(scripted);
      model.forward({at::ones({1, 4})});
    }
    Names seen;
    for (const CastRecord& record : scripted.records()) seen.push_back(record.module + "/" + record.name);
    QCOMPARE(seen, (Names{"/ones", "/mul", "attn/matmul", "attn/softmax", "attn/add"}));
  }

  void a_glob_means_a_module_and_all_below_it() {
    QCOMPARE(matched_module("blocks.0", "blocks.0.attn.q"), 8);
    QCOMPARE(matched_module("blocks.*", "blocks.0.attn.q"), 8);  // the shortest module that matches
    QCOMPARE(matched_module("*.attn", "blocks.0.attn.q"), 13);
    QCOMPARE(matched_module("blocks.0", "blocks.01"), -1);
    QCOMPARE(matched_module("attn", "blocks.0.attn"), -1);
    QCOMPARE(matched_module("head", ""), -1);
  }

  void an_operator_is_meant_with_its_variants() {
    QVERIFY(matches_operator("softmax", "softmax"));
    QVERIFY(matches_operator("softmax", "_softmax"));
    QVERIFY(matches_operator("exp", "exp_"));
    QVERIFY(matches_operator("*softmax", "log_softmax"));
    QVERIFY(!matches_operator("softmax", "log_softmax"));
    QVERIFY(!matches_operator("exp", "expm1"));
  }

  // x enters twice: were it cast at each use, its two gradients would be rounded before they are added.
  void a_module_region_is_autocast_off_and_its_inputs_cast_once() {
    const auto module = [](const at::Tensor& x, const at::Tensor& w) {
      return at::linear(at::sigmoid(x), w) + x.exp();
    };
    const auto expected = [&](const at::Tensor& x, std::vector<at::Tensor>& w) {
      const at::Tensor h = at::linear(x, w[0]);
      const at::Tensor kept = without_autocast([&] {
        const at::Tensor wide = h.to(at::kFloat);
        return module(wide, w[0].matmul(w[0].t()));
      });
      return at::linear(kept, w[1]);
    };
    const auto in_region = [&](const at::Tensor& x, std::vector<at::Tensor>& w) {
      Float32Regions regions = keeping({{"kept", ""}});
      const OperatorInterceptor scope(regions);
      const at::Tensor h = at::linear(x, w[0]);
      at::Tensor kept;
      {
        const std::string path = "kept.inner";
        const ModuleScope inside(path);
        kept = module(h, w[0].matmul(w[0].t()));
      }
      return at::linear(kept, w[1]);
    };
    for (const c10::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
      QVERIFY(same_bits(train_once(dtype, expected), train_once(dtype, in_region)));
    }
  }

  void an_operator_region_casts_its_inputs_and_leaves_others_to_autocast() {
    Float32Regions regions = keeping({{"", "softmax"}});
    const AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);
    const OperatorInterceptor scope(regions);
    const at::Tensor x = at::full({1, 2}, 300.0, at::kHalf);
    QVERIFY(at::softmax(x, -1).scalar_type() == at::kFloat);
    QVERIFY(at::log_softmax(x, -1).scalar_type() == at::kHalf);
    QVERIFY(at::mm(x.t(), x).scalar_type() == at::kHalf);
  }

  void an_operator_region_inside_a_module_spares_the_others() {
    Float32Regions regions = keeping({{"a", "square"}});
    const AutocastScope autocast(c10::DeviceType::CPU, at::kHalf);
    const OperatorInterceptor scope(regions);
    const at::Tensor x = at::full({1}, 300.0, at::kHalf);
    const std::string a = "a.deep", b = "b";
    {
      const ModuleScope inside(a);
      QCOMPARE(at::square(x).item<float>(), 90000.0F);
      QVERIFY(at::exp(x).scalar_type() == at::kHalf);
    }
    const ModuleScope outside(b);
    QVERIFY(std::isinf(at::square(x).item<float>()));  // 300^2 = 90000 > 65504
  }

  void lists_are_cast_and_what_is_written_into_keeps_its_dtype() {
    Float32Regions regions = keeping({{"", "cat"}, {"", "exp"}});
    const AutocastScope autocast(c10::DeviceType::CPU, at::kBFloat16);
    const OperatorInterceptor scope(regions);
    at::Tensor half = at::ones({2}, at::kHalf);
    // Autocast to BF16 refuses to concatenate FP16.
    QVERIFY(at::cat({half, at::ones({2}, at::kBFloat16)}).scalar_type() == at::kFloat);
    half.exp_();
    QVERIFY(half.scalar_type() == at::kHalf);
    QCOMPARE(half[0].item<float>(), 2.71875F);  // e in FP16
  }
};

QTEST_GUILESS_MAIN(OperatorInterceptorTests)
#include "operator_interceptor_tests.moc"
