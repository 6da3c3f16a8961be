// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include <c10/core/DeviceType.h>

#include "core/record/memory_trace.h"
#include "core/train/arm.h"
#include "core/train/window.h"

namespace mantissa::observe {
class MemoryTracer;
}

namespace mantissa::train {

struct TraceOptions {
  c10::DeviceType device = c10::DeviceType::CPU;  ///< whose allocator is listened to
  /// Asked after every step that was not yet the one: false gives it up. Empty: it goes on.
  std::function<bool()> goes_on;
  /// Called with the arm after the traced step, before it is let go. Empty: nobody asks.
  std::function<void(const Arm& arm)> at_end;
};

/// Makes steps of an arm for nothing and writes down the memory of one of them.
///
/// The step that is traced is the first whose update is applied after another one was: gradients and optimizer state
/// are there when it begins, as in every later step. A loss scale that is too high at first takes a few steps more.
/// What the steps compute is what they would without a trace, to the bit. Memory of the device's allocator alone: what
/// lies outside it (context, workspaces of libraries) is not seen.
///
/// \param make_arm     called once, so that the memory of its model is seen
/// \param make_window  called once, likewise: the microbatches of every step
/// \return nothing where `options.goes_on` said no
/// \throws Error OutOfMemory, ModelProblem  where the arm fails within the steps; subject is its name
std::optional<record::StepTrace> trace_step(const std::function<std::unique_ptr<Arm>()>& make_arm,
                                            const std::function<Window()>& make_window,
                                            const TraceOptions& options = {});

/// Writes down the memory of one step of an arm that is being trained: parameters, gradients, buffers and optimizer
/// state are there when it begins, whoever made them; the window is not, for it belongs to the data. Changes nothing of
/// what the step computes.
///
/// Make it right before the step, do every part of the step `within` it, then ask once for what was `taken`.
class RunningTrace {
 public:
  /// \param live_bytes  all that the arm holds now, as the run has measured it; what no tensor of the arm accounts for
  ///                    counts as temporary
  RunningTrace(const Arm& arm, std::int64_t live_bytes);
  ~RunningTrace();
  RunningTrace(const RunningTrace&) = delete;
  RunningTrace& operator=(const RunningTrace&) = delete;

  /// `attempt` is the one under way; whoever listens to its parts goes on hearing them.
  void within(Attempt& attempt, const std::function<void()>& work);

  /// After the step, whose update was applied. \param window  it was made on
  record::StepTrace taken(const Window& window);

 private:
  const Arm& arm_;
  std::unique_ptr<observe::MemoryTracer> tracer_;
  std::size_t held_ = 0;                                            // events that came before the step
  std::unordered_map<std::int64_t, record::MemoryCategory> owned_;  // by block
};

}  // namespace mantissa::train
