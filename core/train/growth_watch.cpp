// SPDX-License-Identifier: Apache-2.0
#include "core/train/growth_watch.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/number_text.h"
#include "core/observe/memory_tracer.h"
#include "core/precision/operator_interceptor.h"
#include "core/train/optimizer.h"

namespace mantissa::train {
namespace {

using record::MemoryEvent;
using record::StepPart;

/// "1.2 MB": three digits are enough for a warning.
std::string size_words(std::int64_t bytes) {
  constexpr std::int64_t kLeast = 1000;
  constexpr int kDigits = 3;
  if (bytes < kLeast) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* const larger : {"kB", "MB", "GB", "TB"}) {
    if (value < 999.5) break;
    value /= 1000.0;
    unit = larger;
  }
  return to_text(value, kDigits) + ' ' + unit;
}

/// What an arm holds between its gradients and its update, and rightly so.
std::unordered_set<std::int64_t> owned_blocks(const Arm& arm, const Attempt& attempt,
                                              const observe::MemoryTracer& tracer) {
  std::unordered_set<std::int64_t> blocks;
  const auto own = [&](const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) return;
    if (const auto block = tracer.block_at(tensor.storage().data())) blocks.insert(*block);
  };
  for (const model::NamedTensor& parameter : arm.network->parameters()) {
    own(parameter.tensor);
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined() && gradient.is_sparse()) {
      own(gradient._values());
      own(gradient._indices());
    } else {
      own(gradient);
    }
  }
  for (const model::NamedTensor& buffer : arm.network->buffers()) own(buffer.tensor);
  for (const at::Tensor& output : attempt.outputs) own(output);
  return blocks;
}

struct Place {
  StepPart part = StepPart::BeforeForward;
  std::string module;
  bool operator<(const Place& other) const { return std::tie(part, module) < std::tie(other.part, other.module); }
};

std::string place_words(const Place& place) {
  const std::string part = place.part == StepPart::Forward    ? "forward"
                           : place.part == StepPart::Backward ? "backward"
                                                              : "the rest of the step";
  return place.module.empty() ? part : part + " by " + place.module;
}

}  // namespace

void GrowthWatch::after_step(Arm& arm, std::int64_t step, std::int64_t live_bytes) {
  if (arm.failure || arm.tally.counts.applied == 0) return;
  detector_.add(step, live_bytes);
  const bool over = is_over_limit();
  if (!over && (warned_ || !detector_.growth() || step < next_trace_)) return;
  if (!traced_) {
    wants_trace_ = true;
    return;
  }
  if (!over && left_ < detector_.growth()->bytes_per_step / 2) {
    constexpr std::int64_t kPatience = 500;
    next_trace_ = step + kPatience;
    traced_ = false;
    return;
  }
  std::string text = "Live memory ";
  if (over) {
    text += "has grown by " + size_words(detector_.grown_bytes()) + " by step " + std::to_string(step) +
            ", beyond budget.growth_limit (" + size_words(*limit_) + ")";
  } else {
    text += "grows by about " + size_words(detector_.growth()->bytes_per_step) + " a step since step " +
            std::to_string(detector_.growth()->since_step);
  }
  text += "." + origin_ + " Something keeps tensors of every step alive: an output or a loss with its graph, a list " +
          "that is only added to.";
  if (over) {
    arm.failure = Failure{"memory", text};
    return;
  }
  warned_ = true;
  arm.notes.push_back(text);
  arm.warnings.push_back(std::move(text));
}

void GrowthWatch::trace(const Arm& arm, Attempt& attempt, const std::function<void()>& phase) {
  wants_trace_ = false;
  traced_ = true;
  origin_.clear();
  observe::MemoryTracer tracer(precision::current_module_path, {}, arm.network->device().type());
  attempt.on_part = [&tracer](StepPart part) { tracer.enter(part); };
  phase();
  attempt.on_part = {};

  std::vector<std::int64_t> sizes(tracer.origins().size());
  for (const MemoryEvent& event : tracer.events()) sizes[static_cast<std::size_t>(event.block)] = event.bytes;
  for (const std::int64_t block : owned_blocks(arm, attempt, tracer)) sizes[static_cast<std::size_t>(block)] = 0;
  std::map<Place, std::int64_t> left;
  std::int64_t sum = 0;
  for (std::size_t block = 0; block < sizes.size(); ++block) {
    if (sizes[block] == 0) continue;
    const observe::MemoryTracer::Origin& origin = tracer.origins()[block];
    left[{origin.part, tracer.modules()[static_cast<std::size_t>(origin.module)]}] += sizes[block];
    sum += sizes[block];
  }
  left_ = sum;
  std::vector<std::pair<Place, std::int64_t>> places(left.begin(), left.end());
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kMostPlaces = 3;
  constexpr std::int64_t kWorthNaming = 20;  // one part of so many of all
  for (std::size_t i = 0; i < std::min(places.size(), kMostPlaces); ++i) {
    if (places[i].second < sum / kWorthNaming) break;
    origin_ += (i == 0 ? " What stays of a step is made in " : ", ") + place_words(places[i].first) + " (" +
               size_words(places[i].second) + ")";
  }
  if (!origin_.empty()) origin_ += ".";
}

}  // namespace mantissa::train
