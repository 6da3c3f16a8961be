// SPDX-License-Identifier: Apache-2.0
// Runs that were made elsewhere: judged from their files, and kept like any other.
#include <cmath>
#include <memory>

#include <QFile>
#include <QTest>

#include "cli_sandbox.h"
#include "schema_check.h"

namespace {

const QByteArray kReference =
    "case,output[0],output[1],target,kind,slice\n"
    "a,1.0000,1.0003,1,boundary,x\n"
    "b,2,1,0,ordinary,x\n"
    "c,0,4,1,ordinary,y\n";

// In another order; a decides otherwise, and c is off by 0.01.
const QByteArray kTrial =
    "case,output[0],output[1],output_same_weights[0],output_same_weights[1]\n"
    "c,0,4.01,0,4.001\n"
    "a,1.0003,1.0000,1.0001,1.0002\n"
    "b,2,1,2,1\n";

const QByteArray kSteps =
    "step,loss,skipped,grad_norm,weight_change\n"
    "1,2.5,0,1,0.1\n"
    "2,2.25,1,NaN,0\n"
    "3,2.25,1,Infinity,0\n"
    "4,2.0,0,1,0.1\n";

const QByteArray kRules =
    "mantissa = 1\n[rules]\n"
    "output = { of = \"trained\", measure = \"abs\", reduce = \"max\", max = 0.02 }\n"
    "flips = { of = \"trained\", max = 1 }\nquality = { min = 0.6 }\n";

}  // namespace

class CliForeignTests : public QObject {
  Q_OBJECT

  std::unique_ptr<CliSandbox> box_;

  Outcome judge(const QStringList& more = {}) const {
    return box_->run(QStringList{"judge", "--reference", "R.csv", "--trial", "T.csv", "--rules", "F.toml", "--json"} +
                     more);
  }

  static nlohmann::json rule(const nlohmann::json& document, const std::string& name) {
    for (const nlohmann::json& one : document["judgement"]["rules"]) {
      if (one["name"] == name) return one;
    }
    return nullptr;
  }

  static bool has_reason(const nlohmann::json& document, const char* text) {
    return QByteArray::fromStdString(document["judgement"]["reasons"].dump()).contains(text);
  }

  /// Exit code 3, a message with all of these texts, and nothing in the archive.
  void is_refused(const Outcome& outcome, const QList<QByteArray>& texts) const {
    QCOMPARE(outcome.exit, 3);
    for (const QByteArray& text : texts) {
      QVERIFY2(outcome.err.contains(text), "expected \"" + text + "\" in: " + outcome.err);
    }
    QVERIFY(!QFile::exists(box_->archive()));
  }

 private Q_SLOTS:
  void init() {
    box_ = std::make_unique<CliSandbox>();
    box_->write("R.csv", kReference);
    box_->write("T.csv", kTrial);
    box_->write("S.csv", kSteps);
    box_->write("F.toml", kRules);
  }

  void cases_are_joined_by_their_ids_and_judged() {
    const Outcome outcome = judge();
    QVERIFY2(outcome.exit == 0, outcome.out + outcome.err);
    const nlohmann::json document = outcome.json();
    QCOMPARE(document["judgement"]["verdict"].get<std::string>(), std::string("accepted"));
    // c: |4.01 - 4| = 0.01 is the largest; a: 0.0003
    QVERIFY(std::abs(rule(document, "output")["value"].get<double>() - 0.01) < 1e-12);
    QCOMPARE(rule(document, "flips")["value"].get<double>(), 1.0);          // a: class 1 -> class 0
    QCOMPARE(rule(document, "quality")["value"].get<double>(), 2.0 / 3.0);  // b and c are right
    QCOMPARE(document["judgement"]["scope"]["device"].get<std::string>(), std::string("foreign"));
    QVERIFY(has_reason(document, "nothing is known of losses, gradients and weights, buffers and optimizer state"));
    QVERIFY(outcome.err.contains("classification by arg-max"));
    const std::vector<std::string> problems = schema_problems(read_schema("judge"), document);
    for (const std::string& problem : problems) qWarning("%s", problem.c_str());
    QVERIFY(problems.empty());
  }

