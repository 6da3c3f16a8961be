// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>

#include <QTest>

#include "core/base/error.h"
#include "core/model/network.h"
#include "core/precision/module_scope.h"

using namespace mantissa;
using spec::ModelKind;

namespace {

/// Parameters, then buffers, as official PyTorch names them, and the parameter that is drawn last from seed 7: what
/// print_built_in.py beside this file prints.
struct Expected {
  std::vector<std::string> names;
  std::vector<float> last_drawn;
};

const Expected cnn{{"features.0.weight [4, 2, 3, 3]", "features.0.bias [4]", "features.3.weight [5, 4, 3, 3]",
                    "features.3.bias [5]", "head.weight [3, 10]", "head.bias [3]"},
                   {-0.09321076422929764F, -0.25081637501716614F, -0.031548067927360535F}};

const Expected resnet{{"stem.0.weight [2, 1, 3, 3]",
                       "stem.1.weight [2]",
                       "stem.1.bias [2]",
                       "blocks.0.conv1.weight [2, 2, 3, 3]",
                       "blocks.0.bn1.weight [2]",
                       "blocks.0.bn1.bias [2]",
                       "blocks.0.conv2.weight [2, 2, 3, 3]",
                       "blocks.0.bn2.weight [2]",
                       "blocks.0.bn2.bias [2]",
                       "blocks.1.conv1.weight [4, 2, 3, 3]",
                       "blocks.1.bn1.weight [4]",
                       "blocks.1.bn1.bias [4]",
                       "blocks.1.conv2.weight [4, 4, 3, 3]",
                       "blocks.1.bn2.weight [4]",
                       "blocks.1.bn2.bias [4]",
                       "blocks.1.shortcut.0.weight [4, 2, 1, 1]",
                       "blocks.1.shortcut.1.weight [4]",
                       "blocks.1.shortcut.1.bias [4]",
                       "blocks.2.conv1.weight [8, 4, 3, 3]",
                       "blocks.2.bn1.weight [8]",
                       "blocks.2.bn1.bias [8]",
                       "blocks.2.conv2.weight [8, 8, 3, 3]",
                       "blocks.2.bn2.weight [8]",
                       "blocks.2.bn2.bias [8]",
                       "blocks.2.shortcut.0.weight [8, 4, 1, 1]",
                       "blocks.2.shortcut.1.weight [8]",
                       "blocks.2.shortcut.1.bias [8]",
                       "head.weight [3, 8]",
                       "head.bias [3]",
                       "stem.1.running_mean [2]",
                       "stem.1.running_var [2]",
                       "stem.1.num_batches_tracked []",
                       "blocks.0.bn1.running_mean [2]",
                       "blocks.0.bn1.running_var [2]",
                       "blocks.0.bn1.num_batches_tracked []",
                       "blocks.0.bn2.running_mean [2]",
                       "blocks.0.bn2.running_var [2]",
                       "blocks.0.bn2.num_batches_tracked []",
                       "blocks.1.bn1.running_mean [4]",
                       "blocks.1.bn1.running_var [4]",
                       "blocks.1.bn1.num_batches_tracked []",
                       "blocks.1.bn2.running_mean [4]",
                       "blocks.1.bn2.running_var [4]",
                       "blocks.1.bn2.num_batches_tracked []",
                       "blocks.1.shortcut.1.running_mean [4]",
                       "blocks.1.shortcut.1.running_var [4]",
                       "blocks.1.shortcut.1.num_batches_tracked []",
                       "blocks.2.bn1.running_mean [8]",
                       "blocks.2.bn1.running_var [8]",
                       "blocks.2.bn1.num_batches_tracked []",
                       "blocks.2.bn2.running_mean [8]",
                       "blocks.2.bn2.running_var [8]",
                       "blocks.2.bn2.num_batches_tracked []",
                       "blocks.2.shortcut.1.running_mean [8]",
                       "blocks.2.shortcut.1.running_var [8]",
                       "blocks.2.shortcut.1.num_batches_tracked []"},
                      {0.16463270783424377F, 0.2805740535259247F, -0.3030175566673279F}};

const Expected transformer{
    {"token_embedding.weight [2, 4]", "position_embedding.weight [6, 4]", "blocks.0.norm1.weight [4]",
     "blocks.0.norm1.bias [4]", "blocks.0.attn.qkv.weight [12, 4]", "blocks.0.attn.qkv.bias [12]",
     "blocks.0.attn.proj.weight [4, 4]", "blocks.0.attn.proj.bias [4]", "blocks.0.norm2.weight [4]",
     "blocks.0.norm2.bias [4]", "blocks.0.mlp.0.weight [16, 4]", "blocks.0.mlp.0.bias [16]",
     "blocks.0.mlp.2.weight [4, 16]", "blocks.0.mlp.2.bias [4]", "norm.weight [4]", "norm.bias [4]",
     "head.weight [2, 4]"},
    {-0.40462660789489746F, -0.0009788870811462402F, -0.42734265327453613F, -0.48158276081085205F, 0.3149368166923523F,
     -0.22126448154449463F, -0.039838194847106934F, -0.14737915992736816F}};

const Expected lstm{
    {"lstm.weight_ih_l0 [8, 3]", "lstm.weight_hh_l0 [8, 2]", "lstm.bias_ih_l0 [8]", "lstm.bias_hh_l0 [8]",
     "lstm.weight_ih_l0_reverse [8, 3]", "lstm.weight_hh_l0_reverse [8, 2]", "lstm.bias_ih_l0_reverse [8]",
     "lstm.bias_hh_l0_reverse [8]", "lstm.weight_ih_l1 [8, 4]", "lstm.weight_hh_l1 [8, 2]", "lstm.bias_ih_l1 [8]",
     "lstm.bias_hh_l1 [8]", "lstm.weight_ih_l1_reverse [8, 4]", "lstm.weight_hh_l1_reverse [8, 2]",
     "lstm.bias_ih_l1_reverse [8]", "lstm.bias_hh_l1_reverse [8]", "head.weight [2, 4]", "head.bias [2]"},
    {-0.11424052715301514F, 0.45306962728500366F}};

const Expected characters{{"embedding.weight [2, 2]", "lstm.weight_ih_l0 [8, 2]", "lstm.weight_hh_l0 [8, 2]",
                           "lstm.bias_ih_l0 [8]", "lstm.bias_hh_l0 [8]", "head.weight [2, 2]", "head.bias [2]"},
                          {-0.08291886746883392F, 0.07784952968358994F}};

spec::Model settings_of(ModelKind kind) {
  spec::Model settings;
  settings.kind = kind;
  settings.channels = {4, 5};
  settings.depth = 8;
  settings.width = kind == ModelKind::Transformer ? 4 : 2;
  settings.heads = 2;
  settings.cells = 2;
  return settings;
}

spec::Model deep_lstm() {
  spec::Model settings = settings_of(ModelKind::Lstm);
  settings.layers = 2;
  settings.bidirectional = true;
  return settings;
}

spec::Model own_attention(double dropout = 0.0) {
  spec::Model settings = settings_of(ModelKind::Transformer);
  settings.attention = spec::Attention::Own;
  settings.dropout = dropout;
  return settings;
}

/// One model of each kind with inputs for it.
struct Sample {
  const char* name;
  spec::Model settings;
  std::vector<std::int64_t> row;
  std::int64_t outputs;
  const Expected& expected;
  at::ScalarType type = at::kFloat;

