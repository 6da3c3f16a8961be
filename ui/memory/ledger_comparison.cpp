// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_comparison.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

#include "ui/memory/traced_view.h"
#include "ui/models/name_words.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

constexpr std::array<const char*, kFigures> kNames = {QT_TRANSLATE_NOOP("MemoryPage", "Capacity"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Usable"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Fixed state"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Activations and the like"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Rounding and segments"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Outside the allocator"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Needed"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Headroom"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Microbatch"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Accumulation"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Effective batch"),
                                                      QT_TRANSLATE_NOOP("MemoryPage", "Largest microbatch")};

bool isSize(FigureOf figure) { return figure < FigureOf::Microbatch; }

struct Comparison {
  std::vector<ComparedLedger> ledgers;
  ByteScale scale;
  bool isMixed = false;  ///< a unit for all would show the smaller ones as 0.00: each cell has its own

  bool hasDifference() const { return ledgers.size() == 2; }

  QString words(FigureOf figure, std::int64_t value) const {
    if (!isSize(figure)) return countText(value);
    return isMixed ? sizeText(value) : scale.text(value);
  }

  RowsCell cell(int row, int column) const {
    // The sources come first.
    if (row == 0) {
      if (column == 0) return {say(QT_TRANSLATE_NOOP("MemoryPage", "From"))};
      const auto place = static_cast<std::size_t>(column) - 1;
      if (place >= ledgers.size()) return {};
      const LedgerFigures& figures = ledgers[place].figures;
      if (figures.problem.isEmpty()) return {figures.source, {}, RowsCell::Tone::Faint};
      return {figures.problem, {}, RowsCell::Tone::Bad};
    }
    const auto figure = static_cast<FigureOf>(row - 1);
    if (column == 0) return {say(kNames[static_cast<std::size_t>(figure)])};
    const auto place = static_cast<std::size_t>(column) - 1;
    const auto difference = [&](std::size_t other) -> std::optional<std::int64_t> {
      const auto& mine = ledgers[0].figures.at(figure);
      const auto& others = ledgers[other].figures.at(figure);
      // Neither is below what 64 bits can be taken from: sizes and counts are at least 0, headrooms above −2^63.
      if (!mine || !others || (*mine < 0) != (*others < 0)) {
        if (!mine || !others) return std::nullopt;
        const double apart = static_cast<double>(*mine) - static_cast<double>(*others);
        if (apart >= 0x1p63 || apart < -0x1p63) return std::nullopt;
      }
      return *mine - *others;
    };
    if (place >= ledgers.size()) {
      const std::optional<std::int64_t> value = difference(1);
      if (!value) return {plot::notMeasuredText()};
      return {words(figure, *value), exactBytes(*value)};
    }
    const std::optional<std::int64_t>& value = ledgers[place].figures.at(figure);
    if (!value) return {plot::notMeasuredText()};
    RowsCell cell{words(figure, *value), exactBytes(*value)};
    if (isSize(figure) && *value < 0) cell.tone = RowsCell::Tone::Bad;
    if (place == 0 || hasDifference()) return cell;
    if (const std::optional<std::int64_t> more = difference(place)) {
      cell.tip = say(QT_TRANSLATE_NOOP("MemoryPage", "%1 has %2 more"))
                     .arg(models::isolated(ledgers[0].name), words(figure, *more));
    }
    return cell;
  }
};

}  // namespace

QString sourceText(const QString& experiment, const QString& arm) {
  return say(QT_TRANSLATE_NOOP("MemoryPage", "%1: %2")).arg(models::isolated(experiment), arm);
}

