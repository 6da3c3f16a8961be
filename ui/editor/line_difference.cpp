// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/line_difference.h"

#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mantissa::ui::editor {
namespace {

constexpr qsizetype kMostCells = qsizetype{2000} * 2000;

/// Lengths of the longest common subsequences of the ends of two lists: the one of lines from `i` and `j` on.
class CommonLengths {
 public:
  CommonLengths(const QStringList& mine, const QStringList& theirs)
      : m_width(theirs.size() + 1), m_lengths(static_cast<std::size_t>((mine.size() + 1) * m_width)) {
    for (qsizetype i = mine.size() - 1; i >= 0; --i) {
      for (qsizetype j = theirs.size() - 1; j >= 0; --j) {
        at(i, j) = mine[i] == theirs[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  std::int32_t& at(qsizetype i, qsizetype j) { return m_lengths[static_cast<std::size_t>(i * m_width + j)]; }

 private:
  qsizetype m_width;
  std::vector<std::int32_t> m_lengths;
};

}  // namespace

QVector<DifferenceLine> lineDifference(const QString& mine, const QString& theirs) {
  using Of = DifferenceLine::Of;
  const QStringList left = mine.split(QLatin1Char('\n'));
  const QStringList right = theirs.split(QLatin1Char('\n'));
  qsizetype begin = 0;
  while (begin < left.size() && begin < right.size() && left[begin] == right[begin]) ++begin;
  qsizetype same = 0;  // at the end
  while (same < left.size() - begin && same < right.size() - begin &&
         left[left.size() - 1 - same] == right[right.size() - 1 - same]) {
    ++same;
  }
  QVector<DifferenceLine> lines;
  const auto take = [&](Of of, qsizetype place) {
    lines << DifferenceLine{of, static_cast<int>(place) + 1, of == Of::Theirs ? right[place] : left[place]};
  };
  for (qsizetype i = 0; i < begin; ++i) take(Of::Both, i);
  const QStringList leftPart = left.mid(begin, left.size() - begin - same);
  const QStringList rightPart = right.mid(begin, right.size() - begin - same);
  qsizetype i = 0;
  qsizetype j = 0;
  if (leftPart.size() * rightPart.size() <= kMostCells) {
    CommonLengths common(leftPart, rightPart);
    while (i < leftPart.size() && j < rightPart.size()) {
      if (leftPart[i] == rightPart[j]) {
        take(Of::Both, begin + i);
        ++i;
        ++j;
      } else if (common.at(i + 1, j) >= common.at(i, j + 1)) {
        take(Of::Mine, begin + i++);
      } else {
        take(Of::Theirs, begin + j++);
      }
    }
  }
  while (i < leftPart.size()) take(Of::Mine, begin + i++);
  while (j < rightPart.size()) take(Of::Theirs, begin + j++);
  for (qsizetype k = left.size() - same; k < left.size(); ++k) take(Of::Both, k);
  return lines;
}

}  // namespace mantissa::ui::editor
