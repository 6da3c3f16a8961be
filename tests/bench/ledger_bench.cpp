// SPDX-License-Identifier: Apache-2.0
// How far the memory ledger is off, as a table: mantissa_ledger_bench [--small].
//
// Each arm's step is traced at three microbatches; at others the forecast is held against what a run measures there
// (the live bytes of its arm; inputs belong to none, and are left out on both sides). `again` says what backward
// computes again instead of keeping it: training.activation_checkpointing. Below stands what other
// estimators say of Python twins of the models at one of these microbatches, against what an FP32 run measures: they
// need $MANTISSA_ORACLE_PYTHON or the interpreter of packaging/oracle-environment.sh, with accelerate and torchinfo.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/memory/step_forecast.h"
#include "core/perf/statistics.h"
#include "core/session/preflight.h"
#include "core/session/step_memory.h"
#include "core/spec/parse.h"
#include "tests/bench/python_process.h"

namespace {

using namespace mantissa;

constexpr double kMostWorst = 2.0;  // percent, as asked for
constexpr double kMostMedian = 0.5;

struct Work {
  const char* name;
  const char* policy;
  std::string experiment;
  std::vector<std::int64_t> traced;
  std::vector<std::int64_t> foretold;
  const char* checkpointing = "off";
};

const std::string kMlp =
    "[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\nhidden = [256, 256]\nactivation = \"gelu\"\n";
const std::string kResnet = "[data]\nsource = \"fashion\"\n[model]\nkind = \"resnet\"\ndepth = 20\nwidth = 8\n";
const std::string kTransformer =
    "[data]\nsource = \"shakespeare8\"\ncontext = 64\n[model]\nkind = \"transformer\"\nwidth = 64\nlayers = 2\nheads = "
    "4\n";
const std::string kLstm =
    "[data]\nsource = \"japanese_vowels\"\n[model]\nkind = \"lstm\"\ncells = 64\nbidirectional = true\n";

/// FP16 is slow on a CPU: fewer samples.
std::vector<Work> works(bool small) {
  const std::vector<std::int64_t> traced = {16, 32, 64};
  const std::vector<std::int64_t> foretold = {8, 24, 48, 100};
  const std::vector<std::int64_t> few_traced = {4, 8, 16};
  const std::vector<std::int64_t> few_foretold = {6, 12, 24};
  std::vector<Work> all = {
      {"mlp", "float32", kMlp, traced, foretold},
      {"mlp", "bfloat16", kMlp, traced, foretold},
      {"mlp", "float16", kMlp, traced, foretold},
      {"resnet-20", "float32", kResnet, traced, foretold},
      {"resnet-20", "bfloat16", kResnet, traced, foretold},
      {"resnet-20", "float16", kResnet, few_traced, few_foretold},
      {"transformer", "float32", kTransformer, traced, foretold},
      {"transformer", "bfloat16", kTransformer, traced, foretold},
      {"transformer", "float16", kTransformer, few_traced, few_foretold},
      {"lstm", "float32", kLstm, traced, foretold},
      {"lstm", "bfloat16", kLstm, traced, foretold},
  };
  const std::vector<std::pair<const char*, std::string>> of_blocks = {
      {"mlp", kMlp}, {"resnet-20", kResnet}, {"transformer", kTransformer}};
  for (const auto& [name, experiment] : of_blocks) {
    for (const char* const policy : {"float32", "bfloat16"}) {
      all.push_back({name, policy, experiment, traced, foretold, "blocks"});
    }
  }
  if (small) {
    all.resize(2);
    for (Work& work : all) work.foretold.resize(1);
  }
  return all;
}

spec::Experiment experiment_of(const Work& work, std::int64_t batch) {
  std::string text =
      "mantissa = 1\n" + work.experiment + "[training]\nthreads = 1\nsteps = 4\nbatch = " + std::to_string(batch) +
      "\nactivation_checkpointing = \"" + work.checkpointing + "\"\n[[training.optimizer]]\nkind = \"adamw\"\n";
  if (std::string(work.policy) != "float32") {
    text += "[[trial]]\nname = \"trial\"\nshadow_every = 0\nautocast = \"" + std::string(work.policy) + "\"\n";
  }
  return spec::parse_experiment(text, "bench.toml");
}

std::int64_t without_inputs(const memory::StepPeak& peak) {
  return peak.bytes - peak.by_category[static_cast<std::size_t>(record::MemoryCategory::Inputs)];
}

/// Percent.
double error_of(double foretold, std::int64_t measured) {
  return 100.0 * (foretold - static_cast<double>(measured)) / static_cast<double>(measured);
}

/// What an FP32 run measures at the microbatch that others are asked about, by the name of the model.
struct Measured {
  std::string model;
  std::int64_t bytes = 0;
};

std::vector<double> forecast_errors(const Work& work, std::vector<Measured>& measured_in_float32, std::int64_t asked) {
  session::MemoryQuestion question;
  for (const std::int64_t microbatch : work.traced) question.sizes.push_back({microbatch, 1});
  const auto arms = session::trace_memory(experiment_of(work, work.traced.back()), question, {}).arms;
  const session::ArmMemory& arm = arms.back();
  if (!arm.failure.empty()) {
    std::printf("%-12s %-9s %-7s %s\n", work.name, work.policy, work.checkpointing, arm.failure.c_str());
    return {};
  }
  const memory::StepForecast forecast(arm.traces);
  std::vector<double> errors;
  for (const std::int64_t microbatch : work.foretold) {
    const std::int64_t foretold = without_inputs(memory::peak_of(forecast.at(microbatch)));
    const session::Preflight run = session::preflight(experiment_of(work, microbatch), {}, {}, {3, 120.0, 120.0});
    const std::int64_t measured = run.arms.back().peak_bytes.value_or(0);
    errors.push_back(error_of(static_cast<double>(foretold), measured));
    std::printf("%-12s %-9s %-7s %10ld %16ld %16ld %+9.3f %%\n", work.name, work.policy, work.checkpointing,
                static_cast<long>(microbatch), static_cast<long>(foretold), static_cast<long>(measured), errors.back());
    std::fflush(stdout);
    const bool is_plain = std::string(work.policy) == "float32" && std::string(work.checkpointing) == "off";
    if (microbatch == asked && is_plain) {
      measured_in_float32.push_back({work.name, measured});
    }
  }
  return errors;
}

struct Twin {
  const char* model;
  const char* question;  ///< as memory_estimates.py reads it, without the microbatch
};

const std::array<Twin, 4> kTwins = {{
    {"mlp",
     R"("model":{"kind":"mlp","hidden":[256,256],"activation":"gelu"},"inputs":[64],"outputs":10,"dtype":"float32")"},
    {"resnet-20",
     R"("model":{"kind":"resnet","depth":20,"width":8},"inputs":[1,28,28],"outputs":10,"dtype":"float32")"},
    {"transformer",
     R"("model":{"kind":"transformer","width":64,"layers":2,"heads":4},"inputs":[64],"outputs":96,"dtype":"int64")"},
    {"lstm",
     R"("model":{"kind":"lstm","cells":64,"bidirectional":true},"inputs":[25,12],"outputs":9,"dtype":"float32")"},
}};

nlohmann::json estimates(const Twin& twin, std::int64_t microbatch) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("mantissa_twin_" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << '{' << twin.question << ",\"microbatch\":" << microbatch << '}';
  const std::string command = '\'' + tests::oracle_interpreter() + "' '" + MANTISSA_SOURCE_DIR +
                              "/tests/bench/memory_estimates.py' '" + file.string() + "' 2>&1";
  std::string text;
  if (std::FILE* const pipe = ::popen(command.c_str(), "r")) {
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), count);
    ::pclose(pipe);
  }
  std::filesystem::remove(file);
  return nlohmann::json::parse(text, nullptr, false);
}

