// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <QTest>

#include "cli_sandbox.h"

/// Public bug reports (tests/cases) through the command line. Every expected number stands in the case's expected.txt,
/// computed with PyTorch 2.11 on a CPU, unless a comment derives it.
class CliPublicCaseTests : public QObject {
  Q_OBJECT

  static QByteArray experiment(const QByteArray& data, const QByteArray& model, const QByteArray& training,
                               const QByteArray& trials) {
    return "mantissa = 1\n[data]\n" + data +
           "\norder = \"file\"\ntest = { fraction = 0 }\n[model]\nkind = \"torchscript\"\npath = \"" + model +
           "\"\n[training]\nthreads = 1\n" + training + "\n" + trials;
  }

  static QByteArray regression(const QByteArray& file) { return "path = \"" + file + "\"\ntask = \"regression\""; }

  static QByteArray sgd(const QByteArray& lr) { return "[[training.optimizer]]\nkind = \"sgd\"\nlr = " + lr + "\n"; }

  static QByteArray trial(const QByteArray& autocast, const QByteArray& scaler = {}) {
    return "[[trial]]\nname = \"" + autocast + "\"\nautocast = \"" + autocast + "\"\n" +
           (scaler.isEmpty() ? QByteArray() : "[trial.scaler]\n" + scaler + "\n");
  }

  static Outcome run(const CliSandbox& box, const QByteArray& text) {
    box.write("case.toml", text);
    return box.run({"run", "case.toml", "--json"});
  }

  static nlohmann::json find_trial(const Outcome& outcome, const std::string& name) {
    const nlohmann::json document = outcome.json();
    if (!document.is_object() || !document.contains("trials")) return {};
    for (const nlohmann::json& candidate : document["trials"]) {
      if (candidate["name"] == name) return candidate;
    }
    return {};
  }

  static std::string text_of(const nlohmann::json& trial) { return trial.dump(); }

  /// Evaluates a model on one row, untrained, and returns the outputs of the frozen case under each policy.
  static QHash<QString, QString> evaluated(const CliSandbox& box, const QByteArray& model, const QByteArray& row,
                                           const QByteArray& autocast) {
    box.take_case(QString::fromLatin1("21/" + model));
    box.write("row.csv", "x1,x2,y1,y2\n" + row + ",0,0\n");
    box.write("case.toml",
              experiment(regression("row.csv") + "\ncolumns = { inputs = [\"x1\", \"x2\"], target = [\"y1\", \"y2\"] }",
                         model, "steps = 0\nloss = \"mse\"", trial(autocast)));
    box.run({"run", "case.toml"});
    const auto rows = box.table({"export", "cases", QString::fromLatin1(autocast)});
    return rows.empty() ? QHash<QString, QString>() : rows.front();
  }

 private Q_SLOTS:
  // 07: FP32 and BF16 runs save an empty scaler state, which PyTorch refuses to load into the scaler of an FP16 run.
  // The first FP16 step overflows (2·300·300·65536) and is skipped, so the weights are those of the checkpoint.
  void case_07_a_run_without_a_scaler_goes_on_in_fp16_from_the_same_weights_data() {
    QTest::addColumn<QByteArray>("autocast");
    QTest::newRow("from FP32") << QByteArray("off");
    QTest::newRow("from BF16") << QByteArray("bfloat16");
  }
  void case_07_a_run_without_a_scaler_goes_on_in_fp16_from_the_same_weights() {
    QFETCH(QByteArray, autocast);
    const CliSandbox box;
    box.write("rows.csv", "x,y\n300,0\n");
    box.write("case.toml",
              "mantissa = 1\n[data]\npath = \"rows.csv\"\ntask = \"regression\"\ntest = { fraction = 0 }\n[model]\n"
              "kind = \"linear\"\n[training]\nthreads = 1\nsteps = 4\nloss = \"mse\"\n" +
                  sgd("1e-6") + trial(autocast));
    box.run({"run", "case.toml"});
    const auto before = box.weights(autocast);
    QCOMPARE(before.size(), std::size_t{2});
    const Outcome outcome = box.run({"resume", autocast, "--set", "trial[" + autocast + "].autocast=\"float16\"",
                                     "--set", "training.steps=5", "--json"});
    const nlohmann::json child = find_trial(outcome, autocast.toStdString());
    QVERIFY2(child.is_object(), outcome.err);
    QCOMPARE(child["autocast"].get<std::string>(), std::string("float16"));
    QVERIFY2(text_of(child["notes"]).find("no scaler state: the loss scale starts at 65536, its growth counter at 0") !=
                 std::string::npos,
             outcome.out);
    const auto steps = box.table({"export", "steps", QString::number(child["id"].get<int>())});
    QCOMPARE(steps.size(), std::size_t{1});
    QCOMPARE(steps[0]["scale_before"], QStringLiteral("65536"));
    QCOMPARE(steps[0]["scale_after"], QStringLiteral("32768"));
    QCOMPARE(steps[0]["skipped"], QStringLiteral("1"));
    QVERIFY(box.weights(QString::number(child["id"].get<int>())) == before);
  }

