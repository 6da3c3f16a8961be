// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/value_column.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace mantissa::ui::plot {

void ValueColumn::append(double value) {
  if (m_size % kChunk == 0) m_chunks.push_back(std::make_unique<std::array<double, kChunk>>());
  (*m_chunks.back())[m_size % kChunk] = value;
  ++m_size;
}

void PositionColumn::append(double position) {
  if (!std::isfinite(position) || (size() > 0 && position < last())) {
    ErrorFacts facts;
    facts.problem = "a position on the x axis that does not follow the one before";
    facts.found = to_text(position);
    facts.expected = size() > 0 ? "at least " + to_text(last()) : "a finite number";
    throw Error(ErrorKind::CallOrder, std::move(facts));
  }
  const std::size_t place = m_size % kChunk;
  if (place == 0) m_chunks.emplace_back();
  m_chunks.back().put(place, position);
  ++m_size;
}

void PositionColumn::Chunk::put(std::size_t place, double position) {
  if (!values) {
    if (place == 0) first = position;
    if (place == 1) difference = position - first;
    if (at(place) == position) return;
    auto all = std::make_unique<std::array<double, kChunk>>();
    for (std::size_t i = 0; i < place; ++i) (*all)[i] = at(i);
    values = std::move(all);
  }
  (*values)[place] = position;
}

std::size_t PositionColumn::lower(double position, std::size_t begin, std::size_t end) const {
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    if (at(middle) < position) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

std::size_t PositionColumn::upper(double position, std::size_t begin, std::size_t end) const {
  while (begin < end) {
    const auto middle = begin + (end - begin) / 2;
    if (at(middle) <= position) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

}  // namespace mantissa::ui::plot
