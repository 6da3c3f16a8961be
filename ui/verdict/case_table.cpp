// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/case_table.h"

#include <QCheckBox>
#include <QCollator>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/record/case_row.h"
#include "ui/measured_text.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;
using plot::RowsColumn;
using Column = CaseTable::Column;

bool flips(const CaseFacts& one) { return one.side(Side::SameWeights).flips || one.side(Side::Trained).flips; }

bool hasTie(const CaseFacts& one) { return one.tie || one.side(Side::SameWeights).tie || one.side(Side::Trained).tie; }

/// Where one of them makes none: nothing is worse.
bool hasNoDecision(const CaseFacts& one) {
  return one.side(Side::SameWeights).direction == Direction::NoDecision ||
         one.side(Side::Trained).direction == Direction::NoDecision;
}

std::optional<Side> sideOf(Column column) {
  switch (column) {
    case Column::SameWeights:
    case Column::MarginSameWeights:
    case Column::DeviationSameWeights:
      return Side::SameWeights;
    case Column::Trained:
    case Column::MarginTrained:
    case Column::DeviationTrained:
      return Side::Trained;
    default:
      return std::nullopt;
  }
}

RowsCell none() { return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint}; }

RowsCell countCell(std::int64_t value, bool isFlip) {
  return {(isFlip ? QStringLiteral("⇄ ") : QString()) + wholeText(value), QString::number(value), RowsCell::Tone::Plain,
          isFlip};
}

/// \param words  of a set, an order or a tie
RowsCell wordsCell(const QString& words, bool isFlip) {
  return {(isFlip ? QStringLiteral("⇄ ") : QString()) + words, words, RowsCell::Tone::Plain, isFlip, words};
}

/// A side's decision, or what it did to the decisions at the positions of the case.
RowsCell decisionCell(const CaseFacts& one, const CaseSide& side) {
  if (!side.isMeasured) return none();
  if (one.positions) {
    if (!side.positionFlips) return none();
    RowsCell cell = countCell(*side.positionFlips, *side.positionFlips > 0);
    cell.tip = CaseTable::tr("%1 of %2 positions decide differently")
                   .arg(wholeText(*side.positionFlips), wholeText(*one.positions));
    return cell;
  }
  if (!side.words.isEmpty()) return wordsCell(side.words, side.flips);
  if (side.decision) return countCell(*side.decision, side.flips);
  if (!side.flips) return none();
  return {CaseTable::tr("⇄ none"), QStringLiteral("none"), RowsCell::Tone::Bad, true,
          CaseTable::tr("No decision: an output is not finite, or there are too many outputs for one number")};
}

RowsCell targetCell(const CaseFacts& one, bool isDecision) {
  if (one.target.empty()) return none();
  if (one.target.size() > 1) return {CaseTable::tr("several"), {}, RowsCell::Tone::Faint};
  const double value = one.target.front();
  const bool isIndex = isDecision && value == std::floor(value) && std::abs(value) < 1e9;
  return isIndex ? countCell(static_cast<std::int64_t>(value), false) : numberCell(value);
}

/// Both where they differ.
RowsCell changeCell(const CaseFacts& one) {
  const Direction same = one.side(Side::SameWeights).direction;
  const Direction trained = one.side(Side::Trained).direction;
  const Direction first = same == Direction::None ? trained : same;
  if (first == Direction::None) return none();
  QStringList words;
  if (same != Direction::None) words << CaseTable::tr("same weights: %1").arg(directionName(same));
  if (trained != Direction::None) words << CaseTable::tr("trained: %1").arg(directionName(trained));
  const bool isBad = toneOf(same) == RowsCell::Tone::Bad || toneOf(trained) == RowsCell::Tone::Bad;
  const QString text = same == trained || trained == Direction::None || same == Direction::None
                           ? directionName(first)
                           : QStringLiteral("%1 / %2").arg(directionName(same), directionName(trained));
  return {text, words.join(QStringLiteral("; ")), isBad ? RowsCell::Tone::Bad : toneOf(first), false,
          words.join(u'\n')};
}

