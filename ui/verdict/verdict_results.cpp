// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/verdict_results.h"

#include <QBoxLayout>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QStringList>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/number_text.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_numbers.h"
#include "ui/verdict/case_table.h"
#include "ui/verdict/context_view.h"
#include "ui/verdict/deviation_view.h"
#include "ui/verdict/latency_view.h"
#include "ui/verdict/mature_table.h"
#include "ui/verdict/reason_words.h"
#include "ui/verdict/rule_table.h"
#include "ui/verdict/utility_table.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;
using record::VerdictWord;

constexpr int kSpacing = 8;
constexpr int kFrame = 36;  // px of a frame besides its table
constexpr int kPictureHeight = 200;
constexpr int kCaseRows = 10;
constexpr int kSliceRows = 5;
constexpr int kMostContextRows = 8;
constexpr int kMostJudgements = 4;
constexpr int kNarrow = 760;  // px below which nothing stands side by side

/// As small as the words of charts: all columns are seen at the window's first size.
void writeSmall(plot::RowsTable* table) {
  QFont small = table->font();
  if (small.pointSizeF() > 0) small.setPointSizeF(small.pointSizeF() * 0.9);
  table->horizontalHeader()->setFont(small);
  table->setFont(small);
}

/// "8 accepted, 2 rejected, 1 undecided: the worst decides".
QString countsText(const record::Verdict& verdict) {
  const auto count = [&verdict](VerdictWord word) {
    return std::count_if(verdict.rules.begin(), verdict.rules.end(),
                         [word](const record::RuleVerdict& rule) { return rule.verdict == word; });
  };
  QStringList parts;
  for (const VerdictWord word : {VerdictWord::Accepted, VerdictWord::Rejected, VerdictWord::Undecided}) {
    if (count(word) > 0) parts << QStringLiteral("%1 %2").arg(wholeText(count(word)), verdictWord(word));
  }
  const QString counts = parts.join(QStringLiteral(", "));
  return parts.size() > 1 ? VerdictResults::tr("%1: the worst decides").arg(counts) : counts;
}

RowsCell flipsCell(std::int64_t count) {
  return {wholeText(count), QString::number(count), count == 0 ? RowsCell::Tone::Faint : RowsCell::Tone::Plain,
          count > 0};
}

}  // namespace

VerdictResults::VerdictResults(QWidget* parent)
    : QWidget(parent),
      m_rules(new RuleTable(QStringLiteral("verdict_rule_by_rule"))),
      m_reasons(new QLabel),
      m_judgements(new plot::PictureView(QStringLiteral("verdict_judgements"))),
      m_postHoc(new RuleTable(QStringLiteral("verdict_post_hoc"))),
      m_mature(new MatureTable),
      m_cases(new CaseTable(QStringLiteral("verdict_cases"))),
      m_deviations{new plot::PictureView(QStringLiteral("verdict_deviation_same_weights")),
                   new plot::PictureView(QStringLiteral("verdict_deviation_trained"))},
      m_context(new plot::PictureView(QStringLiteral("verdict_context"))),
      m_latency(new plot::PictureView(QStringLiteral("verdict_latency"))),
      m_utility(new UtilityTable),
      m_distribution(new plot::PictureView(QStringLiteral("verdict_distribution"))),
      m_slices(new plot::PictureView(QStringLiteral("verdict_slices"))) {
  for (plot::PictureView* const one : {m_judgements, m_context, m_latency, m_slices}) one->setTableOnly();
  for (plot::PictureView* const one :
       {static_cast<plot::PictureView*>(m_rules), m_judgements, static_cast<plot::PictureView*>(m_postHoc),
        static_cast<plot::PictureView*>(m_mature), static_cast<plot::PictureView*>(m_cases), m_context, m_latency,
        static_cast<plot::PictureView*>(m_utility), m_slices}) {
    writeSmall(one->table());
  }
  m_reasons->setTextFormat(Qt::PlainText);
  m_reasons->setWordWrap(true);
  m_reasons->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_reasons->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_reasons->setMinimumHeight(2 * m_reasons->fontMetrics().lineSpacing());
  m_judgements->hide();
  m_postHoc->hide();
  connect(m_rules, &RuleTable::evidenceWanted, this, &VerdictResults::followEvidence);
  connect(m_postHoc, &RuleTable::evidenceWanted, this, &VerdictResults::followEvidence);
  connect(m_rules, &RuleTable::currentChanged, this, &VerdictResults::showReasons);
  m_judgements->table()->setSelectionMode(QAbstractItemView::SingleSelection);
  connect(m_judgements->table()->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) { showJudgement(index.row()); });
  makeLayout();
}