  void it_stands_in_the_archive_as_any_other_trial() {
    QCOMPARE(judge({"--steps", "S.csv", "--name", "amp", "--device", "cuda", "--autocast", "float16"}).exit, 0);
    const nlohmann::json trials = box_->run({"list", "--json"}).json()["trials"];
    QCOMPARE(trials.size(), std::size_t{2});
    QCOMPARE(trials[0]["kind"].get<std::string>(), std::string("reference"));
    QCOMPARE(trials[1]["kind"].get<std::string>(), std::string("foreign"));
    QCOMPARE(trials[1]["name"].get<std::string>(), std::string("amp"));
    QVERIFY(trials[1]["reference"] == trials[0]["id"]);
    QCOMPARE(trials[1]["device"].get<std::string>(), std::string("cuda"));
    QCOMPARE(trials[1]["attempted"].get<int>(), 4);
    QCOMPARE(trials[1]["applied"].get<int>(), 2);
    QCOMPARE(trials[1]["skipped"].get<int>(), 2);
    QCOMPARE(trials[1]["quality"].get<double>(), 2.0 / 3.0);
    QCOMPARE(trials[1]["quality_reference"].get<double>(), 1.0);
    for (const char* const name : {"amp", "reference"}) {
      const Outcome shown = box_->run({"show", name, "--json"});
      QVERIFY(schema_problems(read_schema("show"), shown.json()).empty());
      QCOMPARE(box_->run({"show", name}).exit, 0);
    }
    const auto cases = box_->table({"export", "cases", "amp"});
    QCOMPARE(cases.size(), std::size_t{3});
    QCOMPARE(cases[0]["case"], QStringLiteral("a"));
    QCOMPARE(cases[0]["kind"], QStringLiteral("boundary"));
    QCOMPARE(cases[0]["output[0]"], QStringLiteral("1.0003"));
    QCOMPARE(cases[0]["flip"], QStringLiteral("1"));
    QCOMPARE(cases[0]["flip_same_weights"], QStringLiteral("0"));
    const auto steps = box_->table({"export", "steps", "amp"});
    QCOMPARE(steps.size(), std::size_t{4});
    QCOMPARE(steps[1]["grad_norm"], QStringLiteral("NaN"));
    QCOMPARE(steps[3]["applied_updates"], QStringLiteral("2"));
    QCOMPARE(box_->run({"export", "experiment", "amp"}).out, kRules);
  }

  void it_is_judged_again_by_its_own_rules_and_by_others() {
    QCOMPARE(judge({"--name", "amp"}).exit, 0);
    const nlohmann::json again = box_->run({"judge", "amp", "--json"}).json();
    QCOMPARE(again["judgement"]["post_hoc"].get<bool>(), false);
    QVERIFY(again["judgement"]["rules"] == again["of_run"]["rules"]);
    box_->write("strict.toml", "mantissa = 1\n[rules]\nflips = { of = \"trained\", max = 0 }\n");
    const Outcome strict = box_->run({"judge", "amp", "--rules", "strict.toml", "--json"});
    QCOMPARE(strict.exit, 1);
    QCOMPARE(strict.json()["judgement"]["post_hoc"].get<bool>(), true);
    QCOMPARE(strict.json()["of_run"]["verdict"].get<std::string>(), std::string("accepted"));
    QVERIFY(box_->run({"judge", "amp", "--rules", "strict.toml"}).out.contains("given with its files"));
    QVERIFY(box_->run({"resume", "amp"}).err.contains("was not trained here"));
  }

