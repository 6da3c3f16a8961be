// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/value_words.h"

#include <QCoreApplication>

#include <algorithm>

#include "ui/editor/number_words.h"
#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

QString say(const char* text) { return QCoreApplication::translate("Values", text); }

bool isText(const QString& value) { return decodedText(value).has_value(); }

QString numberWords(const QString& value, bool isWhole) {
  // Quotes are what the field put around what is no number.
  return numberProblem(decodedText(value).value_or(value), isWhole);
}

/// A number in quotes is a text to the engine; what is in them was judged before.
QString oneNumber(const FieldSpec& spec, const QString& value) {
  if (value.startsWith(QLatin1Char('{'))) return {};  // of keys that take a table, too: the engine's to judge
  const QString words = numberWords(value, spec.isWhole);
  if (!words.isEmpty() || !isText(value)) return words;
  return say(QT_TRANSLATE_NOOP("Values", "Found %1 in quotes, expected a number. Write it without quotes."))
      .arg(*decodedText(value));
}

QString oneOf(const QStringList& words, const QString& value) {
  const bool isWithoutQuotes = value == QLatin1String("true") || value == QLatin1String("false");
  const QString found = decodedText(value).value_or(value);
  const bool isAWord = words.contains(found);
  const bool takesIt = isWithoutQuotes == (found == QLatin1String("true") || found == QLatin1String("false"));
  if (isAWord && takesIt && (isText(value) || isWithoutQuotes)) return {};
  if (isAWord && isText(value)) {
    return say(QT_TRANSLATE_NOOP("Values", "Found %1 in quotes. Write it without quotes.")).arg(found);
  }
  if (isAWord) return say(QT_TRANSLATE_NOOP("Values", "Found %1 without quotes. Write \"%1\".")).arg(found);
  return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected one of %2.")).arg(found, words.join(QStringLiteral(", ")));
}

QString textList(const FieldSpec& spec, const QString& value) {
  const std::optional<QStringList> items = listItems(value);
  if (!items) {
    if (spec.kind == FieldKind::TextOrList && isText(value) && !decodedText(value)->startsWith(QLatin1Char('['))) {
      return {};
    }
    return say(QT_TRANSLATE_NOOP("Values",
                                 "Found %1, expected a list. Write names with commas between them, or a whole list "
                                 "in brackets: [\"a\", \"b\"]."))
        .arg(decodedText(value).value_or(value));
  }
  for (const QString& item : *items) {
    if (decodedText(item) == QString()) {
      return say(
          QT_TRANSLATE_NOOP("Values", "Found nothing between two commas. Write a name there, or take one away."));
    }
    if (!isText(item)) return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected a text in quotes.")).arg(item);
  }
  return {};
}

QString numberList(const FieldSpec& spec, const QString& value) {
  const std::optional<QStringList> items = listItems(value);
  if (!items) {
    return say(QT_TRANSLATE_NOOP("Values",
                                 "Found %1, expected a list. Write numbers with commas between them, or a whole list "
                                 "in brackets: [1, 2]."))
        .arg(decodedText(value).value_or(value));
  }
  for (const QString& item : *items) {
    const QString text = decodedText(item).value_or(item);
    if (text.isEmpty()) {
      return say(
          QT_TRANSLATE_NOOP("Values", "Found nothing between two commas. Write a number there, or take one away."));
    }
    if (text.contains(QLatin1Char(' ')) && !numberProblem(text, spec.isWhole).isEmpty()) {
      return say(QT_TRANSLATE_NOOP("Values", "Found %1. Write commas between numbers, and no blanks into them."))
          .arg(text);
    }
    if (const QString words = numberWords(item, spec.isWhole); !words.isEmpty()) return words;
  }
  if (spec.count > 0 && items->size() != spec.count) {
    return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected %2 numbers. Fractions have a point: 0.9, 0.99."))
        .arg(items->size())
        .arg(spec.count);
  }
  return {};
}

}  // namespace

QString valueProblem(const FieldSpec& spec, const QString& value) {
  if (value.isEmpty() || value == kTableWithHeader || !spec.waitsFor.isEmpty()) return {};
  switch (spec.kind) {
    case FieldKind::Number:
      return oneNumber(spec, value);
    case FieldKind::NumberList:
      return numberList(spec, value);
    case FieldKind::TextList:
    case FieldKind::TextOrList:
      return textList(spec, value);
    case FieldKind::Switch:
      if (value == QLatin1String("true") || value == QLatin1String("false")) return {};
      return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected true or false. Tick the box, or take the key out."))
          .arg(value);
    case FieldKind::Choice:
      return oneOf(spec.words + spec.wordsThatWait, value);
    case FieldKind::SeveralWords: {
      const std::optional<QStringList> items = listItems(value);
      if (!items) {
        return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected a list of words. Tick a box to begin one."))
            .arg(decodedText(value).value_or(value));
      }
      for (const QString& item : *items) {
        if (const QString words = oneOf(spec.words, item); !words.isEmpty()) return words;
      }
      return {};
    }
    case FieldKind::AnyValue:
      if (listItems(value)) return {};
      return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected a list. Write it as the file spells it: [\"x\", 1]."))
          .arg(decodedText(value).value_or(value));
    case FieldKind::OpenChoice:
    case FieldKind::Text:
    case FieldKind::File:
      if (isText(value)) return {};
      return say(QT_TRANSLATE_NOOP("Values", "Found %1, expected a text. Write it in quotes: \"%1\".")).arg(value);
    case FieldKind::InTextOnly:
      break;
  }
  return {};
}

}  // namespace mantissa::ui::editor