  std::unique_ptr<model::Network> build() const { return model::build(settings, row, outputs, 7, type); }

  at::Tensor inputs(std::int64_t batch) const {
    std::vector<std::int64_t> shape{batch};
    shape.insert(shape.end(), row.begin(), row.end());
    at::Generator generator = at::detail::createCPUGenerator(3);
    return type == at::kLong ? at::randint(outputs, shape, generator, at::kLong) : at::randn(shape, generator);
  }
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {"cnn", settings_of(ModelKind::Cnn), {2, 8, 6}, 3, cnn},
      {"resnet", settings_of(ModelKind::Resnet), {1, 8, 8}, 3, resnet},
      {"transformer", settings_of(ModelKind::Transformer), {6}, 2, transformer, at::kLong},
      {"own attention", own_attention(), {6}, 2, transformer, at::kLong},
      {"lstm", deep_lstm(), {6, 3}, 2, lstm},
      {"lstm of characters", settings_of(ModelKind::Lstm), {6}, 2, characters, at::kLong},
  };
  return all;
}

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().flatten().contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

std::vector<std::string> described(const std::vector<model::NamedTensor>& state) {
  std::vector<std::string> lines;
  for (const model::NamedTensor& item : state) {
    std::string shape;
    for (const std::int64_t size : item.tensor.sizes()) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    lines.push_back(item.name + " [" + shape + ']');
  }
  return lines;
}

bool equal_states(const model::Network& a, const model::Network& b) {
  for (std::size_t i = 0; i < a.state().size(); ++i) {
    if (!at::equal(a.state()[i].tensor, b.state()[i].tensor)) return false;
  }
  return true;
}

