// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/typed_ledger.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/memory/outside_table.h"
#include "core/memory/size_text.h"
#include "core/spec/units.h"

namespace mantissa::ui::memory {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Subjects of refusals by core/memory/ledger.h.
constexpr char kOutside[] = "outside";

QString say(const char* text) { return QCoreApplication::translate("MemoryLedger", text); }

/// "Found '-3', expected a whole number from 1." The field that it stands at names itself.
QString problemText(const ErrorFacts& facts) {
  const QString found = facts.found.empty() ? QStringLiteral("''") : QString::fromStdString(facts.found);
  return say(QT_TRANSLATE_NOOP("MemoryLedger", "Found %1, expected %2."))
      .arg(found, QString::fromStdString(facts.expected));
}

std::string plain(const QString& text) { return withDecimalPoint(text).trimmed().toStdString(); }

[[noreturn]] void refuse(const QString& text, const std::string& expected) {
  throw Error(ErrorKind::InvalidSetting, {"", "", 0, 0, "", "'" + text.toStdString() + "'", expected, ""});
}

/// "40,000" or, where the locale groups by points, "40.000", without the separators; unchanged where they do not stand
/// between groups of three.
QString withoutGroups(QString text) {
  text = text.trimmed();
  QStringList separators{QStringLiteral(","), QStringLiteral("\u202F"), QStringLiteral("\u00A0")};
  const QString own = QLocale().groupSeparator();
  if (!separators.contains(own)) separators << own;
  for (const QString& separator : separators) {
    const QRegularExpression grouped(
        QStringLiteral("^[0-9]{1,3}(%1[0-9]{3})+$").arg(QRegularExpression::escape(separator)));
    if (grouped.match(text).hasMatch()) return text.remove(separator);
  }
  return text;
}

std::int64_t count(const QString& text) {
  const std::optional<std::int64_t> found = countOf(text);
  if (!found || *found < 1) refuse(text, "a whole number from 1, such as 16");
  return *found;
}

std::int64_t capacity(const QString& text) {
  const std::int64_t bytes = engine::size_from_text("", plain(text), engine::Rounding::Down);
  if (bytes < 1) refuse(text, "a size of at least 1 B");
  return bytes;
}

std::int64_t share(const QString& text) {
  const std::optional<double> number = number_from_text(plain(text));
  if (number && *number >= 1 && *number < 100) {
    refuse(text, "a share below 1 or a percentage: " + plain(text) + " % if that is meant");
  }
  return engine::reserve_from_text("", plain(text));
}

double duration(const QString& text) {
  const std::optional<double> seconds = spec::seconds_from_text(plain(text));
  if (!seconds || !std::isfinite(*seconds)) {
    refuse(text, "a time with its unit, such as 8 h, 30 min or 90 s, with a decimal point");
  }
  return *seconds;
}

double price(const QString& text) {
  const std::optional<double> number = number_from_text(plain(text));
  if (!number || !std::isfinite(*number) || *number < 0) {
    refuse(text, "a number of at least 0, with a decimal point");
  }
  return *number;
}

class Reader {
 public:
  explicit Reader(const TypedValues& values) : m_values(values) {}

  CommonFields common() {
    CommonFields fields;
    fields.capacityBytes = read(FieldId::Capacity, capacity).value_or(0);
    fields.reserveParts = read(FieldId::Reserve, share).value_or(0);
    fields.outsideBytes = readOptional(FieldId::Outside, size);
    if (!fields.outsideBytes && m_answer.problems.count(FieldId::Outside) == 0) {
      fields.outsideBytes = engine::outside_from_table(fields.capacityBytes);
      fields.isOutsideFromTable = fields.outsideBytes.has_value();
    }
    fields.microbatch = read(FieldId::Microbatch, count).value_or(0);
    fields.accumulation = read(FieldId::Accumulation, count).value_or(0);
    fields.updates = readOptional(FieldId::Updates, count).value_or(0);
    fields.deadlineSeconds = readOptional(FieldId::Deadline, duration);
    fields.pricePerHour = readOptional(FieldId::Price, price);
    fields.problems = std::move(m_answer.problems);
    return fields;
  }

