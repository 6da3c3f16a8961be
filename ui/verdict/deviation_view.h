// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "core/record/trial.h"
#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// The limit of one rule on case_relative of all cases.
struct DeviationLimit {
  QString rule;  ///< "Output: tight, q0.99 of case_relative"
  double limit = 0;
  std::optional<double> value;  ///< what the rule found
  QString valueName;            ///< "q0.99"
  bool isExceeded = false;      ///< the rule is rejected
  bool isOfAverage = false;     ///< of a mean, which single cases may exceed
};

/// What is drawn into the histogram of one comparison.
struct DeviationLines {
  /// Of every rule that limits it, the deciding one first: exceeded before kept, of single cases before of a mean, the
  /// tighter one first. Of rules with the same limit and measure there is one. Empty: none limits it.
  std::vector<DeviationLimit> limits;
  std::optional<double> yardstick;  ///< rounding floor or run-to-run spread, of the same measure
};

/// Those of one verdict on a trial. \param verdict  null: there is none
DeviationLines deviationLines(const record::Verdict* verdict, const std::vector<record::YardstickReading>& yardsticks,
                              Side side);

/// How many cases deviate how much, of both comparisons over one range, with the limits of the rules of one verdict as
/// lines and what the deciding one allows as a band; and the table twins of the bars.
/// \param views  by Side; \param verdict  null: there is none; \param isPostHoc  it is not the run's own
/// \param place  of the trial (models::placeOf), which decides its colour
void showDeviations(const std::array<plot::PictureView*, 2>& views, const VerdictData& data,
                    const record::Verdict* verdict, bool isPostHoc, int place, const QString& subject);

}  // namespace mantissa::ui::verdict
