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
#include "core/model/asynchronous_calls.h"
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
  std::vector<NamedTensor> state;  // whose tensors they hold: those that were the network's then
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
    if (const std::string call = asynchronous_call_of(module_); !call.empty()) {
      refuse("the model goes on in other threads, where a trial's autocast does not hold", call, "", "model.path",
             "Call the function directly, without torch.jit.fork and torch.jit.wait");
    }
    resets_state_ = can_reset_states(module_);
    const std::set<std::string> operators = operators_of(module_);
    mode_operators_ = mode_operators_of(operators);
    has_lstm_ = operators.count("aten::lstm") > 0;
    collect();
    if (settings_.inputs.empty() && takes_one_input()) bind({});
  }

  /// Once after loading: a clone has what its original has.
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

  void use(const Usage& usage) override {
    bind(usage);
    usage_ = usage;
    choose_others();
  }

  at::Tensor forward(const at::Tensor& inputs) override { return prediction_.pick(call(inputs, {})); }

  Outputs compute(const at::Tensor& inputs, const at::Tensor& targets) override {
    return outputs_of(call(inputs, targets));
  }

  Outputs compute_all(const at::Tensor& inputs, const at::Tensor& targets) override {
    const c10::IValue output = call(inputs, targets);
    Outputs outputs = outputs_of(output);
    for (const OutputSelection& other : others_) outputs.others.push_back(other.pick(output));
    return outputs;
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
    for (std::size_t i = 0; narrow_.defined() && i < state_.size(); ++i) {
      if (state_[i].tensor.is_same(narrow_)) copy->narrow_ = copy->state_[i].tensor;
    }
    copy->usage_ = usage_;
    copy->choose_others();
    copy->binding_ = binding_;
    copy->notes_ = notes_;
    return copy;
  }

  std::unique_ptr<Attributes> copy_attributes() const override {
    if (attributes_->changing.empty()) return nullptr;
    auto copy = std::make_unique<CopiedAttributes>();
    copy->state = state_;
    CopiedTensors copied = standing_for(state_, state_);
    copy->module = model::copy_attributes(module_, attributes_->changing, copied);
    for (const auto& [dtypes, instance] : jit_instances_.made()) {
      copy->instances[dtypes] = model::copy_attributes(instance, attributes_->changing, copied);
    }
    return copy;
  }

  void put_back(const Attributes& attributes) override {
    const auto& copy = dynamic_cast<const CopiedAttributes&>(attributes);
    CopiedTensors copied = standing_for(copy.state, copy.state);
    put_attributes(module_, attributes_->changing, copy.module, copied, /*same_network=*/true);
    std::set<JitInstances::Instances::key_type> known;
    for (const auto& [dtypes, values] : copy.instances) {
      known.insert(dtypes);
      put_attributes(jit_instances_.of(module_, dtypes), attributes_->changing, values, copied, /*same_network=*/true);
    }
    jit_instances_.keep_only(known);
    follow_buffers();
  }

  void take_attributes(const Network& other) override {
    if (attributes_->changing.empty()) return;
    const auto& from = dynamic_cast<const TorchScript&>(other);
    CopiedTensors copied = standing_for(from.fixed_, from.fixed_);
    const std::vector<c10::IValue> values = model::copy_attributes(from.module_, attributes_->changing, copied);
    CopiedTensors own = standing_for(from.fixed_, fixed_);
    put_attributes(module_, attributes_->changing, values, own, /*same_network=*/false);
    jit_instances_.keep_only({});
    follow_buffers();
  }

  void put_buffer(std::size_t index, const at::Tensor& tensor) override {
    const auto set = [index](const SetBuffer& candidate) { return candidate.in_buffers == index; };
    const auto found = std::find_if(set_buffers_.begin(), set_buffers_.end(), set);
    if (found == set_buffers_.end()) return;
    found->place.object->setSlot(found->place.index, tensor);
    follow_buffers();
  }

  StoredAttributes stored_attributes() const override {
    if (attributes_->all.empty()) return {};
    AttributeWriter writer(fixed_);
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
    if (stored.text.empty() && !attributes_->changing.empty()) refuse_earlier(*attributes_->changing.begin());
    if (stored.text.empty()) return;
    const nlohmann::json text = nlohmann::json::parse(stored.text);
    for (const std::string& name : attributes_->set_buffers) refuse_without(name, text.at("module"));
    AttributeReader reader(fixed_, stored.tensors);
    reader.read(module_, text.at("module"));
    for (const nlohmann::json& instance : text.at("instances")) {
      const JitInstances::Instances::key_type dtypes(static_cast<c10::ScalarType>(instance.at(0).get<int>()),
                                                     static_cast<c10::ScalarType>(instance.at(1).get<int>()));
      reader.read(jit_instances_.of(module_, dtypes), instance.at(2));
    }
    follow_buffers();
  }

  bool may_use_randomness() const override { return true; }

  Traits traits() const override { return {/*from_file=*/true, resets_state_, mode_operators_, has_lstm_}; }

 private:
  /// A buffer that the code sets to other tensors.
  struct SetBuffer {
    Place place;
    std::size_t in_buffers = 0;
    std::size_t in_state = 0;
  };

  [[noreturn]] void refuse(const std::string& problem, const std::string& found, const std::string& expected,
                           const std::string& subject = "model.path", const std::string& remedy = {}) const {
    throw Error(ErrorKind::ModelProblem, {problem, settings_.path, 0, 0, subject, found, expected, remedy});
  }

  [[noreturn]] void refuse_earlier(const std::string& name) const {
    refuse("the checkpoint of an earlier version lacks what the model keeps between calls", name, "", "model",
           "Run the experiment from its beginning");
  }

  void refuse_without(const std::string& name, const nlohmann::json& attributes) const {
    const auto is_it = [&name](const nlohmann::json& attribute) { return attribute.at(0) == name; };
    if (std::none_of(attributes.begin(), attributes.end(), is_it)) refuse_earlier(name);
  }

  const c10::FunctionSchema& forward_schema() const { return module_.get_method("forward").function().getSchema(); }

  bool takes_one_input() const {
    const auto& arguments = forward_schema().arguments();
    return arguments.size() >= 2 && std::all_of(arguments.begin() + 2, arguments.end(), [](const c10::Argument& later) {
             return later.default_value().has_value();
           });
  }

  Outputs outputs_of(const c10::IValue& output) const {
    at::Tensor loss;
    if (usage_.returns_loss) loss = pick_loss(loss_, output);
    return {prediction_.pick(output), std::move(loss), {}};
  }

  void choose_others() {
    others_.clear();
    for (const std::string& selector : usage_.other_outputs) others_.emplace_back("rules.output.output", selector);
  }

  void bind(const Usage& usage) { binding_.emplace(settings_.inputs, usage, forward_schema()); }

  void collect() {
    if (!attributes_->set_parameters.empty()) {
      refuse("forward sets a parameter to another tensor, which no optimizer would know of",
             *attributes_->set_parameters.begin(), "parameters that stay the same tensors", "model.path",
             "Let forward write into it in place under torch.no_grad(), or make it a buffer (register_buffer)");
    }
    for (const auto& item : module_.named_parameters()) state_.push_back({item.name, item.value});
    parameters_ = each_once(state_);
    std::vector<NamedTensor> buffers;
    for (const auto& item : module_.named_buffers()) buffers.push_back({item.name, item.value});
    state_.insert(state_.end(), buffers.begin(), buffers.end());
    collect_buffers(buffers);
    for (const NamedTensor& parameter : parameters_) {
      const at::ScalarType type = parameter.tensor.scalar_type();
      if (type == at::kFloat || is_narrow(type)) continue;
      refuse("weights of a type that cannot be trained", c10::toString(type), "Float, Half or BFloat16", parameter.name,
             "Save the model after model.float()");
    }
  }

  void collect_buffers(const std::vector<NamedTensor>& named) {
    const std::size_t parameters = state_.size() - named.size();
    fixed_.assign(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(parameters));
    // Which names share a tensor may change where the code sets buffers.
    buffers_ = attributes_->set_buffers.empty() ? each_once(named) : named;
    std::vector<Place> places;
    for (const std::string& name : attributes_->set_buffers) places.push_back(place_of(module_, name));
    for (std::size_t i = 0; i < named.size(); ++i) {
      const Place own = places.empty() ? Place() : place_of(module_, named[i].name);
      const bool set = std::any_of(places.begin(), places.end(), [&own](const Place& place) {
        return place.object == own.object && place.index == own.index;
      });
      if (set) {
        set_buffers_.push_back({own, i, parameters + i});
      } else {
        fixed_.push_back(named[i]);
      }
    }
  }

  /// The tensors that the module now has for the buffers that its code sets.
  void follow_buffers() {
    for (const SetBuffer& buffer : set_buffers_) {
      const at::Tensor& tensor = buffer.place.object->getSlot(buffer.place.index).toTensor();
      buffers_[buffer.in_buffers].tensor = tensor;
      state_[buffer.in_state].tensor = tensor;
    }
  }

  void hand_over_buffers(const torch::jit::Module& from, const torch::jit::Module& to) const {
    for (const std::string& name : attributes_->set_buffers) {
      const Place source = place_of(from, name);
      const Place target = place_of(to, name);
      target.object->setSlot(target.index, source.object->getSlot(source.index));
    }
  }

  /// While forward runs, also where it throws: the buffers that it sets are the module's, whichever instance runs.
  class FollowedBuffers {
   public:
    FollowedBuffers(TorchScript& network, const torch::jit::Module& running)
        : network_(network), running_(running), through_instance_(&running != &network.module_) {
      if (through_instance_) network_.hand_over_buffers(network_.module_, running_);
    }
    ~FollowedBuffers() {
      if (through_instance_) network_.hand_over_buffers(running_, network_.module_);
      network_.follow_buffers();
    }
    FollowedBuffers(const FollowedBuffers&) = delete;
    FollowedBuffers& operator=(const FollowedBuffers&) = delete;

   private:
    TorchScript& network_;
    const torch::jit::Module& running_;
    bool through_instance_;
  };

  c10::IValue call(const at::Tensor& inputs, const at::Tensor& targets) {
    const WithoutExecutorOptimisation as_eager;
    torch::jit::Module& running = jit_instances_.of(module_);
    const FollowedBuffers followed(*this, running);
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
  std::vector<SetBuffer> set_buffers_;
  std::vector<NamedTensor> fixed_;  // the rest of the state: always the same tensors
  Usage usage_;
  std::optional<InputBinding> binding_;  // nothing until `use` where forward takes several inputs
  OutputSelection prediction_;
  OutputSelection loss_;
  std::vector<OutputSelection> others_;
  bool resets_state_ = false;
  bool has_lstm_ = false;
  at::Tensor narrow_;  // a kept FP16 or BF16 weight: its type, now, is that of the inputs
  std::vector<std::string> mode_operators_;
};

}  // namespace

std::unique_ptr<Network> load_torchscript(const spec::Model& settings) {
  auto network = std::make_unique<TorchScript>(load_module(settings.path), settings);
  network->settle_stored_dtype();
  return network;
}

std::unique_ptr<Network> load_torchscript(const std::string& path) {
  spec::Model settings;
  settings.kind = spec::ModelKind::TorchScript;
  settings.path = path;
  return load_torchscript(settings);
}

}  // namespace mantissa::model
