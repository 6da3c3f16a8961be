// SPDX-License-Identifier: Apache-2.0
#include "core/session/other_seeds.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/archive/reader.h"

namespace mantissa::session {
namespace {

using nlohmann::json;

/// What must be equal, and the seed that need not; nothing where the settings cannot be read.
struct Settings {
  std::string others;
  std::uint64_t seed = 0;
};

/// Rules may differ: what a run measured does not depend on them.
std::optional<Settings> settings_of(const std::string& resolved) {
  json object = json::parse(resolved, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("training")) return std::nullopt;
  json& training = object["training"];
  if (!training.contains("seed") || !training["seed"].is_number_integer()) return std::nullopt;
  Settings settings;
  settings.seed = training["seed"].get<std::uint64_t>();
  training.erase("seed");
  for (const char* const key : {"name", "description", "expect", "budget", "rules", "context"}) object.erase(key);
  settings.others = object.dump();
  return settings;
}

bool asks_for_seeds(const std::optional<spec::Rules>& rules) {
  return rules && std::any_of(rules->quality.begin(), rules->quality.end(),
                              [](const spec::QualityRule& rule) { return rule.non_inferior.has_value(); });
}

}  // namespace

std::vector<judge::OtherSeed> other_seeds(const archive::Reader& reader, std::int64_t experiment,
                                          const std::string& trial, const std::optional<spec::Rules>& rules,
                                          const judge::DecisionRule& decision) {
  if (!asks_for_seeds(rules)) return {};
  const std::optional<Settings> own = settings_of(reader.experiment(experiment).resolved);
  if (!own) return {};
  std::map<std::uint64_t, std::int64_t> newest;  // trial by seed
  std::map<std::int64_t, std::optional<Settings>> known;
  for (const record::TrialRow& row : reader.trials()) {
    const bool is_one = row.start.kind == record::TrialKind::Trial && row.start.name == trial &&
                        row.end.status == record::Status::Finished && row.start.parent == 0;
    if (!is_one || row.experiment_id == experiment) continue;
    const auto [found, is_new] = known.try_emplace(row.experiment_id);
    if (is_new) found->second = settings_of(reader.experiment(row.experiment_id).resolved);
    const std::optional<Settings>& other = found->second;
    if (other && other->others == own->others && other->seed != own->seed) newest[other->seed] = row.id;
  }
  std::vector<judge::OtherSeed> seeds;
  for (const auto& [seed, id] : newest) {
    std::vector<record::CaseRow> rows = reader.cases(id);
    if (rows.empty()) continue;
    if (decision.positions == 0) judge::compare(rows, decision);
    seeds.push_back({seed, std::move(rows)});
  }
  return seeds;
}

}  // namespace mantissa::session