RowsCell tieCell(const CaseFacts& one) {
  QStringList words;
  if (one.tie) words << CaseTable::tr("reference");
  for (const Side side : kSides) {
    if (one.side(side).tie) words << sideName(side);
  }
  if (words.isEmpty()) return none();
  const QString all = words.join(QStringLiteral(", "));
  return {words.size() == 1 ? all : CaseTable::tr("%1 sides").arg(words.size()), all, RowsCell::Tone::Warn, false, all};
}

RowsCell cellOf(const CaseFacts& one, Column column, bool hasDecisions) {
  const std::optional<Side> side = sideOf(column);
  switch (column) {
    case Column::Case:
      return {one.id, {}, RowsCell::Tone::Plain, false, one.id};
    case Column::Kind:
      return {kindName(one.kind), QString::fromStdString(std::string(record::to_text(one.kind)))};
    case Column::Slice:
      return one.slice.isEmpty() ? none() : RowsCell{one.slice};
    case Column::Target:
      return targetCell(one, hasDecisions);
    case Column::Reference:
      if (one.positions) {
        return one.positionsCorrect ? countCell(*one.positionsCorrect, false) : none();
      }
      if (!one.words.isEmpty()) return wordsCell(one.words, false);
      return one.decision ? countCell(*one.decision, false) : none();
    case Column::SameWeights:
    case Column::Trained:
      return decisionCell(one, one.side(*side));
    case Column::MarginReference:
      return numberCell(one.margin);
    case Column::MarginSameWeights:
    case Column::MarginTrained:
      return numberCell(one.side(*side).margin);
    case Column::Tie:
      return tieCell(one);
    case Column::Change:
      return changeCell(one);
    case Column::DeviationSameWeights:
    case Column::DeviationTrained:
      return one.side(*side).isMeasured ? numberCell(one.side(*side).relative) : none();
  }
  return {};
}

