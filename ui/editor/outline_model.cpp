// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/outline_model.h"

#include <QApplication>
#include <QPalette>

#include <algorithm>

#include "ui/editor/key_fields.h"
#include "ui/editor/toml_text.h"
#include "ui/plain_tip.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {

OutlineModel::OutlineModel(QObject* parent) : QAbstractItemModel(parent) {}

QVector<OutlineModel::Page> OutlineModel::pagesOf(const TomlText& toml) {
  const auto page = [&](const QString& path, const QString& title) {
    return Page{path, title, path.isEmpty() || path == QLatin1String("*") || toml.has(path), {}};
  };
  // A list of tables; where there is none yet, `alone` is the page that makes the first.
  const auto items = [&](const QString& list, const QString& alone) {
    QVector<Page> pages;
    const int count = toml.count(list);
    if (count == 0 && !alone.isEmpty()) pages << page(alone, tableTitle(list));
    for (int i = 0; i < count; ++i) {
      const QString path = QStringLiteral("%1[%2]").arg(list).arg(i);
      const QString spelled = toml.value(path + QStringLiteral(".name"));
      const bool isText = spelled.startsWith(QLatin1Char('"')) || spelled.startsWith(QLatin1Char('\''));
      const QString name = isText ? wordOf(spelled) : QString();
      const QString numbered = count == 1 ? tableTitle(list) : QStringLiteral("%1 %2").arg(tableTitle(list)).arg(i);
      pages << page(path, name.isEmpty() ? numbered : name);
    }
    return pages;
  };
  QVector<Page> pages;
  for (const SectionSpec& spec : sectionSpecs()) {
    Page one = page(spec.table, spec.title);
    if (spec.table == QLatin1String("training")) {
      one.below = items(QStringLiteral("training.optimizer"), QStringLiteral("training.optimizer[0]"));
      one.below << page(QStringLiteral("training.schedule"), tableTitle(QStringLiteral("training.schedule")));
    } else if (spec.table == QLatin1String("trial")) {
      one.title = tr("Trials");
      one.below = items(spec.table, {});
    } else if (spec.table == QLatin1String("rules")) {
      for (const char* const rule : {"rules.output", "rules.quality"}) {
        one.below << items(QString::fromLatin1(rule), QString::fromLatin1(rule));
      }
    } else if (spec.table.contains(QLatin1Char('.'))) {
      continue;  // stands below its table
    }
    pages << one;
  }
  return pages;
}

bool OutlineModel::areSame(const QVector<Page>& left, const QVector<Page>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Page& a, const Page& b) { return a.path == b.path && areSame(a.below, b.below); });
}

void OutlineModel::showText(const TomlText& toml) {
  QVector<Page> pages = pagesOf(toml);
  if (!areSame(pages, m_pages)) {
    beginResetModel();
    m_pages = std::move(pages);
    endResetModel();
    return;
  }
  m_pages = std::move(pages);
  tellAll();
}

void OutlineModel::tellAll() {
  if (m_pages.isEmpty()) return;
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
  for (int row = 0; row < rowCount(); ++row) {
    const QModelIndex above = index(row, 0);
    if (rowCount(above) > 0) Q_EMIT dataChanged(index(0, 0, above), index(rowCount(above) - 1, 0, above));
  }
}

void OutlineModel::showProblems(const QHash<QString, QString>& problems) {
  if (problems == m_problems) return;
  m_problems = problems;
  tellAll();
}

QModelIndex OutlineModel::indexOf(const QString& path) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (m_pages[row].path == path) return index(row, 0);
    for (int below = 0; below < m_pages[row].below.size(); ++below) {
      if (m_pages[row].below[below].path == path) return index(below, 0, index(row, 0));
    }
  }
  return {};
}

QString OutlineModel::pageOf(const QString& path) const {
  QString table = path;
  while (!table.isEmpty()) {
    if (indexOf(table).isValid()) return table;
    table = parentPath(table);
  }
  // A key above all tables, or a table without a page.
  for (const FieldSpec& field : sectionSpec(QString()).fields) {
    if (field.key == path) return {};
  }
  return path.isEmpty() ? QString() : QStringLiteral("*");
}

QModelIndex OutlineModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column != 0 || row >= rowCount(parent)) return {};
  // Of a row below another one, the id is the place of that one, from 1.
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : 0);
}

QModelIndex OutlineModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int OutlineModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_pages.size());
  if (parent.internalId() != 0 || parent.row() >= m_pages.size()) return 0;
  return static_cast<int>(m_pages[parent.row()].below.size());
}

int OutlineModel::columnCount(const QModelIndex& /*parent*/) const { return 1; }

const OutlineModel::Page* OutlineModel::page(const QModelIndex& index) const {
  if (!index.isValid()) return nullptr;
  if (index.internalId() == 0) return index.row() < m_pages.size() ? &m_pages[index.row()] : nullptr;
  const auto above = static_cast<qsizetype>(index.internalId()) - 1;
  if (above >= m_pages.size() || index.row() >= m_pages[above].below.size()) return nullptr;
  return &m_pages[above].below[index.row()];
}

QVariant OutlineModel::data(const QModelIndex& index, int role) const {
  const Page* const one = page(index);
  if (one == nullptr) return {};
  const QString problem = m_problems.value(one->path);
  switch (role) {
    case Qt::DisplayRole:
      return problem.isEmpty() ? one->title : QStringLiteral("%1  ✕").arg(one->title);
    case Qt::AccessibleTextRole:
      return problem.isEmpty() ? one->title : tr("%1, has a problem").arg(one->title);
    case Qt::ToolTipRole:
      return plainTip(problem.isEmpty() ? sectionSpec(withoutPlaces(one->path)).help : problem);
    case Qt::ForegroundRole:
      if (!problem.isEmpty()) return shell::Theme::colors().bad;
      if (!one->isInText) return QApplication::palette().color(QPalette::PlaceholderText);
      return {};
    case PathRole:
      return one->path;
    case ProblemRole:
      return problem;
    default:
      return {};
  }
}

}  // namespace mantissa::ui::editor