  // 03: 1/2^-127 is the last finite reciprocal in FP32; 1/1e-39 is infinite.
  void case_01_a_scale_grows_no_further_than_fp32_can_hold() {
    // log2 of the scale: 126, then 127 for ever; 2^128 would be infinite in FP32.
    CliSandbox box;
    box.write("clean.csv", "found_inf\n0\n0\n0\n0\n0\n");
    const QByteArray start = QByteArray::number(std::ldexp(1.0, 126), 'g', 17);
    const Outcome outcome = box.run({"scaler", "clean.csv", "--init-scale", start, "--growth-interval", "1", "--json"});
    QCOMPARE(outcome.exit, 0);
    const nlohmann::json steps = outcome.json()["steps"];
    QCOMPARE(steps.size(), std::size_t(5));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      QCOMPARE(steps[i]["scale_before"].get<double>(), std::ldexp(1.0, i == 0 ? 126 : 127));
      QCOMPARE(steps[i]["scale_after"].get<double>(), std::ldexp(1.0, 127));
      QCOMPARE(steps[i]["skipped"].get<bool>(), false);
    }
  }

  void case_03_a_scale_whose_reciprocal_overflows_never_reaches_the_weights() {
    CliSandbox box;
    box.take_case("03/one.csv");
    box.take_case("03/linear_w1.pt");
    for (const QByteArray autocast : {"float16", "bfloat16"}) {
      const Outcome outcome = run(
          box, experiment(regression("one.csv"), "linear_w1.pt", "epochs = 1\nbatch = 1\nloss = \"mse\"\n" + sgd("0.1"),
                          trial(autocast, "enabled = true\ninit_scale = 1e-39")));
      const nlohmann::json found = find_trial(outcome, autocast.toStdString());
      QCOMPARE(outcome.exit, 1);
      QVERIFY(outcome.err.contains("below 1"));
      QCOMPARE(found["status"].get<std::string>(), std::string("failed"));
      QCOMPARE(found["failure"].get<std::string>(), std::string("scale-too-small"));
      const auto steps = box.table({"export", "steps", autocast});
      QCOMPARE(steps.size(), std::size_t(1));
      QCOMPARE(steps[0]["skip_cause"], QStringLiteral("scale-too-small"));
      QCOMPARE(steps[0]["scale_before"], steps[0]["scale_after"]);
      QCOMPARE(steps[0]["growth_tracker"], QStringLiteral("0"));
      QCOMPARE(only_value(box.weights(autocast), "fc.weight"), 1.0F);
    }
  }

  void case_03_gradients_that_all_vanish_are_flagged() {
    CliSandbox box;
    box.take_case("03/one.csv");
    box.take_case("03/linear_w1.pt");
    const Outcome outcome = run(
        box, experiment(regression("one.csv"), "linear_w1.pt", "epochs = 1\nbatch = 1\nloss = \"mse\"\n" + sgd("0.1"),
                        trial("float16", "init_scale = 1.490116119384765625e-8")));  // 2^-26
    QCOMPARE(only_value(box.weights("float16"), "fc.weight"), 1.0F);
    QCOMPARE(find_trial(outcome, "float16")["skipped"].get<int>(), 0);
    QCOMPARE(find_trial(outcome, "float16")["verdict"].get<std::string>(), std::string("rejected"));
    QVERIFY2(text_of(find_trial(outcome, "float16")["reasons"]).find("zero") != std::string::npos, outcome.out);
  }

  void case_03_a_small_scale_rounds_gradients_as_pytorch_does() {
    CliSandbox box;
    box.take_case("03/one.csv");
    box.take_case("03/linear_w1.pt");
    run(box, experiment(regression("one.csv"), "linear_w1.pt", "epochs = 1\nbatch = 1\nloss = \"mse\"\n" + sgd("0.1"),
                        trial("float16", "init_scale = 5.9604644775390625e-8")));  // 2^-24: w 0.8, 0.6, 0.5
    QCOMPARE(only_value(box.weights("float16"), "fc.weight"), 0.5F);
    QVERIFY(std::abs(only_value(box.weights("reference"), "fc.weight") - 0.512F) < 1e-6F);  // 0.8^3
  }

  void case_03_a_sum_that_overflows_while_unscaling_stops_the_trial() {
    CliSandbox box;
    box.take_case("03/big.csv");
    box.take_case("03/linear_w0p1.pt");
    const Outcome outcome =
        run(box, experiment(regression("big.csv"), "linear_w0p1.pt",
                            "epochs = 1\nbatch = 2\nloss = \"l1\"\nreduction = \"sum\"\n" + sgd("1e-3"),
                            trial("bfloat16", "enabled = true\ninit_scale = 0.0009765625")));  // 2^-10
    QCOMPARE(find_trial(outcome, "bfloat16")["failure"].get<std::string>(), std::string("scale-too-small"));
    const auto steps = box.table({"export", "steps", "bfloat16"});
    QCOMPARE(steps.size(), std::size_t(1));
    QVERIFY(std::abs(steps[0]["loss"].toDouble() / 6.0148e37 - 1.0) < 1e-4);
    QCOMPARE(only_value(box.weights("bfloat16"), "fc.weight"), 0.1F);
  }

  void case_11_a_model_without_trainable_parameters_is_refused_before_the_first_step() {
    CliSandbox box;
    box.take_case("11/xy.csv");
    box.take_case("11/all_frozen.pt");
    const Outcome outcome =
        run(box, experiment(regression("xy.csv"), "all_frozen.pt", "steps = 1\nbatch = 1\nloss = \"l1\"\n" + sgd("0.1"),
                            trial("float16", "init_scale = 8")));
    QCOMPARE(outcome.exit, 3);
    QVERIFY(outcome.err.contains("all_frozen.pt"));
    QVERIFY(outcome.err.contains("trainable"));
  }

  // L1 against 0 with y = w·1 > 0 has the gradient 1 of the report's L = y.
  void case_11_an_unused_branch_trains_the_other_one() {
    CliSandbox box;
    box.take_case("11/xy.csv");
    box.take_case("11/unused_branch.pt");
    const Outcome outcome =
        run(box, experiment(regression("xy.csv"), "unused_branch.pt",
                            "steps = 1\nbatch = 1\nloss = \"l1\"\n" + sgd("0.1"), trial("float16", "init_scale = 8")));
    const auto weights = box.weights("float16");
    QCOMPARE(only_value(weights, "a.weight"), 0.9F);
    QCOMPARE(only_value(weights, "b.weight"), 1.0F);
    QCOMPARE(find_trial(outcome, "float16")["applied"].get<int>(), 1);
    const nlohmann::json notes = find_trial(outcome, "float16")["notes"];
    QVERIFY2(notes.dump().find("No gradient reached these parameters in the first step: b.weight") != std::string::npos,
             notes.dump().c_str());
  }

  void case_11_an_optimizer_without_any_gradient_applies_no_step() {
    CliSandbox box;
    box.take_case("11/xy.csv");
    box.take_case("11/unused_branch.pt");
    const Outcome outcome =
        run(box, experiment(regression("xy.csv"), "unused_branch.pt",
                            "steps = 3\nbatch = 1\nloss = \"l1\"\n" + sgd("0.1") + "parameters = [\"b\"]\n",
                            trial("float16", "init_scale = 8")));
    const nlohmann::json found = find_trial(outcome, "float16");
    QVERIFY2(found.is_object(), outcome.err);
    QCOMPARE(found["applied"].get<int>(), 0);
    const auto steps = box.table({"export", "steps", "float16"});
    QVERIFY(!steps.empty());
    QCOMPARE(steps[0]["skip_cause"], QStringLiteral("no-gradient"));
    QCOMPARE(only_value(box.weights("float16"), "a.weight"), 1.0F);
  }

  void case_17_overflows_at_the_start_are_calibration() {
    CliSandbox box;
    box.take_case("17/t10.csv");
    box.take_case("17/linear_w1.pt");
    const Outcome outcome = run(
        box, experiment(regression("t10.csv"), "linear_w1.pt", "epochs = 1\nbatch = 1\nloss = \"mse\"\n" + sgd("0.001"),
                        trial("float16") + trial("bfloat16")));
    const auto steps = box.table({"export", "steps", "float16"});
    QCOMPARE(steps.size(), std::size_t(8));
    const std::vector<double> scales = {65536, 32768, 16384, 8192, 4096, 2048, 2048, 2048};
    for (std::size_t i = 0; i < steps.size(); ++i) {
      QCOMPARE(steps[i]["scale_before"].toDouble(), scales[i]);
      QCOMPARE(steps[i]["skip_cause"], i < 5 ? QStringLiteral("calibration") : QString());
      if (i < 5) QCOMPARE(steps[i]["loss"].toDouble(), 121.0);
    }
    QCOMPARE(find_trial(outcome, "float16")["skipped"].get<int>(), 5);
    QCOMPARE(find_trial(outcome, "float16")["applied"].get<int>(), 3);
    QCOMPARE(find_trial(outcome, "bfloat16")["skipped"].get<int>(), 0);
    QVERIFY(std::abs(only_value(box.weights("float16"), "fc.weight") - 0.9341406F) < 1e-6F);
  }

  void case_18_a_constant_beyond_fp16_fails_that_trial_alone() {
    CliSandbox box;
    box.take_case("18/model.pt");
    box.write("row.csv", "x1,x2,y1,y2\n1,2,1,0\n");
    const QByteArray data =
        regression("row.csv") + "\ncolumns = { inputs = [\"x1\", \"x2\"], target = [\"y1\", \"y2\"] }";
    const Outcome outcome =
        run(box, experiment(data, "model.pt", "steps = 2\nloss = \"mse\"", trial("float16") + trial("bfloat16")));
    QCOMPARE(outcome.exit, 1);
    const nlohmann::json half = find_trial(outcome, "float16");
    QCOMPARE(half["status"].get<std::string>(), std::string("failed"));
    QCOMPARE(half["failure"].get<std::string>(), std::string("forward"));
    QVERIFY2(text_of(half["failure_text"]).find("overflow") != std::string::npos, outcome.out);
    QCOMPARE(find_trial(outcome, "bfloat16")["status"].get<std::string>(), std::string("finished"));
    QCOMPARE(find_trial(outcome, "bfloat16")["attempted"].get<int>(), 2);
    const auto cases = box.table({"export", "cases", "bfloat16"});
    QCOMPARE(cases.size(), std::size_t(1));
    QCOMPARE(cases[0]["output_same_weights[0]"].toDouble(), 1.0);
    QCOMPARE(cases[0]["output_reference[1]"].toDouble(), 0.0);
    // The archive keeps the failed one.
    QVERIFY(box.run({"list"}).out.contains("failed (forward)"));
  }

  void case_19_a_reference_that_is_nan_itself_leaves_the_trials_undecided() {
    CliSandbox box;
    box.take_case("19/model.pt");
    box.write("row.csv", "x1,x2,y1,y2\n1,2,1,0\n");
    const QByteArray data =
        regression("row.csv") + "\ncolumns = { inputs = [\"x1\", \"x2\"], target = [\"y1\", \"y2\"] }";
    for (const QByteArray steps : {"steps = 0", "steps = 2"}) {
      const Outcome outcome =
          run(box, experiment(data, "model.pt", steps + "\nloss = \"mse\"", trial("float16") + trial("bfloat16")));
      QCOMPARE(outcome.exit, 2);
      for (const std::string name : {"float16", "bfloat16"}) {
        const nlohmann::json found = find_trial(outcome, name);
        QCOMPARE(found["verdict"].get<std::string>(), std::string("undecided"));
        QVERIFY2(text_of(found["reasons"]).find("reference") != std::string::npos, outcome.out);
      }
    }
  }

  void case_21_operators_run_in_the_dtype_that_the_device_casts_to() {
    CliSandbox box;
    const auto pow_half = evaluated(box, "model.pt", "300,400", "float16");
    QCOMPARE(pow_half["output_reference[0]"], QStringLiteral("90000"));
    QCOMPARE(pow_half["output_reference[1]"], QStringLiteral("160000"));
    QCOMPARE(pow_half["output_same_weights[0]"], QStringLiteral("Infinity"));
    QCOMPARE(pow_half["output_same_weights[1]"], QStringLiteral("Infinity"));
    const auto pow_brain = evaluated(box, "model.pt", "300,400", "bfloat16");
    QCOMPARE(pow_brain["output_same_weights[0]"], QStringLiteral("90112"));
    QCOMPARE(pow_brain["output_same_weights[1]"], QStringLiteral("159744"));
    const auto mul_half = evaluated(box, "model_mul.pt", "300,400", "float16");
    QCOMPARE(mul_half["output_same_weights[0]"], QStringLiteral("Infinity"));
    const auto exp_half = evaluated(box, "model_exp.pt", "12,1", "float16");
    QCOMPARE(exp_half["output_same_weights[0]"], QStringLiteral("Infinity"));
    QCOMPARE(exp_half["output_same_weights[1]"], QStringLiteral("2.71875"));
    QCOMPARE(exp_half["output_reference[0]"], QStringLiteral("162754.796875"));
    const auto log_half = evaluated(box, "model_log.pt", "0,0", "float16");
    QCOMPARE(log_half["output_same_weights[0]"], QStringLiteral("-Infinity"));
    const auto log_brain = evaluated(box, "model_log.pt", "0,0", "bfloat16");
    QCOMPARE(log_brain["output_same_weights[0]"], QStringLiteral("-18.375"));
  }

  void case_16_sparse_gradients_add_up_and_pass_through_the_scaler() {
    CliSandbox box;
    box.take_case("16/idx.csv");
    box.take_case("16/emb_sparse.pt");
    const QByteArray start = "steps = 1\nbatch = 3\nloss = \"mse\"\n";
    const QByteArray scaled =
        "[[trial]]\nname = \"scaled\"\nautocast = \"off\"\n[trial.scaler]\nenabled = true\n"
        "init_scale = 1024\n";
    const Outcome outcome = run(box, experiment(regression("idx.csv"), "emb_sparse.pt", start + sgd("0.5"), scaled));
    const nlohmann::json trial_end = find_trial(outcome, "scaled");
    QVERIFY2(trial_end.is_object(), outcome.err);
    QCOMPARE(trial_end["skipped"].get<int>(), 0);
    const auto steps = box.table({"export", "steps", "scaled"});
    QCOMPARE(steps[0]["loss"], QStringLiteral("4"));
    QCOMPARE(steps[0]["scale_after"], QStringLiteral("1024"));
    const std::vector<float> expected = {1, 1, -0.33333337F, -0.33333337F, 1, 1, 0.33333331F, 0.33333331F};
    QCOMPARE(box.weights("scaled")["emb.weight"], expected);
    QCOMPARE(box.weights("reference")["emb.weight"], expected);
  }

  void case_16_adam_refuses_sparse_gradients_in_plain_words() {
    CliSandbox box;
    box.take_case("16/idx.csv");
    box.take_case("16/emb_sparse.pt");
    const Outcome outcome =
        run(box, experiment(regression("idx.csv"), "emb_sparse.pt",
                            "steps = 1\nloss = \"mse\"\n[[training.optimizer]]\nkind = \"adam\"", ""));
    QCOMPARE(outcome.exit, 3);
    QVERIFY2(outcome.err.contains("adam does not support sparse gradients"), outcome.err);
    QVERIFY2(outcome.err.contains("emb.weight"), outcome.err);
  }

  void case_24_weights_kept_in_bf16_never_move_and_it_is_said() {
    CliSandbox box;
    box.take_case("24/x.csv");
    box.take_case("24/linear_w1_bf16.pt");
    const Outcome outcome =
        run(box, experiment(regression("x.csv"), "linear_w1_bf16.pt\"\nstored_dtype = \"keep",
                            "steps = 1000\nbatch = 1\nloss = \"l1\"\n" + sgd("0.001"), trial("bfloat16")));
    QVERIFY2(text_of(find_trial(outcome, "bfloat16")).find("weights did not change") != std::string::npos, outcome.out);
    const auto steps = box.table({"export", "steps", "reference"});
    QCOMPARE(steps.size(), std::size_t(1000));
    QCOMPARE(steps[999]["loss"], QStringLiteral("1001"));  // |1 - (-1000)| for ever
    QCOMPARE(steps[999]["weight_change"], QStringLiteral("0"));
    QCOMPARE(only_value(box.weights("reference"), "fc.weight"), 1.0F);
    QCOMPARE(only_value(box.weights("bfloat16"), "fc.weight"), 1.0F);
  }

  // Half of BF16's spacing below 1 is 0.00195: updates of 0.002 are rounded up to a whole spacing and arrive.
  void case_24_larger_updates_move_weights_kept_in_bf16() {
    CliSandbox box;
    box.take_case("24/x.csv");
    box.take_case("24/linear_w1_bf16.pt");
    run(box, experiment(regression("x.csv"), "linear_w1_bf16.pt\"\nstored_dtype = \"keep",
                        "steps = 1000\nbatch = 1\nloss = \"l1\"\n" + sgd("0.002"), trial("bfloat16")));
    QCOMPARE(only_value(box.weights("reference"), "fc.weight"), -1.0F);
    QCOMPARE(only_value(box.weights("bfloat16"), "fc.weight"), -1.0F);
  }

  void case_24_weights_kept_in_fp16_move_with_an_error() {
    CliSandbox box;
    box.take_case("24/x.csv");
    box.take_case("24/linear_w1_fp16.pt");
    run(box, experiment(regression("x.csv"), "linear_w1_fp16.pt\"\nstored_dtype = \"keep",
                        "steps = 1000\nbatch = 1\nloss = \"l1\"\n" + sgd("0.001"), ""));
    QVERIFY(std::abs(only_value(box.weights("reference"), "fc.weight") - 0.0221863F) < 1e-7F);
  }

  void case_24_small_updates_reach_fp32_weights_under_bf16_autocast() {
    CliSandbox box;
    box.take_case("24/x.csv");
    box.take_case("24/linear_w1.pt");
    run(box, experiment(regression("x.csv"), "linear_w1.pt", "steps = 1000\nbatch = 1\nloss = \"l1\"\n" + sgd("0.001"),
                        trial("bfloat16")));
    QVERIFY(std::abs(only_value(box.weights("reference"), "fc.weight") - 9.3246e-06F) < 1e-9F);
    QVERIFY(std::abs(only_value(box.weights("bfloat16"), "fc.weight") - 9.3246e-06F) < 1e-9F);
  }

  void case_26_buffers_that_a_skipped_step_made_non_finite_are_put_back_and_named() {
    CliSandbox box;
    box.take_case("26/rows.csv");
    box.take_case("26/linear_bn.pt");
    const Outcome outcome = run(
        box, experiment("path = \"rows.csv\"\ntask = \"classification\"\nclasses = 2", "linear_bn.pt",
                        "steps = 1\nbatch = 3\n" + sgd("0.1"), trial("float16", "init_scale = 4") + trial("bfloat16")));
    const nlohmann::json half = find_trial(outcome, "float16");
    QVERIFY2(half.is_object(), outcome.err);
    QCOMPARE(half["skipped"].get<int>(), 1);
    QVERIFY2(text_of(half).find("bn.running_mean") != std::string::npos, outcome.out);
    QVERIFY2(text_of(half).find("bn.running_var") != std::string::npos, outcome.out);
    QVERIFY2(text_of(half).find("were put back to what they were before the step") != std::string::npos, outcome.out);
    QCOMPARE(half["verdict"].get<std::string>(), std::string("rejected"));
    const auto steps = box.table({"export", "steps", "float16"});
    QCOMPARE(steps[0]["scale_before"], QStringLiteral("4"));
    QCOMPARE(steps[0]["scale_after"], QStringLiteral("2"));
    const auto weights = box.weights("float16");
    QCOMPARE(weights.at("fc.weight"), (std::vector<float>{1, 0, 0, 1}));
    // As the file has them, before any batch: PyTorch would leave [inf, nan] here, and evaluation NaN for ever.
    QCOMPARE(weights.at("bn.running_mean"), (std::vector<float>{0, 0}));
    QCOMPARE(weights.at("bn.running_var"), (std::vector<float>{1, 1}));
    const auto reference = box.weights("reference");
    QVERIFY(std::abs(reference.at("bn.running_mean")[0] - 4666.8003F) < 1e-2F);
    QVERIFY(std::abs(reference.at("bn.running_var")[0] / 163321680.0F - 1.0F) < 1e-6F);
    QVERIFY(std::abs(box.weights("bfloat16").at("bn.running_mean")[0] - 4676.3667F) < 1e-2F);
  }

  void case_30_concatenating_half_under_bf16_fails_that_trial_alone() {
    CliSandbox box;
    box.take_case("30/model.pt");
    box.write("row.csv", "x1,x2,y1,y2\n1,2,1,0\n");
    const QByteArray data =
        regression("row.csv") + "\ncolumns = { inputs = [\"x1\", \"x2\"], target = [\"y1\", \"y2\"] }";
    const Outcome outcome =
        run(box, experiment(data, "model.pt", "steps = 0\nloss = \"mse\"", trial("bfloat16") + trial("float16")));
    QCOMPARE(outcome.exit, 1);
    QCOMPARE(find_trial(outcome, "bfloat16")["failure"].get<std::string>(), std::string("forward"));
    QVERIFY2(text_of(find_trial(outcome, "bfloat16")).find("cat") != std::string::npos, outcome.out);
    const auto cases = box.table({"export", "cases", "float16"});
    QCOMPARE(cases.size(), std::size_t(1));
    QCOMPARE(cases[0]["output_same_weights[0]"], QStringLiteral("1"));
    QCOMPARE(cases[0]["output_same_weights[1]"], QStringLiteral("2"));
  }

  // Losses 1, 2, NaN, 3, infinity, 6: in FP16 70000 is infinite and infinite minus infinite is NaN. (1 + 2 + 3 + 6)/4
  // = 3.
  void case_33_a_mean_loss_is_over_finite_steps_and_says_how_many() {
    CliSandbox box;
    box.take_case("33/sum_w1.pt");
    box.write("rows.csv", "x1,x2,y\n1,0,0\n2,0,0\n70000,-70000,0\n3,0,0\n70000,0,0\n6,0,0\n");
    run(box, experiment(regression("rows.csv"), "sum_w1.pt", "epochs = 1\nbatch = 1\nloss = \"l1\"\n" + sgd("0.0"),
                        trial("float16", "init_scale = 1")));
    const auto steps = box.table({"export", "steps", "float16"});
    QCOMPARE(steps.size(), std::size_t(6));
    QCOMPARE(steps[2]["loss"], QStringLiteral("NaN"));
    QCOMPARE(steps[4]["loss"], QStringLiteral("Infinity"));
    QCOMPARE(steps[2]["skipped"], QStringLiteral("1"));
    QCOMPARE(steps[4]["skipped"], QStringLiteral("1"));
    const nlohmann::json losses = box.run({"show", "float16", "--json"}).json()["losses"];
    QCOMPARE(losses["mean"].get<double>(), 3.0);
    QCOMPARE(losses["non_finite"].get<int>(), 2);
    QCOMPARE(losses["steps"].get<int>(), 6);
    QVERIFY(box.run({"show", "float16"}).out.contains("3 over finite steps, 2 non-finite of 6"));
  }

  void case_47_float_labels_that_are_whole_are_classes() {
    CliSandbox box;
    box.take_case("47/labels-float.csv");
    box.write(
        "case.toml",
        "mantissa = 1\n[data]\npath = \"labels-float.csv\"\ntask = \"classification\"\norder = \"file\"\n"
        "test = { fraction = 0 }\n[model]\nkind = \"linear\"\n[training]\nsteps = 0\nthreads = 1\n[[trial]]\nname "
        "= \"bf16\"\nautocast = \"bfloat16\"\n");
    const Outcome outcome = box.run({"run", "case.toml"});
    QVERIFY2(outcome.exit == 2, outcome.err);  // no rules: undecided
    const auto cases = box.table({"export", "cases", "bf16"});
    QCOMPARE(cases.size(), std::size_t(3));
    QCOMPARE(cases[0]["target"], QStringLiteral("0"));
    QCOMPARE(cases[1]["target"], QStringLiteral("2"));
    QCOMPARE(cases[2]["target"], QStringLiteral("1"));
    QVERIFY(cases[0].contains("output[2]"));  // three classes
    QVERIFY(!cases[0].contains("output[3]"));
  }

  void case_47_labels_that_are_no_class_are_refused_with_their_lines() {
    CliSandbox box;
    box.take_case("47/labels-bad.csv");
    box.write("case.toml",
              "mantissa = 1\n[data]\npath = \"labels-bad.csv\"\ntask = \"classification\"\nclasses = 3\norder = "
              "\"file\"\ntest = { fraction = 0 }\n[model]\nkind = \"linear\"\n[training]\nsteps = 1\n");
    const Outcome outcome = box.run({"run", "case.toml"});
    QCOMPARE(outcome.exit, 3);
    for (const char* const line : {"3", "4", "5"}) QVERIFY2(outcome.err.contains(line), outcome.err);
    QVERIFY(outcome.err.contains("labels-bad.csv"));
  }

  void case_46_a_broken_idx_file_is_refused_by_its_numbers_data() {
    QTest::addColumn<QString>("images");
    QTest::addColumn<QString>("labels");
    QTest::addColumn<QStringList>("says");
    const QString good = "good-labels-idx1-ubyte";
    QTest::newRow("truncated") << "truncated-idx3-ubyte" << good << QStringList{"cut short", "8 bytes", "12 bytes"};
    QTest::newRow("fewer labels") << "good-images-idx3-ubyte"
                                  << "labels2-idx1-ubyte"
                                  << QStringList{"2 targets", "expected 3", "labels2-idx1-ubyte"};
    QTest::newRow("little-endian") << "little-endian-idx3-ubyte" << good << QStringList{"50855936", "big-endian"};
    QTest::newRow("huge sizes") << "hugedims-idx3-ubyte" << good << QStringList{"4294967295"};
    QTest::newRow("cut header") << "headeronly" << good << QStringList{"within its header", "3 bytes"};
  }
  void case_46_a_broken_idx_file_is_refused_by_its_numbers() {
    QFETCH(QString, images);
    QFETCH(QString, labels);
    QFETCH(QStringList, says);
    const CliSandbox box;
    box.take_case("46/" + images);
    box.take_case("46/" + labels);
    box.write("case.toml", "mantissa = 1\n[data]\ninputs = \"" + images.toLatin1() + "\"\ntargets = \"" +
                               labels.toLatin1() + "\"\n[model]\nkind = \"linear\"\n");
    const Outcome outcome = box.run({"run", "case.toml"});
    QCOMPARE(outcome.exit, 3);
    for (const QString& part : says) QVERIFY2(outcome.err.contains(part.toUtf8()), outcome.err);
  }

  void case_46_a_sound_file_is_read_also_where_it_is_still_gzipped() {
    const CliSandbox box;
    for (const char* const name : {"good-images-idx3-ubyte", "still-gzipped-idx3-ubyte"}) {
      box.take_case(QStringLiteral("46/") + name);
      const nlohmann::json document = box.run({"inspect", name, "--json"}).json();
      QCOMPARE(document["rows"].get<int>(), 3);
      QCOMPARE(document["shape"].dump(), std::string("[3,2,2]"));
      QCOMPARE(document["columns"][0]["maximum"].get<double>(), 11.0);
    }
  }

  void case_47_labels_of_any_type_reach_the_loss_as_classes_data() {
    QTest::addColumn<QByteArray>("labels");
    QTest::newRow("bytes") << QByteArray("labels-idx1-ubyte");
    QTest::newRow("32-bit integers") << QByteArray("labels-idx1-int32");
    QTest::newRow("floats") << QByteArray("labels-float.csv");
  }
  void case_47_labels_of_any_type_reach_the_loss_as_classes() {
    QFETCH(QByteArray, labels);
    const CliSandbox box;
    for (const QByteArray& file : {QByteArray("images-idx3-ubyte"), labels, QByteArray("zero_logits.pt")}) {
      box.take_case("47/" + QString::fromLatin1(file));
    }
    const QByteArray column = labels.endsWith(".csv") ? "\ncolumns = { target = \"label\" }" : "";
    const Outcome outcome = run(box, experiment("inputs = \"images-idx3-ubyte\"\ntargets = \"" + labels + "\"" + column,
                                                "zero_logits.pt", "steps = 1\n" + sgd("0.1"), ""));
    QCOMPARE(outcome.exit, 0);
    const auto steps = box.table({"export", "steps", "reference"});
    QCOMPARE(steps.size(), std::size_t{1});
    // Three classes, all as likely: ln 3.
    QVERIFY2(std::abs(steps.front()["loss"].toDouble() - 1.0986123) <= 1e-6 * 1.0986123,
             qPrintable(steps.front()["loss"]));
  }
};

QTEST_APPLESS_MAIN(CliPublicCaseTests)
#include "cli_public_case_tests.moc"
