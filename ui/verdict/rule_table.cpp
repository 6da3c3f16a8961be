// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/rule_table.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>

#include <memory>
#include <utility>

#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/plot/stand_off_delegate.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;
using Column = RuleTable::Column;

constexpr int kMostRows = 14;

/// Words that lead somewhere, as links are written.
class LinkDelegate final : public plot::StandOffDelegate {
 public:
  using plot::StandOffDelegate::StandOffDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    plot::StandOffDelegate::initStyleOption(option, index);
    option->font.setUnderline(true);
    option->palette.setColor(QPalette::Text, option->palette.color(QPalette::Link));
  }
};

QString evidenceText(const record::RuleVerdict& rule) {
  if (isOnCosts(rule)) return timesText(rule.cases);
  return isOnSteps(rule) ? stepsText(rule.cases) : casesText(rule.cases);
}

RowsCell cellOf(const record::RuleVerdict& rule, Column column) {
  switch (column) {
    case Column::Verdict:
      return {models::verdictText(rule.verdict), QString::fromStdString(std::string(record::to_text(rule.verdict))),
              toneOf(rule.verdict), true, models::verdictText(rule.verdict)};
    case Column::Rule:
      return {ruleName(rule), QString::fromStdString(rule.name), RowsCell::Tone::Plain, false, ruleName(rule)};
    case Column::Weights:
      return {rule.of.empty() ? plot::notMeasuredText() : sideName(rule.of), QString::fromStdString(rule.of),
              rule.of.empty() ? RowsCell::Tone::Faint : RowsCell::Tone::Plain, false, sideName(rule.of)};
    case Column::Required:
      return {requiredText(rule), QString::fromStdString(rule.limit), RowsCell::Tone::Plain, false,
              models::figuresIn(QString::fromStdString(rule.limit))};
    case Column::Measured:
      return {foundText(rule), rule.value ? exactNumber(*rule.value) : QStringLiteral("–"),
              rule.value ? RowsCell::Tone::Plain : RowsCell::Tone::Faint};
    case Column::Used: {
      const std::optional<double> share = usedShare(rule);
      return {usedText(rule), share ? exactNumber(*share) : QStringLiteral("–"),
              !share       ? RowsCell::Tone::Faint
              : *share > 1 ? RowsCell::Tone::Bad
                           : RowsCell::Tone::Plain};
    }
    case Column::Evidence:
      return {evidenceText(rule), QString::number(rule.cases)};
    case Column::Reason: {
      const QString reason = models::figuresIn(QString::fromStdString(rule.reason));
      return {reason, QString::fromStdString(rule.reason), RowsCell::Tone::Plain, false, reason};
    }
  }
  return {};
}

}  // namespace

RuleTable::RuleTable(const QString& id, QWidget* parent) : plot::PictureView(id, parent) {
  setTableOnly();
  plot::RowsTable* const view = table();
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setItemDelegateForColumn(static_cast<int>(Column::Evidence), new LinkDelegate(view));
  connect(view, &QTableView::activated, this, &RuleTable::follow);
  connect(view, &QTableView::clicked, this, [this](const QModelIndex& index) {
    if (index.column() == static_cast<int>(Column::Evidence)) follow(index);
  });
  connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RuleTable::currentChanged);
}

void RuleTable::showRules(const std::vector<record::RuleVerdict>& rules, plot::PictureWords words) {
  m_rules = rules;
  setWords(std::move(words));
  plot::RowsModel& rows = table()->rows();
  rows.setColumns(
      {{tr("Verdict")},
       {tr("Rule")},
       {tr("Weights"), {}, false, tr("Which weights are compared with the reference's")},
       {tr("Required"), tr("Limit")},
       {tr("Measured"), {}, true},
       {tr("Used of limit"), tr("Share of the limit"), true, tr("What was measured, as a share of an upper limit")},
       {tr("Evidence"), tr("Cases or steps"), false,
        tr("What the rule was judged by: cases stand below, steps on the Run page")},
       {tr("Reason"), {}, false, {}, true}});
  const auto shown = std::make_shared<const std::vector<record::RuleVerdict>>(m_rules);
  rows.setRows(static_cast<int>(shown->size()), [shown](int row, int column) {
    return cellOf((*shown)[static_cast<std::size_t>(row)], static_cast<Column>(column));
  });
  table()->fitColumns();
  fitRows(1, kMostRows);
}

const record::RuleVerdict* RuleTable::current() const {
  const QModelIndex index = table()->currentIndex();
  const auto row = static_cast<std::size_t>(index.row());
  return index.isValid() && row < m_rules.size() ? &m_rules[row] : nullptr;
}

void RuleTable::follow(const QModelIndex& index) {
  const auto row = static_cast<std::size_t>(index.row());
  if (index.isValid() && row < m_rules.size()) Q_EMIT evidenceWanted(m_rules[row]);
}

}  // namespace mantissa::ui::verdict
