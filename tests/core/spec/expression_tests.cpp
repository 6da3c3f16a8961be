// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>

#include <QTest>

#include "core/base/error.h"
#include "core/spec/expression.h"

using namespace mantissa;
using mantissa::spec::Expression;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Row = std::map<std::string, Expression::Value>;

const Row& row() {
  using namespace std::string_view_literals;
  static const Row values = {{"one", 1.0},          {"two", 2.0},          {"zero", 0.0},
                             {"minus_zero", -0.0},  {"inf_", kInfinity},   {"nan_", kNaN},
                             {"gone", {}},          {"word", "float16"sv}, {"empty", ""sv},
                             {"Lot Area", 70000.0}, {"and", 3.0},          {"trial[fp-16].scaler.init_scale", 65536.0},
                             {"größe", 5.0}};
  return values;
}

bool holds(const std::string& text) {
  const Expression expression(text);
  return expression.holds([&](std::size_t place) { return row().at(expression.names()[place]); });
}

ErrorFacts refusal(const std::string& text) {
  try {
    const Expression expression(text);
  } catch (const Error& error) {
    return error.facts();
  }
  return {};
}

/// A random expression over one, two, nan_ and gone whose truth is known while its text is made.
class Grown {
 public:
  explicit Grown(std::mt19937& random) : random_(random) {}

  struct Part {
    std::string text;
    bool truth = false;
    int binds = 0;  ///< or 0, and 1, not 2, comparison 3
  };

  Part grow(int depth) {
    const int kind = depth == 0 ? 3 : pick(4);
    if (kind == 3) return comparison();
    if (kind == 2) {
      const Part part = grow(depth - 1);
      return {"not " + in_parentheses(part, 2), !part.truth, 2};
    }
    Part all = grow(depth - 1);
    all.text = in_parentheses(all, kind);
    for (int i = 1 + pick(2); i > 0; --i) {
      const Part next = grow(depth - 1);
      all.text += (kind == 0 ? " or " : " and ") + in_parentheses(next, kind);
      all.truth = kind == 0 ? all.truth || next.truth : all.truth && next.truth;
    }
    all.binds = kind;
    return all;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  std::string in_parentheses(const Part& part, int outer) {
    return part.binds < outer || pick(4) == 0 ? '(' + part.text + ')' : part.text;
  }

  Part comparison() {
    static constexpr const char* kOperands[] = {"one", "two", "nan_", "gone", "1", "-2", "2.5e-1", "inf"};
    static constexpr double kValues[] = {1, 2, kNaN, kNaN, 1, -2, 0.25, kInfinity};  // gone compares as a NaN does
    static constexpr const char* kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
    const int left = pick(8);
    const int kind = pick(8);
    if (kind == 6) return {std::string(kOperands[left]) + " is missing", left == 3, 3};
    if (kind == 7) return {std::string(kOperands[left]) + " is non_finite", left == 2 || left == 7, 3};
    const int right = pick(8);
    const double a = kValues[left];
    const double b = kValues[right];
    const bool comparable = !std::isnan(a) && !std::isnan(b);
    const bool truths[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return {std::string(kOperands[left]) + kSigns[kind] + kOperands[right], comparable && truths[kind], 3};
  }

  std::mt19937& random_;
};

}  // namespace

class ExpressionTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void comparisons_are_those_of_numbers_and_strings_data() {
    QTest::addColumn<bool>("truth");
    for (const char* const text :
         {"one == 1",           "one < two",           "two >= 2",
          "one != two",         "zero == minus_zero",  "-0 == 0",
          "inf_ > 1e308",       "inf_ == inf",         "-inf < 0",
          "word == 'float16'",  "word == \"float16\"", "word != 'bfloat16'",
          "word < 'float32'",   "empty == ''",         "empty < word",
          "`Lot Area` > 65504", "`and` == 3",          "trial[fp-16].scaler.init_scale == 65536",
          "größe == 5",         "1e-3 < .5",           "+1 == one",
          "two==2 and(one==1)", "'a\\'b' == \"a'b\"",  "'\\\\' == \"\\\\\""}) {
      QTest::newRow(text) << true;
    }
    for (const char* const text : {"one > two", "one == two", "inf_ < inf", "word == 'Float16'", "word == ''"}) {
      QTest::newRow(text) << false;
    }
  }
  void comparisons_are_those_of_numbers_and_strings() {
    QFETCH(bool, truth);
    QCOMPARE(holds(QTest::currentDataTag()), truth);
  }

  void a_nan_and_a_missing_value_make_every_comparison_false_and_can_be_asked_for() {
    for (const char* const operand : {"nan_", "gone"}) {
      for (const char* const sign : {"==", "!=", "<", "<=", ">", ">="}) {
        for (const char* const other : {"1", "nan_", "gone", "'text'"}) {
          if (std::string(operand) == "nan_" && *other == '\'') continue;  // a number and a string
          QVERIFY2(!holds(std::string(operand) + sign + other), other);
          QVERIFY2(holds("not " + std::string(operand) + sign + other), other);
        }
      }
    }
    QVERIFY(holds("gone is missing"));
    QVERIFY(!holds("nan_ is missing"));
    QVERIFY(holds("nan_ is non_finite and inf_ is non_finite and -inf is non_finite"));
    QVERIFY(!holds("gone is non_finite or word is non_finite or one is non_finite"));
  }

