// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include <array>
#include <string>

#include "ui/plot/chart_widget.h"
#include "ui/plot/plot_state.h"

class QAction;
class QStackedWidget;

namespace mantissa::ui::plot {

class PlotCanvas;
class PlotHeader;
class PlotTable;

/// A plot with its title, legend, menu and table twin. The only way in which pages show curves.
///
/// Nothing is drawn until redraw(): the owner's one clock calls it for all plots. It costs nothing while the plot is
/// hidden or nothing has changed. `redrawNeeded` tells a sleeping clock that a person did something. Window's thread
/// only; destroy plots before QApplication.
class PlotView : public ChartWidget {
  Q_OBJECT

 public:
  /// \param id  names the plot in the zoom history and in settings: "loss".
  explicit PlotView(const QString& id, QWidget* parent = nullptr);
  ~PlotView() override;

  const QString& id() const { return m_state.id; }

  /// Replaces everything that is shown. Ranges and hidden series stay where their ids do.
  void setContent(PlotContent content);
  const PlotContent& content() const { return m_state.content; }

  /// Parts of the content, for what changes often.
  void setMarks(std::vector<PlotMark> marks);
  /// More of them. \param marks  by x
  void addMarks(const std::vector<PlotMark>& marks);
  void setSmoothing(const Smoothing& smoothing);
  /// \param unit  as PlotContent::valueUnit
  void setLines(std::vector<PlotLimit> limits, std::vector<PlotBand> bands, double unit);
  void setEmptyText(const QString& text);
  void setDifference(bool difference);
  void setScale(YScale scale);
  void setLive(bool live);

  /// Shared with the other plots of a page; neither is owned, both must outlive the plot or be replaced. Without a call
  /// a plot has its own.
  void setNavigation(PlotNavigation* navigation);
  void setPlotCursor(PlotCursor* cursor);
  PlotNavigation* navigation() const { return m_state.navigation; }
  PlotCursor* plotCursor() const { return m_state.cursor; }

  /// Without a call they follow the palette. Series and bands in one of the old colours get the new one of the same
  /// role.
  void setColors(const PlotColors& colors);

  /// Off on a page of many small plots that share one legend.
  void setLegendVisible(bool visible);

  QAction* action(Deed deed) const override { return m_deeds[static_cast<std::size_t>(deed)]; }
  QString whyNot(Deed deed) const override;
  void openMenu() override;

  bool isSeriesVisible(const QString& seriesId) const { return !m_state.hidden.contains(seriesId); }
  void setSeriesVisible(const QString& seriesId, bool visible);

  bool isTableShown() const override;
  void setTableShown(bool shown) override;

  /// Draws what has changed since the last call, if any of the plot can be seen. What changed unseen is drawn as it
  /// comes into view, so that no old picture is ever shown. \return whether a new frame was drawn.
  bool redraw();

  /// What preparing and drawing the last frame took; for the clock that has to slow down.
  double frameMilliseconds() const;

  /// The surface and the table, for tests and for pages that place focus.
  PlotCanvas* canvas() const { return m_canvas; }
  PlotTable* table() const { return m_table; }

  QImage image(const QSize& size, double scale) const;
  QByteArray svg(const QSize& size) const;
  std::string csv() const;

 Q_SIGNALS:
  void redrawNeeded();
  /// A skipped step was clicked, or chosen with Return.
  void markActivated(qint64 step);
  void nonFiniteActivated(double x);
  void seriesVisibilityChanged(const QString& seriesId, bool visible);

 protected:
  QString chartTitle() const override { return m_state.content.title; }
  QString chartSubject() const override { return wholeRun(m_state.content); }
  QByteArray pngFile() const override;
  QByteArray svgFile() const override;
  std::string csvFile() const override { return csv(); }
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void contentChanged(bool otherLayout);
  void buildMenu();
  void showZoomInTable();
  void copyToClipboard();
  QImage wholePicture() const;
  void offerDifference();
  void stale();
  void recolor(const PlotColors& colors);

  PlotState m_state;
  PlotNavigation m_ownNavigation;
  PlotCursor m_ownCursor;
  bool m_ownColors = true;
  bool m_valuesStale = true;
  bool m_missed = false;  // a redraw, while nothing of the plot could be seen
  PlotHeader* m_header;
  QStackedWidget* m_pages;
  PlotCanvas* m_canvas;
  PlotTable* m_table;
  std::optional<double> m_tableZoom;  // where the zoom begins that the table was scrolled to
  std::array<QAction*, 7> m_deeds{};
  QAction* m_tableAction = nullptr;
  QAction* m_differenceAction = nullptr;
  QAction* m_logAction = nullptr;
};

}  // namespace mantissa::ui::plot
