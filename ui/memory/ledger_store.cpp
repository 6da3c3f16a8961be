// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_store.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cmath>
#include <utility>

namespace mantissa::ui::memory {
namespace {

// Words of the file, never translated, in the order of FieldId, FixedState and TypedPolicy.
constexpr std::array<const char*, kFields> kFieldKeys = {
    "capacity",     "reserve", "outside", "parameters",   "fixed",   "per_sample", "microbatch",
    "accumulation", "blocks",  "fp32",    "checkpointed", "updates", "deadline",   "price"};
constexpr std::array<const char*, kFixedStates> kStateKeys = {"adamw",   "adamw_master", "sgd",  "sgd_momentum",
                                                              "rmsprop", "adagrad",      "typed"};
constexpr std::array<const char*, kFigures> kFigureKeys = {
    "capacity", "usable",   "fixed",      "step",         "allocator",       "outside",
    "needed",   "headroom", "microbatch", "accumulation", "effective_batch", "largest_microbatch"};
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
    times.append(QJsonObject{{QStringLiteral("arm"), time.arm},
                             {QStringLiteral("policy"), keyOf(time.policy)},
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
  for (const QJsonValue one : object[QStringLiteral("times")].toArray()) {
    TypedTime time;
    time.policy = static_cast<TypedPolicy>(placeIn(kPolicyKeys, one[QStringLiteral("policy")].toString()));
    time.arm = one[QStringLiteral("arm")].toString();
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

QJsonObject objectOf(const KeptTrace& trace) {
  QJsonObject figures;
  for (std::size_t i = 0; i < kFigures; ++i) {
    // As text: a number of JSON is a double, which does not hold every whole byte.
    if (const auto& value = trace.figures.values[i]) figures[QLatin1String(kFigureKeys[i])] = QString::number(*value);
  }
  return {{QStringLiteral("experiment"), trace.experiment},
          {QStringLiteral("arm"), trace.arm},
          {QStringLiteral("figures"), figures}};
}

KeptTrace traceOf(const QJsonObject& object) {
  KeptTrace trace;
  trace.experiment = object[QStringLiteral("experiment")].toString();
  trace.arm = object[QStringLiteral("arm")].toString();
  trace.figures.source = sourceText(trace.experiment, trace.arm);
  const QJsonObject figures = object[QStringLiteral("figures")].toObject();
  for (std::size_t i = 0; i < kFigures; ++i) {
    bool isWhole = false;
    const qint64 value = figures[QLatin1String(kFigureKeys[i])].toString().toLongLong(&isWhole);
    if (isWhole) trace.figures.values[i] = value;
  }
  return trace;
}

}  // namespace

LedgerFigures figuresOf(const KeptLedger& kept) {
  return kept.trace ? kept.trace->figures : figuresOf(answerOf(kept.values));
}

LedgerStore LedgerStore::fromJson(const QByteArray& json) {
  LedgerStore store;
  const QJsonObject all = QJsonDocument::fromJson(json).object();
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (one.key().isEmpty() || !one.value().isObject()) continue;
    const QJsonObject object = one.value().toObject();
    KeptLedger& ledger = store.m_ledgers[one.key()];
    ledger.values = valuesOf(object);
    const QJsonValue trace = object[QStringLiteral("trace")];
    if (trace.isObject()) ledger.trace = traceOf(trace.toObject());
  }
  return store;
}

QByteArray LedgerStore::toJson() const {
  QJsonObject all;
  for (const auto& [name, ledger] : m_ledgers) {
    QJsonObject object = objectOf(ledger.values);
    if (ledger.trace) object[QStringLiteral("trace")] = objectOf(*ledger.trace);
    all[name] = object;
  }
  return QJsonDocument(all).toJson(QJsonDocument::Compact);
}

QStringList LedgerStore::names() const {
  QStringList names;
  for (const auto& [name, ledger] : m_ledgers) names << name;
  return names;
}

const KeptLedger* LedgerStore::find(const QString& name) const {
  const auto found = m_ledgers.find(name);
  return found == m_ledgers.end() ? nullptr : &found->second;
}

void LedgerStore::save(const QString& name, const KeptLedger& ledger) { m_ledgers[name] = ledger; }

}  // namespace mantissa::ui::memory
