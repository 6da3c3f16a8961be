// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/preset_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/shell/elided_label.h"

namespace mantissa::ui::run {

PresetPanel::PresetPanel(QWidget* parent) : QWidget(parent) {
  auto* const title = new QLabel(tr("Presets"));
  title->setTextFormat(Qt::PlainText);
  QFont bold = title->font();
  bold.setBold(true);
  title->setFont(bold);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(title);
  hide();
}

void PresetPanel::setPresets(const QStringList& titles, const QStringList& helps) {
  m_hasPresets = !titles.isEmpty();
  for (int i = 0; i < titles.size(); ++i) {
    auto* const name = new shell::ElidedLabel(titles[i]);
    name->setToolTip(helps.value(i));
    auto* const add = new QPushButton(tr("Add"));
    add->setAutoDefault(false);
    add->setAccessibleName(tr("Add %1").arg(titles[i]));
    connect(add, &QPushButton::clicked, this, [this, i] { Q_EMIT presetRequested(i); });
    add->setToolTip(helps.value(i));
    auto* const row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(name, 1);
    row->addWidget(add);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
  }
}

}  // namespace mantissa::ui::run
