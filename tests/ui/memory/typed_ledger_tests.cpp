// SPDX-License-Identifier: GPL-3.0-or-later
// What typed values come to, and what is said where they cannot be read.
#include <QLocale>
#include <QTest>

#include <limits>

#include "ui/memory/ledger_field.h"
#include "ui/memory/ledger_words.h"
#include "ui/memory/plans_view.h"
#include "ui/memory/typed_ledger.h"
#include "ui/memory/typed_view.h"

using namespace mantissa::ui::memory;

namespace {

/// 3.2 GB fixed, 0.34 GB a sample, 24 GB, 10 %, microbatch 16, 5 blocks.
TypedValues handExample() {
  TypedValues values = TypedValues::example();
  values.state = FixedState::Typed;
  for (const FieldId field :
       {FieldId::Fp32, FieldId::Checkpointed, FieldId::Updates, FieldId::Deadline, FieldId::Price}) {
    values.text(field).clear();
  }
  return values;
}

TypedAnswer with(FieldId field, const QString& text, FixedState state = FixedState::Typed) {
  TypedValues values = handExample();
  values.state = state;
  values.text(field) = text;
  return answerOf(values);
}

}  // namespace

class TypedLedgerTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void the_hand_example_comes_out() {
    const TypedAnswer answer = answerOf(handExample());
    QVERIFY(answer.problems.empty());
    // 16 · 0.34 = 5.44; 5.44 / 5 = 1.088; 3.2 + 5.44 = 8.64; 24 · 0.9 = 21.6; (21.6 − 3.2) / 0.34 = 54.1
    const ShownLedger shown = shownOf(handExample(), answer, {});
    const char* const cumulative[] = {"1.09", "2.18", "3.26", "4.35", "5.44"};
    QCOMPARE(shown.blocks.bars.size(), std::size_t{5});
    for (std::size_t i = 0; i < 5; ++i) {
      QCOMPARE(shown.scale.text(shown.blocks.bars[i].activations), QString::fromLatin1(cumulative[i]));
    }
    QCOMPARE(shown.stack.total, 8'640'000'000);
    QCOMPARE(shown.stack.usable, 21'600'000'000);
    QCOMPARE(limitText(LimitOf::Microbatch, *answer.ledger), QStringLiteral("54 samples"));
    QCOMPARE(shown.sentence,
             QStringLiteral("Fits: 3.2 GB fixed and 5.44 GB of activations (16 samples) need 8.64 GB of "
                            "21.6 GB usable, 13 GB stay free. The largest microbatch that fits is 54."));
  }

  void parameters_and_an_optimizer_make_the_fixed_state_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<qint64>("bytes");
    // 200 million × (weight + gradient + moments + master copy)
    QTest::newRow("adamw") << static_cast<int>(FixedState::AdamW) << qint64{200'000'000} * (4 + 4 + 8);
    QTest::newRow("adamw, master") << static_cast<int>(FixedState::AdamWMaster)
                                   << qint64{200'000'000} * (2 + 2 + 8 + 4);
    QTest::newRow("sgd") << static_cast<int>(FixedState::Sgd) << qint64{200'000'000} * (4 + 4);
    QTest::newRow("momentum") << static_cast<int>(FixedState::SgdMomentum) << qint64{200'000'000} * (4 + 4 + 4);
  }
  void parameters_and_an_optimizer_make_the_fixed_state() {
    QFETCH(int, state);
    QFETCH(qint64, bytes);
    const TypedAnswer answer = with(FieldId::Parameters, QStringLiteral("200 million"), static_cast<FixedState>(state));
    QVERIFY(answer.ledger.has_value());
    QCOMPARE(answer.ledger->fixed_bytes, bytes);
  }

