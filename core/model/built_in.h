// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

#include "core/model/network.h"
#include "core/model/recomputation.h"
#include "core/precision/module_scope.h"

namespace mantissa::model {

/// What the data gives a model, and how wide the model's output has to be.
struct DataShape {
  std::vector<std::int64_t> row;     ///< of the inputs: [features], [channels, height, width], [time, features], [time]
  std::int64_t outputs = 0;          ///< target columns, classes, or characters of the vocabulary
  at::ScalarType type = at::kFloat;  ///< of the inputs; kLong: characters, as indexes below `outputs`
};

template <class Module, class... Inputs>
auto run_module(Module& module, const Inputs&... inputs) {
  return module.forward(inputs...);
}

/// Python's nn.Linear is one operator; LibTorch's front end makes addmm, or matmul and a sum, of it, which rounds
/// twice.
inline at::Tensor run_module(torch::nn::LinearImpl& module, const at::Tensor& input) {
  return at::linear(input, module.weight, module.bias);
}

/// Running statistics move once a forward pass: a block that backward computes again leaves them alone. Training takes
/// the batch's own statistics, so that the result is the same.
at::Tensor run_module(torch::nn::BatchNorm2dImpl& module, const at::Tensor& input);

/// A layer of LibTorch's front end that says where it stands while it runs.
template <class Holder>
class Layer {
 public:
  Layer(std::string path, const Holder& module) : path_(std::move(path)), module_(module.ptr()) {}

  template <class... Inputs>
  auto operator()(const Inputs&... inputs) const {
    const precision::ModuleScope scope(path_);
    return run_module(*module_, inputs...);
  }

  bool is_training() const { return module_->is_training(); }

 private:
  std::string path_;
  std::shared_ptr<typename Holder::ContainedType> module_;
};

/// The base of all built-in models.
///
/// A model adds its layers in the order in which its Python twin constructs them: parameters then have PyTorch's order
/// and names, and draw the same numbers from the default generator.
class BuiltIn : public Network {
 public:
  BuiltIn(spec::Model settings, DataShape shape) : settings_(std::move(settings)), shape_(std::move(shape)) {}

  at::Tensor forward(const at::Tensor& inputs) final;
  void set_training(bool training) final;
  std::unique_ptr<Network> clone() const final;
  bool may_use_randomness() const final { return settings_.dropout > 0.0; }
  void recompute_blocks(bool recompute) final;

  /// Takes over a layer with its parameters and buffers. \param path  from the model's root; empty: the model is this
  /// one layer
  template <class Holder>
  Layer<Holder> add(std::string path, const Holder& module) {
    adopt(path, module.ptr());
    return Layer<Holder>(std::move(path), module);
  }

  /// A part of the model, whose activations backward computes again where the model was told so.
  /// \param make  adds the part's layers and returns what runs them, which takes and returns one tensor
  template <class Make>
  std::function<at::Tensor(const at::Tensor&)> add_block(const Make& make) {
    const std::size_t first = parameters_.size();
    auto block = std::make_shared<Block>();
    block->run = make();
    for (std::size_t i = first; i < parameters_.size(); ++i) block->parameters.push_back(parameters_[i].tensor);
    has_blocks_ = true;
    return [this, block = std::shared_ptr<const Block>(std::move(block))](const at::Tensor& inputs) {
      return recomputes_ ? run_recomputed(block, inputs, training_ && may_use_randomness()) : block->run(inputs);
    };
  }

 protected:
  const spec::Model& settings() const { return settings_; }
  const DataShape& shape() const { return shape_; }

 private:
  /// Inputs have the shape that the model was built for.
  virtual at::Tensor run(const at::Tensor& inputs) = 0;

  void adopt(const std::string& path, std::shared_ptr<torch::nn::Module> module);

  spec::Model settings_;
  DataShape shape_;
  bool training_ = true;
  bool has_blocks_ = false;
  bool recomputes_ = false;
  std::vector<std::shared_ptr<torch::nn::Module>> layers_;
};

/// Layers that run one after another, as nn.Sequential.
class Sequence {
 public:
  using Step = std::function<at::Tensor(const at::Tensor&)>;

  /// \param first  number of the first layer
  explicit Sequence(std::string path, std::size_t first = 0) : path_(std::move(path)), next_(first) {}

  /// The path of the next layer, "features.3".
  std::string next_path() const { return (path_.empty() ? "" : path_ + '.') + std::to_string(next_); }

  void append(Step step) {
    steps_.push_back(std::move(step));
    ++next_;
  }

  /// Appends what `add_layers` appends to the sequence that it is given, as one block of `model`.
  template <class AddLayers>
  void append_block(BuiltIn& model, const AddLayers& add_layers) {
    steps_.push_back(model.add_block([&] {
      Sequence layers(path_, next_);
      add_layers(layers);
      next_ = layers.next_;
      return layers;
    }));
  }

  at::Tensor operator()(at::Tensor values) const {
    const precision::ModuleScope scope(path_);
    for (const Step& step : steps_) values = step(values);
    return values;
  }

 private:
  std::string path_;
  std::size_t next_;
  std::vector<Step> steps_;
};

/// Any built-in kind, with weights drawn from the default generator as it stands.
/// \throws Error ModelProblem where the data has a shape that the kind does not take.
std::unique_ptr<Network> build_built_in(const spec::Model& settings, const DataShape& shape);

/// A ModelProblem about what the data gives this kind of model.
[[noreturn]] void refuse_data(const std::string& problem, const DataShape& found, const std::string& expected,
                              const std::string& remedy);

}  // namespace mantissa::model
