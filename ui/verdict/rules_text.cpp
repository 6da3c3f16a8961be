// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/rules_text.h"

#include <QByteArray>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include <algorithm>
#include <utility>

#include "core/base/number_text.h"

namespace mantissa::ui::verdict {
namespace {

QString wordOf(const QJsonValue& value) {
  if (value.isBool()) return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
  if (value.isDouble()) return QString::fromStdString(to_text(value.toDouble()));
  return value.toString();
}

/// "1, 2"; what is nested stands in brackets.
QString listOf(const QJsonArray& array) {
  QStringList words;
  for (const auto& one : array) {
    words << (one.isArray() ? QStringLiteral("[%1]").arg(listOf(one.toArray())) : wordOf(one));
  }
  return words.join(QStringLiteral(", "));
}

/// Keys in the order of the file format, then all others.
QStringList inOrder(const QJsonObject& object) {
  static const QStringList kFirst = {"name", "of",   "slice", "measure", "metric", "direction", "reduce",
                                     "q",    "ties", "min",   "max",     "where",  "reason",    "preset"};
  QStringList keys;
  for (const QString& key : kFirst) {
    if (object.contains(key)) keys << key;
  }
  for (const QString& key : object.keys()) {
    if (!kFirst.contains(key)) keys << key;
  }
  return keys;
}

void addValue(std::vector<RulesLine>& lines, const QString& key, const QJsonValue& value) {
  if (value.isObject()) {
    const QJsonObject object = value.toObject();
    // A limit for every dtype has no word of its own.
    for (const QString& part : object.keys()) {
      addValue(lines, part.isEmpty() ? key : key + u'.' + part, object.value(part));
    }
  } else if (value.isArray()) {
    const QJsonArray array = value.toArray();
    if (!array.isEmpty() && array.first().isArray()) {
      QString name = key;  // stands before the first row alone
      for (const auto& row : array) lines.push_back({std::exchange(name, QString()), listOf(row.toArray())});
    } else if (!array.isEmpty()) {
      lines.push_back({key, listOf(array)});
    }
  } else if (!value.isNull() && !value.isUndefined()) {
    const QString word = wordOf(value);
    if (!word.isEmpty()) lines.push_back({key, word});
  }
}

void addRule(std::vector<RulesLine>& lines, const QString& heading, const QJsonObject& rule) {
  lines.push_back({heading, {}, true});
  for (const QString& key : inOrder(rule)) {
    // A quantile that is not asked for is a default that says nothing.
    if (key == QLatin1String("q") && rule.value(QLatin1String("reduce")).toString() != QLatin1String("quantile")) {
      continue;
    }
    addValue(lines, key, rule.value(key));
  }
}

}  // namespace

std::vector<RulesLine> rulesLines(const std::string& json) {
  const QJsonObject rules = QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
  std::vector<RulesLine> lines;
  if (rules.isEmpty()) return lines;
  for (const char* const key : {"target", "non_finite"}) {
    addValue(lines, QLatin1String(key), rules.value(QLatin1String(key)));
  }
  if (rules.value(QLatin1String("threshold_given")).toBool()) {
    addValue(lines, QStringLiteral("threshold"), rules.value(QLatin1String("threshold")));
  }
  static const QStringList kKnown = {"target", "non_finite", "threshold", "threshold_given"};
  QStringList names = {"output", "flips", "quality", "progress"};
  for (const QString& key : rules.keys()) {
    if (!names.contains(key) && !kKnown.contains(key)) names << key;
  }
  for (const QString& name : names) {
    const QJsonValue value = rules.value(name);
    if (value.isObject()) {
      addRule(lines, name, value.toObject());
    } else if (value.isArray()) {
      for (const auto& one : value.toArray()) addRule(lines, name, one.toObject());
    } else {
      addValue(lines, name, value);
    }
  }
  return lines;
}

}  // namespace mantissa::ui::verdict
