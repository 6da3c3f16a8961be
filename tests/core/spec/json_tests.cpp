// SPDX-License-Identifier: Apache-2.0
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "core/spec/units.h"
#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

class SpecJsonTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void trial_is_written_with_its_defaults_and_sorted_keys() {
    // Written by hand from the contract's defaults.
    QCOMPARE(canonical_json(parse(scalar_example).trials[0]),
             std::string(R"({"autocast":"float16","cast_policy":"device","float32_regions":[],"name":"fp16",)"
                         R"("scaler":{"at_floor":"continue","backoff_factor":0.5,"ceiling":0,"enabled":true,"floor":0,)"
                         R"("growth_delay":0,"growth_factor":2,"growth_interval":3,"hysteresis":1,)"
                         R"("hysteresis_refill":"growth","init_scale":8192},"shadow_every":10})"));
  }

  void rules_are_written_as_they_will_be_judged() {
    const Experiment e =
        parse_more("[rules]\noutput = { reduce = \"max\", max = 0.1 }\nflips = { max = 0, boundary = { max = 2 } }\n");
    QCOMPARE(canonical_json_of_rules(e),
             std::string(R"({"flips":{"boundary":{"max":2},"max":0,"of":"same_weights","ties":"lowest-index"},)"
                         R"("non_finite":"reject","output":[{"max":0.1,"measure":"case_relative","name":"",)"
                         R"("of":"same_weights","reduce":"max"}],"progress":null,"quality":[],"target":"as-run",)"
                         R"("threshold":0.5,"threshold_given":false})"));
  }

  void no_rules_are_an_empty_text() { QCOMPARE(canonical_json_of_rules(parse(least_example)), std::string()); }

  void whole_experiment_is_json_with_every_part() {
    const QJsonObject object =
        QJsonDocument::fromJson(QByteArray::fromStdString(canonical_json(parse(scalar_example)))).object();
    QCOMPARE(object.keys(), (QStringList{"budget", "cases", "data", "description", "expect", "mantissa", "model",
                                         "name", "reference", "rules", "training", "trial"}));
    QCOMPARE(object["data"].toObject()["path"].toString(), QString("pattern.csv"));  // not where it lies
    QCOMPARE(object["training"].toObject()["epochs"].toInt(), 1);
    QVERIFY(object["training"].toObject()["steps"].isNull());
    QVERIFY(object["rules"].isNull());
  }

  void text_to_hash_leaves_out_what_says_nothing_about_the_run() {
    const std::string described =
        "name = \"other\"\ndescription = \"words\"\n" + std::string(scalar_example) + "[expect]\nfp16 = \"rejected\"\n";
    QCOMPARE(canonical_json_to_hash(parse(described)), canonical_json_to_hash(parse(scalar_example)));
    QVERIFY(canonical_json(parse(described)) != canonical_json(parse(scalar_example)));
  }

  void text_to_hash_does_not_depend_on_the_folder_or_on_comments() {
    const std::string commented = "# a comment\n" + std::string(scalar_example);
    QCOMPARE(canonical_json_to_hash(parse_experiment(commented, "/elsewhere/b.toml")),
             canonical_json_to_hash(parse(scalar_example)));
  }

  void default_written_out_gives_the_same_text() {
    QCOMPARE(canonical_json(parse_more("[training]\nseed = 1\naccumulate = 1\n[[training.optimizer]]\nlr = 0.001\n")),
             canonical_json(parse(least_example)));
  }

  void every_changed_setting_changes_the_text() {
    const std::string before = canonical_json_to_hash(parse(scalar_example));
    for (const char* const change : {"data.order=\"shuffled\"",
                                     "data.test.fraction=0.5",
                                     "data.test.seed=8",
                                     "data.missing=\"drop\"",
                                     "data.columns.id=\"a\"",
                                     "data.classes=3",
                                     "data.shape=[1]",
                                     "data.standardize=true",
                                     "model.path=\"b.pt\"",
                                     "training.threads=2",
                                     "training.seed=2",
                                     "training.epochs=2",
                                     "training.batch=2",
                                     "training.accumulate=2",
                                     "training.drop_last=true",
                                     "training.loss=\"l1\"",
                                     "training.reduction=\"sum\"",
                                     "training.ignore_index=0",
                                     "training.clip_norm=1",
                                     "training.on_non_finite=\"skip\"",
                                     "training.float32_matmul=\"high\"",
                                     "training.evaluate_every=5",
                                     "training.checkpoint.every=5",
                                     "training.checkpoint.keep=2",
                                     "training.optimizer[0].lr=0.2",
                                     "training.optimizer[0].momentum=0.5",
                                     "training.optimizer[0].dampening=0.5",
                                     "training.optimizer[0].maximize=true",
                                     "training.optimizer[0].parameters=[\"a\"]",
                                     "training.optimizer[0].clip_norm=1",
                                     "training.optimizer[0].weight_decay=0.5",
                                     "training.schedule.gamma=0.25",
                                     "training.schedule.every=2",
                                     "trial[0].name=\"b\"",
                                     "trial[0].autocast=\"bfloat16\"",
                                     "trial[0].float32_regions=[\"loss\"]",
                                     "reference.repeats=1",
                                     "reference.rounding_repeats=1",
                                     "reference.vary=[\"order\"]",
                                     "reference.float64=true",
                                     "trial[0].shadow_every=0",
                                     "trial[0].scaler.enabled=false",
                                     "trial[0].scaler.init_scale=2",
                                     "trial[0].scaler.growth_factor=3",
                                     "trial[0].scaler.backoff_factor=0.25",
                                     "trial[0].scaler.growth_interval=4",
                                     "trial[0].scaler.hysteresis=2",
                                     "trial[0].scaler.hysteresis_refill=\"never\"",
                                     "trial[0].scaler.growth_delay=1",
                                     "trial[0].scaler.floor=1",
                                     "trial[0].scaler.ceiling=8192",
                                     "cases.holdout=3",
                                     "rules={}",
                                     "rules.threshold=0.5",
                                     "rules.output.max=1"}) {
      QVERIFY2(canonical_json_to_hash(parse(scalar_example, {change})) != before, change);
    }
  }

  void recomputed_activations_are_hashed() {
    QVERIFY(canonical_json_to_hash(parse_more("[training]\nactivation_checkpointing = \"blocks\"\n")) !=
            canonical_json_to_hash(parse(least_example)));
  }

  void numbers_are_the_shortest_that_read_back() {
    const std::string json =
        canonical_json(parse_more("[[training.optimizer]]\nlr = 0.1\neps = 1e-300\nweight_decay = 1e22\n"));
    QVERIFY2(json.find("\"lr\":0.1,") != std::string::npos, json.c_str());
    QVERIFY2(json.find("\"eps\":1e-300,") != std::string::npos, json.c_str());
    QVERIFY2(json.find("\"weight_decay\":1e+22}") != std::string::npos, json.c_str());
  }

  void texts_are_escaped() {
    const std::string json =
        canonical_json(parse("description = \"a \\\"b\\\" \\\\ ü\"\n" + std::string(least_example)));
    const std::string escaped = "\"description\":\"a \\\"b\\\" \\\\ ü\"";
    QVERIFY2(json.find(escaped) != std::string::npos, json.c_str());
  }

  void sizes_take_decimal_and_binary_units() {
    QCOMPARE(*bytes_from_text("24 GB"), 24'000'000'000);
    QCOMPARE(*bytes_from_text("24 GiB"), 25'769'803'776);  // 24 * 2^30
    QCOMPARE(*bytes_from_text("200 MB"), 200'000'000);
    QCOMPARE(*bytes_from_text("1.5KiB"), 1536);
    QCOMPARE(*bytes_from_text("512 B"), 512);
    QCOMPARE(*bytes_from_text("1.1 kB"), 1100);
    QCOMPARE(*bytes_from_text("2 TiB"), 2'199'023'255'552);  // 2^41
  }

  void sizes_without_sense_are_none() {
    for (const char* const text : {"", "24", "GB", "24 gb", "24 Gb", "-1 GB", "1,5 GB", "24 GB ", " 24 GB", "nan GB",
                                   "1e30 TB", "24 GB GB", "24 G", "1e GB"}) {
      QVERIFY2(!bytes_from_text(text), text);
    }
  }

  void times_take_units() {
    QCOMPARE(*seconds_from_text("8 h"), 28800.0);
    QCOMPARE(*seconds_from_text("30 min"), 1800.0);
    QCOMPARE(*seconds_from_text("1.5h"), 5400.0);
    QCOMPARE(*seconds_from_text("90 s"), 90.0);
    QCOMPARE(*seconds_from_text("250 ms"), 0.25);
    QCOMPARE(*seconds_from_text("2 d"), 172800.0);
    for (const char* const text : {"", "8", "h", "8 hours", "-8 h", "8 h 30 min", "8  h "}) {
      QVERIFY2(!seconds_from_text(text), text);
    }
  }
};

QTEST_APPLESS_MAIN(SpecJsonTests)
#include "json_tests.moc"
