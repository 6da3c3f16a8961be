// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_words.h"

#include <QCoreApplication>

#include "core/base/number_text.h"
#include "core/report/plain_words.h"
#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

QString say(const char* text) { return QCoreApplication::translate("MemoryLedger", text); }

}  // namespace

ByteScale ByteScale::of(std::int64_t largest) {
  const auto size = static_cast<double>(largest);
  if (size >= 1e12) return {QStringLiteral("TB"), 1e12};
  if (size >= 1e9) return {QStringLiteral("GB"), 1e9};
  if (size >= 1e6) return {QStringLiteral("MB"), 1e6};
  if (size >= 1e3) return {QStringLiteral("kB"), 1e3};
  return {QStringLiteral("B"), 1};
}

QString ByteScale::text(std::int64_t size) const {
  return decimalText(static_cast<double>(size) / bytes, bytes > 1 ? 2 : 0);
}

QString sizeText(std::int64_t bytes) {
  // The engine's words know no size below zero.
  if (bytes < 0) return QChar(0x2212) + models::figure(report::bytes_words(-bytes));
  return models::figure(report::bytes_words(bytes));
}

QString exactBytes(std::int64_t bytes) { return QString::number(bytes); }

QString byteCount(std::int64_t bytes) {
  return say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 bytes")).arg(countText(bytes));
}

QString typedSize(std::int64_t bytes) {
  const std::pair<std::int64_t, const char*> units[] = {
      {1'000'000'000, "GB"}, {std::int64_t{1} << 30, "GiB"}, {1'000'000, "MB"}, {std::int64_t{1} << 20, "MiB"}};
  for (const auto& [unit, name] : units) {
    if (bytes % unit == 0) return QString::number(bytes / unit) + QLatin1Char(' ') + QLatin1String(name);
  }
  return QString::number(bytes) + QStringLiteral(" B");
}

QString countText(std::int64_t count) { return models::figure(report::count_words(count)); }

QString samplesText(std::int64_t count) {
  return count == 1 ? say(QT_TRANSLATE_NOOP("MemoryLedger", "1 sample"))
                    : say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 samples")).arg(countText(count));
}

QString percentText(std::int64_t parts) {
  constexpr double kOnePercent = static_cast<double>(engine::kWholeReserve) / 100.0;
  return models::figure(to_text(static_cast<double>(parts) / kOnePercent)) + QStringLiteral(" %");
}

QString durationText(double seconds) { return models::figure(report::duration_words(seconds)); }

QString ledgerSentence(const engine::Ledger& ledger) {
  const engine::LedgerInput& input = ledger.input;
  if (!ledger.fits_at_any_microbatch()) {
    if (ledger.fixed_bytes > ledger.usable_bytes) {
      return say(QT_TRANSLATE_NOOP("MemoryLedger",
                                   "Does not fit at any microbatch, over by %1: the fixed state alone needs %2 of %3 "
                                   "usable."))
          .arg(sizeText(ledger.fixed_bytes - ledger.usable_bytes), sizeText(ledger.fixed_bytes),
               sizeText(ledger.usable_bytes));
    }
    const std::int64_t room = ledger.usable_bytes - ledger.fixed_bytes;
    return say(QT_TRANSLATE_NOOP("MemoryLedger",
                                 "Does not fit at any microbatch, over by %1: the fixed state leaves %2, one sample "
                                 "needs %3."))
        .arg(sizeText(input.per_sample_bytes - room), sizeText(room), sizeText(input.per_sample_bytes));
  }
  const QString largest = say(QT_TRANSLATE_NOOP("MemoryLedger", "The largest microbatch that fits is %1."))
                              .arg(countText(*ledger.limits.microbatch));
  const QString need =
      say(ledger.fits()
              ? QT_TRANSLATE_NOOP("MemoryLedger",
                                  "Fits: %1 fixed and %2 of activations (%3) need %4 of %5 usable, %6 stay free.")
              : QT_TRANSLATE_NOOP(
                    "MemoryLedger",
                    "Does not fit: %1 fixed and %2 of activations (%3) need %4 of %5 usable, over by %6."))
          .arg(sizeText(ledger.fixed_bytes), sizeText(ledger.activations_bytes), samplesText(input.microbatch),
               sizeText(ledger.total_bytes), sizeText(ledger.usable_bytes),
               sizeText(ledger.fits() ? ledger.headroom_bytes : -ledger.headroom_bytes));
  return need + u' ' + largest;
}

QString limitName(LimitOf limit) {
  switch (limit) {
    case LimitOf::Microbatch:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "microbatch"));
    case LimitOf::PerSample:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "activations of a sample"));
    case LimitOf::FixedState:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "fixed state"));
    case LimitOf::Reserve:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "reserve"));
    case LimitOf::Capacity:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "capacity (smallest)"));
    case LimitOf::Accumulation:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "accumulation"));
    case LimitOf::Outside:
      return say(QT_TRANSLATE_NOOP("MemoryLedger", "outside the allocator"));
  }
  return {};
}

