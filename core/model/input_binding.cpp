// SPDX-License-Identifier: Apache-2.0
#include "core/model/input_binding.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/jit_type.h>

#include "core/base/error.h"

namespace mantissa::model {
namespace {

constexpr const char* kKey = "model.inputs";

[[noreturn]] void refuse(const std::string& subject, const std::string& problem, const std::string& found,
                         const std::string& expected, const std::string& remedy = {}) {
  throw Error(ErrorKind::InvalidSetting, {problem, "", 0, 0, subject, found, expected, remedy});
}

std::optional<std::int64_t> place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) text += (i > 0 ? ", " : "") + names[i];
  return names.size() > kShown ? text + ", …" : text;
}

/// The type behind Optional: a given argument is never None.
c10::TypePtr declared_type(const c10::Argument& argument) {
  if (const auto optional = argument.type()->cast<c10::OptionalType>()) return optional->getElementType();
  return argument.type();
}

c10::IValue constant_of(const spec::ModelInput& entry, const c10::Argument& argument, const std::string& subject) {
  const c10::TypePtr type = declared_type(argument);
  if (const auto* const truth = std::get_if<bool>(&entry)) {
    if (type->kind() == c10::TypeKind::BoolType) return *truth;
    if (type->kind() == c10::TypeKind::TensorType) return at::scalar_tensor(*truth, at::kBool);
  } else if (const auto* const integer = std::get_if<std::int64_t>(&entry)) {
    if (type->kind() == c10::TypeKind::FloatType) return static_cast<double>(*integer);
    if (type->kind() == c10::TypeKind::IntType || type->kind() == c10::TypeKind::NumberType) return *integer;
    if (type->kind() == c10::TypeKind::TensorType) return at::scalar_tensor(*integer, at::kLong);
  } else {
    const double number = std::get<double>(entry);
    if (type->kind() == c10::TypeKind::FloatType || type->kind() == c10::TypeKind::NumberType) return number;
    if (type->kind() == c10::TypeKind::TensorType) return at::scalar_tensor(number, at::kFloat);
  }
  refuse(subject, "a constant of another type than the argument", "", argument.name() + " of type " + type->str());
}

void require_tensor(const c10::Argument& argument, const std::string& subject) {
  if (declared_type(argument)->kind() == c10::TypeKind::TensorType) return;
  refuse(subject, "data for an argument that is no tensor", argument.name() + " of type " + argument.type()->str(),
         "a constant of this type");
}

at::Tensor in_integers(const at::Tensor& tensor, bool wanted) {
  return wanted && tensor.is_floating_point() ? tensor.to(at::kLong) : tensor;
}

void check_count(const std::vector<spec::ModelInput>& entries, const c10::FunctionSchema& forward) {
  const std::vector<c10::Argument>& arguments = forward.arguments();
  std::size_t required = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) required += arguments[i].default_value() ? 0 : 1;
  const std::size_t given = std::max<std::size_t>(entries.size(), 1);
  const std::size_t most = arguments.size() - 1;
  if (given >= required && given <= most) return;
  const std::string takes = most == 0 ? "no input" : described_arguments(forward);
  if (entries.empty()) {
    if (most == 0) throw Error(ErrorKind::ModelProblem, {"forward takes no input", "", 0, 0, kKey, "", "", ""});
    refuse(kKey, "forward takes several inputs: " + takes, "no model.inputs", "one entry for each",
           "Name columns or give constants, such as inputs = [\"x\", 16000]");
  }
  refuse(kKey, "forward takes another number of inputs", std::to_string(entries.size()) + " entries", takes);
}

}  // namespace

std::string described_arguments(const c10::FunctionSchema& forward) {
  std::string text;
  for (std::size_t i = 1; i < forward.arguments().size(); ++i) {
    const c10::Argument& argument = forward.arguments()[i];
    text += (i > 1 ? ", " : "") + argument.name() + " (" + argument.type()->str() +
            (argument.default_value() ? ", optional)" : ")");
  }
  return text;
}

