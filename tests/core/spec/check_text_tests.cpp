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

  void warnings_come_along() {
    const TextCheck check = check_text(
        kSound + "[[trial]]\nname = \"a\"\nautocast = \"float16\"\n[trial.scaler]\ninit_scale = 0.5\n", "a.toml");
    QVERIFY(check.problems.empty());
    QCOMPARE(check.warnings.size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(CheckTextTests)
#include "check_text_tests.moc"
