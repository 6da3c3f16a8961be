// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/rule_table.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>

#include <algorithm>
#include <memory>
#include <utility>

#include "ui/measured_text.h"
#include "ui/models/record_words.h"
#include "ui/plot/plot_numbers.h"
#include "ui/plot/stand_off_delegate.h"
#include "ui/verdict/reason_words.h"
#include "ui/verdict/rule_help.h"
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
  if (isOverSeeds(rule)) return seedsText(rule.cases);
  if (isOnCosts(rule)) return timesText(rule.cases);
  return isOnSteps(rule) ? stepsText(rule.cases) : casesText(rule.cases);
}

RowsCell cellOf(const record::RuleVerdict& rule, Column column) {
  switch (column) {
    case Column::Verdict:
      return {models::verdictText(rule.verdict), QString::fromStdString(std::string(record::to_text(rule.verdict))),
              toneOf(rule.verdict), true, wordHelp(rule.verdict)};
    case Column::Rule: {
      const QString name = ruleName(rule);
      const QString shown = shortened(name);
      const QString help = ruleHelp(rule);
      return {shown, QString::fromStdString(rule.name), RowsCell::Tone::Plain, false,
              shown == name    ? help
              : help.isEmpty() ? name
                               : name + u'\n' + help};
    }
    case Column::Weights:
      return {rule.of.empty() ? plot::notMeasuredText() : sideName(rule.of), QString::fromStdString(rule.of),
              rule.of.empty() ? RowsCell::Tone::Faint : RowsCell::Tone::Plain, false, weightsHelp(rule)};
    case Column::Required:
      return {shortened(requiredText(rule), 28), QString::fromStdString(rule.limit), RowsCell::Tone::Plain, false,
              models::figuresIn(QString::fromStdString(rule.limit))};
    case Column::Measured:
      return {foundText(rule), rule.value ? exactNumber(*rule.value) : QStringLiteral("–"),
              rule.value ? RowsCell::Tone::Plain : RowsCell::Tone::Faint, false, valueHelp(rule)};
    case Column::Used: {
      const std::optional<double> share = usedShare(rule);
      return {usedText(rule), share ? exactNumber(*share) : QStringLiteral("–"),
              !share       ? RowsCell::Tone::Faint
              : *share > 1 ? RowsCell::Tone::Bad
                           : RowsCell::Tone::Plain,
              false, usedHelp(rule)};
    }
    case Column::Evidence:
      return {evidenceText(rule), QString::number(rule.cases), RowsCell::Tone::Plain, false, evidenceHelp(rule)};
    case Column::Reason: {
      const QString reason = withWindowActions(models::figuresIn(QString::fromStdString(rule.reason)));
      return {reason, QString::fromStdString(rule.reason), RowsCell::Tone::Plain, false, ruleName(rule)};
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
  connect(view->horizontalHeader(), &QHeaderView::sectionResized, this, [this] {
    if (QGuiApplication::mouseButtons() != Qt::NoButton) m_isWidened = true;
  });
  connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &RuleTable::currentChanged);
}

void RuleTable::showRules(const std::vector<record::RuleVerdict>& rules, plot::PictureWords words, bool isOther) {
  m_rules = rules;
  setWords(std::move(words));
  plot::RowsModel& rows = table()->rows();
  if (isOther && !m_isWidened) rows.setColumns({});  // the widths begin anew
  rows.setColumns(
      {{tr("Verdict")},
       {tr("Rule")},
       {tr("Weights"),
        {},
        false,
        tr("Which weights are compared with the reference's. same weights: the reference's weights, run in the trial's "
           "precision; trained: the trial's own")},
       {tr("Required"), tr("Limit"), false, tr("What the rule asks for; ref. is the reference's value")},
       {tr("Measured"),
        {},
        true,
        tr("What the rule found; of rules over several seeds the lower bound of the "
           "difference from the reference")},
       {tr("Used of limit"), tr("Share of the limit"), true,
        tr("What was measured, as a share of an upper limit: above 100 % the rule does not hold"), false, tr("Used")},
       {tr("Evidence"), tr("Cases or steps"), false,
        tr("What the rule was judged by: cases stand below, steps on the Run page")},
       {tr("Reason"), {}, false, tr("Whole below the table, of the row that is selected"), true}});
  const auto shown = std::make_shared<const std::vector<record::RuleVerdict>>(m_rules);
  rows.setRows(static_cast<int>(shown->size()), [shown](int row, int column) {
    return cellOf((*shown)[static_cast<std::size_t>(row)], static_cast<Column>(column));
  });
  table()->fitColumns();
  fitRows(1, kMostRows);
  if (isOther) selectDeciding();
}

/// The first of the worst ones; nothing where all hold.
void RuleTable::selectDeciding() {
  const auto first = [this](record::VerdictWord word) {
    return std::find_if(m_rules.begin(), m_rules.end(),
                        [word](const record::RuleVerdict& rule) { return rule.verdict == word; });
  };
  auto deciding = first(record::VerdictWord::Rejected);
  if (deciding == m_rules.end()) deciding = first(record::VerdictWord::Undecided);
  table()->setCurrentIndex({});
  table()->clearSelection();
  table()->scrollToTop();
  table()->scrollTo(table()->rows().index(0, 0));
  if (deciding != m_rules.end()) table()->selectRow(static_cast<int>(deciding - m_rules.begin()));
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
