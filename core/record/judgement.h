// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/record/verdict.h"

namespace mantissa::record {

/// A judgement of a trial after its end, beside the verdict of its run, which it never changes.
struct Judgement {
  std::int64_t id = 0;  ///< 0: not in the archive
  std::int64_t trial = 0;
  std::string created_at;  ///< UTC, ISO 8601; empty: not in the archive
  bool post_hoc = false;   ///< by rules that were not fixed before the first step
  std::string rules;       ///< JSON of [rules]; empty: there are none
  std::string rules_file;  ///< as given; empty: the rules of the run
  Verdict verdict;
};

}  // namespace mantissa::record
