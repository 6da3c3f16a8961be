// SPDX-License-Identifier: Apache-2.0
#include "core/memory/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "core/perf/statistics.h"

namespace mantissa::memory {
namespace {

constexpr std::size_t kTwentieths = 19;  // of twenty: 95 %

double error_of(const record::MemoryPair& pair) {
  const auto measured = static_cast<double>(pair.measured_bytes);
  return std::abs(static_cast<double>(pair.predicted_bytes) - measured) / measured;
}

std::optional<double> next_within(std::vector<double> errors) {
  const std::size_t ranks = errors.size() + 1;
  const std::size_t rank = (kTwentieths * ranks + kTwentieths) / (kTwentieths + 1);  // rounded up, in whole numbers
  if (rank > errors.size()) return std::nullopt;
  std::sort(errors.begin(), errors.end());
  return errors[rank - 1];
}

}  // namespace

std::optional<Calibration> calibration_of(const std::vector<record::MemoryPair>& pairs) {
  Calibration calibration;
  std::vector<const record::MemoryPair*> worst_of_settings;
  std::map<std::tuple<std::string, std::string, std::int64_t>, std::size_t> places;
  for (const record::MemoryPair& pair : pairs) {
    if (pair.measured_bytes <= 0) continue;
    ++calibration.trials;
    const auto [place, is_new] =
        places.try_emplace({pair.device, pair.autocast, pair.predicted_bytes}, worst_of_settings.size());
    if (is_new) {
      worst_of_settings.push_back(&pair);
    } else if (error_of(pair) > error_of(*worst_of_settings[place->second])) {
      worst_of_settings[place->second] = &pair;
    }
  }
  std::vector<double> errors;
  for (const record::MemoryPair* const kept : worst_of_settings) {
    const record::MemoryPair& pair = *kept;
    const double error = error_of(pair);
    if (errors.empty() || error > calibration.worst) {
      calibration.worst = error;
      calibration.worst_of = pair;
    }
    calibration.too_low += pair.predicted_bytes < pair.measured_bytes ? 1 : 0;
    errors.push_back(error);
  }
  if (errors.empty()) return std::nullopt;
  calibration.settings = errors.size();
  calibration.median = perf::median(errors);
  calibration.within_95 = perf::quantile(errors, 0.95);
  calibration.next_within = next_within(errors);
  return calibration;
}

}  // namespace mantissa::memory
