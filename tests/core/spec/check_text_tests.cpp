// SPDX-License-Identifier: Apache-2.0
// All problems of a text at once: what an editor shows.
#include <QTest>

#include <algorithm>

#include "core/spec/check_text.h"
#include "core/spec/parse.h"

using namespace mantissa;
using namespace mantissa::spec;

namespace {

const std::string kSound = "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n";

struct Places : std::vector<std::pair<int, std::string>> {
  using vector::vector;
};

Places places(const TextCheck& check) {
  Places places;
  for (const Error& error : check.problems) places.emplace_back(error.facts().line, error.facts().subject);
  return places;
}

/// For QCOMPARE to show.
char* toString(const Places& places) {
  std::string text;
  for (const auto& [line, subject] : places) text += ' ' + std::to_string(line) + ' ' + subject;
  return qstrdup(text.c_str());
}

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
    QCOMPARE(places(check), (Places{{6, "model.activation"},
                                    {8, "training.bach"},
                                    {10, "trial[0]"},  // no name
                                    {11, "trial[0].autocast"}}));
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
    // Which loss the model may have hangs on its kind; a batch of none is wrong with any model.
    const TextCheck check = check_text(
        "mantissa = 1\n[data]\nsource = \"digits\"\n[model]\nhidden = [1]\n[training]\nloss = \"output\"\n"
        "batch = 0\n[[trial]]\nname = \"a\"\nautocast = \"float16\"\n[reference]\nrepeats = -1\n",
        "a.toml");
    QCOMPARE(places(check), (Places{{4, "model"}, {8, "training.batch"}, {13, "reference.repeats"}}));
    const TextCheck other = check_text(kSound +
                                           "[training]\nloss = \"output\"\n[[trial]]\nname = \"a\"\nautocast = "
                                           "\"float16\"\n[trial.scaler]\nfloor = -1\n",
                                       "a.toml");
    QCOMPARE(places(other), (Places{{7, "training.loss"}, {12, "trial[a].scaler.floor"}}));
  }

  void problems_of_one_table_hide_none_of_another() {
    const std::string optimizer = "[training]\n[[training.optimizer]]\nlr = -1\nbetas = [0.5, 2]\neps = -1\n";
    const std::string head = "mantissa = 1\n[data]\n";
    const auto expect = [&](const std::string& before, Places places_before) {
      const TextCheck check = check_text(before + optimizer, "a.toml");
      const int line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
      places_before.insert(places_before.end(), {{line + 3, "training.optimizer[0].lr"},
                                                 {line + 4, "training.optimizer[0].betas[1]"},
                                                 {line + 5, "training.optimizer[0].eps"}});
      QCOMPARE(places(check), places_before);
    };
    expect(head + "source = \"digits\"\n[model]\n", {{4, "model"}});                       // no kind
    expect(head + "source = \"digits\"\n[model]\nkind = \"mpl\"\n", {{5, "model.kind"}});  // no such kind
    expect(head + "sauce = \"digits\"\n[model]\nkind = \"mlp\"\n", {{3, "data.sauce"}});   // no such key
    expect(head + "[model]\nkind = \"mlp\"\n", {{2, "data"}});                             // neither source nor path
    expect("[data]\nsource = \"digits\"\n[model]\nkind = \"mlp\"\n", {{0, "mantissa"}});
  }

  void every_item_of_a_list_is_looked_at() {
    const TextCheck check =
        check_text(kSound +
                       "[training]\n[[training.optimizer]]\nlr = -1\n[[training.optimizer]]\nkind = "
                       "\"rmsprop\"\nalpha = -1\n[[trial]]\nautocast = \"float16\"\n[trial.scaler]\n"
                       "floor = -1\n[[trial]]\nname = \"b\"\nautocast = \"flout16\"\nshadow_every = "
                       "-1\n[[trial]]\nname = \"b\"\nautocast = \"off\"\nshadow_every = -2\n[[trial]]\nname = \"c\"\n",
                   "a.toml");
    QCOMPARE(places(check), (Places{{8, "training.optimizer[0].lr"},
                                    {11, "training.optimizer[1].alpha"},
                                    {12, "trial[0]"},  // no name
                                    {15, "trial[0].scaler.floor"},
                                    {18, "trial[b].autocast"},
                                    {19, "trial[b].shadow_every"},
                                    {21, "trial[b].name"},  // taken
                                    {23, "trial[b].shadow_every"},
                                    {24, "trial[c]"}}));  // no autocast
  }

  void what_two_keys_say_together_is_told_beside_others() {
    const TextCheck check = check_text(
        kSound + "[training]\nsteps = 1\nepochs = 1\nbatch = 0\n[budget]\nreserve = 2\ndeadline = 3\n", "a.toml");
    QCOMPARE(places(check),
             (Places{{8, "training.epochs"}, {9, "training.batch"}, {11, "budget.reserve"}, {12, "budget.deadline"}}));
  }

  void what_a_mended_value_would_bring_is_none() {
    // Without momentum no Nesterov, without a wrong limit none at all, and none of the words that kinds take.
    const TextCheck check =
        check_text(kSound +
                       "[training]\n[[training.optimizer]]\nkind = \"sgd\"\nmomentum = -1\nnesterov = true\n"
                       "[[training.optimizer]]\nkind = \"adm\"\namsgrad = true\n[rules]\nflips = { max "
                       "= -1 }\nquality = { mix = 1 }\n[[trial]]\nnam = \"a\"\nautocast = \"float16\"\n"
                       "[expect]\na = \"acepted\"\n",
                   "a.toml");
    QCOMPARE(places(check), (Places{{9, "training.optimizer[0].momentum"},
                                    {12, "training.optimizer[1].kind"},
                                    {15, "rules.flips.max"},
                                    {16, "rules.quality.mix"},
                                    {18, "trial[0].nam"},
                                    {21, "expect.a"}}));
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