  void steps_give_counts_skips_and_losses() {
    box_->write("F.toml",
                "mantissa = 1\n[rules]\nprogress = { min_applied_fraction = 0.6, max_consecutive_skips = 2 }\n");
    const nlohmann::json document = judge({"--steps", "S.csv"}).json();
    QCOMPARE(rule(document, "progress.min_applied_fraction")["value"].get<double>(), 0.5);  // 2 of 4
    QCOMPARE(rule(document, "progress.min_applied_fraction")["verdict"].get<std::string>(), std::string("rejected"));
    QCOMPARE(rule(document, "progress.max_consecutive_skips")["value"].get<double>(), 2.0);  // steps 2 and 3
    QVERIFY(has_reason(document, "nothing is known of buffers and optimizer state"));
    box_->write("S.csv", "loss,applied_updates\n1,1\nInfinity,1\n1,2\n");
    const nlohmann::json lost = judge({"--steps", "S.csv"}).json();
    QCOMPARE(rule(lost, "progress.min_applied_fraction")["value"].get<double>(), 2.0 / 3.0);
    QCOMPARE(rule(lost, "non_finite")["verdict"].get<std::string>(), std::string("rejected"));
    QVERIFY(has_reason(lost, "the loss is non-finite at step 2"));
  }

  void an_applied_update_with_non_finite_gradients_is_rejected() {
    box_->write("S.csv", "step,loss,skipped,grad_norm\n1,1,0,1\n2,1,0,NaN\n");
    const Outcome outcome = judge({"--steps", "S.csv"});
    QCOMPARE(outcome.exit, 1);
    QVERIFY(has_reason(outcome.json(), "gradients that step 2 applied"));
  }

  void what_is_no_number_in_an_applied_step_is_rejected_data() {
    QTest::addColumn<QByteArray>("steps");
    QTest::addColumn<QByteArray>("reason");
    const auto row = [](const char* name, const QByteArray& steps, const char* reason) {
      QTest::newRow(name) << steps << QByteArray(reason);
    };
    row("scaled norm", "skipped,grad_norm_scaled\n0,1\n0,inf\n", "gradients that step 2 applied (grad_norm_scaled)");
    row("clipped norm", "skipped,grad_norm_clipped\n0,NaN\n", "gradients that step 1 applied (grad_norm_clipped)");
    row("norm of one optimizer", "skipped,grad_norm[0],grad_norm[1]\n0,1,NaN\n",
        "gradients that step 1 applied (grad_norm[1])");
    row("norm of the one that applied", "skipped[0],skipped[1],grad_norm[0],grad_norm[1]\n1,0,NaN,inf\n",
        "gradients that step 1 applied (grad_norm[1])");
    row("rate", "skipped,lr\n0,NaN\n", "lr of step 1");
    row("rate of one optimizer", "skipped,lr[0]\n0,inf\n", "lr[0] of step 1");
    row("scale", "skipped,scale_before\n0,NaN\n", "scale_before of step 1");
    row("deviation", "skipped,deviation_loss\n0,NaN\n", "deviation_loss of step 1");
    row("shadow", "skipped,shadow_output_max\n0,Infinity\n", "shadow_output_max of step 1");
    row("weights before a skip", "skipped,skip_cause\n1,weights\n", "weights before step 1");
    row("loss of a skip", "skipped,skip_cause\n0,\n1,loss\n", "the loss is non-finite at step 2");
  }

  void what_is_no_number_in_an_applied_step_is_rejected() {
    QFETCH(QByteArray, steps);
    QFETCH(QByteArray, reason);
    box_->write("S.csv", steps);
    const Outcome outcome = judge({"--steps", "S.csv"});
    QVERIFY2(outcome.exit == 1, outcome.out + outcome.err);
    QVERIFY2(has_reason(outcome.json(), reason.constData()), outcome.out);
  }

  void gradients_of_skipped_steps_may_be_no_numbers() {
    box_->write("S.csv",
                "skipped,skipped[0],skipped[1],grad_norm,grad_norm[0],grad_norm[1]\n"
                "1,1,0,NaN,NaN,1\n0,0,0,1,1,1\n");
    const Outcome outcome = judge({"--steps", "S.csv"});
    QVERIFY2(outcome.exit == 0, outcome.out + outcome.err);
  }

