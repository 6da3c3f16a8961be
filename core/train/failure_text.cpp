// SPDX-License-Identifier: Apache-2.0
#include "core/train/failure_text.h"

#include <array>
#include <cstdlib>
#include <new>
#include <sstream>
#include <vector>

#include <c10/util/Exception.h>

#include "core/base/number_text.h"

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

bool contains(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

/// \param text  the words of `error`
bool is_out_of_memory(const std::exception& error, const std::string& text) {
  // On the CPU the allocator throws a plain c10::Error with the last words; TorchScript's interpreter throws the words
  // of either again, without the type.
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr || contains(text, "std::bad_alloc") ||
         contains(text, "DefaultCPUAllocator: can't allocate memory");
}

/// "2 PiB", "24 bytes".
std::string size_words(const std::string& digits) {
  constexpr std::array<const char*, 7> kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = std::strtod(digits.c_str(), nullptr);
  std::size_t unit = 0;
  for (; size >= 1024.0 && unit + 1 < kUnits.size(); ++unit) size /= 1024.0;
  return mantissa::to_text(size, 4) + ' ' + kUnits[unit];
}

/// The part of `text` between two pieces of it; empty where it lacks one of them.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t mark = text.find(begin);
  if (mark == std::string::npos) return {};
  const std::size_t first = mark + begin.size();
  const std::size_t last = text.find(end, first);
  return last == std::string::npos ? std::string() : text.substr(first, last - first);
}

/// What the allocator says of the request: c10/core/impl/alloc_cpu.cpp in bytes, c10/cuda/CUDACachingAllocator.cpp in
/// a unit and with what the device has. std::bad_alloc says nothing.
std::string request_words(const std::string& text) {
  const std::string bytes = between(text, "you tried to allocate ", " bytes");
  if (!bytes.empty()) return size_words(bytes) + " (" + bytes + " bytes) in one piece could not be had";
  const std::string on_device = between(text, "Tried to allocate ", ". ");
  if (on_device.empty()) return "a request was refused";
  const std::string of_device = between(text, on_device + ". ", " is free");
  return on_device + " in one piece could not be had" +
         (of_device.empty() ? std::string() : " (" + of_device + " was free)");
}

/// "a   =  b" as "a = b".
std::string single_spaced(const std::string& text) {
  std::string result;
  for (const char c : trimmed(text)) {
    const bool is_space = c == ' ' || c == '\t';
    if (!is_space || result.back() != ' ') result += is_space ? ' ' : c;
  }
  return result;
}

/// What an error's text tells. Only words where it does not come from TorchScript.
struct Essence {
  std::string words;
  std::string model_line;
  std::string place;          ///< of the line: "network.py, line 36"
  std::string operator_name;  ///< "masked_fill"; empty where a line calls something else

  std::string text() const {
    if (model_line.empty()) return words;
    return words + " (" + (place.empty() ? std::string("in") : place) + ": " + model_line + ")";
  }
};

std::string memory_sentence(const std::string& where, Essence essence) {
  essence.words = request_words(essence.words);
  return "Out of memory " + where + ": " + essence.text() + '.';
}

/// `  File "/home/someone/network.py", line 36, in forward` as "network.py, line 36"; nothing for another line.
std::string place_in(const std::string& line) {
  const std::string text = trimmed(line);
  const std::string begin = "File \"";
  const std::size_t quote = text.rfind('"');
  const std::string number_sign = ", line ";
  if (text.rfind(begin, 0) != 0 || quote < begin.size() ||
      text.compare(quote + 1, number_sign.size(), number_sign) != 0)
    return {};
  const std::string path = text.substr(begin.size(), quote - begin.size());
  const std::size_t number = quote + 1 + number_sign.size();
  return path.substr(path.find_last_of("/\\") + 1) + number_sign +
         text.substr(number, text.find_first_not_of("0123456789", number) - number);
}

/// The operator that a line calls where it is marked: "torch.masked_fill(a, b, -1.)" under "~~~~~~~~~~~~~~~~~ <---
/// HERE".
std::string marked_operator(const std::string& line, const std::string& marks) {
  const std::size_t begin = marks.find('~');
  const std::size_t end = marks.find_first_not_of('~', begin);
  if (begin == std::string::npos || begin >= line.size()) return {};
  const std::string marked = line.substr(begin, end - begin);
  const std::string prefix = "torch.";
  if (marked.rfind(prefix, 0) != 0 || marked.find('.', prefix.size()) != std::string::npos) return {};
  return marked.substr(prefix.size());
}

