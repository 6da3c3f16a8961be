// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/archive/trial_search.h"

#include <QRegularExpression>

#include <exception>
#include <memory>
#include <utility>

#include "core/archive/reader.h"
#include "core/base/error.h"
#include "core/compare/trial_filter.h"
#include "ui/models/error_words.h"
#include "ui/models/trial_table_model.h"

namespace mantissa::ui::archive {

TrialSearch::TrialSearch(QObject* parent) : QSortFilterProxyModel(parent), m_work(QStringLiteral("search of trials")) {
  setFilterKeyColumn(-1);
  setFilterCaseSensitivity(Qt::CaseInsensitive);
}

bool TrialSearch::isExpression(const QString& text) {
  static const QRegularExpression compares(QStringLiteral("[=<>]|\\bis\\s+(missing|non_finite)\\b"));
  return compares.match(text).hasMatch();
}

void TrialSearch::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  search();
}

void TrialSearch::setTrials(const QString& archive, const models::TrialList& trials) {
  m_archive = archive;
  m_trials = trials;
  if (isExpression(m_text)) search();
}

void TrialSearch::search() {
  if (!isExpression(m_text)) {
    m_work.drop();
    m_ids.reset();
    m_problem.clear();
    setFilterFixedString(m_text);
    Q_EMIT searched();
    return;
  }
  m_work.start([this, text = m_text.toStdString(), archive = m_archive.toStdString(),
                trials = m_trials](const std::function<bool()>& isWanted) -> models::BackgroundWork::Answer {
    Found found;
    try {
      std::unique_ptr<mantissa::archive::Reader> reader;
      const compare::TrialFilter filter(text, [&reader, &archive](std::int64_t experiment) {
        if (!reader) reader = std::make_unique<mantissa::archive::Reader>(archive);
        return reader->experiment(experiment).resolved;
      });
      found.ids.emplace();
      for (const record::TrialRow& trial : trials ? *trials : std::vector<record::TrialRow>()) {
        if (!isWanted()) break;
        if (filter.fits(trial)) found.ids->insert(trial.id);
      }
    } catch (const Error& error) {
      found = {{}, models::errorText(error)};
    } catch (const std::exception& error) {
      found = {{}, QString::fromUtf8(error.what())};
    }
    return [this, found = std::move(found)] { take(found); };
  });
}

void TrialSearch::take(const Found& found) {
  m_problem = found.problem;
  if (found.ids && found.ids != m_ids) {
    m_ids = found.ids;
    setFilterFixedString(QString());
    invalidateFilter();
  }
  Q_EMIT searched();
}

bool TrialSearch::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (!m_ids) return QSortFilterProxyModel::filterAcceptsRow(row, parent);
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  return m_ids->contains(index.data(models::TrialTableModel::TrialRole).toLongLong());
}

}  // namespace mantissa::ui::archive