  void a_run_that_never_learned_is_rejected_data() {
    QTest::addColumn<QByteArray>("steps");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("no gradient") << QByteArray("skipped,grad_norm\n0,0\n0,0\n")
                                 << QByteArray("every gradient of 2 attempted steps was zero");
    QTest::newRow("no gradient of any optimizer") << QByteArray("skipped,grad_norm[0],grad_norm[1]\n0,0,0\n")
                                                  << QByteArray("every gradient of 1 attempted step was zero");
    QTest::newRow("no change") << QByteArray("skipped,weight_change\n0,0\n0,0\n")
                               << QByteArray("weights did not change in 2 applied updates");
    QTest::newRow("rate of 0") << QByteArray("skipped,lr\n0,0\n0,0\n")
                               << QByteArray("weights did not change in 2 applied updates");
    QTest::newRow("nothing but skips") << QByteArray("skipped\n1\n1\n")
                                       << QByteArray("weights did not change in 2 attempted steps");
    QTest::newRow("two of three") << QByteArray("skipped,grad_norm\n0,0\n0,1\n0,0\n")
                                  << QByteArray(
                                         "gradients were exactly zero in 2 of 3 attempted steps: they underflow");
  }

  void a_run_that_never_learned_is_rejected() {
    QFETCH(QByteArray, steps);
    QFETCH(QByteArray, reason);
    box_->write("S.csv", steps);
    const Outcome outcome = judge({"--steps", "S.csv"});
    QVERIFY2(outcome.exit == 1, outcome.out + outcome.err);
    QVERIFY2(has_reason(outcome.json(), reason.constData()), outcome.out);
    QCOMPARE(rule(outcome.json(), "progress.underflow")["verdict"].get<std::string>(), std::string("rejected"));
    // What was kept judges the same once more.
    QVERIFY(box_->run({"judge", "last", "--json"}).json()["judgement"]["reasons"] ==
            outcome.json()["judgement"]["reasons"]);
  }

  void movement_is_judged_where_a_column_tells_of_it() {
    const nlohmann::json moves = judge({"--steps", "S.csv"}).json();
    QCOMPARE(rule(moves, "progress.underflow")["reason"].get<std::string>(), std::string("gradients and weights move"));
    box_->write("S.csv", "skipped,loss\n0,1\n");
    const nlohmann::json silent = judge({"--steps", "S.csv"}).json();
    QVERIFY(rule(silent, "progress.underflow").is_null());
    QCOMPARE(silent["judgement"]["verdict"].get<std::string>(), std::string("accepted"));
    QVERIFY(has_reason(silent, "nothing is known of gradients and weights"));
  }

  void a_scale_that_was_too_small_ends_the_trial() {
    for (const QByteArray steps : {"skipped,loss,skip_cause\n0,0.5,\n1,0.5,scale-too-small\n",
                                   "skipped,loss,skip_cause\n1,0.5,scale-too-small\n0,0.5,\n",
                                   "skipped,skip_cause[0],skip_cause[1]\n1,,scale-too-small\n"}) {
      box_->write("S.csv", steps);
      const Outcome outcome = judge({"--steps", "S.csv", "--name", "amp"});
      QVERIFY2(outcome.exit == 1, outcome.out + outcome.err);
      QCOMPARE(rule(outcome.json(), "run")["verdict"].get<std::string>(), std::string("rejected"));
      QVERIFY(has_reason(outcome.json(), "scale-too-small"));
      const nlohmann::json trials = box_->run({"list", "--json"}).json()["trials"];
      QCOMPARE(trials.back()["status"].get<std::string>(), std::string("failed"));
    }
  }

  void empty_cells_between_values_are_undecided_data() {
    QTest::addColumn<QByteArray>("steps");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("loss") << QByteArray("skipped,loss\n0,1\n0,\n0,\n0,1\n")
                          << QByteArray("loss is empty in 2 of 4 steps, first at step 2 (S.csv, line 3)");
    QTest::newRow("every loss") << QByteArray("skipped,loss\n0,\n0,\n")
                                << QByteArray("loss is empty in 2 of 2 steps, first at step 1 (S.csv, line 2)");
    QTest::newRow("norm") << QByteArray("skipped,grad_norm\n0,1\n0,\n0,\n")
                          << QByteArray("grad_norm is empty in 2 of 3 steps, first at step 2");
    QTest::newRow("norm of one") << QByteArray("skipped,grad_norm[0],grad_norm[1]\n0,1,1\n0,1,\n")
                                 << QByteArray("grad_norm[1] is empty in 1 of 2 steps, first at step 2");
    QTest::newRow("last change") << QByteArray("skipped,weight_change\n0,1\n0,\n")
                                 << QByteArray("weight_change is empty in 1 of 2 steps, first at step 2");
  }

