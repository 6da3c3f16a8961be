// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/queue_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "core/report/plain_words.h"
#include "ui/models/record_words.h"
#include "ui/plain_tip.h"

namespace mantissa::ui::run {
namespace {

constexpr int kJobRole = Qt::UserRole;
constexpr int kMostRows = 4;  // more scroll

}  // namespace

QueuePanel::QueuePanel(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel),
      m_list(new QListWidget),
      m_remove(new QToolButton),
      m_held(new QLabel(tr("Held since the run was stopped."))),
      m_start(new QToolButton) {
  QFont bold = m_title->font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_title->setTextFormat(Qt::PlainText);
  m_held->setTextFormat(Qt::PlainText);
  m_list->setAccessibleName(tr("Runs that wait"));
  m_list->setUniformItemSizes(true);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
  m_remove->setText(tr("Remove"));
  m_remove->setToolTip(tr("Takes the chosen run out of the queue (Delete)"));
  connect(m_remove, &QToolButton::clicked, this, &QueuePanel::removeChosen);
  auto* const clear = new QToolButton;
  clear->setText(tr("Clear"));
  clear->setToolTip(tr("Takes every run out of the queue"));
  connect(clear, &QToolButton::clicked, this, &QueuePanel::clearingRequested);
  m_held->setWordWrap(true);
  m_start->setText(tr("Start"));
  m_start->setToolTip(tr("Lets the runs that wait have their turns, as soon as nothing runs"));
  connect(m_start, &QToolButton::clicked, this, &QueuePanel::startRequested);
  auto* const remove = new QShortcut(QKeySequence::Delete, m_list);
  remove->setContext(Qt::WidgetShortcut);
  connect(remove, &QShortcut::activated, this, &QueuePanel::removeChosen);
  connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) { m_remove->setEnabled(row >= 0); });
  auto* const head = new QHBoxLayout;
  head->addWidget(m_title, 1);
  head->addWidget(m_remove);
  head->addWidget(clear);
  auto* const holding = new QHBoxLayout;
  holding->addWidget(m_held, 1);
  holding->addWidget(m_start);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(head);
  layout->addLayout(holding);
  layout->addWidget(m_list);
  showWaiting({}, false);
}

void QueuePanel::showWaiting(const std::vector<worker::WaitingJob>& waiting, bool held) {
  const int chosen = m_list->currentRow();
  m_list->clear();
  for (const worker::WaitingJob& job : waiting) {
    auto* const item = new QListWidgetItem(job.title, m_list);
    item->setToolTip(plainTip(job.title));
    item->setData(kJobRole, QVariant::fromValue(job.id));
  }
  m_list->setCurrentRow(std::min(std::max(chosen, 0), m_list->count() - 1));
  m_remove->setEnabled(m_list->currentRow() >= 0);
  m_title->setText(m_list->count() == 1 ? tr("1 run waits")
                                        : tr("%1 runs wait").arg(models::figure(report::count_words(m_list->count()))));
  m_held->setVisible(held);
  m_start->setVisible(held);
  const int row = std::max(m_list->sizeHintForRow(0), fontMetrics().height());
  m_list->setFixedHeight(std::clamp(m_list->count(), 1, kMostRows) * row + 2 * m_list->frameWidth() + 2);
  setVisible(!waiting.empty());
}

void QueuePanel::removeChosen() {
  if (const QListWidgetItem* const item = m_list->currentItem()) {
    Q_EMIT removalRequested(item->data(kJobRole).value<worker::JobId>());
  }
}

}  // namespace mantissa::ui::run
