// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QSize>
#include <QString>
#include <QWidget>

#include <functional>
#include <string>

class QAction;
class QImage;
class QPainter;

namespace mantissa::ui::plot {

/// What curves (PlotView) and other pictures (PictureView) have in common: what their menus offer, and how they become
/// files. The window's actions for charts act on either. Window thread only.
class ChartWidget : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  /// What the menu offers.
  enum class Deed { Table, Copy, Png, Svg, Csv, Logarithmic, Difference };
  /// Null where `whyNot` says so.
  virtual QAction* action(Deed deed) const = 0;
  /// A whole sentence; empty: it can be done with what is shown.
  virtual QString whyNot(Deed deed) const = 0;
  virtual void openMenu() = 0;

  virtual bool isTableShown() const = 0;
  virtual void setTableShown(bool shown) = 0;

  /// Writes the picture or the values, by the file's ending: .png, .svg, .csv. Atomic.
  /// \throws Error  as AtomicFile, and InvalidSetting for another ending.
  void exportTo(const QString& path) const;

  /// Asks for the name of a file to write; an empty one means that the person gave up. Replaceable for tests.
  using FileChooser =
      std::function<QString(QWidget* parent, const QString& title, const QString& suggested, const QString& filter)>;
  static void setFileChooser(FileChooser chooser);

  /// Where the dialog for an export begins; empty: where the process is.
  void setExportFolder(const QString& folder) { m_exportFolder = folder; }

 Q_SIGNALS:
  void tableShownChanged(bool shown);
  /// The dialog for an export is about to begin where `setExportFolder` says.
  void exportAsked();
  void exported(const QString& path);
  /// A whole sentence for the page's message strip.
  void exportFailed(const QString& message);

 protected:
  /// What it shows: "Loss".
  virtual QString chartTitle() const = 0;
  /// Of what: an experiment's name; empty: of nothing that has one.
  virtual QString chartSubject() const = 0;
  virtual QByteArray pngFile() const = 0;
  virtual QByteArray svgFile() const = 0;
  virtual std::string csvFile() const = 0;

  void askAndExport(const QString& ending, const QString& filter);

 private:
  QString m_exportFolder;
};

/// A picture as the bytes of a PNG file.
QByteArray pngBytes(const QImage& picture);

/// What `paint` draws for this size on a ground of one colour. \param scale  pixels of the image for one of the size
QImage paintedImage(const QSize& size, double scale, const QColor& ground,
                    const std::function<void(QPainter& painter)>& paint);

/// The same as an SVG file, of one of its units a pixel.
QByteArray paintedSvg(const QSize& size, const QString& title, const QString& description,
                      const std::function<void(QPainter& painter)>& paint);

/// A text as a field of CSV (RFC 4180).
std::string csvField(QString text);

}  // namespace mantissa::ui::plot
