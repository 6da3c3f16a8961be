// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/name_words.h"

#include <QChar>
#include <QList>

#include <algorithm>

namespace mantissa::ui::models {
namespace {

constexpr char16_t kIsolate = 0x2068;
constexpr char16_t kPop = 0x2069;

}  // namespace

QString isolated(const QString& name) {
  const auto characters = name.toUcs4();
  const bool turns = std::any_of(characters.begin(), characters.end(), [](char32_t character) {
    const QChar::Direction direction = QChar::direction(character);
    return direction == QChar::DirR || direction == QChar::DirAL || direction == QChar::DirAN;
  });
  return turns ? QChar(kIsolate) + name + QChar(kPop) : name;
}

QString withoutIsolates(QString sentence) { return sentence.remove(QChar(kIsolate)).remove(QChar(kPop)); }

QString readFromLeft(const QString& sentence) {
  constexpr char16_t kLeftToRightMark = 0x200E;
  return withoutIsolates(sentence) != sentence ? QChar(kLeftToRightMark) + sentence : sentence;
}

}  // namespace mantissa::ui::models
