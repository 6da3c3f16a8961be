// SPDX-License-Identifier: Apache-2.0
#include "core/archive/process_identity.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>

#include <unistd.h>

namespace mantissa::archive {
namespace {

constexpr std::chrono::seconds kHeartbeatLimit{30};
constexpr std::chrono::minutes kClockDifference{5};

std::string first_line(const std::string& path) {
  std::FILE* const stream = std::fopen(path.c_str(), "re");
  if (stream == nullptr) return {};
  std::array<char, 1024> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size(), stream);
  std::fclose(stream);
  const std::string all(text.data(), size);
  return all.substr(0, all.find('\n'));
}

// Ids mean something only within one boot and one process namespace (a container has its own).
std::string process_space() {
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  std::array<char, 64> space{};
  const ssize_t length = ::readlink("/proc/self/ns/pid", space.data(), space.size());
  if (boot.empty() || length <= 0) return {};
  return boot + '/' + std::string(space.data(), static_cast<std::size_t>(length)) + '/';
}

// Start time in ticks since boot: field 22 of /proc/PID/stat; the name in field 2 may hold blanks and brackets. A
// process that ended but was not yet waited for (Z, X) does not run any more.
std::string start_tick(std::int64_t process) {
  const std::string line = first_line("/proc/" + std::to_string(process) + "/stat");
  std::size_t at = line.rfind(')');
  if (at == std::string::npos || at + 2 >= line.size()) return {};
  at += 2;
  if (line[at] == 'Z' || line[at] == 'X') return {};
  for (int field = 3; field < 22; ++field) {
    at = line.find(' ', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  return line.substr(at, line.find(' ', at) - at);
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

}  // namespace

ProcessIdentity this_process() {
  ProcessIdentity who;
  who.host = host_name();
  who.process = ::getpid();
  const std::string space = process_space();
  if (!space.empty()) who.started = space + start_tick(who.process);
  return who;
}

bool still_runs(const ProcessIdentity& who, const std::string& heartbeat_at, UtcTime now) {
  const std::string space = process_space();
  const bool same_space = !space.empty() && who.host == host_name() && who.started.compare(0, space.size(), space) == 0;
  if (same_space) return who.started == space + start_tick(who.process);
  // Texts of one form: they compare as the times do.
  return heartbeat_at >= utc_text(now - kHeartbeatLimit) && heartbeat_at <= utc_text(now + kClockDifference);
}

}  // namespace mantissa::archive
