// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// What is drawn into the histogram of one comparison.
struct DeviationLines {
  std::optional<double> limit;      ///< of the rule on case_relative of all cases; nothing: none limits it
  std::optional<double> value;      ///< what that rule found
  QString valueName;                ///< "q0.99"
  std::optional<double> yardstick;  ///< rounding floor or run-to-run spread, of the same measure
};

/// Those of one verdict.
DeviationLines deviationLines(const record::TrialEnd& end, Side side);

/// How many cases deviate how much, with the tolerance of the rule as a band; and the table twin of the bars.
/// \param place  of the trial (models::placeOf), which decides its colour
void showDeviations(plot::PictureView& view, const VerdictData& data, Side side, int place, const QString& subject);

}  // namespace mantissa::ui::verdict