  void not_binds_closer_than_and_and_that_closer_than_or() {
    // true or (false and false), where ((true or false) and false) would be false.
    QVERIFY(holds("one == 1 or one == 2 and one == 3"));
    QVERIFY(!holds("(one == 1 or one == 2) and one == 3"));
    // (not false) or true, where not (false or true) would be false.
    QVERIFY(holds("not one == 2 or one == 1"));
    QVERIFY(holds("not not one == 1"));
    QVERIFY(!holds("not (one == 2 or one == 1)"));
  }

  void random_expressions_mean_what_they_were_grown_to_mean() {
    std::mt19937 random(20'261'130);
    int truths = 0;
    for (int i = 0; i < 5000; ++i) {
      const Grown::Part part = Grown(random).grow(1 + i % 5);
      const bool found = holds(part.text);
      if (found != part.truth) QFAIL(part.text.c_str());
      truths += found ? 1 : 0;
    }
    QVERIFY(truths > 500 && truths < 4500);  // or it would show nothing
  }

  void names_come_once_in_the_order_of_their_use() {
    const Expression expression("b > 1 and (a is missing or b < 2) and `c d` == 'a'");
    QCOMPARE(expression.names(), (std::vector<std::string>{"b", "a", "c d"}));
    QCOMPARE(expression.text(), std::string("b > 1 and (a is missing or b < 2) and `c d` == 'a'"));
  }

  void the_right_side_is_only_looked_at_where_the_left_one_does_not_decide() {
    QVERIFY(!holds("word is missing and word > 3"));
    QVERIFY(holds("one == 1 or word > 3"));
  }

  void a_number_beside_a_string_is_an_error_with_the_name() {
    try {
      holds("one == 1 and word > 3");
      QFAIL("no error");
    } catch (const Error& error) {
      QCOMPARE(error.facts().subject, std::string("word"));
      QCOMPARE(error.facts().found, std::string("'float16'"));
    }
  }

  void what_cannot_be_read_is_refused_with_its_place_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("found");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const QString& text, int column, const char* found, const char* expected) {
      QTest::newRow(name) << text << column << found << expected;
    };
    row("nothing", "", 1, "the end", "a name, a number or a string");
    row("only a name", "x1", 3, "the end", "==");
    row("one equals sign", "x1 = 3", 4, "'='", "==");
    row("signs of C", "x > 1 && y > 1", 7, "'&'", "and");
    row("no right side", "x >", 4, "the end", "a name");
    row("chained", "0 < x < 1", 7, "'<'", "do not chain");
    row("open parenthesis", "(x > 1", 7, "the end", ")");
    row("closed too often", "x > 1)", 6, "')'", "the end");
    row("open string", "x == 'a", 8, "the end", "'");
    row("unknown escape", "x == 'a\\d'", 8, "'\\d'", "\\n");
    row("open name", "`a b > 1", 9, "the end", "`");
    row("empty name", "`` > 1", 1, "'``'", "a name");
    row("open index", "a[0 > 1", 8, "the end", "]");
    row("beyond FP64", "x < 1e999", 5, "'1e999'", "FP64");
    row("name with a digit first", "2nd > 1", 1, "'2nd'", "backquotes");
    row("decimal comma", "x > 1,5", 6, "','", "a name");
    row("lone sign", "x > -y", 5, "'-'", "a number");
    row("nan", "x == nan", 6, "'nan'", "is non_finite");
    row("word as a name", "and > 1", 1, "'and'", "backquotes");
    row("is what", "x is empty", 6, "'empty'", "missing");
    row("is not", "x is not missing", 6, "'not'", "not x is missing");
    row("two numbers of two kinds", "3 == 'a'", 6, "''a''", "a number");
    row("too deep", QString(300, '(') + "x > 1" + QString(300, ')'), 201, "'('", "200");
    row("too many nots", QString("not ").repeated(300) + "x > 1", 801, "'not'", "200");
    row("too long", "x > 1" + QString(70'000, ' '), 65'537, "' '", "65536");
  }
  void what_cannot_be_read_is_refused_with_its_place() {
    QFETCH(QString, text);
    QFETCH(int, column);
    QFETCH(QString, found);
    QFETCH(QString, expected);
    const ErrorFacts facts = refusal(text.toStdString());
    QCOMPARE(facts.column, column);
    QCOMPARE(QString::fromStdString(facts.found), found);
    QVERIFY2(QString::fromStdString(facts.expected).contains(expected), facts.expected.c_str());
  }

  void many_parts_are_no_depth() {
    std::string text = "one == 2";
    for (int i = 0; i < 5000; ++i) text += " or one==2";
    QVERIFY(!holds(text));
    QVERIFY(holds(text + " or one == 1"));
  }
};

QTEST_APPLESS_MAIN(ExpressionTests)
#include "expression_tests.moc"
