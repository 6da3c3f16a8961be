// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/session/prepared.h"

namespace mantissa::session {

/// The line of the experiment's model, for messages.
int model_line(const spec::Experiment& experiment);

/// The same error with the file and the line of the key that it is about.
Error at_its_key(const Error& error, const spec::Experiment& experiment);

/// What one batch through a clone of the model showed.
struct Tried {
  std::vector<std::int64_t> prediction_shape;  ///< of one batch
  std::vector<std::string> notes;              ///< sentences about a model from a file
};

/// Runs one batch through a clone: what does not fit shows before anything is stored. Forward and backward in training
/// mode where there are steps to train, forward in evaluation mode otherwise.
///
/// A model from a file goes through a second time, because one that keeps state fails only then, and is watched under
/// train() and eval(): a traced model follows neither.
/// \throws Error ModelProblem, DataProblem, InvalidSetting with the fact that does not fit.
Tried try_model(const Prepared& prepared, bool training);

}  // namespace mantissa::session
