// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/judge/judge.h"
#include "core/spec/experiment.h"

/// What a rule's limit is in numbers of the outputs that it judges. No words, no widgets; on whatever thread.
namespace mantissa::ui::rules {

/// The distance from a number of this size to the next larger one in a format: "float16", "bfloat16", anything else is
/// FP32. Below the smallest normal number it stays what it is there; NaN where the format has no such number (65,536 in
/// FP16), or for what is not finite.
double spacing(double size, const std::string& format);

/// How large the reference's outputs are over the frozen cases.
struct Magnitudes {
  double rms = 0;       ///< of what is finite, as case_relative takes it
  double largest = 0;   ///< |output|
  double smallest = 0;  ///< |output| that is not 0; 0 where all are
};

/// Nothing where no output is kept: of language models, and without cases.
std::optional<Magnitudes> magnitudesOf(const std::vector<record::CaseRow>& cases);

/// The largest difference of outputs that a limit lets through where the outputs have this size; nothing of measures
/// that do not speak of single outputs (cosine, float64_rmse). \param autocast  chooses tolerances
std::optional<double> allowedAt(const spec::OutputRule& rule, double limit, double size, const std::string& autocast);

/// The limit that a rule states for trials of this autocast word: its own, or that of every dtype.
std::optional<double> statedLimit(const spec::OutputRule& rule, const std::string& autocast);

/// What was measured of one trial by an output rule.
struct OutputFigures {
  std::int64_t cases = 0;
  double reduced = 0;               ///< what the rule judges
  double worst = 0;                 ///< the largest of a single case
  QString worstCase;                ///< its id
  std::int64_t beyond = 0;          ///< cases above the limit, NaN among them
  std::optional<double> yardstick;  ///< the rounding floor or the run-to-run spread, whichever belongs to the rule
};

/// Nothing where the cases do not have what the measure needs. \param limit  nothing: none is beyond
std::optional<OutputFigures> outputFigures(const spec::OutputRule& rule, const judge::Evidence& evidence,
                                           std::optional<double> limit);

/// The cases of a slice; empty: all.
std::vector<record::CaseRow> casesOf(const std::vector<record::CaseRow>& cases, const std::string& slice);

/// How many attempted steps may be skipped so that at least this share is applied.
std::int64_t mostSkips(double leastApplied, std::int64_t attempted);

}  // namespace mantissa::ui::rules
