// SPDX-License-Identifier: Apache-2.0
#include "core/observe/growth_detector.h"

#include <algorithm>
#include <cmath>

namespace mantissa::observe {

void GrowthDetector::add(std::int64_t step, std::int64_t live_bytes) {
  if (steps_ < kBaseSteps) base_ = std::max(base_.value_or(live_bytes), live_bytes);
  ++steps_;
  if (latest_.size() == kBaseSteps) latest_.erase(latest_.begin());
  latest_.push_back(live_bytes);

  if (in_current_ == 0) current_ = {step, live_bytes};
  current_.least = std::min(current_.least, live_bytes);
  if (++in_current_ == kBlockSteps) end_block();
}

std::int64_t GrowthDetector::grown_bytes() const {
  if (steps_ < 2 * kBaseSteps) return 0;
  return std::max<std::int64_t>(0, *std::min_element(latest_.begin(), latest_.end()) - *base_);
}

void GrowthDetector::end_block() {
  in_current_ = 0;
  if (blocks_.size() == kBlocks) blocks_.erase(blocks_.begin());
  blocks_.push_back(current_);
  growth_.reset();
  if (blocks_.size() < kBlocks) return;
  // The line through (block, least): slope = sum (x - mean x)(y - mean y) / sum (x - mean x)^2.
  constexpr auto kCount = static_cast<double>(kBlocks);
  constexpr double kMeanPlace = (kCount - 1.0) / 2.0;
  double mean = 0.0;
  for (const Block& block : blocks_) mean += static_cast<double>(block.least) / kCount;
  double products = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const double place = static_cast<double>(i) - kMeanPlace;
    products += place * (static_cast<double>(blocks_[i].least) - mean);
    squares += place * place;
  }
  const double bytes_per_block = products / squares;
  for (std::size_t i = 1; i < kBlocks; ++i) {
    const auto rise = static_cast<double>(blocks_[i].least - blocks_[i - 1].least);
    if (rise <= 0.0 || rise < kSteadiness * bytes_per_block) return;
  }
  growth_ = {blocks_.front().first_step, std::llround(bytes_per_block / static_cast<double>(kBlockSteps))};
}

}  // namespace mantissa::observe
