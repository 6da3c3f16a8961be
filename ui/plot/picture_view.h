// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QString>

#include <functional>
#include <string>
#include <vector>

#include "ui/plot/chart_widget.h"
#include "ui/plot/plot_painter.h"
#include "ui/plot/rows_table.h"

class QMenu;
class QStackedWidget;
class QToolButton;

namespace mantissa::ui::plot {

/// What a picture shows besides its painting.
struct PictureWords {
  QString title;    ///< "Step memory"
  QString unit;     ///< small, beside it: "GB = 10^9 bytes, against a 24 GB device"
  QString note;     ///< small, on the right: "1,284 events"
  QString subject;  ///< whose it is, for files and pictures that leave the window: "Night run, 24 GB"
  /// What it says, as sentences: for those who cannot see it, and as the tip of its title.
  QString spoken;
  QString emptyText;  ///< in place of the picture and of its table's rows; empty: there is something to show
  /// Colours that need a word, in the order of what is painted.
  struct Key {
    QColor color;
    QString name;
  };
  std::vector<Key> keys;
};

/// A picture that is no curve (bars, stacks), with its title, menu and table twin: painted anew by one function for the
/// window, for files and for the clipboard. Window thread only.
class PictureView : public ChartWidget {
  Q_OBJECT

 public:
  /// Paints into this area, in logical pixels, with a painter whose font is that of the ink.
  using Paint = std::function<void(QPainter& painter, const QRectF& area, const PlotInk& ink)>;

  explicit PictureView(const QString& id, QWidget* parent = nullptr);

  void setWords(PictureWords words);
  const PictureWords& words() const { return m_words; }
  void setPaint(Paint paint);

  /// The table twin: fill it together with the picture.
  RowsTable* table() const { return m_table; }
  /// A twin and nothing else: a table in the frame of the pictures. The menu offers no picture then.
  void setTableOnly();
  /// Of a view that is its table alone: as high as its rows, from `least` to `most` of them, whole ones, and with room
  /// for the bar below them where one is needed. Follows the bar until the next call.
  void fitRows(int least, int most);
  /// A widget of the page in the row of the title, left of the menu.
  void addToHeader(QWidget* widget);

  QAction* action(Deed deed) const override;
  QString whyNot(Deed deed) const override;
  void openMenu() override;
  bool isTableShown() const override;
  void setTableShown(bool shown) override;

  QImage image(const QSize& size, double scale) const;
  QByteArray svg(const QSize& size) const;
  std::string csv() const { return m_table->rows().asCsv(); }

  /// The surface, for tests and for what places focus.
  QWidget* canvas() const;

 protected:
  QString chartTitle() const override { return m_words.title; }
  QString chartSubject() const override { return m_words.subject; }
  QByteArray pngFile() const override;
  QByteArray svgFile() const override { return svg(pictureSize()); }
  std::string csvFile() const override { return csv(); }
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  class Title;
  class Canvas;

  void buildMenu();
  void fitHeight();
  void copyToClipboard();
  QSize pictureSize() const;
  PlotInk ink() const;
  void paintAll(QPainter& painter, const QSize& size) const;
  void paintContent(QPainter& painter, const QRectF& area, const PlotInk& ink) const;

  PictureWords m_words;
  Paint m_paint;
  bool m_isTableOnly = false;
  int m_leastRows = 0, m_mostRows = 0;  // of fitRows; 0: it was not called
  Title* m_title;
  QToolButton* m_menuButton;
  QMenu* m_menu;
  QStackedWidget* m_pages;
  Canvas* m_canvas;
  RowsTable* m_table;
  QAction* m_tableAction = nullptr;
  QAction* m_copy = nullptr;
  QAction* m_png = nullptr;
  QAction* m_svg = nullptr;
  QAction* m_csv = nullptr;
};

}  // namespace mantissa::ui::plot
