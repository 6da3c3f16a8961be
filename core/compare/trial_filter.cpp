// SPDX-License-Identifier: Apache-2.0
#include "core/compare/trial_filter.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/base/text_list.h"
#include "core/compare/setting_path.h"
#include "core/compare/trial_columns.h"
#include "core/spec/check_keys.h"
#include "core/spec/expression.h"

namespace mantissa::compare {
namespace {

using nlohmann::json;

constexpr std::string_view kOfTrial = "trial.";

std::vector<std::string> nearest_names(const std::string& name) {
  std::vector<std::string> near;
  for (const TrialColumn& column : trial_columns()) {
    if (edit_distance(name, column.name) <= std::max<std::size_t>(1, name.size() / 3)) near.push_back(column.name);
  }
  for (std::string& key : spec::nearest_keys(name)) near.push_back(std::move(key));
  constexpr std::size_t kMost = 3;
  near.resize(std::min(near.size(), kMost));
  return near;
}

void refuse_unknown(const std::string& name) {
  if (find_trial_column(name) != nullptr || is_setting_path(name)) return;
  const std::vector<std::string> near = nearest_names(name);
  throw Error(
      ErrorKind::InvalidSetting,
      {"neither a column of trials nor a setting", "", 0, 0, "filter", "'" + name + "'", "",
       near.empty() ? "mantissa-cli help list tells the columns" : "Did you mean " + joined(near, " or ") + '?'});
}

}  // namespace

struct TrialFilter::Parts {
  spec::Expression expression;
  std::function<std::string(std::int64_t)> resolved_of;
  std::unordered_map<std::int64_t, json> settings;  // by experiment

  const json& settings_of(std::int64_t experiment) {
    const auto known = settings.find(experiment);
    if (known != settings.end()) return known->second;
    return settings.emplace(experiment, json::parse(resolved_of(experiment), nullptr, false)).first->second;
  }

  Cell value_of(const record::TrialRow& trial, const std::string& name) {
    if (find_trial_column(name) != nullptr) return cell_of(trial, name);
    if (name.rfind(kOfTrial, 0) != 0) return setting_at(settings_of(trial.experiment_id), name);
    const json own = json::parse(trial.start.policy, nullptr, false);  // a reference has none
    return setting_at(own, name.substr(kOfTrial.size()));
  }
};

TrialFilter::TrialFilter(std::string_view expression, std::function<std::string(std::int64_t)> resolved_of)
    : parts_(new Parts{spec::Expression(expression), std::move(resolved_of), {}}) {
  for (const std::string& name : parts_->expression.names()) refuse_unknown(name);
}
TrialFilter::~TrialFilter() = default;
TrialFilter::TrialFilter(TrialFilter&&) noexcept = default;
TrialFilter& TrialFilter::operator=(TrialFilter&&) noexcept = default;

bool TrialFilter::fits(const record::TrialRow& trial) const {
  const std::vector<std::string>& names = parts_->expression.names();
  std::vector<Cell> cells(names.size());
  return parts_->expression.holds([&](std::size_t place) -> spec::Expression::Value {
    Cell& cell = cells[place];
    cell = parts_->value_of(trial, names[place]);
    if (const auto* const number = std::get_if<double>(&cell)) return *number;
    if (const auto* const text = std::get_if<std::string>(&cell)) return std::string_view(*text);
    return std::monostate();
  });
}

}  // namespace mantissa::compare
