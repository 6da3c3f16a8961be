// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/empty_state.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace mantissa::ui::shell {
namespace {

constexpr int kTextWidth = 480;
constexpr int kAbove = 120;  // px, where there is room

}  // namespace

EmptyState::EmptyState(const QString& headline, const QString& sentence, QWidget* parent)
    : QWidget(parent), m_sentence(new QLabel(sentence)), m_buttons(new QVBoxLayout) {
  auto* const title = new QLabel(headline);
  title->setTextFormat(Qt::PlainText);
  m_sentence->setTextFormat(Qt::PlainText);
  QFont large = title->font();
  large.setPointSizeF(large.pointSizeF() * 1.4);
  large.setBold(true);
  title->setFont(large);
  title->setAlignment(Qt::AlignCenter);
  m_sentence->setWordWrap(true);
  m_sentence->setAlignment(Qt::AlignCenter);
  m_sentence->setFixedWidth(kTextWidth);
  setAccessibleName(headline);
  setAccessibleDescription(sentence);

  m_buttons->setSpacing(8);
  auto* const layout = new QVBoxLayout(this);
  layout->setSpacing(16);
  // Strips below it leave it where it is: its place does not depend on the height.
  layout->addSpacerItem(new QSpacerItem(0, kAbove, QSizePolicy::Minimum, QSizePolicy::Maximum));
  layout->addWidget(title);
  // Not by an alignment of the layout: a label that wraps would get one line's height.
  auto* const row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(m_sentence);
  row->addStretch(1);
  layout->addLayout(row);
  layout->addLayout(m_buttons);
  layout->addStretch(1);
}

void EmptyState::addAction(QAction* action) {
  QString text = action->text();
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  if (!keys.isEmpty()) text += QStringLiteral("   %1").arg(keys);
  auto* const button = new QPushButton(text);
  button->setToolTip(action->toolTip());
  button->setDefault(m_buttons->count() == 0);
  connect(button, &QPushButton::clicked, action, &QAction::trigger);
  connect(action, &QAction::changed, button, [action, button] {
    button->setEnabled(action->isEnabled());
    button->setToolTip(action->toolTip());
  });
  m_buttons->addWidget(button, 0, Qt::AlignHCenter);
}

void EmptyState::setSentence(const QString& sentence) {
  m_sentence->setText(sentence);
  setAccessibleDescription(sentence);
}

}  // namespace mantissa::ui::shell
