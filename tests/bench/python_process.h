// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include <sys/types.h>
#include <nlohmann/json_fwd.hpp>

namespace mantissa::tests {

/// Seconds that the official package took, per kind of optimizer.
struct PythonTimes {
  double fused = 0.0;
  double foreach = 0.0;
};

/// $MANTISSA_ORACLE_PYTHON, else the interpreter of the environment that packaging/oracle-environment.sh makes.
std::string oracle_interpreter();

/// python_baseline.py as a process that waits for work.
///
/// The interpreter is $MANTISSA_ORACLE_PYTHON, else the one that packaging/oracle-environment.sh makes.
class PythonProcess {
 public:
  PythonProcess();
  ~PythonProcess();
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;

  bool ready() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }

  PythonTimes seconds_of(const std::string& work, int steps);

  /// Saves one of its larger models as a TorchScript file.
  void script(const std::string& model, const std::string& path);

 private:
  std::string answer();
  nlohmann::json ask(const std::string& line);

  std::string problem_;
  pid_t child_ = -1;
  std::FILE* to_child_ = nullptr;
  std::FILE* from_child_ = nullptr;
};

}  // namespace mantissa::tests
