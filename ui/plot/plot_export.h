// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>

#include <functional>
#include <string>

#include "ui/plot/plot_painter.h"
#include "ui/plot/plot_state.h"

namespace mantissa::ui::plot {

/// How a plot is laid out on another surface than its own: the frame of a canvas for a size.
using MakeFrame = std::function<PlotFrame(const QSizeF&)>;

/// Pictures show the visible range in 2 px lines, in the colours of the state, below a header that says all that the
/// window around a plot says.
QImage plotImage(const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink, const QSize& size,
                 double scale);
QByteArray plotSvg(const PlotState& state, const MakeFrame& makeFrame, const PlotInk& ink, const QSize& size);

/// How large a picture is whose plot, below its header, is as large as this one.
QSize pictureSize(const PlotState& state, const PlotInk& ink, const QSize& plot);

/// Every value of every series, hidden or not, in rows of equal x: "step,reference,fp16". C locale, the shortest digits
/// that read back to the same double; `NaN`, `Infinity`, `-Infinity`; an empty field where a series has no value there.
std::string plotCsv(const PlotState& state);

}  // namespace mantissa::ui::plot
