// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "app/cli/exit_code.h"
#include "app/cli/pattern_file.h"
#include "app/cli/progress.h"
#include "core/report/tables.h"

using namespace mantissa;

class CliPartsTests : public QObject {
  Q_OBJECT

  static record::TrialRow trial(const std::string& name, record::VerdictWord word) {
    record::TrialRow row;
    row.start.name = name;
    row.end.verdict = record::Verdict{};
    row.end.verdict->word = word;
    return row;
  }

  static record::RunSummary summary_of(std::vector<record::TrialRow> trials) {
    record::RunSummary summary;
    summary.trials = std::move(trials);
    return summary;
  }

  static ErrorFacts facts_of(const std::string& pattern) {
    try {
      cli::parse_pattern(pattern, "p.csv");
    } catch (const Error& error) {
      return error.facts();
    }
    return {};
  }

  const record::TrialRow accepted_ = trial("a", record::VerdictWord::Accepted);
  const record::TrialRow rejected_ = trial("r", record::VerdictWord::Rejected);
  const record::TrialRow undecided_ = trial("u", record::VerdictWord::Undecided);

 private Q_SLOTS:
  void the_worst_trial_decides_the_exit_code() {
    QCOMPARE(cli::exit_code_of(summary_of({accepted_}), {}), 0);
    QCOMPARE(cli::exit_code_of(summary_of({accepted_, undecided_}), {}), 2);
    QCOMPARE(cli::exit_code_of(summary_of({undecided_, rejected_, accepted_}), {}), 1);
  }

  void required_trials_alone_decide_the_exit_code() {
    QCOMPARE(cli::exit_code_of(summary_of({accepted_, rejected_}), {"a"}), 0);
    QCOMPARE(cli::exit_code_of(summary_of({accepted_, rejected_, undecided_}), {"a", "u"}), 2);
  }

  void a_failed_trial_counts_as_its_verdict_says() {
    record::TrialRow failed = rejected_;
    failed.end.status = record::Status::Failed;
    QCOMPARE(cli::exit_code_of(summary_of({accepted_, failed}), {}), 1);
    failed.end.verdict->word = record::VerdictWord::Undecided;  // its reference failed, too
    QCOMPARE(cli::exit_code_of(summary_of({accepted_, failed}), {}), 2);
    failed.end.verdict.reset();
    QCOMPARE(cli::exit_code_of(summary_of({accepted_, failed}), {}), 1);
  }

  void a_run_without_trials_is_done() {
    QCOMPARE(cli::exit_code_of(summary_of({}), {}), 0);
    record::RunSummary failed;
    failed.reference.end.status = record::Status::Failed;
    QCOMPARE(cli::exit_code_of(failed, {}), 1);
  }

  void a_run_that_the_user_stopped_is_130_before_anything_else() {
    record::RunSummary summary = summary_of({rejected_});
    summary.reference.end.status = record::Status::Stopped;
    QCOMPARE(cli::exit_code_of(summary, {}), 130);
  }

  void a_trial_that_stopped_with_its_failed_reference_is_undecided() {
    record::TrialRow stopped = undecided_;
    stopped.end.status = record::Status::Stopped;
    record::RunSummary summary = summary_of({stopped});
    summary.reference.end.status = record::Status::Failed;
    QCOMPARE(cli::exit_code_of(summary, {}), 2);
  }

  void what_was_given_wrong_is_3_and_a_failing_machine_4() {
    QCOMPARE(cli::exit_code_of(ErrorKind::InvalidSetting), 3);
    QCOMPARE(cli::exit_code_of(ErrorKind::NotYetAvailable), 3);
    QCOMPARE(cli::exit_code_of(ErrorKind::ArchiveDamaged), 3);
    QCOMPARE(cli::exit_code_of(ErrorKind::ArchiveNewer), 3);
    QCOMPARE(cli::exit_code_of(ErrorKind::ArchiveReadOnly), 3);
    QCOMPARE(cli::exit_code_of(ErrorKind::ArchiveLocked), 4);
    QCOMPARE(cli::exit_code_of(ErrorKind::DiskFull), 4);
    QCOMPARE(cli::exit_code_of(ErrorKind::OutOfMemory), 4);
    QCOMPARE(cli::exit_code_of(ErrorKind::DeviceProblem), 4);
  }

