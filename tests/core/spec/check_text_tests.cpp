// SPDX-License-Identifier: Apache-2.0
// All problems of a text at once: what an editor shows.
#include <QTest>

#include "core/spec/check_text.h"
#include "core/spec/parse.h"

using namespace mantissa;
using namespace mantissa::spec;

namespace {

const std::string kSound = "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n";

std::vector<std::pair<int, std::string>> places(const TextCheck& check) {
  std::vector<std::pair<int, std::string>> places;
  for (const Error& error : check.problems) places.emplace_back(error.facts().line, error.facts().subject);
  return places;
}

using Places = std::vector<std::pair<int, std::string>>;

}  // namespace

class CheckTextTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_sound_text_has_none() {
    const TextCheck check = check_text(kSound, "a.toml");
    QVERIFY(check.is_toml);
    QVERIFY(check.problems.empty());
    QVERIFY(check.warnings.empty());
  }

  void what_is_no_toml_ends_at_the_first_place() {
    const TextCheck check = check_text(kSound + "a = = 1\nb = = 2\n", "a.toml");
    QVERIFY(!check.is_toml);
    QCOMPARE(check.problems.size(), std::size_t{1});
    QCOMPARE(check.problems.front().facts().line, 6);
    QVERIFY(!check_text("", "a.toml").is_toml);
  }

  void every_wrong_key_and_word_is_found_in_the_order_of_the_file() {
    const TextCheck check = check_text(
        kSound + "activation = \"rely\"\n[training]\nbach = 3\nsteps = 1\n[[trial]]\nautocast = 3\n", "a.toml");
    QVERIFY(check.is_toml);
    QCOMPARE(places(check), (Places{{6, "model.activation"}, {8, "training.bach"}, {11, "trial[0].autocast"}}));
  }

  void every_value_outside_its_range_is_found_across_tables() {
    const TextCheck check = check_text(
        kSound +
            "dropout = 2.0\n[training]\nbatch = 0\n[[trial]]\nname = \"a\"\nautocast = \"float16\"\n[trial.scaler]\n"
            "growth_factor = 0.5\n",
        "a.toml");
    QCOMPARE(places(check),
             (Places{{6, "model.dropout"}, {8, "training.batch"}, {13, "trial[a].scaler.growth_factor"}}));
  }

  void every_value_outside_its_range_is_found_within_a_table() {
    const TextCheck check = check_text(kSound +
                                           "[training]\nbatch = 0\nsteps = -1\nclip_norm = -1.0\n[[trial]]\nname = "
                                           "\"a\"\nautocast = \"float16\"\n[trial.scaler]\ngrowth_factor = 0.5\n"
                                           "backoff_factor = 3.0\n",
                                       "a.toml");
    QCOMPARE(places(check), (Places{{7, "training.batch"},
                                    {8, "training.steps"},
                                    {9, "training.clip_norm"},
                                    {14, "trial[a].scaler.growth_factor"},
                                    {15, "trial[a].scaler.backoff_factor"}}));
  }

  void the_first_problem_is_the_one_that_parsing_throws() {
    for (const std::string& broken : {std::string("training.batch = -1\n"), std::string("x = 1\n"), std::string("]")}) {
      const std::string text = broken + kSound;
      const TextCheck check = check_text(text, "a.toml");
      QVERIFY(!check.problems.empty());
      try {
        static_cast<void>(parse_experiment(text, "a.toml"));
        QFAIL("a broken text was taken");
      } catch (const Error& error) {
        QCOMPARE(std::string(check.problems.front().what()), std::string(error.what()));
      }
    }
  }

  void what_depends_on_a_problem_is_left_out() {
    // Which loss the model may have hangs on its kind, and no optimizer is known where training cannot be read.
    const TextCheck check = check_text(
        "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nhidden = [1]\n[training]\nloss = \"output\"\n"
        "batch = 0\n[[trial]]\nname = \"a\"\nautocast = \"float16\"\n[reference]\nrepeats = -1\n",
        "a.toml");
    QCOMPARE(places(check), (Places{{4, "model"}, {13, "reference.repeats"}}));
    const TextCheck other = check_text(kSound +
                                           "[training]\nloss = \"output\"\n[[trial]]\nname = \"a\"\nautocast = "
                                           "\"float16\"\n[trial.scaler]\nfloor = -1\n",
                                       "a.toml");
    QCOMPARE(places(other), (Places{{7, "training.loss"}}));
  }

  void no_broken_table_brings_the_check_down() {
    // Every single line of a whole experiment taken out, and every value made wrong.
    const std::vector<std::string> lines = {"mantissa = 1\n",
                                            "[data]\n",
                                            "source = \"digits\"\n",
                                            "[model]\n",
                                            "kind = \"mlp\"\n",
                                            "hidden = [8]\n",
                                            "[training]\n",
                                            "loss = \"cross_entropy\"\n",
                                            "batch = 8\n",
                                            "steps = 4\n",
                                            "[[training.optimizer]]\n",
                                            "kind = \"adamw\"\n",
                                            "lr = 1e-3\n",
                                            "[[trial]]\n",
                                            "name = \"a\"\n",
                                            "autocast = \"float16\"\n",
                                            "[trial.scaler]\n",
                                            "floor = 1\n",
                                            "[rules]\n",
                                            "flips = { max = 1 }\n",
                                            "quality = { min = 0.5 }\n",
                                            "[reference]\n",
                                            "repeats = 1\n",
                                            "[expect]\n",
                                            "a = \"accepted\"\n"};
    for (std::size_t wrong = 0; wrong < lines.size(); ++wrong) {
      for (const char* const value : {"", "-1", "\"x\"", "[]", "{}", "true", "nan"}) {
        std::string text;
        for (std::size_t i = 0; i < lines.size(); ++i) {
          const std::size_t equals = lines[i].find('=');
          if (i != wrong) {
            text += lines[i];
          } else if (*value != '\0' && equals != std::string::npos) {
            text += lines[i].substr(0, equals + 2) + value + '\n';
          }
        }
        const TextCheck check = check_text(text, "a.toml");
        bool is_taken = true;
        try {
          static_cast<void>(parse_experiment(text, "a.toml"));
        } catch (const Error&) {
          is_taken = false;
        }
        QVERIFY2(check.problems.empty() == is_taken, text.c_str());
      }
    }
  }

  void warnings_come_along() {
    const TextCheck check = check_text(
        kSound + "[[trial]]\nname = \"a\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = 0.5\n", "a.toml");
    QVERIFY(check.problems.empty());
    QCOMPARE(check.warnings.size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(CheckTextTests)
#include "check_text_tests.moc"
