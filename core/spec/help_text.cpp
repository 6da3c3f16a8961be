// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "core/base/text_list.h"
#include "core/spec/key_catalogue.h"

namespace mantissa::spec {
namespace {

constexpr std::size_t width = 100;
constexpr std::size_t name_column = 2;
constexpr std::size_t text_column = 28;

/// Text in a column from `indent` to `width`; the first line goes on at `at`.
class Column {
 public:
  Column(std::size_t indent, std::size_t at) : indent_(indent), at_(at) {}

  /// Starts a new line and fills it.
  void paragraph(const std::string& text) {
    std::istringstream words(text);
    bool first = true;
    for (std::string word; words >> word; first = false) {
      if (!first && at_ + 1 + word.size() > width) first = true;
      if (first) {
        if (at_ > indent_) new_line();
        text_ += std::string(indent_ - at_, ' ') + word;
        at_ = indent_ + word.size();
      } else {
        text_ += ' ' + word;
        at_ += 1 + word.size();
      }
    }
  }

  std::string finished() const { return text_ + '\n'; }

 private:
  void new_line() {
    text_ += '\n';
    at_ = 0;
  }

  std::size_t indent_;
  std::size_t at_;
  std::string text_;
};

bool is_below(const KeyEntry& entry, const std::string& path) {
  return entry.path.size() > path.size() && entry.path.compare(0, path.size(), path) == 0 &&
         entry.path[path.size()] == '.';
}

/// Tables get a section of their own unless a single key stands in them: `boundary.max` reads better.
bool is_section(const KeyEntry& entry) {
  if (entry.path.find('.') == std::string::npos) return entry.type.find("table") != std::string::npos;
  if (entry.shape == KeyShape::Value || entry.shape == KeyShape::ValueOrTable) return false;
  const auto& keys = key_catalogue();
  return std::count_if(keys.begin(), keys.end(), [&](const KeyEntry& key) { return is_below(key, entry.path); }) > 1;
}

void add_availability(const KeyEntry& entry, Column& column) {
  if (!entry.available.empty()) {
    column.paragraph("Not yet available: " + entry.available +
                     (entry.off.empty() ? "." : "; only " + entry.off + " is accepted."));
  }
  std::string later;
  for (const LaterWord& word : entry.later_words) later += (later.empty() ? "" : ", ") + word.word;
  if (!later.empty()) column.paragraph("Not yet available: " + later + '.');
}

std::string key_text(const KeyEntry& entry, const std::string& section) {
  const std::string name = section.empty() ? entry.path : entry.path.substr(section.size() + 1);
  std::string text = std::string(name_column, ' ') + name;
  Column column(text_column, text.size());
  std::string facts = entry.words.empty() ? entry.type : "text: " + joined(entry.words, " | ");
  if (entry.default_text == "required") {
    facts += "; required";
  } else if (!entry.default_text.empty()) {
    facts += "; default: " + entry.default_text;
  }
  column.paragraph(entry.description);
  column.paragraph(facts);
  add_availability(entry, column);
  return text + column.finished();
}

std::string section_text(const KeyEntry& section) {
  const bool list = section.shape == KeyShape::Tables || section.path == "risk";
  std::string text = '\n' + (list ? "[[" + section.path + "]]" : '[' + section.path + ']');
  Column column(text_column, text.size() - 1);
  column.paragraph(section.description);
  if (section.shape == KeyShape::TableOrTables) column.paragraph("One table, or a list of tables.");
  add_availability(section, column);
  text += column.finished();

  std::string nested;
  for (const KeyEntry& entry : key_catalogue()) {
    if (is_below(entry, nested) && !nested.empty()) continue;  // stands in a section of its own
    nested.clear();
    if (!is_below(entry, section.path)) continue;
    if (is_section(entry)) {
      nested = entry.path;
    } else if (entry.shape != KeyShape::Table) {
      text += key_text(entry, section.path);
    }
  }
  return text;
}

}  // namespace

std::string help_text() {
  std::string text =
      "The experiment file: TOML, format 1. Paths are relative to the file, numbers have a decimal point,\n"
      "sizes and times take units (24 GB, 24 GiB, 8 h, 30 min). Unknown keys are refused.\n\n";
  for (const KeyEntry& entry : key_catalogue()) {
    if (is_section(entry)) {
      text += section_text(entry);
    } else if (entry.path.find('.') == std::string::npos) {
      text += key_text(entry, {});
    }
  }
  return text;
}

}  // namespace mantissa::spec
