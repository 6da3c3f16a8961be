// SPDX-License-Identifier: Apache-2.0
#include "core/precision/module_scope.h"

namespace mantissa::precision {

thread_local const std::string* ModuleScope::current_ = nullptr;

const std::string& ModuleScope::current() {
  static const std::string outside;
  return current_ != nullptr ? *current_ : outside;
}

}  // namespace mantissa::precision
