// SPDX-License-Identifier: GPL-3.0-or-later
// Scales and sentences of the engine as the window writes them.
#include <QLocale>
#include <QTest>

#include "core/report/plain_words.h"
#include "ui/measured_text.h"
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
    QCOMPARE(fullScaleText(0.125), QStringLiteral("2^\u22123 = 0.125"));
    QCOMPARE(fileScaleText(0.125), QStringLiteral("2^-3 = 0.125"));
    QCOMPARE(scaleText(0x1p-122), QStringLiteral("2^\u2212122"));
    // 5^9, which is no power of two
    QCOMPARE(scaleText(1953125), QStringLiteral("1,953,125"));
    QCOMPARE(fullScaleText(1953125), QStringLiteral("1,953,125"));
    QCOMPARE(fileScaleText(1953125), QStringLiteral("1953125"));
    // 2^100 has 31 digits: no 17 of them are it.
    QCOMPARE(fullScaleText(1.2676506002282294e30), QStringLiteral("2^100"));
  }

  void a_number_is_written_one_way_in_sentences_tables_and_on_axes_data() {
    QTest::addColumn<QLocale>("locale");
    QTest::addColumn<QString>("count");
    QTest::addColumn<QString>("tiny");
    // Of these, C writes no groups by itself, and Spanish none into four digits.
    QTest::newRow("C") << QLocale::c() << QStringLiteral("8,649") << QStringLiteral("1.173e\u221207");
    QTest::newRow("English") << QLocale(QLocale::English) << QStringLiteral("8,649")
                             << QStringLiteral("1.173e\u221207");
    QTest::newRow("Spanish") << QLocale(QLocale::Spanish) << QStringLiteral("8.649")
                             << QStringLiteral("1,173e\u221207");
  }
  void a_number_is_written_one_way_in_sentences_tables_and_on_axes() {
    QFETCH(QLocale, locale);
    QFETCH(QString, count);
    QFETCH(QString, tiny);
    QLocale::setDefault(locale);
    QCOMPARE(figure(report::count_words(8649)), count);
    QCOMPARE(ui::wholeText(8649), count);
    QCOMPARE(ui::measuredText(8649), count);
    QCOMPARE(ui::decimalText(8649, 0), count);
    QCOMPARE(ui::everyDigitText(8649), count);
    QCOMPARE(ui::wholeText(-8649), QChar(0x2212) + count);
    QCOMPARE(ui::measuredText(1.173e-7), tiny);
    QCOMPARE(figure(report::number_words(1.173e-7)), tiny);
  }

  void a_measured_number_has_four_digits_also_where_it_is_rounded_up() {
    QCOMPARE(ui::measuredText(0.0341), QStringLiteral("0.03410"));
    QCOMPARE(ui::measuredText(9.9996), QStringLiteral("10.00"));
    QCOMPARE(ui::measuredText(0.99996), QStringLiteral("1.000"));
    QCOMPARE(ui::measuredText(9.9994), QStringLiteral("9.999"));
    QCOMPARE(ui::measuredText(9999.6), QStringLiteral("10,000"));
    QCOMPARE(ui::measuredText(-0.099996), QStringLiteral("\u22120.1000"));
  }

  void figures_of_a_sentence_follow_the_locale_and_names_do_not() {
    const QString sentence = QStringLiteral(
        "output: 0.031 of 1,797 cases, at most 2.5e-05; see run-1.5.toml, torch 2.11.0, /a/1.5 and lr = 0.1.");
    QCOMPARE(figuresIn(sentence), QString(sentence).replace(QStringLiteral("e-05"), QStringLiteral("e\u221205")));
    QCOMPARE(figuresIn(QStringLiteral("at most 1e-05, from 2^-3, in e-05 and run-1e-05")),
             QStringLiteral("at most 1e\u221205, from 2^\u22123, in e-05 and run-1e-05"));
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(
        figuresIn(sentence),
        QStringLiteral("output: 0,031 of 1.797 cases, at most 2,5e\u221205; see run-1.5.toml, torch 2.11.0, /a/1.5 and "
                       "lr = 0.1."));
    QCOMPARE(figuresIn(QStringLiteral("found 0.5.")), QStringLiteral("found 0,5."));
  }
};

QTEST_GUILESS_MAIN(RecordWordsTests)
#include "record_words_tests.moc"
