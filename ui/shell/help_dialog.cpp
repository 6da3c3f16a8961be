// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/help_dialog.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QTextBrowser>

#include <algorithm>

namespace mantissa::ui::shell {

namespace {

constexpr int kListRoom = 32;  // px around the names of topics

}  // namespace

HelpDialog::HelpDialog(const ActionList& actions, QWidget* parent)
    : QDialog(parent), m_actions(actions), m_list(new QListWidget), m_text(new QTextBrowser) {
  setWindowTitle(tr("Help"));
  m_list->setAccessibleName(tr("Topics"));
  m_text->setAccessibleName(tr("What the topic says"));
  m_text->setTabChangesFocus(true);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(m_list);
  layout->addWidget(m_text, 1);
  connect(m_list, &QListWidget::currentRowChanged, this, &HelpDialog::showCurrent);
  resize(820, 560);
}

void HelpDialog::setTopics(const QVector<HelpTopic>& topics) {
  m_topics = topics;
  m_list->clear();
  for (const HelpTopic& topic : topics) m_list->addItem(topic.title);
  m_list->setFixedWidth(m_list->sizeHintForColumn(0) + kListRoom);
}

void HelpDialog::showTopic(const QString& id) {
  const auto found =
      std::find_if(m_topics.cbegin(), m_topics.cend(), [&](const HelpTopic& topic) { return topic.id == id; });
  m_list->setCurrentRow(found == m_topics.cend() ? 0 : static_cast<int>(found - m_topics.cbegin()));
  m_list->setFocus();
  showCurrent();  // also where the row stays: keys and titles may be others now
}

void HelpDialog::showCurrent() {
  const int row = m_list->currentRow();
  m_text->setHtml(row < 0 ? QString() : richText(m_topics[row], m_actions));
}

}  // namespace mantissa::ui::shell
