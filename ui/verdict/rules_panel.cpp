// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdict/rules_panel.h"

#include <QAction>
#include <QFileInfo>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <memory>
#include <utility>

#include "ui/models/name_words.h"
#include "ui/plain_tip.h"
#include "ui/plot/picture_view.h"
#include "ui/shell/action_button.h"
#include "ui/shell/flow_layout.h"
#include "ui/verdict/rule_help.h"
#include "ui/verdict/rules_text.h"
#include "ui/verdict/verdict_words.h"

namespace mantissa::ui::verdict {
namespace {

using plot::RowsCell;

constexpr int kWidth = 300;
constexpr int kLeastWidth = 220;
constexpr int kLeastRows = 5;

QLabel* valueLabel() {
  auto* const label = new QLabel;
  label->setTextFormat(Qt::PlainText);
  label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  return label;
}

void showLines(plot::PictureView& view, const std::string& json, plot::PictureWords words) {
  const auto lines = std::make_shared<const std::vector<RulesLine>>(rulesLines(json));
  view.setWords(std::move(words));
  plot::RowsModel& rows = view.table()->rows();
  rows.setColumns({{RulesPanel::tr("Key"), {}, false, {}, true}, {RulesPanel::tr("Value")}});
  rows.setRows(static_cast<int>(lines->size()), [lines](int row, int column) -> RowsCell {
    const RulesLine& line = (*lines)[static_cast<std::size_t>(row)];
    if (column == 0) return {line.key, {}, RowsCell::Tone::Plain, line.isHeading, keyHelp(line.key)};
    constexpr qsizetype kWhole = 16;  // characters that are never cut
    return {line.value, {}, RowsCell::Tone::Plain, false, line.value.size() > kWhole ? line.value : QString()};
  });
  view.table()->fitColumns();
}

}  // namespace

RulesPanel::RulesPanel(QWidget* parent)
    : QWidget(parent),
      m_buttons(new shell::FlowLayout),
      m_fixedAt(valueLabel()),
      m_began(valueLabel()),
      m_hash(valueLabel()),
      m_caseSet(valueLabel()),
      m_fixed(new plot::PictureView(QStringLiteral("verdict_rules"))),
      m_postHoc(new plot::PictureView(QStringLiteral("verdict_post_hoc_rules"))) {
  setMinimumWidth(kLeastWidth);
  setMaximumWidth(kWidth);
  const QFont fixedPitch = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  for (QLabel* const label : {m_hash, m_caseSet}) label->setFont(fixedPitch);
  m_buttons->setSpacing(4);
  m_buttons->setFilling(true);
  auto* const facts = new QFormLayout;
  facts->setHorizontalSpacing(8);
  facts->setVerticalSpacing(2);
  const auto add = [facts](const QString& name, QLabel* value) {
    auto* const label = new QLabel(name);
    label->setTextFormat(Qt::PlainText);
    facts->addRow(label, value);
    return label;
  };
  m_fixedName = add(tr("Fixed at"), m_fixedAt);
  m_beganName = add(tr("Trial began"), m_began);
  add(tr("Hash"), m_hash);
  add(tr("Cases"), m_caseSet);
  for (plot::PictureView* const one : {m_fixed, m_postHoc}) {
    one->setTableOnly();
    one->table()->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // what is cut stands in its tip
    one->table()->setMinimumHeight(one->table()->heightOfRows(kLeastRows));
  }
  m_postHoc->hide();
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addLayout(m_buttons);
  layout->addLayout(facts);
  layout->addWidget(m_fixed, 3);
  layout->addWidget(m_postHoc, 2);
}

void RulesPanel::addAction(QAction* action) {
  auto* const button = new shell::ActionButton(action);
  if (m_buttons->count() == 0) button->setPrimary();
  m_buttons->addWidget(button);
}

void RulesPanel::addRulesAction(QAction* action) {
  auto* const button = new QToolButton;
  button->setDefaultAction(action);  // its short text
  button->setAutoRaise(true);
  button->setAccessibleName(action->toolTip());
  m_fixed->addToHeader(button);
}

void RulesPanel::showRules(const VerdictData& verdict) {
  m_fixedAt->setText(momentText(verdict.fixedAt));
  const bool isForeign = verdict.isForeign();
  m_fixedName->setText(isForeign ? tr("Given at") : tr("Fixed at"));
  m_beganName->setText(isForeign ? tr("Taken in") : tr("Trial began"));
  m_fixedAt->setToolTip(
      isForeign ? tr("When the rules were stored, with the files of a run that was made elsewhere: "
                     "nothing shows that they were fixed before its first step. %1")
                      .arg(verdict.fixedAt)
                : tr("When the rules were stored, before the first step of any arm: %1").arg(verdict.fixedAt));
  m_began->setText(momentText(QString::fromStdString(verdict.trial.started_at)));
  m_hash->setText(hashText(verdict.rules.empty() ? std::string() : verdict.rulesSha256));
  m_hash->setToolTip(tr("SHA-256 of the rules: %1").arg(QString::fromStdString(verdict.rulesSha256)));
  m_caseSet->setText(hashText(verdict.caseSet ? verdict.caseSet->sha256 : std::string()));
  if (verdict.caseSet) {
    m_caseSet->setToolTip(tr("SHA-256 of the %1 of the frozen set, stored %2: %3")
                              .arg(casesText(verdict.caseSet->cases),
                                   momentText(QString::fromStdString(verdict.caseSet->frozen_at)),
                                   QString::fromStdString(verdict.caseSet->sha256)));
  } else {
    m_caseSet->setToolTip(tr("Which cases were frozen is not kept."));
  }
  plot::PictureWords words;
  words.title = tr("Rules");
  const QString given = isForeign ? tr("given with its files") : tr("fixed before step 1");
  words.unit = verdict.rules.empty() ? tr("none were fixed") : given;
  words.spoken = isForeign ? tr("The rules that were given with the files of this run, which was made elsewhere.")
                           : tr("The rules of this trial. They cannot be edited: Edit as a copy begins another "
                                "experiment.");
  showLines(*m_fixed, verdict.rules, std::move(words));
}

void RulesPanel::showJudgement(const record::Judgement* judgement) {
  const bool isPostHoc = judgement != nullptr && judgement->post_hoc;
  m_postHoc->setVisible(isPostHoc);
  if (!isPostHoc) return;
  plot::PictureWords words;
  words.title = tr("Post hoc rules");
  words.unit = models::isolated(QFileInfo(QString::fromStdString(judgement->rules_file)).fileName());
  words.spoken =
      tr("Post hoc: these rules were not fixed before the first step. From %1, hash %2.")
          .arg(QString::fromStdString(judgement->rules_file), QString::fromStdString(judgement->verdict.rules_sha256));
  showLines(*m_postHoc, judgement->rules, std::move(words));
}

}  // namespace mantissa::ui::verdict
