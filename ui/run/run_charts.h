// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <map>
#include <memory>
#include <vector>

#include "core/spec/experiment.h"
#include "ui/plot/plot_cursor.h"
#include "ui/plot/plot_navigation.h"
#include "ui/plot/plot_view.h"
#include "ui/run/chart_content.h"

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace mantissa::ui::shell {
class ElidedLabel;
}

namespace mantissa::ui::run {

class LayoutMenu;
class PastLoader;

/// The charts of a run, linked in x, and what they are drawn against, smoothed and measured by.
class RunCharts : public QWidget {
  Q_OBJECT

 public:
  explicit RunCharts(QWidget* parent = nullptr);
  ~RunCharts() override;

  /// \param newData  must outlive the charts or be replaced; its x axis is set by the chooser
  void setData(RunData* newData);
  /// What is shown is written into this archive: what was not kept is read from it.
  void setArchive(const QString& path) { m_archive = path; }
  /// Where the dialogs for exports begin.
  void setExportFolder(const QString& folder);
  /// Whether something is being read.
  bool isLoading() const;
  /// What is shown ran this; null: not known.
  void setExperiment(std::shared_ptr<const spec::Experiment> experiment);
  /// The attempted steps that the run will make; 0: unknown.
  void setPlannedSteps(qint64 steps);
  void setLive(bool live);

  /// Takes in what is new. \return milliseconds that the drawn frames took.
  double redraw();

  /// In the order of the grid.
  std::vector<plot::PlotView*> plots() const;
  /// Null where the chart is not shown.
  plot::PlotView* plot(Chart chart) const;
  QComboBox* axisChooser() const { return m_axis; }
  QComboBox* deviationChooser() const { return m_deviation; }
  QComboBox* unitChooser() const { return m_units; }
  QComboBox* optimizerChooser() const { return m_optimizer; }
  /// What the mouse does, or where the cursor reads.
  shell::ElidedLabel* hint() const { return m_hint; }
  LayoutMenu* layoutMenu() const { return m_menu; }
  /// There while a live run goes on outside of what a person has zoomed to: it brings the newest steps back.
  QPushButton* followButton() const { return m_follow; }
  /// What that button does, whether it is there or not.
  void followEnd() { m_navigation->followEnd(); }
  /// Below the grid, what scrolls with it.
  QVBoxLayout* scrolledLayout() const { return m_scrolled; }
  /// What stands below the charts and takes its room from them: they fit into what it leaves, and not before the
  /// pointer has left them, so that nothing moves under it; until then they are scrolled to. Takes it.
  void setFoot(QWidget* foot);
  /// How high the row of choosers is at this width.
  int chooserHeight() const;

  /// Without smoothing, or as it was smoothed last.
  void toggleSmoothing();

  /// Which charts, in how many columns, and what the choosers say.
  QByteArray saveLayout() const;
  void restoreLayout(const QByteArray& layout);

 Q_SIGNALS:
  void redrawNeeded();
  /// A skipped step, or one with a non-finite value, was chosen in a chart.
  void stepChosen(qint64 step);
  void exportFailed(const QString& sentence);
  /// The dialog for an export is about to begin where `setExportFolder` says.
  void exportAsked();
  void exported(const QString& path);
  /// The past of a chart cannot be read.
  void pastFailed(const QString& sentence);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void makeChoosers();
  void makeRow(QWidget* row);
  void tellCursor();
  void chooseSmoothing();
  void chooseCharts();
  void placeCharts();
  int columnsThatFit() const;
  void fitRows();
  plot::PlotView* makeView(Chart chart);
  void link(Chart chart, plot::PlotView& view);
  void choiceChanged();
  void keepWhatIsShown();
  void loadPast();
  void rebuild();
  void rebuild(Chart chart, plot::PlotView& view);
  void renewLines();
  void offerOptimizers();
  void offerMultiples();
  void offerToFollow();
  void nameOptimizers();
  void closeTables();
  QString markText(const plot::PlotMark& mark) const;
  std::vector<plot::PlotMark> marksOf(const ArmData& arm, std::size_t firstSkip) const;
  void updateMarks();
  void addMarks();
  void chooseNonFinite(Chart chart, double x);
  ChartChoices choices() const;
  plot::Smoothing smoothing() const;
  std::optional<plot::Range> expectedRange() const;

  plot::PlotNavigation* m_navigation;
  plot::PlotCursor* m_cursor;
  QComboBox* m_axis;
  QComboBox* m_smoothing;
  QDoubleSpinBox* m_weight;
  QComboBox* m_deviation;
  QComboBox* m_units;
  QComboBox* m_optimizer;
  QLabel* m_optimizerLabel;
  shell::ElidedLabel* m_hint;
  QPushButton* m_layoutButton;
  QPushButton* m_follow;
  LayoutMenu* m_menu;
  QWidget* m_row;  ///< the choosers
  QScrollArea* m_scroll;
  QVBoxLayout* m_scrolled;
  QGridLayout* m_grid;
  std::map<Chart, plot::PlotView*> m_plots;  ///< those that are shown
  RunData* m_data = nullptr;
  QString m_archive;
  PastLoader* m_past;
  std::shared_ptr<const spec::Experiment> m_experiment;
  qint64 m_plannedSteps = 0;
  bool m_wantsMultiples = true;  ///< of yardsticks, where there are
  bool m_live = false;
  int m_lastSmoothing = 1;  ///< what the chooser said before it said none
  int m_revision = -1;
  int m_columns = 0;    ///< that the grid has
  int m_rowHeight = 0;  ///< of the grid
  int m_room = 0;       ///< px that the rows have
  int m_whole = 0;      ///< px that they have where nothing stands at the foot
  QWidget* m_foot = nullptr;
  /// How many skipped steps of an arm stand as marks.
  struct Marked {
    std::size_t skips = 0;
    qint64 calibrations = 0;  ///< of them: their number stands beside the first one
  };
  std::map<std::int64_t, Marked> m_marked;
};

}  // namespace mantissa::ui::run
