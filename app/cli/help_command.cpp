// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "app/cli/exit_code.h"
#include "app/cli/program.h"
#include "core/base/error.h"
#include "core/judge/rule_catalogue.h"
#include "core/spec/key_catalogue.h"

namespace mantissa::cli {
namespace {

std::string help_on(const Program& program, const std::string& topic) {
  const CLI::App& app = program.app;
  // app.help() would show the chosen command's help, which is the one of `help` itself.
  if (topic.empty()) return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
  if (topic == "experiment") return spec::help_text();
  if (topic == "rules") return judge::rules_help_text();
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == topic) return command->help();
  }
  throw Error(ErrorKind::InvalidSetting,
              {"no help on this", "", 0, 0, "help", "'" + topic + "'", "the name of a command, experiment, or rules",
               program.nearest_command(topic)});
}

}  // namespace

void add_help(Program& program) {
  const auto topic = std::make_shared<std::string>();
  CLI::App* const command = program.add_command(
      "help", "Help on a command; help experiment: every key of the experiment file; help rules: what a verdict judges",
      [&program, topic] {
        program.console.result(help_on(program, *topic));
        return exit_code::kDone;
      });
  command->add_option("TOPIC", *topic, "A command, experiment, or rules");
}

}  // namespace mantissa::cli
