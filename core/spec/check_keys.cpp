// SPDX-License-Identifier: Apache-2.0
#include "core/spec/check_keys.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/edit_distance.h"
#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/text_list.h"
#include "core/spec/key_catalogue.h"

namespace mantissa::spec {
namespace {

const KeyEntry* entry_at(const std::string& path) {
  static const std::map<std::string, const KeyEntry*> by_path = [] {
    std::map<std::string, const KeyEntry*> map;
    for (const KeyEntry& entry : key_catalogue()) map[entry.path] = &entry;
    return map;
  }();
  const auto found = by_path.find(path);
  return found == by_path.end() ? nullptr : found->second;
}

std::string table_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

[[noreturn]] void refuse_unknown(const Setting& setting, const std::string& path) {
  const std::vector<std::string> nearest = nearest_keys(path);
  std::string remedy = "See: mantissa-cli help experiment";
  if (nearest.size() == 1) remedy = "Did you mean " + nearest.front() + '?';
  if (nearest.size() > 1) remedy = "Did you mean one of " + joined(nearest) + '?';
  refuse_place(setting, "unknown key", remedy);
}

bool is_off(const Setting& setting, const std::string& off) {
  if (off.empty()) return false;
  switch (setting.kind) {
    case Setting::Kind::Text:
      return setting.text == off;
    case Setting::Kind::Integer:
      return std::to_string(setting.integer) == off;
    case Setting::Kind::Number:
      return mantissa::to_text(setting.number) == off;
    case Setting::Kind::Boolean:
      return off == (setting.boolean ? "true" : "false");
    case Setting::Kind::Array:
      return setting.items.empty() && off == "[]";
    default:
      return false;
  }
}

/// `off` as the file spells it.
std::string toml_spelling(const std::string& off) {
  const bool text =
      off != "true" && off != "false" && off.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
  return text ? '"' + off + '"' : off;
}

void check_word(const Setting& setting, const KeyEntry& entry) {
  const std::string choices = joined(entry.words, " | ");
  if (setting.kind != Setting::Kind::Text) refuse(setting, "a text: " + choices);
  if (std::find(entry.words.begin(), entry.words.end(), setting.text) != entry.words.end()) return;
  for (const LaterWord& later : entry.later_words) {
    if (later.word == setting.text) refuse_for_now(setting, later.feature, "Choose one of " + choices);
  }
  refuse(setting, choices);
}

/// Throws the first problem, or collects all where `problems` is given.
void check_table(const Setting& table, const std::string& path, std::vector<Error>* problems);

void check_member(const Setting& setting, const std::string& path, std::vector<Error>* problems) {
  const KeyEntry* const entry = entry_at(path);
  if (entry == nullptr) refuse_unknown(setting, path);
  if (!entry->available.empty()) {
    if (is_off(setting, entry->off)) return;
    refuse_for_now(setting, entry->available,
                   entry->off.empty() ? std::string() : "Leave it out or set it to " + toml_spelling(entry->off));
  }

  const bool is_table = setting.kind == Setting::Kind::Table;
  const bool is_empty_list = setting.kind == Setting::Kind::Array && setting.items.empty();
  const bool is_tables = setting.is_list_of_tables() || is_empty_list;
  switch (entry->shape) {
    case KeyShape::Value:
      if (is_table) refuse(setting, entry->words.empty() ? entry->type : joined(entry->words, " | "));
      if (!entry->words.empty()) check_word(setting, *entry);
      return;
    case KeyShape::FreeTable:
      if (!is_table) refuse(setting, "a table [" + path + "]");
      return;
    case KeyShape::Table:
      if (!is_table) refuse(setting, "a table [" + path + "]");
      break;
    case KeyShape::Tables:
      if (!is_tables) {
        // What an override has made of it has one member, the rest of its path.
        const bool goes_on =
            is_table && setting.members.size() == 1 && setting.members.front().kind != Setting::Kind::Table;
        const std::string rest = goes_on ? "." + setting.members.front().key : std::string();
        refuse(setting, "a list of tables, each under [[" + path + "]]", {},
               setting.override_text.empty() ? std::string() : "Say which one: " + path + "[0]" + rest);
      }
      break;
    case KeyShape::TableOrTables:
      if (!is_table && (!is_tables || is_empty_list)) refuse(setting, "a table, or a list of tables");
      break;
    case KeyShape::ValueOrTable:
      break;
  }
  if (is_table) check_table(setting, path, problems);
  for (const Setting& item : setting.items) {
    if (item.kind == Setting::Kind::Table) check_table(item, path, problems);
  }
}

void check_table(const Setting& table, const std::string& path, std::vector<Error>* problems) {
  for (const Setting& member : table.members) {
    try {
      check_member(member, path.empty() ? member.key : path + '.' + member.key, problems);
    } catch (const Error& error) {
      if (problems == nullptr) throw;
      problems->push_back(error);
    }
  }
}

}  // namespace

std::vector<std::string> nearest_keys(const std::string& path) {
  const std::string table = table_of(path);
  const std::string name = lower(name_in(path));
  constexpr std::size_t most = 3;

  // One letter off in the same table is a slip: `outputs` in [rules] is rules.output.
  for (const KeyEntry& entry : key_catalogue()) {
    if (table_of(entry.path) == table && edit_distance(name, name_in(entry.path)) == 1) return {entry.path};
  }

  // The same name in another table beats a name here that is less similar: `batch` in [model] is training.batch.
  std::vector<std::string> elsewhere;
  for (const KeyEntry& entry : key_catalogue()) {
    if (lower(name_in(entry.path)) == name && entry.path != path) elsewhere.push_back(entry.path);
  }
  if (!elsewhere.empty()) {
    std::stable_partition(elsewhere.begin(), elsewhere.end(),
                          [&](const std::string& known) { return table_of(known) == table; });
    elsewhere.resize(std::min(elsewhere.size(), most));
    return elsewhere;
  }

  // A slip is about one edit in three letters. In the same table first, then anywhere.
  const std::size_t tolerance = std::max<std::size_t>(1, name.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const KeyEntry& entry : key_catalogue()) {
    const std::size_t edits = edit_distance(name, name_in(entry.path));
    const bool here = table_of(entry.path) == table;
    if (edits <= tolerance) near.emplace_back(2 * edits + (here ? 0 : 1), entry.path);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.empty()) return {};
  return {near.front().second};
}

void check_keys(const Setting& root) { check_table(root, {}, nullptr); }

std::vector<Error> key_problems(const Setting& root) {
  std::vector<Error> problems;
  check_table(root, {}, &problems);
  return problems;
}

}  // namespace mantissa::spec
