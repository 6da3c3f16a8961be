// SPDX-License-Identifier: GPL-3.0-or-later
// Presets of rules in a text: what gives way, what stays as it is written, and what the engine reads of it.
#include <QTest>

#include "core/spec/parse.h"
#include "ui/editor/rules_preset.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

const QString kHead = QStringLiteral("mantissa = 1\n[data]\nsource = \"digits\"\n");

PresetText taken(const QString& text, const char* preset) {
  const std::optional<PresetText> found = withRulesPreset(text, QString::fromLatin1(preset));
  if (!found) qFatal("the preset has no place in the text");
  return *found;
}

spec::Rules rulesOf(const QString& text) {
  return *spec::with_rules_of_text(text.toStdString(), "a.toml", spec::Experiment{}).rules;
}

}  // namespace

class RulesPresetTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_text_without_rules_gets_them() {
    const PresetText found = taken(kHead, "default");
    QCOMPARE(found.text, kHead + QStringLiteral("\n[rules]\npreset = \"default\"\n"));
    QCOMPARE(found.key, QStringLiteral("rules.preset"));
    QVERIFY(found.replaced.isEmpty());
    QCOMPARE(taken(kHead, "onnx").text, kHead + QStringLiteral("\n[rules]\noutput = { preset = \"onnx\" }\n"));
  }

  void rules_that_the_preset_states_give_way_and_others_stay_with_their_comments() {
    const PresetText found = taken(kHead + QStringLiteral("# ours\n"
                                                          "[rules]\n"
                                                          "target = \"cpu\"  # no card\n"
                                                          "output = { max = 1e-3 }\n"
                                                          "# of last year\n"
                                                          "flips = { max = 2 }\n"
                                                          "distribution = { max = 0.1 }\n"
                                                          "[expect]\n"
                                                          "a = \"accepted\"\n"),
                                   "default");
    QCOMPARE(found.text, kHead + QStringLiteral("# ours\n"
                                                "[rules]\n"
                                                "target = \"cpu\"  # no card\n"
                                                "# of last year\n"
                                                "distribution = { max = 0.1 }\n"
                                                "preset = \"default\"\n"
                                                "[expect]\n"
                                                "a = \"accepted\"\n"));
    QCOMPARE(found.replaced, QStringList({"rules.output", "rules.flips"}));
    const spec::Rules rules = rulesOf(found.text);
    QCOMPARE(rules.output.at(0).max.at("float16"), 2e-3);  // of the contract's default
    QCOMPARE(rules.distribution.size(), std::size_t{1});
  }

  void every_way_to_write_a_rule_gives_way() {
    for (const char* const rules :
         {"[[rules.output]]\nname = \"a\"\nmax = 1\n[[rules.output]]\nname = \"b\"\nmax = 1\n[rules.flips]\nmax = 1\n",
          "[rules]\noutput.max = 1\noutput.q = 0.5\nflips.max = 1\n",
          "[rules.output]\nmax = 1\n[rules.flips]\nmax = 1\n",
          "[rules]\noutput = [{ name = \"a\", max = 1 }, { name = \"b\", max = 1 }]\nflips = { max = 1 }\n",
          "rules = { output = { max = 1 }, flips = { max = 1 } }\n", "rules.output.max = 1\nrules.flips.max = 1\n"}) {
      const QString body = QString::fromLatin1(rules);
      const QString text = body.startsWith(QLatin1Char('r')) ? QStringLiteral("mantissa = 1\n") + body : kHead + body;
      const PresetText found = taken(text, "default");
      QCOMPARE(found.replaced, QStringList({"rules.output", "rules.flips"}));
      const spec::Rules read = rulesOf(found.text);
      QVERIFY2(read.output.size() == 1 && read.output[0].max.count("float16") == 1, rules);
      QVERIFY2(read.flips && read.flips->max_by_kind.count("ordinary") == 1, rules);
      const PresetText onnx = taken(text, "onnx");
      QCOMPARE(onnx.replaced, QStringList{"rules.output"});
      QVERIFY2(rulesOf(onnx.text).output.at(0).preset == "onnx", qPrintable(onnx.text));
      QCOMPARE(rulesOf(onnx.text).output.size(), std::size_t{1});
      QVERIFY2(rulesOf(onnx.text).flips->max == 1, rules);  // it says nothing of flips
    }
  }

  void an_output_rule_gives_its_place_to_a_preset_per_operator() {
    const PresetText found = taken(
        kHead + QStringLiteral("[rules]\noutput = { max = 1 } # strict\nprogress = { max_consecutive_skips = 8 }\n"),
        "assert_close");
    QCOMPARE(found.text, kHead + QStringLiteral("[rules]\noutput = { preset = \"assert_close\" } # strict\n"
                                                "progress = { max_consecutive_skips = 8 }\n"));
    QCOMPARE(found.key, QStringLiteral("rules.output"));
  }

  void taking_a_preset_again_changes_nothing() {
    for (const char* const preset : {"default", "torchdynamo"}) {
      const QString once = taken(kHead, preset).text;
      QCOMPARE(taken(once, preset).text, once);
    }
  }

  void line_ends_stay_what_they_are() {
    const QString text = QStringLiteral("mantissa = 1\r\n[rules]\r\nflips = { max = 1 }\r\n");
    QCOMPARE(taken(text, "default").text, QStringLiteral("mantissa = 1\r\n[rules]\r\npreset = \"default\"\r\n"));
  }

  void a_broken_text_stays_as_it_is() {
    QVERIFY(!withRulesPreset(QStringLiteral("[rules\noutput = \"\n"), QStringLiteral("default")));
  }
};

QTEST_APPLESS_MAIN(RulesPresetTests)
#include "rules_preset_tests.moc"
