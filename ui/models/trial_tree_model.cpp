// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/trial_tree_model.h"

#include <QDateTime>
#include <QHash>
#include <QLocale>

#include <algorithm>
#include <utility>

#include "ui/models/name_words.h"
#include "ui/models/record_words.h"
#include "ui/plain_tip.h"

namespace mantissa::ui::models {
namespace {

// The internal id of an arm is its experiment's id, which stays when rows move; of an experiment 0.
constexpr quintptr kExperiment = 0;

/// With the reasons of its verdict, in a line below.
QString toolTipOf(const record::TrialRow& arm, const QString& state) {
  QStringList lines = {QStringLiteral("%1, %2").arg(isolated(QString::fromStdString(arm.start.name)), state)};
  if (arm.end.verdict) {
    const QString reason = verdictReason(*arm.end.verdict);
    if (!reason.isEmpty()) lines << TrialTreeModel::tr("because: %1").arg(reason);
  }
  return lines.join(u'\n');
}

}  // namespace

TrialTreeModel::TrialTreeModel(QObject* parent) : QAbstractItemModel(parent) {}

std::vector<TrialTreeModel::Experiment> TrialTreeModel::grouped(const std::vector<record::TrialRow>& trials) {
  std::vector<Experiment> experiments;
  for (const record::TrialRow& trial : trials) {
    if (experiments.empty() || experiments.back().id != trial.experiment_id) {
      const auto found = std::find_if(experiments.begin(), experiments.end(),
                                      [&](const Experiment& one) { return one.id == trial.experiment_id; });
      if (found == experiments.end()) {
        experiments.push_back({trial.experiment_id, QString::fromStdString(trial.experiment), {}, false});
      } else {
        std::rotate(found, found + 1, experiments.end());
      }
    }
    Experiment& experiment = experiments.back();
    const bool isTrial = trial.start.kind == record::TrialKind::Trial || trial.start.kind == record::TrialKind::Foreign;
    int place = 0;
    if (isTrial) {
      for (const Arm& arm : experiment.arms) place = std::max(place, arm.place);
      ++place;
    }
    if (record::is_yardstick(trial.start.kind)) place = kYardstickPlace;
    experiment.arms.push_back({trial, place});
  }
  std::sort(experiments.begin(), experiments.end(),
            [](const Experiment& a, const Experiment& b) { return a.id > b.id; });
  return experiments;
}

void TrialTreeModel::setTrials(const TrialList& trials) {
  std::vector<Experiment> fresh = trials ? grouped(*trials) : std::vector<Experiment>();
  // Only new experiments appear, at the top, while the archive stays the same; anything else starts anew.
  const std::size_t added = fresh.size() >= m_experiments.size() ? fresh.size() - m_experiments.size() : 0;
  bool same = fresh.size() >= m_experiments.size();
  for (std::size_t i = 0; same && i < m_experiments.size(); ++i) {
    same = m_experiments[i].id == fresh[added + i].id && m_experiments[i].name == fresh[added + i].name &&
           m_experiments[i].arms.size() <= fresh[added + i].arms.size();
  }
  if (!same) {
    beginResetModel();
    m_experiments = std::move(fresh);
    endResetModel();
    tellEqualNamesApart();
    return;
  }
  if (added > 0) {
    beginInsertRows({}, 0, static_cast<int>(added) - 1);
    std::vector<Experiment> joined;
    for (std::size_t i = 0; i < added; ++i) joined.push_back(std::move(fresh[i]));
    for (Experiment& old : m_experiments) joined.push_back(std::move(old));
    m_experiments = std::move(joined);
    endInsertRows();
  }
  for (std::size_t i = added; i < m_experiments.size(); ++i) updateArms(static_cast<int>(i), std::move(fresh[i].arms));
  tellEqualNamesApart();
}

void TrialTreeModel::setPaused(std::int64_t experiment) {
  const std::int64_t before = std::exchange(m_paused, experiment);
  if (before == experiment) return;
  for (std::size_t i = 0; i < m_experiments.size(); ++i) {
    const Experiment& one = m_experiments[i];
    if (one.id != before && one.id != experiment) continue;
    const QModelIndex parent = index(static_cast<int>(i), 0);
    Q_EMIT dataChanged(index(0, 0, parent), index(static_cast<int>(one.arms.size()) - 1, kColumns - 1, parent));
  }
}

QString TrialTreeModel::stateOf(const record::TrialRow& arm) const {
  const bool isPaused = arm.experiment_id == m_paused && arm.end.status == record::Status::Running;
  return isPaused ? tr("paused") : stateWords(arm);
}

void TrialTreeModel::tellEqualNamesApart() {
  QHash<QString, int> uses;
  for (const Experiment& one : m_experiments) ++uses[one.name];
  for (std::size_t i = 0; i < m_experiments.size(); ++i) {
    Experiment& one = m_experiments[i];
    const bool isOneOfSeveral = uses.value(one.name) > 1;
    if (isOneOfSeveral == one.isOneOfSeveral) continue;
    one.isOneOfSeveral = isOneOfSeveral;
    const int row = static_cast<int>(i);
    Q_EMIT dataChanged(index(row, NameColumn), index(row, StateColumn));
  }
}

QString TrialTreeModel::Experiment::began() const {
  const QDateTime moment = startOf(arms.front().row);
  if (moment.date() != QDate::currentDate()) return QLocale().toString(moment.date(), QLocale::ShortFormat);
  // Without the seconds that the short format of some locales has.
  QString format = QLocale().timeFormat(QLocale::ShortFormat);
  format.remove(QStringLiteral(":ss"));
  return QLocale().toString(moment.time(), format);
}

QString TrialTreeModel::Experiment::title() const { return experimentTitle(name, id, isOneOfSeveral); }

void TrialTreeModel::updateArms(int row, std::vector<Arm> arms) {
  Experiment& experiment = m_experiments[static_cast<std::size_t>(row)];
  const QModelIndex parent = index(row, 0);
  const std::size_t before = experiment.arms.size();
  bool changed = false;
  for (std::size_t i = 0; i < before; ++i) {
    changed = changed || stateWords(experiment.arms[i].row) != stateWords(arms[i].row);
    experiment.arms[i] = std::move(arms[i]);
  }
  if (changed) Q_EMIT dataChanged(index(0, 0, parent), index(static_cast<int>(before) - 1, kColumns - 1, parent));
  if (arms.size() <= before) return;
  beginInsertRows(parent, static_cast<int>(before), static_cast<int>(arms.size()) - 1);
  for (std::size_t i = before; i < arms.size(); ++i) experiment.arms.push_back(std::move(arms[i]));
  endInsertRows();
  Q_EMIT dataChanged(index(row, 0), index(row, kColumns - 1));
}

std::size_t TrialTreeModel::rowOf(quintptr experiment) const {
  // Newest first: ids fall from row to row.
  const auto found =
      std::lower_bound(m_experiments.begin(), m_experiments.end(), experiment,
                       [](const Experiment& one, quintptr id) { return static_cast<quintptr>(one.id) > id; });
  return static_cast<std::size_t>(found - m_experiments.begin());
}

QModelIndex TrialTreeModel::indexOfTrial(std::int64_t id) const {
  for (std::size_t e = 0; e < m_experiments.size(); ++e) {
    const std::vector<Arm>& arms = m_experiments[e].arms;
    for (std::size_t a = 0; a < arms.size(); ++a) {
      if (arms[a].row.id == id) return createIndex(static_cast<int>(a), 0, static_cast<quintptr>(m_experiments[e].id));
    }
  }
  return {};
}

const record::TrialRow* TrialTreeModel::trial(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kExperiment) return nullptr;
  return &m_experiments[rowOf(index.internalId())].arms[static_cast<std::size_t>(index.row())].row;
}

