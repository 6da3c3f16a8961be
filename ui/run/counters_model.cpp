// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/counters_model.h"

#include <QColor>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/report/plain_words.h"
#include "ui/models/record_words.h"
#include "ui/models/trial_list.h"
#include "ui/plain_tip.h"
#include "ui/plot/plot_numbers.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

QString count(qint64 value) { return models::figure(report::count_words(value)); }
QString none() { return QStringLiteral("–"); }

/// With decimals that do not change from step to step.
QString number(const std::optional<double>& value) { return value ? plot::valueText(*value) : none(); }

bool isText(int column) { return column == CountersModel::ArmColumn || column == CountersModel::CauseColumn; }

qint64 growthIntervalOf(const record::TrialRow& arm) {
  const QJsonObject scaler =
      QJsonDocument::fromJson(QByteArray::fromStdString(arm.start.policy)).object()[QLatin1String("scaler")].toObject();
  if (!scaler[QLatin1String("enabled")].toBool()) return 0;
  return static_cast<qint64>(scaler[QLatin1String("growth_interval")].toDouble());
}

/// "accuracy" as a heading: "Accuracy", "RMSE".
QString heading(const QString& metric) {
  if (metric == QLatin1String("rmse") || metric == QLatin1String("mae")) return metric.toUpper();
  return metric.left(1).toUpper() + metric.mid(1);
}

}  // namespace

/// The measured number behind a cell, where it has one.
std::optional<double> CountersModel::measured(const ArmData& arm, int column) const {
  const Counters& counters = arm.counters();
  if (column == ScaleColumn) return counters.newestScale();
  if (column == RateColumn) return counters.lr;
  if (column == LossColumn) return counters.loss;
  if (column == DeviationColumn) return counters.deviation;
  if (column == QualityColumn) return arm.evaluation() ? arm.evaluation()->value : arm.arm().end.quality;
  return std::nullopt;
}

void CountersModel::setData(const RunData* data) {
  beginResetModel();
  m_data = data;
  m_rows.clear();
  m_arms.clear();
  if (m_data != nullptr) {
    for (const ArmData* const arm : m_data->shown()) {
      m_rows.push_back({arm, growthIntervalOf(arm->arm())});
      m_arms.push_back(arm->arm());
    }
  }
  m_metric = metric();  // what was measured of another experiment says nothing of this one
  endResetModel();
}

void CountersModel::refresh() {
  if (m_data == nullptr) return;
  const std::vector<const ArmData*> shown = m_data->shown();
  const bool same = std::equal(shown.begin(), shown.end(), m_rows.begin(), m_rows.end(),
                               [](const ArmData* arm, const Row& row) { return arm == row.arm; });
  m_yardstick = m_data->yardstick(kMainDeviation);
  if (m_yardstick && !m_yardstick->isUsable()) m_yardstick.reset();
  if (!same) setData(m_data);
  if (!m_rows.empty()) {
    const QString now = metric();
    const bool otherMetric = now != m_metric;
    m_metric = now;
    if (otherMetric) Q_EMIT headerDataChanged(Qt::Horizontal, QualityColumn, QualityColumn);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
  }
}

int CountersModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CountersModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant CountersModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  const ArmData& arm = *row.arm;
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case Qt::ToolTipRole:
      return plainTip(fullPrecision(row, column));
    case FileRole:
      return fileText(row, column);
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter | (isText(column) ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ForegroundRole: {
      const std::optional<double> value = measured(arm, column);
      return value && !std::isfinite(*value) ? QVariant(shell::Theme::colors().bad) : QVariant();
    }
    case PlaceRole:
      return models::placeOf(arm.arm(), m_arms);
    case TrialRole:
      return QVariant::fromValue(static_cast<qint64>(arm.arm().id));
    case LastSkipRole:
      return QVariant::fromValue(arm.skips().empty() ? qint64{0} : arm.skips().back().step);
    default:
      return {};
  }
}

