// SPDX-License-Identifier: Apache-2.0
#include "core/model/torchscript.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/attributes.h"
#include "core/model/input_binding.h"
#include "core/model/jit_instances.h"
#include "core/model/output_selection.h"
#include "core/model/torchscript_module.h"
#include "core/precision/jit_cast_policy.h"

namespace mantissa::model {
namespace {

/// Executor optimisation is a setting of the thread; it is put back so that a host program keeps its own. It stays on
/// where the trial asks for TorchScript's own cast policy.
class WithoutExecutorOptimisation {
 public:
  WithoutExecutorOptimisation() : before_(torch::jit::getGraphExecutorOptimize()) {
    torch::jit::setGraphExecutorOptimize(precision::JitCastScope::active());
  }
  ~WithoutExecutorOptimisation() { torch::jit::setGraphExecutorOptimize(before_); }
  WithoutExecutorOptimisation(const WithoutExecutorOptimisation&) = delete;
  WithoutExecutorOptimisation& operator=(const WithoutExecutorOptimisation&) = delete;

 private:
  bool before_;
};

bool is_narrow(at::ScalarType type) { return type == at::kHalf || type == at::kBFloat16; }

/// Of the module, and of its instances under TorchScript's own cast policy: each has its own.
class CopiedAttributes : public Attributes {
 public:
  std::vector<c10::IValue> module;
  std::map<JitInstances::Instances::key_type, std::vector<c10::IValue>> instances;
};

class TorchScript : public Network {
 public:
  /// \param attributes  of a module with the same code; null: they are found out.
  TorchScript(torch::jit::Module module, spec::Model settings,
              std::shared_ptr<const AttributeNames> attributes = nullptr)
      : module_(std::move(module)),
        settings_(std::move(settings)),
        attributes_(attributes ? std::move(attributes)
                               : std::make_shared<const AttributeNames>(attribute_names(module_))),
        prediction_("model.prediction", settings_.prediction),
        loss_("model.loss", settings_.loss) {
    if (!module_.find_method("forward")) refuse("the model has no forward method", "", "");
    resets_state_ = can_reset_states(module_);
    const std::set<std::string> operators = operators_of(module_);
    mode_operators_ = mode_operators_of(operators);
    has_lstm_ = operators.count("aten::lstm") > 0;
    collect();
    settle_stored_dtype();
    if (settings_.inputs.empty() && takes_one_input()) bind({});
  }

  void use(const Usage& usage) override {
    bind(usage);
    usage_ = usage;
  }

  at::Tensor forward(const at::Tensor& inputs) override { return prediction_.pick(call(inputs, {})); }

  Outputs compute(const at::Tensor& inputs, const at::Tensor& targets) override {
    const c10::IValue output = call(inputs, targets);
    if (!usage_.returns_loss) return {prediction_.pick(output), {}};
    at::Tensor loss = pick_loss(loss_, output);
    return {prediction_.pick(output), std::move(loss)};
  }

  bool takes_targets() const override { return binding_ && binding_->takes_targets(); }

  void set_training(bool training) override {
    module_.train(training);
    jit_instances_.set_training(training);
  }

  std::unique_ptr<Network> clone() const override {
    const at::NoGradGuard no_grad;  // a copy made under autograd would not be a leaf
    auto copy = std::make_unique<TorchScript>(module_.deepcopy(), settings_, attributes_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      copy->parameters_[i].tensor.set_requires_grad(parameters_[i].tensor.requires_grad());
    }
    copy->usage_ = usage_;
    copy->binding_ = binding_;
    copy->notes_ = notes_;
    return copy;
  }

  std::unique_ptr<Attributes> copy_attributes() const override {
    if (attributes_->changing.empty()) return nullptr;
    auto copy = std::make_unique<CopiedAttributes>();
    copy->module = model::copy_attributes(module_, attributes_->changing, state_);
    for (const auto& [dtypes, instance] : jit_instances_.made()) {
      copy->instances[dtypes] = model::copy_attributes(instance, attributes_->changing, state_);
    }
    return copy;
  }

  void put_back(const Attributes& attributes) override {
    const auto& copy = dynamic_cast<const CopiedAttributes&>(attributes);
    put_attributes(module_, attributes_->changing, copy.module, state_, state_);
    std::set<JitInstances::Instances::key_type> known;
    for (const auto& [dtypes, values] : copy.instances) {
      known.insert(dtypes);
      put_attributes(jit_instances_.of(module_, dtypes), attributes_->changing, values, state_, state_);
    }
    jit_instances_.keep_only(known);
  }

  void take_attributes(const Network& other) override {
    if (attributes_->changing.empty()) return;
    const auto& from = dynamic_cast<const TorchScript&>(other);
    const std::vector<c10::IValue> values = model::copy_attributes(from.module_, attributes_->changing, from.state_);
    put_attributes(module_, attributes_->changing, values, from.state_, state_);
    jit_instances_.keep_only({});
  }

  StoredAttributes stored_attributes() const override {
    if (attributes_->all.empty()) return {};
    AttributeWriter writer(state_);
    nlohmann::json text = {{"module", writer.write(module_, *attributes_)}, {"instances", nlohmann::json::array()}};
    for (const auto& [dtypes, instance] : jit_instances_.made()) {
      text["instances"].push_back(
          {static_cast<int>(dtypes.first), static_cast<int>(dtypes.second), writer.write(instance, *attributes_)});
    }
    return {text.dump(), std::move(writer.tensors), writer.unsaved};
  }

