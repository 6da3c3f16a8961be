// SPDX-License-Identifier: Apache-2.0
#include "core/model/torchscript_module.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <sstream>
#include <string_view>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/graph_rewrite_helper.h>
#include <torch/csrc/jit/serialization/import.h>

#include "core/base/error.h"
#include "core/base/given_file.h"
#include "core/model/input_file.h"
#include "core/model/model_prints.h"
#include "core/model/zip_archive.h"

namespace mantissa::model {
namespace {

constexpr std::string_view kNamespace = "aten::";

/// torch.jit.load unpickles and runs the file's own __setstate__, with errors that only LibTorch's authors understand:
/// look through the archive first.
void look_through(const std::string& path) {
  InputFile file(path);
  const std::string start = file.read(0, std::min<std::uint64_t>(file.size(), 4));
  if (start != std::string("PK\x03\x04", 4)) {
    throw Error(ErrorKind::FileProblem,
                {"is not a TorchScript model", path, 0, 0, "model.path", "", "a file written by torch.jit.save",
                 "Save it with torch.jit.script(model).save(path)"});
  }
  ZipArchive archive(path);
  if (archive.find("constants.pkl") == nullptr) {
    const bool state_dict = archive.find("data.pkl") != nullptr;
    throw Error(
        ErrorKind::FileProblem,
        {state_dict ? "is a file of torch.save, not a TorchScript model" : "is not a TorchScript model", path, 0, 0,
         "model.path", "", "a file written by torch.jit.save",
         state_dict ? "Save the model with torch.jit.script(model).save(path); weights alone are for model.weights"
                    : "Save it with torch.jit.script(model).save(path)"});
  }
  archive.verify();
}

/// Tracing records aten::_convolution, which autocast does not cast on a CPU; scripts and eager code call aten::conv2d
/// and its like, which it does.
void rewrite_traced_convolutions(const torch::jit::Module& module) {
  for (const torch::jit::Module& inner : module.modules()) {
    for (const torch::jit::Method& method : inner.get_methods()) {
      std::shared_ptr<torch::jit::Graph> graph = torch::jit::toGraphFunction(method.function()).graph();
      torch::jit::graph_rewrite_helper::replaceConvolutionWithAtenConv(graph);
    }
  }
}

void collect_operators(const torch::jit::Block* block, std::set<std::string>& names) {
  for (const torch::jit::Node* node : block->nodes()) {
    const std::string name = node->kind().toQualString();
    if (name.compare(0, kNamespace.size(), kNamespace) == 0) names.insert(name);
    for (const torch::jit::Block* inner : node->blocks()) collect_operators(inner, names);
  }
}

/// dropout, alpha_dropout, feature_dropout …, and the normalisations over a batch.
bool has_a_mode(const std::string& name) {
  return name.find("dropout") != std::string::npos || name.find("batch_norm") != std::string::npos;
}

void collect_fixed_modes(const torch::jit::Block* block, std::set<std::string>& modes) {
  for (const torch::jit::Node* node : block->nodes()) {
    const std::string name = node->kind().toQualString();
    for (const torch::jit::Block* inner : node->blocks()) collect_fixed_modes(inner, modes);
    if (name.compare(0, kNamespace.size(), kNamespace) != 0 || !has_a_mode(name)) continue;
    for (const char* const argument : {"train", "training"}) {  // as the operators' schemas name it
      if (!node->hasNamedInput(argument)) continue;
      const auto mode = node->get(c10::Symbol::attr(argument));  // nothing where it is no constant
      if (!mode || !mode->isBool()) continue;
      modes.insert(name.substr(kNamespace.size()) + (mode->toBool() ? " (training)" : " (evaluation)"));
    }
  }
}

bool is_the_machines(const std::exception& error, const std::string& words) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr || words.find("std::bad_alloc") != std::string::npos ||
         words.find("can't allocate memory") != std::string::npos;
}

/// What LibTorch says of a file, without the code that it prints below: "Unknown builtin op: aten::lineal. Here are
/// some suggestions: aten::linear".
std::string on_one_line(const std::string& words) {
  std::istringstream pieces(words.substr(0, words.find("The original call is:")));
  std::string line;
  for (std::string piece; pieces >> piece;) line += (line.empty() ? "" : " ") + piece;
  return line;
}

}  // namespace

torch::jit::Module load_module(const std::string& path) {
  look_through(path);
  take_prints();  // a file's __setstate__ runs while loading
  try {
    torch::jit::Module module = torch::jit::load(path, at::kCPU);
    rewrite_traced_convolutions(module);
    return module;
  } catch (const std::exception& error) {
    const auto* const of_torch = dynamic_cast<const c10::Error*>(&error);
    const std::string words = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
    if (is_the_machines(error, words)) throw;  // whoever loads it says what memory was for
    if (words.find("Too many open files") != std::string::npos) fail_to_open(path, EMFILE, "");
    throw Error(ErrorKind::ModelProblem, {"the model cannot be loaded", path, 0, 0, "model.path", on_one_line(words),
                                          "a file written by torch.jit.save", ""});
  }
}

std::vector<NamedTensor> each_once(const std::vector<NamedTensor>& named) {
  std::vector<NamedTensor> distinct;
  for (const NamedTensor& candidate : named) {
    const auto is_same = [&](const NamedTensor& known) { return known.tensor.is_same(candidate.tensor); };
    if (std::none_of(distinct.begin(), distinct.end(), is_same)) distinct.push_back(candidate);
  }
  return distinct;
}

std::set<std::string> operators_of(const torch::jit::Module& module) {
  std::set<std::string> operators;
  for (const torch::jit::Module& inner : module.modules()) {
    for (const torch::jit::Method& method : inner.get_methods()) collect_operators(method.graph()->block(), operators);
  }
  return operators;
}

std::vector<std::string> mode_operators_of(const std::set<std::string>& operators) {
  std::vector<std::string> found;
  for (const std::string& name : operators) {
    if (has_a_mode(name)) found.push_back(name.substr(kNamespace.size()));
  }
  return found;
}

std::set<std::string> fixed_modes_of(const torch::jit::Module& module) {
  std::set<std::string> modes;
  for (const torch::jit::Module& inner : module.modules()) {
    for (const torch::jit::Method& method : inner.get_methods()) collect_fixed_modes(method.graph()->block(), modes);
  }
  return modes;
}

bool can_reset_states(const torch::jit::Module& module) {
  const auto method = module.find_method("reset_states");
  if (!method) return false;
  const auto& arguments = method->function().getSchema().arguments();
  return std::all_of(arguments.begin() + 1, arguments.end(),
                     [](const c10::Argument& argument) { return argument.default_value().has_value(); });
}

}  // namespace mantissa::model
