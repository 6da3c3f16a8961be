// SPDX-License-Identifier: Apache-2.0
#include "core/session/archived_settings.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/spec/parse.h"

namespace mantissa::session {
namespace {

using nlohmann::json;

void flatten(const json& value, const std::string& path, std::map<std::string, json>& into) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) flatten(member, path.empty() ? key : path + '.' + key, into);
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (std::size_t i = 0; i < value.size(); ++i) flatten(value[i], path + '[' + std::to_string(i) + ']', into);
  } else {
    into[path] = value;
  }
}

/// A canonical document without some of its members, letter by letter as it stands: parsing and writing it again could
/// change how a number is spelled.
std::string without_members(std::string_view document, const std::set<std::string_view>& left_out) {
  std::string kept;
  int depth = 0;
  bool in_text = false;
  std::size_t begin = 1;
  for (std::size_t at = 0; at < document.size(); ++at) {
    const char letter = document[at];
    if (in_text) {
      if (letter == '\\') ++at;
      if (letter == '"') in_text = false;
      continue;
    }
    if (letter == '"') in_text = true;
    if (letter == '{' || letter == '[') ++depth;
    if (letter == '}' || letter == ']') --depth;
    const bool ends = (letter == ',' && depth == 1) || (letter == '}' && depth == 0);
    if (!ends) continue;
    const std::string_view member = document.substr(begin, at - begin);
    begin = at + 1;
    const std::string_view name = member.empty() ? member : member.substr(1, member.find('"', 1) - 1);
    if (left_out.count(name) == 0) kept.append(kept.empty() ? "" : ",").append(member);
  }
  return '{' + kept + '}';
}

/// Whether a run fills the value in where the text leaves it open.
bool is_open(const std::string& key, const json& value) {
  static const std::set<std::string, std::less<>> kFilledIn = {"data.task", "data.classes", "training.loss",
                                                               "training.batch", "training.threads"};
  constexpr std::string_view kHorizon = ".schedule.total";
  const bool horizon = key.size() > kHorizon.size() && key.substr(key.size() - kHorizon.size()) == kHorizon;
  return (value.is_null() || value == 0) && (horizon || kFilledIn.count(key) > 0);
}

struct Difference {
  std::string key;
  json found, expected;
};

/// The first value of the text's experiment that is not what was run. A key that only one of them has is one that
/// another version knew.
std::optional<Difference> first_difference(const json& text, const json& run, const std::string& path) {
  if (text == run || is_open(path, text)) return std::nullopt;
  if (text.is_object() && run.is_object()) {
    for (const auto& [key, value] : text.items()) {
      const auto other = run.find(key);
      if (other == run.end()) continue;
      auto found = first_difference(value, *other, path.empty() ? key : path + '.' + key);
      if (found) return found;
    }
    return std::nullopt;
  }
  if (text.is_array() && run.is_array() && text.size() == run.size()) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      auto found = first_difference(text[i], run[i], path + '[' + std::to_string(i) + ']');
      if (found) return found;
    }
    return std::nullopt;
  }
  return Difference{path, text, run};
}

/// A value in a message.
std::string short_text(const json& value) {
  constexpr std::size_t kShown = 80;
  const std::string text = value.dump();
  return text.size() <= kShown ? text : text.substr(0, kShown) + "…";
}

}  // namespace

std::map<std::string, json> flattened(const json& document) {
  std::map<std::string, json> values;
  flatten(document, "", values);
  return values;
}

ArchivedSettings::ArchivedSettings(record::ExperimentStart archived, std::int64_t experiment_id, std::string archive)
    : archived_(std::move(archived)), id_(experiment_id), archive_(std::move(archive)) {
  check_hash(without_members(archived_.resolved, {"name", "description", "budget", "expect"}), archived_.sha256,
             "resolved");
  if (!archived_.rules_sha256.empty() || !archived_.rules.empty()) {
    check_hash(archived_.rules, archived_.rules_sha256, "rules");
  }
  check_hash(archived_.lock, archived_.lock_sha256, "lock");
  resolved_ = parsed(archived_.resolved, "resolved");
  lock_ = parsed(archived_.lock, "lock");
}

void ArchivedSettings::fail(const std::string& place, const std::string& problem, const std::string& found,
                            const std::string& expected) const {
  throw Error(ErrorKind::ArchiveDamaged, {"the archive is damaged: " + problem, archive_, 0, 0, place, found, expected,
                                          "Use a backup, or run the experiment again"});
}

std::string ArchivedSettings::place_of(const std::string& column) const {
  return "table experiments, row " + std::to_string(id_) + ", column " + column;
}

void ArchivedSettings::check_hash(const std::string& text, const std::string& hash, const std::string& column) const {
  const std::string found = sha256(text);
  if (found == hash) return;
  fail(place_of(column), "it does not match the hash beside it", "SHA-256 " + found, hash);
}

json ArchivedSettings::parsed(const std::string& text, const std::string& column) const {
  json value = json::parse(text, nullptr, false);
  if (!value.is_object()) fail(place_of(column), "it is no JSON object");
  return value;
}

spec::Experiment ArchivedSettings::experiment(const std::string& file) const {
  spec::Experiment experiment;
  try {
    experiment = spec::parse_experiment(archived_.text, file);
  } catch (const Error& error) {
    fail(place_of("text"), "the experiment cannot be read any more", sentence(error.facts()));
  }
  const auto difference = first_difference(json::parse(spec::canonical_json(experiment)), resolved_, "");
  if (difference) {
    fail(place_of("text"), "it is not what was run", difference->key + " = " + short_text(difference->found),
         short_text(difference->expected));
  }
  return experiment;
}

std::vector<std::string> ArchivedSettings::overrides(const std::string& list, std::int64_t trial) const {
  const json value = json::parse(list, nullptr, false);
  bool sound = value.is_array();
  for (std::size_t i = 0; sound && i < value.size(); ++i) sound = value[i].is_string();
  if (!sound) {
    fail("table resumptions, newest row of trial " + std::to_string(trial) + ", column overrides",
         "it is no JSON list of texts", list);
  }
  return value.get<std::vector<std::string>>();
}

}  // namespace mantissa::session
