// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <QFile>
#include <QTest>

#include "cli_sandbox.h"

/// What the commands do when all is well.
class CliCommandTests : public QObject {
  Q_OBJECT

  /// 4 rows of y = 2·x, an FP32 reference and two clean trials; rules that they meet.
  static QByteArray small_experiment() {
    return "mantissa = 1\nname = \"small\"\n[data]\nsource = \"gaussian\"\nrows = 64\nfeatures = 4\n[model]\nkind = "
           "\"linear\"\n[training]\nthreads = 1\nsteps = 20\nbatch = 8\n[[trial]]\nname = \"bf16\"\nautocast = "
           "\"bfloat16\"\n[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = "
           "1024\n[rules]\n"
           "progress = { min_applied_fraction = 0.5 }\n";
  }

 private Q_SLOTS:
  void the_program_needs_no_qt() {
    QProcess ldd;
    ldd.start("ldd", {CliSandbox::program()});
    QVERIFY(ldd.waitForFinished());
    const QByteArray libraries = ldd.readAllStandardOutput();
    QVERIFY(libraries.contains("libtorch_cpu"));
    QVERIFY2(!libraries.contains("Qt"), libraries);
  }

  void help_names_every_command_and_what_is_still_missing() {
    CliSandbox box;
    const Outcome outcome = box.run_plain({"--help"});
    QCOMPARE(outcome.exit, 0);
    for (const char* const command :
         {"run", "resume", "list", "show", "export", "check", "inspect", "scaler", "ledger", "doctor", "help"}) {
      QVERIFY2(outcome.out.contains(QByteArray("\n  ") + command + " "), command);
    }
    QVERIFY(outcome.out.contains("Not yet available: tag"));
    QVERIFY(!outcome.out.contains("\n  tag"));
    QCOMPARE(box.run_plain({"help"}).out, outcome.out);
  }

  void help_on_a_command_names_its_options() {
    CliSandbox box;
    const Outcome outcome = box.run_plain({"help", "run"});
    QCOMPARE(outcome.exit, 0);
    for (const char* const option : {"--trial", "--set", "--require", "--probes", "--stop-after", "--cases-from"}) {
      QVERIFY2(outcome.out.contains(option), option);
    }
  }

  void help_on_the_rules_names_each_with_its_default() {
    CliSandbox box;
    const Outcome outcome = box.run_plain({"help", "rules"});
    QCOMPARE(outcome.exit, 0);
    for (const char* const words : {"non_finite (always applied)", "flips (rules.flips)", "at least 0.98"}) {
      QVERIFY2(outcome.out.contains(words), words);
    }
  }