  TypedAnswer answer() {
    readLedger();
    readPlans();
    return std::move(m_answer);
  }

 private:
  template <class Read>
  auto read(FieldId field, const Read& parse) -> std::optional<decltype(parse(QString()))> {
    try {
      return parse(m_values.text(field));
    } catch (const Error& error) {
      m_answer.problems[field] = problemText(error.facts());
      return std::nullopt;
    }
  }
  /// Empty means that nobody said.
  template <class Read>
  auto readOptional(FieldId field, const Read& parse) -> std::optional<decltype(parse(QString()))> {
    if (m_values.text(field).trimmed().isEmpty()) return std::nullopt;
    return read(field, parse);
  }
  static std::int64_t size(const QString& text) {
    return engine::size_from_text("", plain(text), engine::Rounding::Up);
  }

  void readFixed(engine::LedgerInput& input) {
    if (m_values.state == FixedState::Typed) {
      if (const auto bytes = read(FieldId::Fixed, size)) input.fixed.push_back({"fixed", *bytes});
      return;
    }
    m_answer.parameters = read(FieldId::Parameters, parametersOf);
    if (!m_answer.parameters) return;
    const BytesOfParameter each = bytesOfParameter(m_values.state);
    const std::int64_t all = each.weight + each.gradient + each.moments * each.momentCount + each.master;
    const std::int64_t n = *m_answer.parameters;
    if (n > kLargest / all) {
      m_answer.problems[FieldId::Parameters] =
          problemText({"", "", 0, 0, "", std::to_string(n),
                       "at most " + std::to_string(kLargest / all) + ", so that their state stays within 64 bits", ""});
      return;
    }
    input.fixed = {{"parameters", n * each.weight}, {"gradients", n * each.gradient}};
    input.fixed.push_back({"optimizer state", n * each.moments * each.momentCount});
    if (each.master > 0) input.fixed.push_back({"master copies", n * each.master});
  }

  void readLedger() {
    engine::LedgerInput input;
    input.capacity_bytes = read(FieldId::Capacity, capacity).value_or(0);
    input.reserve_parts = read(FieldId::Reserve, share).value_or(0);
    m_answer.outsideBytes = readOptional(FieldId::Outside, size);
    readFixed(input);
    for (const engine::Category& category : input.fixed) m_answer.fixedBytes += category.bytes;
    if (m_answer.outsideBytes) input.fixed.push_back({kOutside, *m_answer.outsideBytes});
    input.per_sample_bytes = read(FieldId::PerSample, size).value_or(0);
    input.microbatch = read(FieldId::Microbatch, count).value_or(0);
    input.accumulation = read(FieldId::Accumulation, count).value_or(0);
    input.blocks = read(FieldId::Blocks, count).value_or(0);
    if (!m_answer.problems.empty()) return;
    try {
      m_answer.ledger = engine::ledger_of(input);
    } catch (const Error& error) {
      m_answer.problems[fieldOf(error.facts().subject)] = problemText(error.facts());
    }
  }

  FieldId fieldOf(const std::string& subject) const {
    if (subject == "device") return FieldId::Capacity;
    if (subject == "reserve") return FieldId::Reserve;
    if (subject == "per-sample") return FieldId::PerSample;
    if (subject == "microbatch") return FieldId::Microbatch;
    if (subject == "accumulation") return FieldId::Accumulation;
    if (subject == "blocks") return FieldId::Blocks;
    if (subject == kOutside) return FieldId::Outside;
    return m_values.state == FixedState::Typed ? FieldId::Fixed : FieldId::Parameters;
  }

