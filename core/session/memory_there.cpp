// SPDX-License-Identifier: Apache-2.0
#include "core/session/memory_there.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/base/number_text.h"
#include "core/cuda/device_facts.h"

#include <malloc.h>
#include <sys/resource.h>

namespace mantissa::session {
namespace {

constexpr std::int64_t kKilobyte = 1024;

// A thread that allocates takes 64 MiB of addresses at once, whatever it needs of them (HEAP_MAX_SIZE, glibc's
// malloc/arena.c). A run has about three besides its own: the archive's, the data's, one of LibTorch's.
constexpr std::int64_t kArenas = 3 * (std::int64_t{64} << 20U);

/// "MemAvailable:   123 kB" of a file such as /proc/meminfo, in bytes.
std::optional<std::int64_t> kilobytes_in(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ':', 0) != 0) continue;
    std::istringstream rest(line.substr(name.size() + 1));
    std::int64_t kilobytes = 0;
    if (rest >> kilobytes) return kilobytes * kKilobyte;
  }
  return std::nullopt;
}

/// A file with one number; nothing for "max".
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return integer_from_text(word);
}

/// Of the unified hierarchy ("0::/user.slice/…"), as the process sees it.
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) == 0) return line.substr(3);
  }
  return {};
}

void take_less(std::optional<MemoryThere>& least, std::optional<std::int64_t> bytes, const char* of) {
  if (!bytes) return;
  if (!least || *bytes < least->bytes) least = MemoryThere{std::max<std::int64_t>(0, *bytes), of};
}

std::optional<std::int64_t> left_of_limit(int resource, const char* used_name) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const std::optional<std::int64_t> used = kilobytes_in("/proc/self/status", used_name);
  if (!used) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur) - *used;
}

/// What malloc holds and nobody uses: it is the process's already, and free for it.
std::int64_t free_of_heap() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  return static_cast<std::int64_t>(mallinfo2().fordblks);
#else
  return 0;
#endif
}

std::optional<std::int64_t> left_of_control_group() {
  const std::string folder = "/sys/fs/cgroup" + control_group();
  const std::optional<std::int64_t> most = number_in(folder + "/memory.max");
  const std::optional<std::int64_t> used = number_in(folder + "/memory.current");
  if (!most || !used) return std::nullopt;
  return *most - *used;
}

std::optional<MemoryThere> on_device(const std::string& device) {
  const std::size_t colon = device.find(':');
  const std::int64_t index = colon == std::string::npos ? 0 : integer_from_text(device.substr(colon + 1)).value_or(0);
  for (const cuda::DeviceFacts& facts : cuda::find_devices().devices) {
    if (facts.index == index) return MemoryThere{facts.free_bytes, "the device"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<MemoryThere> memory_there(const std::string& device) {
  if (device != "cpu") return on_device(device);
  std::optional<MemoryThere> least;
  take_less(least, kilobytes_in("/proc/meminfo", "MemAvailable"), "the machine");
  take_less(least, left_of_control_group(), "the control group's limit");
  if (const std::optional<std::int64_t> left = left_of_limit(RLIMIT_AS, "VmSize")) {
    take_less(least, *left + free_of_heap() - kArenas, "the limit of address space (ulimit -v)");
  }
  take_less(least, left_of_limit(RLIMIT_DATA, "VmData"), "the limit of data (ulimit -d)");
  return least;
}

}  // namespace mantissa::session
