// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/counters_model.h"

#include <QColor>

#include <cmath>

#include "core/base/number_text.h"
#include "core/report/plain_words.h"
#include "ui/models/trial_list.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

QString count(qint64 value) { return QString::fromStdString(report::count_words(value)); }
QString number(const std::optional<double>& value) { return QString::fromStdString(report::number_words(value)); }
QString none() { return QStringLiteral("–"); }

/// The measured number behind a cell, where it has one.
std::optional<double> measured(const Counters& counters, int column) {
  if (column == CountersModel::ScaleColumn) return counters.scale;
  if (column == CountersModel::RateColumn) return counters.lr;
  if (column == CountersModel::LossColumn) return counters.loss;
  if (column == CountersModel::DeviationColumn) return counters.deviation;
  return std::nullopt;
}

}  // namespace

void CountersModel::setData(const RunData* data) {
  beginResetModel();
  m_data = data;
  m_rows.clear();
  m_arms.clear();
  if (m_data != nullptr) {
    m_rows = m_data->shown();
    for (const ArmData* const arm : m_rows) m_arms.push_back(arm->arm());
  }
  endResetModel();
}

void CountersModel::refresh() {
  if (m_data == nullptr) return;
  if (m_data->shown() != m_rows) {
    setData(m_data);
  } else if (!m_rows.empty()) {
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
  }
}

int CountersModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CountersModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant CountersModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ArmData& arm = *m_rows[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return text(arm, column);
    case Qt::ToolTipRole:
      return fullPrecision(arm, column);
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignVCenter |
                              (column == ArmColumn || column == CauseColumn ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ForegroundRole: {
      const std::optional<double> value = measured(arm.counters(), column);
      return value && !std::isfinite(*value) ? QVariant(shell::Theme::colors().bad) : QVariant();
    }
    case PlaceRole:
      return models::placeOf(arm.arm(), m_arms);
    case TrialRole:
      return QVariant::fromValue(static_cast<qint64>(arm.arm().id));
    default:
      return {};
  }
}

QString CountersModel::text(const ArmData& arm, int column) const {
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
    case ScaleColumn:
      // An en dash would say that there is no scaler.
      if (counters.scale && *counters.scale == 0) return QStringLiteral("0");
      return counters.scale ? QString::fromStdString(report::scale_words(*counters.scale)) : none();
    case TrackerColumn:
      return counters.scale ? count(counters.growthTracker) : none();
    case RateColumn:
      return number(counters.lr);
    case LossColumn:
      return number(counters.loss);
    case DeviationColumn:
      return number(counters.deviation);
    default:
      return {};
  }
}

QString CountersModel::fullPrecision(const ArmData& arm, int column) const {
  const std::optional<double> value = measured(arm.counters(), column);
  if (value) return QString::fromStdString(to_text(*value));
  if (column != CauseColumn || arm.skips().empty()) return {};
  const Skip& last = arm.skips().back();
  return last.parameter.isEmpty() ? causeWords(last.cause)
                                  : tr("%1, first in %2").arg(causeWords(last.cause), last.parameter);
}

QVariant CountersModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>(Qt::AlignVCenter |
                            (section == ArmColumn || section == CauseColumn ? Qt::AlignLeft : Qt::AlignRight));
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
      return tr("Cause");
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
    default:
      return {};
  }
}

}  // namespace mantissa::ui::run