void compare_others(const std::vector<Measured>& measured, std::int64_t microbatch) {
  std::printf("\nWhat others say, at microbatch %ld in FP32 with AdamW\n", static_cast<long>(microbatch));
  std::printf("%-12s %-12s %16s %16s %10s\n", "model", "estimator", "estimate", "measured", "error");
  for (const Twin& twin : kTwins) {
    const auto run = std::find_if(measured.begin(), measured.end(),
                                  [&twin](const Measured& each) { return each.model == twin.model; });
    if (run == measured.end()) continue;
    const nlohmann::json estimate = estimates(twin, microbatch);
    for (const char* const name : {"accelerate", "torchinfo", "deepspeed"}) {
      if (!estimate.is_object() || !estimate.contains(name) || estimate[name].is_null()) {
        std::printf("%-12s %-12s %16s\n", twin.model, name, "not installed");
        continue;
      }
      const auto bytes = estimate[name].get<double>();
      std::printf("%-12s %-12s %16.0f %16ld %+9.1f %%\n", twin.model, name, bytes, static_cast<long>(run->bytes),
                  error_of(bytes, run->bytes));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool small = argc == 2 && std::string(argv[1]) == "--small";
  if (argc > 1 && !small) {
    std::fprintf(stderr, "found '%s', expected --small or nothing\n", argv[1]);
    return 3;
  }
  constexpr std::int64_t kAsked = 48;
  std::printf("%-12s %-9s %-7s %10s %16s %16s %11s\n", "model", "policy", "again", "microbatch", "foretold, bytes",
              "measured, bytes", "error");
  std::vector<double> sizes;
  std::vector<Measured> measured;
  try {
    for (const Work& work : works(small)) {
      for (const double error : forecast_errors(work, measured, kAsked)) sizes.push_back(std::abs(error));
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 4;
  }
  const double worst = *std::max_element(sizes.begin(), sizes.end());
  const double median = perf::median(sizes);
  std::printf("worst error  %.3f %%, at most %.1f %% %s\n", worst, kMostWorst, worst <= kMostWorst ? "" : "EXCEEDED");
  std::printf("median error %.3f %%, at most %.1f %% %s\n", median, kMostMedian,
              median <= kMostMedian ? "" : "EXCEEDED");
  if (!small) compare_others(measured, kAsked);
  return 0;
}