  void empty_cells_between_values_are_undecided() {
    QFETCH(QByteArray, steps);
    QFETCH(QByteArray, reason);
    box_->write("S.csv", steps);
    const Outcome outcome = judge({"--steps", "S.csv"});
    QVERIFY2(outcome.exit == 2, outcome.out + outcome.err);
    QVERIFY2(has_reason(outcome.json(), reason.constData()), outcome.out);
    QCOMPARE(rule(outcome.json(), "non_finite")["verdict"].get<std::string>(), std::string("undecided"));
    QVERIFY(box_->run({"judge", "last", "--json"}).json()["judgement"]["reasons"] ==
            outcome.json()["judgement"]["reasons"]);
  }

  void what_was_not_measured_leaves_cells_empty() {
    box_->write("S.csv",  // no norm of a skipped step, a change every second step and in the last, no shadow at all
                "skipped,loss,grad_norm,weight_change,shadow_loss\n0,1,1,,\n1,1,,0,\n0,1,1,1,\n");
    const Outcome outcome = judge({"--steps", "S.csv"});
    QVERIFY2(outcome.exit == 0, outcome.out + outcome.err);
  }

  void outputs_that_are_no_probabilities_are_refused_with_the_line_data() {
    QTest::addColumn<QByteArray>("loss");
    QTest::addColumn<QByteArray>("reference");
    QTest::addColumn<QByteArray>("trial");
    QTest::addColumn<QList<QByteArray>>("texts");
    const auto row = [](const char* name, const char* loss, const char* reference, const char* trial,
                        const QList<QByteArray>& texts) {
      QTest::newRow(name) << QByteArray(loss) << QByteArray(reference) << QByteArray(trial) << texts;
    };
    row("trial", "bce", "case,output\na,0.9\nb,0.9\n", "case,output\nb,7\na,0.9\n",
        {"T.csv, line 2", "case b", "7", "from 0 to 1"});
    row("reference", "bce", "case,output\na,0.9\nb,-3\n", "case,output\na,0\nb,1\n", {"R.csv, line 3", "-3"});
    row("same weights", "bce", "case,output\na,0\n", "case,output,output_same_weights\na,1,1.5\n",
        {"T.csv, line 2", "output_same_weights[0]", "1.5"});
    row("nll", "nll", "case,output[0],output[1]\na,-0.1,-2.3\n", "case,output[0],output[1]\na,-2.3,50\n",
        {"T.csv, line 2", "output[1]", "50", "at most 0"});
  }

  void outputs_that_are_no_probabilities_are_refused_with_the_line() {
    QFETCH(QByteArray, loss);
    QFETCH(QByteArray, reference);
    QFETCH(QByteArray, trial);
    QFETCH(QList<QByteArray>, texts);
    box_->write("R.csv", reference);
    box_->write("T.csv", trial);
    box_->write("F.toml", "mantissa = 1\n[training]\nloss = \"" + loss + "\"\n[rules]\nflips = { max = 0 }\n");
    is_refused(judge(), texts);
  }

  void nothing_is_claimed_that_nobody_told() {
    const nlohmann::json told = judge({"--device", "cuda", "--autocast", "float16"}).json();
    QCOMPARE(told["judgement"]["scope"]["cast_policy"].get<std::string>(), std::string("unknown"));
    QVERIFY(has_reason(told, "nothing shows that they were fixed before its first step"));
    const nlohmann::json trials = box_->run({"list", "--json"}).json()["trials"];
    QCOMPARE(trials[0]["autocast"].get<std::string>(), std::string("unknown"));
    QVERIFY(box_->run({"show", "last"}).out.contains("nothing shows that they were fixed before its first step"));
    QVERIFY(box_->run({"show", "last"}).out.contains("casts not known"));
  }

