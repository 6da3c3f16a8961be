// SPDX-License-Identifier: Apache-2.0
#include "core/train/failure_text.h"

#include <new>
#include <sstream>
#include <vector>

#include <c10/util/Exception.h>

namespace mantissa::train {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_out_of_memory(const std::exception& error, const std::string& text) {
  // On the CPU the allocator throws a plain c10::Error with these words.
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         text.find("DefaultCPUAllocator: can't allocate memory") != std::string::npos;
}

/// oneDNN's words where it has no kernel for an operator in a type on this processor: "could not create a primitive
/// descriptor for the LSTM forward propagation primitive. Run workload with environment variable …". They name neither
/// type nor way out.
std::string explained(const std::string& text) {
  const std::string sign = "could not create a primitive descriptor";
  const std::size_t begin = text.find(sign);
  if (begin == std::string::npos) return text;
  const bool is_lstm = text.find("LSTM", begin) != std::string::npos;
  return (is_lstm ? std::string("the LSTM") : std::string("an operator")) +
         " has no kernel for the trial's type on this processor (oneDNN: " +
         text.substr(begin, text.find(". ", begin) - begin) + "). Try autocast = \"bfloat16\" or, for FP32, \"off\"" +
         (is_lstm ? ", or keep the LSTM in FP32 by float32_regions" : "") +
         ". mantissa-cli doctor shows which operator runs in which type here";
}

}  // namespace

std::string condensed(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  const std::vector<std::string> lines = lines_of(text);

  // TorchScript marks the line of the model under which it failed: "    return x.masked_fill(…)\n   ~~~ <--- HERE".
  std::string model_line;
  std::string words;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i].find("<--- HERE") != std::string::npos) model_line = trimmed(lines[i - 1]);
    const std::size_t mark = lines[i].find("Error: ");
    if (mark != std::string::npos) words = trimmed(lines[i].substr(mark + 7));
  }
  if (words.empty() && !lines.empty()) words = trimmed(lines.front());
  return model_line.empty() ? words : words + " (in: " + model_line + ")";
}

Failure failure_of(const std::exception& error, const std::string& where) {
  const std::string text = condensed(error);
  if (is_out_of_memory(error, text)) return {"memory", "Out of memory " + where + ": " + text};
  return {"forward", "The model failed " + where + ": " + explained(text)};
}

}  // namespace mantissa::train
