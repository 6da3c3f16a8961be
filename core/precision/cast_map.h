// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

#include "core/precision/operator_interceptor.h"

namespace mantissa::precision {

/// What dtypes an operator of one module was called with and which it returned.
struct CastRecord {
  std::string module;                     ///< path; empty for the model's root and outside of models
  std::string operator_name;              ///< "aten::softmax.int"
  std::string name;                       ///< "softmax"
  std::vector<c10::ScalarType> inputs;    ///< of each tensor, as the caller passed it, before autocast
  std::optional<c10::ScalarType> output;  ///< of the first tensor; nothing where there is none
  std::int64_t calls = 0;

  /// The dtype that the operator computed in: its output's where that is floating, else that of its widest floating
  /// input, else nothing.
  std::optional<c10::ScalarType> ran_in() const;
};

/// Records in which dtype every operator really runs: measured, not read off a list.
///
/// Open it inside the ForwardScope whose casts are to be seen: `OperatorInterceptor seen(map);`.
class CastMap : public OperatorObserver {
 public:
  void before(OperatorCall& call) override;
  void after(OperatorCall& call) override;

  /// In the order of their first calls; equal ones counted together.
  const std::vector<CastRecord>& records() const { return records_; }

 private:
  std::vector<CastRecord> records_;
  std::vector<c10::ScalarType> inputs_;  // of the running call
};

}  // namespace mantissa::precision
