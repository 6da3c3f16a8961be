// SPDX-License-Identifier: Apache-2.0
#include "core/model/attributes.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/model/torchscript_module.h"

namespace mantissa::model {
namespace {

using nlohmann::json;
using Names = std::set<std::pair<const c10::ClassType*, std::string>>;

/// A value that a checkpoint cannot hold.
struct Unwritable {
  std::string why;
};

struct Slot {
  std::string name;  // path and name
  c10::intrusive_ptr<c10::ivalue::Object> object;
  std::size_t index = 0;
  c10::TypePtr type;
  bool is_parameter = false;
  bool is_buffer = false;
};

c10::TypePtr without_optional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional ? optional->getElementType() : type;
}

/// Whether a value of the type stays what it is unless the attribute is set to another.
bool is_fixed(const c10::TypePtr& given) {
  const c10::TypePtr type = without_optional(given);
  if (const auto tuple = type->cast<c10::TupleType>()) {
    const auto elements = tuple->elements();
    return std::all_of(elements.begin(), elements.end(), [](const c10::TypePtr& element) { return is_fixed(element); });
  }
  switch (type->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::ComplexType:
    case c10::TypeKind::NumberType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::StringType:
    case c10::TypeKind::NoneType:
    case c10::TypeKind::DeviceObjType:
    case c10::TypeKind::EnumType:
      return true;
    default:
      return false;
  }
}

/// Whether it can hold tensors that are reached past it, where the analysis does not follow.
bool holds_tensors(const c10::TypePtr& given) {
  const c10::TypePtr type = without_optional(given);
  if (type->kind() == c10::TypeKind::TensorType) return false;  // itself: followed
  if (const auto object = type->cast<c10::ClassType>()) {
    // Objects of C++ change through their methods alone, which the analysis takes for writes.
    return object->name() && object->name()->qualifiedName().rfind("__torch__.torch.classes.", 0) != 0;
  }
  const auto contained = type->containedTypes();
  return type->kind() == c10::TypeKind::AnyType ||
         std::any_of(contained.begin(), contained.end(), [](const c10::TypePtr& inner) {
           return inner->kind() == c10::TypeKind::TensorType || holds_tensors(inner);
         });
}

/// Every attribute of every object of the module but its submodules, each object once.
std::vector<Slot> slots_of(const torch::jit::Module& module) {
  std::vector<Slot> slots;
  std::set<const void*> seen;
  for (const auto& item : module.named_modules()) {
    const auto object = item.value._ivalue();
    if (!seen.insert(object.get()).second) continue;
    const auto type = item.value.type();
    for (std::size_t i = 0; i < type->numAttributes(); ++i) {
      const c10::TypePtr attribute = type->getAttribute(i);
      const bool is_module = attribute->is_module() || attribute->kind() == c10::TypeKind::InterfaceType;
      if (is_module) continue;
      const std::string& name = type->getAttributeName(i);
      if (name == "training") continue;
      // named_buffers() passes over a buffer that may be None.
      const bool is_tensor = attribute->isSubtypeOf(*c10::TensorType::get());
      slots.push_back({item.name.empty() ? name : item.name + '.' + name, object, i, attribute, type->is_parameter(i),
                       is_tensor && type->is_buffer(i)});
    }
  }
  return slots;
}

/// \param aliases  null: only what is set is noted, not what is written into.
void note_changes(const torch::jit::AliasDb* aliases, const torch::jit::Block* block, Names& changed) {
  for (const torch::jit::Node* const node : block->nodes()) {
    for (const torch::jit::Block* const inner : node->blocks()) note_changes(aliases, inner, changed);
    const bool sets = node->kind() == c10::prim::SetAttr;
    if (!sets && node->kind() != c10::prim::GetAttr) continue;
    const auto of = node->inputs().at(0)->type()->cast<c10::ClassType>();
    if (of && (sets || (aliases != nullptr && aliases->hasWriters(node->output())))) {
      changed.emplace(of.get(), node->s(c10::attr::name));
    }
  }
}

std::shared_ptr<torch::jit::Graph> whole_graph(const torch::jit::Method& method) {
  std::shared_ptr<torch::jit::Graph> graph = method.graph()->copy();
  torch::jit::Inline(*graph);
  return graph;
}

bool has_calls(const torch::jit::Block* block) {
  const auto nodes = block->nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const torch::jit::Node* node) {
    const auto blocks = node->blocks();
    return node->kind() == c10::prim::CallMethod || std::any_of(blocks.begin(), blocks.end(), has_calls);
  });
}

