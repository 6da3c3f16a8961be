// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace mantissa::spec {

/// One documented key of the experiment file.
struct KeyEntry {
  std::string path;          ///< "training.batch", "trial.scaler.init_scale", "rules.output.max"
  std::string type;          ///< as a person reads it: "integer", "number", "text: relu | gelu | …", "size (24 GB)"
  std::string default_text;  ///< as the contract states it
  std::string description;   ///< one line
  std::string available;     ///< empty: available; else what it waits for: "shadow deviation"
};

/// Every key of the contract, in the order of the file: the source of `help experiment`, of the check for unknown keys
/// and of "not yet available".
const std::vector<KeyEntry>& key_catalogue();

/// The text of `mantissa-cli help experiment`.
std::string help_text();

}  // namespace mantissa::spec
