// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/plot/picture_view.h"
#include "ui/verdict/verdict_data.h"

namespace mantissa::ui::verdict {

/// How fast reference and trial answer, a row a batch size, with the method below the words; says so where nothing was
/// measured. \param view  a table without a picture
void showLatency(plot::PictureView& view, const VerdictData& data, const QString& subject);

}  // namespace mantissa::ui::verdict
