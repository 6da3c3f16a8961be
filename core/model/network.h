// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/spec/experiment.h"

namespace mantissa::model {

struct NamedTensor {
  std::string name;  ///< PyTorch's state_dict name: "0.weight", "bn.running_mean"
  at::Tensor tensor;
};

/// How an experiment uses a model: what a TorchScript model's inputs can be bound to, and whether it returns its loss.
struct Usage {
  std::vector<std::string> input_names;    ///< of the columns of a batch's inputs
  std::vector<std::string> target_names;   ///< of the columns of its targets
  std::vector<std::string> integer_names;  ///< inputs that reach the model as integers
  bool returns_loss = false;               ///< the loss comes from the model: training.loss = "output"
  std::vector<std::string> other_outputs;  ///< selectors of outputs beside the prediction, for `compute_all`
};

/// What one forward pass gives.
struct Outputs {
  at::Tensor prediction;
  at::Tensor loss;                 ///< a scalar where the model returns its loss (Usage), else undefined
  std::vector<at::Tensor> others;  ///< of `compute_all`: as Usage names them, in its order
};

/// What a model brought along in a file may do that no built-in one does.
struct Traits {
  bool from_file = false;
  bool resets_state = false;                ///< has a reset_states() method, which is called before every batch
  std::vector<std::string> mode_operators;  ///< operators that train() and eval() should switch: "dropout"
  bool has_lstm = false;                    ///< from a file: calls aten::lstm
};

/// What a model from a file keeps in plain attributes of its code, neither parameters nor buffers, at one moment.
class Attributes {
 public:
  Attributes() = default;
  virtual ~Attributes() = default;
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

/// The same for a checkpoint. Tensors, numbers, flags, texts, lists, dictionaries, tuples and objects of these can be
/// written.
struct StoredAttributes {
  std::string text;                 ///< JSON; empty: the model has none
  std::vector<at::Tensor> tensors;  ///< of which the text speaks by number
  std::string unsaved;              ///< name and reason of one that changes and cannot be written; empty: there is none
};

/// A model that can be trained: one input tensor in, one output tensor out; a TorchScript model may take more and give
/// more (see `compute`).
///
/// Used from one thread at a time. The tensors are the model's own: whoever writes into them changes the model.
class Network {
 public:
  virtual ~Network() = default;

  /// \param inputs  [batch, features] or [batch, shape…], FP32; [batch, time], int64 for characters.
  /// \throws c10::Error, std::exception: whatever the model throws.
  virtual at::Tensor forward(const at::Tensor& inputs) = 0;

  /// Says how the model is used; once, before the first batch. Clones are used alike.
  /// \throws Error InvalidSetting where the experiment's settings do not fit the model's inputs.
  virtual void use(const Usage& /*usage*/) {}

  /// Forward of a model that may take targets and may return its loss.
  /// \param targets  as the loss is given them; undefined where `takes_targets` is false.
  /// \throws as forward; Error InvalidSetting where the model returns no such output.
  virtual Outputs compute(const at::Tensor& inputs, const at::Tensor& /*targets*/) { return {forward(inputs), {}, {}}; }

  /// `compute` with the outputs beside the prediction that Usage names: those of a step are nobody's business.
  /// \throws as compute; Error InvalidSetting where the model returns no such output.
  virtual Outputs compute_all(const at::Tensor& inputs, const at::Tensor& targets) { return compute(inputs, targets); }

  /// Whether the targets are an input of the model.
  virtual bool takes_targets() const { return false; }

  /// What must be found out by running it; all false for built-in models.
  virtual Traits traits() const { return {}; }

  /// PyTorch's `train()` (true) and `eval()` (false).
  virtual void set_training(bool training) = 0;

  /// Whether backward computes the activations of each block again instead of keeping them (recomputation.h): less
  /// memory, more time, every bit the same. Clones do as their original does.
  /// \throws Error InvalidSetting  for true where the model is not made of blocks
  virtual void recompute_blocks(bool recompute);

  /// The same model with the same weights and buffers in storage of its own.
  virtual std::unique_ptr<Network> clone() const = 0;

  /// A copy of what the model's code may change in its attributes, for `put_back`; null where it changes none.
  virtual std::unique_ptr<Attributes> copy_attributes() const { return nullptr; }

  /// \param attributes  of this network.
  virtual void put_back(const Attributes& /*attributes*/) {}

  /// Copies the attributes of another network of the same model.
  virtual void take_attributes(const Network& /*other*/) {}

  /// Makes `tensor`, which was `buffers()[index].tensor` once, that buffer again: the code of a TorchScript model may
  /// have set it to another one since.
  virtual void put_buffer(std::size_t /*index*/, const at::Tensor& /*tensor*/) {}

  virtual StoredAttributes stored_attributes() const { return {}; }

  /// \throws Error ModelProblem where they are those of another model, or lack one that the code changes.
  virtual void load_attributes(const StoredAttributes& /*attributes*/) {}

  /// Whether forward may draw random numbers in training mode. False only where that is certain.
  virtual bool may_use_randomness() const = 0;

  /// All parameters in PyTorch's order; frozen ones have requires_grad false.
  const std::vector<NamedTensor>& parameters() const { return parameters_; }

  /// All persistent buffers in PyTorch's order. Forward of a TorchScript model may set a buffer to another tensor,
  /// which then stands here: take the tensors anew after a call.
  const std::vector<NamedTensor>& buffers() const { return buffers_; }

  /// Parameters, then buffers: everything that PyTorch's state_dict holds.
  const std::vector<NamedTensor>& state() const { return state_; }

  /// Where the parameters and buffers are; the CPU for a model without any.
  c10::Device device() const;

  /// Moves all parameters and buffers, as PyTorch's `to(device)`: the tensors stay the same objects. Gradients are
  /// dropped. A clone lies where its original lies.
  void move_to(c10::Device device);

  /// What a reader must know of this model, as sentences.
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  std::vector<NamedTensor> parameters_;
  std::vector<NamedTensor> buffers_;
  std::vector<NamedTensor> state_;
  std::vector<std::string> notes_;
};

/// Builds the experiment's model. Built-in kinds are documented in mlp.h, cnn.h, resnet.h, transformer.h and lstm.h.
///
/// They draw their initial weights from the default generator after `at::manual_seed(seed)`, layer by layer in the
/// order of the model, so that they equal Python's. Each says through `precision::ModuleScope` which layer runs.
///
/// \param row_shape  of one row of the inputs; one number: vectors of so many elements.
/// \param outputs  target columns, classes, or characters of the vocabulary.
/// \param input_type  at::kFloat, or at::kLong for rows of characters, as indexes below `outputs`.
/// \throws Error ModelProblem (the data has a shape that the kind does not take), FileProblem as `load_torchscript`.
std::unique_ptr<Network> build(const spec::Model& model, at::IntArrayRef row_shape, std::int64_t outputs,
                               std::uint64_t seed, at::ScalarType input_type = at::kFloat);

}  // namespace mantissa::model