LedgerFigures figuresOf(const TypedAnswer& answer) {
  LedgerFigures figures;
  figures.source = say(QT_TRANSLATE_NOOP("MemoryPage", "typed"));
  if (!answer.ledger) {
    figures.problem = answer.firstProblem();
    return figures;
  }
  const engine::Ledger& ledger = *answer.ledger;
  figures.at(FigureOf::Capacity) = ledger.input.capacity_bytes;
  figures.at(FigureOf::Usable) = ledger.usable_bytes;
  figures.at(FigureOf::Fixed) = answer.fixedBytes;
  figures.at(FigureOf::Step) = ledger.activations_bytes;
  figures.at(FigureOf::Outside) = answer.outsideBytes;
  figures.at(FigureOf::Needed) = ledger.total_bytes;
  figures.at(FigureOf::Headroom) = ledger.headroom_bytes;
  figures.at(FigureOf::Microbatch) = ledger.input.microbatch;
  figures.at(FigureOf::Accumulation) = ledger.input.accumulation;
  figures.at(FigureOf::EffectiveBatch) = ledger.effective_batch;
  figures.at(FigureOf::LargestMicrobatch) = ledger.limits.microbatch;
  return figures;
}

LedgerFigures figuresOf(const TracedAnswer& answer, const SolverAnswer* solved) {
  LedgerFigures figures;
  const worker::TracedExperiment& traced = *answer.question.traced;
  figures.source = sourceText(QString::fromStdString(traced.experiment.name),
                              armText(traced.forecasts[answer.question.choice.forecast]));
  if (!answer.ledger) {
    figures.problem = answer.why;
    return figures;
  }
  const engine::ModelLedger& ledger = *answer.ledger;
  std::int64_t fixed = 0;
  for (std::size_t i = 0; i < ledger.peak.by_category.size(); ++i) {
    if (isFixedState(static_cast<record::MemoryCategory>(i))) fixed += ledger.peak.by_category[i];
  }
  figures.at(FigureOf::Capacity) = answer.question.fields.capacityBytes;
  figures.at(FigureOf::Usable) = ledger.usable_bytes;
  figures.at(FigureOf::Fixed) = fixed;
  figures.at(FigureOf::Step) = ledger.peak.bytes - fixed;
  figures.at(FigureOf::Allocator) = ledger.needed_bytes - ledger.outside_bytes.value_or(0) - ledger.peak.bytes;
  figures.at(FigureOf::Outside) = ledger.outside_bytes;
  figures.at(FigureOf::Needed) = ledger.needed_bytes;
  figures.at(FigureOf::Headroom) = ledger.headroom_bytes;
  figures.at(FigureOf::Microbatch) = ledger.microbatch;
  figures.at(FigureOf::Accumulation) = ledger.accumulation;
  if (ledger.microbatch <= INT64_MAX / ledger.accumulation) {
    figures.at(FigureOf::EffectiveBatch) = ledger.microbatch * ledger.accumulation;
  }
  if (solved != nullptr) figures.at(FigureOf::LargestMicrobatch) = solved->largestMicrobatch;
  return figures;
}

ShownTable comparisonOf(const std::vector<ComparedLedger>& ledgers) {
  ShownTable table;
  table.title = ledgers.size() == 2 ? say(QT_TRANSLATE_NOOP("MemoryPage", "Two ledgers"))
                                    : say(QT_TRANSLATE_NOOP("MemoryPage", "%1 ledgers"))
                                          .arg(countText(static_cast<std::int64_t>(ledgers.size())));
  Comparison comparison{ledgers, {}};
  std::int64_t largest = 0;
  table.columns = {{say(QT_TRANSLATE_NOOP("MemoryPage", "Figure"))}};
  for (const ComparedLedger& ledger : ledgers) {
    table.columns.push_back({ledger.name, {}, true});
    largest = std::max(largest, ledger.figures.at(FigureOf::Capacity).value_or(0));
  }
  if (comparison.hasDifference()) {
    table.columns.push_back({say(QT_TRANSLATE_NOOP("MemoryPage", "Difference")), {}, true});
  }
  comparison.scale = ByteScale::of(largest);
  for (const ComparedLedger& ledger : ledgers) {
    const std::optional<std::int64_t>& needed = ledger.figures.at(FigureOf::Needed);
    if (needed && ByteScale::of(*needed).unit != comparison.scale.unit) comparison.isMixed = true;
  }
  if (!comparison.isMixed) table.unit = comparison.scale.unit;
  table.rows = static_cast<int>(kFigures) + 1;
  table.cell = [comparison = std::move(comparison)](int row, int column) { return comparison.cell(row, column); };
  return table;
}

}  // namespace mantissa::ui::memory
