// SPDX-License-Identifier: Apache-2.0
#include "app/cli/calibration_words.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/report/plain_words.h"

namespace mantissa::cli {
namespace {

std::string percent(double share) { return report::number_words(100.0 * share) + " %"; }

}  // namespace

std::string calibration_words(const memory::Calibration& calibration, const std::string& archive) {
  const auto trials = static_cast<std::int64_t>(calibration.trials);
  if (trials == 1) {
    return "Measured once, in " + archive + ": the prediction was off by " + percent(calibration.worst) +
           ". One trial says little of the next.\n";
  }
  const auto settings = static_cast<std::int64_t>(calibration.settings);
  const std::string different = "Measured in " + report::count_words(trials) + " trials of " +
                                report::count_words(settings) +
                                (settings == 1 ? " setting in " : " different settings in ") + archive;
  if (settings == 1) {
    return different + ": the prediction was off by " + percent(calibration.worst) +
           " at worst. Repeats of one setting say little of the next.\n";
  }
  std::string text = different + ": predictions were off by " + percent(calibration.median) +
                     " or less in half of them, by " + percent(calibration.within_95) + " or less in 95 %, and by " +
                     percent(calibration.worst) + " at worst (" + calibration.worst_of.experiment + '/' +
                     calibration.worst_of.name + "). ";
  if (!calibration.next_within) {
    constexpr std::int64_t kEnough = 19;
    return text + "Fewer than " + std::to_string(kEnough) +
           " different settings say no more of the next one than their worst.\n";
  }
  return text + "Of a setting like these, the next is off by " + percent(*calibration.next_within) +
         " or less with a probability of 95 %.\n";
}

std::optional<memory::Calibration> calibration_in(const std::string& archive, const std::string& device) {
  std::error_code ignored;
  if (!std::filesystem::exists(archive, ignored)) return std::nullopt;
  try {
    std::vector<record::MemoryPair> pairs = archive::Reader(archive).memory_pairs();
    const auto is_elsewhere = [&device](const record::MemoryPair& pair) { return pair.device.rfind(device, 0) != 0; };
    pairs.erase(std::remove_if(pairs.begin(), pairs.end(), is_elsewhere), pairs.end());
    return memory::calibration_of(pairs);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace mantissa::cli
