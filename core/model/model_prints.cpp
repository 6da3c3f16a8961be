// SPDX-License-Identifier: Apache-2.0
#include "core/model/model_prints.h"

#include <cstdio>
#include <mutex>
#include <sstream>
#include <utility>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include "core/base/plain_text.h"

namespace mantissa::model {
namespace {

struct Sink {
  std::mutex mutex;
  std::function<void(const std::string&)> write;
};

Sink& sink() {
  static Sink one;
  return one;
}

/// LibTorch takes a plain function: the sink is the process's.
void print_lines(const std::string& text) {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (sink().write) {
      sink().write(line);
    } else {
      std::fprintf(stderr, "%s\n", visible(line).c_str());
    }
  }
}

class Warnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override { print_lines("warning: " + without_stack(warning.msg())); }
};

}  // namespace

void take_prints() {
  static Warnings warnings;
  torch::jit::setPrintHandler(print_lines);
  c10::WarningUtils::set_warning_handler(&warnings);
}

void send_prints_to(std::function<void(const std::string& line)> write) {
  const std::lock_guard<std::mutex> lock(sink().mutex);
  sink().write = std::move(write);
}

}  // namespace mantissa::model
