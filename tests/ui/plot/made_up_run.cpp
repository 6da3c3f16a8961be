// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/plot/made_up_run.h"

#include <cmath>
#include <limits>
#include <random>

namespace mantissa::ui::plot {
namespace {

std::vector<PlotSeries> named(const PlotColors& colors, const std::vector<std::shared_ptr<SeriesData>>& data,
                              bool withReference) {
  std::vector<PlotSeries> series;
  if (withReference) {
    series.push_back({"reference", "reference", referenceStyle(colors), data[0], true, false, {}});
  }
  series.push_back({"fp16", "fp16", trialStyle(colors, 0), data[withReference ? 1 : 0], false, false, {}});
  series.push_back({"bf16", "bf16", trialStyle(colors, 1), data[withReference ? 2 : 1], false, false, {}});
  return series;
}

}  // namespace

MadeUpRun::Data MadeUpRun::column(std::vector<Data>& into) {
  into.push_back(std::make_shared<SeriesData>(m_steps));
  return into.back();
}

MadeUpRun::MadeUpRun(std::size_t steps) : m_steps(std::make_shared<PositionColumn>()) {
  for (int i = 0; i < 3; ++i) column(m_loss);
  for (int i = 0; i < 3; ++i) column(m_gradient);
  for (int i = 0; i < 2; ++i) column(m_deviation);
  for (int i = 0; i < 2; ++i) column(m_scale);
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 1);
  auto exponent = 21;
  for (std::size_t i = 0; i < steps; ++i) {
    m_steps->append(static_cast<double>(i));
    const auto done = static_cast<double>(i) / static_cast<double>(steps);
    const auto shared = noise(random);
    for (std::size_t trial = 0; trial < 3; ++trial) {
      const auto own = 0.92 * shared + 0.4 * noise(random);
      auto loss = (0.035 + 2.2 * std::exp(-9 * done)) * std::exp(0.16 * own) * (trial == 1 ? 0.95 : 1.0);
      auto norm = (0.22 + 3 * std::exp(-7 * done)) * std::exp(0.3 * own);
      const bool broken = trial == 1 && i == steps * 6 / 10;
      if (broken) loss = norm = std::numeric_limits<double>::quiet_NaN();
      m_loss[trial]->append(loss);
      m_gradient[trial]->append(norm);
      if (trial == 0) continue;
      const auto level = trial == 1 ? 0.84 : 3.0;
      auto deviation = level * (1 - 0.9 * std::exp(-12 * done)) * std::exp(0.13 * noise(random));
      if (broken) deviation = std::numeric_limits<double>::quiet_NaN();
      m_deviation[trial - 1]->append(deviation);
    }
    const bool calibrating = i < 5;
    const bool skipped = calibrating || i == steps / 8 || i == steps / 4 || i == steps * 6 / 10 || i == steps * 9 / 20;
    if (skipped) {
      --exponent;
      PlotMark mark{
          static_cast<double>(i), static_cast<qint64>(i), QString("Step %1: skipped, non-finite gradient").arg(i), {}};
      if (i == 0) mark.label = "5 calibration";
      m_skips.push_back(mark);
    } else if (i % (steps / 11) == 0) {
      exponent = std::min(exponent + 1, 18);
    }
    m_scale[0]->append(std::exp2(exponent));
  }
}

PlotContent MadeUpRun::loss(const PlotColors& colors) const {
  PlotContent content;
  content.title = "Loss";
  content.unit = "cross-entropy";
  content.scaleWord = "log";
  content.xName = "step";
  content.scale = YScale::Log10;
  content.smoothing.kind = Smoothing::Kind::Exponential;
  content.smoothing.weight = 0.95;
  content.series = named(colors, m_loss, true);
  return content;
}

PlotContent MadeUpRun::scale(const PlotColors& colors) const {
  PlotContent content;
  content.title = "Loss scale";
  content.unit = "log2; skipped steps below";
  content.xName = "step";
  content.scale = YScale::Log2;
  content.markRow = true;
  content.marks = m_skips;
  content.series = named(colors, m_scale, false);
  content.series[0].steps = content.series[1].steps = true;
  content.series[1].note = "no scaler";
  return content;
}

PlotContent MadeUpRun::deviation(const PlotColors& colors) const {
  auto content = loss(colors);
  content.title = "Output deviation";
  content.unit = QString::fromUtf8("RMSE, trajectory, × spread");
  content.valueSuffix = QString::fromUtf8(" ×");
  content.series = named(colors, m_deviation, false);
  content.limits = {{4, QString::fromUtf8("limit: 4 × spread")}};
  content.bands = {{0, 1, "run-to-run spread: 3 repeats", {}}};
  return content;
}

PlotContent MadeUpRun::gradientNorm(const PlotColors& colors) const {
  auto content = loss(colors);
  content.title = "Gradient norm";
  content.unit = "unscaled";
  content.series = named(colors, m_gradient, true);
  content.limits = {{1, "clip at 1.0"}};
  return content;
}

}  // namespace mantissa::ui::plot