/// What the module's methods that run with every batch set to another value.
Names set_by_code(const torch::jit::Module& module) {
  Names set;
  bool calls_remain = false;
  for (const char* const name : {"forward", "reset_states"}) {
    const auto method = module.find_method(name);
    if (!method) continue;
    const std::shared_ptr<torch::jit::Graph> graph = whole_graph(*method);
    note_changes(nullptr, graph->block(), set);
    calls_remain = calls_remain || has_calls(graph->block());
  }
  if (!calls_remain) return set;
  // A call through an interface cannot be followed: it may be of any method.
  for (const torch::jit::Module& inner : module.modules()) {
    for (const torch::jit::Method& method : inner.get_methods()) {
      note_changes(nullptr, whole_graph(method)->block(), set);
    }
  }
  return set;
}

Names changed_by_code(const torch::jit::Module& module) {
  Names changed = set_by_code(module);
  if (const auto forward = module.find_method("forward")) {
    const std::shared_ptr<torch::jit::Graph> graph = whole_graph(*forward);
    // As frozen: every read of an attribute stands for itself, so that a write into one is no write into all.
    const torch::jit::AliasDb aliases(graph, /*isFrozen=*/true);
    note_changes(&aliases, graph->block(), changed);
  }
  return changed;
}

/// What reset_states sets anew, which is called before every batch.
Names set_anew(const torch::jit::Module& module) {
  Names set;
  const auto reset = can_reset_states(module) ? module.find_method("reset_states") : std::nullopt;
  if (reset) note_changes(nullptr, whole_graph(*reset)->block(), set);
  return set;
}

/// One tensor may stand under several names: what is written into it is seen under all.
void add_other_names(const torch::jit::Module& module, AttributeNames& names) {
  std::set<const void*> changing;
  const std::vector<Slot> slots = slots_of(module);
  const auto tensor_of = [](const Slot& slot) -> const void* {
    const c10::IValue& value = slot.object->getSlot(slot.index);
    return value.isTensor() ? value.toTensor().unsafeGetTensorImpl() : nullptr;
  };
  for (const Slot& slot : slots) {
    if (names.changing.count(slot.name) > 0 && tensor_of(slot) != nullptr) changing.insert(tensor_of(slot));
  }
  for (const Slot& slot : slots) {
    const bool is_plain = !slot.is_parameter && !slot.is_buffer;
    if (is_plain && changing.count(tensor_of(slot)) > 0) names.changing.insert(slot.name);
  }
}

/// A tensor with a history of gradients loses it in a copy: within one network it stays itself.
void keep_history(const c10::IValue& value, c10::IValue::HashIdentityIValueMap& memo) {
  if (value.isTensor() && value.toTensor().defined() && !value.toTensor().is_leaf()) memo.emplace(value, value);
}

template <class Use>
void for_each(const torch::jit::Module& module, const std::set<std::string>& names, const Use& use) {
  for (const Slot& slot : slots_of(module)) {
    if (names.count(slot.name) > 0) use(slot);
  }
}

/// Any bytes as letters: JSON texts must be UTF-8.
std::string letters_of(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value / 16];
    text += kDigits[value % 16];
  }
  return text;
}

std::string bytes_of(const std::string& letters) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < letters.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(letters.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

[[noreturn]] void refuse_other(const std::string& name) {
  throw Error(ErrorKind::ModelProblem, {"the checkpoint does not fit the model's attribute", "", 0, 0, name, "", "",
                                        "Bring back the model file that the run was begun with"});
}

}  // namespace

AttributeNames attribute_names(const torch::jit::Module& module) {
  std::optional<Names> changed;
  std::optional<Names> set;
  Names anew;
  try {
    set = set_by_code(module);
    anew = set_anew(module);
    changed = changed_by_code(module);
  } catch (const std::exception&) {
    // Code that the analysis does not understand may change all of them.
  }
  AttributeNames names;
  for (const Slot& slot : slots_of(module)) {
    const std::string name = slot.name.substr(slot.name.rfind('.') + 1);
    const std::pair<const c10::ClassType*, std::string> key(slot.object->type().get(), name);
    if (slot.is_parameter) {
      if (set && set->count(key) > 0) names.set_parameters.insert(slot.name);
      continue;
    }
    if (slot.is_buffer) {
      if (set && set->count(key) == 0) continue;
      names.set_buffers.insert(slot.name);
      names.all.insert(slot.name);
      names.changing.insert(slot.name);
      continue;
    }
    if (anew.count(key) > 0) continue;
    const bool changes = !changed || changed->count(key) > 0;
    if (is_fixed(slot.type) && !changes) continue;
    names.all.insert(slot.name);
    if (changes || holds_tensors(slot.type)) names.changing.insert(slot.name);
  }
  add_other_names(module, names);
  return names;
}

