// SPDX-License-Identifier: Apache-2.0
#include "core/spec/overrides.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/spec/key_catalogue.h"
#include "core/spec/toml_reader.h"

namespace mantissa::spec {
namespace {

constexpr std::size_t most_segments = 16;  // no key of the catalogue lies deeper

struct Segment {
  std::string key;
  bool selects = false;
  std::string selector;  ///< an index or a name
};

[[noreturn]] void fail(const std::string& override_text, const std::string& problem, const std::string& found = {},
                       const std::string& expected = {}, const std::string& remedy = {}) {
  ErrorFacts facts;
  facts.subject = "--set " + on_one_line(override_text);
  facts.problem = problem;
  facts.found = on_one_line(found);
  facts.expected = expected;
  facts.remedy = remedy;
  throw Error(ErrorKind::InvalidSetting, std::move(facts));
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Splits at the first equals sign that is not inside brackets: `trial[a=b].mode="paired"`.
std::pair<std::string, std::string> key_and_value(const std::string& override_text) {
  int depth = 0;
  for (std::size_t i = 0; i < override_text.size(); ++i) {
    if (override_text[i] == '[') ++depth;
    if (override_text[i] == ']') --depth;
    if (override_text[i] == '=' && depth <= 0) {
      return {trimmed(override_text.substr(0, i)), trimmed(override_text.substr(i + 1))};
    }
  }
  fail(override_text, "no value", {}, "key=value, such as training.batch=32");
}

std::vector<Segment> segments_of(const std::string& key, const std::string& override_text) {
  const char* const shape = "a key path, such as training.batch or trial[fp16].scaler.init_scale";
  std::vector<Segment> segments;
  std::size_t at = 0;
  while (true) {
    if (segments.size() == most_segments) fail(override_text, "not a key path", {}, shape);
    const std::size_t end = std::min(key.find_first_of(".[", at), key.size());
    Segment segment;
    segment.key = key.substr(at, end - at);
    at = end;
    if (segment.key.empty()) fail(override_text, "not a key path", key.empty() ? "nothing" : key, shape);
    if (at < key.size() && key[at] == '[') {
      const std::size_t close = key.find(']', at);
      if (close == std::string::npos || close == at + 1) fail(override_text, "not a key path", key, shape);
      segment.selects = true;
      segment.selector = key.substr(at + 1, close - at - 1);
      at = close + 1;
    }
    segments.push_back(std::move(segment));
    if (at == key.size()) return segments;
    if (key[at] != '.') fail(override_text, "not a key path", key, shape);
    ++at;
  }
}

void mark(Setting& setting, const std::string& override_text) {
  setting.position = {};
  setting.override_text = override_text;
  for (Setting& member : setting.members) mark(member, override_text);
  for (Setting& item : setting.items) mark(item, override_text);
}

/// What may stand in the brackets: "index 0", "index 0 or 1, or fp16"; the index after the last adds a block.
std::string known_selectors(const Setting& list) {
  std::string known = "index 0";
  const std::size_t size = list.items.size();
  if (size > 0) known += (size == 1 ? " or " : " to ") + std::to_string(size);
  std::string names;
  for (const Setting& item : list.items) {
    const Setting* const name = item.find("name");
    if (name != nullptr && name->kind == Setting::Kind::Text) names += (names.empty() ? "" : ", ") + name->text;
  }
  return names.empty() ? known : "one of " + names + ", or " + known;
}

Setting& item_of(Setting& list, const Segment& segment, const std::string& override_text) {
  if (list.kind != Setting::Kind::Array) fail(override_text, segment.key + " is not a list", describe(list));
  for (Setting& item : list.items) {
    const Setting* const name = item.find("name");
    if (name != nullptr && name->kind == Setting::Kind::Text && name->text == segment.selector) return item;
  }
  if (const auto index = integer_from_text(segment.selector); index && *index >= 0) {
    if (static_cast<std::size_t>(*index) < list.items.size()) return list.items[static_cast<std::size_t>(*index)];
    if (static_cast<std::size_t>(*index) == list.items.size()) {
      Setting block;
      block.override_text = override_text;
      list.items.push_back(std::move(block));
      return list.items.back();
    }
  }
  const bool index = integer_from_text(segment.selector).has_value();
  fail(override_text, "no such " + segment.key, (index ? "index " : "") + segment.selector, known_selectors(list));
}

/// The key path with a block chosen of the list that the segment before `place` names: "training.optimizer[0].lr".
std::string with_block(const std::vector<Segment>& segments, std::size_t place) {
  std::string path;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    path += (i == 0 ? "" : ".") + segments[i].key;
    if (segments[i].selects) path += "[" + segments[i].selector + "]";
    if (i + 1 == place) path += "[0]";
  }
  return path;
}

/// What segment `place` of the path names in `table`, which those before it lead to.
Setting& member_of(Setting& table, const std::vector<Segment>& segments, std::size_t place,
                   const std::string& override_text) {
  const Segment& segment = segments[place];
  if (table.kind == Setting::Kind::Array) {
    fail(override_text, table.key + " is a list of blocks", {}, known_selectors(table),
         "Write " + with_block(segments, place));
  }
  if (table.kind != Setting::Kind::Table) {
    fail(override_text, table.key + " has no keys below it", describe(table));
  }
  Setting* found = table.find(segment.key);
  if (found == nullptr) {
    Setting created;
    created.key = segment.key;
    created.override_text = override_text;
    if (segment.selects) created.kind = Setting::Kind::Array;
    table.members.push_back(std::move(created));
    found = &table.members.back();
  }
  return segment.selects ? item_of(*found, segment, override_text) : *found;
}

/// steps and epochs exclude each other: the one on the command line replaces the one of the file, which it could not
/// take out otherwise.
void replace_length_of_the_file(Setting& root) {
  Setting* const training = root.find("training");
  if (training == nullptr) return;
  const Setting* const steps = training->find("steps");
  const Setting* const epochs = training->find("epochs");
  if (steps == nullptr || epochs == nullptr || steps->override_text.empty() == epochs->override_text.empty()) return;
  const std::string of_the_file = steps->override_text.empty() ? "steps" : "epochs";
  training->members.erase(std::find_if(training->members.begin(), training->members.end(),
                                       [&](const Setting& member) { return member.key == of_the_file; }));
}

}  // namespace

void apply_overrides(Setting& root, const std::vector<std::string>& override_texts) {
  for (const std::string& override_text : override_texts) apply_override(root, override_text);
  replace_length_of_the_file(root);
}

void apply_override(Setting& root, const std::string& override_text) {
  const auto [key, value_text] = key_and_value(override_text);
  const std::vector<Segment> segments = segments_of(key, override_text);

  Setting value;
  try {
    value = read_toml_value(value_text);
  } catch (const Error& error) {
    const std::string& expected = error.facts().expected;
    const bool word =
        expected.empty() && !value_text.empty() && value_text.find_first_of("\"'{}[]=,\n\r") == std::string::npos;
    fail(override_text, error.facts().problem, error.facts().found,
         expected.empty() ? "a number, true, false, a list, or a text in quotes" : expected,
         word ? "A text needs quotes: --set '" + key + "=\"" + value_text + "\"'" : std::string());
  }

  Setting* place = &root;
  for (std::size_t i = 0; i < segments.size(); ++i) place = &member_of(*place, segments, i, override_text);
  value.key = place->key;
  mark(value, override_text);
  *place = std::move(value);
}

}  // namespace mantissa::spec
