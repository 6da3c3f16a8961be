// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/archive_dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/models/trial_tree_model.h"
#include "ui/shell/marker_delegate.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kIndentation = 12;  // px: little, names need the width
constexpr double kStates = 0.42;  // of the width, at most: names come before states, which the tip says whole
constexpr int kLeastWidth = 180;  // px: a small window leaves names and states to be read

/// States are told apart by how they begin: "✓ acce…" is no "✕ reje…".
class StateDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->textElideMode = Qt::ElideRight;
  }
};

}  // namespace

ArchiveDock::ArchiveDock(QWidget* parent)
    : QDockWidget(tr("Archive"), parent),
      m_model(new models::TrialTreeModel(this)),
      m_filtered(new QSortFilterProxyModel(this)),
      m_filter(new QLineEdit),
      m_view(new QTreeView),
      m_empty(new QLabel(tr("Nothing has been run yet. Run an experiment (F5), and it stands here."))) {
  setObjectName(QStringLiteral("archive"));
  m_empty->setTextFormat(Qt::PlainText);
  m_filtered->setSourceModel(m_model);
  m_filtered->setRecursiveFilteringEnabled(true);
  m_filtered->setAutoAcceptChildRows(true);
  m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
  m_filtered->setFilterKeyColumn(models::TrialTreeModel::NameColumn);
  m_view->setModel(m_filtered);
  m_view->setAccessibleName(tr("Experiments and trials"));
  m_view->setTextElideMode(Qt::ElideMiddle);  // what tells long names apart stands at their ends
  m_view->setHeaderHidden(true);
  m_view->setUniformRowHeights(true);
  m_view->header()->setStretchLastSection(false);
  m_view->header()->setSectionResizeMode(models::TrialTreeModel::NameColumn, QHeaderView::Stretch);
  m_view->header()->setSectionResizeMode(models::TrialTreeModel::StateColumn, QHeaderView::Fixed);
  m_view->header()->setMinimumSectionSize(1);
  m_view->setIndentation(kIndentation);
  m_view->viewport()->installEventFilter(this);
  for (const auto news : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
    connect(m_filtered, news, this, &ArchiveDock::fitStatesSoon);
  }
  connect(m_filtered, &QAbstractItemModel::dataChanged, this, &ArchiveDock::fitStatesSoon);
  connect(m_view, &QTreeView::expanded, this, &ArchiveDock::fitStatesSoon);
  connect(m_view, &QTreeView::collapsed, this, &ArchiveDock::fitStatesSoon);
  connect(m_view, &QTreeView::expanded, this, &ArchiveDock::viewChanged);
  connect(m_view, &QTreeView::collapsed, this, &ArchiveDock::viewChanged);
  m_view->setItemDelegateForColumn(models::TrialTreeModel::NameColumn,
                                   new MarkerDelegate(models::TrialTreeModel::PlaceRole, m_view));
  m_view->setItemDelegateForColumn(models::TrialTreeModel::StateColumn, new StateDelegate(m_view));
  connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    m_awaited = 0;
    Q_EMIT trialSelected(selectedTrial());
    Q_EMIT viewChanged();
  });

  // Chosen, not only reached by the keyboard: a tree that has the focus for the first time turns no page.
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    const QModelIndexList rows = m_view->selectionModel()->selectedRows();
    if (rows.isEmpty() || rows.first().data(models::TrialTreeModel::TrialRole).toLongLong() != 0) return;
    Q_EMIT experimentSelected(rows.first().data(models::TrialTreeModel::ExperimentRole).toLongLong());
  });

  // Chosen once more: a page may show something else by now.
  for (const auto chosen : {&QTreeView::clicked, &QTreeView::activated}) {
    connect(m_view, chosen, this, [this](const QModelIndex& row) {
      const std::int64_t trial = row.siblingAtColumn(0).data(models::TrialTreeModel::TrialRole).toLongLong();
      if (trial != 0) {
        Q_EMIT trialSelected(trial);
      } else {
        Q_EMIT experimentSelected(row.siblingAtColumn(0).data(models::TrialTreeModel::ExperimentRole).toLongLong());
      }
    });
  }

  m_filter->setPlaceholderText(tr("Filter trials"));
  m_filter->setAccessibleName(tr("Filter the tree"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_filtered->setFilterFixedString(text);
    if (!text.isEmpty()) m_view->expandAll();
  });
  auto* const make = new QToolButton;
  make->setText(QStringLiteral("+"));
  make->setAccessibleName(tr("New experiment"));
  make->setToolTip(tr("New experiment from a template"));
  connect(make, &QToolButton::clicked, this, &ArchiveDock::newExperimentRequested);

  auto* const head = new QHBoxLayout;
  head->setSpacing(8);
  head->addWidget(m_filter, 1);
  head->addWidget(make);
  auto* const body = new QWidget;
  body->setMinimumWidth(kLeastWidth);
  auto* const layout = new QVBoxLayout(body);
  layout->setContentsMargins(8, 8, 0, 8);
  layout->setSpacing(8);
  layout->addLayout(head);
  m_empty->setWordWrap(true);
  m_empty->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  m_empty->setMargin(8);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_view->hide();
  layout->addWidget(m_view, 1);
  layout->addWidget(m_empty, 1);
  setWidget(body);
}

