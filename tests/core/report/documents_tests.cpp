// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <QTest>
#include <nlohmann/json.hpp>

#include "core/report/interval_words.h"
#include "core/report/json_documents.h"
#include "core/report/plain_words.h"
#include "core/report/tables.h"

using namespace mantissa;
using Json = nlohmann::json;

class DocumentsTests : public QObject {
  Q_OBJECT

  static record::TrialRow rejected_trial() {
    record::TrialRow trial;
    trial.id = 7;
    trial.experiment = "digits";
    trial.start.name = "fp16";
    trial.start.reference = 6;
    trial.end.counts = {2000, 1988, 12, 2000, 128000};
    trial.end.final_loss = std::nan("");
    trial.end.flips = 3;
    record::Verdict verdict;
    verdict.word = record::VerdictWord::Rejected;
    verdict.scope_device = "cpu";
    record::RuleVerdict rule;
    rule.name = "output";
    rule.verdict = record::VerdictWord::Rejected;
    rule.limit_value = 0.002;
    rule.value = std::numeric_limits<double>::infinity();
    rule.cases = 256;
    verdict.rules = {rule};
    trial.end.verdict = verdict;
    return trial;
  }

 private Q_SLOTS:
  void counts_have_separators() {
    QCOMPARE(report::count_words(0), std::string("0"));
    QCOMPARE(report::count_words(999), std::string("999"));
    QCOMPARE(report::count_words(1204), std::string("1,204"));
    QCOMPARE(report::count_words(-1234567), std::string("-1,234,567"));
  }

  void a_list_leaves_out_what_says_least_until_a_line_fits() {
    record::TrialRow trial = rejected_trial();
    trial.started_at = "2026-01-01T00:00:00.000Z";
    const std::string whole = report::trial_list({trial});
    QVERIFY(whole.find("started") != std::string::npos);
    const std::string narrow = report::trial_list({trial}, 80);
    for (const char* const kept : {"id", "name", "fp16", "status", "verdict", "rejected"}) {
      QVERIFY2(narrow.find(kept) != std::string::npos, kept);
    }
    const std::size_t last = narrow.find("left out for want of room: started");
    QVERIFY2(last != std::string::npos, narrow.c_str());
    std::size_t begin = 0;
    for (std::size_t end = narrow.find('\n'); begin < last; begin = end + 1, end = narrow.find('\n', begin)) {
      QVERIFY(report::display_width(narrow.substr(begin, end - begin)) <= 80);
    }
    QCOMPARE(report::trial_list({trial}, 500), whole);
  }

  void numbers_have_four_significant_digits() {
    QCOMPARE(report::number_words(0.0120345), std::string("0.01203"));
    QCOMPARE(report::number_words(65504.0), std::string("65,500"));
    QCOMPARE(report::number_words(1e-12), std::string("1e-12"));
    QCOMPARE(report::number_words(-std::numeric_limits<double>::infinity()), std::string("−∞"));
    QCOMPARE(report::number_words(std::nullopt), std::string("–"));
  }