void VerdictResults::makeLayout() {
  auto* const left = new QVBoxLayout;
  left->setSpacing(kSpacing);
  m_cases->setMinimumHeight(m_cases->table()->heightOfRows(kCaseRows) + kFrame);
  left->addWidget(m_cases, 1);
  auto* const right = new QVBoxLayout;
  right->setSpacing(kSpacing);
  for (plot::PictureView* const one : m_deviations) {
    one->setMinimumHeight(kPictureHeight);
    right->addWidget(one, 2);
  }
  m_distribution->setMinimumHeight(kPictureHeight);
  right->addWidget(m_distribution, 2);
  m_slices->setMinimumHeight(m_slices->table()->heightOfRows(kSliceRows) + kFrame);
  right->addWidget(m_slices, 3);
  for (QWidget* const one :
       std::initializer_list<QWidget*>{m_cases, m_deviations[0], m_deviations[1], m_distribution, m_slices}) {
    one->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
  }
  m_columns = new QHBoxLayout;
  m_columns->setSpacing(kSpacing);
  m_columns->addLayout(left, 13);
  m_columns->addLayout(right, 8);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(kSpacing);
  layout->addWidget(m_rules);
  layout->addWidget(m_reasons);
  layout->addWidget(m_mature);
  layout->addWidget(m_utility);
  layout->addWidget(m_context);
  layout->addWidget(m_latency);
  layout->addWidget(m_judgements);
  layout->addWidget(m_postHoc);
  layout->addLayout(m_columns, 1);
}

std::vector<plot::ChartWidget*> VerdictResults::charts() const {
  return {m_rules,         m_judgements, m_postHoc, m_mature,  m_cases,        m_deviations[0],
          m_deviations[1], m_context,    m_latency, m_utility, m_distribution, m_slices};
}