void ArchiveDock::setTrials(const models::TrialList& trials) {
  const std::int64_t selected = selectedTrial();
  const qint64 newestBefore = newestExperiment();
  m_model->setTrials(trials);
  m_view->setVisible(m_model->rowCount() > 0);
  m_empty->setVisible(m_model->rowCount() == 0);
  const std::int64_t awaited = m_awaited;
  if (selected != 0 && selectedTrial() != selected) selectTrial(selected);
  if (m_model->indexOfTrial(awaited).isValid()) {
    m_awaited = 0;
    selectTrial(awaited);
  }
  fitStates();
  // What has just begun is what a person wants to see, and at the start the newest experiment.
  if (newestExperiment() != newestBefore && m_model->rowCount() > 0) {
    const QModelIndex newest = m_filtered->mapFromSource(m_model->index(0, 0));
    m_view->expand(newest);
    if (!m_view->hasFocus()) m_view->scrollTo(newest);
  }
}

/// Once for all news that come together: a filter expands a thousand experiments one by one, and every fit looks at
/// them all.
void ArchiveDock::fitStatesSoon() {
  if (m_fitsSoon) return;
  m_fitsSoon = true;
  QMetaObject::invokeMethod(
      this,
      [this] {
        m_fitsSoon = false;
        fitStates();
      },
      Qt::QueuedConnection);
}

/// States stand whole where there is room for them, and take none from the names where there is not.
void ArchiveDock::fitStates() {
  const QAbstractItemView& view = *m_view;  // where its hint is public
  const int most = static_cast<int>(kStates * m_view->viewport()->width());
  const int wanted = view.sizeHintForColumn(models::TrialTreeModel::StateColumn);
  m_view->header()->resizeSection(models::TrialTreeModel::StateColumn, std::clamp(wanted, 1, std::max(1, most)));
}

bool ArchiveDock::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_view->viewport() && event->type() == QEvent::Resize) fitStates();
  return QDockWidget::eventFilter(watched, event);
}

qint64 ArchiveDock::newestExperiment() const {
  return m_model->index(0, 0).data(models::TrialTreeModel::ExperimentRole).toLongLong();
}

void ArchiveDock::selectTrial(std::int64_t id) {
  const QModelIndex source = m_model->indexOfTrial(id);
  if (!source.isValid()) m_awaited = id;
  const QModelIndex index = m_filtered->mapFromSource(source);
  if (!index.isValid()) return;
  m_view->setCurrentIndex(index);
  m_view->scrollTo(index);
}

void ArchiveDock::restore(const QVector<std::int64_t>& expanded, std::int64_t experiment, std::int64_t trial) {
  QModelIndex chosen = m_filtered->mapFromSource(m_model->indexOfTrial(trial));
  for (int row = 0; row < m_filtered->rowCount(); ++row) {
    const QModelIndex index = m_filtered->index(row, 0);
    const std::int64_t id = index.data(models::TrialTreeModel::ExperimentRole).toLongLong();
    m_view->setExpanded(index, expanded.contains(id));
    if (id == experiment && !chosen.isValid()) chosen = index;
  }
  if (!chosen.isValid()) return;
  m_view->setCurrentIndex(chosen);
  m_view->scrollTo(chosen);
}

std::optional<QVector<std::int64_t>> ArchiveDock::expanded() const {
  if (!m_filter->text().isEmpty()) return std::nullopt;
  QVector<std::int64_t> ids;
  for (int row = 0; row < m_filtered->rowCount(); ++row) {
    const QModelIndex index = m_filtered->index(row, 0);
    if (m_view->isExpanded(index)) ids << index.data(models::TrialTreeModel::ExperimentRole).toLongLong();
  }
  return ids;
}

std::int64_t ArchiveDock::selectedTrial() const {
  return m_view->currentIndex().siblingAtColumn(0).data(models::TrialTreeModel::TrialRole).toLongLong();
}

std::int64_t ArchiveDock::selectedExperiment() const {
  return m_view->currentIndex().siblingAtColumn(0).data(models::TrialTreeModel::ExperimentRole).toLongLong();
}

void ArchiveDock::setPaused(std::int64_t experiment) { m_model->setPaused(experiment); }

void ArchiveDock::addContextAction(QAction* action) {
  m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
  m_view->addAction(action);
}

void ArchiveDock::focusFilter() {
  show();
  raise();
  m_filter->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace mantissa::ui::shell
