// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/record/verdict.h"
#include "ui/plot/picture_view.h"

namespace mantissa::ui::verdict {

/// A verdict rule by rule. A rule's evidence, its cases or steps, is a way to where they are shown: Return or a double
/// click anywhere in its row, or a click on the evidence.
class RuleTable : public plot::PictureView {
  Q_OBJECT

 public:
  explicit RuleTable(const QString& id, QWidget* parent = nullptr);

  /// \param words  title, unit and note of the frame
  /// \param isOther  of another verdict than the one that was shown: it begins at its top, with its deciding rule
  ///                 selected, and with columns as wide as it needs unless a person chose their widths
  void showRules(const std::vector<record::RuleVerdict>& rules, plot::PictureWords words, bool isOther);

  const std::vector<record::RuleVerdict>& rulesShown() const { return m_rules; }
  /// The one that the keyboard is at; null: none.
  const record::RuleVerdict* current() const;

  enum class Column { Verdict, Rule, Weights, Required, Measured, Used, Evidence, Reason };

 Q_SIGNALS:
  /// Its evidence is wanted.
  void evidenceWanted(const mantissa::record::RuleVerdict& rule);
  /// The keyboard or the mouse has gone to another rule.
  void currentChanged();

 private:
  void follow(const QModelIndex& index);
  void selectDeciding();

  bool m_isWidened = false;  ///< a person chose the width of a column
  std::vector<record::RuleVerdict> m_rules;
};

}  // namespace mantissa::ui::verdict