  void decimal_and_binary_units_are_told_apart() {
    QCOMPARE(with(FieldId::Capacity, QStringLiteral("24 GiB")).ledger->input.capacity_bytes,
             24 * (std::int64_t{1} << 30));
    QCOMPARE(with(FieldId::Capacity, QStringLiteral("24 GB")).ledger->input.capacity_bytes, 24'000'000'000);
  }

  void what_cannot_be_read_is_told_at_its_field_data() {
    QTest::addColumn<int>("field");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char* name, FieldId field, const char* text, const char* problem) {
      QTest::newRow(name) << static_cast<int>(field) << QString::fromLatin1(text) << QString::fromLatin1(problem);
    };
    row("negative", FieldId::Capacity, "-24 GB", "Found '-24 GB', expected a size of at least 0 B.");
    row("no unit", FieldId::PerSample, "0.34", "Found '0.34', expected a number and a unit:");
    row("NaN", FieldId::Fixed, "nan", "Found 'nan', expected a size with its unit");
    row("NaN with a unit", FieldId::PerSample, "NaN GB", "Found 'NaN GB', expected a size with its unit");
    row("empty", FieldId::Capacity, "", "Found '', expected a size with its unit");
    row("nothing a sample", FieldId::PerSample, "0 GB", "Found 0, expected at least 1.");
    row("all in reserve", FieldId::Reserve, "100 %", "Found '100 %', expected a share from 0 to below 1");
    row("more than all", FieldId::Reserve, "1.5",
        "Found '1.5', expected a share below 1 or a percentage: 1.5 % if that is meant");
    row("half a sample", FieldId::Microbatch, "1.5", "Found '1.5', expected a whole number from 1");
    row("no sample", FieldId::Microbatch, "0", "Found '0', expected a whole number from 1");
    row("too many blocks", FieldId::Blocks, "100001", "Found 100001, expected at least 1 and at most 100000.");
    row("beyond 64 bits", FieldId::Capacity, "10000000000 GB", "Found '10000000000 GB', expected at most");
    // 2^63 / 0.34e9 ≈ 2.7e10 samples
    row("a product beyond 64 bits", FieldId::Microbatch, "99999999999", "Found 99999999999, expected at most");
    row("an effective batch beyond 64 bits", FieldId::Accumulation, "9223372036854775807",
        "Found 9223372036854775807, expected at most");
  }
  void what_cannot_be_read_is_told_at_its_field() {
    QFETCH(int, field);
    QFETCH(QString, text);
    QFETCH(QString, problem);
    const TypedAnswer answer = with(static_cast<FieldId>(field), text);
    QCOMPARE(answer.problems.size(), std::size_t{1});
    QVERIFY2(answer.problems.at(static_cast<FieldId>(field)).startsWith(problem),
             qPrintable(answer.problems.at(static_cast<FieldId>(field))));
    QVERIFY(!answer.ledger.has_value());
    QVERIFY(!answer.plans.has_value());
    const ShownLedger shown = shownOf(handExample(), answer, {});
    QVERIFY(!shown.why.isEmpty());
    QCOMPARE(shown.plans.rows, 0);
    QVERIFY(shown.timeline.allocated == nullptr);
  }

  void parameters_beyond_64_bits_are_told() {
    const TypedAnswer answer = with(FieldId::Parameters, QStringLiteral("900000000 billion"), FixedState::AdamW);
    QVERIFY(answer.problems.count(FieldId::Parameters) == 1);
    // 2^63 − 1 = 9,223,372,036,854,775,807; / 16 = 576,460,752,303,423,487
    QVERIFY(answer.problems.at(FieldId::Parameters).contains(QStringLiteral("at most 576460752303423487")));
  }

  void a_fixed_state_beyond_the_device_is_an_answer() {
    const TypedAnswer answer = with(FieldId::Fixed, QStringLiteral("30 GB"));
    QVERIFY(answer.ledger.has_value());
    const ShownLedger shown = shownOf(handExample(), answer, {});
    QVERIFY(shown.why.isEmpty());
    // 30 − 21.6 = 8.4
    QVERIFY2(shown.sentence.startsWith(QStringLiteral("Does not fit at any microbatch, over by 8.4 GB: the fixed state "
                                                      "alone needs 30 GB of 21.6 GB usable.")),
             qPrintable(shown.sentence));
    QVERIFY(shown.statements[0].state == mantissa::ui::shell::Statement::State::Bad);
    QCOMPARE(shown.statements[0].detail, QStringLiteral("over by 8.4 GB"));
  }

  void a_wrong_deadline_takes_the_plans_and_not_the_ledger() {
    const TypedAnswer answer = with(FieldId::Deadline, QStringLiteral("8 hours"));
    QVERIFY(answer.ledger.has_value());
    QVERIFY(!answer.plans.has_value());
    QVERIFY2(answer.noPlans.startsWith(QStringLiteral("Deadline: Found '8 hours'")), qPrintable(answer.noPlans));
  }

