// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::data {

/// The content of an IDX file, the format of the MNIST family of sets.
struct IdxArray {
  std::string path;
  std::string type;                 ///< "uint8", "int8", "int16", "int32", "float32", "float64"
  std::vector<std::int64_t> shape;  ///< at least one size, none of them 0
  std::vector<double> values;       ///< all elements, the last dimension fastest; exact in FP64 for every type

  bool integers() const { return type.front() != 'f'; }
  std::int64_t rows() const { return shape.front(); }
  std::int64_t row_size() const { return static_cast<std::int64_t>(values.size()) / rows(); }
};

/// Reads an IDX file, plain or gzip by its content.
///
/// Format: two zero bytes, one byte of type (0x08 to 0x0E), one of dimensions, then a big-endian 32-bit size a
/// dimension and the elements, big-endian (http://yann.lecun.com/exdb/mnist, "The IDX file format"). The file must hold
/// exactly the elements that its header promises. Nothing is allocated from a header's word: memory follows the bytes
/// that are really there, and reading stops at the first one too many. \throws Error FileProblem for a file that cannot
/// be read, DataProblem for one that is no sound IDX file (what was
///         found and what was expected, as numbers).
IdxArray read_idx(const std::string& path);

/// Whether a file that starts with these bytes (unpacked), or is called so, is meant to be IDX.
bool looks_like_idx(const std::string& path, std::string_view start);

}  // namespace mantissa::data
