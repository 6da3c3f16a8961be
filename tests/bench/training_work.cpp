// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/training_work.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "core/model/network.h"
#include "core/spec/parse.h"

namespace mantissa::bench {

const char* const kAmpStep = R"(
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

const char* const kDigits = R"(
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

namespace {

constexpr char kResnet[] = R"([model]
kind = "resnet"
depth = 20
width = 16
)";

constexpr char kTransformer[] = R"([model]
kind = "transformer"
width = 128
layers = 4
heads = 4
)";

constexpr char kLstm[] = R"([model]
kind = "lstm"
cells = 128
layers = 2
bidirectional = true
)";

Material material_of(const spec::Experiment& experiment) {
  const data::Dataset dataset = data::load(experiment);
  return {dataset.train, dataset.classes > 0 ? dataset.classes : dataset.train.targets.size(1)};
}

constexpr std::int64_t kRandomRows = 512;

Material images() {
  constexpr std::int64_t kClasses = 10;
  return {{at::randn({kRandomRows, 1, 28, 28}), at::randint(kClasses, {kRandomRows}, at::kLong), {}, {}, {}, {}},
          kClasses};
}

Material characters() {
  constexpr std::int64_t kVocabulary = 96;
  const at::Tensor text = at::randint(kVocabulary, {kRandomRows, 129}, at::kLong);
  return {{text.narrow(1, 0, 128).contiguous(), text.narrow(1, 1, 128).contiguous(), {}, {}, {}, {}}, kVocabulary};
}

Material sequences() {
  constexpr std::int64_t kClasses = 9;
  return {{at::randn({kRandomRows, 25, 12}), at::randint(kClasses, {kRandomRows}, at::kLong), {}, {}, {}, {}},
          kClasses};
}

}  // namespace

const std::vector<LargerModel>& larger_models() {
  static const std::vector<LargerModel> models = {{"resnet-20", kResnet, 64, images},
                                                  {"transformer", kTransformer, 16, characters},
                                                  {"lstm", kLstm, 64, sequences}};
  return models;
}

spec::Experiment experiment_of(const LargerModel& model, const std::string& autocast, const std::string& model_table) {
  const std::string text =
      "mantissa = 1\n[data]\nsource = \"gaussian\"\ntask = \"classification\"\n" + model_table +
      "[training]\nbatch = " + std::to_string(model.batch) +
      "\nsteps = 1000000000\nthreads = 2\nloss = \"cross_entropy\"\n[[trial]]\nname = \"trial\"\n" + "autocast = \"" +
      autocast + "\"\n";
  return spec::parse_experiment(text, "bench.toml");
}

std::string dtype_word(const std::string& autocast) { return autocast == "off" ? "float32" : autocast; }

Work::Work(const spec::Experiment& experiment) : Work(experiment, material_of(experiment)) {}

Work::Work(const spec::Experiment& experiment, Material material)
    : experiment_(experiment), material_(std::move(material)), plan_(experiment_, material_.part) {
  at::set_num_threads(kThreads);
  const at::Tensor& inputs = material_.part.inputs;
  arm_ = std::make_unique<train::Arm>("trial",
                                      model::build(experiment_.model, inputs.sizes().slice(1), material_.outputs,
                                                   experiment_.training.seed, inputs.scalar_type()),
                                      experiment_, &experiment_.trials.front());
  options_.measure_norms = false;
}

double Work::seconds_of(int steps) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; ++i) {
    const train::Window& window = *plan_.next();
    train::Attempt attempt;
    train::run_stages(train::gradient_stages(), *arm_, window, attempt, options_);
    train::run_stages(train::update_stages(), *arm_, window, attempt, options_);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(q * static_cast<double>(values.size() - 1)))];
}

void report(benchmark::State& state, std::vector<double> ratios) {
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["ratio_low"] = quantile(ratios, 0.25);
  state.counters["ratio_high"] = quantile(ratios, 0.75);
  static_assert(kRounds == 41);  // of so many ordered values the 14th and the 28th enclose the median: 97.2 %
  std::sort(ratios.begin(), ratios.end());
  state.counters["ratio_95_low"] = ratios.at(13);
  state.counters["ratio_95_high"] = ratios.at(27);
}

}  // namespace mantissa::bench
