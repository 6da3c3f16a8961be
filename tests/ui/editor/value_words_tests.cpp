// SPDX-License-Identifier: GPL-3.0-or-later
// What the form says of a value whose type is wrong: found, expected, way out.
#include <QDirIterator>
#include <QFile>
#include <QTest>

#include "core/spec/check_text.h"
#include "core/spec/key_catalogue.h"
#include "ui/editor/key_fields.h"
#include "ui/editor/number_words.h"
#include "ui/editor/toml_text.h"
#include "ui/editor/value_words.h"

using namespace mantissa;
using namespace mantissa::ui::editor;

namespace {

const FieldSpec& specOf(const QString& key) {
  for (const SectionSpec& section : sectionSpecs()) {
    for (const FieldSpec& field : section.fields) {
      if (field.key == key) return field;
    }
  }
  qFatal("no key %s", qPrintable(key));
}

QString problem(const char* key, const char* value) {
  return valueProblem(specOf(QString::fromLatin1(key)), QString::fromUtf8(value));
}

}  // namespace

class ValueWordsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void what_is_no_number_is_told_with_the_one_that_is_meant_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isWhole");
    QTest::addColumn<QString>("way");
    const auto row = [](const char* text, bool isWhole, const char* way) {
      QTest::addRow("%s, %s", text, isWhole ? "integer" : "number")
          << QString::fromUtf8(text) << isWhole << QString::fromUtf8(way);
    };
    row("0,9", false, "Write 0.9 with a point.");
    row("1,5e-3", false, "Write 1.5e-3 with a point.");
    row("1 000", false, "Write 1000 without anything between the digits.");
    row("1 000", true, "Write 1000 without anything between the digits.");
    row("1\u202f000", true, "Write 1000 without anything between the digits.");
    row("1'000", true, "Write 1000 without anything between the digits.");
    row("1,000", true, "Write 1000 without commas.");
    row("1,000", false, "Write 1000 without a comma, or 1.000 with a point.");
    row("1,000,000", false, "Write 1000000 without commas.");
    row("2^16", true, "Write 65536.");
    row("2**-3", false, "Write 0.125.");
    row("5 %", false, "Write 0.05: a share of 1.");
    row(".5", false, "Write 0.5 with a digit on both sides of the point.");
    row("5.", false, "Write 5.0 with a digit on both sides of the point.");
    row("-.5e3", false, "Write -0.5e3 with a digit on both sides of the point.");
    row("007", true, "Write 7 without zeros before it.");
    row("\u22123", true, "Write -3.");
    row("1e3", true, "Write 1000.");
    row("64.0", true, "Write 64.");
    row("0.5", true, "Write a number without a fraction.");
    row("inf", true, "Write a number without a fraction.");
    row("1e-", false, "Write the digits of its exponent, too, such as 1e-3.");
    row("abc", false, "Write a number such as 0.001 or 1e-3.");
    row("abc", true, "Write digits alone, such as 64.");
    row("64 samples", true, "Write digits alone, such as 64.");
    row("1.2.3", false, "Write a number such as 0.001 or 1e-3.");
    row("0,9,1", false, "Write a number such as 0.001 or 1e-3.");
    row("9^999", true, "Write digits alone, such as 64.");
  }
  void what_is_no_number_is_told_with_the_one_that_is_meant() {
    QFETCH(QString, text);
    QFETCH(bool, isWhole);
    QFETCH(QString, way);
    QCOMPARE(numberProblem(text, isWhole),
             QStringLiteral("Found %1, expected %2. %3").arg(text, isWhole ? "an integer" : "a number", way));
  }

  void numbers_as_toml_spells_them_are_taken() {
    for (const char* const text : {"0", "-1", "+5", "1_000", "0.9", "1e-3", "1E5", "1.5e+3", "inf", "-inf", "nan"}) {
      QCOMPARE(numberProblem(QString::fromLatin1(text), false), QString());
    }
    for (const char* const text : {"0", "-1", "+5", "1_000", "0x10", "0o17", "0b101"}) {
      QCOMPARE(numberProblem(QString::fromLatin1(text), true), QString());
    }
  }

  void every_kind_of_key_tells_a_value_of_another_type() {
    QCOMPARE(problem("training.batch", "\"0,9\""),
             QStringLiteral("Found 0,9, expected an integer. Write digits alone, such as 64."));
    QCOMPARE(problem("training.batch", "\"64\""),
             QStringLiteral("Found 64 in quotes, expected a number. Write it without quotes."));
    QVERIFY(problem("training.batch", "true").startsWith(QStringLiteral("Found true, expected an integer.")));
    QCOMPARE(problem("training.clip_norm", "\"0,9\""),
             QStringLiteral("Found 0,9, expected a number. Write 0.9 with a point."));
    QCOMPARE(problem("model.hidden", "[64, \"\", 32]"),
             QStringLiteral("Found nothing between two commas. Write a number there, or take one away."));
    QCOMPARE(problem("model.hidden", "[\"64 32\"]"),
             QStringLiteral("Found 64 32. Write commas between numbers, and no blanks into them."));
    QCOMPARE(problem("model.hidden", "[64.5]"),
             QStringLiteral("Found 64.5, expected an integer. Write a number without a fraction."));
    QVERIFY(problem("model.hidden", "64").startsWith(QStringLiteral("Found 64, expected a list.")));
    QCOMPARE(problem("training.optimizer.betas", "[0, 9, 0, 999]"),
             QStringLiteral("Found 4, expected 2 numbers. Fractions have a point: 0.9, 0.99."));
    QVERIFY(problem("data.columns.inputs", "\"[a\"").startsWith(QStringLiteral("Found [a, expected a list.")));
    QVERIFY(problem("data.columns.inputs", "[1]").startsWith(QStringLiteral("Found 1, expected a text in quotes.")));
    QVERIFY(problem("data.columns.target", "\"[a\"").startsWith(QStringLiteral("Found [a, expected a list.")));
    QCOMPARE(problem("data.columns.target", "\"a\""), QString());
    QVERIFY(
        problem("data.standardize", "\"yes\"").startsWith(QStringLiteral("Found \"yes\", expected true or false.")));
    QVERIFY(
        problem("model.activation", "\"rellu\"").startsWith(QStringLiteral("Found rellu, expected one of relu, gelu")));
    QCOMPARE(problem("data.pin_memory", "\"true\""), QStringLiteral("Found true in quotes. Write it without quotes."));
    QCOMPARE(problem("data.pin_memory", "true"), QString());
    QVERIFY(problem("training.stop_on", "[\"lose\"]").startsWith(QStringLiteral("Found lose, expected one of loss")));
    QVERIFY(problem("training.device", "5").startsWith(QStringLiteral("Found 5, expected a text.")));
    QVERIFY(problem("model.path", "5").startsWith(QStringLiteral("Found 5, expected a text.")));
    QVERIFY(problem("model.inputs", "\"[x\"").startsWith(QStringLiteral("Found [x, expected a list.")));
    QVERIFY(problem("name", "5").startsWith(QStringLiteral("Found 5, expected a text.")));
  }

  void what_the_engine_takes_is_never_called_wrong() {
    int files = 0;
    for (const char* const folder : {"/experiments", "/tests/oracle"}) {
      QDirIterator found(QStringLiteral(MANTISSA_SOURCE_DIR) + QString::fromLatin1(folder), {QStringLiteral("*.toml")},
                         QDir::Files, QDirIterator::Subdirectories);
      while (found.hasNext()) {
        const QString name = found.next();
        QFile file(name);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        if (!spec::check_text(text.toStdString(), name.toStdString()).problems.empty()) continue;
        const std::optional<TomlText> toml = TomlText::read(text);
        QVERIFY(toml);
        ++files;
        for (const SectionSpec& section : sectionSpecs()) {
          for (const FieldSpec& field : section.fields) {
            for (const TomlEntry& entry : toml->entries()) {
              if (withoutPlaces(entry.path) != field.key) continue;
              QVERIFY2(valueProblem(field, toml->value(entry.path)).isEmpty(),
                       qPrintable(name + ' ' + entry.path + ' ' + valueProblem(field, toml->value(entry.path))));
            }
          }
        }
      }
    }
    QVERIFY(files > 60);
  }

  void no_threads_are_said_to_be_all_cores_but_one() {
    QCOMPARE(specOf(QStringLiteral("training.threads")).standardWords, QStringLiteral("0: all cores but one"));
  }

  void words_that_the_catalogue_offers_are_never_called_wrong() {
    for (const spec::KeyEntry& key : spec::key_catalogue()) {
      for (const std::string& word : key.words) {
        const QString value = tomlText(QString::fromStdString(word));
        const FieldSpec& field = specOf(QString::fromStdString(key.path));
        QVERIFY2(valueProblem(field, value).isEmpty(), qPrintable(field.key + ' ' + valueProblem(field, value)));
      }
    }
  }
};

QTEST_GUILESS_MAIN(ValueWordsTests)
#include "value_words_tests.moc"
