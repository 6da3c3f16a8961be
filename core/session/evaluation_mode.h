// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/network.h"
#include "core/train/buffer_guard.h"

namespace mantissa::session {

/// A network in evaluation mode. At the end: back to training mode, the old buffers and attributes, also where the
/// model throws.
class EvaluationMode {
 public:
  explicit EvaluationMode(model::Network& network) : network_(network), buffers_(network) {
    network_.set_training(false);
    if (!network_.traits().from_file) return;  // built-in models keep their buffers in evaluation mode
    buffers_.keep();
    attributes_ = network_.copy_attributes();
  }
  ~EvaluationMode() {
    if (attributes_) network_.put_back(*attributes_);
    buffers_.restore_all();
    network_.set_training(true);
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  model::Network& network_;
  train::BufferGuard buffers_;
  std::unique_ptr<model::Attributes> attributes_;
};

}  // namespace mantissa::session
