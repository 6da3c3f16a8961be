// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/calibration_view.h"

#include <spdlog/spdlog.h>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "ui/measured_text.h"
#include "ui/memory/ledger_words.h"
#include "ui/models/name_words.h"
#include "ui/plot/axis_ticks.h"
#include "ui/plot/plot_numbers.h"

namespace mantissa::ui::memory {
namespace {

using plot::RowsCell;

QString say(const char* text) { return QCoreApplication::translate("MemoryPage", text); }

/// "0.31 %": two digits.
QString shareText(double share) { return plot::multipleText(share * 100) + QStringLiteral(" %"); }

QString trialsText(std::size_t count) {
  return count == 1
             ? say(QT_TRANSLATE_NOOP("MemoryPage", "1 trial"))
             : say(QT_TRANSLATE_NOOP("MemoryPage", "%1 trials")).arg(countText(static_cast<std::int64_t>(count)));
}

/// "7 trials of 2 different settings".
QString evidenceText(const engine::Calibration& calibration) {
  const QString trials = trialsText(calibration.trials);
  if (calibration.trials == calibration.settings) return trials;
  return calibration.settings == 1 ? say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of one setting")).arg(trials)
                                   : say(QT_TRANSLATE_NOOP("MemoryPage", "%1 of %2 different settings"))
                                         .arg(trials, countText(static_cast<std::int64_t>(calibration.settings)));
}

void paintPoints(QPainter& painter, const QRectF& area, const plot::PlotInk& ink, const MemoryPairs& pairs,
                 const ByteScale& scale) {
  const QFontMetricsF metrics(ink.font);
  const double line = metrics.height();
  plot::Range range{1e300, -1e300};
  for (const record::MemoryPair& pair : pairs) {
    for (const std::int64_t bytes : {pair.predicted_bytes, pair.measured_bytes}) {
      if (bytes <= 0) continue;
      const double height = std::log10(static_cast<double>(bytes) / scale.bytes);
      range = {std::min(range.low, height), std::max(range.high, height)};
    }
  }
  if (range.low > range.high) return;
  range = {range.low - 0.15, range.high + 0.15};
  const QRectF plotArea = area.adjusted(44, 6, -10, -line - 8);
  if (plotArea.width() < 20 || plotArea.height() < 20) return;
  const auto x = [&](double height) {
    return plotArea.left() + (height - range.low) / range.length() * plotArea.width();
  };
  const auto y = [&](double height) {
    return plotArea.bottom() - (height - range.low) / range.length() * plotArea.height();
  };
  for (const plot::Tick& tick : plot::yTicks(plot::YScale::Log10, range, 5)) {
    painter.setPen(QPen(ink.grid, 1));
    painter.drawLine(QPointF(plotArea.left(), y(tick.height)), QPointF(plotArea.right(), y(tick.height)));
    painter.drawLine(QPointF(x(tick.height), plotArea.top()), QPointF(x(tick.height), plotArea.bottom()));
    painter.setPen(ink.faintText);
    const QString label = tick.exponent.isEmpty() ? tick.label : tick.label + QStringLiteral("^") + tick.exponent;
    painter.drawText(QRectF(area.left(), y(tick.height) - line / 2, 40, line),
                     static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), label);
    painter.drawText(QRectF(x(tick.height) - 30, plotArea.bottom() + 4, 60, line), static_cast<int>(Qt::AlignCenter),
                     label);
  }
  painter.setPen(QPen(ink.text, 1));
  painter.drawLine(QPointF(x(range.low), y(range.low)), QPointF(x(range.high), y(range.high)));
  QColor dot = ink.text;
  dot.setAlphaF(0.7F);
  painter.setPen(Qt::NoPen);
  painter.setBrush(dot);
  for (const record::MemoryPair& pair : pairs) {
    if (pair.predicted_bytes <= 0 || pair.measured_bytes <= 0) continue;
    painter.drawEllipse(QPointF(x(std::log10(static_cast<double>(pair.predicted_bytes) / scale.bytes)),
                                y(std::log10(static_cast<double>(pair.measured_bytes) / scale.bytes))),
                        3.0, 3.0);
  }
  const auto calibration = engine::calibration_of(pairs);
  if (!calibration) return;
  painter.setPen(ink.text);
  const QString words =
      say(QT_TRANSLATE_NOOP("MemoryPage", "%1, live peak\nerror: median %2, worst %3"))
          .arg(evidenceText(*calibration), shareText(calibration->median), shareText(calibration->worst));
  painter.drawText(plotArea.adjusted(6, 2, 0, 0), static_cast<int>(Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap),
                   words);
}

}  // namespace

CalibrationLoader::CalibrationLoader(QObject* parent) : QObject(parent), m_worker(new QObject) {
  m_thread.setObjectName(QStringLiteral("calibration loader"));
  m_worker->moveToThread(&m_thread);
  connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
}

CalibrationLoader::~CalibrationLoader() {
  ++m_job;
  if (!m_thread.isRunning()) {
    delete m_worker;  // no thread has it
    return;
  }
  m_thread.quit();
  m_thread.wait();
}

