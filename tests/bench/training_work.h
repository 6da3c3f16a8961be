// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/data/dataset.h"
#include "core/spec/experiment.h"
#include "core/train/arm.h"
#include "core/train/batch_plan.h"
#include "core/train/stages.h"

/// What the benchmarks of training share: experiments, an arm that trains for as long as it is asked to, and ratios.
namespace mantissa::bench {

constexpr int kThreads = 2;

/// FP16 with a scaler on a model so small that only the step around it counts; one trial, named "trial".
extern const char* const kAmpStep;
/// A small model on real data; the last table is the trial's, for more keys.
extern const char* const kDigits;

/// What an arm learns from. Times do not depend on the numbers: the larger models get random ones.
struct Material {
  data::Part part;
  std::int64_t outputs = 0;
};

/// A larger built-in model.
struct LargerModel {
  const char* name;   ///< as python_baseline.py calls it
  const char* table;  ///< its table [model]
  int batch;
  Material (*material)();
};

/// ResNet-20, a character transformer, a bidirectional LSTM.
const std::vector<LargerModel>& larger_models();

/// The experiment of a larger model.
/// \param autocast     the trial's word: "off", "bfloat16"
/// \param model_table  its own, or another's in its place
spec::Experiment experiment_of(const LargerModel& model, const std::string& autocast, const std::string& model_table);

/// "float32" for "off", else the word itself.
std::string dtype_word(const std::string& autocast);

/// One arm in training, for as many steps as it is asked for, measuring nothing.
class Work {
 public:
  explicit Work(const spec::Experiment& experiment);
  Work(const spec::Experiment& experiment, Material material);

  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  double seconds_of(int steps);

 private:
  spec::Experiment experiment_;
  Material material_;
  train::BatchPlan plan_;
  std::unique_ptr<train::Arm> arm_;
  train::StageOptions options_;
};

/// The value below which the share `q` of `values` lies.
double quantile(std::vector<double> values, double q);

/// Rounds after which `report` knows a 95 % interval of the median.
constexpr int kRounds = 41;

/// The counters of kRounds ratios: `ratio` is their median; `ratio_low` and `ratio_high` bound the middle half;
/// `ratio_95_low` and `ratio_95_high` are the ends of the interval of the median that order statistics give (at least
/// 95 % whatever the distribution: H. A. David and H. N. Nagaraja, Order Statistics, 7.1).
void report(benchmark::State& state, std::vector<double> ratios);

}  // namespace mantissa::bench