Place place_of(const torch::jit::Module& module, const std::string& name) {
  torch::jit::Module owner = module;
  std::size_t begin = 0;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin)) {
    owner = owner.attr(name.substr(begin, dot - begin)).toModule();
    begin = dot + 1;
  }
  return {owner._ivalue(), owner.type()->getAttributeSlot(name.substr(begin))};
}

CopiedTensors standing_for(const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to) {
  CopiedTensors copied;
  for (std::size_t i = 0; i < from.size(); ++i) copied.emplace(from[i].tensor, to[i].tensor);
  return copied;
}

std::vector<c10::IValue> copy_attributes(const torch::jit::Module& module, const std::set<std::string>& names,
                                         CopiedTensors& copied) {
  const at::NoGradGuard no_grad;
  std::vector<c10::IValue> values;
  for_each(module, names, [&](const Slot& slot) {
    const c10::IValue& value = slot.object->getSlot(slot.index);
    keep_history(value, copied);
    values.push_back(value.deepcopy(copied));
  });
  return values;
}

void put_attributes(const torch::jit::Module& module, const std::set<std::string>& names,
                    const std::vector<c10::IValue>& values, CopiedTensors& copied, bool same_network) {
  const at::NoGradGuard no_grad;
  std::size_t at = 0;
  for_each(module, names, [&](const Slot& slot) {
    const c10::IValue& value = values.at(at++);
    if (same_network) keep_history(value, copied);
    slot.object->setSlot(slot.index, value.deepcopy(copied));
  });
}

AttributeWriter::AttributeWriter(const std::vector<NamedTensor>& state) {
  for (std::size_t i = 0; i < state.size(); ++i) state_.emplace(state[i].tensor, static_cast<std::int64_t>(i));
}

json AttributeWriter::write(const torch::jit::Module& module, const AttributeNames& names) {
  const at::NoGradGuard no_grad;
  json written = json::array();
  for_each(module, names.all, [&](const Slot& slot) {
    try {
      json text = text_of(slot.object->getSlot(slot.index), slot.type);
      written.push_back({slot.name, std::move(text)});
    } catch (const Unwritable& unwritable) {
      if (unsaved.empty() && names.changing.count(slot.name) > 0) unsaved = slot.name + ", " + unwritable.why;
    }
  });
  return written;
}

json AttributeWriter::text_of(const c10::IValue& value, const c10::TypePtr& given) {
  if (value.isNone()) return nullptr;
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return {{"real", mantissa::to_text(value.toDouble())}};
  if (value.isString()) return {{"text", letters_of(value.toStringRef())}};
  const bool is_tensor = value.isTensor();
  if (is_tensor && !value.toTensor().defined()) return {{"tensor", -1}};
  if (is_tensor) {
    const auto own = state_.find(value);
    if (own != state_.end()) return {{"state", own->second.toInt()}};
  }
  const c10::TypePtr type = without_optional(given);
  const auto list = type->cast<c10::ListType>();
  const auto dictionary = type->cast<c10::DictType>();
  const auto tuple = type->cast<c10::TupleType>();
  const auto object = type->cast<c10::ClassType>();
  const bool known = is_tensor || (value.isList() && list) || (value.isGenericDict() && dictionary) ||
                     (value.isTuple() && tuple) || (value.isObject() && object);
  if (!known) throw Unwritable{"which is of type " + value.type()->repr_str()};
  const auto met = shared_.find(value);
  if (met != shared_.end()) return {{"same", met->second.toInt()}};
  shared_.emplace(value, static_cast<std::int64_t>(shared_.size()));
  if (is_tensor) {
    const at::Tensor& tensor = value.toTensor();
    if (!tensor.is_leaf()) throw Unwritable{"which carries a history of gradients from one call to the next"};
    if (tensor.layout() != at::kStrided) throw Unwritable{"which is a sparse tensor"};
    tensors.push_back(tensor.detach().clone());
    return {{"tensor", tensors.size() - 1}, {"trains", tensor.requires_grad()}};
  }
  json parts = json::array();
  if (list) {
    for (const c10::IValue& element : value.toListRef()) parts.push_back(text_of(element, list->getElementType()));
    return {{"list", parts}};
  }
  if (dictionary) {
    for (const auto& entry : value.toGenericDict()) {
      parts.push_back(
          {text_of(entry.key(), dictionary->getKeyType()), text_of(entry.value(), dictionary->getValueType())});
    }
    return {{"dictionary", parts}};
  }
  if (tuple) {
    const auto& elements = value.toTupleRef().elements();
    for (std::size_t i = 0; i < elements.size(); ++i) parts.push_back(text_of(elements[i], tuple->elements()[i]));
    return {{"tuple", parts}};
  }
  for (std::size_t i = 0; i < object->numAttributes(); ++i) {
    parts.push_back(text_of(value.toObjectRef().getSlot(i), object->getAttribute(i)));
  }
  return {{"object", parts}};
}