  void addOption(TypedPolicy policy, bool isCheckpointed, std::int64_t perSample) {
    const engine::Ledger& ledger = *m_answer.ledger;
    engine::PlanOption option;
    option.policy = policyText(policy).toStdString();
    option.activation_checkpointing = isCheckpointed;
    option.need = [perSample, fixed = ledger.fixed_bytes, usable = ledger.usable_bytes](std::int64_t microbatch,
                                                                                        std::int64_t /*accumulation*/) {
      engine::Need need;
      // Beyond 64 bits is beyond every device.
      const bool isBeyond = microbatch > (kLargest - fixed) / perSample;
      need.bytes = isBeyond ? kLargest : fixed + perSample * microbatch;
      need.fits = need.could_fit = need.bytes <= usable;
      return need;
    };
    for (const TypedTime& time : m_values.times) {
      if (time.policy == policy && time.isCheckpointed == isCheckpointed) option.timed.push_back(time.step);
    }
    m_answer.options.push_back({policy, isCheckpointed});
    m_answer.question.options.push_back(std::move(option));
  }

  void readPlans() {
    const auto positive = [](const QString& text) {
      const std::int64_t bytes = size(text);
      if (bytes < 1) refuse(text, "a size of at least 1 B");
      return bytes;
    };
    if (m_values.policy != TypedPolicy::Fp32) m_answer.fp32Bytes = readOptional(FieldId::Fp32, positive);
    m_answer.checkpointedBytes = readOptional(FieldId::Checkpointed, positive);
    engine::PlanQuestion& question = m_answer.question;
    question.updates = readOptional(FieldId::Updates, count).value_or(0);
    question.deadline_seconds = readOptional(FieldId::Deadline, duration);
    question.price_per_hour = readOptional(FieldId::Price, price);
    if (!m_answer.ledger) {
      m_answer.noPlans = m_answer.firstProblem();
      return;
    }
    for (const FieldId field :
         {FieldId::Fp32, FieldId::Checkpointed, FieldId::Updates, FieldId::Deadline, FieldId::Price}) {
      const auto problem = m_answer.problems.find(field);
      if (problem == m_answer.problems.end()) continue;
      m_answer.noPlans = fieldText(field) + QStringLiteral(": ") + problem->second;
      return;
    }
    const engine::Ledger& ledger = *m_answer.ledger;
    question.effective_batch = ledger.effective_batch;
    question.usable_bytes = ledger.usable_bytes;
    addOption(m_values.policy, false, ledger.input.per_sample_bytes);
    if (m_answer.checkpointedBytes) addOption(m_values.policy, true, *m_answer.checkpointedBytes);
    if (m_answer.fp32Bytes) addOption(TypedPolicy::Fp32, false, *m_answer.fp32Bytes);
    try {
      m_answer.plans = engine::plans_of(question);
    } catch (const Error& error) {
      m_answer.noPlans = say(QT_TRANSLATE_NOOP("MemoryLedger", "Effective batch: %1")).arg(problemText(error.facts()));
    }
  }

  const TypedValues& m_values;
  TypedAnswer m_answer;
};

}  // namespace

BytesOfParameter bytesOfParameter(FixedState state) {
  // torch.optim keeps each moment in the dtype of its parameter; core/session/step_memory.h traces the same.
  switch (state) {
    case FixedState::AdamW:
      return {4, 4, 4, 2, 0};
    case FixedState::AdamWMaster:
      return {2, 2, 4, 2, 4};
    case FixedState::SgdMomentum:
    case FixedState::RmsProp:
    case FixedState::Adagrad:
      return {4, 4, 4, 1, 0};
    case FixedState::Sgd:
    case FixedState::Typed:
      return {4, 4, 4, 0, 0};
  }
  return {};
}

QString fixedStateText(FixedState state) {
  switch (state) {
    case FixedState::AdamW:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "AdamW, FP32"));
    case FixedState::AdamWMaster:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "AdamW, BF16 and master copies"));
    case FixedState::Sgd:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "SGD, FP32"));
    case FixedState::SgdMomentum:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "SGD with momentum, FP32"));
    case FixedState::RmsProp:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "RMSprop, FP32"));
    case FixedState::Adagrad:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Adagrad, FP32"));
    case FixedState::Typed:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "fixed state typed as a sum"));
  }
  return {};
}

QString policyText(TypedPolicy policy) {
  switch (policy) {
    case TypedPolicy::Fp16:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "FP16 autocast"));
    case TypedPolicy::Bf16:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "BF16 autocast"));
    case TypedPolicy::Fp32:
      return QStringLiteral("FP32");
  }
  return {};
}

