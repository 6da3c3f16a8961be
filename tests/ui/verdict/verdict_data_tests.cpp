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
#include "ui/verdict/reason_words.h"
#include "ui/verdict/rules_text.h"
#include "ui/verdict/verdict_data.h"
#include "ui/verdict/verdict_statements.h"
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
    record::Verdict verdict = rejectedVerdict();
    QCOMPARE(deviationLines(&verdict, {}, Side::SameWeights).limits.size(), std::size_t{1});
    QCOMPARE(deviationLines(&verdict, {}, Side::SameWeights).limits[0].limit, 0.02);
    QCOMPARE(deviationLines(&verdict, {}, Side::SameWeights).limits[0].valueName, QStringLiteral("q0.99"));
    QVERIFY(deviationLines(&verdict, {}, Side::Trained).limits.empty());
    verdict.rules.front().limit = "q0.99 of case_relative of output.boxes at most 0.02";  // not what is drawn
    QCOMPARE(deviationLines(&verdict, {}, Side::SameWeights).limits.size(), std::size_t{1});
    verdict.rules[1].limit += ", of slice a";
    QVERIFY(deviationLines(&verdict, {}, Side::SameWeights).limits.empty());
    QVERIFY(deviationLines(nullptr, {}, Side::SameWeights).limits.empty());
  }

  void of_several_limits_the_exceeded_one_decides_then_the_tightest_of_single_cases() {
    using record::VerdictWord;
    record::Verdict verdict;
    const auto add = [&verdict](const char* name, VerdictWord word, const char* limit, double bound) {
      verdict.rules.push_back(ruleOf(name, word, "same_weights", limit, 0.005, bound, 6));
    };
    add("output", VerdictWord::Accepted, "q0.99 of case_relative at most 0.02", 0.02);
    add("output.mean", VerdictWord::Accepted, "mean of case_relative at most 0.006", 0.006);
    add("output.again", VerdictWord::Accepted, "q0.99 of case_relative at most 0.02", 0.02);  // the same line
    add("output.tight", VerdictWord::Accepted, "largest of case_relative at most 0.01", 0.01);
    std::vector<DeviationLimit> limits = deviationLines(&verdict, {}, Side::SameWeights).limits;
    QCOMPARE(limits.size(), std::size_t{3});
    QCOMPARE(limits[0].limit, 0.01);
    QCOMPARE(limits[1].limit, 0.02);
    QCOMPARE(limits[2].limit, 0.006);  // of a mean, which single cases may exceed
    verdict.rules[0].verdict = VerdictWord::Rejected;
    limits = deviationLines(&verdict, {}, Side::SameWeights).limits;
    QCOMPARE(limits[0].limit, 0.02);
    QCOMPARE(limits[0].rule, QStringLiteral("Output: q0.99 of case_relative"));
  }

  void a_matrix_of_rules_is_written_row_by_row() {
    const std::vector<RulesLine> lines = rulesLines(R"({"utility":{"matrix":[[1,-5],[0,2]],"classes":[3,4]}})");
    QStringList values;
    for (const RulesLine& line : lines) values << line.key + u'=' + line.value;
    QCOMPARE(values, QStringList({"utility=", "classes=3, 4", "matrix=1, -5", "=0, 2"}));
  }

  void where_an_output_is_nan_there_is_no_decision() {
    record::CaseRow row = caseOf("1", 0.5, 0.001);
    row.output = {std::numeric_limits<double>::quiet_NaN(), 0};
    row.decision.reset();
    row.correct = false;
    row.flip = true;
    row.correct_reference = false;  // from wrong to none would else be neutral
    const CaseFacts facts = factsOf(row, nullptr);
    QCOMPARE(facts.side(Side::Trained).direction, Direction::NoDecision);
    QCOMPARE(facts.side(Side::SameWeights).direction, Direction::None);
    QCOMPARE(directionName(Direction::NoDecision), QStringLiteral("no decision"));
    QCOMPARE(toneOf(Direction::NoDecision), ui::plot::RowsCell::Tone::Bad);
  }

  void a_rule_over_seeds_has_its_margin_in_what_is_required() {
    const record::RuleVerdict rule =
        ruleOf("quality.non_inferior", record::VerdictWord::Undecided, "trained",
               "accuracy not worse by more than 0.01, one-sided paired t test, alpha 0.05, at least 3 seeds",
               std::nullopt, -0.01, 1);
    QCOMPARE(ruleName(rule), QStringLiteral("Quality over seeds: accuracy"));
    QCOMPARE(requiredText(rule), QStringLiteral("≤ 0.01 worse than ref."));
    QVERIFY(isOverSeeds(rule));
    QVERIFY(!isOverSeeds(rejectedVerdict().rules[1]));
  }

  void a_long_name_loses_its_middle() {
    QCOMPARE(shortened(QStringLiteral("Output: q0.99 of case_relative")),
             QStringLiteral("Output: q0.99 of case_relative"));
    const QString name =
        QStringLiteral("Output: ") + QStringLiteral("long ").repeated(30) + QStringLiteral("mean of abs");
    QVERIFY(shortened(name).size() <= 40);
    QVERIFY(shortened(name).startsWith(QStringLiteral("Output: long")));
    QVERIFY(shortened(name).endsWith(QStringLiteral("mean of abs")));
  }

  void reasons_stand_one_a_line_behind_their_rules() {
    record::Verdict verdict;
    verdict.word = record::VerdictWord::Rejected;
    for (int i = 0; i < 9; ++i) {
      record::RuleVerdict rule = rejectedVerdict().rules[2];
      rule.reason = std::to_string(i) + " too many";
      verdict.rules.push_back(rule);
      verdict.reasons.push_back(rule.reason);
    }
    verdict.reasons.emplace_back("the run was made elsewhere, and nothing is known of weights and buffers");
    const QStringList lines = reasonLines(verdict).split(u'\n');
    QCOMPARE(lines.size(), 9);  // the word, six reasons, that there are more, what is not known
    QCOMPARE(lines[0], QStringLiteral("✕ rejected, because"));
    QCOMPARE(lines[1], QStringLiteral("• Flips: boundary: 0 too many."));
    QCOMPARE(lines[7], QStringLiteral("and 3 more, in the table above."));
    QCOMPARE(lines[8], QStringLiteral("Not known: weights and buffers; the run was made elsewhere."));
  }

  void what_is_not_known_is_no_reason_for_an_accepted_run() {
    record::Verdict verdict;
    verdict.word = record::VerdictWord::Accepted;
    verdict.reasons = {"all 2 rules hold", "the run was made elsewhere, and nothing is known of losses"};
    QCOMPARE(reasonLines(verdict),
             QStringLiteral("✓ accepted: all 2 rules hold.\nNot known: losses; the run was made elsewhere."));
  }

  void the_tile_of_decisions_shows_the_strictest_limit() {
    VerdictData data = decidingData();
    const auto tile = [&data] { return statementsOf(data)[3]; };
    QCOMPARE(tile().detail, QStringLiteral("same weights, ≤ 0 right to wrong, strictest of 2 limits"));
    data.trial.end.verdict->rules[0].verdict = record::VerdictWord::Rejected;
    QCOMPARE(tile().detail, QStringLiteral("same weights, ≤ 3 boundary, deciding of 2 limits"));
  }

  void weights_that_were_not_given_have_no_count_of_flips() {
    VerdictData data = decidingData();
    for (CaseFacts& one : data.cases) one.sides[index(Side::SameWeights)].isMeasured = false;
    QCOMPARE(statementsOf(data)[3].answer, QStringLiteral("not compared"));
    data.trial.start.kind = record::TrialKind::Foreign;
    QCOMPARE(statementsOf(data)[3].answer, QStringLiteral("not given"));
    QVERIFY(statementsOf(data)[0].question.endsWith(QStringLiteral(", made elsewhere")));
  }

  void a_quality_is_not_undecided_because_seeds_are_missing() {
    using record::VerdictWord;
    VerdictData data = decidingData();
    data.trial.end.quality_metric = "accuracy";
    data.trial.end.quality = 0.9;
    data.trial.end.verdict->rules = {
        ruleOf("quality", VerdictWord::Accepted, "trained", "accuracy at least 0.8", 0.9, 0.8, 10),
        ruleOf("quality.non_inferior", VerdictWord::Undecided, "trained",
               "accuracy not worse by more than 0.01, one-sided paired t test, alpha 0.05, at least 3 seeds",
               std::nullopt, -0.01, 1)};
    const ui::shell::Statement tile = statementsOf(data)[4];
    QVERIFY(tile.state == ui::shell::Statement::State::Good);
    QCOMPARE(tile.detail, QStringLiteral("over seeds ? undecided"));
  }

 private:
  /// Two cases without a flip, under two rules on flips that hold.
  static VerdictData decidingData() {
    using record::VerdictWord;
    VerdictData data;
    data.hasDecisions = true;
    for (const char* const id : {"1", "2"}) data.cases.push_back(factsOf(caseOf(id, 0.5, 0.001), nullptr));
    data.trial.end.verdict.emplace();
    data.trial.end.verdict->rules = {ruleOf("flips.boundary", VerdictWord::Accepted, "same_weights",
                                            "at most 3 flips of boundary cases", 0, 3, 2, "flips"),
                                     ruleOf("flips.right_to_wrong", VerdictWord::Accepted, "same_weights",
                                            "at most 0 flips from right to wrong", 0, 0, 2, "flips")};
    return data;
  }
};

QTEST_MAIN(VerdictDataTests)
#include "verdict_data_tests.moc"
