// SPDX-License-Identifier: Apache-2.0
// Steps a second of the engine with probes off, against the official Python package, interleaved in one run: every
// round times the same number of steps on both sides, one after the other. `ratio` is the median over the rounds of
// Python's time over ours, against the faster of Python's fused and foreach optimizers; `ratio_low` and `ratio_high`
// bound the middle half, `ratio_95_low` and `ratio_95_high` are the ends of the interval of the median that order
// statistics give (at least 95 % whatever the distribution: H. A. David and H. N. Nagaraja, Order Statistics, 7.1).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "core/data/dataset.h"
#include "core/model/network.h"
#include "core/spec/parse.h"
#include "core/train/batch_plan.h"
#include "core/train/stages.h"
#include "tests/bench/python_process.h"

namespace {

using namespace mantissa;

constexpr int kThreads = 2;
constexpr int kRounds = 15;

constexpr char kAmpStep[] = R"(
mantissa = 1
[data]
source = "gaussian"
rows = 512
features = 16
[model]
kind = "linear"
[training]
steps = 1000000000
batch = 64
threads = 2
loss = "mse"
clip_norm = 1.0
[[trial]]
name = "trial"
autocast = "float16"
)";

constexpr char kDigits[] = R"(
mantissa = 1
[data]
source = "digits"
[model]
kind = "mlp"
hidden = [256, 256]
activation = "gelu"
[training]
steps = 1000000000
batch = 64
threads = 2
loss = "cross_entropy"
[[trial]]
name = "trial"
)";

constexpr char kResnet[] = R"(
[model]
kind = "resnet"
depth = 20
width = 16
[training]
batch = 64
)";

constexpr char kTransformer[] = R"(
[model]
kind = "transformer"
width = 128
layers = 4
heads = 4
[training]
batch = 16
)";

constexpr char kLstm[] = R"(
[model]
kind = "lstm"
cells = 128
layers = 2
bidirectional = true
[training]
batch = 64
)";

/// What an arm learns from. Times do not depend on the numbers: the models of these benchmarks get random ones.
struct Material {
  data::Part part;
  std::int64_t outputs = 0;
};

Material material_of(const spec::Experiment& experiment) {
  const data::Dataset dataset = data::load(experiment);
  return {dataset.train, dataset.classes > 0 ? dataset.classes : dataset.train.targets.size(1)};
}

constexpr std::int64_t kRandomRows = 512;

Material images() {
  constexpr std::int64_t kClasses = 10;
  return {{at::randn({kRandomRows, 1, 28, 28}), at::randint(kClasses, {kRandomRows}, at::kLong), {}, {}}, kClasses};
}

Material characters() {
  constexpr std::int64_t kVocabulary = 96;
  const at::Tensor text = at::randint(kVocabulary, {kRandomRows, 129}, at::kLong);
  return {{text.narrow(1, 0, 128).contiguous(), text.narrow(1, 1, 128).contiguous(), {}, {}}, kVocabulary};
}

Material sequences() {
  constexpr std::int64_t kClasses = 9;
  return {{at::randn({kRandomRows, 25, 12}), at::randint(kClasses, {kRandomRows}, at::kLong), {}, {}}, kClasses};
}

/// One arm in training, for as many steps as it is asked for.
class Work {
 public:
  explicit Work(const spec::Experiment& experiment) : Work(experiment, material_of(experiment)) {}

  Work(const spec::Experiment& experiment, Material material)
      : experiment_(experiment), material_(std::move(material)), plan_(experiment_, material_.part) {
    at::set_num_threads(kThreads);
    const at::Tensor& inputs = material_.part.inputs;
    arm_ = std::make_unique<train::Arm>("trial",
                                        model::build(experiment_.model, inputs.sizes().slice(1), material_.outputs,
                                                     experiment_.training.seed, inputs.scalar_type()),
                                        experiment_, &experiment_.trials.front());
    options_.measure_norms = false;
  }

