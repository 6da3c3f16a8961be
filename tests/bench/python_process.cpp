// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/python_process.h"

#include <cstdlib>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace mantissa::tests {
std::string oracle_interpreter() {
  if (const char* given = std::getenv("MANTISSA_ORACLE_PYTHON")) return given;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string base = cache != nullptr && *cache != '\0' ? cache : std::string(home ? home : "") + "/.cache";
  return base + "/mantissa/oracle/bin/python";
}

PythonProcess::PythonProcess() {
  const std::string python = oracle_interpreter();
  if (::access(python.c_str(), X_OK) != 0) {
    problem_ = "no official package to compare with: packaging/oracle-environment.sh installs it";
    return;
  }
  const std::string script = std::string(MANTISSA_SOURCE_DIR) + "/tests/bench/python_baseline.py";
  int down[2];
  int up[2];
  if (::pipe(down) != 0 || ::pipe(up) != 0) {
    problem_ = "no pipe to the official package";
    return;
  }
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(down[0], STDIN_FILENO);
    ::dup2(up[1], STDOUT_FILENO);
    for (const int descriptor : {down[0], down[1], up[0], up[1]}) ::close(descriptor);
    ::execl(python.c_str(), python.c_str(), script.c_str(), "--threads", "2", nullptr);
    ::_exit(127);
  }
  ::close(down[0]);
  ::close(up[1]);
  to_child_ = ::fdopen(down[1], "w");
  from_child_ = ::fdopen(up[0], "r");
  if (answer().empty()) problem_ = "python_baseline.py did not start";
}

PythonProcess::~PythonProcess() {
  if (to_child_ != nullptr) std::fclose(to_child_);
  if (from_child_ != nullptr) std::fclose(from_child_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

std::string PythonProcess::answer() {
  std::string line;
  for (int c = std::fgetc(from_child_); c != EOF && c != '\n'; c = std::fgetc(from_child_))
    line += static_cast<char>(c);
  return line;
}

nlohmann::json PythonProcess::ask(const std::string& line) {
  std::fprintf(to_child_, "%s\n", line.c_str());
  std::fflush(to_child_);
  nlohmann::json answered = nlohmann::json::parse(answer());
  if (answered.contains("error")) throw std::runtime_error(answered["error"].get<std::string>());
  return answered;
}

PythonTimes PythonProcess::seconds_of(const std::string& work, int steps) {
  const nlohmann::json times = ask(work + ' ' + std::to_string(steps));
  return {times["fused"].get<double>(), times["foreach"].get<double>()};
}

void PythonProcess::script(const std::string& model, const std::string& path) { ask("script " + model + ' ' + path); }

}  // namespace mantissa::tests