void AttributeReader::read(const torch::jit::Module& module, const json& attributes) {
  const at::NoGradGuard no_grad;
  std::map<std::string, Slot> slots;
  for (Slot& slot : slots_of(module)) slots.emplace(slot.name, slot);
  for (const json& attribute : attributes) {
    const auto name = attribute.at(0).get<std::string>();
    const auto found = slots.find(name);
    if (found == slots.end()) refuse_other(name);
    const Slot& slot = found->second;
    const c10::IValue value = value_of(attribute.at(1), slot.type, module);
    if (!value.type()->isSubtypeOf(*slot.type)) refuse_other(name);
    slot.object->setSlot(slot.index, value);
  }
}

c10::IValue AttributeReader::value_of(const json& text, const c10::TypePtr& given, const torch::jit::Module& module) {
  if (text.is_null()) return {};
  if (text.is_boolean()) return text.get<bool>();
  if (text.is_number_integer()) return text.get<std::int64_t>();
  const std::string kind = text.begin().key();
  const json& content = text.begin().value();
  if (kind == "real") return mantissa::number_from_text(content.get<std::string>()).value_or(0.0);
  if (kind == "text") return bytes_of(content.get<std::string>());
  if (kind == "state") return state_.at(content.get<std::size_t>()).tensor;
  if (kind == "same") return shared_.at(content.get<std::size_t>());
  if (kind == "tensor" && content == -1) return at::Tensor();
  const std::size_t number = shared_.size();
  shared_.emplace_back();
  const auto keep = [&](c10::IValue value) {
    shared_[number] = value;
    return value;
  };
  if (kind == "tensor") {
    return keep(tensors_.at(content.get<std::size_t>()).clone().set_requires_grad(text.value("trains", false)));
  }
  const c10::TypePtr type = without_optional(given);
  if (const auto list = type->cast<c10::ListType>(); list && kind == "list") {
    c10::impl::GenericList values(list->getElementType());
    keep(values);
    for (const json& element : content) values.push_back(value_of(element, list->getElementType(), module));
    return values;
  }
  if (const auto dictionary = type->cast<c10::DictType>(); dictionary && kind == "dictionary") {
    c10::impl::GenericDict values(dictionary->getKeyType(), dictionary->getValueType());
    keep(values);
    for (const json& entry : content) {
      values.insert(value_of(entry.at(0), dictionary->getKeyType(), module),
                    value_of(entry.at(1), dictionary->getValueType(), module));
    }
    return values;
  }
  if (const auto tuple = type->cast<c10::TupleType>(); tuple && kind == "tuple") {
    std::vector<c10::IValue> values;
    for (std::size_t i = 0; i < content.size(); ++i) {
      values.push_back(value_of(content[i], tuple->elements().at(i), module));
    }
    if (tuple->name()) return keep(c10::ivalue::Tuple::createNamed(std::move(values), tuple));
    return keep(c10::ivalue::Tuple::create(std::move(values)));
  }
  if (const auto object = type->cast<c10::ClassType>(); object && kind == "object") {
    const auto made = c10::ivalue::Object::create(c10::StrongTypePtr(module._ivalue()->compilation_unit(), object),
                                                  object->numAttributes());
    keep(made);
    for (std::size_t i = 0; i < content.size(); ++i) {
      made->setSlot(i, value_of(content[i], object->getAttribute(i), module));
    }
    return made;
  }
  refuse_other(given->repr_str());
}

}  // namespace mantissa::model
