// SPDX-License-Identifier: Apache-2.0
// A checkpoint for which memory does not suffice costs the run nothing but the checkpoint. operator new of this program
// refuses large pieces while a test says so: the bytes of states are strings, tensors are not had through it.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include <QTemporaryDir>
#include <QTest>

#include "core/archive/reader.h"
#include "core/archive/writer.h"
#include "core/base/error.h"
#include "core/session/run.h"
#include "core/spec/parse.h"
#include "tests/core/archive/sample_records.h"

using namespace mantissa;

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20U;
std::atomic<bool> refuses{false};
std::atomic<std::size_t> largest_refused{std::numeric_limits<std::size_t>::max()};

bool is_refused(std::size_t size) { return refuses && size >= kLarge && size <= largest_refused; }

/// Refuses from one phase of a run on to another, or from the first evaluation on.
class Listener : public session::Observer {
 public:
  Listener(std::string from, std::string to) : from_(std::move(from)), to_(std::move(to)) {}
  void on_note(const std::string& sentence) override { notes.push_back(sentence); }
  void on_progress(const session::Progress&) override {}
  void on_phase(const std::string& phase) override {
    if (phase == from_) refuses = true;
    over_ = over_ || phase == to_;
    if (over_) refuses = false;
  }
  void on_evaluation(const record::Evaluation&) override {
    if (from_ == "an evaluation" && !over_) refuses = true;  // the states of the arms are copied next
  }
  void on_checkpoint(std::int64_t step) override { checkpoints.push_back(step); }
  std::vector<std::string> notes;
  std::vector<std::int64_t> checkpoints;

 private:
  std::string from_, to_;
  bool over_ = false;
};

/// 1200 · 300 weights of 4 bytes in one tensor: 1.4 MB. The FP16 trial fails in its first step: 1e-39 has no finite
/// reciprocal in FP32.
spec::Experiment wide_experiment() {
  return spec::parse_experiment(
      "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 20\nfeatures = 1200\n[model]\nkind = \"mlp\"\nhidden = "
      "[300]\n[training]\nthreads = 1\nsteps = 4\nbatch = 8\nloss = \"mse\"\ncheckpoint = { every = 2 "
      "}\nevaluate_every = 2\n[[trial]]\n"
      "name = \"fp16\"\nautocast = \"float16\"\nscaler = { init_scale = 1e-39 }\n[[trial]]\nname = \"fp32\"\nautocast "
      "= \"off\"\n[rules]\noutput = { max = 1 }\n",
      "test.toml");
}

record::RunSummary run_into(const std::string& path, session::Observer& observer) {
  session::RunOptions options;
  options.archive = path;
  return session::run(wide_experiment(), options, observer, {});
}

bool has(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

void* operator new(std::size_t size) {
  if (is_refused(size)) throw std::bad_alloc();
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// Besides the pair that the standard's own nothrow form forwards to: AddressSanitizer's does not forward.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return is_refused(size) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

class CheckpointMemoryTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() {
    refuses = false;
    largest_refused = std::numeric_limits<std::size_t>::max();
  }

  void a_run_whose_checkpoints_do_not_fit_is_judged_all_the_same() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Listener listener("an evaluation", "comparing cases");
    const record::RunSummary summary = run_into(path, listener);
    QVERIFY(listener.checkpoints.empty());
    QVERIFY(has(listener.notes, "The checkpoint at step 2 is not kept. Out of memory"));
    QCOMPARE(summary.trials[0].end.failure, std::string("scale-too-small"));
    QCOMPARE(summary.trials[0].end.verdict->word, record::VerdictWord::Rejected);
    QCOMPARE(summary.trials[1].end.verdict->word, record::VerdictWord::Accepted);
    const archive::Reader reader(path);
    QVERIFY(has(reader.trial(1).end.notes, "The checkpoint at step 4 is not kept. Out of memory"));
    QVERIFY(reader.history(1).checkpoints.empty());
    QVERIFY(!reader.weights(3, "final").empty());
  }

  void a_run_that_does_not_fit_before_its_first_step_has_failed_in_the_archive() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Listener listener("preparing", "training");
    largest_refused = 1'500'000;  // the copy of the initial weights, not the writer's ring
    QString words;
    try {
      run_into(path, listener);
    } catch (const Error& error) {
      words = error.what();
    }
    refuses = false;
    QVERIFY2(words.contains(QStringLiteral("before the first step of the run")), qPrintable(words));
    QVERIFY2(!words.contains(QStringLiteral("between the steps")), qPrintable(words));
    const std::vector<record::TrialRow> arms = archive::Reader(path).trials();
    QVERIFY(!arms.empty());
    for (const record::TrialRow& arm : arms) {
      QCOMPARE(arm.end.status, record::Status::Failed);
      QCOMPARE(arm.end.failure, std::string("memory"));
      QVERIFY(arm.end.failure_text.find("before the first step") != std::string::npos);
    }
  }

  void final_weights_that_do_not_fit_leave_the_verdict() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    Listener listener("comparing cases", "never");
    const record::RunSummary summary = run_into(path, listener);
    refuses = false;
    QCOMPARE(summary.trials[1].end.verdict->word, record::VerdictWord::Accepted);
    QVERIFY(has(summary.trials[1].end.notes, "The final weights are not kept. Out of memory"));
    QCOMPARE(archive::Reader(path).history(3).checkpoints.back().step, std::int64_t{4});
  }

  void a_set_that_the_writer_has_no_memory_for_is_left_out() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("a.db").toStdString();
    archive::Writer writer(path);
    const std::int64_t arm =
        writer.begin_trial(test::sample_trial(writer.begin_experiment(test::sample_experiment()), "reference"));
    record::ArmState state;
    state.values["note.0"] = std::string(2 * kLarge, 'n');  // the writer copies texts
    record::CheckpointSet set{7, 0, {{arm, std::move(state)}}};
    refuses = true;
    writer.write_checkpoint(std::move(set));
    writer.wait_for_checkpoint();
    refuses = false;
    const auto lost = writer.take_lost_checkpoint();
    QVERIFY(lost && lost->find("The checkpoint at step 7 is not kept") == 0);
    QVERIFY(!writer.take_lost_checkpoint());
    writer.append(test::plain_step(arm, 1));
    writer.finish_trial(arm, record::TrialEnd());
    writer.close();
    QVERIFY(archive::Reader(path).history(arm).checkpoints.empty());
  }
};

QTEST_GUILESS_MAIN(CheckpointMemoryTests)
#include "checkpoint_memory_tests.moc"
