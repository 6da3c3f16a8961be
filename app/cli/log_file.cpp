// SPDX-License-Identifier: Apache-2.0
#include "app/cli/log_file.h"

#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "core/base/user_folders.h"

namespace mantissa::cli {
namespace {

constexpr std::size_t kFileBytes = std::size_t{1} << 20;
constexpr std::size_t kFiles = 4;  // besides the current one

}  // namespace

void open_log_file() {
  const std::string path = log_file();
  if (path.empty()) return;
  try {
    const auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, kFileBytes, kFiles);
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
