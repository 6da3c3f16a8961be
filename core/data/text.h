// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/spec/experiment.h"

namespace mantissa::data {

/// A text file as characters.
struct Text {
  std::string path;
  std::u32string characters;
  std::vector<std::string> notes;  ///< what was changed while reading

  /// The line (from 1) of a character (from 0).
  std::int64_t line_of(std::size_t index) const;
};

/// Reads a text, plain or gzip by its content. UTF-8 is decoded strictly; a byte order mark is left out and the line
/// ends CRLF and CR become LF, as Python's text mode reads them (a note says so).
/// \throws Error FileProblem for a file that cannot be read, DataProblem for an empty one, a NUL byte or a byte that is
///         no UTF-8 (its offset in the unpacked file, from 0, and its line).
Text read_text(const std::string& path);

/// The characters of a text, each once, sorted by code point: index = class.
std::u32string vocabulary_of(const Text& text);

/// Loads the data of a language model.
///
/// The vocabulary is that of data.path, test part included. With n characters the test part is the last
/// round(test.fraction · n) of them (halves to even), or a file of its own, in which characters outside the vocabulary
/// are refused by name. Each part is cut into windows that start every data.context characters: row i of the inputs is
/// characters [i · context, (i + 1) · context), its targets are the same shifted by one; what fills no whole window at
/// the end is left out. Rows are called by the number of their window, from 1, the test part's after the training
/// part's. Inputs and targets are int64 [rows, context] and share their memory.
/// \throws Error as read_text, InvalidSetting for keys that a text does not have and for a part shorter than a window.
Dataset load_text(const spec::Experiment& experiment);

}  // namespace mantissa::data