QModelIndex TrialTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(
      row, column,
      parent.isValid() ? static_cast<quintptr>(m_experiments[static_cast<std::size_t>(parent.row())].id) : kExperiment);
}

QModelIndex TrialTreeModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == kExperiment) return {};
  return createIndex(static_cast<int>(rowOf(child.internalId())), 0, kExperiment);
}

int TrialTreeModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_experiments.size());
  if (parent.column() != 0 || parent.internalId() != kExperiment) return 0;
  return static_cast<int>(m_experiments[static_cast<std::size_t>(parent.row())].arms.size());
}

int TrialTreeModel::columnCount(const QModelIndex& /*parent*/) const { return kColumns; }

QVariant TrialTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() == kExperiment) {
    const Experiment& experiment = m_experiments[static_cast<std::size_t>(index.row())];
    switch (role) {
      case Qt::DisplayRole:
        return index.column() == NameColumn ? QVariant(experiment.title())
               : experiment.isOneOfSeveral  ? QVariant(experiment.began())
                                            : QVariant(static_cast<int>(experiment.arms.size()));
      case Qt::ToolTipRole:
        return plainTip(tr("%1, experiment %2 of the archive, begun %3")
                            .arg(isolated(experiment.name), QString::number(experiment.id),
                                 QLocale().toString(startOf(experiment.arms.front().row), QLocale::ShortFormat)));
      case Qt::TextAlignmentRole:
        return index.column() == StateColumn ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
      case TrialRole:
        return qint64{0};
      case ExperimentRole:
        return static_cast<qint64>(experiment.id);
      case PlaceRole:
        return -1;
      default:
        return {};
    }
  }
  const Arm& arm = m_experiments[rowOf(index.internalId())].arms[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return index.column() == NameColumn ? QString::fromStdString(arm.row.start.name) : stateOf(arm.row);
    case Qt::ToolTipRole:
      return plainTip(toolTipOf(arm.row, stateOf(arm.row)));
    case Qt::TextAlignmentRole:
      return index.column() == StateColumn ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
    case TrialRole:
      return static_cast<qint64>(arm.row.id);
    case ExperimentRole:
      return static_cast<qint64>(arm.row.experiment_id);
    case PlaceRole:
      return arm.place;
    default:
      return {};
  }
}

QVariant TrialTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == NameColumn ? tr("Experiment") : tr("State");
}

}  // namespace mantissa::ui::models
