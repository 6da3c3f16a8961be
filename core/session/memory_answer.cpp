// SPDX-License-Identifier: Apache-2.0
#include "core/session/memory_answer.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/byte_words.h"
#include "core/base/number_text.h"
#include "core/memory/ledger.h"
#include "core/memory/model_ledger.h"
#include "core/memory/outside_table.h"
#include "core/memory/plans.h"
#include "core/memory/size_text.h"
#include "core/memory/step_forecast.h"

namespace mantissa::session {
namespace {

using record::MemoryCategory;
using record::MemoryEvent;

constexpr std::size_t kPlansShown = 4;

// Tensors are aligned, and before glibc 2.38 an aligned block never takes a hole of its own size, only a larger one:
// the heap grows instead. Measured with glibc 2.36: steps whose blocks were just below 32 MiB, three of them live at a
// time, needed room for up to ten. Blocks from 32 MiB on come from the system (M_MMAP_THRESHOLD's largest) and leave
// no hole.
constexpr std::int64_t kHoles = 8;
constexpr std::int64_t kLargestInHeap = std::int64_t{32} << 20U;

/// What an arm holds between its gradients and its update, without the data.
std::int64_t waiting_bytes(const record::StepTrace& trace) {
  std::vector<std::int64_t> live(trace.blocks.size(), 0);
  std::size_t end = trace.events.size();
  while (end > trace.held && trace.events[end - 1].part > record::StepPart::Backward) --end;
  for (std::size_t i = 0; i < end; ++i) {
    const MemoryEvent& event = trace.events[i];
    live[static_cast<std::size_t>(event.block)] = event.bytes;  // 0 where it is freed
  }
  std::int64_t bytes = 0;
  for (std::size_t block = 0; block < live.size(); ++block) {
    if (trace.blocks[block].category != MemoryCategory::Inputs) bytes += live[block];
  }
  return bytes;
}

/// As they are held when the step begins.
std::int64_t gradient_bytes(const record::StepTrace& trace) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < trace.held; ++i) {
    const MemoryEvent& event = trace.events[i];
    const record::MemoryBlock& block = trace.blocks[static_cast<std::size_t>(event.block)];
    if (block.category == MemoryCategory::Gradients) bytes += event.bytes;
  }
  return bytes;
}

std::int64_t largest_heap_block(const record::StepTrace& trace) {
  std::int64_t largest = 0;
  for (std::size_t i = trace.held; i < trace.events.size(); ++i) {
    if (trace.events[i].bytes < kLargestInHeap) largest = std::max(largest, trace.events[i].bytes);
  }
  return largest;
}

/// A word that a shell takes as it stands.
std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string("_-./=:+").find(c) != std::string::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string size_words(const StepSize& size) {
  return std::to_string(size.microbatch) + " × " + std::to_string(size.accumulation);
}

/// "file.toml --set … ", with this batch in place of what was set.
std::string file_and_settings(const spec::Experiment& asked, const StepSize& size) {
  std::string words = shell_word(asked.file);
  for (const std::string& given : asked.overrides) {
    const std::string key = given.substr(0, given.find('='));
    if (key != "training.batch" && key != "training.accumulate") words += " --set " + shell_word(given);
  }
  return words + " --set training.batch=" + std::to_string(size.microbatch) +
         " --set training.accumulate=" + std::to_string(size.accumulation);
}

class Answer {
 public:
  Answer(const spec::Experiment& asked, const RunMemory* memory, std::size_t place, const StepSize& step,
         const RunMemoryLimit& limit)
      : asked_(asked), memory_(memory), place_(place), step_(step), effective_(step.microbatch * step.accumulation) {
    reserve_parts_ = memory::reserve_from_text(
        "reserve", to_text(asked.budget.reserve > 0.0 ? asked.budget.reserve : kUsualReserve));
    if (limit.there) {
      there_ = limit.there->bytes + limit.held_bytes;
      of_ = limit.there->of;
      is_heap_ = asked.training.device == "cpu";
    }
    if (asked.budget.device_memory_bytes) {
      memory::Device device;
      device.capacity_bytes = *asked.budget.device_memory_bytes;
      device.reserve_parts = memory::reserve_from_text("reserve", to_text(asked.budget.reserve));
      device.outside_bytes = memory::outside_from_table(device.capacity_bytes);
      device_ = device;
    }
  }

