// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/coming_page.h"

#include <QVBoxLayout>

#include "ui/shell/empty_state.h"

namespace mantissa::ui::shell {

ComingPage::ComingPage(const QString& id, const QString& title, const QString& sentence, QWidget* parent)
    : Page(parent), m_id(id), m_title(title), m_sentence(sentence) {
  auto* const layout = new QVBoxLayout(this);
  layout->addWidget(new EmptyState(title, sentence));
}

}  // namespace mantissa::ui::shell
