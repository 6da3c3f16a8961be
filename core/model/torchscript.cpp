// SPDX-License-Identifier: Apache-2.0
#include "core/model/torchscript.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include "core/base/error.h"
#include "core/model/jit_instances.h"
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

void refuse_what_is_no_archive(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorKind::FileProblem, {"no such file", path, 0, 0, "model.path", "", "a TorchScript model", ""});
  }
  if (std::filesystem::is_directory(status)) {
    throw Error(ErrorKind::FileProblem, {"is a folder", path, 0, 0, "model.path", "", "a TorchScript model", ""});
  }
  if (!std::filesystem::is_regular_file(status)) {  // opening a pipe that nobody writes to waits for ever
    throw Error(ErrorKind::FileProblem,
                {"is a pipe or a device, not a file", path, 0, 0, "model.path", "", "a TorchScript model", ""});
  }
  std::ifstream stream(path, std::ios::binary);
  std::array<char, 4> magic{};
  if (!stream.read(magic.data(), magic.size()) || magic != std::array<char, 4>{'P', 'K', '\x03', '\x04'}) {
    throw Error(ErrorKind::FileProblem,
                {"is not a TorchScript model", path, 0, 0, "model.path", "", "a file written by torch.jit.save",
                 "Save it with torch.jit.script(model).save(path)"});
  }
}

torch::jit::Module load(const std::string& path) {
  refuse_what_is_no_archive(path);
  try {
    return torch::jit::load(path, at::kCPU);
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::ModelProblem, {"the model cannot be loaded", path, 0, 0, "model.path",
                                          error.what_without_backtrace(), "a file written by torch.jit.save", ""});
  } catch (const std::exception& error) {
    throw Error(ErrorKind::ModelProblem, {"the model cannot be loaded", path, 0, 0, "model.path", error.what(),
                                          "a file written by torch.jit.save", ""});
  }
}

/// Shared tensors under their first name only, as Python's named_parameters(): an optimizer must not hold one twice.
std::vector<NamedTensor> each_once(const std::vector<NamedTensor>& named) {
  std::vector<NamedTensor> distinct;
  for (const NamedTensor& candidate : named) {
    const auto is_same = [&](const NamedTensor& known) { return known.tensor.is_same(candidate.tensor); };
    if (std::none_of(distinct.begin(), distinct.end(), is_same)) distinct.push_back(candidate);
  }
  return distinct;
}

class TorchScript : public Network {
 public:
  TorchScript(torch::jit::Module module, std::string path) : module_(std::move(module)), path_(std::move(path)) {
    const auto forward = module_.find_method("forward");
    if (!forward) {
      throw Error(ErrorKind::ModelProblem, {"the model has no forward method", path_, 0, 0, "model.path", "", "", ""});
    }
    const std::size_t inputs = forward->num_inputs() - 1;  // without self
    if (inputs != 1) {
      throw Error(inputs > 1 ? ErrorKind::NotYetAvailable : ErrorKind::ModelProblem,
                  {inputs > 1 ? "models with several inputs are not yet available" : "forward takes no input", path_, 0,
                   0, "model.path", std::to_string(inputs) + " inputs", "one input tensor", ""});
    }
    for (const auto& item : module_.named_parameters()) state_.push_back({item.name, item.value});
    parameters_ = each_once(state_);
    std::vector<NamedTensor> buffers;
    for (const auto& item : module_.named_buffers()) buffers.push_back({item.name, item.value});
    state_.insert(state_.end(), buffers.begin(), buffers.end());
    buffers_ = each_once(buffers);
    for (const NamedTensor& parameter : parameters_) {
      if (parameter.tensor.scalar_type() != at::kFloat) {
        throw Error(ErrorKind::NotYetAvailable,
                    {"weights stored in another type than FP32 are not yet available", path_, 0, 0, parameter.name,
                     std::string(c10::toString(parameter.tensor.scalar_type())), "Float", ""});
      }
    }
  }

  at::Tensor forward(const at::Tensor& inputs) override {
    const WithoutExecutorOptimisation as_eager;
    const c10::IValue output = jit_instances_.of(module_).forward({inputs});
    if (!output.isTensor()) {
      throw Error(ErrorKind::NotYetAvailable, {"models with several outputs are not yet available", path_, 0, 0,
                                               "model.path", output.tagKind(), "one tensor", ""});
    }
    return output.toTensor();
  }

  void set_training(bool training) override {
    module_.train(training);
    jit_instances_.set_training(training);
  }

  std::unique_ptr<Network> clone() const override {
    const at::NoGradGuard no_grad;  // a copy made under autograd would not be a leaf
    auto copy = std::make_unique<TorchScript>(module_.deepcopy(), path_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      copy->parameters_[i].tensor.set_requires_grad(parameters_[i].tensor.requires_grad());
    }
    return copy;
  }

  bool may_use_randomness() const override { return true; }

 private:
  torch::jit::Module module_;
  JitInstances jit_instances_;
  std::string path_;
};

}  // namespace

namespace {

void collect_operators(const torch::jit::Block* block, std::set<std::string>& names) {
  for (const torch::jit::Node* node : block->nodes()) {
    const std::string name = node->kind().toQualString();
    if (name.compare(0, 6, "aten::") == 0) names.insert(name);
    for (const torch::jit::Block* inner : node->blocks()) collect_operators(inner, names);
  }
}

/// "__torch__.torch.nn.modules.linear.___torch_mangle_3.Linear" → "Linear"
std::string short_type_name(const torch::jit::Module& module) {
  const auto name = module.type()->name();
  return name ? name->name() : std::string("module");
}

}  // namespace

TorchScriptFacts torchscript_facts(const std::string& path) {
  const torch::jit::Module module = load(path);
  TorchScriptFacts facts;
  std::set<std::string> operators;
  for (const auto& item : module.named_modules()) {
    facts.modules.push_back((item.name.empty() ? "(the model)" : item.name) + ": " + short_type_name(item.value));
    for (const torch::jit::Method& method : item.value.get_methods()) {
      collect_operators(method.graph()->block(), operators);
    }
  }
  facts.operators.assign(operators.begin(), operators.end());
  bool trainable = false;
  for (const auto& item : module.named_parameters()) {
    facts.parameters.push_back({item.name, item.value});
    trainable = trainable || item.value.requires_grad();
  }
  facts.parameters = each_once(facts.parameters);
  for (const auto& item : module.named_buffers()) facts.buffers.push_back({item.name, item.value});
  if (!trainable) facts.problems.emplace_back("No trainable parameter: a frozen model can be evaluated, not trained.");
  if (!module.find_method("forward")) facts.problems.emplace_back("There is no forward method.");
  return facts;
}

std::unique_ptr<Network> load_torchscript(const std::string& path) {
  return std::make_unique<TorchScript>(load(path), path);
}

}  // namespace mantissa::model