  record::MemoryAnswer made() {
    const bool knows = memory_ != nullptr && memory_->forecast(place_) && (there_ || device_);
    if (!knows) return command_alone("No step of it could be traced before the run");
    try {
      return worked_out();
    } catch (const std::exception&) {
      // The process has just run out of memory, and may do so again.
      return command_alone("It could not be worked out here");
    }
  }

 private:
  std::int64_t usable() const {
    return *there_ - memory::reserve_of(std::max<std::int64_t>(1, *there_), reserve_parts_);
  }

  record::StepTrace trace_at(std::size_t place, std::int64_t microbatch, std::int64_t accumulation) const {
    record::StepTrace trace = memory_->forecast(place)->at(microbatch, accumulation);
    if (accumulation > 1 && memory_->step().accumulation == 1) {
      memory::CategoryBytes gradients{};
      gradients[static_cast<std::size_t>(MemoryCategory::Gradients)] = gradient_bytes(trace);
      memory::hold_more(trace, gradients, 1);
    }
    return trace;
  }

  /// Of the whole run: one arm at its peak, the others waiting.
  struct RunBytes {
    std::int64_t tensors = 0;
    std::int64_t holes = 0;  ///< what malloc may lose besides
  };
  RunBytes run_bytes(std::int64_t microbatch, std::int64_t accumulation) const {
    std::int64_t waiting = 0;
    std::int64_t most_above = 0;  // of a peak above what the arm holds while it waits
    RunBytes bytes;
    for (std::size_t i = 0; i < memory_->size(); ++i) {
      if (!memory_->forecast(i)) continue;
      const record::StepTrace trace = trace_at(i, microbatch, accumulation);
      const std::int64_t waits = waiting_bytes(trace);
      waiting += waits;
      most_above = std::max(most_above, memory::peak_of(trace).bytes - waits);
      bytes.holes = std::max(bytes.holes, kHoles * largest_heap_block(trace));
    }
    bytes.tensors = waiting + most_above;
    return bytes;
  }

  memory::Need need(std::int64_t microbatch, std::int64_t accumulation) const {
    memory::Need need;
    const RunBytes run = run_bytes(microbatch, accumulation);
    need.bytes = run.tensors + (is_heap_ ? run.holes : 0);
    need.fits = !there_ || need.bytes <= usable();
    need.could_fit = !there_ || run.tensors <= usable();
    if (device_) {
      const memory::ModelLedger ledger = memory::model_ledger_of(trace_at(place_, microbatch, accumulation), *device_);
      need.fits = need.fits && ledger.fits;
      need.could_fit = need.could_fit && ledger.could_fit();
      if (!there_) need.bytes = ledger.needed_bytes;
    }
    return need;
  }