  void looser_rules_name_what_stricter_ones_found() {
    box_->write("strict.toml", "mantissa = 1\n[rules]\nflips = { of = \"trained\", max = 0 }\n");
    const Outcome strict =
        box_->run({"judge", "--reference", "R.csv", "--trial", "T.csv", "--rules", "strict.toml", "--name", "first"});
    QCOMPARE(strict.exit, 1);
    QVERIFY(!strict.out.contains("judged before"));
    box_->write("T2.csv", QByteArray(kTrial).replace("4.01", "4.010"));  // the same numbers in another file
    const Outcome loose = box_->run(
        {"judge", "--reference", "R.csv", "--trial", "T2.csv", "--rules", "F.toml", "--name", "second", "--json"});
    QCOMPARE(loose.exit, 0);
    QVERIFY2(has_reason(loose.json(), "the same outputs were judged before: trial 2 (first) rejected by the rules "),
             loose.out);
    QVERIFY(box_->run({"show", "second"}).out.contains("trial 2 (first) rejected"));
    QVERIFY(box_->run({"judge", "second", "--json"}).json()["judgement"]["reasons"] ==
            loose.json()["judgement"]["reasons"]);
    box_->write("T3.csv", QByteArray(kTrial).replace("4.01", "4.02"));
    const Outcome other = box_->run({"judge", "--reference", "R.csv", "--trial", "T3.csv", "--rules", "F.toml"});
    QCOMPARE(other.exit, 0);  // 4.02 - 4 is still within 0.02
    QVERIFY(!other.out.contains("judged before"));
  }

  void what_the_files_lack_is_undecided_and_named() {
    box_->write("T.csv", "case,output[0],output[1]\na,1,1.0003\nb,2,1\nc,0,4\n");
    box_->write("F.toml", "mantissa = 1\n[rules]\noutput = { measure = \"abs\", reduce = \"max\", max = 0.02 }\n");
    const Outcome no_same_weights = judge();
    QCOMPARE(no_same_weights.exit, 2);
    QVERIFY(has_reason(no_same_weights.json(), "output_same_weights[i] is missing in 3 of 3 cases"));
    box_->write("F.toml", "mantissa = 1\n[rules]\nprogress = { max_consecutive_skips = 1 }\n");
    const Outcome no_steps = judge();
    QCOMPARE(no_steps.exit, 2);
    QVERIFY(has_reason(no_steps.json(), "--steps"));
    box_->write("F.toml", "mantissa = 1\n[rules]\noutput = { of = \"trained\", max = { float16 = 0.1 } }\n");
    QCOMPARE(judge().exit, 2);  // no limit for a precision that is not known
    QCOMPARE(judge({"--autocast", "float16"}).exit, 0);
    box_->write("F.toml", kRules + "target = \"cuda\"\n");
    QCOMPARE(judge().exit, 2);
    QCOMPARE(judge({"--device", "cuda:1"}).exit, 0);
  }

  void non_finite_outputs_are_values() {
    box_->write("T.csv", "case,output[0],output[1]\na,NaN,1.0003\nb,2,-Infinity\nc,0,4\n");
    const Outcome outcome = judge();
    QCOMPARE(outcome.exit, 1);
    QVERIFY(has_reason(outcome.json(), "non-finite in 2 of 3 cases: a and b"));
    box_->write("R.csv", "case,output[0],output[1]\na,inf,1.0003\nb,2,1\nc,0,4\n");
    box_->write("F.toml", "mantissa = 1\n[rules]\noutput = { of = \"trained\", max = 1 }\n");
    const Outcome unfit = judge();
    QCOMPARE(unfit.exit, 2);
    QVERIFY(has_reason(unfit.json(), "the reference itself is non-finite"));
  }

