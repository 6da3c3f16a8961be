// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/page.h"

namespace mantissa::ui::shell {

/// A page that this version does not have yet: its empty state says what it will show, and how to get that today.
class ComingPage : public Page {
  Q_OBJECT

 public:
  ComingPage(const QString& id, const QString& title, const QString& sentence, QWidget* parent = nullptr);

  QString id() const override { return m_id; }
  QString title() const override { return m_title; }
  HelpTopic help() const override { return {m_id, m_title, m_sentence, {}, {}}; }

 private:
  QString m_id;
  QString m_title;
  QString m_sentence;
};

}  // namespace mantissa::ui::shell
