// SPDX-License-Identifier: Apache-2.0
#include "app/cli/pattern_file.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>

#include "app/cli/input_file.h"
#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::cli {
namespace {

constexpr std::size_t kLargestPattern = 1000000000;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

/// Cells of one line. No cell of such a file needs a comma or a line feed within quotes.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::optional<bool> flag_from_text(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
  if (lower == "true") return true;
  if (lower == "false") return false;
  // found_inf is a float in PyTorch: 1.0 and 0.0 are what a printed tensor holds.
  const std::optional<double> number = number_from_text(lower);
  if (number == 1.0) return true;
  if (number == 0.0) return false;
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& path, int line, int column, const std::string& subject,
                         const std::string& problem, const std::string& found, const std::string& expected,
                         const std::string& remedy) {
  throw Error(ErrorKind::DataProblem, {problem, path, line, column, subject, found, expected, remedy});
}

/// Which cell of a row belongs to which optimizer.
struct Header {
  std::vector<std::size_t> places;
  std::vector<std::string> names;
  std::size_t width = 0;
  bool indexed = false;
};

Header header_of(std::string_view line, const std::string& path) {
  const std::vector<std::string_view> titles = cells_of(line);
  Header header;
  header.width = titles.size();
  std::map<std::int64_t, std::size_t> by_optimizer;
  std::optional<std::size_t> plain;
  for (std::size_t place = 0; place < titles.size(); ++place) {
    const std::string_view title = titles[place];
    const int column = static_cast<int>(place) + 1;
    constexpr std::string_view kStart = "found_inf[";
    bool repeated = false;
    if (title == "found_inf") {
      repeated = plain.has_value();
      plain = place;
    } else if (title.size() > kStart.size() && title.substr(0, kStart.size()) == kStart && title.back() == ']') {
      const std::string_view digits = title.substr(kStart.size(), title.size() - kStart.size() - 1);
      const std::optional<std::int64_t> optimizer = integer_from_text(digits);
      if (!optimizer || *optimizer < 0) {
        refuse(path, 1, column, "", "", "'" + std::string(title) + "'", "found_inf[0], found_inf[1] …", "");
      }
      repeated = !by_optimizer.emplace(*optimizer, place).second;
    }
    if (repeated) {
      refuse(path, 1, column, "", "a column occurs twice", "'" + std::string(title) + "'", "each column once", "");
    }
  }
  if (plain && !by_optimizer.empty()) {
    refuse(path, 1, 0, "", "", "found_inf beside found_inf[…]", "one of the two forms",
           "Keep found_inf for one optimizer, or one found_inf[i] for each");
  }
  if (plain) {
    header.places = {*plain};
    header.names = {"found_inf"};
    return header;
  }
  if (by_optimizer.empty()) {
    refuse(path, 1, 0, "", "no column says which steps overflow", "'" + std::string(trimmed(line)) + "'",
           "a header with found_inf, or found_inf[0], found_inf[1] …", "Write the column's name into the first line");
  }
  header.indexed = true;
  for (const auto& [optimizer, place] : by_optimizer) {
    if (optimizer != static_cast<std::int64_t>(header.places.size())) {
      refuse(path, 1, static_cast<int>(place) + 1, "", "an optimizer is left out",
             "found_inf[" + std::to_string(optimizer) + "]", "found_inf[" + std::to_string(header.places.size()) + "]",
             "Number the columns from 0 without a gap");
    }
    header.places.push_back(place);
    header.names.push_back("found_inf[" + std::to_string(optimizer) + "]");
  }
  return header;
}

std::vector<bool> row_of(std::string_view line, int line_number, const Header& header, const std::string& path) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != header.width) {
    refuse(path, line_number, 0, "", "", std::to_string(cells.size()) + " cells",
           std::to_string(header.width) + " as in the header", "");
  }
  std::vector<bool> row;
  for (std::size_t optimizer = 0; optimizer < header.places.size(); ++optimizer) {
    const std::string_view cell = cells[header.places[optimizer]];
    const std::optional<bool> flag = flag_from_text(cell);
    if (!flag) {
      refuse(path, line_number, static_cast<int>(header.places[optimizer]) + 1, "column " + header.names[optimizer], "",
             "'" + std::string(cell) + "'", "0, 1, true or false", "");
    }
    row.push_back(*flag);
  }
  return row;
}

}  // namespace

Pattern parse_pattern(const std::string& text, const std::string& path) {
  std::string_view rest = text;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest.remove_prefix(kByteOrderMark.size());

  Pattern pattern;
  std::optional<Header> header;
  for (int line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!header) {
      header = header_of(line, path);
      pattern.indexed = header->indexed;
    } else if (!trimmed(line).empty()) {
      pattern.found_inf.push_back(row_of(line, line_number, *header, path));
    }
  }
  if (!header) refuse(path, 0, 0, "", "the file is empty", "", "a header with found_inf, then a line a step", "");
  if (pattern.found_inf.empty()) refuse(path, 0, 0, "", "there is no step under the header", "", "a line a step", "");
  return pattern;
}

Pattern read_pattern(const std::string& path) { return parse_pattern(read_whole(path, kLargestPattern), path); }

}  // namespace mantissa::cli
