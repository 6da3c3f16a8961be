// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::ui::plot {
namespace {

constexpr auto kBlock = BlockSummary::kSize;

/// Sum and number of the finite values added so far. Values are only ever added, never taken out again: a 1e30 that
/// leaves the window takes its rounding error with it.
struct FiniteSum {
  double sum = 0;
  std::size_t count = 0;

  void add(double value) {
    if (!std::isfinite(value)) return;
    sum += value;
    ++count;
  }
};

/// Running means of the values [begin, end), by the sums of van Herk (1992): the window that ends at i is the end of
/// one segment of `window` values and the start of the next. `at(i)` reads a value, `store(i, mean)` takes a result.
template <typename At, typename Store>
void runningMeans(std::size_t begin, std::size_t end, std::size_t window, const At& at, const Store& store) {
  std::vector<FiniteSum> endings;  // endings[k]: the sum over the segment before, from its k-th value on
  for (auto segment = begin / window * window; segment < end; segment += window) {
    endings.assign(window + 1, {});
    if (segment > 0) {
      for (auto k = window; k-- > 0;) {
        endings[k] = endings[k + 1];
        endings[k].add(at(segment - window + k));
      }
    }
    FiniteSum start;
    for (auto i = segment; i < std::min(segment + window, end); ++i) {
      const auto value = at(i);
      start.add(value);
      if (i < begin) continue;
      const auto& ending = endings[i - segment + 1];
      const auto count = start.count + ending.count;
      store(i, std::isfinite(value) ? (start.sum + ending.sum) / static_cast<double>(count) : value);
    }
  }
}

double smoothNext(double value, double weight, double& average, double& bias) {
  if (!std::isfinite(value)) return value;
  average = weight * average + (1 - weight) * value;
  bias *= weight;
  return average / (1 - bias);
}

}  // namespace

std::vector<double> exponentialAverage(const std::vector<double>& values, double weight) {
  std::vector<double> smoothed;
  smoothed.reserve(values.size());
  double average = 0;
  double bias = 1;
  for (const auto value : values) smoothed.push_back(smoothNext(value, weight, average, bias));
  return smoothed;
}

std::vector<double> runningMean(const std::vector<double>& values, std::size_t window) {
  std::vector<double> means(values.size());
  runningMeans(
      0, values.size(), window, [&](std::size_t i) { return values[i]; },
      [&](std::size_t i, double mean) { means[i] = mean; });
  return means;
}

SmoothedValues::SmoothedValues(std::shared_ptr<const SeriesData> source, const Smoothing& smoothing, bool positiveOnly)
    : m_source(std::move(source)), m_smoothing(smoothing), m_positiveOnly(positiveOnly), m_states(1) {
  m_smoothing.weight = std::clamp(m_smoothing.weight, 0.0, 0.999999);
  m_smoothing.window = std::clamp<std::size_t>(m_smoothing.window, 1, Smoothing::kLargestWindow);
  // 1 / (1 − 0.9) is a little more than 10 in floating point, and 10 is meant.
  m_memory = static_cast<std::size_t>(std::max(1L, std::lround(1 / (1 - m_smoothing.weight))));
}

void SmoothedValues::update() {
  m_size = m_source->size();
  Block smoothed;
  for (auto block = m_summaries.size(); block < m_size / kBlock; ++block) {
    if (m_smoothing.kind == Smoothing::Kind::Exponential) {
      m_states.push_back(exponentialBlock(block, m_states.back(), smoothed));
    } else {
      meanBlock(block, smoothed);
    }
    m_summaries.push_back(summarise(smoothed.data(), kBlock));
  }
}

const double* SmoothedValues::values(std::size_t block, Block& scratch) const {
  if (m_smoothing.kind == Smoothing::Kind::Exponential) {
    exponentialBlock(block, m_states[block], scratch);
  } else {
    meanBlock(block, scratch);
  }
  return scratch.data();
}

bool SmoothedValues::hasPlace(double value) const { return std::isfinite(value) && (!m_positiveOnly || value > 0); }

std::size_t SmoothedValues::valuesIn(std::size_t block) const { return std::min(kBlock, m_size - block * kBlock); }

SmoothedValues::State SmoothedValues::exponentialBlock(std::size_t block, State state, Block& smoothed) const {
  Block unused;
  const auto* measured = m_source->values(block, unused);
  for (std::size_t i = 0; i < valuesIn(block); ++i) {
    if (!hasPlace(measured[i])) {
      smoothed[i] = measured[i];
      ++state.without;
      continue;
    }
    if (m_positiveOnly && state.without >= m_memory) state = {};
    state.without = 0;
    smoothed[i] = smoothNext(measured[i], m_smoothing.weight, state.average, state.bias);
  }
  return state;
}

void SmoothedValues::meanBlock(std::size_t block, Block& smoothed) const {
  const auto begin = block * kBlock;
  runningMeans(
      begin, begin + valuesIn(block), m_smoothing.window,
      [this](std::size_t i) {
        const double value = m_source->y(i);
        return hasPlace(value) ? value : std::numeric_limits<double>::quiet_NaN();
      },
      [&](std::size_t i, double mean) { smoothed[i - begin] = std::isnan(mean) ? m_source->y(i) : mean; });
}

}  // namespace mantissa::ui::plot