InputBinding::InputBinding(const std::vector<spec::ModelInput>& entries, const Usage& usage,
                           const c10::FunctionSchema& forward) {
  check_count(entries, forward);
  if (entries.empty()) {
    sources_.emplace_back(Whole{});
    return;
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const c10::Argument& argument = forward.arguments()[i + 1];
    const std::string subject = kKey + ("[" + std::to_string(i) + "]");
    if (const auto* const name = std::get_if<std::string>(&entries[i])) {
      require_tensor(argument, subject);
      sources_.push_back(source_of(*name, subject, usage));
    } else if (const auto* const names = std::get_if<std::vector<std::string>>(&entries[i])) {
      require_tensor(argument, subject);
      sources_.emplace_back(columns_of(*names, subject, usage));
    } else {
      sources_.emplace_back(Constant{constant_of(entries[i], argument, subject)});
    }
    takes_targets_ = takes_targets_ || std::holds_alternative<Targets>(sources_.back());
  }
  plain_ = sources_.size() == 1 && std::holds_alternative<Whole>(sources_.front());
}

InputBinding::Source InputBinding::source_of(const std::string& name, const std::string& subject,
                                             const Usage& usage) const {
  const bool is_column = place_of(usage.input_names, name).has_value();
  if (name == "x" || name == "inputs") {
    if (is_column && usage.input_names.size() > 1) {
      refuse(subject, "this could be all inputs or the column of this name", name,
             name == "x" ? "\"inputs\" for all, [\"x\"] for the column" : "\"x\" for all, [\"inputs\"] for the column");
    }
    return Whole{};
  }
  if (is_column) return columns_of({name}, subject, usage);
  if (name == "targets") return Targets{};
  if (const auto target = place_of(usage.target_names, name)) return Targets{target};
  refuse(subject, "no such column", name,
         "\"x\", \"targets\", an input column (" + joined(usage.input_names) + ") or a target (" +
             joined(usage.target_names) + ")");
}

InputBinding::Columns InputBinding::columns_of(const std::vector<std::string>& names, const std::string& subject,
                                               const Usage& usage) const {
  Columns columns;
  columns.as_integers = true;
  for (const std::string& name : names) {
    const auto place = place_of(usage.input_names, name);
    if (!place) refuse(subject, "no such input column", name, joined(usage.input_names));
    columns.places.push_back(*place);
    columns.as_integers = columns.as_integers && place_of(usage.integer_names, name).has_value();
  }
  return columns;
}

std::vector<c10::IValue> InputBinding::arguments(const at::Tensor& inputs, const at::Tensor& targets) const {
  std::vector<c10::IValue> arguments;
  arguments.reserve(sources_.size());
  for (const Source& source : sources_) {
    if (std::holds_alternative<Whole>(source)) {
      arguments.emplace_back(inputs);
    } else if (const auto* const wanted = std::get_if<Targets>(&source)) {
      const bool one_column = wanted->column && targets.dim() == 2;
      arguments.emplace_back(one_column ? targets.narrow(1, *wanted->column, 1) : targets);
    } else if (const auto* const columns = std::get_if<Columns>(&source)) {
      if (inputs.dim() != 2) {
        refuse(kKey, "columns of inputs that have a shape", std::to_string(inputs.dim()) + " dimensions",
               "rows that are vectors", "Leave data.shape out, or give the model all inputs as \"x\"");
      }
      std::vector<at::Tensor> parts;
      for (const std::int64_t place : columns->places) parts.push_back(inputs.narrow(1, place, 1));
      arguments.emplace_back(
          in_integers(parts.size() == 1 ? parts.front().contiguous() : at::cat(parts, 1), columns->as_integers));
    } else {
      const c10::IValue& value = std::get<Constant>(source).value;
      arguments.push_back(value.isTensor() ? c10::IValue(value.toTensor().to(inputs.device())) : value);
    }
  }
  return arguments;
}

}  // namespace mantissa::model