QString shortPolicyText(TypedPolicy policy) {
  return policy == TypedPolicy::Fp16   ? QStringLiteral("FP16")
         : policy == TypedPolicy::Bf16 ? QStringLiteral("BF16")
                                       : QStringLiteral("FP32");
}

TypedValues TypedValues::example() {
  TypedValues values;
  const auto set = [&values](FieldId field, const char* text) { values.text(field) = QString::fromLatin1(text); };
  set(FieldId::Capacity, "24 GB");
  set(FieldId::Reserve, "10 %");
  set(FieldId::Parameters, "200 million");
  set(FieldId::Fixed, "3.2 GB");
  set(FieldId::PerSample, "0.34 GB");
  set(FieldId::Microbatch, "16");
  set(FieldId::Accumulation, "4");
  set(FieldId::Blocks, "5");
  set(FieldId::Fp32, "0.61 GB");
  set(FieldId::Checkpointed, "0.11 GB");
  set(FieldId::Updates, "40000");
  set(FieldId::Deadline, "8 h");
  set(FieldId::Price, "2.50");
  return values;
}

QString fieldText(FieldId field) {
  switch (field) {
    case FieldId::Capacity:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Capacity"));
    case FieldId::Reserve:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Reserve"));
    case FieldId::Outside:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Outside"));
    case FieldId::Parameters:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Parameters"));
    case FieldId::Fixed:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Fixed state"));
    case FieldId::PerSample:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Per sample"));
    case FieldId::Microbatch:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Microbatch"));
    case FieldId::Accumulation:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Accumulation"));
    case FieldId::Blocks:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Blocks"));
    case FieldId::Fp32:
      return QStringLiteral("FP32");
    case FieldId::Checkpointed:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Checkpointed"));
    case FieldId::Updates:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Updates"));
    case FieldId::Deadline:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Deadline"));
    case FieldId::Price:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "Price an hour"));
  }
  return {};
}

QString TypedAnswer::firstProblem() const {
  if (ledger || problems.empty()) return {};
  return fieldText(problems.begin()->first) + QStringLiteral(": ") + problems.begin()->second;
}

CommonFields commonFieldsOf(const TypedValues& values) { return Reader(values).common(); }

TypedAnswer answerOf(const TypedValues& values) { return Reader(values).answer(); }

QString withDecimalPoint(const QString& text) {
  const QString comma = QStringLiteral(",");
  if (QLocale().decimalPoint() != comma || text.count(comma) != 1 || text.contains(u'.')) return text;
  return QString(text).replace(comma, QStringLiteral("."));
}

std::optional<std::int64_t> countOf(const QString& text) {
  return integer_from_text(withoutGroups(text).toStdString());
}

std::int64_t parametersOf(const QString& text) {
  static const char* const kExpected = "a whole number of parameters, such as 25557032, 1.5 million or 7 billion";
  struct Word {
    QString word;
    const char* unit;  // a unit of sizes that is as large
  };
  const Word words[] = {{say(QT_TRANSLATE_NOOP("MemoryLedger", "thousand")), " kB"},
                        {say(QT_TRANSLATE_NOOP("MemoryLedger", "million")), " MB"},
                        {say(QT_TRANSLATE_NOOP("MemoryLedger", "billion")), " GB"},
                        {QStringLiteral("thousand"), " kB"},
                        {QStringLiteral("million"), " MB"},
                        {QStringLiteral("billion"), " GB"}};
  QString number = text.trimmed();
  std::string unit = " B";
  for (const Word& word : words) {
    if (!number.endsWith(word.word)) continue;
    number = number.chopped(word.word.size()).trimmed();
    unit = word.unit;
    break;
  }
  try {
    return engine::size_from_text("", plain(withoutGroups(number)) + unit, engine::Rounding::Up);
  } catch (const Error& error) {
    const bool isTooLarge = error.facts().expected.rfind("at most", 0) == 0;
    refuse(text, isTooLarge ? "at most " + std::to_string(kLargest) + " parameters (64 bits)" : kExpected);
  }
}

}  // namespace mantissa::ui::memory
