// SPDX-License-Identifier: Apache-2.0
// What decides a case, beside NumPy (make_decisions.py) and by hand.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "core/judge/decision.h"
#include "core/judge/positions.h"

using namespace mantissa;
using namespace mantissa::judge;
using record::CaseRow;
using record::RuleVerdict;

namespace {

using Values = std::vector<double>;
using Indices = std::vector<std::int64_t>;

DecisionRule rule_of(spec::FlipsDecision form, std::int64_t k = 0, const std::string& ties = "lowest-index",
                     double tie_within = 0.0) {
  DecisionRule rule;
  rule.kind = DecisionKind::ArgMax;
  rule.form = form;
  rule.k = k;
  rule.ties = ties;
  rule.tie_within = tie_within;
  return rule;
}
DecisionRule arg_max(const std::string& ties, double tie_within = 0.0) {
  return rule_of(spec::FlipsDecision::Task, 0, ties, tie_within);
}
DecisionRule top(std::int64_t k, const std::string& ties = "lowest-index", double tie_within = 0.0) {
  return rule_of(spec::FlipsDecision::TopK, k, ties, tie_within);
}
DecisionRule ranking(const std::string& ties = "lowest-index", double tie_within = 0.0) {
  return rule_of(spec::FlipsDecision::Ranking, 0, ties, tie_within);
}

std::string words(const DecisionRule& rule, const Values& output) { return decision_words(rule, output); }

QJsonArray expected_cases() {
  QFile file(QStringLiteral(MANTISSA_SOURCE_DIR "/tests/core/judge/decisions.json"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("decisions.json cannot be read");
  return QJsonDocument::fromJson(file.readAll()).object()["cases"].toArray();
}

Values numbers(const QJsonValue& list) {
  Values values;
  for (const auto& value : list.toArray()) values.push_back(value.toDouble());
  return values;
}

Indices integers(const QJsonValue& list) {
  Indices values;
  for (const auto& value : list.toArray()) values.push_back(value.toInteger());
  return values;
}

CaseRow compared(const DecisionRule& rule, const Values& reference, const Values& output, double target = 0) {
  CaseRow row;
  row.id = "1";
  row.output_reference = reference;
  row.output = row.output_same_weights = output;
  row.target = {target};
  std::vector<CaseRow> rows = {row};
  compare(rows, rule);
  return rows.front();
}

/// The only verdict on flips of these cases.
RuleVerdict flips(const DecisionRule& decision, std::vector<CaseRow> cases, std::int64_t max,
                  const std::string& direction = "") {
  Evidence evidence;
  evidence.counts = {1, 1, 0, 1, 1};
  evidence.decision = decision;
  evidence.cases = std::move(cases);
  spec::Rules rules;
  rules.flips.emplace();
  rules.flips->decision = decision.form;
  rules.flips->k = decision.k;
  rules.flips->ties = decision.ties;
  rules.flips->tie_within = decision.tie_within;
  if (direction.empty()) {
    rules.flips->max = max;
  } else {
    rules.flips->max_by_direction[direction] = max;
  }
  return judge::judge(rules, "hash", evidence).rules.back();
}

bool says(const RuleVerdict& verdict, const char* piece) {
  const bool is = verdict.reason.find(piece) != std::string::npos;
  if (!is) qWarning("%s", verdict.reason.c_str());
  return is;
}

}  // namespace

#define COMPARE_WORD(found, word) QCOMPARE(std::string(record::to_text(found)), std::string(word))

class DecisionTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void the_k_largest_are_those_of_numpy() {
    const QJsonArray cases = expected_cases();
    QVERIFY(cases.size() > 40);
    for (const QJsonValue one : cases) {
      const Values scores = numbers(one["scores"]);
      const std::int64_t k = one["k"].toInteger();
      const Decision lowest = decide(top(k), scores);
      QCOMPARE(lowest.classes, integers(one["top_lowest"]));
      QCOMPARE(lowest.margin, std::optional<double>(one["top_margin"].toDouble()));
      QCOMPARE(lowest.tie, one["top_margin"].toDouble() == 0.0);
      QCOMPARE(decide(top(k, "highest-index"), scores).classes, integers(one["top_highest"]));
      const Decision own = decide(top(k, "tie-is-a-decision"), scores);
      QCOMPARE(own.classes, integers(one[lowest.tie ? "top_sure" : "top_lowest"]));
      QCOMPARE(own.tied, lowest.tie ? integers(one["top_tied"]) : Indices());
    }
  }

  void the_ranking_is_that_of_numpy() {
    for (const QJsonValue one : expected_cases()) {
      const Values scores = numbers(one["scores"]);
      const Decision lowest = decide(ranking(), scores);
      QCOMPARE(lowest.classes, integers(one["ranking_lowest"]));
      QCOMPARE(lowest.margin, std::optional<double>(one["ranking_margin"].toDouble()));
      QCOMPARE(decide(ranking("highest-index"), scores).classes, integers(one["ranking_highest"]));
      const Decision own = decide(ranking("tie-is-a-decision"), scores);
      std::int64_t place = 0;
      const Indices places = integers(one["places"]);
      for (std::size_t i = 0; i < own.classes.size(); ++i) {
        QCOMPARE(place, places[static_cast<std::size_t>(own.classes[i])]);
        if (own.tied[i] == 0) ++place;
      }
    }
  }

  void arg_max_is_the_top_1() {
    for (const QJsonValue one : expected_cases()) {
      const Values scores = numbers(one["scores"]);
      for (const char* const ties : {"lowest-index", "highest-index"}) {
        QCOMPARE(decide(arg_max(ties), scores).classes, decide(top(1, ties), scores).classes);
      }
    }
  }

  void ties_of_the_largest_follow_their_rule() {
    const Values tied = {1.0, 3.0, 0.0, 3.0};
    QCOMPARE(words(arg_max("lowest-index"), tied), std::string("1"));
    QCOMPARE(words(arg_max("highest-index"), tied), std::string("3"));
    QCOMPARE(words(arg_max("tie-is-a-decision"), tied), std::string("tie of 1 and 3"));
    const DecisionRule rule = arg_max("tie-is-a-decision");
    QCOMPARE(decide(rule, tied).as_number(rule), std::optional<std::int64_t>(-1));
    QCOMPARE(decide(rule, {0, 1}).as_number(rule), std::optional<std::int64_t>(1));
  }

  void outputs_within_the_declared_distance_are_equal() {
    // 3 - 2.75 = 0.25, all of them exact in binary.
    const Values near = {1.0, 2.75, 0.0, 3.0};
    QCOMPARE(words(arg_max("lowest-index", 0.25), near), std::string("1"));
    QCOMPARE(words(arg_max("lowest-index", std::nextafter(0.25, 0.0)), near), std::string("3"));
    QVERIFY(decide(arg_max("lowest-index", 0.25), near).tie);
    QVERIFY(!decide(arg_max("lowest-index", std::nextafter(0.25, 0.0)), near).tie);
    QCOMPARE(words(top(1, "tie-is-a-decision", 0.25), near), std::string("{1 of 1, 3}"));
    // The second place, 2.75, is tied with both its neighbours.
    QCOMPARE(words(top(2, "tie-is-a-decision", 0.25), {3.0, 2.75, 2.5, 0.0}), std::string("{2 of 0, 1, 2}"));
    QCOMPARE(words(top(3, "tie-is-a-decision", 0.25), {3.0, 2.0, 1.0, 1.0}), std::string("{0, 1, 1 of 2, 3}"));
    QCOMPARE(words(ranking("tie-is-a-decision", 0.25), {2.75, 0.0, 3.0}), std::string("0 = 2 > 1"));
    QCOMPARE(words(ranking("lowest-index", 0.25), {2.75, 0.0, 3.0}), std::string("0 > 2 > 1"));
    QCOMPARE(words(ranking("lowest-index"), {2.75, 0.0, 3.0}), std::string("2 > 0 > 1"));
  }

  void a_threshold_may_have_a_third_outcome() {
    DecisionRule rule;
    rule.kind = DecisionKind::Probability;
    rule.threshold = 0.5;
    rule.tie_within = 0.125;
    QCOMPARE(words(rule, {0.625}), std::string("1"));  // index rules leave a threshold alone
    QVERIFY(decide(rule, {0.625}).tie);
    rule.ties = "tie-is-a-decision";
    QCOMPARE(words(rule, {0.625}), std::string("tie"));
    QCOMPARE(words(rule, {0.375}), std::string("tie"));
    QCOMPARE(words(rule, {std::nextafter(0.625, 1.0)}), std::string("1"));
    QCOMPARE(decide(rule, {0.5}).as_number(rule), std::optional<std::int64_t>(-1));
    QCOMPARE(words(rule, {0.0, 0.5, 1.0}), std::string("0 tie 1"));
    QVERIFY(!decide(rule, {0.0, 0.5}).as_number(rule));
  }

  void a_set_is_numbered_by_its_bits() {
    QCOMPARE(decide(top(2), {5, 1, 4, 0}).as_number(top(2)), std::optional<std::int64_t>(0b0101));
    QVERIFY(!decide(ranking(), {5, 1, 4}).as_number(ranking()));
    Values many(70, 0.0);
    many[69] = 1.0;  // bit 69 fits no number
    QVERIFY(!decide(top(1), many).as_number(top(1)));
  }

  void a_set_flips_by_its_members_and_not_by_their_order() {
    const CaseRow inside = compared(top(2), {3, 2, 1, 0}, {2, 3, 1, 0}, 0);
    QVERIFY(!inside.flip);
    QCOMPARE(inside.margin_reference, std::optional<double>(1.0));  // second less third: 2 - 1
    QVERIFY(compared(top(2), {3, 2, 1, 0}, {3, 1, 2, 0}, 0).flip);
    QVERIFY(compared(ranking(), {3, 2, 1, 0}, {2, 3, 1, 0}, 0).flip);
    QVERIFY(!compared(ranking(), {3, 2, 1, 0}, {30, 20, 1, 0}, 0).flip);
    QCOMPARE(compared(ranking(), {3, 2, 1.75, 0}, {3, 2, 1, 0}, 0).margin_reference, std::optional<double>(0.25));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(compared(top(2), {3, 2, 1, 0}, {3, 2, 1, nan}, 0).flip);
  }

  void a_set_is_right_with_the_target_in_it_and_a_ranking_with_it_first() {
    QVERIFY(*compared(top(2), {3, 2, 1}, {3, 2, 1}, 1).correct);
    QVERIFY(!*compared(top(2), {3, 2, 1}, {3, 2, 1}, 2).correct);
    QVERIFY(*compared(ranking(), {3, 2, 1}, {3, 2, 1}, 0).correct);
    QVERIFY(!*compared(ranking(), {3, 2, 1}, {3, 2, 1}, 1).correct);
    // A tie leaves a sure member right, and makes those that share the last place wrong.
    QVERIFY(*compared(top(2, "tie-is-a-decision"), {3, 2, 1}, {3, 2, 2}, 0).correct);
    QVERIFY(!*compared(top(2, "tie-is-a-decision"), {3, 2, 1}, {3, 2, 2}, 1).correct);
    QVERIFY(!*compared(arg_max("tie-is-a-decision"), {3, 2, 1}, {3, 3, 1}, 0).correct);
    QVERIFY(!*compared(ranking("tie-is-a-decision"), {3, 2, 1}, {3, 3, 1}, 0).correct);
    QVERIFY(*compared(ranking("tie-is-a-decision"), {3, 2, 1}, {3, 2, 2}, 0).correct);
  }

  void accuracy_is_of_the_task_whatever_may_flip() {
    const DecisionRule rule = top(2);
    std::vector<CaseRow> rows = {compared(rule, {3, 2, 1}, {3, 2, 1}, 1), compared(rule, {3, 2, 1}, {1, 3, 2}, 1)};
    QVERIFY(*rows[0].correct && *rows[1].correct);
    // Arg-max: trained decides 0 and 1, the reference 0 and 0; both targets are 1.
    QCOMPARE(quality(rows, "accuracy", spec::Of::Trained, false, {}, rule), 0.5);
    QCOMPARE(quality(rows, "accuracy", spec::Of::Trained, true, {}, rule), 0.0);
    QCOMPARE(quality(rows, "f1", spec::Of::Trained, true, {}, rule), 0.0);
  }

  void flips_of_a_set_are_judged_at_their_limit() {
    const std::vector<CaseRow> cases = {compared(top(2), {3, 2, 1, 0}, {3, 1, 2, 0}),
                                        compared(top(2), {3, 2, 1, 0}, {0, 1, 2, 3}),
                                        compared(top(2), {3, 2, 1, 0}, {2, 3, 1, 0})};
    COMPARE_WORD(flips(top(2), cases, 3).verdict, "accepted");
    COMPARE_WORD(flips(top(2), cases, 2).verdict, "accepted");
    const RuleVerdict rejected = flips(top(2), cases, 1);
    COMPARE_WORD(rejected.verdict, "rejected");
    QCOMPARE(rejected.value, std::optional<double>(2.0));
    QVERIFY(says(rejected, "1 ({0, 2} instead of {0, 1})"));
    QCOMPARE(rejected.limit, std::string("at most 1 flip of the top 2"));
  }

  void flips_of_a_ranking_are_judged_at_their_limit() {
    const std::vector<CaseRow> cases = {compared(ranking(), {3, 2, 1}, {3, 1, 2})};
    COMPARE_WORD(flips(ranking(), cases, 1).verdict, "accepted");
    const RuleVerdict rejected = flips(ranking(), cases, 0);
    COMPARE_WORD(rejected.verdict, "rejected");
    QVERIFY(says(rejected, "1 (0 > 2 > 1 instead of 0 > 1 > 2)"));
  }

  void becoming_a_tie_is_a_flip_of_its_own_where_the_rule_says_so() {
    // The example of the shipped experiment: 1.0000 and 1.0003, and both are 1 in FP16 and BF16.
    const Values reference = {1.0, 1.0003};
    const Values rounded = {1.0, 1.0};
    QVERIFY(compared(arg_max("lowest-index"), reference, rounded, 1).flip);
    QVERIFY(!compared(arg_max("highest-index"), reference, rounded, 1).flip);
    const DecisionRule own = arg_max("tie-is-a-decision");
    const CaseRow row = compared(own, reference, rounded, 1);
    QVERIFY(row.flip);
    QCOMPARE(row.decision, std::optional<std::int64_t>(-1));
    const RuleVerdict rejected = flips(own, {row}, 0);
    COMPARE_WORD(rejected.verdict, "rejected");
    QVERIFY(says(rejected, "1 becomes a tie"));
    QVERIFY(says(rejected, "1 (tie of 0 and 1 instead of 1)"));
    QVERIFY(says(flips(own, {compared(own, rounded, reference, 1)}, 0), "1 ceases to be one"));
    QVERIFY(!compared(own, rounded, rounded, 1).flip);
    QVERIFY(compared(own, {1, 1, 0}, {1, 1, 1}, 1).flip);  // a tie of others is another outcome
  }

  void a_flip_between_two_right_sets_is_neutral() {
    const std::vector<CaseRow> cases = {compared(top(2), {3, 2, 1}, {3, 1, 2}, 0)};
    COMPARE_WORD(flips(top(2), cases, 0, "right_to_wrong").verdict, "accepted");
    COMPARE_WORD(flips(top(2), cases, 0, "neutral").verdict, "rejected");
    COMPARE_WORD(flips(top(2), cases, 1, "neutral").verdict, "accepted");
    const std::vector<CaseRow> lost = {compared(top(2), {3, 2, 1}, {3, 1, 2}, 1)};
    COMPARE_WORD(flips(top(2), lost, 0, "right_to_wrong").verdict, "rejected");
  }

  void positions_decide_by_sets_too_and_count_right_ones_by_the_largest() {
    DecisionRule rule = top(2);
    rule.positions = 2;
    // Two positions of three classes. The first set is {0, 1} on both sides, the second {1, 2} and {0, 2}.
    const CaseRow row = [&] {
      CaseRow made;
      made.id = "1";
      made.output_reference = {3, 2, 1, 0, 2, 3};
      made.output = made.output_same_weights = {2, 3, 1, 2, 0, 3};
      made.target = {0, 2};
      std::vector<CaseRow> rows = {made};
      compare(rows, rule);
      return rows.front();
    }();
    QCOMPARE(row.position_flips, std::optional<std::int64_t>(1));
    QCOMPARE(row.positions_correct_reference, std::optional<std::int64_t>(2));
    QCOMPARE(row.positions_correct, std::optional<std::int64_t>(1));  // arg-max 1 and 2, targets 0 and 2
  }

  void what_positions_did_not_keep_stays_undecided() {
    DecisionRule made = arg_max("lowest-index");
    made.positions = 1;
    CaseRow row = compared(made, {3, 2, 1}, {1, 2, 3}, 0);
    Evidence evidence;
    evidence.counts = {1, 1, 0, 1, 1};
    evidence.decision = made;
    evidence.cases = {row};
    spec::Rules rules;
    rules.flips.emplace();
    rules.flips->max = 5;
    COMPARE_WORD(judge::judge(rules, "hash", evidence).rules.back().verdict, "accepted");
    rules.flips->decision = spec::FlipsDecision::TopK;
    rules.flips->k = 2;
    const RuleVerdict undecided = judge::judge(rules, "hash", evidence).rules.back();
    COMPARE_WORD(undecided.verdict, "undecided");
    QVERIFY(says(undecided, "asks for top-2"));
  }
};

QTEST_GUILESS_MAIN(DecisionTests)
#include "decision_tests.moc"
