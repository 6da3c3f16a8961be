// SPDX-License-Identifier: Apache-2.0
#include "core/spec/default_rules.h"

namespace mantissa::spec {

void add_default_rules(Rules& rules) {
  if (rules.output.empty()) {
    OutputRule output;
    output.max = {{"float16", 2e-3}, {"bfloat16", 2e-2}};
    rules.output.push_back(output);
  }
  if (!rules.flips) {
    rules.flips.emplace();
    rules.flips->max_by_kind["ordinary"] = 0;
    rules.flips_from_preset = true;
  }
  if (rules.quality.empty()) {
    QualityRule quality;
    quality.max_drop_relative = 0.005;
    rules.quality.push_back(quality);
  }
  if (!rules.progress) {
    rules.progress.emplace();
    rules.progress->min_applied_fraction = 0.98;
  }
}

}  // namespace mantissa::spec