  void bytes_have_three_digits_and_a_decimal_unit() {
    QCOMPARE(report::bytes_words(0), std::string("0 B"));
    QCOMPARE(report::bytes_words(999), std::string("999 B"));
    QCOMPARE(report::bytes_words(1000), std::string("1 kB"));
    QCOMPARE(report::bytes_words(13'240'000), std::string("13.2 MB"));
    QCOMPARE(report::bytes_words(999'600), std::string("1 MB"));  // not 1000 kB
    QCOMPARE(report::bytes_words(24'000'000'000), std::string("24 GB"));
  }

  void gains_are_shown_with_their_method_and_no_difference_is_called_one() {
    record::Gains gains;
    gains.repetitions = 7;
    gains.steps = 10;
    gains.samples = 640;
    gains.step_seconds = 0.0125;
    gains.step_seconds_spread = 0.001;
    gains.samples_per_second = 5120.0;
    gains.finish_seconds = 25.0;
    gains.deadline_seconds = 20.0;
    gains.method = "7 repetitions of 10 steps";
    record::RunSummary summary;
    summary.reference.start.name = "reference";
    summary.reference.end.gains = gains;
    record::TrialRow trial;
    trial.start.name = "bf16";
    gains.speed_up = 1.02;
    gains.speed_up_low = 0.97;
    gains.speed_up_high = 1.07;
    gains.peak_bytes = 13'240'000;
    gains.cost_per_sample = 1e-7;
    gains.finish_cost = 0.5;
    trial.end.gains = gains;
    summary.trials = {trial, rejected_trial()};
    const std::string text = report::run_table(summary);
    for (const char* const piece : {"Gains", "5,120", "time for the planned steps", "12.5 ms, spread 1 ms",
                                    "1.02 (0.97 to 1.07), no difference shown", "25 s, beyond 20 s", "13.2 MB", "1e-07",
                                    "measured by 7 repetitions of 10 steps"}) {
      QVERIFY2(text.find(piece) != std::string::npos, (piece + ("\n" + text)).c_str());
    }
    QVERIFY(text.find("fp16", text.find("Gains")) == std::string::npos);  // rejected: no line at all
    const Json document = Json::parse(report::run_document(summary, "a.db", 1));
    QCOMPARE(document["trials"][0]["gains"]["speed_up"].get<double>(), 1.02);
    QVERIFY(document["trials"][1]["gains"].is_null());
    QVERIFY(document["reference"]["gains"]["speed_up"].is_null());
    QVERIFY(report::trial_page(trial, {}, {}, {}).find("7 repetitions of 10 steps") != std::string::npos);
  }

  void an_estimate_and_its_bounds_have_equally_many_decimals() {
    const auto words = [](double value, double low, double high) {
      const report::IntervalWords interval = report::interval_words(value, low, high);
      return interval.value + " (" + interval.low + " to " + interval.high + ")";
    };
    QCOMPARE(words(0.3059, 0.3018, 0.31), std::string("0.3059 (0.3018 to 0.3100)"));
    QCOMPARE(words(2.0, 1.5, 12.0), std::string("2.0 (1.5 to 12.0)"));
    QCOMPARE(words(2.0, 1.0, 3.0), std::string("2 (1 to 3)"));
    QCOMPARE(words(1500.0, 1200.5, 1800.0), std::string("1,500 (1,200 to 1,800)"));
    QCOMPARE(words(1.5, 1e-7, 2.0), std::string("1.5 (1e-07 to 2.0)"));
  }

  void a_run_without_gains_has_no_table_of_them() {
    record::RunSummary summary;
    summary.trials = {rejected_trial()};
    QVERIFY(report::run_table(summary).find("Gains") == std::string::npos);
  }

  void shares_never_round_up_to_the_whole() {
    QCOMPARE(report::share_words(12, 2000), std::string("0.6 %"));
    QCOMPARE(report::share_words(2000, 2000), std::string("100 %"));
    QCOMPARE(report::share_words(1999, 2000), std::string("> 99.9 %"));  // 99.95 %
  }

  void scales_are_powers_of_two() {
    QCOMPARE(report::scale_words(65536.0), std::string("2^16"));
    QCOMPARE(report::scale_words(0.25), std::string("2^-2"));
    QCOMPARE(report::scale_words(3000.0), std::string("3,000"));
    QCOMPARE(report::scale_words(0.0), std::string("–"));
  }

  void durations_carry_their_units() {
    QCOMPARE(report::duration_words(0.84), std::string("840 ms"));
    QCOMPARE(report::duration_words(59.4), std::string("59 s"));
    QCOMPARE(report::duration_words(200.0), std::string("3 min 20 s"));
    QCOMPARE(report::duration_words(3840.0), std::string("1 h 04 min"));
  }

  void skips_are_said_in_words() {
    QCOMPARE(report::skip_sentence(12, 2000), std::string("12 of 2,000 steps skipped (0.6 %)"));
    QCOMPARE(report::skip_sentence(0, 1), std::string("none of 1 step skipped"));
  }

  void columns_are_aligned_by_code_points() {
    report::Table table({{"a"}, {"n", report::Table::Align::Right}});
    table.add_row({"✓", "1"});
    table.add_row({"abc", "22"});
    QCOMPARE(table.text(), std::string("a     n\n───  ──\n✓     1\nabc  22\n"));
  }

  void non_finite_numbers_are_strings_and_missing_ones_null() {
    const Json document = Json::parse(report::list_document({rejected_trial()}));
    QCOMPARE(document["mantissa"].get<int>(), 1);
    const Json& trial = document["trials"][0];
    QCOMPARE(trial["final_loss"].get<std::string>(), std::string("NaN"));
    QVERIFY(trial["quality"].is_null());
    QCOMPARE(trial["verdict"].get<std::string>(), std::string("rejected"));
  }

  void a_run_document_holds_every_rule_with_value_and_limit() {
    record::RunSummary summary;
    summary.experiment = "digits";
    summary.trials = {rejected_trial()};
    const Json document = Json::parse(report::run_document(summary, "a.db", 1));
    QCOMPARE(document["exit"].get<int>(), 1);
    QVERIFY(document["reference"]["verdict"].is_null());
    const Json& rule = document["trials"][0]["rules"][0];
    QCOMPARE(rule["limit"].get<double>(), 0.002);
    QCOMPARE(rule["value"].get<std::string>(), std::string("Infinity"));
    QCOMPARE(rule["cases"].get<int>(), 256);
  }

  void an_error_document_holds_the_facts() {
    const ErrorFacts facts{"the value is not a number", "a.csv", 14, 0, "column age", "'n/a'", "a number", ""};
    const Json error = Json::parse(report::error_document(ErrorKind::DataProblem, facts, 3))["error"];
    QCOMPARE(error["kind"].get<std::string>(), std::string("data-problem"));
    QCOMPARE(error["line"].get<int>(), 14);
    QVERIFY(error["column"].is_null());
    QVERIFY(error["remedy"].is_null());
  }

  // Losses 1, 2, NaN, 3, infinity, 6: (1 + 2 + 3 + 6) / 4 = 3, not 12 / 6.
  void a_mean_loss_leaves_non_finite_ones_out_and_counts_them() {
    report::LossSummary losses;
    for (const double loss : {1.0, 2.0, std::nan(""), 3.0, std::numeric_limits<double>::infinity(), 6.0}) {
      losses.add(loss);
    }
    losses.add(std::nullopt);
    QCOMPARE(losses.mean(), std::optional<double>(3.0));
    QCOMPARE(losses.non_finite(), std::int64_t{2});
    QCOMPARE(losses.steps(), std::int64_t{6});
    QCOMPARE(report::LossSummary().mean(), std::optional<double>());
  }

  void bytes_that_are_no_utf8_do_not_break_a_document() {
    record::TrialRow trial = rejected_trial();
    trial.start.name = "fp\xff";
    QCOMPARE(Json::parse(report::list_document({trial}))["trials"][0]["name"].get<std::string>(),
             std::string("fp\xEF\xBF\xBD"));
  }

  void the_run_table_names_verdict_rule_and_skips() {
    record::RunSummary summary;
    summary.experiment = "digits";
    summary.trials = {rejected_trial()};
    const std::string text = report::run_table(summary);
    QVERIFY(text.find("✕ rejected") != std::string::npos);
    QVERIFY(text.find("12 of 2,000 steps skipped (0.6 %)") != std::string::npos);
    QVERIFY(text.find("+∞") != std::string::npos);
  }

  void a_failure_that_is_a_reason_stands_there_once() {
    record::RunSummary summary;
    summary.trials = {rejected_trial()};
    record::TrialEnd& end = summary.trials[0].end;
    end.status = record::Status::Failed;
    end.failure = "forward";
    end.failure_text = "the forward pass failed";
    end.verdict->reasons = {"the forward pass failed"};
    std::string text = report::run_table(summary);
    QVERIFY(text.find("because: the forward pass failed") != std::string::npos);
    QVERIFY(text.find("failed: ") == std::string::npos);
    end.verdict.reset();
    text = report::run_table(summary);
    QVERIFY(text.find("failed: the forward pass failed") != std::string::npos);
  }

  void the_scope_says_whose_casts() {
    record::RunSummary summary;
    summary.trials = {rejected_trial()};
    for (const auto& [policy, words] : {std::pair("device", "casts of the device"), std::pair("cuda", "CUDA's casts"),
                                        std::pair("jit", "TorchScript's casts")}) {
      summary.trials[0].end.verdict->scope_cast_policy = policy;
      QVERIFY2(report::run_table(summary).find(std::string(", ") + words) != std::string::npos, words);
    }
  }
};

QTEST_APPLESS_MAIN(DocumentsTests)
#include "documents_tests.moc"
