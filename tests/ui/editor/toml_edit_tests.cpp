// SPDX-License-Identifier: GPL-3.0-or-later
// One key changes, everything else stays as it is written.
#include <QDir>
#include <QFile>
#include <QTest>

#include <random>

#include "core/base/error.h"
#include "core/spec/key_catalogue.h"
#include "core/spec/parse.h"
#include "ui/editor/toml_edit.h"
#include "ui/editor/toml_text.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

/// Texts of the tests: one line of C++ a line of the file.
QString lines(std::initializer_list<const char*> all) {
  QString text;
  for (const char* const line : all) text += QString::fromUtf8(line) + QLatin1Char('\n');
  return text;
}

QString changed(const QString& text, const std::optional<TextEdit>& edit) {
  return edit ? applied(text, *edit) : QStringLiteral("no place");
}

}  // namespace

class TomlEditTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_key_gets_another_name_and_keeps_its_value() {
    const auto renamed = [](const QString& text, const char* path, const char* name) {
      return changed(text, withOtherName(text, QString::fromLatin1(path), QString::fromLatin1(name)));
    };
    QCOMPARE(renamed(lines({"[expect]", "fp16 = \"x\" # y"}), "expect.fp16", "half"),
             lines({"[expect]", "half = \"x\" # y"}));
    QCOMPARE(renamed(lines({"[expect]", "\"a.b\" = 1"}), "expect.\"a.b\"", "c d"), lines({"[expect]", "\"c d\" = 1"}));
    QCOMPARE(renamed(lines({"expect . fp16 = { otherwise = \"x\" }"}), "expect.fp16", "b"),
             lines({"expect . b = { otherwise = \"x\" }"}));
    QCOMPARE(renamed(lines({"expect = { a = 1, b = 2 }"}), "expect.b", "c"), lines({"expect = { a = 1, c = 2 }"}));
    QCOMPARE(renamed(lines({"expect = { a = 1, b = 2 }"}), "expect.b", "a"), QStringLiteral("no place"));
  }

  void a_value_is_set_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("after");
    const auto row = [](const char* name, const QString& before, const char* path, const char* value,
                        const QString& after) { QTest::newRow(name) << before << path << value << after; };

    row("in place, comment behind it", lines({"[training]", "lr = 1   # rate", "batch=2"}), "training.lr", "2e-3",
        lines({"[training]", "lr = 2e-3   # rate", "batch=2"}));
    row("no blanks around =", lines({"[training]", "batch=2"}), "training.batch", "3",
        lines({"[training]", "batch=3"}));
    row("a # inside a text", lines({"name = \"a # b\" # c"}), "name", "\"d\"", lines({"name = \"d\" # c"}));
    row("literal text", lines({"name = 'a\\'"}), "name", "\"d\"", lines({"name = \"d\""}));
    row("text over lines", lines({"name = \"\"\"a", "x = 1", "\"\"\"", "x = 2"}), "x", "3",
        lines({"name = \"\"\"a", "x = 1", "\"\"\"", "x = 3"}));
    row("list over lines with comments",
        lines({"[model]", "hidden = [ # two", "  1, # [", "  2,", "] # end", "bias = true"}), "model.hidden", "[3]",
        lines({"[model]", "hidden = [3] # end", "bias = true"}));
    row("quoted key", lines({"[expect]", "\"a.b\" = \"x\"", "b = \"y\""}), "expect.\"a.b\"", "\"z\"",
        lines({"[expect]", "\"a.b\" = \"z\"", "b = \"y\""}));
    row("quoted plain key", lines({"[\"training\"]", "'batch' = 1"}), "training.batch", "2",
        lines({"[\"training\"]", "'batch' = 2"}));
    row("dotted key", lines({"training.batch = 1", "training . lr = 2"}), "training.lr", "3",
        lines({"training.batch = 1", "training . lr = 3"}));
    row("blanks in a header", lines({"[ training . schedule ]", "every = 1"}), "training.schedule.every", "2",
        lines({"[ training . schedule ]", "every = 2"}));
    row("a member of braces", lines({"[data]", "test = { fraction = 0.2, seed = 7 } # t"}), "data.test.fraction", "0.5",
        lines({"[data]", "test = { fraction = 0.5, seed = 7 } # t"}));
    row("braces in braces", lines({"[rules]", "output = { max = { float16 = 1, bfloat16 = 2 } }"}),
        "rules.output.max.bfloat16", "3", lines({"[rules]", "output = { max = { float16 = 1, bfloat16 = 3 } }"}));
    row("the second of two items", lines({"[[trial]]", "name = \"a\"", "", "[[trial]]", "name = \"b\""}),
        "trial[1].name", "\"c\"", lines({"[[trial]]", "name = \"a\"", "", "[[trial]]", "name = \"c\""}));
    row("a table of the second item",
        lines({"[[trial]]", "[trial.scaler]", "floor = 1", "[[trial]]", "[trial.scaler]", "floor = 2"}),
        "trial[1].scaler.floor", "3",
        lines({"[[trial]]", "[trial.scaler]", "floor = 1", "[[trial]]", "[trial.scaler]", "floor = 3"}));
    row("items in brackets", lines({"trial = [{ name = \"a\" }, { name = \"b\" }]"}), "trial[1].name", "\"c\"",
        lines({"trial = [{ name = \"a\" }, { name = \"c\" }]"}));

    row("a missing key goes to the end of its table",
        lines({"[training]", "batch = 1 # b", "", "# about rules", "[rules]"}), "training.lr", "2",
        lines({"[training]", "batch = 1 # b", "lr = 2", "", "# about rules", "[rules]"}));
    row("with the indentation of its neighbour", lines({"[training]", "  batch = 1"}), "training.lr", "2",
        lines({"[training]", "  batch = 1", "  lr = 2"}));
    row("below a header without keys", lines({"[training] # t", "", "[rules]"}), "training.lr", "2",
        lines({"[training] # t", "lr = 2", "", "[rules]"}));
    row("not into the table below it", lines({"[training]", "[training.schedule]", "every = 1"}), "training.lr", "2",
        lines({"[training]", "lr = 2", "[training.schedule]", "every = 1"}));
    row("above all tables", lines({"# c", "mantissa = 1", "", "[data]"}), "name", "\"x\"",
        lines({"# c", "mantissa = 1", "name = \"x\"", "", "[data]"}));
    row("above all tables, the first", lines({"# c", "", "[data]"}), "mantissa", "1",
        lines({"# c", "mantissa = 1", "", "[data]"}));
    row("above all tables, below no comment", lines({"# of data", "[data]"}), "mantissa", "1",
        lines({"mantissa = 1", "# of data", "[data]"}));
    row("no line break at the end", QStringLiteral("[data]\nrows = 1"), "data.seed", "2",
        QStringLiteral("[data]\nrows = 1\nseed = 2"));
    row("between braces", lines({"[data]", "test = { fraction = 0.2 }"}), "data.test.seed", "7",
        lines({"[data]", "test = { fraction = 0.2, seed = 7 }"}));
    row("between empty braces", lines({"[data]", "test = {}"}), "data.test.seed", "7",
        lines({"[data]", "test = { seed = 7 }"}));
    row("beside dotted keys", lines({"[[trial]]", "scaler.floor = 1", "name = \"a\""}), "trial[0].scaler.ceiling", "2",
        lines({"[[trial]]", "scaler.floor = 1", "scaler.ceiling = 2", "name = \"a\""}));
    row("a name that needs quotes", lines({"[expect]", "a = \"x\""}), "expect.\"b c\"", "\"y\"",
        lines({"[expect]", "a = \"x\"", "\"b c\" = \"y\""}));

    row("a missing table goes where the contract has it",
        lines({"mantissa = 1", "", "[data]", "rows = 1", "", "[rules]"}), "model.kind", "\"mlp\"",
        lines({"mantissa = 1", "", "[data]", "rows = 1", "", "[model]", "kind = \"mlp\"", "", "[rules]"}));
    row("before the comment of the next one", lines({"[data]", "rows = 1", "", "# strict", "[rules]"}), "cases.holdout",
        "5", lines({"[data]", "rows = 1", "", "[cases]", "holdout = 5", "", "# strict", "[rules]"}));
    row("into an empty text", QString(), "data.rows", "1", lines({"[data]", "rows = 1"}));
    row("a scaler right below its trial", lines({"[[trial]]", "name = \"a\"", "", "[[trial]]", "name = \"b\""}),
        "trial[0].scaler.floor", "1",
        lines({"[[trial]]", "name = \"a\"", "[trial.scaler]", "floor = 1", "", "[[trial]]", "name = \"b\""}));
    row("a table inside a table gets braces", lines({"[training]", "batch = 1"}), "training.checkpoint.every", "5",
        lines({"[training]", "batch = 1", "checkpoint = { every = 5 }"}));
    row("and braces in them", lines({"[rules]"}), "rules.output.max.float16", "1e-3",
        lines({"[rules]", "output = { max = { float16 = 1e-3 } }"}));
    row("braces take the place of a number", lines({"[rules]", "output = { max = 0.1, q = 0.5 }"}),
        "rules.output.max.float16", "1e-3", lines({"[rules]", "output = { max = { float16 = 1e-3 }, q = 0.5 }"}));
    row("the first item of a list", lines({"[training]", "batch = 1", "", "[[trial]]"}), "training.optimizer[0].lr",
        "1e-3", lines({"[training]", "batch = 1", "", "[[training.optimizer]]", "lr = 1e-3", "", "[[trial]]"}));
    row("the schedule of an optimizer", lines({"[[training.optimizer]]", "lr = 1", "[[training.optimizer]]", "lr = 2"}),
        "training.optimizer[0].schedule.kind", "\"step\"",
        lines({"[[training.optimizer]]", "lr = 1", "", "[training.optimizer.schedule]", "kind = \"step\"",
               "[[training.optimizer]]", "lr = 2"}));
    row("line ends stay", QStringLiteral("[data]\r\nrows = 1 # r\r\n\r\n[model]\r\n"), "data.seed", "2",
        QStringLiteral("[data]\r\nrows = 1 # r\r\nseed = 2\r\n\r\n[model]\r\n"));

    row("no value in place of a table", lines({"[data]", "rows = 1"}), "data", "1", QStringLiteral("no place"));
    row("no third item without a second", lines({"[[trial]]", "name = \"a\""}), "trial[2].name", "\"b\"",
        QStringLiteral("no place"));
    row("not into a broken text", lines({"[data", "rows = 1"}), "data.rows", "2", QStringLiteral("no place"));
    row("not into an open text", lines({"a = \"b", "[data]", "rows = 1"}), "data.rows", "2",
        QStringLiteral("no place"));
  }
  void a_value_is_set() {
    QFETCH(QString, before);
    QFETCH(QString, path);
    QFETCH(QString, value);
    QTEST(changed(before, withValue(before, path, value)), "after");
  }

  void a_key_is_taken_away_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("after");
    const auto row = [](const char* name, const QString& before, const char* path, const QString& after) {
      QTest::newRow(name) << before << path << after;
    };
    row("with its line", lines({"[data]", "rows = 1 # r", "# s", "seed = 2"}), "data.rows",
        lines({"[data]", "# s", "seed = 2"}));
    row("with all its lines", lines({"[model]", "hidden = [", "1,", "]", "bias = true"}), "model.hidden",
        lines({"[model]", "bias = true"}));
    row("the last line without its end", QStringLiteral("[data]\nrows = 1"), "data.rows", QStringLiteral("[data]"));
    row("the first between braces", lines({"t = { a = 1, b = 2, c = 3 }"}), "t.a", lines({"t = { b = 2, c = 3 }"}));
    row("one in the middle", lines({"t = { a = 1, b = 2, c = 3 }"}), "t.b", lines({"t = { a = 1, c = 3 }"}));
    row("the last", lines({"t = { a = 1, b = 2, c = 3 }"}), "t.c", lines({"t = { a = 1, b = 2 }"}));
    row("alone, with the braces", lines({"[rules]", "output = { max = { float16 = 1 } }", "threshold = 1"}),
        "rules.output.max.float16", lines({"[rules]", "threshold = 1"}));
    row("line ends stay", QStringLiteral("[data]\r\nrows = 1\r\nseed = 2\r\n"), "data.rows",
        QStringLiteral("[data]\r\nseed = 2\r\n"));
    row("what is not there", lines({"[data]"}), "data.rows", QStringLiteral("no place"));
  }
  void a_key_is_taken_away() {
    QFETCH(QString, before);
    QFETCH(QString, path);
    QTEST(changed(before, withoutKey(before, path)), "after");
  }

  void items_come_and_go() {
    const QString two =
        lines({"mantissa = 1", "", "# first", "[[trial]]", "name = \"a\"", "[trial.scaler]", "floor = 1", "",
               "# second", "[[trial]]", "name = \"b\"", "", "# strict", "[rules]", "threshold = 1"});
    QCOMPARE(changed(two, withItem(two, "trial", "name = \"c\"\nautocast = \"off\"")),
             lines({"mantissa = 1", "", "# first", "[[trial]]", "name = \"a\"", "[trial.scaler]", "floor = 1", "",
                    "# second", "[[trial]]", "name = \"b\"", "", "[[trial]]", "name = \"c\"", "autocast = \"off\"", "",
                    "# strict", "[rules]", "threshold = 1"}));
    QCOMPARE(changed(two, withCopy(two, "trial[0]")),
             lines({"mantissa = 1",   "",          "# first",  "[[trial]]", "name = \"a\"",
                    "[trial.scaler]", "floor = 1", "",         "[[trial]]", "name = \"a\"",
                    "[trial.scaler]", "floor = 1", "",         "# second",  "[[trial]]",
                    "name = \"b\"",   "",          "# strict", "[rules]",   "threshold = 1"}));
    QCOMPARE(changed(two, withoutItem(two, "trial[0]")),
             lines({"mantissa = 1", "", "# second", "[[trial]]", "name = \"b\"", "", "# strict", "[rules]",
                    "threshold = 1"}));
    QCOMPARE(changed(two, withoutItem(two, "trial[1]")),
             lines({"mantissa = 1", "", "# first", "[[trial]]", "name = \"a\"", "[trial.scaler]", "floor = 1", "",
                    "# strict", "[rules]", "threshold = 1"}));
    QCOMPARE(changed(two, withoutItem(two, "trial[2]")), QStringLiteral("no place"));
    const QString last = lines({"mantissa = 1", "", "[[trial]]", "name = \"a\""});
    QCOMPARE(changed(last, withoutItem(last, "trial[0]")), lines({"mantissa = 1"}));
  }

  void items_in_brackets_come_and_go() {
    const QString text = lines({"trial = [{ name = \"a\" }, { name = \"b\" }]"});
    QCOMPARE(changed(text, withItem(text, "trial", "name = \"c\"\nautocast = \"off\"")),
             lines({"trial = [{ name = \"a\" }, { name = \"b\" }, { name = \"c\", autocast = \"off\" }]"}));
    QCOMPARE(changed(text, withoutItem(text, "trial[0]")), lines({"trial = [{ name = \"b\" }]"}));
    QCOMPARE(changed(text, withoutItem(text, "trial[1]")), lines({"trial = [{ name = \"a\" }]"}));
    QCOMPARE(changed(text, withCopy(text, "trial[0]")),
             lines({"trial = [{ name = \"a\" }, { name = \"a\" }, { name = \"b\" }]"}));
  }

  void an_item_that_lies_in_two_places_is_left_alone() {
    const QString text = lines({"[[trial]]", "name = \"a\"", "[data]", "rows = 1", "[trial.scaler]", "floor = 1"});
    QCOMPARE(changed(text, withoutItem(text, "trial[0]")), QStringLiteral("no place"));
    QCOMPARE(changed(text, withCopy(text, "trial[0]")), QStringLiteral("no place"));
  }

  void places_are_those_that_the_parser_of_the_engine_finds() {
    for (const QString& path : experiments()) {
      const QString text = content(path);
      const std::optional<TomlText> toml = TomlText::read(text);
      QVERIFY2(toml, qPrintable(path));
      const spec::Experiment experiment = spec::parse_experiment(text.toStdString(), path.toStdString());
      int compared = 0;
      for (const auto& [key, position] : experiment.positions) {
        if (!toml->entry(QString::fromStdString(key))) continue;  // a table: its header may stand in several places
        QCOMPARE(toml->lineOf(QString::fromStdString(key)), position.line);
        ++compared;
      }
      QVERIFY(compared > 5);
    }
  }

  void a_key_that_is_set_to_what_it_was_leaves_the_text_as_it_was() {
    for (const QString& path : experiments()) {
      const QString text = content(path);
      const std::optional<TomlText> toml = TomlText::read(text);
      QVERIFY(toml);
      for (const TomlEntry& entry : toml->entries()) {
        QCOMPARE(changed(text, withValue(text, entry.path, toml->value(entry.path))), text);
      }
    }
  }

  void a_key_that_is_taken_away_and_set_again_reads_the_same_to_the_engine() {
    for (const QString& path : experiments()) {
      const QString text = content(path);
      const std::string canonical = spec::canonical_json(spec::parse_experiment(text.toStdString(), "a.toml"));
      const std::optional<TomlText> toml = TomlText::read(text);
      QVERIFY(toml);
      for (const TomlEntry& entry : toml->entries()) {
        const QString without = changed(text, withoutKey(text, entry.path));
        const QString again = changed(without, withValue(without, entry.path, toml->value(entry.path)));
        if (entry.path.endsWith(QLatin1Char(']'))) continue;  // an item of a list: its place is gone
        const QByteArray place = path.toUtf8() + ": " + entry.path.toUtf8() + "\n" + again.toUtf8();
        try {
          QVERIFY2(spec::canonical_json(spec::parse_experiment(again.toStdString(), "a.toml")) == canonical, place);
        } catch (const Error& error) {
          QFAIL(place + "\n" + error.what());
        }
      }
    }
  }

  void every_key_of_the_catalogue_finds_a_place_that_the_engine_reads() {
    // One sound value is enough to be found again at its path: the parser of TOML alone is asked, through our reader,
    // and the engine's reader must not call the text broken.
    const QString start = lines({"mantissa = 1", "", "[data]", "source = \"digits\"", "", "[[trial]]", "name = \"a\""});
    for (const spec::KeyEntry& key : spec::key_catalogue()) {
      if (key.shape != spec::KeyShape::Value) continue;
      QString path = QString::fromStdString(key.path);
      for (const char* const list : {"training.optimizer", "trial", "risk"}) {
        if (path.startsWith(QLatin1String(list) + '.')) path.insert(QLatin1String(list).size(), QLatin1String("[0]"));
      }
      const std::optional<TextEdit> edit = withValue(start, path, "\"value\"");
      QVERIFY2(edit, qPrintable(path));
      const std::optional<TomlText> toml = TomlText::read(applied(start, *edit));
      QVERIFY2(toml, qPrintable(path));
      QCOMPARE(toml->value(path), QStringLiteral("\"value\""));
      try {
        static_cast<void>(spec::parse_experiment(applied(start, *edit).toStdString(), "a.toml"));
      } catch (const Error& error) {
        QVERIFY2(error.facts().problem.find("not valid TOML") == std::string::npos, error.what());
      }
    }
  }

  void texts_that_are_broken_anyhow_are_read_or_refused() {
    // The same mutations every time: characters taken out, put in and doubled where TOML has its joints.
    std::mt19937 random(7);
    const QString joints = QStringLiteral("[]{}=\"'#,.\\\n\r \tä0-");
    int readable = 0;
    for (const QString& path : experiments()) {
      const QString whole = content(path);
      for (int round = 0; round < 150; ++round) {
        QString text = whole;
        for (int i = 0; i < 1 + round % 3; ++i) {
          const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(text.size()));
          const QChar joint = joints[static_cast<qsizetype>(random() % static_cast<unsigned>(joints.size()))];
          if (random() % 2 == 0) {
            text.insert(at, joint);
          } else {
            text.remove(at, 1 + static_cast<qsizetype>(random() % 4));
          }
        }
        const std::optional<TomlText> toml = TomlText::read(text);
        if (!toml) continue;
        ++readable;
        for (const TomlEntry& entry : toml->entries()) {
          QVERIFY(0 <= entry.key.begin && entry.key.begin < entry.key.end && entry.key.end < entry.value.begin &&
                  entry.value.begin < entry.value.end && entry.value.end <= text.size());
        }
        const QString added = changed(text, withValue(text, "training.clip_norm", "1.5"));
        const std::optional<TomlText> again = TomlText::read(added);
        if (added != QStringLiteral("no place")) QVERIFY2(again, qPrintable(text));
        for (const char* const item : {"trial[0]", "training.optimizer[0]"}) {
          static_cast<void>(changed(text, withoutItem(text, item)));
          static_cast<void>(changed(text, withCopy(text, item)));
        }
      }
    }
    QVERIFY(readable > 100);
  }

  void texts_lists_and_numbers_are_told_apart() {
    QCOMPARE(decodedText("\"a\\\"b\\\\c\\u00e4\\n\""), std::optional<QString>(QStringLiteral("a\"b\\cä\n")));
    QCOMPARE(decodedText("'a\\n'"), std::optional<QString>(QStringLiteral("a\\n")));
    QCOMPARE(decodedText("\"\"\"\na\"\"\""), std::optional<QString>(QStringLiteral("a")));
    QCOMPARE(decodedText("12"), std::optional<QString>());
    QCOMPARE(tomlText(QStringLiteral("a\"b\\c\n")), QStringLiteral("\"a\\\"b\\\\c\\n\""));
    QCOMPARE(listItems("[1, [2, 3], \"a,]\", # c\n { x = 1 },]"),
             std::optional<QStringList>(QStringList{"1", "[2, 3]", "\"a,]\"", "{ x = 1 }"}));
    QCOMPARE(listItems("[]"), std::optional<QStringList>(QStringList{}));
    for (const char* const number : {"1", "-1", "+1.5", "1e-3", "65_536", "0x1F", "inf", "-nan"}) {
      QVERIFY2(isTomlNumber(number), number);
    }
    for (const char* const other : {"", "1,5", "1.", ".5", "01", "1e", "a", "1 2", "--1", "0x"}) {
      QVERIFY2(!isTomlNumber(other), other);
    }
  }

  void lines_lead_back_to_keys() {
    const QString text = lines({"mantissa = 1", "[data]", "# c", "rows = 1", "", "[[trial]]", "hidden = [", "1,", "]"});
    const std::optional<TomlText> toml = TomlText::read(text);
    QVERIFY(toml);
    QCOMPARE(toml->pathAt(1), QStringLiteral("mantissa"));
    QCOMPARE(toml->pathAt(3), QStringLiteral("data"));
    QCOMPARE(toml->pathAt(4), QStringLiteral("data.rows"));
    QCOMPARE(toml->pathAt(6), QStringLiteral("trial[0]"));
    QCOMPARE(toml->pathAt(8), QStringLiteral("trial[0].hidden"));
    QCOMPARE(toml->pathAt(99), QStringLiteral("trial[0]"));
    QCOMPARE(toml->lineOf("trial[0].hidden"), 7);
    QCOMPARE(toml->lineOf("trial[0]"), 6);
    QCOMPARE(toml->count("trial"), 1);
  }

 private:
  static QStringList experiments() {
    QStringList paths;
    const QDir folder(QStringLiteral(MANTISSA_SOURCE_DIR "/experiments"));
    for (const QFileInfo& info : folder.entryInfoList({QStringLiteral("*.toml")})) paths << info.filePath();
    if (paths.size() < 10) qFatal("the experiments are not where the test looks");
    return paths;
  }

  static QString content(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
};

QTEST_GUILESS_MAIN(TomlEditTests)
#include "toml_edit_tests.moc"
