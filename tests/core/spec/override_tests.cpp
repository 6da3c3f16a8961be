// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

/// What a refused override of the scalar example says.
std::string refused(const std::string& override_text) {
  const auto error = refusal(scalar_example, {override_text});
  if (!error) return "was not refused";
  const ErrorFacts& facts = error->facts();
  if (!facts.file.empty() || facts.line != 0) return "names a place in the file";
  if (facts.subject != "--set " + override_text) return "does not name the override: " + facts.subject;
  return sentence(facts);
}

}  // namespace

#define VERIFY_SAYS(text, piece) QVERIFY2((text).find(piece) != std::string::npos, (text).c_str())

class SpecOverrideTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void blocks_are_found_by_index_and_by_name() {
    const Experiment e = parse(scalar_example, {"training.optimizer[0].lr=1e-4", "trial[fp16].scaler.init_scale=1024",
                                                "trial[0].scaler.growth_interval=7"});
    QCOMPARE(e.training.optimizers[0].lr, 1e-4);
    QCOMPARE(e.trials[0].scaler.init_scale, 1024.0);
    QCOMPARE(e.trials[0].scaler.growth_interval, 7);
    QCOMPARE(e.training.schedule.gamma, 0.5);  // what is not named stays
  }

  void later_overrides_win() {
    QCOMPARE(*parse(scalar_example, {"training.batch=2", "training.batch=3"}).training.batch, 3);
  }

  void missing_tables_are_made() {
    const Experiment e = parse(least_example, {"rules.flips.max=2", "cases.holdout = 5", "training.optimizer[0].lr=0.5",
                                               "rules.output={ max = { float16 = 1e-3 } }"});
    QCOMPARE(*e.rules->flips->max, 2);
    QCOMPARE(e.cases.holdout, 5);
    QCOMPARE(e.training.optimizers.size(), std::size_t{1});
    QCOMPARE(e.training.optimizers[0].lr, 0.5);
    QCOMPARE(e.rules->output[0].max.at("float16"), 1e-3);
  }

  void whole_trial_can_be_added() {
    const Experiment e = parse(least_example, {"trial[0].name=\"bf16\"", "trial[bf16].autocast=\"bfloat16\""});
    QCOMPARE(e.trials.at(0).name, std::string("bf16"));
    QVERIFY(e.trials[0].autocast == Autocast::BFloat16);
  }

  void values_are_toml() {
    const Experiment e = parse(least_example, {"model.hidden=[8, 9]", "training.loss='mse'", "training.drop_last=true",
                                               "description=\"a = b # c\"", "model.hidden[1]=3"});
    QCOMPARE(e.model.hidden, (std::vector<std::int64_t>{8, 3}));
    QVERIFY(e.training.loss == Loss::Mse);
    QVERIFY(e.training.drop_last);
    QCOMPARE(e.description, std::string("a = b # c"));
  }

  void overridden_key_has_no_position_in_the_file() {
    const Experiment e = parse(scalar_example, {"training.batch=2"});
    QCOMPARE(e.position("training.batch").line, 0);
    QCOMPARE(e.position("training.loss").line, 14);
  }

  void overrides_are_kept_as_given() {
    QCOMPARE(parse(scalar_example, {"training.batch = 2"}).overrides, std::vector<std::string>{"training.batch = 2"});
    QCOMPARE(canonical_json(parse(scalar_example, {"training.batch=1"})), canonical_json(parse(scalar_example)));
  }

  void text_with_overrides_gives_the_same_experiment() {
    const std::vector<std::string> overrides{"training.optimizer[0].lr=0.1000000000000001",
                                             "training.steps=7",
                                             "trial[1].name=\"grün \\\"b\\\"\"",
                                             "trial[1].autocast='off'",
                                             "rules.output={ max = { float16 = 1e-300 } }",
                                             "description='''# no \\ comment'''",
                                             "data.columns.inputs=['a', 'b.c']",
                                             "training.drop_last=true"};
    const std::string text = with_overrides(scalar_example, overrides);
    QCOMPARE(canonical_json(parse(text)), canonical_json(parse(scalar_example, overrides)));
    VERIFY_SAYS(text, "# --set training.steps=7\n");
    QVERIFY2(text.find("epochs") == std::string::npos, text.c_str());
  }

  void text_with_overrides_has_numbers_in_their_shortest_form() {
    const std::string text = with_overrides(scalar_example, {"training.optimizer[0].lr=0.99"});
    VERIFY_SAYS(text, "\nlr = 0.99\n");
    VERIFY_SAYS(with_overrides(scalar_example, {"training.optimizer[0].lr=2.0"}), "\nlr = 2.0\n");
  }

  void text_without_overrides_is_the_file_s() {
    const std::string text = std::string("# why\n") + scalar_example;
    QCOMPARE(with_overrides(text, {}), text);
  }

  void text_of_the_file_stays_as_it_is() {
    QCOMPARE(parse(scalar_example, {"training.batch=2"}).text, std::string(scalar_example));
  }

  void unknown_trial_is_refused_with_the_known_ones() {
    VERIFY_SAYS(refused("trial[fp17].scaler.init_scale=4"),
                "no such trial: found fp17, expected one of fp16, or index 0 or 1.");
    VERIFY_SAYS(refused("trial[2].scaler.init_scale=4"), "no such trial: found index 2, expected one of fp16");
    VERIFY_SAYS(refused("trial[-1].scaler.init_scale=4"), "no such trial: found index -1");
  }

  void index_beyond_the_next_is_refused_with_the_possible_ones() {
    // The file has no block; its one optimizer is the default's.
    const auto none = refusal(least_example, {"training.optimizer[1].lr=1"});
    QVERIFY(none.has_value());
    VERIFY_SAYS(sentence(none->facts()), "no such optimizer: found index 1, expected index 0.");
    VERIFY_SAYS(refused("training.optimizer[7].lr=1"), "found index 7, expected index 0 or 1.");
    QCOMPARE(parse(scalar_example, {"training.optimizer[1].lr=1"}).training.optimizers.size(), std::size_t{2});
  }

  void steps_replace_the_epochs_of_the_file_and_the_other_way_round() {
    const Experiment steps = parse(scalar_example, {"training.steps=5"});
    QCOMPARE(steps.training.steps.value_or(-1), 5);
    QVERIFY(!steps.training.epochs);
    const Experiment epochs = parse_more("[training]\nsteps = 9\n", {"training.epochs=2"});
    QCOMPARE(epochs.training.epochs.value_or(-1), 2);
    QVERIFY(!epochs.training.steps);
  }

  void steps_and_epochs_both_overridden_exclude_each_other() {
    const auto both = refusal(scalar_example, {"training.steps=5", "training.epochs=2"});
    QVERIFY(both.has_value());
    VERIFY_SAYS(sentence(both->facts()), "steps and epochs exclude each other");
  }

  void bare_word_is_refused_with_quotes_as_the_way_out() {
    VERIFY_SAYS(refused("training.loss=l1"), "not a TOML value: found \"l1\"");
    VERIFY_SAYS(refused("training.loss=l1"), "--set 'training.loss=\"l1\"'");
  }

  void number_out_of_range_is_refused_with_the_largest() {
    // 2^63 - 1 and the largest FP64 number.
    for (const char* const key : {"training.steps=99999999999999999999", "training.seed=18446744073709551615"}) {
      VERIFY_SAYS(refused(key), "out of range: found ");
      VERIFY_SAYS(refused(key), "expected an integer of at most 9223372036854775807.");
      QVERIFY(refused(key).find("quotes") == std::string::npos);
    }
    VERIFY_SAYS(refused("training.optimizer[0].lr=1e400"),
                "out of range: found 1e400, expected a number of at most 1.7976931348623157e308.");
    VERIFY_SAYS(refused("training.optimizer[0].lr=1.2.3"), "not a TOML value");
    VERIFY_SAYS(refused("training.steps=-99999999999999999999"), "an integer of at least -9223372036854775808.");
  }

  void override_without_a_key_or_value_is_refused() {
    VERIFY_SAYS(refused("training.batch"), "no value: expected key=value");
    VERIFY_SAYS(refused("training.batch="), "not a TOML value: found nothing");
    VERIFY_SAYS(refused("=3"), "not a key path");
    VERIFY_SAYS(refused("training..batch=3"), "not a key path");
    VERIFY_SAYS(refused("trial[fp16.autocast=3"), "no value");
    VERIFY_SAYS(refused("trial[].autocast=3"), "not a key path");
    VERIFY_SAYS(refused("trial[fp16]name=3"), "not a key path");
    VERIFY_SAYS(refused("training.batch=1 2"), "not a TOML value");
  }

  void second_key_cannot_hide_in_a_value() {
    const auto error = refusal(scalar_example, {"training.batch=2\nsteps = 3"});
    QVERIFY(error.has_value());
    QCOMPARE(error->facts().subject, std::string("--set training.batch=2\\nsteps = 3"));
  }

  void path_through_a_value_or_a_list_is_refused() {
    VERIFY_SAYS(refused("training.batch.size=3"), "batch has no keys below it: found 1");
    VERIFY_SAYS(refused("trial.autocast=\"off\""), "Write trial[0].autocast");
    // What is advised is a path that exists, whole.
    VERIFY_SAYS(refused("training.optimizer.lr=0.5"), "Write training.optimizer[0].lr");
    QCOMPARE(parse(scalar_example, {"training.optimizer[0].lr=0.5"}).training.optimizers[0].lr, 0.5);
    VERIFY_SAYS(refused("training[0].batch=3"), "training is not a list");
    VERIFY_SAYS(refused("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=3"), "not a key path");
  }

  void list_of_blocks_is_not_made_without_an_index() {
    const auto error = refusal(least_example, {"training.optimizer.lr=0.5"});
    QVERIFY(error.has_value());
    VERIFY_SAYS(sentence(error->facts()), "Say which one: training.optimizer[0].lr");
  }

  void a_key_within_a_table_that_an_override_gives_is_named() {
    const auto error = refusal(least_example, {"training.schedule={kind=\"cosine\",gamma=0.3}"});
    QVERIFY(error.has_value());
    QCOMPARE(error->facts().subject,
             std::string("--set training.schedule={kind=\"cosine\",gamma=0.3} (training.schedule.gamma)"));
  }

  void checks_of_the_file_hold_for_overrides() {
    VERIFY_SAYS(refused("training.batch=0"), "found 0, expected an integer of at least 1");
    VERIFY_SAYS(refused("training.bach=1"), "unknown key. Did you mean training.batch?");
    VERIFY_SAYS(refused("trial[fp16].scaler.init_scale=nan"), "found NaN");
    VERIFY_SAYS(refused("cost={}"), "not yet available: costs of errors");
  }
};

QTEST_APPLESS_MAIN(SpecOverrideTests)
#include "override_tests.moc"
