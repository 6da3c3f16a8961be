// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

/// `least_example` with [training] from line 6, its keys from line 7.
std::string training(const std::string& keys) { return std::string(least_example) + "[training]\n" + keys; }

}  // namespace

/// Optimizers, schedules, and what refuses an update or stops.
class SpecSteppingTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void defaults_are_pytorchs_of_each_kind() {
    // torch 2.11: RMSprop(lr=0.01, alpha=0.99, eps=1e-8), LBFGS(lr=1, max_iter=20, max_eval=25, history_size=100).
    const Experiment experiment =
        parse(training("optimizer = [{ kind = \"rmsprop\", parameters = [\"a\"] }, { kind = \"adamw\" }]"));
    QCOMPARE(experiment.training.optimizers[0].lr, 0.01);
    QCOMPARE(experiment.training.optimizers[0].alpha, 0.99);
    QCOMPARE(experiment.training.optimizers[0].weight_decay, 0.0);
    QCOMPARE(experiment.training.optimizers[1].weight_decay, 0.01);
    const Experiment lbfgs = parse(training("optimizer = [{ kind = \"lbfgs\" }]"));
    QCOMPARE(lbfgs.training.optimizers[0].lr, 1.0);
    QCOMPARE(lbfgs.training.optimizers[0].max_eval, std::int64_t{25});
    QVERIFY(!lbfgs.training.optimizers[0].strong_wolfe);
    const Experiment longer = parse(training("optimizer = [{ kind = \"lbfgs\", max_iter = 10 }]"));
    QCOMPARE(longer.training.optimizers[0].max_eval, std::int64_t{12});  // 10 * 5 // 4
  }

  void keys_of_another_kind_are_refused() {
    const auto says = [](const char* kind, const char* key) {
      const auto error = refusal(training(std::string("optimizer = [{ kind = \"") + kind + "\", " + key + " }]"));
      return error && sentence(error->facts()).find(std::string("the kind \"") + kind + "\" does not take it") !=
                          std::string::npos;
    };
    QVERIFY(says("sgd", "alpha = 0.9"));
    QVERIFY(says("sgd", "amsgrad = true"));
    QVERIFY(says("adam", "momentum = 0.9"));
    QVERIFY(says("adamw", "decoupled_weight_decay = true"));
    QVERIFY(says("rmsprop", "betas = [0.9, 0.99]"));
    QVERIFY(says("rmsprop", "nesterov = true"));
    QVERIFY(says("lbfgs", "weight_decay = 0.1"));
    QVERIFY(says("lbfgs", "clip_norm = 1"));
    QVERIFY(says("lbfgs", "maximize = true"));
    QVERIFY(says("adam", "line_search_fn = \"strong_wolfe\""));
  }

  void keys_of_another_schedule_are_refused() {
    VERIFY_REFUSED(training("schedule = { kind = \"cosine\", gamma = 0.5 }"), InvalidSetting, 7,
                   "training.schedule.gamma", "the kind \"cosine\" does not take it");
    VERIFY_REFUSED(training("schedule = { kind = \"exponential\", total = 5 }"), InvalidSetting, 7,
                   "training.schedule.total", "does not take it");
    VERIFY_REFUSED(training("schedule = { kind = \"linear\", end_factor = 1.5 }"), InvalidSetting, 7,
                   "training.schedule.end_factor", "a number from 0 to 1");
    VERIFY_REFUSED(training("schedule = { per = \"step\" }"), InvalidSetting, 7, "training.schedule.per",
                   "applied-update | iteration");
  }

  void a_horizon_of_nothing_is_refused() {
    VERIFY_REFUSED(training("schedule = { kind = \"cosine\", total = 0 }"), InvalidSetting, 7,
                   "training.schedule.total", "found 0");
    VERIFY_REFUSED(training("schedule = { kind = \"linear\", warmup = 10, total = 10 }"), InvalidSetting, 7,
                   "training.schedule.total", "nothing of the horizon is left after the warm-up");
    VERIFY_REFUSED(training("optimizer = [{ schedule = { kind = \"cosine\", total = -1 } }]"), InvalidSetting, 7,
                   "training.optimizer[0].schedule.total", "found -1");
  }

  void lbfgs_with_a_scaler_is_refused_where_the_scaler_stands() {
    const std::string lbfgs = training("optimizer = [{ kind = \"lbfgs\" }]\n");
    VERIFY_REFUSED(lbfgs + "[[trial]]\nname = \"t\"\nautocast = \"float16\"\n", InvalidSetting, 8, "trial[t]",
                   "lbfgs cannot be combined with a loss scaler");
    VERIFY_REFUSED(lbfgs + "[[trial]]\nname = \"t\"\nautocast = \"off\"\n[trial.scaler]\nenabled = true\n",
                   InvalidSetting, 11, "trial[t].scaler", "Set scaler.enabled = false");
    QVERIFY(!refusal(lbfgs + "[[trial]]\nname = \"t\"\nautocast = \"bfloat16\"\n"));
  }

  void lbfgs_beside_others_or_clipped_is_refused() {
    VERIFY_REFUSED(training("optimizer = [{ parameters = [\"a\"] }, { kind = \"lbfgs\", parameters = [\"b\"] }]"),
                   InvalidSetting, 7, "training.optimizer[1]", "cannot train beside another optimizer");
    VERIFY_REFUSED(training("clip_norm = 1\noptimizer = [{ kind = \"lbfgs\" }]"), InvalidSetting, 7,
                   "training.clip_norm", "lbfgs does not clip");
    VERIFY_REFUSED(training("optimizer = [{ kind = \"lbfgs\", line_search_fn = \"backtracking\" }]"), InvalidSetting, 7,
                   "training.optimizer[0].line_search_fn", "strong_wolfe");
    VERIFY_REFUSED(training("optimizer = [{ kind = \"lbfgs\", max_iter = 0 }]"), InvalidSetting, 7,
                   "training.optimizer[0].max_iter", "found 0");
  }

  void what_stops_and_skips_is_read() {
    const Experiment experiment = parse(training("skip_norm = 1e4\nstop_on = [\"loss\", \"norm\"]"));
    QCOMPARE(experiment.training.skip_norm.value(), 1e4);
    QVERIFY(experiment.training.stop_on.loss);
    QVERIFY(!experiment.training.stop_on.gradient);
    QVERIFY(experiment.training.stop_on.norm);
    VERIFY_REFUSED(training("stop_on = [\"weights\"]"), InvalidSetting, 7, "training.stop_on[0]",
                   "loss | gradient | norm");
    VERIFY_REFUSED(training("stop_on = \"loss\""), InvalidSetting, 7, "training.stop_on", "a list of");
    VERIFY_REFUSED(training("skip_norm = 0"), InvalidSetting, 7, "training.skip_norm", "above 0");
  }

  void everything_that_changes_the_numbers_is_hashed() {
    const std::string base = canonical_json_to_hash(parse(training("")));
    for (const char* keys :
         {"skip_norm = 5", "stop_on = [\"loss\"]", "schedule = { warmup = 3 }", "schedule = { per = \"iteration\" }",
          "optimizer = [{ kind = \"adam\", decoupled_weight_decay = true }]", "optimizer = [{ schedule = {} }]"}) {
      QVERIFY2(canonical_json_to_hash(parse(training(keys))) != base, keys);
    }
    const auto rmsprop = [](const char* key) {
      return canonical_json_to_hash(parse(training(std::string("optimizer = [{ kind = \"rmsprop\", ") + key + " }]")));
    };
    QVERIFY(rmsprop("alpha = 0.5") != rmsprop("centered = true"));
    QVERIFY(rmsprop("momentum = 0.5") != rmsprop("eps = 0.5"));
    const auto schedule = [](const char* keys) {
      return canonical_json_to_hash(parse(training(std::string("schedule = { ") + keys + " }")));
    };
    QVERIFY(schedule("kind = \"cosine\"") != schedule("kind = \"cosine\", total = 9"));
    QVERIFY(schedule("kind = \"cosine\"") != schedule("kind = \"cosine\", min_lr = 0.1"));
    QVERIFY(schedule("kind = \"linear\"") != schedule("kind = \"linear\", end_factor = 0.2"));
  }
};

QTEST_APPLESS_MAIN(SpecSteppingTests)
#include "stepping_tests.moc"
