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
/// Finite and never falling; equal neighbours are allowed (a skipped step applies no update). Steps, updates and
/// samples rise evenly nearly everywhere: such stretches are kept as their first position and what is added each time,
/// at a fiftieth of the memory, and read back bit for bit.
class PositionColumn {
 public:
  static constexpr std::size_t kChunk = 256;

  /// \throws Error CallOrder  for a position that is not finite or lies before the last one.
  void append(double position);

  std::size_t size() const { return m_size; }
  double at(std::size_t index) const { return m_chunks[index / kChunk].at(index % kChunk); }
  double first() const { return at(0); }
  double last() const { return at(m_size - 1); }

  /// The first index in [begin, end) whose position is at least (`lower`) or above (`upper`) `position`; `end` if none
  /// is.
  std::size_t lower(double position, std::size_t begin, std::size_t end) const;
  std::size_t upper(double position, std::size_t begin, std::size_t end) const;

 private:
  struct Chunk {
    double first = 0;
    double difference = 0;
    std::unique_ptr<std::array<double, kChunk>> values;  // where they do not rise evenly

    double at(std::size_t place) const {
      return values ? (*values)[place] : first + difference * static_cast<double>(place);
    }
    void put(std::size_t place, double position);
  };

  std::vector<Chunk> m_chunks;
  std::size_t m_size = 0;
};

}  // namespace mantissa::ui::plot