QString limitText(LimitOf limit, const engine::Ledger& ledger) {
  const engine::Limits& limits = ledger.limits;
  const QString none = say(QT_TRANSLATE_NOOP("MemoryLedger", "none fits"));
  const auto size = [&none](const std::optional<std::int64_t>& bytes) { return bytes ? sizeText(*bytes) : none; };
  switch (limit) {
    case LimitOf::Microbatch:
      return limits.microbatch ? samplesText(*limits.microbatch) : none;
    case LimitOf::PerSample:
      return size(limits.per_sample_bytes);
    case LimitOf::FixedState:
      return size(limits.fixed_bytes);
    case LimitOf::Reserve:
      return limits.reserve_parts ? percentText(*limits.reserve_parts) : none;
    case LimitOf::Capacity:
      return size(limits.capacity_bytes);
    case LimitOf::Accumulation:
    case LimitOf::Outside:
      break;
  }
  return {};
}

QString limitSentence(LimitOf limit, const engine::Ledger& ledger) {
  const engine::LedgerInput& input = ledger.input;
  const engine::Limits& limits = ledger.limits;
  if (limit == LimitOf::Microbatch) {
    if (!limits.microbatch) return ledgerSentence(ledger);
    const std::int64_t most = *limits.microbatch;
    const std::int64_t need = ledger.fixed_bytes + most * input.per_sample_bytes;
    const ByteScale scale = ByteScale::of(ledger.usable_bytes);
    const QString within = say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 + %2 × %3 = %4 is within %5."))
                               .arg(sizeText(ledger.fixed_bytes), countText(most), sizeText(input.per_sample_bytes),
                                    scale.textWithUnit(need), scale.textWithUnit(ledger.usable_bytes));
    // One sample more may be beyond 64 bits.
    const double next = static_cast<double>(need) + static_cast<double>(input.per_sample_bytes);
    if (next >= 0x1p63) return within;
    return within + u' ' +
           say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 would need %2."))
               .arg(samplesText(most + 1), scale.textWithUnit(need + input.per_sample_bytes));
  }
  const QString total = sizeText(ledger.total_bytes);
  switch (limit) {
    case LimitOf::PerSample:
      return limits.per_sample_bytes
                 ? say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 usable less %2 fixed, divided by %3."))
                       .arg(sizeText(ledger.usable_bytes), sizeText(ledger.fixed_bytes), samplesText(input.microbatch))
                 : say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 fixed leave nothing of %2 usable."))
                       .arg(sizeText(ledger.fixed_bytes), sizeText(ledger.usable_bytes));
    case LimitOf::FixedState:
      return limits.fixed_bytes
                 ? say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 usable less %2 of activations."))
                       .arg(sizeText(ledger.usable_bytes), sizeText(ledger.activations_bytes))
                 : say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 of activations leave nothing of %2 usable."))
                       .arg(sizeText(ledger.activations_bytes), sizeText(ledger.usable_bytes));
    case LimitOf::Reserve:
      return limits.reserve_parts
                 ? say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 of the capacity are needed; so much can stay free."))
                       .arg(total)
                 : say(QT_TRANSLATE_NOOP("MemoryLedger", "%1 are needed, more than the whole capacity.")).arg(total);
    case LimitOf::Capacity:
      return limits.capacity_bytes
                 ? say(QT_TRANSLATE_NOOP("MemoryLedger", "The smallest device on which %1 fit beside a reserve of %2."))
                       .arg(total, percentText(input.reserve_parts))
                 : say(QT_TRANSLATE_NOOP("MemoryLedger", "No device of 64-bit size holds %1 beside a reserve of %2."))
                       .arg(total, percentText(input.reserve_parts));
    case LimitOf::Microbatch:
    case LimitOf::Accumulation:
    case LimitOf::Outside:
      break;
  }
  return {};
}

QString deadlineText(const engine::Plan& plan) {
  if (!plan.fits) return say(QT_TRANSLATE_NOOP("MemoryLedger", "not run: does not fit"));
  if (!plan.spare_seconds) return plot::notMeasuredText();
  return *plan.spare_seconds >= 0
             ? say(QT_TRANSLATE_NOOP("MemoryLedger", "✓ met, %1 spare")).arg(durationText(*plan.spare_seconds))
             : say(QT_TRANSLATE_NOOP("MemoryLedger", "! missed by %1")).arg(durationText(-*plan.spare_seconds));
}

}  // namespace mantissa::ui::memory
