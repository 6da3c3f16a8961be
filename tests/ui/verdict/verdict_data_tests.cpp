// SPDX-License-Identifier: GPL-3.0-or-later
// What the page makes of an archive's records: facts of cases, bins, slices, words of rules.
#include <spdlog/spdlog.h>

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "core/judge/judge.h"
#include "tests/ui/verdict/judged_archive.h"
#include "ui/verdict/deviation_bins.h"
#include "ui/verdict/deviation_view.h"
#include "ui/verdict/rules_text.h"
#include "ui/verdict/verdict_data.h"
#include "ui/verdict/verdict_words.h"

using namespace mantissa;
using namespace mantissa::test;
using namespace mantissa::ui::verdict;

namespace {

std::vector<CaseFacts> factsOfAll(const std::vector<record::CaseRow>& rows) {
  judge::DecisionRule decision;
  decision.kind = judge::DecisionKind::ArgMax;
  std::vector<CaseFacts> facts;
  for (const record::CaseRow& row : rows) facts.push_back(factsOf(row, &decision));
  return facts;
}

}  // namespace

class VerdictDataTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  }

  void flips_have_a_direction() {
    const std::vector<CaseFacts> facts = factsOfAll(sixCases());
    QCOMPARE(facts[0].side(Side::Trained).direction, Direction::None);
    QCOMPARE(facts[2].side(Side::SameWeights).direction, Direction::RightToWrong);
    QCOMPARE(facts[3].side(Side::SameWeights).direction, Direction::None);
    QCOMPARE(facts[3].side(Side::Trained).direction, Direction::WrongToRight);
    record::CaseRow neutral = sixCases()[2];
    neutral.correct_reference = false;
    QCOMPARE(factsOf(neutral, nullptr).side(Side::Trained).direction, Direction::Neutral);
    neutral.correct_reference.reset();
    QCOMPARE(factsOf(neutral, nullptr).side(Side::Trained).direction, Direction::Unknown);
  }

  void whether_the_same_weights_are_right_is_worked_out_where_it_is_not_kept() {
    record::CaseRow row = sixCases()[2];
    row.correct_same_weights.reset();
    judge::DecisionRule decision;
    decision.kind = judge::DecisionKind::ArgMax;
    // Target 0, outputs 0 and 0.02: 1 is decided.
    QCOMPARE(factsOf(row, &decision).side(Side::SameWeights).direction, Direction::RightToWrong);
    QCOMPARE(factsOf(row, nullptr).side(Side::SameWeights).direction, Direction::Unknown);
  }

  void a_set_an_order_and_a_tie_are_said_in_words() {
    judge::DecisionRule decision;
    decision.kind = judge::DecisionKind::ArgMax;
    // Reference 0.01 and 0, trial 0 and 0.02.
    QCOMPARE(factsOf(sixCases()[2], &decision).words, QString());
    decision.form = spec::FlipsDecision::Ranking;
    const CaseFacts ranked = factsOf(sixCases()[2], &decision);
    QCOMPARE(ranked.words, QStringLiteral("0 > 1"));
    QCOMPARE(ranked.side(Side::Trained).words, QStringLiteral("1 > 0"));
    decision.ties = "tie-is-a-decision";
    decision.tie_within = 0.02;
    QCOMPARE(factsOf(sixCases()[2], &decision).side(Side::SameWeights).words, QStringLiteral("0 = 1"));
    QVERIFY(factsOf(sixCases()[2], &decision).side(Side::SameWeights).tie);
  }

  void a_change_between_two_right_sets_is_neutral() {
    record::CaseRow row = sixCases()[2];
    row.correct = true;
    QCOMPARE(factsOf(row, nullptr).side(Side::Trained).direction, Direction::Neutral);
  }

  void the_margin_of_the_same_weights_is_taken_of_their_outputs() {
    const std::vector<CaseFacts> facts = factsOfAll(sixCases());
    QCOMPARE(facts[2].side(Side::SameWeights).margin, std::optional<double>(0.02));  // 0.02 - 0
    QVERIFY(!factsOf(sixCases()[2], nullptr).side(Side::SameWeights).margin);        // how it decides is not known
  }

  void deviations_are_counted_in_bins_of_a_twentieth_of_a_decade() {
    const DeviationBins bins = binDeviations(factsOfAll(sixCases()), Side::SameWeights);
    // floor(20 log10): 0.0015 -> -57, 0.0016 -> -56, 0.015 -> -37, 0.03 -> -31.
    QCOMPARE(bins.perDecade, 20);
    QCOMPARE(bins.first, -57);
    QCOMPARE(bins.counts.size(), std::size_t{27});
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
      QCOMPARE(bins.counts[i], i == 0 || i == 1 || i == 20 || i == 26 ? 1 : 0);
    }
    QCOMPARE(bins.zeros, 1);
    QCOMPARE(bins.nonFinite, 1);
    QCOMPARE(bins.notMeasured, 0);
    QCOMPARE(bins.cases(), 6);
    QVERIFY(std::abs(bins.from(0) - std::pow(10, -57 / 20.0)) < 1e-12);
  }

  void bins_become_wider_where_there_would_be_too_many() {
    std::vector<record::CaseRow> rows = {caseOf("1", 1, 1e-30), caseOf("2", 1, 1.0)};
    // 30 decades: 601 bins of a twentieth, 301 of a tenth, 151 of a fifth, 61 of a half.
    const DeviationBins bins = binDeviations(factsOfAll(rows), Side::Trained);
    QCOMPARE(bins.perDecade, 2);
    QVERIFY(bins.counts.size() == 61 || bins.counts.size() == 62);  // 1e-30 may lie on either side of its edge
    QCOMPARE(bins.cases(), 2);
  }

  void what_was_not_compared_is_no_deviation_of_zero() {
    std::vector<record::CaseRow> rows = {caseOf("1", 1, 0.5)};
    rows[0].output_same_weights.clear();
    const DeviationBins bins = binDeviations(factsOfAll(rows), Side::SameWeights);
    QCOMPARE(bins.notMeasured, 1);
    QCOMPARE(bins.cases(), 0);
  }

  void nan_is_beyond_every_limit() {
    QCOMPARE(beyond(factsOfAll(sixCases()), Side::SameWeights, 0.02), 2);  // 0.03 and NaN
    QCOMPARE(beyond(factsOfAll(sixCases()), Side::SameWeights, 1e9), 1);
    QCOMPARE(beyond(factsOfAll(sixCases()), Side::Trained, 0.03), 0);  // at the limit is within it
  }

  void slices_have_their_own_flips_and_quality() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    const JudgedArchive ids = makeJudgedArchive(file, sixCases());
    const SharedVerdict data = readVerdict(file, ids.judged);
    QVERIFY(data->hasDecisions);
    QCOMPARE(data->slices.size(), std::size_t{3});
    QVERIFY(data->slices[0].isWhole);
    QCOMPARE(data->slices[0].cases, 6);
    QCOMPARE(data->slices[0].flips[index(Side::SameWeights)], 1);  // case 3
    QCOMPARE(data->slices[0].flips[index(Side::Trained)], 2);      // cases 3 and 4
    QVERIFY(std::isnan(*data->slices[0].largest));                 // case 6
    QCOMPARE(data->slices[1].name, QStringLiteral("a"));           // cases 1, 2, 3 and 6
    QCOMPARE(data->slices[1].reference, std::optional<double>(1.0));
    QCOMPARE(data->slices[1].trial, std::optional<double>(0.75));
    QCOMPARE(data->slices[2].name, QStringLiteral("b"));  // cases 4 and 5
    QCOMPARE(data->slices[2].reference, std::optional<double>(0.5));
    QCOMPARE(data->slices[2].trial, std::optional<double>(1.0));
    QCOMPARE(data->slices[2].largest, std::optional<double>(0.0016));
  }

  void the_rules_and_when_they_were_fixed_are_read() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.db"));
    const JudgedArchive ids = makeJudgedArchive(file, sixCases(), true);
    const SharedVerdict data = readVerdict(file, ids.judged);
    QVERIFY(QDateTime::fromString(data->fixedAt, Qt::ISODate).isValid());
    QVERIFY(data->fixedAt.toStdString() <= data->trial.started_at);
    QCOMPARE(data->rulesSha256, std::string("7c1e4b90d2a516f8aa"));
    QCOMPARE(data->judgements.size(), std::size_t{1});
    QVERIFY(data->judgements[0].post_hoc);
    QCOMPARE(data->trial.end.verdict->word, record::VerdictWord::Rejected);
  }

  void rules_stand_in_the_order_of_the_file_without_what_is_not_set() {
    QStringList lines;
    for (const RulesLine& line : rulesLines(
             R"({"progress":null,"quality":[{"of":"trained","metric":"accuracy","max":null,"min":0.95,"name":""}],)"
             R"("output":[{"max":{"":0.02},"measure":"abs","q":0.99,"reduce":"max"}],"target":"cpu",)"
             R"("threshold":0.5,"threshold_given":false,"new_rule":{"most":3}})")) {
      lines << (line.isHeading ? QStringLiteral("[%1]").arg(line.key)
                               : QStringLiteral("%1=%2").arg(line.key, line.value));
    }
    QCOMPARE(lines, QStringList({"target=cpu", "[output]", "measure=abs", "reduce=max", "max=0.02", "[quality]",
                                 "of=trained", "metric=accuracy", "min=0.95", "[new_rule]", "most=3"}));
    QVERIFY(rulesLines("").empty());
  }

  void a_rule_is_said_in_few_words() {
    const record::Verdict verdict = rejectedVerdict();
    QCOMPARE(ruleName(verdict.rules[1]), QStringLiteral("Output: q0.99 of case_relative"));
    QCOMPARE(requiredText(verdict.rules[1]), QStringLiteral("≤ 0.02"));
    QCOMPARE(usedText(verdict.rules[1]), QStringLiteral("75 %"));  // 0.015 / 0.02
    QCOMPARE(ruleName(verdict.rules[2]), QStringLiteral("Flips: boundary"));
    QCOMPARE(requiredText(verdict.rules[2]), QStringLiteral("≤ 0"));
    QCOMPARE(foundText(verdict.rules[2]), QStringLiteral("1"));
    QCOMPARE(usedText(verdict.rules[2]), QStringLiteral("–"));  // of 0 there are no shares
    QCOMPARE(requiredText(verdict.rules[3]), QStringLiteral("≥ 0.98"));
    QCOMPARE(usedText(verdict.rules[3]), QStringLiteral("–"));  // a lower limit
    QVERIFY(isOnSteps(verdict.rules[3]));
    QVERIFY(!isOnSteps(verdict.rules[2]));
  }

  void a_value_near_its_limit_is_not_rounded_onto_it() {
    record::RuleVerdict rule = rejectedVerdict().rules[1];
    rule.value = 0.02001;
    QCOMPARE(usedText(rule), QStringLiteral("100.05 %"));
    rule.value = 0.02;
    QCOMPARE(usedText(rule), QStringLiteral("100 %"));
  }

  void the_tolerance_of_a_slice_is_not_drawn_for_all_cases() {
    record::TrialEnd end;
    end.verdict = rejectedVerdict();
    QCOMPARE(deviationLines(end, Side::SameWeights).limit, std::optional<double>(0.02));
    QCOMPARE(deviationLines(end, Side::SameWeights).valueName, QStringLiteral("q0.99"));
    QVERIFY(!deviationLines(end, Side::Trained).limit);
    end.verdict->rules.front().limit = "q0.99 of case_relative of output.boxes at most 0.02";  // not what is drawn
    QVERIFY(!deviationLines(end, Side::SameWeights).limit);
    end.verdict->rules[1].limit += ", of slice a";
    QVERIFY(!deviationLines(end, Side::SameWeights).limit);
  }
};

QTEST_MAIN(VerdictDataTests)
#include "verdict_data_tests.moc"
