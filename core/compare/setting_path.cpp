// SPDX-License-Identifier: Apache-2.0
#include "core/compare/setting_path.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/spec/key_catalogue.h"

namespace mantissa::compare {
namespace {

using nlohmann::json;

/// "optimizer[0]" is the key `optimizer` with the index `0`.
struct Segment {
  std::string key;
  std::optional<std::string> index;
};

std::vector<Segment> segments_of(const std::string& path) {
  std::vector<Segment> segments(1);
  bool is_index = false;
  for (const char letter : path) {
    if (letter == '[' && !is_index) {
      is_index = true;
      segments.back().index.emplace();
    } else if (letter == ']' && is_index) {
      is_index = false;
    } else if (is_index) {
      *segments.back().index += letter;
    } else if (letter == '.') {
      segments.emplace_back();
    } else {
      segments.back().key += letter;
    }
  }
  return segments;
}

/// Null: there is none.
const json* element_of(const json& list, const std::optional<std::string>& index) {
  if (!index) return list.size() == 1 ? &list.front() : nullptr;
  if (const std::optional<std::int64_t> place = integer_from_text(*index)) {
    const bool is_there = *place >= 0 && static_cast<std::size_t>(*place) < list.size();
    return is_there ? &list[static_cast<std::size_t>(*place)] : nullptr;
  }
  const auto named = std::find_if(list.begin(), list.end(), [&index](const json& one) {
    return one.is_object() && one.contains("name") && one.at("name") == *index;
  });
  return named == list.end() ? nullptr : &*named;
}

}  // namespace

bool is_setting_path(const std::string& path) {
  std::string plain;
  for (const Segment& segment : segments_of(path)) plain += (plain.empty() ? "" : ".") + segment.key;
  for (const spec::KeyEntry& entry : spec::key_catalogue()) {
    if (entry.path == plain) return true;
    const bool is_within = entry.shape == spec::KeyShape::FreeTable || entry.shape == spec::KeyShape::ValueOrTable;
    if (is_within && plain.rfind(entry.path + '.', 0) == 0) return true;
  }
  return false;
}

Cell setting_at(const json& settings, const std::string& path) {
  const json* at = &settings;
  const std::vector<Segment> segments = segments_of(path);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!at->is_object()) return {};
    const auto found = at->find(segments[i].key);
    if (found == at->end()) return {};
    at = &*found;
    const bool goes_on = i + 1 < segments.size() || segments[i].index;
    if (at->is_array() && goes_on) at = element_of(*at, segments[i].index);
    if (at == nullptr) return {};
  }
  if (at->is_null()) return {};
  if (at->is_number()) return at->get<double>();
  if (at->is_string()) return at->get<std::string>();
  if (at->is_boolean()) return std::string(at->get<bool>() ? "true" : "false");
  return at->dump();
}

}  // namespace mantissa::compare
