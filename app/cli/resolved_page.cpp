// SPDX-License-Identifier: Apache-2.0
#include "app/cli/resolved_page.h"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "core/report/tables.h"
#include "core/spec/key_catalogue.h"

namespace mantissa::cli {
namespace {

using Json = nlohmann::ordered_json;

/// "training.optimizer[0].lr" as the catalogue calls it, "training.optimizer.lr".
std::string catalogue_path(const std::string& path) {
  std::string plain;
  bool in_index = false;
  for (const char c : path) {
    if (c == '[') in_index = true;
    if (!in_index) plain += c;
    if (c == ']') in_index = false;
  }
  return plain;
}

std::string default_words(const std::string& path) {
  for (const spec::KeyEntry& entry : spec::key_catalogue()) {
    if (entry.path != catalogue_path(path)) continue;
    if (!entry.default_text.empty() && entry.default_text.rfind("required", 0) != 0) {
      return "default: " + entry.default_text;
    }
    const std::size_t in_words = entry.description.find("default: ");  // of a table
    if (in_words != std::string::npos) return entry.description.substr(in_words);
  }
  return "not set";
}

bool holds_tables(const Json& list) {
  return !list.empty() && std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_object(); });
}

void add_lines(report::Table& table, const Json& value, const std::string& path) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) add_lines(table, member, path.empty() ? key : path + '.' + key);
  } else if (value.is_array() && holds_tables(value)) {
    for (std::size_t i = 0; i < value.size(); ++i) add_lines(table, value[i], path + '[' + std::to_string(i) + ']');
  } else if (value.is_null() || value == "" || value == Json::array()) {
    table.add_row({path, default_words(path)});
  } else {
    table.add_row({path, value.is_string() ? value.get<std::string>()
                                           : value.dump(-1, ' ', false, Json::error_handler_t::replace)});
  }
}

}  // namespace

std::string resolved_page(const std::string& resolved) {
  const Json settings = Json::parse(resolved, nullptr, false);
  if (settings.is_discarded()) return resolved + '\n';
  report::Table table({{"key"}, {"value"}});
  add_lines(table, settings, "");
  return table.text();
}

}  // namespace mantissa::cli
