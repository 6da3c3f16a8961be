// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace mantissa::ui::plot {

/// Doubles that are only ever appended, in chunks: growing to 10^7 values copies none of them.
class ValueColumn {
 public:
  static constexpr std::size_t kChunk = 4096;

  std::size_t size() const { return m_size; }
  double at(std::size_t index) const { return (*m_chunks[index / kChunk])[index % kChunk]; }
  double last() const { return at(m_size - 1); }
  void append(double value);

  /// `count` values from `first`, which must lie in one chunk: the caller reads them where they are.
  const double* run(std::size_t first) const { return m_chunks[first / kChunk]->data() + first % kChunk; }

 private:
  std::vector<std::unique_ptr<std::array<double, kChunk>>> m_chunks;
  std::size_t m_size = 0;
};

/// Positions along an x axis (iterations, applied updates, samples, seconds), shared by the series of one run.
///
/// Finite and never falling; equal neighbours are allowed (a skipped step applies no update).
class PositionColumn {
 public:
  /// \throws Error CallOrder  for a position that is not finite or lies before the last one.
  void append(double position);

  std::size_t size() const { return m_values.size(); }
  double at(std::size_t index) const { return m_values.at(index); }
  double first() const { return m_values.at(0); }
  double last() const { return m_values.last(); }

  /// The first index in [begin, end) whose position is at least (`lower`) or above (`upper`) `position`; `end` if none
  /// is.
  std::size_t lower(double position, std::size_t begin, std::size_t end) const;
  std::size_t upper(double position, std::size_t begin, std::size_t end) const;

 private:
  ValueColumn m_values;
};

}  // namespace mantissa::ui::plot
