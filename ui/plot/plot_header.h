// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QWidget>

#include <algorithm>
#include <vector>

#include "ui/plot/plot_state.h"

class QMenu;
class QToolButton;

namespace mantissa::ui::plot {

/// One series in the legend: line, marker, name and a value. A click (or Space) hides the line and shows it again.
class LegendItem : public QAbstractButton {
  Q_OBJECT

 public:
  explicit LegendItem(const PlotSeries& series, QWidget* parent = nullptr);

  const QString& seriesId() const { return m_series.id; }
  const SeriesStyle& seriesStyle() const { return m_series.style; }
  void setStyle(const SeriesStyle& style);

  /// Changes nothing of the item's size: values that change move neither their neighbours nor the plot. A name gives up
  /// its end to a value that is longer than all that room was kept for.
  /// \param smoothed  where the line stands there, if that is not the value itself; empty: it is
  void showValue(const QString& text, bool nonFinite, const QColor& bad, const QString& smoothed);

  /// Keeps room for a value as long as the longest of these.
  void reserve(const QStringList& values);

  QSize sizeHint() const override;

  /// With which the longest value so far leaves the name all of its room; sizeHint where that is enough.
  int wantedWidth() const { return std::max(sizeHint().width(), m_wanted); }

 Q_SIGNALS:
  void widthChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QFont valueFont() const;
  int widthWith(double value) const;
  void describe();

  PlotSeries m_series;
  QString m_value;
  QString m_smoothed;
  bool m_nonFinite = false;
  QColor m_bad;
  QStringList m_longest;
  double m_valueWidth = 0;  // that is kept
  int m_wanted = 0;
};

/// Above a plot: what it shows and in what, the legend in the order of the lines, and the menu.
///
/// The legend stands beside the title where it leaves room for the unit, otherwise in rows below it; where there is
/// height, a unit that is too long for the first row has one of its own. That lines are smoothed is always said: what
/// is too long loses the end of what comes before. How high it is depends on names, unit and size of the plot, and on
/// no value. Of a long legend those first rows are seen that leave room for the lines; the menu behind its end has the
/// rest.
class PlotHeader : public QWidget {
  Q_OBJECT

 public:
  explicit PlotHeader(PlotState& state, QWidget* parent = nullptr);

  QMenu* menu() const { return m_menu; }

  /// Leads to the series that the legend has no room for; hidden where it has.
  QToolButton* moreButton() const { return m_moreButton; }

  /// Title and legend anew, for other content or colours.
  void rebuild();

  void setLegendVisible(bool visible);

  /// The plot has another height, which may have room for other rows.
  void fitHeight() { arrange(); }

  /// What is said beside the title or below it, and the room for it: it ends in dots where that is less than its width.
  QString shownUnit() const { return m_remark.isEmpty() ? m_unit : m_remark; }
  double unitRoom() const;
  double unitWidth() const;
  /// What is said beside the title while the unit has a row of its own and no room there for it.
  const QString& shownAside() const { return m_aside; }

  /// Where it is said in the legend that its values are measured ones and no places on a smoothed line; empty where
  /// there is no room for that, or nothing to say.
  const QRect& measuredPlace() const { return m_measuredPlace; }

  /// Something the title has to say for the time being: "sorted: newer values are not shown".
  void setRemark(const QString& remark);

  /// The table twin shows measured values, whatever the lines are.
  void setTableShown(bool shown);

  /// \param possible  keeps room for the button, so that nothing moves when it is offered
  /// Where a table begins that was scrolled; empty: it was not.
  void setTablePlace(const QString& words);

  void openMenu();

  void setDifference(bool possible, bool offered, bool shown);

  /// The values at the cursor, or the newest ones.
  void showValues();

 Q_SIGNALS:
  void seriesToggled(const QString& id, bool visible);
  void differenceToggled(bool shown);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  /// Return on a button does what a click does; Qt's buttons know the space bar alone.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void arrange();
  /// \return the number of rows, of which the first `above` have something else
  int arrangeRows(const std::vector<LegendItem*>& items, int above);
  int mostRows(int above) const;
  int arrangeBeside(const std::vector<LegendItem*>& items, int right, int spare);
  void fillRows(const std::vector<LegendItem*>& items);
  bool saysMeasured() const;
  void placeMeasured(int left, int top, int room);
  void fillMore();
  int rowHeight() const;
  QFont titleFont() const;
  QString fullUnit() const;
  QString ending() const;
  QString shortEnding() const;
  void chooseUnit(int title, int right, int legend);
  QString fitted(int room) const;
  int widthOf(const QString& text) const;

  PlotState& m_state;
  std::vector<LegendItem*> m_items;  // children
  QToolButton* m_menuButton;
  QToolButton* m_differenceButton;
  QToolButton* m_moreButton;
  std::size_t m_seenItems = 0;  // the first of them
  bool m_differencePossible = false;
  QMenu* m_menu;
  bool m_legendVisible = true;
  QString m_remark;
  bool m_tableShown = false;
  QString m_tablePlace;
  QString m_unit;            // as much of it as is to be read
  bool m_unitBelow = false;  // in a row of its own
  QString m_aside;
  QRect m_measuredPlace;
  QString m_measuredWord;
  int m_titleRoom = 0;
  int m_titleRight = 0;  // where the legend begins in the first row
};

}  // namespace mantissa::ui::plot
