// SPDX-License-Identifier: Apache-2.0
#include "app/cli/log_file.h"

#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

namespace mantissa::cli {
namespace {

constexpr std::size_t kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kFiles = 4;  // besides the current one

std::filesystem::path state_folder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return state;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".local" / "state";
}

}  // namespace

void open_log_file() {
  const std::filesystem::path folder = state_folder();
  if (folder.empty()) return;
  try {
    const auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
        (folder / "mantissa" / "mantissa.log").string(), kFileBytes, kFiles);
    const auto logger = std::make_shared<spdlog::logger>("mantissa-cli", sink);
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %P %l %v");
    logger->flush_on(spdlog::level::info);
    logger->set_error_handler([](const std::string&) {});  // a full disk under the log must not disturb the run
    spdlog::set_default_logger(logger);
  } catch (const spdlog::spdlog_ex&) {
    // A log that cannot be written is no reason to refuse the work.
  }
}

void silence_log() {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("mantissa-cli", std::make_shared<spdlog::sinks::null_sink_mt>()));
}

}  // namespace mantissa::cli
