// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPixmap>
#include <QWidget>

#include <optional>

#include "ui/plot/plot_frame.h"
#include "ui/plot/plot_painter.h"
#include "ui/plot/plot_state.h"

namespace mantissa::ui::plot {

/// The surface of a plot: shows a frame, and takes what a person does with mouse and keyboard.
///
/// A frame is drawn into a pixmap once; the cursor and the selection lie above it, so that moving them costs a copy.
///
/// The cursor ends with whatever placed it: when the pointer leaves, or, placed with the keyboard, when the focus goes.
///
/// Mouse: wheel zooms x about the pointer (out as far as there is something, then whatever lies around the plot
/// scrolls), Shift+wheel y, a horizontal wheel pans; drag selects a box to zoom into (a
/// flat or narrow one: one axis only), drag with the middle button pans, double click shows everything, click on a mark
/// activates it. Keyboard: Left and Right move the cursor (Shift: ten pixels), Ctrl+Left/Right to the neighbouring
/// mark, Home and End to the ends, Return activates the mark under the cursor, + and − zoom x about it, Up and Down (or
/// [ and ]) zoom y, Page Up and Down pan, S begins and ends a selection, 0 shows everything, Alt+Left/Right go back and
/// forward, Escape gives up.
class PlotCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit PlotCanvas(PlotState& state, QWidget* parent = nullptr);

  /// Something that a frame shows has changed: the next redraw() makes a new one.
  void markStale() { m_stale = true; }
  /// The same for the cursor and the selection alone.
  void markOverlayStale() { m_overlayStale = true; }

  /// Forgets the range and the margin that were kept so that nothing jumps: for other content.
  void forgetLayout();

  /// Draws what changed. Nothing is done while the widget is hidden. \return whether a new frame was drawn.
  bool redraw();

  /// What it took to prepare and draw the last frame.
  double frameMilliseconds() const { return m_frameMilliseconds; }

  const PlotFrame& frame() const { return m_frame; }

  /// A frame for another surface, with the ranges in force.
  PlotFrame frameFor(const QSizeF& size, const QFont& font) const;

  PlotInk exportInk() const { return ink(); }

  QSize sizeHint() const override { return {420, 220}; }
  QSize minimumSizeHint() const override { return {160, 90}; }

 Q_SIGNALS:
  void markActivated(qint64 step);
  void nonFiniteActivated(double x);
  void redrawNeeded();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  enum class Drag { None, Select, Pan };

  void drawFrame();
  void paintOverlays(QPainter& painter);
  PlotInk ink() const;
  QFont labelFont() const;

  /// What a person zoomed to; nothing where x follows the data.
  std::optional<Range> zoomedX() const;
  QRectF selectionBox() const;
  void zoomToSelection(const QRectF& box);
  void zoomX(double factor, double about);
  void zoomY(double factor, double about);
  void pan(double share);
  void setCursorAt(double position);
  void readAnew();
  void endCursor();
  void moveCursor(double pixels);
  void goToMark(int direction);
  void toggleKeyboardSelection();
  double cursorOrMiddle() const;
  bool activateAt(double pixelX, double pixelY, double reach);
  QString textAt(const QPointF& at) const;
  QString spokenCursor() const;

  PlotState& m_state;
  LineChart m_chart;
  PlotFrame m_frame;
  QPixmap m_picture;
  bool m_stale = true;
  bool m_overlayStale = true;
  std::optional<Range> m_automaticY;
  std::optional<Range> m_zoomedX;  // what a person zoomed to when m_automaticY was found
  double m_leftMargin = 0;
  double m_frameMilliseconds = 0;
  Drag m_drag = Drag::None;
  bool m_readByMouse = false;  // the cursor stands where the pointer is, or was placed with the keyboard
  bool m_readByKeyboard = false;
  QPointF m_pointer;  // where the mouse was last
  QPointF m_dragFrom;
  QPointF m_dragTo;
  Range m_panFrom;
  std::optional<double> m_selectionFrom;  // of the keyboard, position on x
};

}  // namespace mantissa::ui::plot
