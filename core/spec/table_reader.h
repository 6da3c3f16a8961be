// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/setting.h"
#include "core/spec/words.h"

namespace mantissa::spec {

/// Which numbers a key takes, and how a message says so.
struct NumberRange {
  bool (*holds)(double);
  const char* expected;
};

namespace range {
inline constexpr NumberRange finite{[](double v) { return std::isfinite(v); }, "a finite number"};
inline constexpr NumberRange not_negative{[](double v) { return std::isfinite(v) && v >= 0; },
                                          "a finite number of at least 0"};
inline constexpr NumberRange positive{[](double v) { return std::isfinite(v) && v > 0; }, "a finite number above 0"};
inline constexpr NumberRange share{[](double v) { return v >= 0 && v <= 1; }, "a number from 0 to 1"};
inline constexpr NumberRange share_below_one{[](double v) { return v >= 0 && v < 1; },
                                             "a number of at least 0 and below 1"};
}  // namespace range

double number_value(const Setting& setting, const NumberRange& range);
std::int64_t integer_value(const Setting& setting, std::int64_t least, std::int64_t most);
bool boolean_value(const Setting& setting);
std::string text_value(const Setting& setting);
std::vector<std::string> texts_value(const Setting& setting);

/// Reads the keys of one table into members of a struct; absent keys leave the member as it is.
class TableReader {
 public:
  explicit TableReader(const Setting* table) : table_(table) {}

  const Setting* find(std::string_view key) const { return table_ == nullptr ? nullptr : table_->find(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  void text(std::string_view key, std::string& out) const {
    if (const Setting* const setting = find(key)) out = text_value(*setting);
  }
  void texts(std::string_view key, std::vector<std::string>& out) const {
    if (const Setting* const setting = find(key)) out = texts_value(*setting);
  }
  template <class Bool>
  void boolean(std::string_view key, Bool& out) const {
    if (const Setting* const setting = find(key)) out = boolean_value(*setting);
  }
  template <class Number>
  void number(std::string_view key, Number& out, const NumberRange& range) const {
    if (const Setting* const setting = find(key)) out = number_value(*setting, range);
  }
  template <class Integer>
  void integer(std::string_view key, Integer& out, std::int64_t least,
               std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    if (const Setting* const setting = find(key)) assign(out, integer_value(*setting, least, most));
  }
  template <class Enum>
  void word(std::string_view key, Enum& out) const {
    if (const Setting* const setting = find(key)) out = word_value<Enum>(*setting);
  }
  template <class Enum>
  void word(std::string_view key, std::optional<Enum>& out) const {
    if (const Setting* const setting = find(key)) out = word_value<Enum>(*setting);
  }

 private:
  template <class Enum>
  static Enum word_value(const Setting& setting) {
    const auto value = from_word<Enum>(text_value(setting));
    if (!value) refuse(setting, choices<Enum>());
    return *value;
  }
  template <class Integer>
  static void assign(Integer& out, std::int64_t value) {
    out = static_cast<Integer>(value);
  }
  static void assign(std::optional<std::int64_t>& out, std::int64_t value) { out = value; }

  const Setting* table_;
};

/// Refuses keys of `table` that only other kinds take: ignoring them would hide a mistake.
void refuse_keys_of_other_kinds(const Setting& table, const std::set<std::string_view>& allowed,
                                const std::string& kind);

/// Optimizers, schedules, and what refuses an update or stops: a part of [training].
void read_stepping(const Setting* training_table, Training& training);

/// LBFGS evaluates the loss again within its step, with gradients that no scaler has scaled.
void refuse_lbfgs_with_scaler(const Setting& trial, const Training& training, const Scaler& scaler);

/// The parts of an experiment file, each from its table (null: the table is absent). Paths are resolved against
/// `folder`. The keys were checked against the catalogue before.
void read_data(const Setting* table, const std::string& folder, Experiment& experiment);
void read_model(const Setting* table, const std::string& folder, Experiment& experiment);
/// What a TorchScript model takes and gives, and initial weights.
void read_model_files(const Setting* table, const std::string& folder, Model& model);
void read_training(const Setting* table, Experiment& experiment);
void read_reference(const Setting* table, Experiment& experiment);
void read_trials(const Setting* list, Experiment& experiment);
void read_cases(const Setting* table, const std::string& folder, Experiment& experiment);
void read_rules(const Setting* table, Experiment& experiment);
void read_context(const Setting* table, Experiment& experiment);
void read_utility(const Setting* table, Experiment& experiment);
void read_budget(const Setting* table, Experiment& experiment);
void read_expect(const Setting* table, Experiment& experiment);

/// The task as far as the file alone tells; nothing where the data decides. The losses bce decide nothing here: they
/// have a decision with either kind of target.
std::optional<Task> task_told_by_the_file(const Experiment& experiment);

/// The keys that say how large a model of this kind is, and how they are read.
std::set<std::string_view> size_keys(ModelKind kind);
void read_sizes(const Setting& table, Model& model);

/// `path` against `folder`, unless it is absolute.
std::string resolved(const std::string& folder, const std::string& path);

}  // namespace mantissa::spec
