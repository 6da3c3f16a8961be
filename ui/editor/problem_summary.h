// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

#include "ui/editor/problem.h"

namespace mantissa::ui::editor {

/// One line that says how many problems a text has and the first of them; a click asks for the next one.
class ProblemSummary : public QAbstractButton {
  Q_OBJECT

 public:
  explicit ProblemSummary(QWidget* parent = nullptr);

  void show(const TextProblems& problems);

  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  enum class State { Good, Warned, Bad };
  State m_state = State::Good;
};

}  // namespace mantissa::ui::editor
