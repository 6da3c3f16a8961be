// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/files.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <QFile>

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"

namespace mantissa::oracle {

namespace {

std::string contents(const std::string& path) {
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(path + ": cannot be read");
  return file.readAll().toStdString();
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::optional<double> value_of(const std::string& cell) {
  if (cell == "true") return 1.0;
  if (cell == "false") return 0.0;
  return number_from_text(cell);
}

float as_float(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

int Table::column(const std::string& name) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == name) return static_cast<int>(i);
  }
  return -1;
}

Table read_csv(const std::string& path) {
  const std::string text = contents(path);
  Table table;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::vector<std::string> cells = split(text.substr(begin, end - begin));
    begin = end + 1;
    if (table.columns.empty()) {
      table.columns = std::move(cells);
    } else if (cells.size() == table.columns.size()) {
      table.rows.push_back(std::move(cells));
    } else {
      throw std::runtime_error(path + ": row " + std::to_string(table.rows.size() + 1) + " has " +
                               std::to_string(cells.size()) + " cells, its header " +
                               std::to_string(table.columns.size()));
    }
  }
  return table;
}

std::map<std::string, Tensor> read_safetensors(const std::string& path) {
  const std::string text = contents(path);
  std::uint64_t header_size = 0;
  if (text.size() < sizeof header_size) throw std::runtime_error(path + ": too short for a safetensors file");
  std::memcpy(&header_size, text.data(), sizeof header_size);
  if (header_size > text.size() - sizeof header_size) throw std::runtime_error(path + ": the header is cut off");
  const std::size_t data = sizeof header_size + header_size;
  const auto header = nlohmann::json::parse(text.substr(sizeof header_size, header_size));
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto begin = entry.at("data_offsets").at(0).get<std::size_t>();
    const auto end = entry.at("data_offsets").at(1).get<std::size_t>();
    if (begin > end || end > text.size() - data || (end - begin) % sizeof(std::uint32_t) != 0) {
      throw std::runtime_error(path + ": " + name + " lies outside the file");
    }
    Tensor tensor;
    tensor.dtype = entry.at("dtype").get<std::string>();
    tensor.shape = entry.at("shape").get<std::vector<std::int64_t>>();
    tensor.bits.resize((end - begin) / sizeof(std::uint32_t));
    if (!tensor.bits.empty()) std::memcpy(tensor.bits.data(), text.data() + data + begin, end - begin);
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

bool same_value(const std::string& expected, const std::string& found) {
  if (expected.empty() || found.empty()) return expected.empty() && found.empty();
  const auto a = value_of(expected);
  const auto b = value_of(found);
  if (!a || !b) return false;
  if (std::isnan(*a) || std::isnan(*b)) return std::isnan(*a) && std::isnan(*b);
  return *a == *b && std::signbit(*a) == std::signbit(*b);
}

std::vector<std::string> differences(const Table& expected, const Table& found, std::size_t most) {
  std::vector<std::string> result;
  if (expected.rows.size() != found.rows.size()) {
    result.push_back("number of steps: expected " + std::to_string(expected.rows.size()) + ", found " +
                     std::to_string(found.rows.size()));
  }
  for (const std::string& name : expected.columns) {
    if (found.column(name) < 0) result.push_back("column " + name + " is missing");
  }
  for (std::size_t row = 0; row < std::min(expected.rows.size(), found.rows.size()); ++row) {
    for (std::size_t column = 0; column < expected.columns.size() && result.size() < most; ++column) {
      const int place = found.column(expected.columns[column]);
      if (place < 0) continue;
      const std::string& wanted = expected.rows[row][column];
      const std::string& seen = found.rows[row][static_cast<std::size_t>(place)];
      if (same_value(wanted, seen)) continue;
      result.push_back("step " + std::to_string(row + 1) + ", column " + expected.columns[column] + ": expected '" +
                       wanted + "', found '" + seen + "'");
    }
  }
  return result;
}

std::vector<std::string> differences(const std::map<std::string, Tensor>& expected,
                                     const std::map<std::string, Tensor>& found, std::size_t most) {
  std::vector<std::string> result;
  for (const auto& [name, tensor] : found) {
    if (expected.count(name) == 0) result.push_back("final weights: " + name + " is too much");
  }
  for (const auto& [name, tensor] : expected) {
    const auto other = found.find(name);
    if (other == found.end()) {
      result.push_back("final weights: " + name + " is missing");
    } else if (other->second.dtype != tensor.dtype || other->second.shape != tensor.shape ||
               other->second.bits.size() != tensor.bits.size()) {
      result.push_back("final weights: " + name + " has another shape or type");
    } else {
      for (std::size_t i = 0; i < tensor.bits.size() && result.size() < most; ++i) {
        if (tensor.bits[i] == other->second.bits[i]) continue;
        result.push_back("final weights, " + name + ", element " + std::to_string(i) + ": expected " +
                         to_text(static_cast<double>(as_float(tensor.bits[i]))) + ", found " +
                         to_text(static_cast<double>(as_float(other->second.bits[i]))));
      }
    }
  }
  return result;
}

}  // namespace mantissa::oracle
