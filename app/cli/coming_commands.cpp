// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "app/cli/program.h"
#include "core/base/error.h"

namespace mantissa::cli {

void add_coming(Program& program) {
  constexpr std::array<const char*, 11> kNames = {"tag",     "report",   "rehearse", "diagnose", "compare", "merge",
                                                  "profile", "roofline", "time",     "plan",     "archive"};
  std::string coming;
  for (const char* const name : kNames) {
    CLI::App* const command = program.add_command(name, "Not yet available", [name]() -> int {
      throw Error(ErrorKind::NotYetAvailable,
                  {"not yet available in this version", "", 0, 0, "command " + std::string(name), "", "",
                   "mantissa-cli help lists the commands that are"});
    });
    command->group("");        // not among the working commands of --help
    command->set_help_flag();  // a help text would promise what is not there
    command->fallthrough(false);
    command->allow_extras();
    command->prefix_command();  // whatever follows is not judged: it may be right one day
    coming += (coming.empty() ? "" : ", ") + std::string(name);
  }
  program.app.footer("Not yet available: " + coming + ".\nmantissa-cli help COMMAND and help experiment say more.");
}

}  // namespace mantissa::cli
