// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mantissa::oracle {

/// A CSV file without quoted cells, as both the fixtures and `mantissa-cli export steps` write it here.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  /// Position of a column, or -1.
  int column(const std::string& name) const;
};

/// \throws std::runtime_error  naming the file, if it cannot be read or a row has another width than the header.
Table read_csv(const std::string& path);

/// One tensor of a safetensors file, as its bits.
struct Tensor {
  std::string dtype = "F32";  ///< an element of "I64" is two words of bits, a word holds two of "BF16" and "F16"
  std::vector<std::int64_t> shape;
  std::vector<std::uint32_t> bits;
};

/// \throws std::runtime_error  naming the file, if it is no safetensors file of whole words.
std::map<std::string, Tensor> read_safetensors(const std::string& path);

/// Same double in every bit, a flag written either way, both NaN, or both empty.
bool same_value(const std::string& expected, const std::string& found);

/// The first `most` differences, each a sentence: place, what was expected, what was found.
std::vector<std::string> differences(const Table& expected, const Table& found, std::size_t most);
std::vector<std::string> differences(const std::map<std::string, Tensor>& expected,
                                     const std::map<std::string, Tensor>& found, std::size_t most);

}  // namespace mantissa::oracle
