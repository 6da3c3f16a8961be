// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/record/verdict.h"

namespace mantissa::report {

/// Figures as sentences and tables for people show them, the same in both programs and in reports. Full precision
/// belongs into exports and JSON documents.

/// "2,000".
std::string count_words(std::int64_t count);

/// Four significant digits: "0.01203", "12,350"; "NaN", "+∞", "−∞"; an en dash for what was not measured.
std::string number_words(double value);
std::string number_words(const std::optional<double>& value);

/// Two significant digits: "0.6 %", "98 %", "100 %" only for the whole.
std::string share_words(std::int64_t part, std::int64_t whole);

/// Powers of two as such: "2^16"; others as numbers; an en dash for zero (no scaler).
std::string scale_words(double scale);

/// "840 ms", "1.2 s", "12 s", "3 min 20 s", "1 h 04 min".
std::string duration_words(double seconds);

/// Three significant digits and a decimal unit: "512 B", "13.2 MB", "1.05 GB".
std::string bytes_words(std::int64_t bytes);

/// "12 of 2,000 steps skipped (0.6 %)", "none of 2,000 steps skipped".
std::string skip_sentence(std::int64_t skipped, std::int64_t attempted);

/// A word and a shape: "✓ accepted", "✕ rejected", "? undecided".
std::string verdict_words(record::VerdictWord word);

}  // namespace mantissa::report
