// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_controls.h"
#include "ui/plain_tip.h"

#include <QAction>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/run/marker_label.h"
#include "ui/run/preflight_panel.h"
#include "ui/run/preset_panel.h"
#include "ui/run/queue_panel.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/flow_layout.h"

namespace mantissa::ui::run {
namespace {

constexpr int kWidth = 300;
constexpr int kLeastWidth = 240;           // px: in a window as small as a small screen at 150 %
constexpr int kLongestWord = 225;          // px: in a line of its own
constexpr int kLongestWordBeside = 160;    // px: beside a label or a button
constexpr std::size_t kMostPolicies = 40;  // a row takes about a millisecond to lay out, and nobody reads more of them

/// A text that may hold names, with all of it in the tip where words of it are too long.
void showWords(QLabel* label, const QString& text, int longestWord) {
  const QString words = shell::withShortWords(text, label->fontMetrics(), longestWord);
  label->setText(models::readFromLeft(words));
  label->setToolTip(words == text ? QString() : plainTip(text));
}

QLabel* titleLabel(const QString& text) {
  auto* const label = new QLabel(text);
  label->setTextFormat(Qt::PlainText);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  return label;
}

QLabel* valueLabel(const QString& text) {
  auto* const label = new QLabel;
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  showWords(label, text, kLongestWordBeside);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

RunControls::RunControls(QWidget* parent)
    : QWidget(parent),
      m_buttons(new shell::FlowLayout),
      m_name(titleLabel({})),
      m_heading(new QHBoxLayout),
      m_file(new QLabel),
      m_summary(new QFormLayout),
      m_policiesTitle(titleLabel(tr("Policies"))),
      m_policies(new QFormLayout),
      m_presets(new PresetPanel),
      m_preflight(new PreflightPanel),
      m_queue(new QueuePanel),
      m_note(new QLabel),
      m_rules(new QLabel) {
  setMinimumWidth(kLeastWidth);
  setMaximumWidth(kWidth);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  m_buttons->setSpacing(4);
  m_buttons->setFilling(true);
  layout->addLayout(m_buttons);
  layout->addWidget(m_queue);

  auto* const body = new QWidget;
  auto* const column = new QVBoxLayout(body);
  column->setContentsMargins(0, 8, 8, 8);
  column->setSpacing(4);
  m_name->setWordWrap(true);
  m_file->setForegroundRole(QPalette::PlaceholderText);
  m_file->setWordWrap(true);
  m_file->setTextFormat(Qt::PlainText);
  m_heading->addWidget(m_name, 1);
  column->addLayout(m_heading);
  column->addWidget(m_file);
  column->addSpacing(4);
  column->addLayout(m_summary);
  column->addSpacing(16);
  column->addWidget(m_policiesTitle);
  column->addLayout(m_policies);
  column->addSpacing(16);
  column->addWidget(m_presets);
  column->addSpacing(16);
  column->addWidget(m_preflight);
  column->addStretch(1);
  for (QFormLayout* const form : {m_summary, m_policies}) {
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
  }
  body->setMinimumWidth(1);  // as wide as there is room: what does not fit wraps, and nothing lies below the scroll bar
  auto* const area = new QScrollArea;
  area->setWidget(body);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setAccessibleName(tr("The experiment"));
  layout->addWidget(area, 1);
  m_note->setWordWrap(true);
  m_note->setForegroundRole(QPalette::PlaceholderText);
  m_note->setTextFormat(Qt::PlainText);
  layout->addWidget(m_note);
  m_rules->setWordWrap(true);
  m_rules->setTextFormat(Qt::PlainText);
  m_rules->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(m_rules);
  setRulesNote({}, {});
  showExperiment({}, {}, {}, {});
}

QSize RunControls::sizeHint() const { return {kWidth, QWidget::sizeHint().height()}; }

void RunControls::addAction(QAction* action, shell::IconShape icon, shell::ActionButton::Shape shape) {
  auto* const button = new shell::ActionButton(action, shape);
  button->setIcon(shell::shapeIcon(icon));
  button->setAutoDefault(true);  // Enter presses it, too
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  button->reserve(tr("Resume"));  // what Pause becomes
  if (m_primary == nullptr) {
    m_primary = button;
    button->setPrimary();
  } else if (m_second == nullptr) {
    m_second = button;
  }
  m_buttons->addWidget(button);
}

void RunControls::setGoOnAction(QAction* goOn, QAction* run) {
  auto* const first = new shell::ActionButton(goOn);
  first->setIcon(shell::shapeIcon(shell::IconShape::Play));
  first->setShortText(tr("&Go on"));
  first->reserve(tr("Resume"));  // as wide as what it takes the place of
  first->setPrimary();
  auto* const again = new shell::ActionButton(run);
  again->setObjectName(QStringLiteral("run_again"));
  again->reserve(tr("Run"));
  for (shell::ActionButton* const button : {first, again}) {
    button->setAutoDefault(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->hide();
  }
  m_buttons->addWidget(again);
  m_buttons->addWidget(first);
  m_buttons->moveToFront(first);
  if (m_primary != nullptr) setTabOrder(first, m_primary);
  m_goOn = first;
  m_again = again;
}

void RunControls::offerGoOn(bool offered) {
  if (m_goOn == nullptr || m_primary == nullptr) return;
  m_again->setVisible(offered && m_primary->isEnabled());
  if (m_goOn->isHidden() != offered) return;
  // What is pressed next was meant for the button that was there.
  QPushButton* const before = offered ? m_primary : m_goOn;
  if (before->hasFocus()) setFocus(Qt::OtherFocusReason);
  before->hide();
  (offered ? m_goOn : m_primary)->show();
}

void RunControls::focusPrimary() {
  QPushButton* const primary = m_goOn != nullptr && !m_goOn->isHidden() ? m_goOn : m_primary;
  if (primary != nullptr && primary->isEnabled()) primary->setFocus(Qt::OtherFocusReason);
}

void RunControls::focusNextAfterPrimary() {
  if (hasFocus() && m_second != nullptr && m_second->isEnabled()) m_second->setFocus(Qt::OtherFocusReason);
}

bool RunControls::focusNextPrevChild(bool next) {
  const QWidget* const focused = window()->focusWidget();
  if (focused == nullptr || focused->isEnabled() || !isAncestorOf(focused)) return QWidget::focusNextPrevChild(next);
  setFocus(Qt::OtherFocusReason);
  return true;
}

void RunControls::setEditAction(QAction* action) {
  m_heading->addWidget(new shell::ActionButton(action), 0, Qt::AlignTop);
}

void RunControls::showExperiment(const QString& name, const QString& file,
                                 const std::vector<std::pair<QString, QString>>& summary,
                                 const std::vector<std::pair<QString, QString>>& policies) {
  showWords(m_name, name.isEmpty() ? tr("No experiment") : name, kLongestWordBeside);
  showWords(m_file, QFileInfo(file).fileName(), kLongestWord);
  m_file->setToolTip(plainTip(file));
  m_file->setVisible(!file.isEmpty());
  fillSummary(summary);
  fillPolicies(policies);
  m_policiesTitle->setVisible(!policies.empty());
}

void RunControls::fillSummary(const std::vector<std::pair<QString, QString>>& rows) {
  while (m_summary->rowCount() > 0) m_summary->removeRow(0);
  for (const auto& [label, text] : rows) {
    auto* const name = new QLabel(label);
    name->setTextFormat(Qt::PlainText);
    name->setForegroundRole(QPalette::PlaceholderText);
    QLabel* const value = valueLabel(text);
    value->setAlignment(Qt::AlignRight | Qt::AlignTop);
    m_summary->addRow(name, value);
  }
}

void RunControls::fillPolicies(const std::vector<std::pair<QString, QString>>& rows) {
  while (m_policies->rowCount() > 0) m_policies->removeRow(0);
  const auto shown = std::min<std::size_t>(rows.size(), kMostPolicies);
  for (std::size_t i = 0; i < shown; ++i) {
    m_policies->addRow(new MarkerLabel(rows[i].first, static_cast<int>(i) + 1), valueLabel(rows[i].second));
  }
  const std::size_t more = rows.size() - shown;
  if (more == 0) return;
  m_policies->addRow(valueLabel(more == 1 ? tr("and one more trial")
                                          : tr("and %1 more trials").arg(wholeText(static_cast<qlonglong>(more)))));
}

void RunControls::setNote(const QString& sentence) {
  showWords(m_note, sentence, kLongestWord);
  m_note->setVisible(!sentence.isEmpty());
}

void RunControls::setRulesNote(const QString& sentence, const QString& details) {
  m_rules->setText(sentence);
  m_rules->setToolTip(plainTip(details));
  m_rules->setVisible(!sentence.isEmpty());
}

}  // namespace mantissa::ui::run
