// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "app/cli/session_documents.h"
#include "core/session/doctor.h"

namespace mantissa::cli {
namespace {

int examine(Program& program) {
  program.console.detail("trying each operator in each dtype");
  const session::Environment environment = session::environment();
  std::vector<session::OperatorSupport> operators = session::try_operators();
  for (const cuda::DeviceFacts& device : environment.devices.devices) {
    const auto on_device = session::try_operators("cuda:" + std::to_string(device.index));
    operators.insert(operators.end(), on_device.begin(), on_device.end());
  }
  if (program.json) {
    program.console.result(doctor_document(environment, operators));
  } else {
    program.console.result_for_people(doctor_page(environment, operators));
  }
  return exit_code::kDone;
}

}  // namespace

void add_doctor(Program& program) {
  program.add_command("doctor", "What this machine can do: libraries, CPU, GPU, which dtype works for which operator",
                      [&program] { return examine(program); });
}

}  // namespace mantissa::cli
