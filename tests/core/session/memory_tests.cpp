// SPDX-License-Identifier: Apache-2.0
// A trial that runs out of memory fails alone, wherever it happens. greedy.pt (make_greedy.py) asks for 2 PiB as soon
// as its product is in BF16.
#include <new>

#include <QTemporaryDir>
#include <QTest>

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include "core/observe/memory_recorder.h"
#include "core/session/prepared.h"
#include "core/session/run.h"
#include "core/spec/parse.h"
#include "core/train/checkpoint.h"
#include "core/train/failure_text.h"
#include "core/train/paired_run.h"
#include "tests/core/train/small_network.h"

using namespace mantissa;

namespace {

class Quiet : public session::Observer {
 public:
  void on_note(const std::string&) override {}
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string&) override {}
};

constexpr std::int64_t kAbsurd = std::int64_t{1} << 50;  // elements of FP32: 4 PiB

spec::Experiment greedy_experiment(const std::string& model) {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 32\nfeatures = 1\n[model]\nkind = \"torchscript\"\npath = "
      "\"" +
          std::string(MANTISSA_SOURCE_DIR) + "/tests/core/session/" + model +
          "\"\n[training]\nthreads = 1\nsteps = 4\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n"
          "shadow_every = 0\n[[trial]]\nname = \"fp32\"\nautocast = \"off\"\nshadow_every = 0\n[rules]\noutput = { max "
          "= 1 }\n",
      "test.toml");
}

record::RunSummary run(const std::string& model, session::MeasureGains gains) {
  QTemporaryDir folder;
  Quiet observer;
  return session::run(greedy_experiment(model),
                      {folder.filePath("a.db").toStdString(), {}, session::Probes::Standard, gains}, observer, {});
}

void verify_that_only_bf16_failed(const record::RunSummary& summary, std::int64_t attempted) {
  const record::TrialEnd& failed = summary.trials[0].end;
  QCOMPARE(failed.status, record::Status::Failed);
  QCOMPARE(failed.failure, std::string("memory"));
  QVERIFY2(failed.failure_text.find("Out of memory") == 0, failed.failure_text.c_str());
  for (const char* const word : {"enforce fail", "DefaultCPUAllocator", "frame #", "Traceback"}) {
    QVERIFY2(failed.failure_text.find(word) == std::string::npos, failed.failure_text.c_str());
  }
  QCOMPARE(failed.counts.attempted, attempted);
  QCOMPARE(failed.verdict->word, record::VerdictWord::Rejected);
  QVERIFY(!failed.gains);
  const record::TrialEnd& sound = summary.trials[1].end;
  QCOMPARE(sound.status, record::Status::Finished);
  QCOMPARE(sound.counts.applied, std::int64_t{4});
  QCOMPARE(sound.verdict->word, record::VerdictWord::Accepted);
  QVERIFY(sound.gains.has_value());
}

}  // namespace

class MemoryTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // The words are LibTorch's own: this is the pin of what its CPU allocator throws.
  void the_cpu_allocators_plain_error_is_recognised() {
    try {
      at::empty({kAbsurd}, at::kFloat);
      QFAIL("4 PiB were there");
    } catch (const c10::Error& error) {
      QVERIFY(dynamic_cast<const c10::OutOfMemoryError*>(&error) == nullptr);
      const train::Failure failure = train::failure_of(error, "at step 3");
      QCOMPARE(failure.reason, std::string("memory"));
      // 2^50 elements of 4 bytes are 4 PiB.
      QVERIFY2(failure.text.find("Out of memory at step 3: 4 PiB (4503599627370496 bytes) in one piece could not be "
                                 "had. Take a smaller training.batch") == 0,
               failure.text.c_str());
    }
  }

  void cudas_error_and_bad_alloc_are_recognised() {
    const c10::OutOfMemoryError of_cuda({__func__, __FILE__, __LINE__}, "CUDA out of memory. Tried to allocate 20 GiB");
    QCOMPARE(train::failure_of(of_cuda, "at step 1").reason, std::string("memory"));
    const c10::OutOfMemoryError wordy({__func__, __FILE__, __LINE__},
                                      "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of "
                                      "23.64 GiB of which 1.25 GiB is free. Process 7 has 22 GiB memory in use.");
    const std::string text = train::failure_of(wordy, "at step 1", "device", "in the backward pass").text;
    QVERIFY2(text.find("Out of memory at step 1, in the backward pass: 20.00 GiB in one piece could not be had (GPU 0 "
                       "has a total capacity of 23.64 GiB of which 1.25 GiB was free). Take a smaller") == 0,
             text.c_str());
    QCOMPARE(train::failure_of(std::bad_alloc(), "at step 1").reason, std::string("memory"));
    QVERIFY(train::out_of_memory(std::bad_alloc(), "here").has_value());
    QVERIFY(!train::out_of_memory(std::runtime_error("shapes"), "here").has_value());
    QCOMPARE(train::failure_of(std::runtime_error("shapes"), "at step 1").reason, std::string("forward"));
  }

  void a_trial_that_needs_too_much_in_a_step_fails_alone() {
    verify_that_only_bf16_failed(run("greedy.pt", session::MeasureGains::Short), 0);
  }

  void a_trial_that_needs_too_much_on_the_frozen_cases_fails_alone() {
    verify_that_only_bf16_failed(run("greedy_in_evaluation.pt", session::MeasureGains::Short), 4);
  }

  void a_step_that_is_taken_back_leaves_the_memory_of_its_arms_as_it_was() {
    // Six steps, and the seventh is stopped after its first microbatch: in the reference's, then in the trial's part.
    for (const int stop_in_arm : {1, 2}) {
      const spec::Experiment experiment = spec::parse_experiment(
          "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 6\n[model]\nkind = \"mlp\"\nhidden = "
          "[16]\n[training]\nthreads = 1\nsteps = 9\nbatch = 4\naccumulate = 2\nloss = \"mse\"\n[[trial]]\nname = "
          "\"bf16\"\nautocast = \"bfloat16\"\n",
          "test.toml");
      const session::Prepared prepared = session::prepare(experiment);
      train::BatchPlan plan(prepared.experiment, prepared.dataset.train);
      std::vector<std::unique_ptr<train::Arm>> arms;
      arms.push_back(std::make_unique<train::Arm>("reference", prepared.network->clone(), experiment, nullptr));
      arms.push_back(
          std::make_unique<train::Arm>("bf16", prepared.network->clone(), experiment, &experiment.trials[0]));
      bool stops = false;
      int asked = 0;
      const auto stop = [&] {
        return stops && ++asked > 2 * stop_in_arm - 1;
      };  // once before the step, then after each
      train::PairedRun paired(plan, std::move(arms), /*measure=*/true, stop);
      const auto ignore = [](std::size_t, record::StepRecord&&) {};
      for (int step = 0; step < 6; ++step) QVERIFY(paired.step(ignore));
      const record::ArmState before[] = {paired.state_of(0), paired.state_of(1)};
      stops = true;
      QVERIFY(!paired.step(ignore));
      QVERIFY(paired.stopped());
      QCOMPARE(paired.steps_done(), std::int64_t{6});
      for (const std::size_t arm : {0, 1}) {
        QCOMPARE(train::integer_of(paired.state_of(arm), "run.live_bytes"),
                 train::integer_of(before[arm], "run.live_bytes"));
      }
    }
  }

  void a_step_that_is_taken_back_leaves_what_the_model_keeps_as_it_was() {
    // stateful.pt (make_stateful.py) changes its attributes in every call; the sixth step stops after one of two.
    const spec::Experiment experiment = spec::parse_experiment(
        "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 6\n[model]\nkind = \"torchscript\"\npath = "
        "\"" MANTISSA_SOURCE_DIR
        "/tests/core/session/stateful.pt\"\n[training]\nthreads = 1\nsteps = 9\nbatch = 4\naccumulate = 2\nloss = "
        "\"mse\"\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n",
        "test.toml");
    const session::Prepared prepared = session::prepare(experiment);
    train::BatchPlan plan(prepared.experiment, prepared.dataset.train);
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(std::make_unique<train::Arm>("reference", prepared.network->clone(), prepared.experiment, nullptr));
    arms.push_back(std::make_unique<train::Arm>("bf16", prepared.network->clone(), prepared.experiment,
                                                &prepared.experiment.trials[0]));
    int left = 1000;
    train::PairedRun paired(plan, std::move(arms), /*measure=*/true, [&left] { return left-- <= 0; });
    const auto ignore = [](std::size_t, record::StepRecord&&) {};
    for (int step = 0; step < 5; ++step) QVERIFY(paired.step(ignore));
    const record::ArmState before[] = {paired.state_of(0), paired.state_of(1)};
    left = 3;  // before the step, twice in the reference's part, once in the trial's
    QVERIFY(!paired.step(ignore));
    for (const std::size_t arm : {0, 1}) {
      const record::ArmState after = paired.state_of(arm);
      QVERIFY(train::text_of(after, "attributes.text").find("history") != std::string::npos);
      QCOMPARE(train::text_of(after, "attributes.text"), train::text_of(before[arm], "attributes.text"));
      QCOMPARE(after.tensors.size(), before[arm].tensors.size());
      for (std::size_t i = 0; i < after.tensors.size(); ++i) {
        QVERIFY2(after.tensors[i].bytes == before[arm].tensors[i].bytes, after.tensors[i].name.c_str());
      }
    }
  }

  void a_failed_trial_gives_back_all_but_its_weights() {
    // Five steps of Adam on 4 MiB of weights, then the model asks for too much: weights (4 MiB) stay of weights,
    // gradients and two moments.
    constexpr std::int64_t kElements = 1 << 20;
    spec::Experiment experiment = spec::parse_experiment(
        "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 8\nfeatures = 1\n[model]\nkind = \"linear\"\n[training]\n"
        "threads = 1\nsteps = 8\nbatch = 4\nloss = \"mse\"\n[[trial]]\nname = \"t\"\nautocast = \"off\"\nshadow_every "
        "= 0\n",
        "test.toml");
    const observe::MemoryRecorder recorder;
    const data::Dataset dataset = data::load(experiment);
    train::BatchPlan plan(experiment, dataset.train);

    class Wide : public model::Network {
     public:
      explicit Wide(int steps) : left_(steps) {
        const at::Tensor weight = at::zeros({kElements}).requires_grad_();
        parameters_ = state_ = {{"w", weight}};
      }
      at::Tensor forward(const at::Tensor& inputs) override {
        if (left_-- == 0) return at::empty({kAbsurd});
        return inputs * parameters_[0].tensor.sum();
      }
      void set_training(bool) override {}
      std::unique_ptr<Network> clone() const override { return std::make_unique<Wide>(left_); }
      bool may_use_randomness() const override { return false; }

     private:
      int left_;
    };
    std::vector<std::unique_ptr<train::Arm>> arms;
    arms.push_back(std::make_unique<train::Arm>("reference", std::make_unique<Wide>(100), experiment, nullptr));
    const std::int64_t before = recorder.live();
    arms.push_back(std::make_unique<train::Arm>("t", std::make_unique<Wide>(5), experiment, &experiment.trials[0]));
    train::PairedRun paired(plan, std::move(arms), /*measure=*/false);
    const auto ignore = [](std::size_t, record::StepRecord&&) {};
    for (int step = 0; step < 5; ++step) QVERIFY(paired.step(ignore));
    constexpr std::int64_t kBytes = kElements * 4;
    const std::int64_t both = recorder.live() - before;
    QVERIFY2(both >= 7 * kBytes, qPrintable(QString::number(both)));  // 4 of the trial, 3 more of the reference
    QVERIFY(paired.step(ignore));
    QVERIFY(paired.arm(1).failure.has_value());
    QCOMPARE(paired.arm(1).failure->reason, std::string("memory"));
    QVERIFY(!paired.arm(0).failure);
    const std::int64_t given_back = both - (recorder.live() - before);
    QVERIFY2(given_back >= 3 * kBytes, qPrintable(QString::number(given_back)));
    QVERIFY(paired.step(ignore));  // the reference goes on
    QVERIFY(train::non_finite_state(paired.arm(1)).empty());
  }
};

QTEST_GUILESS_MAIN(MemoryTests)
#include "memory_tests.moc"
