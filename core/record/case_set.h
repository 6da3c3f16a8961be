// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace mantissa::record {

/// Which cases are in the frozen set of a run.
struct CaseSet {
  std::string sha256;  ///< of ids, kinds, targets and the raw data; empty while boundary cases are to be chosen yet
  std::int64_t cases = 0;
  std::string frozen_at;        ///< when the hash was stored: before any output of a trial was read; UTC, ISO 8601
  std::int64_t taken_from = 0;  ///< the trial whose very cases these are (--cases-from); 0: none
};

}  // namespace mantissa::record
