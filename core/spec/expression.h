// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mantissa::spec {

/// The one language of edge cases, written rules and archive filters:
///
///     x1 > 3 and not (x2 is missing)
///     trial.autocast == "float16" and trial.scaler.init_scale >= 1024
///     `Lot Area` > 65504 or area is non_finite
///
/// A name is a column or a key path: letters, digits, `_`, `.`, an index such as `[0]` or `[fp16]`, and any character
/// beyond ASCII. A name of other characters, or one of the words of the language, stands in backquotes. Numbers are
/// decimal (`-1e-3`, `inf`, `-inf`; no name may begin with a digit), strings stand in " or ' and take \\ \" \' \n \t.
/// `and` binds closer than `or`, `not` closer than `and`; comparisons do not chain.
///
/// Comparisons, all of which are false where a NaN or a missing value takes part, `!=` included:
///  - two numbers: as IEEE 754 has it; -0 equals 0
///  - two strings: byte by byte
///  - a number and a string: an error, at the latest when the row is looked at
/// `is missing` and `is non_finite` are always true or false: a string and a missing value are not non-finite.
class Expression {
 public:
  /// Longer ones are refused, as are more than kDeepest parentheses and `not` within each other.
  static constexpr std::size_t kLongest = 65'536;
  static constexpr std::size_t kDeepest = 200;

  /// A cell or setting. monostate: it is missing.
  using Value = std::variant<std::monostate, double, std::string_view>;

  /// \throws Error InvalidSetting  with the place as the column, from 1 and in bytes, and what was expected there.
  ///         `line` is 1
  explicit Expression(std::string_view text);
  ~Expression();
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// As it was given.
  const std::string& text() const { return text_; }

  /// All names, each once, in the order of their first use.
  const std::vector<std::string>& names() const { return names_; }

  /// Whether it holds where `value_of` gives the value of the name with this place in `names()`. `and` and `or` look at
  /// their right side only where the left one does not decide. Safe from any number of threads.
  /// \throws Error InvalidSetting  where a number is compared with a string; subject is the name. And what `value_of`
  ///         throws
  bool holds(const std::function<Value(std::size_t)>& value_of) const;

  struct Node;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::unique_ptr<const Node> root_;
};

}  // namespace mantissa::spec
