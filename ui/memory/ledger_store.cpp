// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_store.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

// Words of the file, never translated, in the order of FieldId, FixedState and TypedPolicy.
constexpr std::array<const char*, kFields> kFieldKeys = {
    "capacity",     "reserve", "outside", "parameters",   "fixed",   "per_sample", "microbatch",
    "accumulation", "blocks",  "fp32",    "checkpointed", "updates", "deadline",   "price"};
constexpr std::array<const char*, kFixedStates> kStateKeys = {"adamw",   "adamw_master", "sgd",  "sgd_momentum",
                                                              "rmsprop", "adagrad",      "typed"};
constexpr std::array<const char*, kTypedPolicies> kPolicyKeys = {"fp16", "bf16", "fp32"};

template <std::size_t Count>
std::size_t placeIn(const std::array<const char*, Count>& keys, const QString& key) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (key == QLatin1String(keys[i])) return i;
  }
  return 0;
}

QString keyOf(TypedPolicy policy) { return QLatin1String(kPolicyKeys[static_cast<std::size_t>(policy)]); }

QJsonObject objectOf(const TypedValues& values) {
  QJsonObject object;
  for (std::size_t i = 0; i < kFields; ++i) object[QLatin1String(kFieldKeys[i])] = values.texts[i];
  object[QStringLiteral("state")] = QLatin1String(kStateKeys[static_cast<std::size_t>(values.state)]);
  object[QStringLiteral("policy")] = keyOf(values.policy);
  QJsonArray times;
  for (const TypedTime& time : values.times) {
    times.append(QJsonObject{{QStringLiteral("policy"), keyOf(time.policy)},
                             {QStringLiteral("checkpointed"), time.isCheckpointed},
                             {QStringLiteral("microbatch"), static_cast<double>(time.step.microbatch)},
                             {QStringLiteral("accumulation"), static_cast<double>(time.step.accumulation)},
                             {QStringLiteral("seconds"), time.step.seconds}});
  }
  object[QStringLiteral("times")] = times;
  return object;
}

TypedValues valuesOf(const QJsonObject& object) {
  TypedValues values;
  for (std::size_t i = 0; i < kFields; ++i) values.texts[i] = object[QLatin1String(kFieldKeys[i])].toString();
  values.state = static_cast<FixedState>(placeIn(kStateKeys, object[QStringLiteral("state")].toString()));
  values.policy = static_cast<TypedPolicy>(placeIn(kPolicyKeys, object[QStringLiteral("policy")].toString()));
  for (const QJsonValue& one : object[QStringLiteral("times")].toArray()) {
    TypedTime time;
    time.policy = static_cast<TypedPolicy>(placeIn(kPolicyKeys, one[QStringLiteral("policy")].toString()));
    time.isCheckpointed = one[QStringLiteral("checkpointed")].toBool();
    time.step.microbatch = one[QStringLiteral("microbatch")].toInteger();
    time.step.accumulation = one[QStringLiteral("accumulation")].toInteger();
    time.step.seconds = one[QStringLiteral("seconds")].toDouble();
    // What a hand has written there must not stop every plan.
    const bool isSound = time.step.microbatch >= 1 && time.step.accumulation >= 1 && std::isfinite(time.step.seconds) &&
                         time.step.seconds > 0;
    if (isSound) values.times.push_back(time);
  }
  return values;
}

}  // namespace

LedgerStore LedgerStore::fromJson(const QByteArray& json) {
  LedgerStore store;
  const QJsonObject all = QJsonDocument::fromJson(json).object();
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (!one.key().isEmpty() && one.value().isObject()) store.m_ledgers[one.key()] = valuesOf(one.value().toObject());
  }
  return store;
}

QByteArray LedgerStore::toJson() const {
  QJsonObject all;
  for (const auto& [name, values] : m_ledgers) all[name] = objectOf(values);
  return QJsonDocument(all).toJson(QJsonDocument::Compact);
}

QStringList LedgerStore::names() const {
  QStringList names;
  for (const auto& [name, values] : m_ledgers) names << name;
  return names;
}

const TypedValues* LedgerStore::find(const QString& name) const {
  const auto found = m_ledgers.find(name);
  return found == m_ledgers.end() ? nullptr : &found->second;
}

void LedgerStore::save(const QString& name, const TypedValues& values) { m_ledgers[name] = values; }

ShownTable comparisonOf(const QString& name, const TypedAnswer& answer, const QString& otherName,
                        const TypedAnswer& other) {
  ShownTable table;
  table.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Two ledgers"));
  const QString difference = say(QT_TRANSLATE_NOOP("MemoryPage", "Difference"));
  table.columns = {{say(QT_TRANSLATE_NOOP("MemoryPage", "Figure"))},
                   {name, {}, true},
                   {otherName, {}, true},
                   {difference, {}, true}};
  if (!answer.ledger || !other.ledger) {
    table.emptyText = (answer.ledger ? otherName : name) + QStringLiteral(": ") +
                      (answer.ledger ? other.firstProblem() : answer.firstProblem());
    return table;
  }
  struct Row {
    QString name;
    std::optional<std::int64_t> mine;
    std::optional<std::int64_t> others;
    bool isSize = true;
  };
  const engine::Ledger& a = *answer.ledger;
  const engine::Ledger& b = *other.ledger;
  std::vector<Row> rows = {
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Capacity")), a.input.capacity_bytes, b.input.capacity_bytes},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Usable")), a.usable_bytes, b.usable_bytes},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Fixed state")), a.fixed_bytes, b.fixed_bytes},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Activations")), a.activations_bytes, b.activations_bytes},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Total")), a.total_bytes, b.total_bytes},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Headroom")), a.headroom_bytes, b.headroom_bytes},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Microbatch")), a.input.microbatch, b.input.microbatch, false},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Effective batch")), a.effective_batch, b.effective_batch, false},
      {say(QT_TRANSLATE_NOOP("MemoryPage", "Largest microbatch")), a.limits.microbatch, b.limits.microbatch, false}};
  const ByteScale scale = ByteScale::of(std::max(a.input.capacity_bytes, b.input.capacity_bytes));
  table.unit = scale.unit;
  table.rows = static_cast<int>(rows.size());
  table.cell = [rows = std::move(rows), scale](int place, int column) -> RowsCell {
    const Row& row = rows[static_cast<std::size_t>(place)];
    if (column == 0) return {row.name};
    const auto figure = [&](const std::optional<std::int64_t>& value) -> RowsCell {
      if (!value) return {plot::notMeasuredText()};
      RowsCell cell{row.isSize ? scale.text(*value) : plot::withMinusSign(countText(*value)), exactBytes(*value)};
      if (row.isSize && *value < 0) cell.tone = RowsCell::Tone::Bad;
      return cell;
    };
    if (column == 1) return figure(row.mine);
    if (column == 2) return figure(row.others);
    RowsCell cell = figure(row.mine && row.others ? std::optional(*row.mine - *row.others) : std::nullopt);
    cell.tone = RowsCell::Tone::Plain;
    return cell;
  };
  return table;
}

}  // namespace mantissa::ui::memory
