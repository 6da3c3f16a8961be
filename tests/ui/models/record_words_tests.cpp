// SPDX-License-Identifier: GPL-3.0-or-later
// Scales and sentences of the engine as the window writes them.
#include <QLocale>
#include <QTest>

#include "ui/models/record_words.h"

using namespace mantissa;
using namespace mantissa::ui::models;

class RecordWordsTests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { QLocale::setDefault(QLocale::c()); }
  void cleanup() { QLocale::setDefault(QLocale::c()); }

  void a_scale_is_written_one_way_and_never_set_equal_to_a_rounded_figure() {
    QCOMPARE(scaleText(65536), QStringLiteral("2^16"));
    QCOMPARE(fullScaleText(65536), QStringLiteral("2^16 = 65,536"));
    QCOMPARE(fileScaleText(65536), QStringLiteral("2^16 = 65536"));
    QCOMPARE(fullScaleText(0.125), QStringLiteral("2^-3 = 0.125"));
    // 5^9, which is no power of two
    QCOMPARE(scaleText(1953125), QStringLiteral("1,953,125"));
    QCOMPARE(fullScaleText(1953125), QStringLiteral("1,953,125"));
    QCOMPARE(fileScaleText(1953125), QStringLiteral("1953125"));
    // 2^100 has 31 digits: no 17 of them are it.
    QCOMPARE(fullScaleText(1.2676506002282294e30), QStringLiteral("2^100"));
  }

  void figures_of_a_sentence_follow_the_locale_and_names_do_not() {
    const QString sentence = QStringLiteral(
        "output: 0.031 of 1,797 cases, at most 2.5e-05; see run-1.5.toml, torch 2.11.0, /a/1.5 and lr = 0.1.");
    QCOMPARE(figuresIn(sentence), sentence);
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(figuresIn(sentence),
             QStringLiteral("output: 0,031 of 1.797 cases, at most 2,5e-05; see run-1.5.toml, torch 2.11.0, /a/1.5 and "
                            "lr = 0.1."));
    QCOMPARE(figuresIn(QStringLiteral("found 0.5.")), QStringLiteral("found 0,5."));
  }
};

QTEST_GUILESS_MAIN(RecordWordsTests)
#include "record_words_tests.moc"
