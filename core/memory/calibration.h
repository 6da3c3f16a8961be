// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/record/memory_comparison.h"

namespace mantissa::memory {

/// How far predicted peaks were from measured ones. All errors are |predicted - measured| / measured: 0.011 is 1.1 %.
///
/// A run that is repeated, with another seed or for other steps, is no further evidence: trials of one device, autocast
/// and predicted byte count are one setting, which counts once, with the worst of its errors.
struct Calibration {
  std::size_t trials = 0;    ///< all that were measured
  std::size_t settings = 0;  ///< different ones among them; every figure below is of these
  double median = 0.0;       ///< half of the predictions were this close or closer
  double within_95 = 0.0;    ///< 95 % were: numpy.percentile(errors, 95), which interpolates between the two nearest
  double worst = 0.0;
  record::MemoryPair worst_of;  ///< whose error that is; of equals the oldest
  std::size_t too_low = 0;      ///< predictions below what was measured: those that promise what is not there

  /// How far the next prediction may be off, with a probability of 95 % at least, where its trial is one of the kind
  /// that these are: the smallest error that k of n stayed within, k = ceil(0.95 (n + 1)). It holds for whatever
  /// distribution errors have, as long as the next is drawn like the others; nothing below 19 different settings, which
  /// are too few to say so.
  ///
  /// V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World", 2005 (conformal prediction).
  std::optional<double> next_within;
};

/// \param pairs  as the archive's reader gives them; those of one device, if it is to say something about that device.
///               A measured peak of 0 or less is left out
/// \return nothing where there is no pair
std::optional<Calibration> calibration_of(const std::vector<record::MemoryPair>& pairs);

}  // namespace mantissa::memory