void VerdictResults::setNarrow(bool isNarrow) {
  m_columns->setDirection(isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void VerdictResults::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  setNarrow(width() < kNarrow);
}

void VerdictResults::showVerdict(const SharedVerdict& verdict, int place, const QString& subject) {
  const bool isOther = !m_data || m_data->trial.id != verdict->trial.id;
  m_data = verdict;
  m_subject = subject;
  m_place = place;
  showRules(isOther);
  showJudgements();
  m_cases->showCases(verdict, subject);
  showContext(*m_context, *verdict, subject);
  m_context->fitRows(1, kMostContextRows);
  showLatency(*m_latency, *verdict, subject);
  m_latency->fitRows(1, kMostContextRows);
  m_utility->showUtility(*verdict, subject);
  showDistribution(*m_distribution, *verdict, place, subject);
  showSlices(subject);
}

void VerdictResults::showRules(bool isOther) {
  plot::PictureWords words;
  words.title = tr("Rule by rule");
  words.subject = m_subject;
  const std::optional<record::Verdict>& verdict = m_data->trial.end.verdict;
  if (verdict) words.note = countsText(*verdict);
  m_rules->showRules(verdict ? verdict->rules : std::vector<record::RuleVerdict>(), std::move(words), isOther);
  showReasons();
}

void VerdictResults::showReasons() {
  if (!m_data) return;
  const std::optional<record::Verdict>& verdict = m_data->trial.end.verdict;
  if (!verdict) {
    m_reasons->setText(m_data->trial.end.status == record::Status::Running
                           ? tr("The trial runs. It is judged by these rules when it has ended.")
                           : tr("The trial has no verdict."));
    return;
  }
  QString words = reasonLines(*verdict);
  if (const record::RuleVerdict* const rule = m_rules->current()) {
    const QString reason = reasonOfRule(*rule);
    const QString clause = reason.section(QStringLiteral("): "), 1);
    if (!words.contains(clause)) words += u'\n' + tr("Selected: %1").arg(reason);  // it may be one of the reasons
  }
  m_reasons->setText(words);
}

/// The verdict of the run first, then what was judged afterwards, each with its rules.
void VerdictResults::showJudgements() {
  const bool isAny = !m_data->judgements.empty();
  m_judgements->setVisible(isAny);
  if (!isAny) return showJudgement(-1);
  plot::PictureWords words;
  words.title = tr("Judged afterwards");
  words.subject = m_subject;
  words.unit = tr("beside the verdict of the run, which stands");
  m_judgements->setWords(std::move(words));
  plot::RowsModel& rows = m_judgements->table()->rows();
  rows.setColumns({{tr("Judgement")},
                   {tr("Verdict")},
                   {tr("Rules")},
                   {tr("Hash"), tr("SHA-256 of the rules")},
                   {tr("Rules fixed or judged at")},
                   {tr("Reason"), {}, false, {}, true}});
  rows.setRows(static_cast<int>(m_data->judgements.size()) + 1, [all = m_data](int row, int column) -> RowsCell {
    const bool isOfRun = row == 0;
    const record::Judgement none;
    const record::Judgement& later = isOfRun ? none : all->judgements[static_cast<std::size_t>(row - 1)];
    const std::optional<record::Verdict> verdict = isOfRun ? all->trial.end.verdict : later.verdict;
    const QString file = QString::fromStdString(later.rules_file);
    switch (column) {
      case 0:
        if (isOfRun) return {tr("of the run"), {}, RowsCell::Tone::Plain, true};
        return {later.post_hoc ? tr("post hoc") : tr("judged again"), {}, RowsCell::Tone::Plain};
      case 1:
        if (!verdict) return {plot::notMeasuredText()};
        return {models::verdictText(verdict->word), QString::fromStdString(std::string(record::to_text(verdict->word))),
                toneOf(verdict->word), isOfRun};
      case 2:
        if (isOfRun || file.isEmpty()) {
          return {all->isForeign() ? tr("given with its files") : tr("fixed before step 1")};
        }
        return {models::isolated(QFileInfo(file).fileName()), file, RowsCell::Tone::Plain, false, file};
      case 3:
        return {verdict ? hashText(verdict->rules_sha256) : plot::notMeasuredText(),
                verdict ? QString::fromStdString(verdict->rules_sha256) : QString()};
      case 4: {
        const QString moment = isOfRun ? all->fixedAt : QString::fromStdString(later.created_at);
        return {momentText(moment), moment};
      }
      default: {
        const QString reason = verdict ? models::verdictReason(*verdict) : QString();
        return {reason, reason, RowsCell::Tone::Plain, false, reason};
      }
    }
  });
  m_judgements->table()->fitColumns();
  m_judgements->fitRows(1, kMostJudgements);
  const auto newest = static_cast<int>(m_data->judgements.size());
  if (m_judgements->table()->currentIndex().row() == newest) return showJudgement(newest);
  m_judgements->table()->selectRow(newest);
}

/// \param row  of the table: 0 is the verdict of the run
void VerdictResults::showJudgement(int row) {
  const auto place = static_cast<std::size_t>(std::max(0, row - 1));
  const record::Judgement* const judgement =
      m_data && row > 0 && place < m_data->judgements.size() ? &m_data->judgements[place] : nullptr;
  m_postHoc->setVisible(judgement != nullptr);
  if (judgement != nullptr) {
    plot::PictureWords words;
    words.title = judgement->post_hoc ? tr("Post hoc, rule by rule") : tr("Judged again, rule by rule");
    words.unit =
        judgement->post_hoc ? tr("by rules that were not fixed before the first step") : tr("by the rules of the run");
    words.subject = m_subject;
    words.note = countsText(judgement->verdict);
    m_postHoc->showRules(judgement->verdict.rules, std::move(words), true);
  }
  if (m_data) {
    const std::optional<record::Verdict>& ofRun = m_data->trial.end.verdict;
    const record::Verdict* const verdict = judgement != nullptr ? &judgement->verdict : ofRun ? &*ofRun : nullptr;
    showDeviations(m_deviations, *m_data, verdict, judgement != nullptr && judgement->post_hoc, m_place, m_subject);
  }
  Q_EMIT judgementChosen(judgement);
}

void VerdictResults::showSlices(const QString& subject) {
  plot::PictureWords words;
  words.title = tr("Slices");
  words.subject = subject;
  const QString metric = QString::fromStdString(m_data->trial.end.quality_metric);
  words.unit = metric.isEmpty() ? QString() : tr("%1, trained").arg(metric);
  if (m_data->slices.size() < 2) words.note = tr("no slice column");
  m_slices->setWords(std::move(words));
  const QString trial = models::isolated(QString::fromStdString(m_data->trial.start.name));
  plot::RowsModel& rows = m_slices->table()->rows();
  rows.setColumns({{tr("Slice")},
                   {tr("Cases"), {}, true},
                   {tr("Flips, same w."), tr("Flips, same weights"), true, {}, false, tr("Flips,\nsame w.")},
                   {tr("Flips, trained"), {}, true, {}, false, tr("Flips,\ntrained")},
                   {tr("Reference"), tr("Reference, %1").arg(metric), true, {}, false, tr("Ref.")},
                   {tr("Trained"), tr("%1, %2").arg(trial, metric), true, tr("The trial's own weights")},
                   {tr("Change"), {}, true, tr("Of the trained weights against the reference")},
                   {tr("Largest deviation"), tr("Largest case-relative deviation, same weights"), true,
                    tr("Largest case-relative deviation, same weights"), false, tr("Largest\ndev.")}});
  rows.setRows(static_cast<int>(m_data->slices.size()), [verdict = m_data](int row, int column) -> RowsCell {
    const SliceFacts& slice = verdict->slices[static_cast<std::size_t>(row)];
    switch (column) {
      case 0:
        return slice.isWhole ? RowsCell{tr("all cases"), QStringLiteral("all"), RowsCell::Tone::Plain, true}
                             : RowsCell{slice.name, {}, RowsCell::Tone::Plain, false, slice.name};
      case 1:
        return {wholeText(slice.cases), QString::number(slice.cases)};
      case 2:
      case 3:
        if (!verdict->hasDecisions || !slice.isCompared[static_cast<std::size_t>(column - 2)]) {
          return {plot::notMeasuredText(), {}, RowsCell::Tone::Faint};
        }
        return flipsCell(slice.flips[static_cast<std::size_t>(column - 2)]);
      case 4:
        return numberCell(slice.reference);
      case 5:
        return numberCell(slice.trial);
      case 6:
        return changeCell(slice.reference, slice.trial, verdict->higherIsBetter);
      default:
        return numberCell(slice.largest);
    }
  });
  m_slices->table()->fitColumns();
}

/// Steps are on the Run page; cases stand below, the worst of the rule's first.
void VerdictResults::followEvidence(const record::RuleVerdict& rule) {
  if (isOnCosts(rule)) {
    m_latency->table()->setFocus(Qt::OtherFocusReason);
    return;
  }
  if (isOnSteps(rule)) {
    Q_EMIT stepsWanted();
    return;
  }
  const Side side = sideOf(rule).value_or(Side::SameWeights);
  const bool isOfFlips = rule.name.rfind("flips", 0) == 0;
  const bool hasFlips = std::any_of(m_data->cases.begin(), m_data->cases.end(),
                                    [side](const CaseFacts& one) { return one.side(side).flips; });
  if (isOfFlips) {
    m_cases->setOnlyFlips(hasFlips);
    m_cases->sortBy(-1, Qt::AscendingOrder);
  } else {
    m_cases->setOnlyFlips(false);
    const CaseTable::Column deviation =
        side == Side::SameWeights ? CaseTable::Column::DeviationSameWeights : CaseTable::Column::DeviationTrained;
    m_cases->sortBy(m_cases->placeOf(deviation), Qt::DescendingOrder);
  }
  plot::RowsTable* const table = m_cases->table();
  if (table->rows().rowCount() > 0) {
    table->setCurrentIndex(table->rows().index(0, 0));
    table->scrollToTop();
  }
  table->setFocus(Qt::OtherFocusReason);
}

}  // namespace mantissa::ui::verdict