QString CountersModel::text(const Row& row, int column) const {
  const ArmData& arm = *row.arm;
  const Counters& counters = arm.counters();
  switch (column) {
    case ArmColumn:
      return QString::fromStdString(arm.arm().start.name);
    case IterationsColumn:
      return count(counters.iterations);
    case AttemptedColumn:
      return count(counters.attempted);
    case AppliedColumn:
      return count(counters.applied);
    case SkippedColumn:
      return count(counters.skipped);
    case LastSkipColumn:
      return arm.skips().empty() ? none() : count(arm.skips().back().step);
    case CauseColumn:
      return arm.skips().empty() ? none() : causeWords(arm.skips().back().cause);
    case ScaleColumn: {
      const std::optional<double> scale = counters.newestScale();
      // An en dash would say that there is no scaler.
      if (scale && *scale == 0) return QStringLiteral("0");
      return scale ? models::scaleText(*scale) : none();
    }
    case TrackerColumn:
      if (!counters.scale || !counters.nextScale) return none();
      return row.growthInterval > 0 ? tr("%1 of %2").arg(count(counters.growthTracker), count(row.growthInterval))
                                    : count(counters.growthTracker);
    case RateColumn:
      return number(counters.lr);
    case LossColumn:
      return number(counters.loss);
    case DeviationColumn:
      if (counters.deviation && m_yardstick && std::isfinite(*counters.deviation)) {
        return tr("%1 ×").arg(plot::multipleText(*counters.deviation / m_yardstick->size));
      }
      return number(counters.deviation);
    case QualityColumn:
      return number(measured(arm, column));
    default:
      return {};
  }
}

void CountersModel::setPlanned(qint64 steps, qint64 iterations) {
  m_plannedSteps = steps;
  m_plannedIterations = iterations;
}

QString CountersModel::widestText(int column) const {
  const auto ofCount = [](qint64 most) { return most > 0 ? count(most) : QString(); };
  switch (column) {
    case IterationsColumn:
      return ofCount(m_plannedIterations);
    case AttemptedColumn:
    case AppliedColumn:
    case LastSkipColumn:
      return ofCount(m_plannedSteps);
    default:
      return {};
  }
}

QString CountersModel::metric() const {
  for (const Row& row : m_rows) {
    if (row.arm->evaluation()) return QString::fromStdString(row.arm->evaluation()->metric);
    if (!row.arm->arm().end.quality_metric.empty()) return QString::fromStdString(row.arm->arm().end.quality_metric);
  }
  return {};
}

QString CountersModel::qualityNote() const {
  if (m_metric.isEmpty()) return {};
  qint64 step = -1;
  for (const Row& row : m_rows) {
    if (row.arm->evaluation()) step = std::max<qint64>(step, row.arm->evaluation()->step);
  }
  return step < 0 ? tr("%1 on the frozen cases, at the end").arg(heading(m_metric))
                  : tr("%1 on the frozen cases, evaluated at step %2").arg(heading(m_metric), count(step));
}

/// "12 of 1,640 steps skipped (0.7 %): 5 calibration, 7 overflow".
QString CountersModel::skipWords(const ArmData& arm) const {
  const Counters& counters = arm.counters();
  QString words = models::skipText(counters.skipped, counters.attempted);
  QStringList causes;
  for (int i = 0; i < ArmData::kCauses; ++i) {
    const auto cause = static_cast<record::SkipCause>(i);
    if (arm.skipsBy(cause) > 0) causes << tr("%1 %2").arg(count(arm.skipsBy(cause)), causeWords(cause));
  }
  if (!causes.isEmpty()) words += QStringLiteral(": ") + causes.join(QStringLiteral(", "));
  for (std::size_t i = 0; i < arm.optimizers(); ++i) {
    words += u'\n' + tr("%1 skipped %2").arg(m_data->optimizerName(i), count(arm.skipsOf(i)));
  }
  return words;
}