  void plans_keep_the_effective_batch_and_mark_the_soonest() {
    TypedValues values = TypedValues::example();
    values.times = {{TypedPolicy::Fp16, false, {32, 2, 0.610}}, {TypedPolicy::Fp16, false, {16, 4, 0.668}}};
    const TypedAnswer answer = answerOf(values);
    QVERIFY(answer.plans.has_value());
    // 64 has the divisors 1, 2, 4 … 64: seven for each of FP16, FP16 checkpointed, FP32
    QCOMPARE(answer.plans->plans.size(), std::size_t{21});
    for (const auto& plan : answer.plans->plans) QCOMPARE(plan.microbatch * plan.accumulation, 64);
    const ShownLedger shown = shownOf(values, answer, {});
    QVERIFY(shown.plans.best.has_value());
    const int best = static_cast<int>(*shown.plans.best);
    const auto cell = [&](PlanColumn column) { return shown.plans.cell(best, static_cast<int>(column)); };
    QCOMPARE(cell(PlanColumn::Plan).text, QStringLiteral("★ FP16 autocast"));
    QCOMPARE(cell(PlanColumn::Microbatch).text, QStringLiteral("32"));
    QCOMPARE(cell(PlanColumn::Peak).text, QStringLiteral("14.08"));     // 3.2 + 32 · 0.34
    QCOMPARE(cell(PlanColumn::Headroom).text, QStringLiteral("7.52"));  // 21.6 − 14.08
    QCOMPARE(cell(PlanColumn::Update).text, QStringLiteral("0.610"));
    QCOMPARE(cell(PlanColumn::Finish).text, QStringLiteral("6 h 46 min"));  // 40,000 · 0.61 s = 24,400 s
    QCOMPARE(cell(PlanColumn::Deadline).text, QStringLiteral("✓ met, 1 h 13 min spare"));
    QCOMPARE(cell(PlanColumn::Cost).text, QStringLiteral("16.94"));  // 24,400 / 3,600 · 2.50
    QCOMPARE(shown.statements[3].answer, QStringLiteral("★ 32 × 2, FP16 autocast"));
    QCOMPARE(shown.statements[4].answer, QStringLiteral("6 h 46 min"));
  }

  void what_does_not_fit_says_by_how_much() {
    const TypedValues values = TypedValues::example();
    const ShownLedger shown = shownOf(values, answerOf(values), {});
    int found = 0;
    for (int row = 0; row < shown.plans.rows; ++row) {
      const auto& plan = shown.plans.plans[static_cast<std::size_t>(row)];
      if (plan.fits || plan.microbatch != 64 || shown.plans.cell(row, 0).text != QStringLiteral("FP16 autocast"))
        continue;
      ++found;
      QCOMPARE(shown.plans.cell(row, static_cast<int>(PlanColumn::Headroom)).text,
               QStringLiteral("\u22123.36"));  // 21.6 − (3.2 + 64 · 0.34)
      QCOMPARE(shown.plans.cell(row, static_cast<int>(PlanColumn::Fits)).text, QStringLiteral("✕ over"));
      QCOMPARE(shown.plans.cell(row, static_cast<int>(PlanColumn::Deadline)).text,
               QStringLiteral("not run: does not fit"));
    }
    QCOMPARE(found, 1);
  }

  void autocast_saves_activations_and_nothing_else() {
    const TypedValues values = TypedValues::example();
    const ShownLedger shown = shownOf(values, answerOf(values), {});
    const auto row = [&](int place) {
      QStringList cells;
      for (int column = 0; column < static_cast<int>(shown.categories.columns.size()); ++column) {
        cells << shown.categories.cell(place, column).text;
      }
      return cells;
    };
    QCOMPARE(row(0), QStringList({QStringLiteral("Parameters"), QStringLiteral("200 million × 4 bytes, FP32 in both"),
                                  QStringLiteral("0.80"), QStringLiteral("0.80"), QStringLiteral("0.00"),
                                  QStringLiteral("derived")}));
    // 16 · 0.61 = 9.76, 16 · 0.34 = 5.44
    QCOMPARE(row(3), QStringList({QStringLiteral("Activations"), QStringLiteral("16 × 610 MB and 16 × 340 MB"),
                                  QStringLiteral("9.76"), QStringLiteral("5.44"), QStringLiteral("4.32"),
                                  QStringLiteral("typed")}));
    QCOMPARE(row(4).last(), QStringLiteral("! missing"));
    QCOMPARE(row(5).mid(2, 3), QStringList({QStringLiteral("12.96"), QStringLiteral("8.64"), QStringLiteral("4.32")}));
  }

