// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa::session {

struct InspectedColumn {
  std::string name;
  std::string kind;  ///< "number", "integer", "text"
  double minimum = 0.0, maximum = 0.0;
  std::int64_t missing = 0, non_finite = 0, distinct = 0;
  bool beyond_float16 = false;  ///< a magnitude above 65,504
};

struct InspectedData {
  std::string format;               ///< "table" (CSV), "idx", "text"
  std::vector<std::int64_t> shape;  ///< idx: the sizes of its dimensions; text: the number of characters; else empty
  std::int64_t rows = 0;            ///< of a text: lines
  bool header = false;
  std::vector<InspectedColumn> columns;
  std::vector<std::string> problems;  ///< sentences with line and column
};

struct InspectedParameter {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  bool trainable = true;
};

/// A model, or a file of weights alone.
struct InspectedModel {
  bool weights_only = false;         ///< safetensors or a state dict: no modules, no operators
  std::string inputs, outputs;       ///< of forward: "x (Tensor), sr (int)" and "Tensor"
  std::vector<std::string> modules;  ///< "path: type"
  std::vector<InspectedParameter> parameters;
  std::vector<InspectedParameter> buffers;
  std::vector<std::string> operators;  ///< sorted, each once
  std::vector<std::string> problems;
};

/// What a data file holds; its kind is found by its content, a text by its name as well. All elements of an IDX file
/// are one column of the name of their type. \throws Error FileProblem, DataProblem for an IDX file or a text that
/// cannot be read; a damaged table is summed up to
///         the damage.
InspectedData inspect_data(const std::string& path);

/// A TorchScript model, a state dict of torch.save, or a safetensors file.
InspectedModel inspect_model(const std::string& path);

}  // namespace mantissa::session
