// SPDX-License-Identifier: Apache-2.0
#include "core/report/table_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/number_text.h"
#include "core/base/plain_text.h"

namespace mantissa::report {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

std::string json_text(std::string_view text) {
  // A name may hold bytes that are no UTF-8; a JSON file may not.
  return without_controls(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

TableWriter::TableWriter(TableFormat format, std::vector<std::string> columns, Sink sink)
    : format_(format), keys_(std::move(columns)), sink_(std::move(sink)) {
  buffer_.reserve(kBufferBytes + 4096);
  if (format_ == TableFormat::Json) {
    for (std::string& key : keys_) key = json_text(key) + ':';
    buffer_ += '[';
    return;
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (i > 0) buffer_ += ',';
    buffer_ += csv_text(keys_[i]);
  }
  buffer_ += '\n';
}

void TableWriter::begin_cell() {
  if (format_ == TableFormat::Csv) {
    if (column_ > 0) buffer_ += ',';
  } else {
    if (column_ == 0) buffer_ += any_row_ ? ",\n{" : "\n{";
    if (column_ > 0) buffer_ += ',';
    buffer_ += keys_[column_];
  }
  ++column_;
}

void TableWriter::number(double value) {
  begin_cell();
  const bool json = format_ == TableFormat::Json;
  if (!std::isfinite(value)) {
    if (json) buffer_ += '"';
    buffer_ += to_text(value);
    if (json) buffer_ += '"';
  } else if (json && value == 0.0 && std::signbit(value)) {
    buffer_ += "-0.0";  // readers take "-0" for an integer, which has no sign
  } else {
    buffer_ += to_text(value);
  }
}

void TableWriter::number(const std::optional<double>& value) {
  if (value) {
    number(*value);
  } else {
    missing();
  }
}

void TableWriter::integer(std::int64_t value) {
  begin_cell();
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  buffer_.append(digits.data(), end);
}

void TableWriter::integer(const std::optional<std::int64_t>& value) {
  if (value) {
    integer(*value);
  } else {
    missing();
  }
}

void TableWriter::flag(bool value) {
  begin_cell();
  if (format_ == TableFormat::Json) {
    buffer_ += value ? "true" : "false";
  } else {
    buffer_ += value ? '1' : '0';
  }
}

void TableWriter::flag(const std::optional<bool>& value) {
  if (value) {
    flag(*value);
  } else {
    missing();
  }
}

void TableWriter::text(std::string_view value) {
  begin_cell();
  buffer_ += format_ == TableFormat::Json ? json_text(value) : csv_text(value);
}

void TableWriter::missing() {
  begin_cell();
  if (format_ == TableFormat::Json) buffer_ += "null";
}

void TableWriter::end_row() {
  buffer_ += format_ == TableFormat::Json ? "}" : "\n";
  column_ = 0;
  any_row_ = true;
  if (buffer_.size() >= kBufferBytes) flush();
}

void TableWriter::finish() {
  if (format_ == TableFormat::Json) buffer_ += "\n]\n";
  flush();
}

void TableWriter::flush() {
  sink_(buffer_);
  buffer_.clear();
}

}  // namespace mantissa::report
