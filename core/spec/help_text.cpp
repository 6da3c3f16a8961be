// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "core/spec/key_catalogue.h"

namespace mantissa::spec {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t indent = 6;

/// `text` in lines of at most `width` bytes, each after `indent` blanks.
std::string wrapped(const std::string& text) {
  std::istringstream words(text);
  std::string all;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      all += std::string(indent, ' ') + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + std::string(indent, ' ') + line + '\n';
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " | ") + word;
  return all;
}

std::string header(const KeyEntry& entry) {
  const std::string name = entry.shape == KeyShape::Tables ? "[[" + entry.path + "]]" : '[' + entry.path + ']';
  std::string text = '\n' + name + "\n";
  if (!entry.available.empty()) text += wrapped("not yet available: " + entry.available);
  return text + wrapped(entry.description);
}

std::string line_of(const KeyEntry& entry, const std::string& section) {
  const std::string name = section.empty() ? entry.path : entry.path.substr(section.size() + 1);
  std::string text = "  " + name + "\n";
  std::string facts = entry.words.empty() ? entry.type : entry.type + ": " + joined(entry.words);
  if (!entry.default_text.empty()) facts += "; default " + entry.default_text;
  if (entry.default_text == "required") facts = facts.substr(0, facts.rfind("; ")) + "; required";
  text += wrapped(facts);
  text += wrapped(entry.description);
  if (!entry.available.empty()) {
    text += wrapped("not yet available: " + entry.available + (entry.off.empty() ? "" : "; only " + entry.off));
  }
  std::string later;
  for (const LaterWord& word : entry.later_words) later += (later.empty() ? "" : ", ") + word.word;
  if (!later.empty()) text += wrapped("not yet available: " + later);
  return text;
}

bool opens_section(const KeyEntry& entry) {
  if (entry.path.find('.') == std::string::npos && entry.type.find("table") != std::string::npos) return true;
  return entry.path == "training.optimizer" || entry.path == "training.schedule" || entry.path == "trial.scaler";
}

bool within(const std::string& path, const std::string& section) {
  return path.size() > section.size() && path.compare(0, section.size(), section) == 0 && path[section.size()] == '.';
}

}  // namespace

std::string help_text() {
  std::string text =
      "The experiment file: TOML, format 1. Paths are relative to the file, numbers have a decimal point,\n"
      "sizes and times take units (24 GB, 24 GiB, 8 h, 30 min). Unknown keys are refused.\n\n";
  std::string section;
  for (const KeyEntry& entry : key_catalogue()) {
    if (opens_section(entry)) {
      section = entry.path;
      text += header(entry);
    } else {
      text += line_of(entry, within(entry.path, section) ? section : std::string());
    }
  }
  return text;
}

}  // namespace mantissa::spec