/// TorchScript tells twice where a model failed, in the code that its file holds, whose last line is the operator's,
/// and in the code that it was made from, and marks the lines: "    return x.masked_fill(…)\n   ~~~ <--- HERE".
Essence essence_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  const std::vector<std::string> lines =
      lines_of(torch_error != nullptr ? torch_error->what_without_backtrace() : error.what());
  Essence essence;
  std::string place;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const std::string found = place_in(lines[i]); !found.empty()) place = found;
    if (i > 0 && lines[i].find("<--- HERE") != std::string::npos) {
      essence.model_line = single_spaced(lines[i - 1]);
      essence.place = place;
      if (const std::string called = marked_operator(lines[i - 1], lines[i]); !called.empty()) {
        essence.operator_name = called;
      }
    }
    const std::size_t mark = lines[i].find("Error: ");
    if (mark != std::string::npos) essence.words = trimmed(lines[i].substr(mark + 7));
  }
  if (essence.words.empty() && !lines.empty()) essence.words = trimmed(lines.front());
  return essence;
}

/// oneDNN's words where it has no kernel for an operator in a type on this processor: "could not create a primitive
/// descriptor for the LSTM forward propagation primitive. Run workload with environment variable …". They name neither
/// type nor way out.
std::string without_kernel(const std::string& text, std::size_t begin) {
  const bool is_lstm = text.find("LSTM", begin) != std::string::npos;
  return (is_lstm ? std::string("the LSTM") : std::string("an operator")) +
         " has no kernel for the trial's type on this processor (oneDNN: " +
         text.substr(begin, text.find(". ", begin) - begin) + "). Try autocast = \"bfloat16\" or, for FP32, \"off\"" +
         (is_lstm ? ", or keep the LSTM in FP32 by float32_regions" : "") +
         ". mantissa-cli doctor shows which operator runs in which type here";
}

/// A constant such as -1e9 in a mask, given to an operator that runs in FP16.
std::string beyond_half(const Essence& essence, const std::string& cast_policy) {
  const bool named = !essence.operator_name.empty();
  std::string text = (named ? essence.operator_name : std::string("an operator")) +
                     " gets a number that FP16 cannot hold, whose largest is 65504: " + essence.text() +
                     ". Write a smaller number into the model";
  // TorchScript's pass keeps no operator out.
  if (cast_policy == "jit") return text;
  text += " or keep the operator in FP32 by float32_regions";
  if (named) text += " = [\"operator:" + essence.operator_name + "\"]";
  return text +
         ". cast_policy = \"jit\" may hide this fault and not mend it: TorchScript's own pass runs more operators in "
         "FP32";
}

std::string explained(const Essence& essence, const std::string& cast_policy) {
  const std::string text = essence.text();
  const std::size_t kernel = text.find("could not create a primitive descriptor");
  if (kernel != std::string::npos) return without_kernel(text, kernel);
  if (text.find("cannot be converted to type c10::Half without overflow") != std::string::npos)
    return beyond_half(essence, cast_policy);
  return text;
}

}  // namespace

std::string condensed(const std::exception& error) { return essence_of(error).text(); }

std::optional<std::string> out_of_memory(const std::exception& error, const std::string& where) {
  const Essence essence = essence_of(error);
  if (!is_out_of_memory(error, essence.words)) return std::nullopt;
  return memory_sentence(where, essence);
}

Failure failure_of(const std::exception& error, const std::string& where, const std::string& cast_policy,
                   const std::string& doing) {
  const std::optional<std::string> memory = out_of_memory(error, where + (doing.empty() ? "" : ", " + doing));
  if (!memory) return {"forward", "The model failed " + where + ": " + explained(essence_of(error), cast_policy)};
  // Frozen cases are evaluated in chunks of a fixed length: there, the batch is not at fault.
  const bool on_cases = where.rfind("on the frozen cases", 0) == 0;
  return {"memory", *memory + (on_cases ? " Take a smaller model, or run fewer trials at once."
                                        : " Take a smaller training.batch and as much more training.accumulate, which "
                                          "keeps the samples of a step, or run fewer trials at once.")};
}

}  // namespace mantissa::train
