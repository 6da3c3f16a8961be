// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/verdict/verdict_data.h"

class QAction;
class QLabel;

namespace mantissa::ui::plot {
class PictureView;
}
namespace mantissa::ui::shell {
class FlowLayout;
}

namespace mantissa::ui::verdict {

/// The rules as they were fixed, with hash and time, for reading alone; beside them those of a judgement that was made
/// afterwards, marked post hoc.
class RulesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RulesPanel(QWidget* parent = nullptr);

  /// A button at the top; the first one is the primary.
  void addAction(QAction* action);
  /// A button beside the title of the rules.
  void addRulesAction(QAction* action);

  void showRules(const VerdictData& verdict);
  /// \param judgement  null: none
  void showJudgement(const record::Judgement* judgement);

  plot::PictureView* fixedRules() const { return m_fixed; }
  plot::PictureView* postHocRules() const { return m_postHoc; }
  QLabel* hash() const { return m_hash; }
  QLabel* fixedAt() const { return m_fixedAt; }

 private:
  shell::FlowLayout* m_buttons;
  QLabel* m_fixedName = nullptr;
  QLabel* m_fixedAt;
  QLabel* m_beganName = nullptr;
  QLabel* m_began;
  QLabel* m_hash;
  QLabel* m_caseSet;
  plot::PictureView* m_fixed;
  plot::PictureView* m_postHoc;
};

}  // namespace mantissa::ui::verdict