/// "operator in path" of every operator that runs while this object lives.
class Trace {
 public:
  Trace() {
    seen.clear();
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback([](const at::RecordFunction& function) {
                                           seen.insert(std::string(function.name()) + " in " +
                                                       precision::ModuleScope::current());
                                           return std::unique_ptr<at::ObserverContext>();
                                         }).scopes({at::RecordScope::FUNCTION}));
  }
  ~Trace() { at::removeCallback(handle_); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  static std::set<std::string> seen;

 private:
  at::CallbackHandle handle_;
};
std::set<std::string> Trace::seen;

Error refusal_of(const spec::Model& settings, const std::vector<std::int64_t>& row, at::ScalarType type = at::kFloat) {
  try {
    model::build(settings, row, 3, 7, type);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::CallOrder, {"was not refused", "", 0, 0, "", "", "", ""}};
}

}  // namespace

class BuiltInModelTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void names_shapes_and_initial_weights_are_pytorchs() {
    for (const Sample& sample : samples()) {
      const auto network = sample.build();
      QCOMPARE(described(network->state()), sample.expected.names);
      QCOMPARE(values_of(network->parameters().back().tensor), sample.expected.last_drawn);
    }
  }

  void default_resnet_has_272186_parameters() {  // 272,186: shared/models' ResNet-20 for fashion
    spec::Model settings;
    settings.kind = ModelKind::Resnet;
    const auto network = model::build(settings, {1, 28, 28}, 10, 1);
    std::int64_t elements = 0;
    for (const auto& item : network->parameters()) elements += item.tensor.numel();
    QCOMPARE(elements, 272186);
  }

  void outputs_are_a_row_for_each_row_or_character() {
    for (const Sample& sample : samples()) {
      const bool by_character = sample.type == at::kLong;
      const std::vector<std::int64_t> expected =
          by_character ? std::vector<std::int64_t>{5, 6, sample.outputs} : std::vector<std::int64_t>{5, sample.outputs};
      QCOMPARE(sample.build()->forward(sample.inputs(5)).sizes().vec(), expected);
    }
  }

  void transformer_sees_no_later_character() {
    for (const std::size_t which : {2U, 3U, 5U}) {
      const Sample& sample = samples()[which];
      const auto network = sample.build();
      const at::Tensor text = at::zeros({1, 6}, at::kLong);
      at::Tensor changed = text.clone();
      changed[0][3] = 1;
      const at::Tensor before = network->forward(text);
      const at::Tensor after = network->forward(changed);
      QVERIFY(at::equal(before.narrow(1, 0, 3), after.narrow(1, 0, 3)));
      QVERIFY(!at::equal(before.select(1, 3), after.select(1, 3)));
    }
  }

  void own_attention_and_sdpa_agree() {
    const at::Tensor text = samples()[2].inputs(5);
    const at::Tensor one_operator = samples()[2].build()->forward(text);
    const at::Tensor own = samples()[3].build()->forward(text);
    QVERIFY(at::allclose(one_operator, own, 1e-5, 1e-5));  // FP32 sums in another order
  }

  void clone_trains_on_its_own_and_draws_nothing() {
    for (const Sample& sample : samples()) {
      const auto original = sample.build();
      const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
      const auto copy = original->clone();
      QVERIFY(at::equal(at::detail::getDefaultCPUGenerator().get_state(), before));
      QVERIFY2(equal_states(*original, *copy), sample.name);
      original->set_training(true);
      original->forward(sample.inputs(5)).sum().backward();  // BatchNorm's buffers move
      const at::NoGradGuard no_grad;
      for (const auto& item : original->parameters()) item.tensor.add_(1.0);
      const auto fresh = sample.build();
      QVERIFY2(equal_states(*fresh, *copy), sample.name);
      QVERIFY(!copy->parameters().front().tensor.grad().defined());
    }
  }

  void clone_keeps_what_is_frozen_and_the_mode() {
    const auto original = samples()[1].build();
    original->parameters()[0].tensor.set_requires_grad(false);
    original->set_training(false);
    const auto copy = original->clone();
    QVERIFY(!copy->parameters()[0].tensor.requires_grad());
    QVERIFY(copy->parameters()[1].tensor.requires_grad());
    copy->forward(samples()[1].inputs(5));
    QVERIFY(equal_states(*original, *copy));  // in evaluation mode BatchNorm counts no batch
  }

  void only_dropout_uses_randomness_and_only_in_training() {
    for (const Sample& sample : samples()) QVERIFY(!sample.build()->may_use_randomness());
    const auto network = model::build(own_attention(0.5), {6}, 2, 7, at::kLong);
    QVERIFY(network->may_use_randomness());
    const at::Tensor text = samples()[2].inputs(5);
    network->set_training(true);
    QVERIFY(!at::equal(network->forward(text), network->forward(text)));
    network->set_training(false);
    QVERIFY(at::equal(network->forward(text), network->forward(text)));
  }

  void every_operator_runs_in_the_scope_of_its_module() {
    const std::vector<std::vector<std::string>> expected = {
        {"aten::conv2d in features.0", "aten::relu in features.1", "aten::max_pool2d in features.2",
         "aten::conv2d in features.3", "aten::linear in head"},
        {"aten::batch_norm in stem.1", "aten::relu in stem.2", "aten::conv2d in blocks.2.conv2",
         "aten::relu in blocks.1", "aten::add in blocks.2", "aten::conv2d in blocks.1.shortcut.0",
         "aten::batch_norm in blocks.1.shortcut.1", "aten::adaptive_avg_pool2d in ", "aten::linear in head"},
        {"aten::embedding in token_embedding", "aten::embedding in position_embedding",
         "aten::layer_norm in blocks.0.norm1", "aten::linear in blocks.0.attn.qkv",
         "aten::scaled_dot_product_attention in blocks.0.attn", "aten::linear in blocks.0.attn.proj",
         "aten::add in blocks.0", "aten::gelu in blocks.0.mlp.1", "aten::layer_norm in norm", "aten::linear in head"},
        {"aten::bmm in blocks.0.attn", "aten::masked_fill in blocks.0.attn", "aten::softmax in blocks.0.attn"},
        {"aten::lstm in lstm", "aten::mean in ", "aten::linear in head"},
        {"aten::embedding in embedding", "aten::lstm in lstm", "aten::linear in head"},
    };
    for (std::size_t i = 0; i < samples().size(); ++i) {
      const auto network = samples()[i].build();
      const at::Tensor inputs = samples()[i].inputs(5);
      {
        const Trace trace;
        network->forward(inputs);
      }
      for (const std::string& place : expected[i]) QVERIFY2(Trace::seen.count(place) == 1, place.c_str());
      QCOMPARE(precision::ModuleScope::current(), std::string());
    }
  }

  void layers_of_an_mlp_say_their_number() {
    spec::Model settings;
    settings.hidden = {4};
    settings.activation = spec::Activation::Gelu;
    const auto network = model::build(settings, 3, 1, 7);
    const Trace trace;
    network->forward(at::ones({2, 3}));
    for (const char* place : {"aten::linear in 0", "aten::gelu in 1", "aten::linear in 2"}) {
      QVERIFY2(Trace::seen.count(place) == 1, place);
    }
  }

  void data_of_another_shape_is_refused_in_words() {
    const auto refused = [](const Error& error, const char* problem, const char* found, const char* remedy) {
      return error.kind() == ErrorKind::ModelProblem && error.facts().problem.find(problem) != std::string::npos &&
             error.facts().found == found && error.facts().remedy.find(remedy) != std::string::npos;
    };
    const spec::Model images = settings_of(ModelKind::Cnn);
    QVERIFY(refused(refusal_of(images, {64}), "read images", "rows of shape [64]", "data.shape = [1, 28, 28]"));
    QVERIFY(refused(refusal_of(images, {6}, at::kLong), "read images", "rows of characters [6]", "transformer"));
    QVERIFY(refused(refusal_of(images, {1, 8, 3}), "nothing is left", "rows of shape [1, 8, 3]", "fewer stages"));
    QVERIFY(refused(refusal_of(settings_of(ModelKind::Resnet), {8, 8}), "read images", "rows of shape [8, 8]",
                    "data.shape = [1, 28, 28]"));
    QVERIFY(refused(refusal_of(settings_of(ModelKind::Transformer), {6, 3}), "reads characters", "rows of shape [6, 3]",
                    "lstm"));
    QVERIFY(refused(refusal_of(settings_of(ModelKind::Lstm), {64}), "read sequences", "rows of shape [64]",
                    "data.shape = [25, 12]"));
    QVERIFY(refused(refusal_of(deep_lstm(), {6}, at::kLong), "sees the character it has to predict", "true", ""));
    QVERIFY(refused(refusal_of(settings_of(ModelKind::Mlp), {6}, at::kLong), "read numbers", "rows of characters [6]",
                    "transformer"));
  }
};

QTEST_GUILESS_MAIN(BuiltInModelTests)
#include "built_in_model_tests.moc"
