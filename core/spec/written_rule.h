// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/spec/expression.h"

namespace mantissa::spec {

/// A predictor that somebody wrote down (context.rule): a condition, which decides between class 1 and class 0, or the
/// name of a column, whose value is the prediction.
class WrittenRule {
 public:
  /// \throws Error InvalidSetting  as Expression does.
  explicit WrittenRule(std::string_view text);

  /// A single name, also in backquotes.
  bool is_column() const { return is_column_; }

  /// The condition; of a column one that names it and nothing else.
  const Expression& expression() const { return expression_; }

 private:
  bool is_column_;
  Expression expression_;
};

}  // namespace mantissa::spec
