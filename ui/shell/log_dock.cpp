// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/log_dock.h"

#include <spdlog/common.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/shell/log_model.h"

namespace mantissa::ui::shell {

class LogFilter : public QSortFilterProxyModel {
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

  void setLowest(int level) {
    m_lowest = level;
    invalidateFilter();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
    return sourceModel()->index(row, 0, parent).data(LogModel::LevelRole).toInt() >= m_lowest;
  }

 private:
  int m_lowest = spdlog::level::info;
};

LogDock::LogDock(LogModel* model, QWidget* parent)
    : QDockWidget(tr("Log"), parent), m_filter(new LogFilter(this)), m_view(new QTableView), m_level(new QComboBox) {
  setObjectName(QStringLiteral("log"));
  m_filter->setSourceModel(model);
  m_view->setModel(m_filter);
  m_view->setAccessibleName(tr("Log"));
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setShowGrid(false);
  m_view->setWordWrap(false);
  m_view->setTabKeyNavigation(false);                                // Tab leaves it
  m_view->setMinimumHeight(m_view->fontMetrics().height() * 2 + 8);  // a line below the header: pages need the height
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(m_view->fontMetrics().height() + 4);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_view->setColumnWidth(LogModel::TimeColumn,
                         m_view->fontMetrics().horizontalAdvance(QStringLiteral("00:00:00")) + 24);
  m_view->setColumnWidth(LogModel::LevelColumn,
                         m_view->fontMetrics().horizontalAdvance(QStringLiteral("warnings")) + 24);

  for (const int level : {spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err}) {
    m_level->addItem(tr("%1 and above").arg(logLevelText(level)), level);
  }
  m_level->setCurrentIndex(1);
  m_level->setAccessibleName(tr("Lowest level that is shown"));
  connect(m_level, &QComboBox::currentIndexChanged, this,
          [this](int index) { m_filter->setLowest(m_level->itemData(index).toInt()); });

  auto* const copyButton = new QToolButton;
  copyButton->setText(tr("Copy"));
  copyButton->setToolTip(tr("Copies the selected lines, or all that are shown"));
  connect(copyButton, &QToolButton::clicked, this, &LogDock::copy);
  auto* const shortcut = new QShortcut(QKeySequence::Copy, m_view);
  shortcut->setContext(Qt::WidgetWithChildrenShortcut);
  connect(shortcut, &QShortcut::activated, this, &LogDock::copy);

  auto* const head = new QHBoxLayout;
  head->setContentsMargins(8, 4, 8, 4);
  head->setSpacing(8);
  auto* const level = new QLabel(tr("Level:"));
  level->setTextFormat(Qt::PlainText);
  head->addWidget(level);
  head->addWidget(m_level);
  head->addStretch(1);
  head->addWidget(copyButton);
  auto* const body = new QWidget;
  auto* const layout = new QVBoxLayout(body);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(m_view, 1);
  setWidget(body);

  // The newest line stays in view, unless the person has scrolled up to read.
  connect(m_filter, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] {
    const QScrollBar* const bar = m_view->verticalScrollBar();
    setProperty("atEnd", bar->value() >= bar->maximum());
  });
  connect(
      m_filter, &QAbstractItemModel::rowsInserted, this,
      [this] {
        if (property("atEnd").toBool()) m_view->scrollToBottom();
      },
      Qt::QueuedConnection);
}

QString LogDock::text() const {
  QModelIndexList rows = m_view->selectionModel()->selectedRows();
  if (rows.isEmpty()) {
    for (int row = 0; row < m_filter->rowCount(); ++row) rows << m_filter->index(row, 0);
  }
  std::sort(rows.begin(), rows.end());
  QStringList lines;
  for (const QModelIndex& row : rows) {
    QStringList cells;
    for (int column = 0; column < m_filter->columnCount(); ++column) {
      cells << row.siblingAtColumn(column).data().toString();
    }
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n'));
}

void LogDock::copy() { QApplication::clipboard()->setText(text()); }

}  // namespace mantissa::ui::shell
