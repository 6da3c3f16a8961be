// SPDX-License-Identifier: Apache-2.0
// A checkpoint that goes on under another policy: a trial of its own, beside its own reference.
#include "tests/core/session/resume_box.h"

using namespace mantissa;
using namespace mantissa::test;

class ResumeChildTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_child_is_judged_by_its_own_steps() {
    // At 1e-20 every gradient of the child is zero in FP16: 10 of its 10 steps. Counted with its parent's 30, which
    // moved, a quarter of the steps would be none to reject a trial for.
    Box box;
    const Outcome parent = box.run(kDropout, 30);
    const Outcome child = box.resume(
        parent.arms[2].row.id,
        {"trial[bf16].autocast=\"float16\"", "trial[bf16].scaler={ init_scale = 1e-20, growth_interval = 50 }"});
    const record::RuleVerdict& rule = rule_of(child.arms[1], "progress.underflow");
    QCOMPARE(rule.verdict, record::VerdictWord::Rejected);
    QVERIFY2(rule.reason.find("every gradient of 10 attempted steps was zero") != std::string::npos,
             rule.reason.c_str());
    QCOMPARE(child.arms[1].row.end.counts.attempted, std::int64_t{40});  // as its steps are numbered
  }

  void a_child_that_never_moved_is_seen_beside_its_own_beginning() {
    // 1e38 overflows in every step: backoff to 0.99 of it leads nowhere in ten steps. The parent's weights had left the
    // seed's long before.
    const std::vector<std::string> policy = {
        "trial[bf16].autocast=\"float16\"",
        "trial[bf16].scaler={ init_scale = 1e38, backoff_factor = 0.99, growth_interval = 50 }"};
    const auto verify = [](const Outcome& child) {
      QVERIFY(child.arms[1].weights[0].bytes != child.arms[0].weights[0].bytes);
      const record::RuleVerdict& rule = rule_of(child.arms[1], "progress.underflow");
      QCOMPARE(rule.verdict, record::VerdictWord::Rejected);
      QVERIFY2(rule.reason.find("weights did not change in 10 attempted steps") != std::string::npos,
               rule.reason.c_str());
    };
    Box box;
    const Outcome parent = box.run(kDropout, 30);
    verify(box.resume(parent.arms[2].row.id, policy));
    // The same where the child itself stops half-way and goes on.
    const Outcome half = box.resume(parent.arms[2].row.id, policy, 34);
    verify(box.resume(half.arms[1].row.id));
  }

  void an_fp32_checkpoint_goes_on_as_fp16_from_the_configured_scale() {
    // shared/cases 07: the configured initial scale, counter 0, a visible note, FP32 weights bit-equal.
    Box box;
    std::string text = kDropout;
    text.replace(text.find("autocast = \"bfloat16\""), 21, "autocast = \"off\"     ");
    const Outcome parent = box.run(text, 12);
    const std::int64_t id = parent.arms[2].row.id;
    const Outcome child = box.resume(
        id, {"trial[bf16].autocast=\"float16\"", "trial[bf16].scaler={ init_scale = 1024, growth_interval = 50 }"});
    QCOMPARE(child.arms.size(), std::size_t{2});
    const Arm& arm = child.arms[1];
    QVERIFY(arm.row.id != id);
    QCOMPARE(arm.row.start.parent, id);
    QCOMPARE(arm.row.start.parent_step, std::int64_t{12});
    QCOMPARE(child.arms[0].row.start.parent, parent.arms[0].row.id);
    QCOMPARE(arm.row.start.reference, child.arms[0].row.id);
    QCOMPARE(arm.steps.front().step, std::int64_t{13});
    QCOMPARE(*arm.steps.front().scale_before, 1024.0);
    QCOMPARE(arm.steps.front().growth_tracker, arm.steps.front().skipped ? std::int64_t{0} : std::int64_t{1});
    QCOMPARE(arm.steps.size(), std::size_t{28});
    bool noted = false;
    for (const std::string& note : arm.row.end.notes) {
      noted = noted || note.find("holds no scaler state: the loss scale starts at 1024") != std::string::npos;
    }
    QVERIFY(noted);
    bool shown = false;
    for (const std::string& note : box.listener.notes)
      shown = shown || note.find("no scaler state") != std::string::npos;
    QVERIFY(shown);
    const archive::Reader reader = box.reader();
    const auto before = reader.weights(id, "12"), after = reader.weights(arm.row.id, "initial");
    for (std::size_t i = 0; i < before.size(); ++i) {
      QCOMPARE(after[i].dtype, std::string("F32"));
      QVERIFY(after[i].bytes == before[i].bytes);
    }
    // The parent and its siblings stay what they were.
    QCOMPARE(reader.trial(id).end.status, record::Status::Stopped);
    QCOMPARE(reader.trial(parent.arms[1].row.id).end.counts.attempted, std::int64_t{12});
  }

  void an_fp16_checkpoint_goes_on_in_fp32_and_ignores_the_scaler_with_a_note() {
    Box box;
    const Outcome parent = box.run(kDropout, 12);
    const Outcome child =
        box.resume(parent.arms[1].row.id, {"trial[fp16].autocast=\"off\"", "trial[fp16].scaler={ enabled = false }"});
    const Arm& arm = child.arms[1];
    QVERIFY(!arm.steps.front().scale_before);
    bool noted = false;
    for (const std::string& note : arm.row.end.notes) noted = noted || note.find("is ignored") != std::string::npos;
    QVERIFY(noted);
    QVERIFY(box.reader().weights(arm.row.id, "initial")[0].bytes ==
            box.reader().weights(parent.arms[1].row.id, "12")[0].bytes);
    // The reference goes on as if nothing had happened.
    Box unbroken;
    const Outcome whole = unbroken.run(kDropout);
    for (std::size_t i = 0; i < child.arms[0].steps.size(); ++i) {
      const std::string found = differences(whole.arms[0].steps[12 + i], child.arms[0].steps[i]);
      QVERIFY2(found.empty(), found.c_str());
    }
  }

  void a_run_without_trials_gets_one_from_its_checkpoint() {
    Box box;
    const std::string text = kDropout.substr(0, kDropout.find("[[trial]]"));
    const Outcome parent = box.run(text, 10);
    QCOMPARE(parent.arms.size(), std::size_t{1});
    const Outcome child = box.resume(parent.arms[0].row.id, {"trial[0].name=\"new\"", "trial[0].autocast=\"float16\""});
    QCOMPARE(child.arms[1].row.start.name, std::string("new"));
    QCOMPARE(child.arms[1].row.start.parent, parent.arms[0].row.id);
    QCOMPARE(*child.arms[1].steps.front().scale_before, 65536.0);
  }

  void a_child_that_stops_goes_on_as_a_trial_of_its_own() {
    Box box;
    const Outcome parent = box.run(kDropout, 10);
    const std::vector<std::string> policy = {"trial[bf16].autocast=\"off\""};
    const Outcome whole = box.resume(parent.arms[2].row.id, policy);
    const Outcome part = box.resume(parent.arms[2].row.id, policy, 20);
    QCOMPARE(part.arms[1].steps.size(), std::size_t{10});
    const Outcome parts = box.resume(part.arms[1].row.id);
    QCOMPARE(parts.arms[1].row.id, part.arms[1].row.id);
    for (std::size_t i = 0; i < whole.arms[1].steps.size(); ++i) {
      const std::string found = differences(whole.arms[1].steps[i], parts.arms[1].steps[i]);
      QVERIFY2(found.empty(), found.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(ResumeChildTests)
#include "resume_child_tests.moc"