  void a_progress_bar_keeps_scale_and_skips_on_a_narrow_terminal() {
    session::Progress progress;
    progress.step = 1204;
    progress.steps = 2000;
    progress.remaining_seconds = 12.0;
    progress.loss_reference = 0.12034;
    progress.arms = {{"fp16", 0.5678, 65536.0, 12, false}, {"bf16", 0.0, 0.0, 0, true}};
    const std::string wide = cli::progress_bar(progress, 120);
    // 24 · 1204 / 2000 = 14 of 24 places are filled.
    QCOMPARE(wide, std::string("━━━━━━━━━━━━━━────────── 1,204/2,000 60 %  ETA 12 s  loss 0.1203  fp16 0.5678 2^16 12 "
                               "skipped  bf16 failed"));
    const std::string narrow = cli::progress_bar(progress, 85);
    QVERIFY(report::display_width(narrow) <= 85);
    QVERIFY(narrow.find("fp16 2^16 12 skipped  bf16 failed") != std::string::npos);
    QCOMPARE(report::display_width(cli::progress_bar(progress, 30)), std::size_t(30));
  }

  void a_progress_bar_of_many_arms_names_the_first_and_counts_the_rest() {
    session::Progress progress;
    progress.step = 50;
    progress.steps = 100;
    progress.remaining_seconds = 12.0;
    progress.loss_reference = 0.5;
    progress.arms = {{"fp16", 0.5, 65536.0, 2, false}, {"bf16", 0.5, 0.0, 0, false}};
    for (int i = 1; i <= 4; ++i) progress.arms.push_back({"repeat-" + std::to_string(i), 0.5, 0.0, 0, false});
    // " 50/100 50 %  ETA 12 s  loss 0.5" has 32 columns, "  fp16 2^16 2 skipped" 21, "  bf16" 6, "  and 4 more" 12: 71,
    // and 6 of the shortest bar.
    QCOMPARE(cli::progress_bar(progress, 77),
             std::string("━━━─── 50/100 50 %  ETA 12 s  loss 0.5  fp16 2^16 2 skipped  bf16  and 4 more"));
    QCOMPARE(cli::progress_bar(progress, 76),
             std::string("━━━━━────── 50/100 50 %  ETA 12 s  loss 0.5  fp16 2^16 2 skipped  and 5 more"));
    for (int columns = 1; columns < 140; ++columns) {
      QVERIFY(report::display_width(cli::progress_bar(progress, columns)) <= std::size_t(columns));
    }
    const std::string wide = cli::progress_bar(progress, 139);
    QVERIFY2(wide.find("more") == std::string::npos && wide.find("repeat-4 0.5") != std::string::npos, wide.c_str());
  }

  void a_progress_line_is_a_sentence() {
    session::Progress progress;
    progress.step = 100;
    progress.steps = 200;
    progress.remaining_seconds = 65.0;
    progress.loss_reference = 1.5;
    progress.arms = {{"fp16", 1.25, 1024.0, 1, false}};
    QCOMPARE(cli::progress_line(progress),
             std::string("step 100 of 200 (50 %), loss 1.5; fp16: loss 1.25, scale 2^10, 1 of 100 steps skipped (1 %); "
                         "1 min 05 s left"));
  }

  void a_pattern_of_one_optimizer_is_read() {
    const cli::Pattern pattern = cli::parse_pattern("step,found_inf\r\n1,0\r\n2,TRUE\r\n3,1.0\r\n\r\n", "p.csv");
    QVERIFY(!pattern.indexed);
    QCOMPARE(pattern.found_inf, (std::vector<std::vector<bool>>{{false}, {true}, {true}}));
  }

  void columns_of_several_optimizers_are_taken_by_their_index() {
    const cli::Pattern pattern = cli::parse_pattern("found_inf[1],found_inf[0]\n1,0\n", "p.csv");
    QVERIFY(pattern.indexed);
    QCOMPARE(pattern.found_inf, (std::vector<std::vector<bool>>{{false, true}}));
  }

  void a_wrong_cell_is_named_with_line_and_column() {
    const ErrorFacts facts = facts_of("step,found_inf\n1,0\n2,maybe\n");
    QCOMPARE(facts.line, 3);
    QCOMPARE(facts.column, 2);
    QCOMPARE(facts.found, std::string("'maybe'"));
    QCOMPARE(facts.expected, std::string("0, 1, true or false"));
  }

  void patterns_without_sense_are_refused() {
    QCOMPARE(facts_of("").problem, std::string("the file is empty"));
    QCOMPARE(facts_of("0\n1\n").line, 1);  // no header
    QCOMPARE(facts_of("found_inf\n").problem, std::string("there is no step under the header"));
    QCOMPARE(facts_of("found_inf[0],found_inf[2]\n0,0\n").found, std::string("found_inf[2]"));
    QCOMPARE(facts_of("found_inf,found_inf\n0,0\n").column, 2);
    QVERIFY(!facts_of("found_inf,found_inf[0]\n0,0\n").remedy.empty());
    QCOMPARE(facts_of("a,found_inf\n0\n").found, std::string("1 cells"));
  }
};

QTEST_APPLESS_MAIN(CliPartsTests)
#include "cli_parts_tests.moc"
