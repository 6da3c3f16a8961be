// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/utility_table.h"

#include <QHeaderView>

#include <memory>
#include <optional>
#include <utility>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;

constexpr int kMostRows = 6;

}  // namespace

UtilityTable::UtilityTable(QWidget* parent) : plot::PictureView(QStringLiteral("verdict_utility"), parent) {
  setTableOnly();
  table()->horizontalHeader()->setStretchLastSection(false);  // numbers stand together
  hide();
}

void UtilityTable::showUtility(const VerdictData& verdict, const QString& subject) {
  const std::optional<record::Utility>& utility = verdict.trial.end.utility;
  setVisible(utility.has_value());
  if (!utility) return;
  plot::PictureWords words;
  words.title = tr("Decision utility");
  const QString unit = models::isolated(QString::fromStdString(utility->unit));
  words.unit = utility->unit.empty() ? tr("declared gains and losses, summed")
                                     : tr("%1: declared gains and losses, summed").arg(unit);
  words.subject = subject;
  setWords(std::move(words));
  table()->rows().setColumns(
      {{tr("Cases of")},
       {tr("Cases"), {}, true, tr("That have a truth, and so count")},
       {tr("Reference"), {}, true},
       {tr("Same weights"), {}, true},
       {tr("Trained"), {}, true},
       {tr("Change"), tr("Change, trained"), true, tr("Of the trained weights against the reference")}});
  const auto sums = std::make_shared<const std::vector<record::UtilitySum>>(utility->sums);
  table()->rows().setRows(static_cast<int>(sums->size()), [sums](int row, int column) -> RowsCell {
    const record::UtilitySum& sum = (*sums)[static_cast<std::size_t>(row)];
    const QString slice = QString::fromStdString(sum.slice);
    switch (static_cast<Column>(column)) {
      case Column::Cases:
        return row == 0 ? RowsCell{tr("all"), QStringLiteral("all"), RowsCell::Tone::Plain, true}
                        : RowsCell{slice, {}, RowsCell::Tone::Plain, false, slice};
      case Column::Count:
        return {wholeText(sum.cases), QString::number(sum.cases)};
      case Column::Reference:
        return numberCell(sum.reference);
      case Column::SameWeights:
        return numberCell(sum.same_weights);
      case Column::Trained:
        return numberCell(sum.trained);
      case Column::Change:
        return changeCell(sum.reference, sum.trained, /*higherIsBetter=*/true);
    }
    return {};
  });
  table()->fitColumns();
  fitRows(1, kMostRows);
}

}  // namespace mantissa::ui::verdict