  void a_list_shows_the_trials_that_fit_a_pattern() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    QCOMPARE(box.run({"run", "small.toml"}).exit, 0);
    const auto names = [&box](const QString& pattern) {
      std::set<std::string> found;
      const nlohmann::json document = box.run({"list", pattern, "--json"}).json();
      for (const auto& trial : document["trials"]) found.insert(trial["name"].get<std::string>());
      return found;
    };
    QCOMPARE(names("*16"), (std::set<std::string>{"bf16", "fp16"}));
    QCOMPARE(names("small/fp*"), (std::set<std::string>{"fp16"}));
    QCOMPARE(names("small"), (std::set<std::string>{"reference", "bf16", "fp16"}));
    const Outcome none = box.run({"list", "fp32"});
    QCOMPARE(none.exit, 0);
    QVERIFY2(none.err.contains("no trial of 3 fits 'fp32'"), none.err);
    QVERIFY(none.out.isEmpty());
  }

  void resolved_settings_tell_every_default() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    QCOMPARE(box.run({"run", "small.toml"}).exit, 0);
    const QByteArray page = box.run({"show", "fp16", "--resolved"}).out;
    // The file says neither; the contract: adamw with lr 1e-3, and a test part of 0.2 with seed 7.
    QVERIFY2(page.contains("training.optimizer[0].lr ") && page.contains(" 0.001\n"), page);
    QVERIFY2(page.contains("default: the set's own, else { fraction = 0.2, seed = 7 }"), page);
    QVERIFY2(page.contains("trial[1].scaler.init_scale ") && page.contains(" 1024\n"), page);
    QVERIFY(!page.contains("Reference lock"));
  }

  void help_on_the_experiment_names_keys_and_defaults() {
    CliSandbox box;
    const Outcome outcome = box.run_plain({"help", "experiment"});
    QCOMPARE(outcome.exit, 0);
    for (const char* const key : {"init_scale", "clip_norm", "min_applied_fraction", "holdout"}) {
      QVERIFY2(outcome.out.contains(key), key);
    }
  }

  void a_run_prints_its_verdicts_and_keeps_its_trials() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const Outcome run = box.run({"run", "small.toml"});
    QVERIFY2(run.exit == 0, run.err);
    QVERIFY(run.out.contains("✓ accepted"));
    QVERIFY(run.out.contains("none of 20 steps skipped"));
    QVERIFY(!run.out.contains("\033["));  // no colour into a file

    const nlohmann::json list = box.run({"list", "--json"}).json();
    QCOMPARE(list["trials"].size(), std::size_t(3));
    QCOMPARE(list["trials"][0]["kind"].get<std::string>(), std::string("reference"));
    QCOMPARE(list["trials"][1]["name"].get<std::string>(), std::string("bf16"));
    QCOMPARE(list["trials"][2]["attempted"].get<int>(), 20);
    QVERIFY(box.run({"show", "fp16"}).out.contains("init_scale"));
  }

  void options_may_stand_before_or_after_the_command() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    QVERIFY(box.run({"--json", "-q", "run", "small.toml", "--trial", "bf16"}).json().is_object());
    QVERIFY(box.run({"list", "--json"}).json().is_object());
  }

  void quiet_leaves_stderr_empty() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    QCOMPARE(box.run({"run", "small.toml", "-q"}).err, QByteArray());
  }

  void only_the_named_trials_run() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const nlohmann::json document = box.run({"run", "small.toml", "--trial", "fp16", "--json"}).json();
    QCOMPARE(document["trials"].size(), std::size_t(1));
    QCOMPARE(document["trials"][0]["name"].get<std::string>(), std::string("fp16"));
  }

  void a_run_names_the_times_that_stand_in_the_archive() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const nlohmann::json run = box.run({"run", "small.toml", "--json"}).json();
    const nlohmann::json list = box.run({"list", "--json"}).json()["trials"];
    for (const char* const key : {"started_at", "finished_at"}) {
      QVERIFY(run["reference"][key].is_string());
      QVERIFY(run["reference"][key] == list[0][key]);
      QVERIFY(run["trials"][0][key] == list[1][key]);
      QVERIFY(run["trials"][1][key] == list[2][key]);
    }
  }

  void overrides_replace_values_of_the_file() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml", "--set", "training.steps=3", "--set", "trial[fp16].scaler.init_scale=256"});
    const auto steps = box.table({"export", "steps", "fp16"});
    QCOMPARE(steps.size(), std::size_t(3));
    QCOMPARE(steps[0]["scale_before"], QStringLiteral("256"));
  }

  void exit_codes_follow_the_verdicts() {
    CliSandbox box;
    box.write("undecided.toml",
              "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = "
              "\"linear\"\n[training]\nthreads = 1\nsteps = 2\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n");
    QCOMPARE(box.run({"run", "undecided.toml"}).exit, 2);  // no rules were fixed before the run
    box.write("strict.toml",
              small_experiment() + "output = { of = \"same_weights\", reduce = \"max\", max = 1e-12 }\n");
    QCOMPARE(box.run({"run", "strict.toml"}).exit, 1);  // no trial in 8 bits of mantissa comes that close
    box.write("reference.toml",
              "mantissa = 1\n[data]\nsource = \"gaussian\"\n[model]\nkind = \"linear\"\n[training]\nsteps = 2\n");
    QCOMPARE(box.run({"run", "reference.toml"}).exit, 0);
  }

  // An FP16 scale of 2^24 overflows: dL/dy of an MSE over 8 values is about 2·1/8, times 2^24 is above 65504.
  void required_trials_alone_decide() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const QStringList run = {
        "run", "small.toml", "--set", "training.steps=2", "--set", "trial[fp16].scaler.init_scale=16777216"};
    QCOMPARE(box.run(run).exit, 1);  // less than half of the steps applied
    QCOMPARE(box.run(run + QStringList{"--require", "bf16"}).exit, 0);
    QCOMPARE(box.run(run + QStringList{"--require", "fp16"}).exit, 1);
  }

  void exports_go_to_a_file_or_to_stdout() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    const Outcome printed = box.run({"export", "steps", "last"});
    QVERIFY(printed.out.startsWith("step,iteration,applied_updates,samples,epoch,"));
    QCOMPARE(printed.out.count('\n'), 21);
    QCOMPARE(box.run({"export", "steps", "last", "-o", "steps.csv"}).exit, 0);
    QFile file(box.path("steps.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), printed.out);
    // The file's ending tells the format.
    QCOMPARE(box.run({"export", "steps", "last", "-o", "steps.json"}).exit, 0);
    QFile json(box.path("steps.json"));
    QVERIFY(json.open(QIODevice::ReadOnly));
    QCOMPARE(nlohmann::json::parse(json.readAll().toStdString()).size(), std::size_t(20));
    QCOMPARE(box.run({"export", "experiment", "last"}).out, small_experiment());
  }

  void an_exported_experiment_runs_again_to_the_same_weights() {
    CliSandbox box;
    const QString file = box.write("small.toml", small_experiment());
    box.run({"run", file, "--set", "training.seed=5", "-q"});
    const auto first = box.weights("reference");
    const QString exported = box.write("again.toml", box.run({"export", "experiment", "reference"}).out);
    QCOMPARE(box.run({"run", exported, "-q"}).exit, box.run({"run", file, "--set", "training.seed=5", "-q"}).exit);
    QVERIFY(!first.empty());
    QCOMPARE(box.weights("reference"), first);
    box.run({"run", exported, "-q"});
    QCOMPARE(box.weights("reference"), first);
  }

  void messages_stand_behind_the_result_where_both_go_into_one_pipe() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    box.start(process, {"run", "small.toml", "--archive", box.archive(), "--gains", "off"});
    QVERIFY(process.waitForFinished());
    const QByteArray both = process.readAll();
    QVERIFY2(both.indexOf("kept in ") > both.indexOf("all 3 rules hold"), both);
    QVERIFY2(both.contains("all 3 rules hold"), both);
  }

  void initial_weights_are_equal_for_reference_and_trials() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml"});
    const auto reference = box.weights("reference", "initial");
    QVERIFY(!reference.empty());
    QCOMPARE(box.weights("bf16", "initial"), reference);
    QVERIFY(box.weights("reference") != reference);
  }

  void check_says_what_would_run_and_writes_nothing() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const Outcome outcome = box.run({"check", "small.toml"});
    QVERIFY2(outcome.exit == 0, outcome.err);
    QVERIFY(outcome.out.contains("bf16"));
    QVERIFY(outcome.out.contains("20 steps"));
    QVERIFY(!QFile::exists(box.archive()));
    QVERIFY(box.run({"check", "small.toml", "--set", "trial[fp16].scaler.init_scale=0.5"}).out.contains("below 1"));
  }

  void inspect_tells_kinds_by_their_content() {
    CliSandbox box;
    box.write("rows.txt", "x,y\n1,70000\n2,-3.5\n");
    const nlohmann::json data = box.run({"inspect", "rows.txt", "--json"}).json();
    QCOMPARE(data["rows"].get<int>(), 2);
    QCOMPARE(data["columns"][1]["name"].get<std::string>(), std::string("y"));
    QCOMPARE(data["columns"][1]["beyond_float16"].get<bool>(), true);  // 70000 > 65504
    box.take_case("26/linear_bn.pt");
    const nlohmann::json model = box.run({"inspect", "linear_bn.pt", "--json"}).json();
    QCOMPARE(model["kind"].get<std::string>(), std::string("torchscript"));
    QCOMPARE(model["parameters"].size(), std::size_t(3));  // fc.weight, bn.weight, bn.bias
    QCOMPARE(model["buffers"].size(), std::size_t(3));     // running_mean, running_var, num_batches_tracked
    box.write("experiment.txt", "# a comment first\n\n" + small_experiment());
    QCOMPARE(box.run({"inspect", "experiment.txt", "--json"}).json()["kind"].get<std::string>(),
             std::string("experiment"));
  }

  // PyTorch's state machine by hand: 8, overflow → 4, two clean steps (interval 2) → 8.
  void the_scaler_plays_a_pattern() {
    CliSandbox box;
    box.write("pattern.csv", "found_inf\n1\n0\n0\n0\n");
    const Outcome outcome = box.run({"scaler", "pattern.csv", "--init-scale", "8", "--growth-interval", "2"});
    QCOMPARE(outcome.out, QByteArray("step,scale_before,scale_after,growth_tracker,skipped,applied_updates\n"
                                     "1,8,4,0,1,0\n2,4,4,1,0,1\n3,4,8,0,0,2\n4,8,8,1,0,3\n"));
  }

  // DeepSpeed with a window of 2: the second overflow halves; the clean step after it does not count, two more double.
  void the_scaler_plays_a_pattern_under_a_preset() {
    CliSandbox box;
    box.write("pattern.csv", "found_inf\n1\n1\n0\n0\n0\n");
    const Outcome outcome = box.run({"scaler", "pattern.csv", "--preset", "deepspeed", "--growth-interval", "2"});
    QCOMPARE(outcome.out, QByteArray("step,scale_before,scale_after,growth_tracker,skipped,applied_updates\n"
                                     "1,65536,65536,0,1,0\n2,65536,32768,0,1,0\n3,32768,32768,0,0,1\n"
                                     "4,32768,32768,1,0,2\n5,32768,65536,0,0,3\n"));
  }

  void the_scaler_ends_where_the_policy_stops_at_the_floor() {
    CliSandbox box;
    box.write("pattern.csv", "found_inf\n1\n1\n1\n0\n");
    const Outcome outcome =
        box.run({"scaler", "pattern.csv", "--init-scale", "4", "--floor", "2", "--at-floor", "stop"});
    QCOMPARE(outcome.exit, 0);
    QCOMPARE(outcome.out, QByteArray("step,scale_before,scale_after,growth_tracker,skipped,applied_updates\n"
                                     "1,4,2,0,1,0\n2,2,2,0,1,0\n"));
    QVERIFY(outcome.err.contains("ended at step 2 of 4"));
  }

  // Rows of 60,000 overflow FP16 at any scale: the first two halve and meet the floor, then BF16 goes on.
  void a_trial_that_switches_says_so_everywhere() {
    CliSandbox box;
    box.write("x.csv", "x,y\n60000,1.5\n60000,1.5\n1,1.5\n1,1.5\n");
    box.write("switch.toml",
              "mantissa = 1\n[data]\npath = \"x.csv\"\norder = \"file\"\ntest = { fraction = 0 }\n[model]\nkind = "
              "\"linear\"\n[training]\nthreads = 1\nepochs = 1\nbatch = 1\nclip_norm = "
              "1.0\n[[training.optimizer]]\nkind = \"sgd\"\n"
              "lr = 0.01\n[[trial]]\nname = \"fp16\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = 16\nfloor = "
              "8\nat_floor = \"switch:bf16\"\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n[rules]\noutput = "
              "{ max = { float16 = 0, bfloat16 = 1 } }\n");
    const Outcome run = box.run({"run", "switch.toml", "--trial", "fp16", "--json"});
    const nlohmann::json trial = run.json()["trials"][0];
    QVERIFY2(trial["verdict"] == "accepted", run.out);  // by the limit of bfloat16, under which it ended
    QVERIFY2(trial["reasons"][0].get<std::string>().find("from step 3 on the trial ran under the policy of bf16") == 0,
             run.out);
    QCOMPARE(trial["policy_changes"].size(), std::size_t(1));
    QCOMPARE(trial["policy_changes"][0]["step"].get<int>(), 3);
    QCOMPARE(trial["policy_changes"][0]["policy"]["name"].get<std::string>(), std::string("bf16"));
    QVERIFY(box.run({"show", "fp16"}).out.contains("policy of bf16"));
    QVERIFY(box.run({"show", "fp16", "--json"}).json()["trial"]["policy_changes"] == trial["policy_changes"]);
    QVERIFY(box.run({"run", "switch.toml", "--trial", "fp16"}).out.contains("because: from step 3 on"));
  }

  void the_scaler_serves_several_optimizers_with_one_update() {
    CliSandbox box;
    box.write("pattern.csv", "found_inf[0],found_inf[1]\n0,1\n0,0\n");
    const Outcome outcome = box.run({"scaler", "pattern.csv", "--init-scale", "8"});
    QCOMPARE(outcome.out,
             QByteArray("step,scale_before,scale_after,growth_tracker,skipped,skipped[0],skipped[1],applied_updates,"
                        "applied_updates[0],applied_updates[1]\n1,8,4,0,1,0,1,0,1,0\n2,4,4,1,0,0,0,1,2,1\n"));
  }

  void the_archive_stands_in_the_data_folder_by_default() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    QCOMPARE(box.run_plain({"run", "small.toml", "--set", "training.steps=1", "--require", "bf16"}).exit, 0);
    QVERIFY(QFile::exists(box.path(".local/share/mantissa/mantissa.db")));
    box.set_environment("XDG_DATA_HOME", box.path("data"));
    const Outcome first = box.run_plain({"list", "--json"});
    QCOMPARE(first.exit, 0);
    QCOMPARE(first.json()["trials"].size(), std::size_t(0));
    QVERIFY(first.err.contains("holds no trials yet"));
    QCOMPARE(box.run_plain({"run", "small.toml", "--set", "training.steps=1", "--require", "bf16"}).exit, 0);
    QVERIFY(QFile::exists(box.path("data/mantissa/mantissa.db")));
  }

  void probes_change_no_bit_of_the_weights() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    box.run({"run", "small.toml", "--probes", "standard"});
    const auto with_probes = box.weights("fp16");
    box.run({"run", "small.toml", "--probes", "off"});
    QVERIFY(!with_probes.empty());
    QCOMPARE(box.weights("fp16"), with_probes);
    QVERIFY(box.table({"export", "steps", "fp16"})[0]["deviation_output_max"].isEmpty());
  }

  void a_reference_that_fails_in_its_first_step_did_not_stop_as_planned() {
    // The second row is more than the model takes. The data stands in its own order when the model is tried before the
    // run; the shuffle of the first epoch draws the second row first under some of these seeds, where no step is
    // attempted, and last under the others.
    CliSandbox box;
    box.write("x.csv", "x,y\n1,1\n99,1\n");
    box.write("choosy.toml",
              "mantissa = 1\n[data]\npath = \"x.csv\"\ntask = \"regression\"\ntest = { fraction = 0 }\n[model]\nkind = "
              "\"torchscript\"\npath = \"" MANTISSA_SOURCE_DIR
              "/tests/core/model/models/choosy.pt\"\n[training]\nthreads = 1\nsteps = 2\nbatch = 1\n[[trial]]\nname = "
              "\"bf16\"\nautocast = \"bfloat16\"\n");
    std::set<int> attempted;
    for (int seed = 1; seed <= 6; ++seed) {
      const Outcome outcome =
          box.run({"run", "choosy.toml", "--set", "training.seed=" + QString::number(seed), "--json"});
      QVERIFY2(outcome.exit == 2, outcome.err);  // the reference failed: its trial is undecided
      const nlohmann::json reference = outcome.json()["reference"];
      QCOMPARE(reference["status"].get<std::string>(), std::string("failed"));
      attempted.insert(reference["attempted"].get<int>());
    }
    QCOMPARE(attempted, (std::set<int>{0, 1}));
  }

  void memory_that_nobody_measured_is_said_to_be_unmeasured() {
    CliSandbox box;
    box.write("small.toml", small_experiment());
    const Outcome run = box.run({"run", "small.toml", "--probes", "off", "--gains", "short"});
    QVERIFY2(run.out.contains("not measured (probes off)"), run.out);
    const QByteArray page = box.run({"show", "reference"}).out;
    QVERIFY2(page.contains("peak memory") && page.contains("not measured (probes off)"), page);
    const nlohmann::json shown = box.run({"show", "reference", "--json"}).json();
    QVERIFY2(shown["trial"]["gains"]["peak_bytes"].is_null(), shown.dump(1).c_str());
    for (const auto& row : box.table({"export", "steps", "reference"})) {
      QCOMPARE(row["peak_bytes"], QString());
      QCOMPARE(row["live_bytes"], QString());
    }
  }

  void a_model_that_gives_its_loss_alone_is_evaluated_by_it() {
    CliSandbox box;
    box.write("loss.toml",
              "mantissa = 1\n[data]\nsource = \"gaussian\"\nrows = 40\nfeatures = 2\n[model]\nkind = "
              "\"torchscript\"\ninputs = [\"x\", \"targets\"]\npath = \"" MANTISSA_SOURCE_DIR
              "/tests/core/model/models/only_loss.pt\"\n[training]\nthreads = 1\nsteps = 8\nbatch = 8\nloss = "
              "\"output\"\nevaluate_every = 4\n[[trial]]\nname = \"bf16\"\nautocast = \"bfloat16\"\n");
    QVERIFY(box.run({"check", "loss.toml"}).out.contains("evaluate_every records the mean loss of the frozen cases"));
    box.run({"run", "loss.toml"});
    const nlohmann::json evaluations = box.run({"show", "bf16", "--json"}).json()["evaluations"];
    QCOMPARE(evaluations.size(), std::size_t(2));
    double sum = 0.0;
    const auto cases = box.table({"export", "cases", "bf16"});
    for (const auto& row : cases) sum += row["output[0]"].toDouble();
    QCOMPARE(evaluations[1]["step"].get<int>(), 8);
    QCOMPARE(evaluations[1]["metric"].get<std::string>(), std::string("loss"));
    QCOMPARE(evaluations[1]["value"].get<double>(), sum / static_cast<double>(cases.size()));
    QVERIFY(box.run({"show", "bf16"}).out.contains("the best"));
  }

  void doctor_reports_libraries_and_tried_operators() {
    CliSandbox box;
    const Outcome outcome = box.run({"doctor", "--json"});
    QCOMPARE(outcome.exit, 0);
    const nlohmann::json document = outcome.json();
    QVERIFY(document["environment"]["torch_version"].get<std::string>().rfind("2.11.0", 0) == 0);
    bool linear_in_fp32 = false;
    for (const nlohmann::json& tried : document["operators"]) {
      if (tried["operator"] == "linear" && tried["dtype"] == "float32")
        linear_in_fp32 = tried["forward"] && tried["backward"];
    }
    QVERIFY(linear_in_fp32);
  }
};

QTEST_APPLESS_MAIN(CliCommandTests)
#include "cli_command_tests.moc"
