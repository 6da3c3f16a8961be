// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <QTemporaryDir>
#include <QTest>

#include "core/base/error.h"
#include "core/model/network.h"
#include "core/model/torchscript.h"

using namespace mantissa;

namespace {

const std::string kTied = std::string(MANTISSA_SOURCE_DIR) + "/tests/core/model/models/tied.pt";

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().flatten().contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

std::vector<std::string> names_of(const std::vector<model::NamedTensor>& named) {
  std::vector<std::string> names;
  names.reserve(named.size());
  for (const model::NamedTensor& item : named) names.push_back(item.name);
  return names;
}

}  // namespace

class ModelTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initial_weights_equal_those_of_python() {
    // torch.manual_seed(7); nn.Sequential(nn.Linear(3, 2), nn.GELU(), nn.Linear(2, 1)) of PyTorch 2.11.
    spec::Model settings;
    settings.kind = spec::ModelKind::Mlp;
    settings.hidden = {2};
    settings.activation = spec::Activation::Gelu;
    const auto mlp = model::build(settings, 3, 1, 7);
    QCOMPARE(names_of(mlp->parameters()), (std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias"}));
    QCOMPARE(values_of(mlp->parameters()[0].tensor),
             (std::vector<float>{0.04032507538795471F, -0.3477921187877655F, 0.18384182453155518F, 0.1811612844467163F,
                                 -0.3085803687572479F, -0.0865316316485405F}));
    QCOMPARE(values_of(mlp->parameters()[3].tensor), (std::vector<float>{0.5019654035568237F}));

    settings.kind = spec::ModelKind::Linear;  // torch.manual_seed(7); nn.Linear(4, 2)
    const auto linear = model::build(settings, 4, 2, 7);
    QCOMPARE(names_of(linear->parameters()), (std::vector<std::string>{"weight", "bias"}));
    QCOMPARE(values_of(linear->parameters()[1].tensor),
             (std::vector<float>{-0.13468384742736816F, 0.35126835107803345F}));
  }

  void a_clone_has_equal_weights_in_storage_of_its_own() {
    const auto original = model::load_torchscript(kTied);
    const auto copy = original->clone();
    const at::Tensor& theirs = original->parameters()[0].tensor;
    const at::Tensor& ours = copy->parameters()[0].tensor;
    QVERIFY(ours.requires_grad() && ours.is_leaf());
    QCOMPARE(values_of(ours), values_of(theirs));
    QVERIFY(ours.const_data_ptr() != theirs.const_data_ptr());
  }

  void a_shared_parameter_is_one_parameter_under_two_names() {
    for (const bool cloned : {false, true}) {
      std::unique_ptr<model::Network> network = model::load_torchscript(kTied);
      if (cloned) network = network->clone();
      QCOMPARE(names_of(network->parameters()), std::vector<std::string>{"a.weight"});
      QCOMPARE(names_of(network->state()), (std::vector<std::string>{"a.weight", "b.weight"}));
      // y = w² · x at w = 1, x = 1: dy/dw = 2w = 2, once.
      network->forward(at::ones({1, 1})).sum().backward();
      QCOMPARE(network->parameters()[0].tensor.grad().item<double>(), 2.0);
      // The clone is still tied: after w = 3, y = 9.
      const at::NoGradGuard no_grad;
      network->parameters()[0].tensor.fill_(3.0);
      QCOMPARE(network->forward(at::ones({1, 1})).item<double>(), 9.0);
    }
    QCOMPARE(model::torchscript_facts(kTied).parameters.size(), std::size_t{1});
  }

  void what_is_no_torchscript_file_is_refused_by_name() {
    QTemporaryDir folder;
    const std::string pipe = folder.filePath("pipe").toStdString();
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    const std::string text = std::string(MANTISSA_SOURCE_DIR) + "/README.md";
    for (const std::string& path :
         {folder.path().toStdString(), folder.filePath("none.pt").toStdString(), text, pipe}) {
      try {
        model::load_torchscript(path);
        QFAIL(path.c_str());
      } catch (const Error& error) {
        QCOMPARE(error.kind(), ErrorKind::FileProblem);
        QCOMPARE(error.facts().file, path);
      }
    }
  }
};

QTEST_GUILESS_MAIN(ModelTests)
#include "model_tests.moc"