  void load_attributes(const StoredAttributes& stored) override {
    if (!stored.unsaved.empty()) {
      refuse("a checkpoint cannot hold what the model keeps between calls", stored.unsaved,
             "a number, a text, a flag, a tensor without a history, or lists, dictionaries and objects of these",
             "model", "Keep it as a buffer (register_buffer), or run the experiment from its beginning");
    }
    if (stored.text.empty() && !attributes_->changing.empty()) {
      refuse("the checkpoint of an earlier version lacks what the model keeps between calls",
             *attributes_->changing.begin(), "", "model", "Run the experiment from its beginning");
    }
    if (stored.text.empty()) return;
    const nlohmann::json text = nlohmann::json::parse(stored.text);
    AttributeReader reader(state_, stored.tensors);
    reader.read(module_, text.at("module"));
    for (const nlohmann::json& instance : text.at("instances")) {
      const JitInstances::Instances::key_type dtypes(static_cast<c10::ScalarType>(instance.at(0).get<int>()),
                                                     static_cast<c10::ScalarType>(instance.at(1).get<int>()));
      reader.read(jit_instances_.of(module_, dtypes), instance.at(2));
    }
  }

  bool may_use_randomness() const override { return true; }

  Traits traits() const override { return {/*from_file=*/true, resets_state_, mode_operators_, has_lstm_}; }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& found, const std::string& expected,
                           const std::string& subject = "model.path", const std::string& remedy = {}) const {
    throw Error(ErrorKind::ModelProblem, {problem, settings_.path, 0, 0, subject, found, expected, remedy});
  }

  const c10::FunctionSchema& forward_schema() const { return module_.get_method("forward").function().getSchema(); }

  bool takes_one_input() const {
    const auto& arguments = forward_schema().arguments();
    return arguments.size() >= 2 && std::all_of(arguments.begin() + 2, arguments.end(), [](const c10::Argument& later) {
             return later.default_value().has_value();
           });
  }

  void bind(const Usage& usage) { binding_.emplace(settings_.inputs, usage, forward_schema()); }

  void collect() {
    for (const auto& item : module_.named_parameters()) state_.push_back({item.name, item.value});
    parameters_ = each_once(state_);
    std::vector<NamedTensor> buffers;
    for (const auto& item : module_.named_buffers()) buffers.push_back({item.name, item.value});
    state_.insert(state_.end(), buffers.begin(), buffers.end());
    buffers_ = each_once(buffers);
    for (const NamedTensor& parameter : parameters_) {
      const at::ScalarType type = parameter.tensor.scalar_type();
      if (type == at::kFloat || is_narrow(type)) continue;
      refuse("weights of a type that cannot be trained", c10::toString(type), "Float, Half or BFloat16", parameter.name,
             "Save the model after model.float()");
    }
  }

  void settle_stored_dtype() {
    std::set<std::string> types;
    std::int64_t count = 0;
    for (const NamedTensor& stored : each_once(state_)) {
      if (!is_narrow(stored.tensor.scalar_type())) continue;
      types.insert(stored.tensor.scalar_type() == at::kHalf ? "FP16" : "BF16");
      if (settings_.stored_dtype == spec::StoredDtype::Keep) {
        if (!narrow_.defined()) narrow_ = stored.tensor;
      } else {
        // In place: the module and every name of the tensor see it.
        stored.tensor.set_data(stored.tensor.to(at::kFloat));
      }
      ++count;
    }
    if (count == 0) return;
    const std::string which = std::to_string(count) + (count == 1 ? " tensor" : " tensors") + " of the model file " +
                              (count == 1 ? "is" : "are") + " stored in " +
                              (types.size() == 1 ? *types.begin() : std::string("FP16 and BF16"));
    if (narrow_.defined()) {
      notes_.push_back(which +
                       " and kept so (model.stored_dtype): weights, gradients and optimizer state have that "
                       "type, and inputs are given in it.");
    } else {
      notes_.push_back(which + " and widened to FP32 (model.stored_dtype = \"keep\" leaves them).");
    }
  }

  c10::IValue call(const at::Tensor& inputs, const at::Tensor& targets) {
    const WithoutExecutorOptimisation as_eager;
    torch::jit::Module& running = jit_instances_.of(module_);
    if (resets_state_) running.get_method("reset_states")({});
    const bool narrows = narrow_.defined() && inputs.is_floating_point();
    const at::Tensor given = narrows ? inputs.to(narrow_.scalar_type()) : inputs;
    if (!binding_) bind({});  // says what forward takes
    // A model may write into what it is given: the batch is every arm's, so each gets a copy.
    const at::Tensor own = given.clone();
    if (binding_->plain()) return running.forward({own});
    return running.forward(binding_->arguments(own, targets.defined() ? targets.clone() : targets));
  }

  torch::jit::Module module_;
  JitInstances jit_instances_;
  spec::Model settings_;
  std::shared_ptr<const AttributeNames> attributes_;
  Usage usage_;
  std::optional<InputBinding> binding_;  // nothing until `use` where forward takes several inputs
  OutputSelection prediction_;
  OutputSelection loss_;
  bool resets_state_ = false;
  bool has_lstm_ = false;
  at::Tensor narrow_;  // a kept FP16 or BF16 weight: its type, now, is that of the inputs
  std::vector<std::string> mode_operators_;
};

}  // namespace

std::unique_ptr<Network> load_torchscript(const spec::Model& settings) {
  return std::make_unique<TorchScript>(load_module(settings.path), settings);
}

std::unique_ptr<Network> load_torchscript(const std::string& path) {
  spec::Model settings;
  settings.kind = spec::ModelKind::TorchScript;
  settings.path = path;
  return load_torchscript(settings);
}

}  // namespace mantissa::model
