// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

#include "core/memory/ledger.h"
#include "core/memory/plans.h"

namespace mantissa::ui::memory {

namespace engine = mantissa::memory;

/// In what a panel says its sizes, with two decimals: decimal units, as everywhere where no other is named.
struct ByteScale {
  QString unit = QStringLiteral("GB");
  double bytes = 1e9;

  /// The largest unit of which there is at least one.
  static ByteScale of(std::int64_t largest);
  /// "8.64", "−3.36".
  QString text(std::int64_t size) const;
  QString textWithUnit(std::int64_t size) const { return text(size) + QLatin1Char(' ') + unit; }
};

/// Figures in the locale of the window.
QString sizeText(std::int64_t bytes);    ///< "8.64 GB", three significant digits
QString exactBytes(std::int64_t bytes);  ///< "8640000000", for files
QString byteCount(std::int64_t bytes);   ///< "8,640,000,000 bytes", for tips
/// As a person would type it, in the unit of which it is a whole number: "24 GB", "619 MiB".
QString typedSize(std::int64_t bytes);
QString countText(std::int64_t count);
QString samplesText(std::int64_t count);
QString percentText(std::int64_t parts);  ///< of engine::kWholeReserve: "10 %"
QString durationText(double seconds);

/// Whether it fits, why, and what would: one sentence or two, as mantissa-cli says them.
QString ledgerSentence(const engine::Ledger& ledger);

/// The fields that have a largest value that fits (of the capacity: the smallest). Accumulation and what is outside are
/// those of traced steps, whose inputs are all there at once; the second and third those of typed sums.
enum class LimitOf { Microbatch, PerSample, FixedState, Reserve, Capacity, Accumulation, Outside };
inline constexpr int kTypedLimits = 5;  ///< the first so many
QString limitName(LimitOf limit);
/// "54 samples"; "none fits".
QString limitText(LimitOf limit, const engine::Ledger& ledger);
/// Why it is that one: "3.2 GB + 54 × 340 MB = 21.6 GB is within 21.6 GB; 55 would need 21.9 GB."
QString limitSentence(LimitOf limit, const engine::Ledger& ledger);

/// "✓ met, 1 h 13 min spare", "! missed by 15 min", "not run: does not fit"; an en dash where there is no deadline.
QString deadlineText(const engine::Plan& plan);

}  // namespace mantissa::ui::memory
