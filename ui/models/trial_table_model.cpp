// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/trial_table_model.h"

#include <QHash>
#include <QLocale>

#include <limits>
#include <utility>

#include "core/report/plain_words.h"
#include "ui/measured_text.h"
#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/plain_tip.h"

namespace mantissa::ui::models {
namespace {

QString text(const std::string& words) { return QString::fromStdString(words); }

bool isNumber(int column) {
  switch (column) {
    case TrialTableModel::StepsColumn:
    case TrialTableModel::AppliedColumn:
    case TrialTableModel::SkippedColumn:
    case TrialTableModel::LossColumn:
    case TrialTableModel::QualityColumn:
    case TrialTableModel::FlipsColumn:
    case TrialTableModel::DurationColumn:
      return true;
    default:
      return false;
  }
}

/// What was not measured and what is no number sort after every number.
double sortable(std::optional<double> value) {
  if (!value) return std::numeric_limits<double>::infinity();
  return *value == *value ? *value : std::numeric_limits<double>::max();
}

}  // namespace

TrialTableModel::TrialTableModel(QObject* parent)
    : QAbstractTableModel(parent), m_trials(std::make_shared<std::vector<record::TrialRow>>()) {}

void TrialTableModel::findSharedNames() {
  QHash<QString, std::int64_t> known;
  m_shared.clear();
  for (const record::TrialRow& arm : *m_trials) {
    const QString name = text(arm.experiment);
    const auto found = known.constFind(name);
    if (found != known.constEnd() && *found != arm.experiment_id) m_shared.insert(name);
    known.insert(name, arm.experiment_id);
  }
}

void TrialTableModel::setTrials(const TrialList& trials) {
  const auto idsEqual = [&] {
    if (trials->size() != m_trials->size()) return false;
    for (std::size_t i = 0; i < trials->size(); ++i) {
      if ((*trials)[i].id != (*m_trials)[i].id) return false;
    }
    return true;
  };
  if (trials && idsEqual()) {
    const TrialList before = std::exchange(m_trials, trials);
    if (!standAlike(before, trials)) {
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
      return;
    }
    // Every second while something runs: the rows of what runs, not those of a thousand others.
    for (int row = 0; row < rowCount(); ++row) {
      if (trial(row).end.status == record::Status::Running) Q_EMIT dataChanged(index(row, 0), index(row, kColumns - 1));
    }
    return;
  }
  beginResetModel();
  m_trials = trials ? trials : std::make_shared<std::vector<record::TrialRow>>();
  findSharedNames();
  endResetModel();
}

const record::TrialRow& TrialTableModel::trial(int row) const {
  return (*m_trials)[m_trials->size() - 1 - static_cast<std::size_t>(row)];
}

int TrialTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_trials->size());
}

int TrialTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant TrialTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const record::TrialRow& arm = trial(index.row());
  if (role == TrialRole) return static_cast<qint64>(arm.id);
  if (role == PlaceRole) return placeOf(arm, *m_trials);
  if (role == Qt::TextAlignmentRole) {
    return int((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role == Qt::ToolTipRole) {  // a long one has dots in its column
    if (index.column() == ExperimentColumn) return plainTip(text(arm.experiment));
    if (index.column() == TrialColumn) return plainTip(text(arm.start.name));
    return {};
  }
  const bool sort = role == SortRole;
  if (role != Qt::DisplayRole && !sort) return {};
  const record::Counts& counts = arm.end.counts;
  const auto count = [&](std::int64_t value) {
    return sort ? QVariant(static_cast<qint64>(value)) : QVariant(figure(report::count_words(value)));
  };
  const bool runs = arm.end.status == record::Status::Running;
  const auto number = [&](const std::optional<double>& value) {
    if (sort) return QVariant(sortable(value));
    return QVariant(value ? measuredText(*value) : QStringLiteral("–"));
  };
  switch (index.column()) {
    case ExperimentColumn: {
      // As the tree tells runs of one name apart.
      const QString name = text(arm.experiment);
      if (sort) return QStringLiteral("%1 %2").arg(name).arg(arm.experiment_id, 20);
      return m_shared.contains(name)
                 ? QStringLiteral("%1 · #%2").arg(isolated(name), QString::number(arm.experiment_id))
                 : name;
    }
    case TrialColumn:
      return text(arm.start.name);
    case KindColumn:
      return kindText(arm.start.kind);
    case StateColumn:
      return stateWords(arm);
    case AutocastColumn:
      return text(arm.start.autocast);
    case DeviceColumn:
      return text(arm.start.device);
    case StepsColumn:
      return count(counts.attempted);
    case AppliedColumn:
      return count(counts.applied);
    case SkippedColumn:
      return count(counts.skipped);
    case LossColumn:
      return number(arm.end.final_loss);
    case QualityColumn:
      if (sort || !arm.end.quality) return number(arm.end.quality);
      return QStringLiteral("%1 %2").arg(text(arm.end.quality_metric), measuredText(*arm.end.quality));
    case FlipsColumn:
      if (!arm.end.flips) return number(std::nullopt);
      return count(*arm.end.flips);
    case DurationColumn:
      if (runs) return number(std::nullopt);  // known when it has ended
      return sort ? QVariant(arm.end.seconds) : QVariant(figure(report::duration_words(arm.end.seconds)));
    case StartedColumn:
      return sort ? QVariant(text(arm.started_at)) : QVariant(QLocale().toString(startOf(arm), QLocale::ShortFormat));
    default:
      return {};
  }
}

QVariant TrialTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return int((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case ExperimentColumn:
      return tr("Experiment");
    case TrialColumn:
      return tr("Trial");
    case KindColumn:
      return tr("Kind");
    case StateColumn:
      return tr("State");
    case AutocastColumn:
      return tr("Autocast");
    case DeviceColumn:
      return tr("Device");
    case StepsColumn:
      return tr("Attempted");
    case AppliedColumn:
      return tr("Applied");
    case SkippedColumn:
      return tr("Skipped");
    case LossColumn:
      return tr("Loss");
    case QualityColumn:
      return tr("Quality");
    case FlipsColumn:
      return tr("Flips");
    case DurationColumn:
      return tr("Duration");
    case StartedColumn:
      return tr("Started");
    default:
      return {};
  }
}

}  // namespace mantissa::ui::models