  double seconds_of(int steps) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      const train::Window& window = *plan_.next();
      train::Attempt attempt;
      train::run_stages(train::gradient_stages(), *arm_, window, attempt, options_);
      train::run_stages(train::update_stages(), *arm_, window, attempt, options_);
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  spec::Experiment experiment_;
  Material material_;
  train::BatchPlan plan_;
  std::unique_ptr<train::Arm> arm_;
  train::StageOptions options_;
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

void against_python(benchmark::State& state, Work work, const std::string& python_work, int steps) {
  static tests::PythonProcess python;
  if (!python.ready()) {
    state.SkipWithError(python.problem().c_str());
    return;
  }
  work.seconds_of(steps);
  std::vector<double> ours;
  std::vector<double> fused;
  std::vector<double> foreach;
  for (auto iteration : state) {
    (void)iteration;
    ours.push_back(work.seconds_of(steps));
    const tests::PythonTimes times = python.seconds_of(python_work, steps);
    fused.push_back(times.fused);
    foreach
      .push_back(times.foreach);
    state.SetIterationTime(ours.back());
  }
  const std::vector<double>& best = quantile(fused, 0.5) < quantile(foreach, 0.5) ? fused : foreach;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(best[i] / ours[i]);
  state.counters["steps_per_second"] = steps / quantile(ours, 0.5);
  state.counters["python_steps_per_second"] = steps / quantile(best, 0.5);
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["ratio_low"] = quantile(ratios, 0.25);
  state.counters["ratio_high"] = quantile(ratios, 0.75);
  // Of 15 ordered values the 4th and the 12th enclose the median with a probability of 96.5 %.
  std::sort(ratios.begin(), ratios.end());
  state.counters["ratio_95_low"] = ratios.at(3);
  state.counters["ratio_95_high"] = ratios.at(11);
}

spec::Experiment experiment(const std::string& text) { return spec::parse_experiment(text, "bench.toml"); }

/// A built-in model on random rows, under the autocast word `autocast`.
void model_against_python(benchmark::State& state, const char* text, Material (*material)(), const std::string& name,
                          const std::string& autocast) {
  constexpr int kSteps = 4;
  const std::string head = "mantissa = 1\n[data]\nsource = \"gaussian\"\ntask = \"classification\"\n";
  const std::string tail = "steps = 1000000000\nthreads = 2\nloss = \"cross_entropy\"\n[[trial]]\nname = \"trial\"\n";
  const std::string word = autocast == "off" ? "float32" : autocast;
  against_python(state, Work(experiment(head + text + tail + "autocast = \"" + autocast + "\"\n"), material()),
                 name + "-" + word, kSteps);
}

void amp_step(benchmark::State& state) { against_python(state, Work(experiment(kAmpStep)), "amp-step", 500); }
void digits_float32(benchmark::State& state) {
  against_python(state, Work(experiment(std::string(kDigits) + "autocast = \"off\"\n")), "digits-mlp-float32", 100);
}
void digits_bfloat16(benchmark::State& state) {
  against_python(state, Work(experiment(std::string(kDigits) + "autocast = \"bfloat16\"\n")), "digits-mlp-bfloat16",
                 100);
}
BENCHMARK(amp_step)->Name("steps/amp-step/float16")->UseManualTime()->Iterations(kRounds);
BENCHMARK(digits_float32)->Name("steps/digits-mlp/float32")->UseManualTime()->Iterations(kRounds);
BENCHMARK(digits_bfloat16)->Name("steps/digits-mlp/bfloat16")->UseManualTime()->Iterations(kRounds);

void register_model(const char* text, Material (*material)(), const std::string& name) {
  for (const std::string autocast : {"off", "bfloat16"}) {
    const std::string word = autocast == "off" ? "float32" : autocast;
    benchmark::RegisterBenchmark(
        ("steps/" + name + "/" + word).c_str(),
        [=](benchmark::State& state) { model_against_python(state, text, material, name, autocast); })
        ->UseManualTime()
        ->Iterations(kRounds);
  }
}

const bool models_registered = [] {
  register_model(kResnet, images, "resnet-20");
  register_model(kTransformer, characters, "transformer");
  register_model(kLstm, sequences, "lstm");
  return true;
}();

}  // namespace
