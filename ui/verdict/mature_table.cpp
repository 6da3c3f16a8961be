// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/mature_table.h"

#include <array>
#include <memory>
#include <utility>

#include "core/spec/experiment.h"
#include "ui/measured_text.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;

constexpr int kMostRows = 3;

struct MatureRow {
  QString weights;
  std::optional<double> atVerdict, mature;
};

}  // namespace

MatureTable::MatureTable(QWidget* parent) : plot::PictureView(QStringLiteral("verdict_mature"), parent) {
  setTableOnly();
  hide();
}

void MatureTable::showMature(const VerdictData& verdict, const std::optional<record::MatureQuality>& mature,
                             const QString& subject) {
  setVisible(mature.has_value());
  if (!mature) return;
  const record::TrialEnd& end = verdict.trial.end;
  // Of another metric than the run's the two do not stand beside each other.
  const bool isSameMetric = end.quality_metric == mature->metric;
  auto rows = std::make_shared<std::vector<MatureRow>>();
  const VerdictData::KnownQuality before =
      isSameMetric && verdict.ofKnownOutcomes ? *verdict.ofKnownOutcomes : VerdictData::KnownQuality();
  rows->push_back({tr("reference"), before.reference, mature->quality_reference});
  rows->push_back({tr("trained"), before.trained, mature->quality});
  if (mature->quality_same_weights) {
    rows->push_back({tr("same weights"), before.sameWeights, mature->quality_same_weights});
  }
  plot::PictureWords words;
  words.title = tr("Mature quality");
  words.unit = tr("%1, by outcomes that came after the verdict").arg(QString::fromStdString(mature->metric));
  words.note = tr("received %1").arg(momentText(QString::fromStdString(mature->received_at)));
  words.subject = subject;
  words.spoken = tr("Outcomes of %1 of %2 are known. The verdict stays what it is.")
                     .arg(wholeText(mature->outcomes), casesText(mature->cases));
  setWords(std::move(words));
  table()->rows().setColumns(
      {{tr("Weights")},
       {tr("At the verdict"),
        {},
        true,
        tr("Over the same cases, those whose outcome is known, by the targets that they had then; the verdict "
           "itself rests on all cases")},
       {tr("Mature"), {}, true, tr("Over the cases whose outcome is known")},
       {tr("Change"), {}, true},
       {tr("Outcomes"), {}, false, tr("How many of the frozen cases have an outcome"), true}});
  const bool higherIsBetter = spec::higher_is_better(mature->metric);
  const QString known = tr("%1 of %2").arg(wholeText(mature->outcomes), casesText(mature->cases));
  table()->rows().setRows(static_cast<int>(rows->size()),
                          [rows, higherIsBetter, known](int row, int column) -> RowsCell {
                            const MatureRow& one = (*rows)[static_cast<std::size_t>(row)];
                            switch (static_cast<Column>(column)) {
                              case Column::Weights:
                                return {one.weights};
                              case Column::AtVerdict:
                                return numberCell(one.atVerdict);
                              case Column::Mature:
                                return numberCell(one.mature);
                              case Column::Change:
                                return changeCell(one.atVerdict, one.mature, higherIsBetter);
                              case Column::Outcomes:
                                return {known};
                            }
                            return {};
                          });
  table()->fitColumns();
  fitRows(1, kMostRows);
}

}  // namespace mantissa::ui::verdict
