// SPDX-License-Identifier: Apache-2.0
#include "core/model/asynchronous_calls.h"

#include <optional>
#include <set>
#include <string_view>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

namespace mantissa::model {
namespace {

bool is_asynchronous(const std::string& name) {
  return name == "prim::fork" || name == "aten::wait" || name.rfind("prim::awaitable", 0) == 0;
}

class Search {
 public:
  explicit Search(const torch::jit::Module& root) : root_(root) {}

  void look_through(const torch::jit::Module& module, const std::string& path, const std::string& method) {
    const auto found = module.find_method(method);
    if (found) look_through(found->function(), {module, path, path + method});
  }

  const std::string& found() const { return found_; }

 private:
  /// The code that is looked through.
  struct Place {
    std::optional<torch::jit::Module> self;  // nothing in a function, and in a method of an object that is no module
    std::string path;                        // of self: "encoder."
    std::string name;                        // "encoder.forward"; "slow, called by encoder.forward"
  };

  void look_through(torch::jit::Function& function, const Place& place) {
    torch::jit::GraphFunction* const code = torch::jit::tryToGraphFunction(function);
    if (!found_.empty() || code == nullptr || !seen_.insert(code).second) return;
    look_through(code->graph()->block(), place);
  }

  void look_through(const torch::jit::Block* block, const Place& place) {
    for (const torch::jit::Node* const node : block->nodes()) {
      const std::string name = node->kind().toQualString();
      if (found_.empty() && is_asynchronous(name)) found_ = name + " in " + place.name;
      if (node->kind() == c10::prim::CallFunction) follow_function(node, place);
      if (node->kind() == c10::prim::CallMethod) follow_method(node, place);
      for (const torch::jit::Block* const inner : node->blocks()) look_through(inner, place);
      if (!found_.empty()) return;
    }
  }

  void follow_function(const torch::jit::Node* node, const Place& place) {
    const auto type = node->input(0)->type()->cast<c10::FunctionType>();
    if (!type) return;
    torch::jit::Function& function = *type->function();
    look_through(function, {std::nullopt, "", function.name() + ", called by " + place.name});
  }

  void follow_method(const torch::jit::Node* node, const Place& place) {
    const std::string& method = node->s(c10::attr::name);
    std::string path = place.path;
    if (const auto module = module_of(node->input(0), place, path)) return look_through(*module, path, method);
    if (const auto type = node->input(0)->type()->cast<c10::ClassType>()) {
      torch::jit::Function* const function = type->findMethod(method);
      const std::string owner = type->name() ? type->name()->name() + '.' : std::string();
      if (function != nullptr) {
        look_through(*function, {std::nullopt, "", owner + method + ", called by " + place.name});
      }
      return;
    }
    // Through an interface that stands in no attribute: it may be any of them.
    for (const auto& item : root_.named_modules()) {
      look_through(item.value, item.name.empty() ? "" : item.name + '.', method);
    }
  }

  /// \param path  of self; becomes that of the module.
  static std::optional<torch::jit::Module> module_of(const torch::jit::Value* value, const Place& place,
                                                     std::string& path) {
    if (!place.self) return std::nullopt;
    const torch::jit::Node* const node = value->node();
    if (node->kind() == c10::prim::Param) {
      const bool is_self = value->offset() == 0 && node->owningBlock()->owningNode() == nullptr;
      return is_self ? place.self : std::nullopt;
    }
    if (node->kind() != c10::prim::GetAttr) return std::nullopt;
    const auto owner = module_of(node->input(0), place, path);
    const std::string& name = node->s(c10::attr::name);
    if (!owner || !owner->hasattr(name) || !owner->attr(name).isModule()) return std::nullopt;
    path += name + '.';
    return owner->attr(name).toModule();
  }

  const torch::jit::Module& root_;
  std::set<const void*> seen_;
  std::string found_;
};

}  // namespace

std::string asynchronous_call_of(const torch::jit::Module& module) {
  Search search(module);
  for (const char* const method : {"forward", "reset_states"}) search.look_through(module, "", method);
  return search.found();
}

}  // namespace mantissa::model