  record::MemoryAnswer worked_out() const {
    memory::PlanOption option;
    option.need = [this](std::int64_t microbatch, std::int64_t accumulation) { return need(microbatch, accumulation); };
    const memory::Need whole = need(step_.microbatch, step_.accumulation);
    record::MemoryAnswer answer;
    if (whole.fits) {
      answer.text = "By the steps that were traced before the run, " + size_words(step_) + " samples need " +
                    bytes_words(whole.bytes) + limit_words() +
                    ", which would fit: the model asked for more than it did then, or memory went to something else.";
      return answer;
    }
    answer.largest_microbatch = memory::largest_microbatch(option, std::max<std::int64_t>(2, step_.accumulation),
                                                           std::max<std::int64_t>(1, step_.microbatch - 1));
    const std::string needed =
        "A step of " + size_words(step_) + " samples needs about " + bytes_words(whole.bytes) + limit_words() + ". ";
    if (!answer.largest_microbatch) {
      answer.text = needed + "Not even one sample fits: take a smaller model, or fewer trials at once. " +
                    others_words({1, effective_});
      return answer;
    }
    memory::PlanQuestion question;
    question.effective_batch = effective_;
    question.options = {option};
    std::string plans;
    for (const memory::Plan& plan : memory::plans_of(question).plans) {
      if (!plan.fits || plan.microbatch >= step_.microbatch || answer.plans.size() == kPlansShown) continue;
      answer.plans.push_back({plan.microbatch, plan.accumulation, plan.peak_bytes});
      plans += (plans.empty() ? "" : ", ") + size_words({plan.microbatch, plan.accumulation}) + " (" +
               bytes_words(plan.peak_bytes) + ")";
    }
    answer.text = needed + "The largest microbatch that fits is " + std::to_string(*answer.largest_microbatch) + ". ";
    if (answer.plans.empty()) {
      answer.text += "None that fits divides the " + std::to_string(effective_) + " samples of an update. " +
                     others_words({*answer.largest_microbatch, 1});
      return answer;
    }
    const StepSize first{answer.plans[0].microbatch, answer.plans[0].accumulation};
    answer.command = "mantissa-cli run " + file_and_settings(asked_, first);
    answer.text += "These keep the " + std::to_string(effective_) + " samples of an update: " + plans +
                   ". The first: " + answer.command + ". " + others_words(first);
    return answer;
  }

  /// ", of 1.2 GB that were there for all arms …".
  std::string limit_words() const {
    std::string words;
    if (there_) {
      words = " for all arms, of " + bytes_words(*there_) + " that " + of_ + " left for them, " +
              to_text(100.0 * static_cast<double>(reserve_parts_) / static_cast<double>(memory::kWholeReserve), 3) +
              " % kept free";
    }
    if (!device_) return words;
    const std::string device = bytes_words(device_->capacity_bytes) + " of budget.device_memory";
    return words.empty() ? " of " + device : words + "; a step of it alone has " + device;
  }

  std::string others_words(const StepSize& size) const {
    return ledger_command(size) + " weighs others, activation checkpointing among them.";
  }

  std::string ledger_command(const StepSize& size) const {
    std::string command = "mantissa-cli ledger " + file_and_settings(asked_, size);
    // Without one it takes the budget of the file.
    if (!device_ && there_) {
      // Nothing of a GPU's is to be added to it.
      command += " --outside '0 B' --device " + shell_word(bytes_words(*there_)) + " --reserve " +
                 to_text(static_cast<double>(reserve_parts_) / static_cast<double>(memory::kWholeReserve), 6);
    }
    return command;
  }

  record::MemoryAnswer command_alone(const std::string& why) const {
    // Small enough to be traced where the step itself was too large.
    StepSize smaller{1, effective_};
    for (std::int64_t microbatch = std::max<std::int64_t>(1, step_.microbatch / 4); microbatch > 1; --microbatch) {
      if (effective_ % microbatch != 0) continue;
      smaller = {microbatch, effective_ / microbatch};
      break;
    }
    record::MemoryAnswer answer;
    answer.command = ledger_command(smaller);
    answer.text = why + ", so which microbatch fits is not known here. " + answer.command +
                  " traces smaller ones and says it, with the plans that keep the effective batch.";
    return answer;
  }

  const spec::Experiment& asked_;
  const RunMemory* memory_;
  std::size_t place_;
  StepSize step_;
  std::int64_t effective_;
  std::int64_t reserve_parts_ = 0;
  std::optional<std::int64_t> there_;
  std::string of_;
  bool is_heap_ = false;  // malloc's: on a CPU
  std::optional<memory::Device> device_;
};

}  // namespace

record::MemoryAnswer answer_out_of_memory(const spec::Experiment& asked, const RunMemory* memory, std::size_t place,
                                          const StepSize& step, const RunMemoryLimit& limit) {
  return Answer(asked, memory, place, step, limit).made();
}

}  // namespace mantissa::session
