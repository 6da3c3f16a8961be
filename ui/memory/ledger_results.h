// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ui/memory/shown_ledger.h"

namespace mantissa::ui::plot {
class ChartWidget;
class PictureView;
class PlotView;
}  // namespace mantissa::ui::plot

namespace mantissa::ui::memory {

/// The right side of the page: the step against the device, cumulative blocks, the timeline of one step, predictions
/// against measurements, plans, and the ledger by category. Each picture has its table twin.
class LedgerResults : public QWidget {
  Q_OBJECT

 public:
  explicit LedgerResults(QWidget* parent = nullptr);

  /// Where nothing can be shown, nothing of what was shown before stays.
  void showLedger(const ShownLedger& shown);

  /// Beside the ledger by category; nothing: it takes no room.
  void showComparison(const std::optional<ShownTable>& comparison);

  /// Draws the curves that have changed.
  void redraw();

  /// A button in the header of the plans.
  void addPlanAction(QAction* action);
  /// The plan that is selected; nothing: none is.
  std::optional<std::size_t> selectedPlan() const;
  void selectPlan(std::size_t plan);

  plot::PictureView* stack() const { return m_stack; }
  plot::PictureView* blocks() const { return m_blocks; }
  plot::PlotView* timeline() const { return m_timeline; }
  plot::PictureView* calibration() const { return m_calibration; }
  plot::PictureView* plans() const { return m_plans; }
  plot::PictureView* categories() const { return m_categories; }
  plot::PictureView* comparison() const { return m_comparison; }
  std::vector<plot::ChartWidget*> charts() const;

 Q_SIGNALS:
  void redrawNeeded();
  /// A time of a step was typed into the table of plans; empty: forgotten. The plan has its place in what was shown.
  void timeTyped(std::size_t plan, const QString& text);
  void planSelected();

 private:
  void makeLayout();
  void fitPlanRows();
  void showStack(const ShownLedger& shown);
  void showBlocks(const ShownLedger& shown);
  void showTimeline(const ShownLedger& shown);
  void showPlans(const ShownLedger& shown);
  void rememberPlan();
  void showTable(plot::PictureView* view, const ShownTable& table, const ShownLedger& shown);

  /// A plan, whatever row it stands in.
  struct ChosenPlan {
    QString option;
    bool isCheckpointed = false;
    std::int64_t microbatch = 0;
    std::int64_t accumulation = 0;
    bool operator==(const ChosenPlan& other) const {
      return option == other.option && isCheckpointed == other.isCheckpointed && microbatch == other.microbatch &&
             accumulation == other.accumulation;
    }
  };
  std::vector<ChosenPlan> m_rowsPlans;     ///< of each row of the table of plans
  std::optional<ChosenPlan> m_chosenPlan;  ///< that a person selected; while plans are worked out there is no row
  bool m_isShowingPlans = false;           ///< rows change of themselves
  plot::PictureView* m_stack;
  plot::PictureView* m_blocks;
  plot::PlotView* m_timeline;
  plot::PictureView* m_calibration;
  plot::PictureView* m_plans;
  plot::PictureView* m_categories;
  plot::PictureView* m_comparison;
  plot::PictureView* m_twin;  ///< the blocks as a table, beside the ledger by category
};

}  // namespace mantissa::ui::memory
