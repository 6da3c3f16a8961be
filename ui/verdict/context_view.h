// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// Reference and trial beside what a constant predictor, a linear model and a written rule reach; and, in words, what
/// the inputs of the frozen set are like. \param view  a table without a picture
void showContext(plot::PictureView& view, const VerdictData& data, const QString& subject);

/// How the output that moved most is distributed over the frozen cases, beside the reference's; with the table twin of
/// the bars. Of the trial's own weights, or of the same weights where those were not compared.
/// \param place  of the trial (models::placeOf), which decides its colour
void showDistribution(plot::PictureView& view, const VerdictData& data, int place, const QString& subject);

}  // namespace mantissa::ui::verdict
