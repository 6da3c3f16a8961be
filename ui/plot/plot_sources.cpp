// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_sources.h"

#include <algorithm>

namespace mantissa::ui::plot {

void PlotSources::setContent(const PlotContent& content) {
  m_sources.clear();
  const auto reference = std::find_if(content.series.begin(), content.series.end(),
                                      [](const PlotSeries& series) { return series.isReference && series.data; });
  const bool logarithmic = !content.difference && content.scale != YScale::Linear;
  const bool difference = content.difference && reference != content.series.end();
  for (const auto& series : content.series) {
    if (difference && series.isReference) continue;
    Source source;
    source.series = series;
    if (!source.series.data) source.series.data = std::make_shared<SeriesData>(std::make_shared<PositionColumn>());
    if (difference) {
      source.difference = std::make_unique<Difference>(source.series.data, reference->data);
      source.series.data = source.difference->data();
    }
    if (content.smoothing.kind != Smoothing::Kind::None && !series.steps) {
      source.smoothed = std::make_unique<SmoothedValues>(source.series.data, content.smoothing, logarithmic);
    }
    m_sources.push_back(std::move(source));
  }
}

bool PlotSources::update() {
  bool grown = false;
  for (auto& source : m_sources) {
    if (source.difference) source.difference->update();
    const auto size = source.series.data->size();
    if (size == source.drawn) continue;
    grown = true;
    source.drawn = size;
    if (source.smoothed) source.smoothed->update();
  }
  return grown;
}

std::optional<Range> PlotSources::xExtent() const {
  std::optional<Range> extent;
  for (const auto& source : m_sources) {
    const auto& data = *source.series.data;
    if (data.empty()) continue;
    const Range own{data.x(0), data.x(data.size() - 1)};
    extent = extent ? Range{std::min(extent->low, own.low), std::max(extent->high, own.high)} : own;
  }
  return extent;
}

}  // namespace mantissa::ui::plot