void CalibrationLoader::load(const QString& archive) {
  const std::uint64_t job = ++m_job;
  if (archive.isEmpty()) return Q_EMIT loaded({});
  if (!m_thread.isRunning()) m_thread.start();  // with the first archive
  const auto read = [this, archive, job] {
    if (job != m_job) return;
    MemoryPairs pairs;
    try {
      pairs = archive::Reader(archive.toStdString()).memory_pairs();
    } catch (const Error& error) {
      spdlog::info("no calibration: {}", sentence(error.facts()));
    }
    const auto tell = [this, job, pairs] {
      if (job == m_job) Q_EMIT loaded(pairs);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
  };
  QMetaObject::invokeMethod(m_worker, read, Qt::QueuedConnection);
}

void showCalibration(plot::PictureView& view, const MemoryPairs& pairs) {
  std::int64_t largest = 1;
  for (const record::MemoryPair& pair : pairs) largest = std::max({largest, pair.predicted_bytes, pair.measured_bytes});
  const ByteScale scale = ByteScale::of(largest);
  plot::PictureWords words;
  words.title = say(QT_TRANSLATE_NOOP("MemoryPage", "Measured against predicted"));
  const auto calibration = engine::calibration_of(pairs);
  if (!calibration) {
    words.emptyText = say(QT_TRANSLATE_NOOP("MemoryPage",
                                            "Not measured yet. The archive's trials keep what they were expected to "
                                            "hold and what they held, where their run looked at it."));
  } else {
    words.unit = scale.unit;
    words.spoken =
        say(QT_TRANSLATE_NOOP("MemoryPage",
                              "%1: half of the predictions were off by %2 or less, 95 % by %3 or "
                              "less, the worst by %4. %5 promised less than was held. Both axes are logarithmic."))
            .arg(evidenceText(*calibration), shareText(calibration->median), shareText(calibration->within_95),
                 shareText(calibration->worst), countText(static_cast<std::int64_t>(calibration->too_low)));
  }
  view.setWords(words);
  view.setPaint([pairs, scale](QPainter& painter, const QRectF& area, const plot::PlotInk& ink) {
    paintPoints(painter, area, ink, pairs, scale);
  });
  plot::RowsModel& rows = view.table()->rows();
  rows.setColumns({{say(QT_TRANSLATE_NOOP("MemoryPage", "Trial"))},
                   {say(QT_TRANSLATE_NOOP("MemoryPage", "Device"))},
                   {say(QT_TRANSLATE_NOOP("MemoryPage", "Predicted, %1")).arg(scale.unit),
                    say(QT_TRANSLATE_NOOP("MemoryPage", "Predicted, bytes")), true},
                   {say(QT_TRANSLATE_NOOP("MemoryPage", "Measured, %1")).arg(scale.unit),
                    say(QT_TRANSLATE_NOOP("MemoryPage", "Measured, bytes")), true},
                   {say(QT_TRANSLATE_NOOP("MemoryPage", "Error")), {}, true}});
  rows.setRows(static_cast<int>(pairs.size()), [pairs, scale](int row, int column) -> RowsCell {
    const record::MemoryPair& pair = pairs[static_cast<std::size_t>(row)];
    const auto size = [&scale](std::int64_t bytes) -> RowsCell {
      return {scale.text(bytes), exactBytes(bytes), RowsCell::Tone::Plain, false, byteCount(bytes)};
    };
    if (column == 0) {
      return {models::isolated(QString::fromStdString(pair.experiment)) + QStringLiteral(" · ") +
              models::isolated(QString::fromStdString(pair.name))};
    }
    if (column == 1) return {QString::fromStdString(pair.device)};
    if (column == 2) return size(pair.predicted_bytes);
    if (column == 3) return size(pair.measured_bytes);
    if (pair.measured_bytes <= 0) return {plot::notMeasuredText()};
    const double error =
        static_cast<double>(pair.predicted_bytes - pair.measured_bytes) / static_cast<double>(pair.measured_bytes);
    return {decimalText(error * 100, 2) + QStringLiteral(" %"), QString::number(error, 'g', 6)};
  });
  view.table()->fitColumns();
}

std::optional<shell::Statement> trustOf(const MemoryPairs& pairs) {
  const auto calibration = engine::calibration_of(pairs);
  if (!calibration) return std::nullopt;
  shell::Statement trust;
  trust.question = say(QT_TRANSLATE_NOOP("MemoryPage", "Trust"));
  trust.beginsWithName = true;
  trust.state = shell::Statement::State::Plain;
  if (calibration->next_within) {
    trust.answer =
        say(QT_TRANSLATE_NOOP("MemoryPage", "%1 or better in 95 %")).arg(shareText(*calibration->next_within));
  } else {
    trust.answer = say(QT_TRANSLATE_NOOP("MemoryPage", "median %1 off")).arg(shareText(calibration->median));
  }
  trust.detail = say(QT_TRANSLATE_NOOP("MemoryPage", "Traced: %1, worst %2"))
                     .arg(evidenceText(*calibration), shareText(calibration->worst));
  if (!calibration->next_within) {
    trust.help =
        say(QT_TRANSLATE_NOOP("MemoryPage", "Below 19 different settings nothing can be promised of the next one."));
  }
  return trust;
}

}  // namespace mantissa::ui::memory