  void what_lies_outside_of_the_allocator_counts() {
    const TypedAnswer answer = with(FieldId::Outside, QStringLiteral("0.5 GB"));
    QCOMPARE(answer.ledger->total_bytes, 9'140'000'000);  // 8.64 + 0.5
    QCOMPARE(*answer.ledger->limits.microbatch, 52);      // (21.6 − 3.7) / 0.34 = 52.6
  }

  void counts_may_have_separators_of_groups() {
    QCOMPARE(*countOf(QStringLiteral("40,000")), 40'000);
    QCOMPARE(*countOf(QStringLiteral("1,234,567")), 1'234'567);
    QVERIFY(!countOf(QStringLiteral("4,00")).has_value());
    QCOMPARE(parametersOf(QStringLiteral("1.5 billion")), 1'500'000'000);
    QCOMPARE(parametersOf(QStringLiteral("25,557,032")), 25'557'032);
  }

  void a_decimal_comma_is_read_where_the_locale_writes_one() {
    QVERIFY(!with(FieldId::PerSample, QStringLiteral("0,34 GB")).problems.empty());  // English: no such number
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const TypedAnswer answer = with(FieldId::PerSample, QStringLiteral("0,34 GB"));
    const TypedAnswer share = with(FieldId::Reserve, QStringLiteral("12,5 %"));
    const TypedAnswer parameters = with(FieldId::Parameters, QStringLiteral("1,5 million"), FixedState::Sgd);
    const TypedAnswer twice = with(FieldId::PerSample, QStringLiteral("1,000,000 B"));
    const TypedAnswer mixed = with(FieldId::PerSample, QStringLiteral("1.000,5 B"));
    const QString stepped = TextSpin::stepped(TextSpin::Kind::Size, QStringLiteral("0,34 GB"), 1);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QVERIFY(answer.ledger.has_value());
    QCOMPARE(answer.ledger->input.per_sample_bytes, 340'000'000);
    QCOMPARE(share.ledger->usable_bytes, 21'000'000'000);  // 24 · 0.875
    QCOMPARE(*parameters.parameters, 1'500'000);
    QVERIFY(!twice.problems.empty());
    QVERIFY(!mixed.problems.empty());
    QCOMPARE(stepped, QStringLiteral("0,35 GB"));
  }

  void a_step_changes_the_second_digit_and_leaves_the_unit() {
    using Kind = TextSpin::Kind;
    QCOMPARE(TextSpin::stepped(Kind::Size, QStringLiteral("24 GiB"), 1), QStringLiteral("25 GiB"));
    QCOMPARE(TextSpin::stepped(Kind::Size, QStringLiteral("0.34 GB"), 1), QStringLiteral("0.35 GB"));
    QCOMPARE(TextSpin::stepped(Kind::Size, QStringLiteral("10 GB"), -1), QStringLiteral("9.9 GB"));
    QCOMPARE(TextSpin::stepped(Kind::Share, QStringLiteral("99 %"), 1), QStringLiteral("99 %"));
    QCOMPARE(TextSpin::stepped(Kind::Count, QStringLiteral("1"), -1), QStringLiteral("1"));
    QCOMPARE(TextSpin::stepped(Kind::Price, QStringLiteral("2.50"), 1), QStringLiteral("2.60"));
    QCOMPARE(TextSpin::stepped(Kind::Size, QStringLiteral("much"), 1), QStringLiteral("much"));
  }

  void every_limit_says_why_it_is_one() {
    const TypedAnswer answer = answerOf(handExample());
    QCOMPARE(limitSentence(LimitOf::Microbatch, *answer.ledger),
             QStringLiteral("3.2 GB + 54 × 340 MB = 21.56 GB is within 21.60 GB. 55 samples would need 21.90 GB."));
    for (int i = 0; i < kTypedLimits; ++i) {
      QVERIFY(!limitName(static_cast<LimitOf>(i)).isEmpty());
      QVERIFY(!limitSentence(static_cast<LimitOf>(i), *answer.ledger).isEmpty());
    }
    // 8.64 / 0.9 = 9.6
    QCOMPARE(limitText(LimitOf::Capacity, *answer.ledger), QStringLiteral("9.6 GB"));
    // (24 − 8.64) / 24 = 64 %
    QCOMPARE(limitText(LimitOf::Reserve, *answer.ledger), QStringLiteral("64 %"));
  }
};

QTEST_MAIN(TypedLedgerTests)
#include "typed_ledger_tests.moc"
