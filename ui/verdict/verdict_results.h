// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <array>
#include <vector>

#include "ui/verdict/verdict_data.h"

class QBoxLayout;
class QLabel;

namespace mantissa::ui::plot {
class ChartWidget;
class PictureView;
}  // namespace mantissa::ui::plot

namespace mantissa::ui::verdict {

class CaseTable;
class MatureTable;
class RuleTable;
class UtilityTable;

/// What a verdict rests on: its rules, judgements made afterwards, the frozen cases, deviations and slices.
class VerdictResults : public QWidget {
  Q_OBJECT

 public:
  explicit VerdictResults(QWidget* parent = nullptr);

  /// \param place  of the trial among those of its experiment: its colour; \param subject  for files and pictures
  void showVerdict(const SharedVerdict& verdict, int place, const QString& subject);

  RuleTable* rules() const { return m_rules; }
  plot::PictureView* judgements() const { return m_judgements; }
  RuleTable* postHoc() const { return m_postHoc; }
  /// Filled by Afterwards.
  MatureTable* mature() const { return m_mature; }
  CaseTable* cases() const { return m_cases; }
  plot::PictureView* deviations(Side side) const { return m_deviations[index(side)]; }
  plot::PictureView* context() const { return m_context; }
  plot::PictureView* latency() const { return m_latency; }
  UtilityTable* utility() const { return m_utility; }
  plot::PictureView* distribution() const { return m_distribution; }
  plot::PictureView* slices() const { return m_slices; }
  /// The reasons of the verdict, and of the rule that is chosen.
  QLabel* reasons() const { return m_reasons; }
  std::vector<plot::ChartWidget*> charts() const;

  /// Side by side, or below each other where there is little room.
  void setNarrow(bool isNarrow);

 Q_SIGNALS:
  /// The curves and steps of the trial are wanted.
  void stepsWanted();
  /// Another judgement is looked at; null: none was made.
  void judgementChosen(const mantissa::record::Judgement* judgement);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void makeLayout();
  void showRules(bool isOther);
  void showReasons();
  void showJudgements();
  void showJudgement(int row);
  void showSlices(const QString& subject);
  void followEvidence(const record::RuleVerdict& rule);

  SharedVerdict m_data;
  QString m_subject;
  int m_place = 1;
  RuleTable* m_rules;
  QLabel* m_reasons;
  plot::PictureView* m_judgements;
  RuleTable* m_postHoc;
  MatureTable* m_mature;
  CaseTable* m_cases;
  std::array<plot::PictureView*, 2> m_deviations;  ///< by Side
  plot::PictureView* m_context;                    ///< quality beside trivial models, and the inputs
  plot::PictureView* m_latency;
  UtilityTable* m_utility;
  plot::PictureView* m_distribution;  ///< of the output that moved most
  plot::PictureView* m_slices;
  QBoxLayout* m_columns = nullptr;
};

}  // namespace mantissa::ui::verdict
