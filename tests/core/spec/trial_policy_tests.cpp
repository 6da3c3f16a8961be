// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <QTest>

#include "tests/core/spec/examples.h"

using namespace mantissa;
using namespace mantissa::spec;
using namespace mantissa::spec::tests;

namespace {

Experiment with_trial(const std::string& lines, const std::string& autocast = "float16") {
  return parse_more("[[trial]]\nname = \"t\"\nautocast = \"" + autocast + "\"\n" + lines);
}

/// The facts of the refusal; an empty problem and subject where the trial is accepted.
ErrorFacts refusal_of(const std::string& lines) {
  try {
    with_trial(lines);
  } catch (const Error& error) {
    return error.facts();
  }
  return {};
}

}  // namespace

/// What a trial keeps in FP32 and whose casts it follows.
class TrialPolicyTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_form_of_a_region_is_read() {
    const Trial trial = with_trial(
                            "float32_regions = [\"module:head\", \"operator:softmax\", \"loss\", "
                            "\"module:blocks.3.attn/operator:bmm\"]")
                            .trials.front();
    QVERIFY(trial.loss_in_float32);
    QCOMPARE(trial.float32_regions.size(), std::size_t(3));
    QCOMPARE(trial.float32_regions[0].module, std::string("head"));
    QCOMPARE(trial.float32_regions[0].operator_name, std::string());
    QCOMPARE(trial.float32_regions[1].module, std::string());
    QCOMPARE(trial.float32_regions[1].operator_name, std::string("softmax"));
    QCOMPARE(trial.float32_regions[2].module, std::string("blocks.3.attn"));
    QCOMPARE(trial.float32_regions[2].operator_name, std::string("bmm"));
  }

  void the_hash_covers_regions_and_cast_policy() {
    const std::string plain = canonical_json_to_hash(with_trial(""));
    QVERIFY(canonical_json_to_hash(with_trial("float32_regions = [\"module:a\"]")) != plain);
    QVERIFY(canonical_json_to_hash(with_trial("float32_regions = [\"module:a\"]")) !=
            canonical_json_to_hash(with_trial("float32_regions = [\"operator:a\"]")));
    QVERIFY(canonical_json_to_hash(with_trial("cast_policy = \"cuda\"")) != plain);
  }

  void the_canonical_form_spells_regions_as_the_file_does() {
    const std::string text =
        canonical_json(with_trial("float32_regions = [\"module:a/operator:b\", \"loss\"]").trials.front());
    QVERIFY2(text.find(R"("float32_regions":["loss","module:a/operator:b"])") != std::string::npos, text.c_str());
  }

  void malformed_regions_are_refused_data() {
    QTest::addColumn<QString>("region");
    for (const char* region : {"", "head", "module:", "operator:", "layer:head", "module:a/", "module:a/operator:",
                               "module:/operator:b", "operator:b/module:a", "module:a/b", "Loss"}) {
      QTest::newRow(region) << QString::fromLatin1(region);
    }
  }

  void malformed_regions_are_refused() {
    QFETCH(QString, region);
    const ErrorFacts facts = refusal_of("float32_regions = [\"" + region.toStdString() + "\"]");
    QCOMPARE(facts.line, 9);
    QCOMPARE(facts.subject, std::string("trial[t].float32_regions[0]"));
    QVERIFY2(facts.expected.find("module:PATH") != std::string::npos, facts.expected.c_str());
  }

  void a_region_given_twice_is_refused() {
    const ErrorFacts facts = refusal_of("float32_regions = [\"module:a\", \"loss\", \"module:a\"]");
    QCOMPARE(facts.subject, std::string("trial[t].float32_regions[2]"));
    QVERIFY2(facts.problem.find("the same") != std::string::npos, facts.problem.c_str());
  }

  void regions_and_cast_policies_mean_nothing_without_autocast() {
    const Experiment regions = with_trial("float32_regions = [\"module:a\"]", "off");
    QCOMPARE(regions.warnings.size(), std::size_t(1));
    QVERIFY2(regions.warnings[0].find("autocast is off") != std::string::npos, regions.warnings[0].c_str());
    const Experiment casts = with_trial("cast_policy = \"cuda\"", "off");
    QCOMPARE(casts.warnings.size(), std::size_t(1));
    QVERIFY2(casts.warnings[0].find("changes nothing") != std::string::npos, casts.warnings[0].c_str());
  }

  void torchscripts_own_casts_are_for_torchscript_models() {
    const ErrorFacts facts = refusal_of("cast_policy = \"jit\"");
    QCOMPARE(facts.subject, std::string("trial[t].cast_policy"));
    QVERIFY2(
        facts.remedy.find("torchscript") != std::string::npos || facts.problem.find("torchscript") != std::string::npos,
        facts.problem.c_str());
    QCOMPARE(parse(scalar_example, {"trial[0].cast_policy=\"jit\""}).trials[0].cast_policy, std::string("jit"));
  }

  void torchscripts_own_casts_leave_no_module_out() {
    try {
      parse(scalar_example, {"trial[0].cast_policy=\"jit\"", "trial[0].float32_regions=[\"loss\", \"module:fc\"]"});
      QFAIL("accepted");
    } catch (const Error& error) {
      QVERIFY2(error.facts().remedy.find("cast_policy = \"device\"") != std::string::npos, error.what());
    }
    const Experiment with_loss =
        parse(scalar_example, {"trial[0].cast_policy=\"jit\"", "trial[0].float32_regions=[\"loss\"]"});
    QVERIFY(with_loss.trials[0].loss_in_float32);
  }
};

QTEST_GUILESS_MAIN(TrialPolicyTests)
#include "trial_policy_tests.moc"