/// By which numbers are sorted; what is not there comes last, NaN before it.
double keyOf(const CaseFacts& one, Column column) {
  constexpr double kMissing = std::numeric_limits<double>::infinity();
  const std::optional<Side> side = sideOf(column);
  const auto number = [](const std::optional<double>& value) {
    if (!value) return kMissing;
    return std::isnan(*value)
               ? std::numeric_limits<double>::max()
               : std::clamp(*value, std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
  };
  const auto whole = [](const std::optional<std::int64_t>& value) {
    return value ? static_cast<double>(*value) : kMissing;
  };
  switch (column) {
    case Column::Kind:
      return static_cast<double>(one.kind);
    case Column::Target:
      return one.target.empty() ? kMissing : number(one.target.front());
    case Column::Reference:
      return whole(one.positions ? one.positionsCorrect : one.decision);
    case Column::SameWeights:
    case Column::Trained:
      return whole(one.positions ? one.side(*side).positionFlips : one.side(*side).decision);
    case Column::MarginReference:
      return number(one.margin);
    case Column::MarginSameWeights:
    case Column::MarginTrained:
      return number(one.side(*side).margin);
    case Column::Tie:
      return hasTie(one) ? 0 : 1;
    case Column::Change: {
      const Direction same = one.side(Side::SameWeights).direction;
      const Direction first = same == Direction::None ? one.side(Side::Trained).direction : same;
      return first == Direction::None ? kMissing : static_cast<double>(first);
    }
    case Column::DeviationSameWeights:
    case Column::DeviationTrained:
      return one.side(*side).isMeasured ? number(one.side(*side).relative) : kMissing;
    case Column::Case:
    case Column::Slice:
      break;
  }
  return 0;
}

/// The surest order of a first look.
bool isMoreTelling(const CaseFacts& one, const CaseFacts& other, bool hasDecisions) {
  if (flips(one) != flips(other)) return flips(one);
  if (hasNoDecision(one) != hasNoDecision(other)) return hasNoDecision(one);
  if (!hasDecisions) {
    const auto deviation = [](const CaseFacts& facts) {
      return facts.side(Side::SameWeights).isMeasured ? keyOf(facts, Column::DeviationSameWeights) : -1.0;
    };
    return deviation(one) > deviation(other);
  }
  if (hasTie(one) != hasTie(other)) return hasTie(one);
  return keyOf(one, Column::MarginReference) < keyOf(other, Column::MarginReference);
}

/// \param shortTitle  on two lines, where the table is too narrow for all columns
RowsColumn numbers(const QString& title, const QString& shortTitle, const QString& tip, const QString& inFiles = {}) {
  RowsColumn column{title, inFiles, true, tip};
  column.shortTitle = shortTitle;
  return column;
}

RowsColumn titleOf(Column column, bool byPosition) {
  switch (column) {
    case Column::Case:
      return {CaseTable::tr("Case")};
    case Column::Kind:
      return {CaseTable::tr("Kind")};
    case Column::Slice:
      return {CaseTable::tr("Slice")};
    case Column::Target:
      return {CaseTable::tr("Target"), {}, true};
    case Column::Reference:
      return byPosition ? numbers(CaseTable::tr("Reference right"), CaseTable::tr("Ref.\nright"),
                                  CaseTable::tr("Positions that the reference decides as the target says"))
                        : numbers(CaseTable::tr("Reference"), CaseTable::tr("Ref."),
                                  CaseTable::tr("Decision of the reference"));
    case Column::SameWeights:
      return numbers(CaseTable::tr("Same weights"), CaseTable::tr("Same\nweights"),
                     CaseTable::tr("Decision of the reference's weights under the trial's policy; ⇄: another one"));
    case Column::Trained:
      return numbers(CaseTable::tr("Trained"), {},
                     CaseTable::tr("Decision of the trial's own weights; ⇄: another one"));
    case Column::MarginReference:
      return numbers(CaseTable::tr("Margin, ref."), CaseTable::tr("Margin,\nref."),
                     CaseTable::tr("How far the reference is from another decision"),
                     CaseTable::tr("Margin, reference"));
    case Column::MarginSameWeights:
      return numbers(CaseTable::tr("Margin, same w."), CaseTable::tr("Margin,\nsame w."),
                     CaseTable::tr("Margin of the reference's weights under the trial's policy"),
                     CaseTable::tr("Margin, same weights"));
    case Column::MarginTrained:
      return numbers(CaseTable::tr("Margin, trained"), CaseTable::tr("Margin,\ntrained"),
                     CaseTable::tr("Margin of the trial's own weights"));
    case Column::Tie:
      return {CaseTable::tr("Tie"), {}, false, CaseTable::tr("Whose outputs do not decide")};
    case Column::Change:
      return {CaseTable::tr("Change"),
              {},
              false,
              CaseTable::tr("Which way the decision flipped: same weights / trained where they differ")};
    case Column::DeviationSameWeights:
      return numbers(CaseTable::tr("Deviation, same w."), CaseTable::tr("Dev.,\nsame w."),
                     CaseTable::tr("Case-relative, same weights"),
                     CaseTable::tr("Case-relative deviation, same weights"));
    case Column::DeviationTrained:
      return numbers(CaseTable::tr("Deviation, trained"), CaseTable::tr("Dev.,\ntrained"),
                     CaseTable::tr("Case-relative, trained"), CaseTable::tr("Case-relative deviation, trained"));
  }
  return {};
}

std::vector<Column> columnsOf(const VerdictData& data) {
  std::vector<Column> columns = {Column::Case, Column::Kind};
  const auto hasSlice = [](const CaseFacts& one) { return !one.slice.isEmpty(); };
  if (std::any_of(data.cases.begin(), data.cases.end(), hasSlice)) columns.push_back(Column::Slice);
  const bool byPosition = !data.cases.empty() && data.cases.front().positions.has_value();
  if (!byPosition) columns.push_back(Column::Target);
  if (data.hasDecisions) {
    for (const Column one : {Column::Reference, Column::SameWeights, Column::Trained}) columns.push_back(one);
    if (!byPosition) columns.push_back(Column::Change);
    columns.push_back(Column::MarginReference);
    if (!byPosition) {
      for (const Column one : {Column::MarginSameWeights, Column::MarginTrained, Column::Tie}) columns.push_back(one);
    }
  }
  for (const Column one : {Column::DeviationSameWeights, Column::DeviationTrained}) columns.push_back(one);
  return columns;
}

QString sideNote(const VerdictData& data, Side side) {
  const bool isCompared = std::any_of(data.cases.begin(), data.cases.end(),
                                      [side](const CaseFacts& one) { return one.side(side).isMeasured; });
  if (!isCompared && !data.cases.empty()) return CaseTable::tr("%1: not compared").arg(sideName(side));
  const auto flipped = std::count_if(data.cases.begin(), data.cases.end(),
                                     [side](const CaseFacts& one) { return one.side(side).flips; });
  const auto ties =
      std::count_if(data.cases.begin(), data.cases.end(), [side](const CaseFacts& one) { return one.side(side).tie; });
  const QString words = CaseTable::tr("%1: %2").arg(sideName(side), flipsText(flipped));
  if (ties == 0) return words;
  return words + (ties == 1 ? CaseTable::tr(", 1 tie") : CaseTable::tr(", %1 ties").arg(wholeText(ties)));
}

}  // namespace

