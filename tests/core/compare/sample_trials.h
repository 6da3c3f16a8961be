// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/record/trial.h"

namespace mantissa::test {

/// A finished FP16 trial: 100 steps attempted, 3 of them skipped, in 4 s; accuracy 0.9 against 0.95.
inline record::TrialRow fp16_trial() {
  record::TrialRow trial;
  trial.id = 7;
  trial.experiment_id = 2;
  trial.experiment = "digits";
  trial.start.name = "half";
  trial.start.autocast = "float16";
  trial.start.device = "cpu";
  trial.start.policy =
      R"({"autocast":"float16","float32_regions":[],"name":"half","scaler":{"enabled":true,"init_scale":65536}})";
  trial.end.counts = {100, 97, 3, 100, 6400};
  trial.end.seconds = 4.0;
  trial.end.final_loss = 0.25;
  trial.end.quality_metric = "accuracy";
  trial.end.quality = 0.9;
  trial.end.quality_reference = 0.95;
  trial.end.verdict.emplace();
  trial.end.verdict->word = record::VerdictWord::Rejected;
  return trial;
}

inline const std::string kSettings = R"({"training":{"batch":64,"drop_last":false,"epochs":null,
    "optimizer":[{"kind":"adamw","lr":0.001,"betas":[0.9,0.999]}]},"model":{"kind":"mlp","hidden":[8,4]},
    "rules":{"cost":[{"name":"speed","min_speedup":2},{"name":"memory","max_memory_ratio":1}]}})";

}  // namespace mantissa::test
