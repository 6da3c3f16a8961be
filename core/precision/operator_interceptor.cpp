// SPDX-License-Identifier: Apache-2.0
#include "core/precision/operator_interceptor.h"

#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/library.h>

#include "core/precision/module_scope.h"

namespace mantissa::precision {
namespace {

constexpr c10::DispatchKey kInterception = c10::DispatchKey::TESTING_ONLY_GenericMode;

thread_local std::vector<OperatorObserver*> observers;  // outermost first

void intercept(const c10::OperatorHandle& handle, c10::DispatchKeySet /*keys*/, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard hidden(kInterception);
  OperatorCall call(handle, *stack);
  {
    const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
    for (OperatorObserver* observer : observers) observer->before(call);
  }
  if (call.without_autocast()) {
    const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
    handle.callBoxed(*stack);
  } else {
    handle.callBoxed(*stack);
  }
  const c10::impl::ExcludeDispatchKeyGuard uncast(c10::autocast_dispatch_keyset);
  for (auto observer = observers.rbegin(); observer != observers.rend(); ++observer) (*observer)->after(call);
}

void install_once() {
  static const torch::Library fallback = [] {
    torch::Library library(torch::Library::IMPL, "_", kInterception, __FILE__, __LINE__);
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&intercept>());
    return library;
  }();
}

/// The interpreter's frames, outermost first, spell a module as "blocks(Sequential)::forward"; the model itself is TOP,
/// a method called on the same module SELF, a free function CALL_FUNCTION.
std::string joined_path(const std::vector<std::string>& frames) {
  std::string path;
  for (const std::string& frame : frames) {
    const std::string name = frame.substr(0, frame.find('('));
    const bool is_module = name.find(':') == std::string::npos && name != "TOP" && name != "SELF" &&
                           name != "UNKNOWN_INSTANCE" && name != "INSTANCE_NAME_UNKNOWN";
    if (is_module) path += (path.empty() ? "" : ".") + name;
  }
  return path;
}

std::string_view base_name(const std::string& qualified) {
  const std::size_t colons = qualified.rfind("::");
  return colons == std::string::npos ? std::string_view(qualified) : std::string_view(qualified).substr(colons + 2);
}

}  // namespace

std::string current_module_path() {
  const std::string& native = ModuleScope::current();
  return native.empty() ? joined_path(torch::jit::currentModuleHierarchy()) : native;
}

OperatorCall::OperatorCall(const c10::OperatorHandle& handle, torch::jit::Stack& stack)
    : schema_(handle.schema()), stack_(stack), name_(base_name(schema_.name())) {}

const std::string& OperatorCall::module() const {
  if (!module_) module_ = current_module_path();
  return *module_;
}

OperatorValues OperatorCall::inputs() {
  const std::size_t count = schema_.arguments().size();
  return {stack_.data() + (stack_.size() - count), count};
}

OperatorValues OperatorCall::outputs() {
  const std::size_t count = schema_.returns().size();
  return {stack_.data() + (stack_.size() - count), count};
}

OperatorInterceptor::OperatorInterceptor(OperatorObserver& observer)
    : seen_((install_once(), c10::DispatchKeySet(kInterception))) {
  observers.push_back(&observer);
}

OperatorInterceptor::~OperatorInterceptor() { observers.pop_back(); }

UnseenByObservers::UnseenByObservers() : aside_(std::exchange(observers, {})) {}

UnseenByObservers::~UnseenByObservers() { observers = std::move(aside_); }

}  // namespace mantissa::precision