CaseTable::CaseTable(const QString& id, QWidget* parent)
    : plot::PictureView(id, parent),
      m_only(new QCheckBox(tr("Only flips"))),
      m_sorting(new QComboBox),
      m_empty(new QLabel(table()->viewport())) {
  setTableOnly();
  m_only->setToolTip(tr("Shows the cases whose decision flipped, and no others"));
  m_sorting->setAccessibleName(tr("Order of the cases"));
  m_sorting->setToolTip(tr("The column that the cases are sorted by; a click on its header does the same"));
  m_sorting->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  addToHeader(m_only);
  addToHeader(m_sorting);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);
  table()->viewport()->installEventFilter(this);
  QHeaderView* const header = table()->horizontalHeader();
  header->setSectionsClickable(true);
  header->setStretchLastSection(false);  // numbers stand together
  connect(header, &QHeaderView::sectionClicked, this, [this](int column) {
    const bool isAgain = column == m_sorted && m_order == Qt::AscendingOrder;
    sortBy(column, isAgain ? Qt::DescendingOrder : Qt::AscendingOrder);
  });
  connect(m_only, &QCheckBox::toggled, this, &CaseTable::arrange);
  connect(m_sorting, QOverload<int>::of(&QComboBox::activated), this,
          [this](int choice) { sortBy(choice - 1, Qt::AscendingOrder); });
}

int CaseTable::placeOf(Column column) const {
  const auto found = std::find(m_columns.begin(), m_columns.end(), column);
  return found == m_columns.end() ? -1 : static_cast<int>(found - m_columns.begin());
}

const CaseFacts& CaseTable::caseAt(int row) const { return m_data->cases[m_rows[static_cast<std::size_t>(row)]]; }

void CaseTable::showCases(const SharedVerdict& verdict, const QString& subject) {
  const bool isOther = !m_data || m_data->trial.id != verdict->trial.id;
  m_data = verdict;
  m_columns = columnsOf(*verdict);
  plot::PictureWords words;
  words.title = verdict->hasDecisions ? tr("Flips and margins") : tr("Cases and largest deviations");
  words.subject = subject;
  if (!verdict->cases.empty()) {
    QStringList notes;
    if (verdict->hasDecisions) {
      for (const Side side : kSides) notes << sideNote(*verdict, side);
    }
    notes << casesText(static_cast<std::int64_t>(verdict->cases.size()));
    words.unit = notes.join(QStringLiteral(" · "));
    words.spoken = words.unit;
  }
  setWords(std::move(words));
  m_only->setVisible(verdict->hasDecisions);
  if (!verdict->hasDecisions) m_only->setChecked(false);
  fill();
  if (isOther) {
    sortBy(-1, Qt::AscendingOrder);
    table()->scrollToTop();
  } else {
    arrange();
  }
}

void CaseTable::fill() {
  const bool byPosition = !m_data->cases.empty() && m_data->cases.front().positions.has_value();
  std::vector<RowsColumn> columns;
  m_sorting->clear();
  m_sorting->addItem(tr("Most telling"));
  for (const Column one : m_columns) {
    columns.push_back(titleOf(one, byPosition));
    const RowsColumn& title = columns.back();
    m_sorting->addItem(title.title);
  }
  m_sorted = std::min(m_sorted, static_cast<int>(m_columns.size()) - 1);
  m_sorting->setCurrentIndex(m_sorted + 1);
  table()->rows().setColumns(std::move(columns));
}

void CaseTable::sortBy(int column, Qt::SortOrder order) {
  m_sorted = column;
  m_order = order;
  m_sorting->setCurrentIndex(column + 1);
  QHeaderView* const header = table()->horizontalHeader();
  header->setSortIndicatorShown(column >= 0);
  if (column >= 0) header->setSortIndicator(column, order);
  arrange();
}