QString CountersModel::fullPrecision(const Row& row, int column) const {
  const ArmData& arm = *row.arm;
  if (column == ArmColumn) return QString::fromStdString(arm.arm().start.name);
  if (column == SkippedColumn) return skipWords(arm);
  const std::optional<double> value = measured(arm, column);
  if (column == LossColumn && arm.nonFinite(Quantity::Loss) > 0) {
    return tr("%1; mean %2 over finite steps, %3 non-finite of %4")
        .arg(value ? plot::fullValueText(*value) : none(), number(arm.finiteMean(Quantity::Loss)),
             count(arm.nonFinite(Quantity::Loss)), count(arm.counters().attempted));
  }
  if (value && column == DeviationColumn && m_yardstick) {
    return tr("RMSE of outputs %1; run-to-run spread %2")
        .arg(plot::fullValueText(*value), plot::fullValueText(m_yardstick->size));
  }
  if (value && column == ScaleColumn) {
    const QString now = models::fullScaleText(*value);
    const std::optional<double>& used = arm.counters().scale;
    return used && *used != *value ? tr("%1; the last step used %2").arg(now, models::fullScaleText(*used)) : now;
  }
  if (value && column == RateColumn && arm.optimizers() > 1) {
    return tr("%1, of %2, the first of %3")
        .arg(plot::fullValueText(*value), m_data->optimizerName(0), count(static_cast<qint64>(arm.optimizers())));
  }
  if (value) return plot::fullValueText(*value);
  if (arm.skips().empty()) return {};
  if (column == LastSkipColumn) return tr("Return or a double click opens its record");
  if (column != CauseColumn) return {};
  const Skip& last = arm.skips().back();
  QStringList words = {causeWords(last.cause)};
  if (!last.parameter.isEmpty()) words << tr("first in %1").arg(last.parameter);
  if (last.sinceGrowth) words << growthWords(last);
  return words.join(QStringLiteral(", "));
}

/// As files have it: the same in every locale, in full precision, empty where nothing was measured.
QString CountersModel::fileText(const Row& row, int column) const {
  const ArmData& arm = *row.arm;
  const Counters& counters = arm.counters();
  const std::optional<double> value = measured(arm, column);
  switch (column) {
    case IterationsColumn:
      return QString::number(counters.iterations);
    case AttemptedColumn:
      return QString::number(counters.attempted);
    case AppliedColumn:
      return QString::number(counters.applied);
    case SkippedColumn:
      return QString::number(counters.skipped);
    case LastSkipColumn:
      return arm.skips().empty() ? QString() : QString::number(arm.skips().back().step);
    case CauseColumn:
      return arm.skips().empty() ? QString() : text(row, column);
    case TrackerColumn:
      return counters.scale && counters.nextScale ? QString::number(counters.growthTracker) : QString();
    case ArmColumn:
      return text(row, column);
    default:
      break;
  }
  if (!value) return {};
  const double unit = column == DeviationColumn && m_yardstick ? m_yardstick->size : 1;
  return QString::fromStdString(to_text(*value / unit));
}

QVariant CountersModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>(Qt::AlignVCenter | (isText(section) ? Qt::AlignLeft : Qt::AlignRight));
  }
  if (role == Qt::ToolTipRole && section == RateColumn) {
    std::size_t most = 0;
    for (const Row& row : m_rows) most = std::max(most, row.arm->optimizers());
    if (most > 1) {
      return plainTip(tr("Of %1, the first of %2").arg(m_data->optimizerName(0), count(static_cast<qint64>(most))));
    }
  }
  if (role == Qt::ToolTipRole) {
    if (section == ScaleColumn) return tr("As the last step left it; the chart shows what each step used");
    if (section == TrackerColumn) return tr("As the last step left it, with the scale beside it");
    if (section == LossColumn || section == DeviationColumn) return tr("Of the last step, as measured");
    return {};
  }
  if (role == FileRole) {
    const QString words = headerData(section, orientation, Qt::DisplayRole).toString().trimmed();
    return section == DeviationColumn && m_yardstick ? tr("%1 [× spread]").arg(words) : words;
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case ArmColumn:
      return tr("Run");
    case IterationsColumn:
      return tr("Iterations");
    case AttemptedColumn:
      return tr("Attempted");
    case AppliedColumn:
      return tr("Applied");
    case SkippedColumn:
      return tr("Skipped");
    case LastSkipColumn:
      return tr("Last skip");
    case CauseColumn:
      return QStringLiteral("\u2002\u2002") + tr("Cause");  // as far from the numbers before it as its cells
    case ScaleColumn:
      return tr("Scale");
    case TrackerColumn:
      return tr("Tracker");
    case RateColumn:
      return tr("Learning rate");
    case LossColumn:
      return tr("Loss");
    case DeviationColumn:
      return tr("Deviation");
    case QualityColumn:
      return m_metric.isEmpty() ? tr("Quality") : heading(m_metric);
    default:
      return {};
  }
}

}  // namespace mantissa::ui::run