  void the_rules_file_tells_task_and_decision() {
    box_->write("R.csv", "case,output[0],target\na,0.4,0\nb,0.6,1\n");
    box_->write("T.csv", "case,output[0]\na,0.45\nb,0.49\n");
    box_->write("F.toml", "mantissa = 1\n[rules]\nquality = { max_drop = 1 }\n");
    const nlohmann::json regression = judge().json();
    // sqrt((0.45^2 + 0.51^2) / 2)
    QVERIFY(std::abs(rule(regression, "quality")["value"].get<double>() - 0.480936586256442) < 1e-12);
    box_->write("F.toml",
                "mantissa = 1\n[data]\ntask = \"classification\"\n[training]\nloss = \"bce\"\n[rules]\nquality = { "
                "max_drop = 1 }\nflips = { of = \"trained\", max = 1 }\n");
    const nlohmann::json binary = judge().json();
    QCOMPARE(rule(binary, "quality")["value"].get<double>(), 0.5);  // 0.49 < 0.5: b is wrong
    QCOMPARE(rule(binary, "flips")["value"].get<double>(), 1.0);
  }

  void files_that_do_not_fit_are_refused_with_the_line_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QList<QByteArray>>("texts");
    const auto row = [](const char* name, const char* file, const QByteArray& bytes, const QList<QByteArray>& texts) {
      QTest::newRow(name) << QString(file) << bytes << texts;
    };
    row("double", "R.csv", kReference + "b,1,1,0,ordinary,x\n", {"R.csv, line 5", "a case twice", "'b'", "line 3"});
    row("double in trial", "T.csv", kTrial + "b,1,1,1,1\n", {"T.csv, line 5", "a case twice", "line 4"});
    row("unknown", "T.csv", kTrial + "d,1,1,1,1\n", {"T.csv, line 5", "an unknown case", "'d'"});
    row("missing", "T.csv", kTrial.left(kTrial.lastIndexOf("b,")), {"T.csv", "a case is missing", "'b'"});
    row("width", "T.csv", "case,output[0]\na,1\nb,1\nc,1\n", {"T.csv, line 1", "another width", "2, as"});
    row("gap", "T.csv", "case,output[0],output[2]\na,1,1\n", {"T.csv, line 1", "output[1]"});
    row("text", "T.csv", "case,output[0],output[1]\na,1,n/a\n", {"T.csv, line 2", "output[1]", "'n/a'", "a number"});
    row("too large", "T.csv", "case,output[0],output[1]\na,1,1e999\n", {"T.csv, line 2", "1e999"});
    row("empty", "R.csv", "", {"R.csv", "the file is empty"});
    row("header alone", "R.csv", "case,output[0]\n", {"R.csv", "no case"});
    row("no header", "R.csv", "1,2\n3,4\n", {"R.csv, line 1", "no header"});
    row("no id", "R.csv", "id,output[0]\na,1\n", {"R.csv, line 1", "'id'"});
    row("typing slip", "R.csv", "case,outptu[0]\na,1\n", {"R.csv, line 1", "'outptu[0]'", "Did you mean output?"});
    row("kind", "R.csv", "case,output[0],kind\na,1,strange\n", {"R.csv, line 2", "'strange'", "boundary"});
    row("target", "R.csv", "case,output[0],target\na,1,NaN\n", {"R.csv, line 2", "'NaN'"});
    row("another target", "T.csv", "case,output[0],output[1],target\na,1,1,0\n", {"T.csv, line 2", "another target"});
    row("no rules", "F.toml", "mantissa = 1\n", {"F.toml", "no rules in the file"});
    row("no class", "F.toml", "mantissa = 1\n[data]\ntask = \"classification\"\n[rules]\nflips = { max = 0 }\n", {});
    row("step twice", "S.csv", "step,loss\n1,1\n1,1\n", {"S.csv, line 3", "a step twice", "step 2"});
    row("step left out", "S.csv", "step,loss\n1,1\n3,1\n", {"S.csv, line 3", "a step is missing"});
    row("skip denied", "S.csv", "skipped,applied_updates\n0,1\n1,2\n", {"S.csv, line 3", "skipped step"});
    row("unknown step column", "S.csv", "step,skiped\n1,0\n", {"S.csv, line 1", "Did you mean skipped?"});
    row("skip of one", "S.csv", "skipped,skipped[0]\n0,0\n0,1\n",
        {"S.csv, line 3", "skipped[0]", "'1'", "skipped is 0"});
    row("skip of none", "S.csv", "skipped,skipped[0]\n1,0\n", {"S.csv, line 2", "'1'", "skipped[0] has '0'"});
    row("one never applies", "S.csv", "applied_updates,applied_updates[0],applied_updates[1]\n1,1,0\n",
        {"S.csv, line 2", "applied_updates[1]", "'0'", "applied_updates is 1"});
    row("jump of one", "S.csv", "skipped,applied_updates[0]\n0,2\n", {"S.csv, line 2", "'2'", "0 or 1"});
    row("cause without skip", "S.csv", "skipped,skip_cause\n0,overflow\n",
        {"S.csv, line 2", "skip_cause", "'overflow'", "skipped is 0"});
    row("parameter without skip", "S.csv", "applied_updates,overflow_parameter\n1,w\n",
        {"S.csv, line 2", "overflow_parameter", "'w'", "applied_updates is 1"});
    row("cause of one without skip", "S.csv", "skipped,skipped[0],skip_cause[0]\n0,0,overflow\n",
        {"S.csv, line 2", "skip_cause[0]", "skipped[0] has '0'"});
    row("cause of nobody", "S.csv", "skipped,skip_cause,skip_cause[0]\n1,overflow,growth-probe\n",
        {"S.csv, line 2", "'overflow'", "'growth-probe'"});
    row("finite loss refused", "S.csv", "skipped,loss,skip_cause\n1,0.5,loss\n", {"S.csv, line 2", "'loss'", "0.5"});
    row("two rates", "S.csv", "lr,lr[0]\n0.1,0.2\n", {"S.csv, line 2", "'0.1'", "'0.2'"});
    row("clipping denied", "S.csv", "clipped,clipped[0]\n0,1\n", {"S.csv, line 2", "'0'", "one of them is 1"});
    row("scale of 0", "S.csv", "skipped,scale_before\n0,0\n", {"S.csv, line 2", "scale_before", "'0'", "above 0"});
    row("norm below 0", "S.csv", "grad_norm\n-1\n", {"S.csv, line 2", "'-1'", "at least 0"});
    row("index without a first", "S.csv", "skipped,lr[1]\n0,NaN\n", {"S.csv, line 1", "'lr[1]'", "from [0]"});
    row("index of no optimizer", "S.csv", "skipped,loss[0]\n0,NaN\n", {"S.csv, line 1", "'loss[0]'"});
    row("flag", "S.csv", "skipped\nmaybe\n", {"S.csv, line 2", "'maybe'", "1 or 0"});
  }

  void files_that_do_not_fit_are_refused_with_the_line() {
    QFETCH(QString, file);
    QFETCH(QByteArray, bytes);
    QFETCH(QList<QByteArray>, texts);
    box_->write(file, bytes);
    if (texts.isEmpty()) {  // a target beyond the classes
      box_->write("R.csv", "case,output[0],output[1],target\na,1,2,0\nb,1,2,2\nc,1,2,1\n");
      texts = {"R.csv, line 3", "target", "2", "an integer from 0 to 1"};
    }
    is_refused(judge({"--steps", "S.csv"}), texts);
  }

  void a_line_that_is_no_judgement_is_refused() {
    QVERIFY(box_->run({"judge"}).err.contains("nothing to judge"));
    QVERIFY(box_->run({"judge", "last", "--reference", "R.csv"}).err.contains("a TRIAL beside files"));
    QVERIFY(box_->run({"judge", "--reference", "R.csv", "--trial", "T.csv"}).err.contains("--rules"));
    QVERIFY(box_->run({"judge", "--trial", "T.csv"}).err.contains("--reference"));
    is_refused(judge({"--name", "a/b"}), {"--name", "a/b"});
  }
};

QTEST_GUILESS_MAIN(CliForeignTests)
#include "cli_foreign_tests.moc"
