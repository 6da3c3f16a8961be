// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/chart_widget.h"

#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "ui/file_dialogs.h"

namespace mantissa::ui::plot {
namespace {

ChartWidget::FileChooser& fileChooser() {
  static ChartWidget::FileChooser chooser = [](QWidget* parent, const QString& title, const QString& suggested,
                                               const QString& filter) {
    return file_dialogs::save(parent, title, suggested, filter);
  };
  return chooser;
}

/// "Output deviation" as a file name: output-deviation.
QString fileName(const QString& title) {
  QString name;
  for (const auto letter : title.toLower()) {
    if (letter.isLetterOrNumber()) {
      name += letter;
    } else if (!name.endsWith(u'-') && !name.isEmpty()) {
      name += u'-';
    }
  }
  while (name.endsWith(u'-')) name.chop(1);
  return name.isEmpty() ? QStringLiteral("plot") : name;
}

}  // namespace

QByteArray pngBytes(const QImage& picture) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  picture.save(&buffer, "PNG");
  return bytes;
}

QImage paintedImage(const QSize& size, double scale, const QColor& ground,
                    const std::function<void(QPainter& painter)>& paint) {
  QImage image((QSizeF(size) * scale).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(ground);
  QPainter painter(&image);
  paint(painter);
  return image;
}

QByteArray paintedSvg(const QSize& size, const QString& title, const QString& description,
                      const std::function<void(QPainter& painter)>& paint) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setResolution(96);
  generator.setTitle(title);
  generator.setDescription(description);
  QPainter painter(&generator);
  paint(painter);
  painter.end();
  return bytes;
}

std::string csvField(QString text) {
  if (text.contains(u',') || text.contains(u'"') || text.contains(u'\n'))
    text = u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
  return text.toStdString();
}

void ChartWidget::exportTo(const QString& path) const {
  const auto ending = QFileInfo(path).suffix().toLower();
  std::string bytes;
  if (ending == QLatin1String("csv")) {
    bytes = csvFile();
  } else if (ending == QLatin1String("svg")) {
    bytes = svgFile().toStdString();
  } else if (ending == QLatin1String("png")) {
    bytes = pngFile().toStdString();
  } else {
    ErrorFacts facts;
    facts.problem = "a kind of file that plots are not written as";
    facts.file = path.toStdString();
    facts.expected = "a name that ends in .png, .svg or .csv";
    throw Error(ErrorKind::InvalidSetting, std::move(facts));
  }
  AtomicFile file(path.toStdString());
  file.write(bytes);
  file.commit();
}

void ChartWidget::setFileChooser(FileChooser chooser) { fileChooser() = std::move(chooser); }

void ChartWidget::askAndExport(const QString& ending, const QString& filter) {
  Q_EMIT exportAsked();
  const QString name = fileName(chartSubject() + u' ' + chartTitle()) + u'.' + ending;
  auto path = fileChooser()(this, tr("Save the plot %1").arg(chartTitle()),
                            m_exportFolder.isEmpty() ? name : QDir(m_exportFolder).filePath(name), filter);
  if (path.isEmpty()) return;
  if (QFileInfo(path).suffix().toLower() != ending) path += u'.' + ending;
  try {
    exportTo(path);
    Q_EMIT exported(path);
  } catch (const Error& error) {
    Q_EMIT exportFailed(QString::fromStdString(sentence(error.facts())));
  }
}

}  // namespace mantissa::ui::plot
