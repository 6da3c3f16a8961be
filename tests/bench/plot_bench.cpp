// SPDX-License-Identifier: Apache-2.0
// What the plots of the workbench cost: decimation, and eight visible plots of two series redrawn as live.
#include <benchmark/benchmark.h>

#include <QApplication>
#include <QGridLayout>

#include <cmath>
#include <random>

#include "ui/plot/plot_view.h"

using namespace mantissa::ui::plot;

namespace {

std::shared_ptr<SeriesData> noise(const std::shared_ptr<PositionColumn>& positions, std::size_t steps, unsigned seed) {
  auto data = std::make_shared<SeriesData>(positions);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 0.2);
  for (std::size_t i = 0; i < steps; ++i) {
    const auto done = static_cast<double>(i) / static_cast<double>(steps);
    data->append((0.03 + 2 * std::exp(-8 * done)) * std::exp(normal(random)));
  }
  return data;
}

std::shared_ptr<PositionColumn> counting(std::size_t steps) {
  auto positions = std::make_shared<PositionColumn>();
  for (std::size_t i = 0; i < steps; ++i) positions->append(static_cast<double>(i));
  return positions;
}

void decimation(benchmark::State& state) {
  const auto steps = static_cast<std::size_t>(state.range(0));
  const auto data = noise(counting(steps), steps, 1);
  const DecimationRequest request{{0, static_cast<double>(steps)}, 1200, true};
  for (auto _ : state) benchmark::DoNotOptimize(decimate(*data, *data, request).samples.size());
}
BENCHMARK(decimation)
    ->Name("plots/decimation")
    ->Arg(1'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);

void appending(benchmark::State& state) {
  const auto steps = static_cast<std::size_t>(state.range(0));
  const auto positions = counting(steps);
  for (auto _ : state) {
    SeriesData data(positions);
    for (std::size_t i = 0; i < steps; ++i) data.append(static_cast<double>(i % 97));
    benchmark::DoNotOptimize(data.size());
  }
}
BENCHMARK(appending)->Name("plots/appending")->Arg(1'000'000)->Unit(benchmark::kMillisecond);

/// Each redraw takes in one new step of every series, as the Run page does: everything is prepared and drawn anew.
void redraw(benchmark::State& state, bool smoothed) {
  const auto steps = static_cast<std::size_t>(state.range(0));
  const auto positions = counting(steps);
  const auto& colors = plotColors(false);
  QWidget page;
  page.resize(1180, 900);
  auto* grid = new QGridLayout(&page);
  PlotNavigation navigation;
  PlotCursor cursor;
  std::vector<PlotView*> views;
  std::vector<std::shared_ptr<SeriesData>> all;
  for (int i = 0; i < 8; ++i) {
    auto* view = new PlotView(QString::number(i));
    PlotContent content;
    content.title = QStringLiteral("Loss");
    content.xName = QStringLiteral("step");
    content.scale = YScale::Log10;
    if (smoothed) content.smoothing.kind = Smoothing::Kind::Exponential;
    for (unsigned k = 0; k < 2; ++k) {
      all.push_back(noise(positions, steps, 2 * static_cast<unsigned>(i) + k));
      PlotSeries series;
      series.id = series.name = QString::number(k);
      series.style = k == 0 ? referenceStyle(colors) : trialStyle(colors, 0);
      series.data = all.back();
      content.series.push_back(series);
    }
    view->setNavigation(&navigation);
    view->setPlotCursor(&cursor);
    view->setContent(std::move(content));
    grid->addWidget(view, i / 2, i % 2);
    views.push_back(view);
  }
  page.show();
  QCoreApplication::processEvents();
  for (auto* view : views) view->redraw();
  for (auto _ : state) {
    positions->append(static_cast<double>(positions->size()));
    for (const auto& data : all) data->append(0.05);
    for (auto* view : views) view->redraw();
    QCoreApplication::processEvents();  // the pictures reach the window
  }
}
BENCHMARK_CAPTURE(redraw, plain, false)
    ->Name("plots/redraw_8x2")
    ->Arg(1'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(redraw, smoothed, true)
    ->Name("plots/redraw_8x2_smoothed")
    ->Arg(1'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
