// SPDX-License-Identifier: Apache-2.0
#include "core/train/optimizer.h"

#include <cmath>
#include <limits>
#include <map>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTest>

#include "core/base/error.h"
#include "core/train/buffer_guard.h"

using namespace mantissa;

namespace {

std::vector<at::Tensor> start() {
  return {at::tensor({1.0F, -2.0F, 0.5F}).requires_grad_(), at::tensor({3.0F, 0.25F}).reshape({2, 1}).requires_grad_()};
}

/// Loss sum(p^4) / 4 + sum(p): its gradient is p^3 + 1.
double loss_and_gradients(std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  double loss = 0.0;
  for (at::Tensor& parameter : parameters) {
    parameter.mutable_grad() = parameter.detach().pow(3).add(1.0);
    loss += parameter.detach().pow(4).sum().item<double>() / 4 + parameter.detach().sum().item<double>();
  }
  return loss;
}

void step(train::Optimizer& optimizer, std::vector<at::Tensor>& parameters) {
  const double loss = loss_and_gradients(parameters);
  optimizer.step_with_loss(loss, [&] { return loss_and_gradients(parameters); });
}

spec::Optimizer settings_of(spec::OptimizerKind kind) {
  spec::Optimizer settings;
  settings.kind = kind;
  settings.lr = 0.01;
  settings.weight_decay = 0.1;
  const bool has_momentum = kind == spec::OptimizerKind::Sgd || kind == spec::OptimizerKind::RmsProp;
  settings.momentum = has_momentum ? 0.9 : 0.0;
  settings.amsgrad = true;
  settings.centered = true;
  settings.max_iter = 3;
  settings.history_size = 2;
  settings.strong_wolfe = true;
  return settings;
}

/// The state as a checkpoint would bring it back: copies, without any memory in common.
train::OptimizerState copied(train::OptimizerState state) {
  for (auto& [name, tensor] : state.tensors) tensor = tensor.clone();
  return state;
}

bool refuses(train::Optimizer& optimizer, const train::OptimizerState& state, const std::string& subject) {
  try {
    optimizer.load_state_dict(state);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::InvalidSetting && error.facts().subject == subject;
  }
  return false;
}

/// Has buffers, and nothing else.
class Holding : public model::Network {
 public:
  explicit Holding(std::vector<model::NamedTensor> buffers) { buffers_ = std::move(buffers); }
  at::Tensor forward(const at::Tensor& inputs) override { return inputs; }
  void set_training(bool /*training*/) override {}
  std::unique_ptr<Network> clone() const override { return std::make_unique<Holding>(buffers_); }
  bool may_use_randomness() const override { return false; }
};

}  // namespace

class OptimizerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_loaded_state_goes_on_bit_by_bit_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("sgd") << static_cast<int>(spec::OptimizerKind::Sgd);
    QTest::newRow("adam") << static_cast<int>(spec::OptimizerKind::Adam);
    QTest::newRow("adamw") << static_cast<int>(spec::OptimizerKind::AdamW);
    QTest::newRow("rmsprop") << static_cast<int>(spec::OptimizerKind::RmsProp);
    QTest::newRow("lbfgs") << static_cast<int>(spec::OptimizerKind::Lbfgs);
  }
  void a_loaded_state_goes_on_bit_by_bit() {
    QFETCH(int, kind);
    const spec::Optimizer settings = settings_of(static_cast<spec::OptimizerKind>(kind));
    std::vector<at::Tensor> unbroken = start();
    const auto whole = train::make_optimizer(settings, unbroken);
    for (int i = 0; i < 3; ++i) step(*whole, unbroken);

    std::vector<at::Tensor> resumed;
    for (const at::Tensor& parameter : unbroken) resumed.push_back(parameter.detach().clone().requires_grad_());
    const auto second = train::make_optimizer(settings, resumed);
    second->load_state_dict(copied(whole->state_dict()));
    for (int i = 0; i < 3; ++i) {
      step(*whole, unbroken);
      step(*second, resumed);
    }
    QVERIFY(!whole->state_dict().tensors.empty());
    for (std::size_t i = 0; i < unbroken.size(); ++i) QVERIFY(at::equal(unbroken[i], resumed[i]));
    QVERIFY(!at::equal(unbroken[0], start()[0]));
  }

  void a_state_that_does_not_fit_is_refused_and_nothing_changes() {
    std::vector<at::Tensor> parameters = start();
    const auto optimizer = train::make_optimizer(settings_of(spec::OptimizerKind::Adam), parameters);
    step(*optimizer, parameters);
    const train::OptimizerState good = copied(optimizer->state_dict());

    train::OptimizerState misshapen = good;
    misshapen.tensors[1].second = at::zeros({7});
    QVERIFY(refuses(*optimizer, misshapen, "0.exp_avg"));
    train::OptimizerState other_dtype = good;
    other_dtype.tensors[2].second = good.tensors[2].second.to(at::kBFloat16);
    QVERIFY(refuses(*optimizer, other_dtype, "0.exp_avg_sq"));
    train::OptimizerState missing = good;
    missing.tensors.erase(missing.tensors.begin() + 1);
    QVERIFY(refuses(*optimizer, missing, "0.*"));
    train::OptimizerState too_many = good;
    too_many.tensors.emplace_back("0.momentum_buffer", at::zeros({3}));
    QVERIFY(refuses(*optimizer, too_many, "0.momentum_buffer"));

    const train::OptimizerState after = optimizer->state_dict();
    for (std::size_t i = 0; i < good.tensors.size(); ++i) {
      QVERIFY(at::equal(after.tensors[i].second, good.tensors[i].second));
    }
  }

  void lbfgs_undoes_a_step_whose_evaluation_throws() {
    std::vector<at::Tensor> parameters = start();
    const auto optimizer = train::make_optimizer(settings_of(spec::OptimizerKind::Lbfgs), parameters);
    step(*optimizer, parameters);
    const at::Tensor before = parameters[0].detach().clone();
    const train::OptimizerState state = copied(optimizer->state_dict());
    int evaluations = 0;
    const double loss = loss_and_gradients(parameters);
    bool thrown = false;
    try {
      optimizer->step_with_loss(loss, [&]() -> double {
        if (++evaluations == 2) throw std::runtime_error("non-finite");
        return loss_and_gradients(parameters);
      });
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    QVERIFY(thrown);
    QVERIFY(at::equal(parameters[0], before));
    const train::OptimizerState after = optimizer->state_dict();
    QCOMPARE(after.tensors.size(), state.tensors.size());
    for (std::size_t i = 0; i < state.tensors.size(); ++i) {
      QVERIFY(at::equal(after.tensors[i].second, state.tensors[i].second));
    }
  }

  void only_modules_with_a_poisoned_buffer_are_put_back() {
    const float infinity = std::numeric_limits<float>::infinity();
    at::Tensor mask = at::tensor({0.0F, -infinity});  // non-finite by design
    at::Tensor mean = at::tensor({1.0F, 2.0F});
    at::Tensor batches = at::tensor(std::int64_t{5});
    at::Tensor sound = at::tensor({3.0F});
    Holding network({{"mask", mask},
                     {"bn.running_mean", mean},
                     {"bn.num_batches_tracked", batches},
                     {"other.running_mean", sound}});
    train::BufferGuard guard(network);
    guard.keep();
    mean[0] = infinity;
    batches.add_(1);
    sound.fill_(4.0F);
    QCOMPARE(guard.restore_poisoned(), (std::vector<std::string>{"bn.running_mean"}));
    QVERIFY(at::equal(mean, at::tensor({1.0F, 2.0F})));
    QCOMPARE(batches.item<std::int64_t>(), std::int64_t{5});
    QCOMPARE(sound.item<float>(), 4.0F);  // a finite statistic keeps what it saw, as PyTorch's does
    guard.keep();
    sound.fill_(5.0F);
    QVERIFY(guard.restore_poisoned().empty());
    QCOMPARE(sound.item<float>(), 5.0F);
    guard.restore_all();
    QCOMPARE(sound.item<float>(), 4.0F);
  }
};

QTEST_APPLESS_MAIN(OptimizerTests)
#include "optimizer_tests.moc"
