// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "ui/plot/value_column.h"

namespace mantissa::ui::plot {

/// What is known of so many neighbouring values without looking at each: 32 bytes for 64 doubles.
struct BlockSummary {
  static constexpr std::size_t kSize = 64;

  double minimum = std::numeric_limits<double>::infinity();  ///< of the finite values; no finite value: above maximum
  double maximum = -std::numeric_limits<double>::infinity();
  double smallestPositive = std::numeric_limits<double>::infinity();
  std::uint8_t minimumAt = 0;  ///< positions in the block, of the first such value
  std::uint8_t maximumAt = 0;
  std::uint8_t smallestPositiveAt = 0;
};

/// The summary of up to one block of values.
BlockSummary summarise(const double* values, std::size_t count);

/// Values that decimation reads block by block: measured ones, or others that are computed from those on demand.
class BlockedValues {
 public:
  using Block = std::array<double, BlockSummary::kSize>;

  virtual ~BlockedValues() = default;
  virtual std::size_t size() const = 0;

  /// Of a full block.
  virtual const BlockSummary& summary(std::size_t block) const = 0;

  /// The values of a block (the last one may be shorter). Points into `scratch` or at the values themselves.
  virtual const double* values(std::size_t block, Block& scratch) const = 0;
};

enum class NonFinite : std::uint8_t { NotANumber, PlusInfinity, MinusInfinity };

/// \pre value is not finite.
NonFinite kindOf(double value);

/// Neighbours that are non-finite in the same way.
struct NonFiniteRun {
  std::size_t first = 0;
  std::size_t count = 0;
  NonFinite kind = NonFinite::NotANumber;
};

/// One measured quantity along a run: append-only, NaN and infinities kept. Belongs to the window's thread.
///
/// Memory: 8.5 bytes a value besides the positions, which the quantities of a run share.
class SeriesData final : public BlockedValues {
 public:
  explicit SeriesData(std::shared_ptr<const PositionColumn> positions);

  void append(double value);

  /// The values that have a position: the owner may append to both columns in any order.
  std::size_t size() const override { return std::min(m_values.size(), m_positions->size()); }
  bool empty() const { return size() == 0; }
  double x(std::size_t index) const { return m_positions->at(index); }
  double y(std::size_t index) const { return m_values.at(index); }

  const PositionColumn& positions() const { return *m_positions; }
  std::shared_ptr<const PositionColumn> sharedPositions() const { return m_positions; }

  /// Another x axis for the same values (iteration instead of applied update).
  void setPositions(std::shared_ptr<const PositionColumn> positions) { m_positions = std::move(positions); }

  /// In order; runs of different kinds may touch.
  const std::vector<NonFiniteRun>& nonFinite() const { return m_nonFinite; }

  const BlockSummary& summary(std::size_t block) const override { return m_summaries[block]; }
  const double* values(std::size_t block, Block& scratch) const override;

 private:
  std::shared_ptr<const PositionColumn> m_positions;
  ValueColumn m_values;
  std::vector<BlockSummary> m_summaries;  // of full blocks
  std::vector<NonFiniteRun> m_nonFinite;
};

}  // namespace mantissa::ui::plot