void CaseTable::setOnlyFlips(bool only) { m_only->setChecked(only); }
bool CaseTable::onlyFlips() const { return m_only->isChecked(); }

void CaseTable::arrange() {
  if (!m_data) return;
  const std::vector<CaseFacts>& cases = m_data->cases;
  m_rows.clear();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!m_only->isChecked() || flips(cases[i])) m_rows.push_back(i);
  }
  if (m_sorted < 0) {
    const bool hasDecisions = m_data->hasDecisions;
    std::stable_sort(m_rows.begin(), m_rows.end(), [&](std::size_t one, std::size_t other) {
      return isMoreTelling(cases[one], cases[other], hasDecisions);
    });
  } else {
    const Column column = m_columns[static_cast<std::size_t>(m_sorted)];
    const bool isRising = m_order == Qt::AscendingOrder;
    if (column == Column::Case || column == Column::Slice) {
      QCollator collator;
      collator.setNumericMode(true);
      std::vector<QCollatorSortKey> keys;
      keys.reserve(cases.size());
      for (const CaseFacts& one : cases) keys.push_back(collator.sortKey(column == Column::Case ? one.id : one.slice));
      std::stable_sort(m_rows.begin(), m_rows.end(), [&](std::size_t one, std::size_t other) {
        return isRising ? keys[one] < keys[other] : keys[other] < keys[one];
      });
    } else {
      constexpr double kMissing = std::numeric_limits<double>::infinity();
      std::stable_sort(m_rows.begin(), m_rows.end(), [&](std::size_t one, std::size_t other) {
        const double left = keyOf(cases[one], column);
        const double right = keyOf(cases[other], column);
        // What is not there stays at the end.
        if (left == kMissing || right == kMissing) return left != kMissing && right == kMissing;
        return isRising ? left < right : right < left;
      });
    }
  }
  const auto rows = std::make_shared<const std::vector<std::size_t>>(m_rows);
  const auto columns = std::make_shared<const std::vector<Column>>(m_columns);
  table()->rows().setRows(static_cast<int>(rows->size()), [rows, columns, verdict = m_data](int row, int column) {
    return cellOf(verdict->cases[(*rows)[static_cast<std::size_t>(row)]], (*columns)[static_cast<std::size_t>(column)],
                  verdict->hasDecisions);
  });
  table()->fitColumns();
  tellEmpty();
}

bool CaseTable::selectCase(const QString& id) {
  if (!m_data) return false;
  const auto found =
      std::find_if(m_data->cases.begin(), m_data->cases.end(), [&id](const CaseFacts& one) { return one.id == id; });
  if (found == m_data->cases.end()) return false;
  const auto place = static_cast<std::size_t>(found - m_data->cases.begin());
  auto row = std::find(m_rows.begin(), m_rows.end(), place);
  if (row == m_rows.end()) {
    m_only->setChecked(false);
    row = std::find(m_rows.begin(), m_rows.end(), place);
  }
  const QModelIndex index = table()->rows().index(static_cast<int>(row - m_rows.begin()), 0);
  table()->setCurrentIndex(index);
  table()->scrollTo(index, QAbstractItemView::PositionAtCenter);
  return true;
}

QString CaseTable::emptyWords() const { return m_empty->isHidden() ? QString() : m_empty->text(); }

void CaseTable::tellEmpty() {
  QString words;
  if (m_data->cases.empty()) {
    words = m_data->trial.end.status == record::Status::Running
                ? tr("The frozen cases are compared when the trial has ended.")
                : tr("No frozen cases were compared.");
  } else if (m_rows.empty()) {
    words = tr("No decision flips.");
  }
  m_empty->setText(words);
  m_empty->setVisible(!words.isEmpty());
}

bool CaseTable::eventFilter(QObject* watched, QEvent* event) {
  if (watched == table()->viewport() && event->type() == QEvent::Resize) {
    m_empty->setGeometry(table()->viewport()->rect().adjusted(8, 0, -8, 0));
  }
  return plot::PictureView::eventFilter(watched, event);
}

}  // namespace mantissa::ui::verdict
