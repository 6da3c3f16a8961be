// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>
#include <nlohmann/json.hpp>

#include "core/model/network.h"

namespace mantissa::model {

/// The plain attributes of a TorchScript module: values of its objects that are neither parameters, buffers nor
/// submodules, by path ("rnn.state"). Numbers, flags and texts stand among them only where some method sets them.
///
/// Buffers that the code sets (`self.mean = 0.9 * self.mean + ...`) stand among them: such a buffer goes on as another
/// tensor.
struct AttributeNames {
  std::set<std::string> all;
  std::set<std::string> changing;        ///< those that forward may change
  std::set<std::string> set_buffers;     ///< those of them that are buffers, forward and reset_states counted
  std::set<std::string> set_parameters;  ///< parameters that the code sets; not among the others
};

/// Finds out what the module's code changes: what it sets, and what it writes into, by LibTorch's alias analysis.
/// Lists, dictionaries and objects that may hold tensors of their own count as changing. What reset_states sets is left
/// out: it is called before every batch.
AttributeNames attribute_names(const torch::jit::Module& module);

/// Where a parameter, buffer or plain attribute lives.
struct Place {
  c10::intrusive_ptr<c10::ivalue::Object> object;
  std::size_t index = 0;
};

/// \param name  of an attribute that the module has: "bn.running_mean".
Place place_of(const torch::jit::Module& module, const std::string& name);

/// Which copy stands for what was met before. What several attributes share they share again in their copies, also
/// across the calls with one of these.
using CopiedTensors = c10::IValue::HashIdentityIValueMap;

/// The tensors of `to` stand for those of `from`, by position.
CopiedTensors standing_for(const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to);

/// Copies some attributes.
std::vector<c10::IValue> copy_attributes(const torch::jit::Module& module, const std::set<std::string>& names,
                                         CopiedTensors& copied);

/// Sets them to copies of values that `copy_attributes` gave for the same names. \param same_network  whether they
/// came from this very network: tensors with a history of gradients then stay themselves.
void put_attributes(const torch::jit::Module& module, const std::set<std::string>& names,
                    const std::vector<c10::IValue>& values, CopiedTensors& copied, bool same_network);

/// Attributes as text and tensors, and back. One object serves one state: what several attributes share, also across
/// modules, they share again.
class AttributeWriter {
 public:
  explicit AttributeWriter(const std::vector<NamedTensor>& state);

  /// The attributes in a fixed order; notes the first changing one that cannot be written in `unsaved`.
  nlohmann::json write(const torch::jit::Module& module, const AttributeNames& names);

  std::vector<at::Tensor> tensors;  ///< copies, as the text counts them
  std::string unsaved;              ///< "rnn.state, which carries a history of gradients"; empty: all is written

 private:
  nlohmann::json text_of(const c10::IValue& value, const c10::TypePtr& type);

  c10::IValue::HashIdentityIValueMap state_;   // to their places
  c10::IValue::HashIdentityIValueMap shared_;  // what was met before, to its number
};

class AttributeReader {
 public:
  AttributeReader(const std::vector<NamedTensor>& state, const std::vector<at::Tensor>& tensors)
      : state_(state), tensors_(tensors) {}

  /// \throws Error ModelProblem where the module has no such attribute, or it is of another type.
  void read(const torch::jit::Module& module, const nlohmann::json& attributes);

 private:
  c10::IValue value_of(const nlohmann::json& text, const c10::TypePtr& type, const torch::jit::Module& module);

  const std::vector<NamedTensor>& state_;
  const std::vector<at::Tensor>& tensors_;
  std::vector<c10::IValue> shared_;
};

}  // namespace mantissa::model
