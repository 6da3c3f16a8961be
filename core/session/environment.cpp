// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/native/DispatchStub.h>
#include <sqlite3.h>
#include <sys/utsname.h>
#include <torch/version.h>

#include "core/session/doctor.h"

namespace mantissa::session {
namespace {

/// The first value of a key in /proc/cpuinfo; empty where there is no such file.
std::string cpu_info(const std::string& key) {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return {};
}

/// Features that decide how fast, and whether, a dtype computes.
std::vector<std::string> number_features() {
  std::vector<std::string> features;
  std::istringstream stream(cpu_info("flags"));
  for (std::string flag; stream >> flag;) {
    if (flag == "avx2" || flag == "f16c" || flag.compare(0, 6, "avx512") == 0 || flag.compare(0, 4, "amx_") == 0) {
      features.push_back(flag);
    }
  }
  return features;
}

std::string operating_system() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

}  // namespace

Environment environment() {
  Environment facts;
  facts.mantissa_version = MANTISSA_VERSION;
  facts.torch_version = TORCH_VERSION;
  facts.torch_build = at::show_config();
  facts.cpu_model = cpu_info("model name");
  facts.cpu_capability = at::get_cpu_capability();
  facts.cpu_features = number_features();
  facts.cores = static_cast<int>(std::thread::hardware_concurrency());
  facts.devices = cuda::find_devices();
  facts.backend = facts.devices.backend.empty() ? "CPU" : facts.devices.backend;
  for (const cuda::DeviceFacts& device : facts.devices.devices) {
    facts.gpu += (facts.gpu.empty() ? "" : ", ") + device.name;
  }
  facts.operating_system = operating_system();
  facts.sqlite_version = sqlite3_libversion();
  return facts;
}

}  // namespace mantissa::session
