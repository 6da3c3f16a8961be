// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mantissa::spec {

/// A word of the contract whose feature this version lacks.
struct LaterWord {
  std::string word;
  std::string feature;
};

/// What stands at a key.
enum class KeyShape {
  Value,          ///< a value, or a list of them
  Table,          ///< a table whose keys are in the catalogue
  Tables,         ///< a list of such tables: [[trial]]
  TableOrTables,  ///< either
  ValueOrTable,   ///< a value, or a table whose keys are in the catalogue
  FreeTable,      ///< a table whose keys the user chooses
};

/// One documented key of the experiment file.
struct KeyEntry {
  std::string path;          ///< "training.batch", "trial.scaler.init_scale", "rules.output.max"
  std::string type;          ///< as a person reads it: "integer", "number", "text: relu | gelu | …", "size (24 GB)"
  std::string default_text;  ///< as the contract states it; empty: none
  std::string description;   ///< one line
  std::string available;     ///< empty: available; else what it waits for: "shadow deviation"

  KeyShape shape = KeyShape::Value;
  std::vector<std::string> words;      ///< the only texts it takes; empty: not a choice of words
  std::vector<LaterWord> later_words;  ///< texts of the contract that wait for a feature
  std::string off;  ///< of a key that waits: the value under which nothing would be ignored ("0", "false", "[]")
};

/// Every key of the contract, in the order of the file: the source of `help experiment`, of the check for unknown keys
/// and of "not yet available".
const std::vector<KeyEntry>& key_catalogue();

/// The text of `mantissa-cli help experiment`.
std::string help_text();

}  // namespace mantissa::spec
