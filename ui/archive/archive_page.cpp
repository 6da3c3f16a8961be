// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/archive/archive_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/archive/trial_search.h"
#include "ui/models/name_words.h"
#include "ui/models/trial_table_model.h"
#include "ui/shell/action_list.h"
#include "ui/shell/empty_state.h"
#include "ui/shell/marker_delegate.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::archive {

namespace {

constexpr int kColumnRoom = 10;     // px between the end of a number and the next column
constexpr int kWidestColumn = 260;  // px: a long name moves no other column out of the window
constexpr int kSortArrow = 18;      // px that the header of the sorted column needs besides its words
constexpr int kChoosing = 150;      // ms
constexpr int kHeaderRoom = 12;     // px around the words of a header

}  // namespace

ArchivePage::ArchivePage(QWidget* parent)
    : shell::Page(parent),
      m_model(new models::TrialTableModel(this)),
      m_sorted(new TrialSearch(this)),
      m_view(new QTableView),
      m_filter(new QLineEdit),
      m_count(new QLabel),
      m_problem(new QLabel),
      m_empty(new shell::EmptyState(
          tr("The archive is empty"),
          tr("Here stands every trial that was ever run: what it was, how it ended, what it came to. "
             "Run an experiment, and its reference and trials appear."))),
      m_stack(new QStackedLayout(this)) {
  m_count->setTextFormat(Qt::PlainText);
  m_sorted->setSourceModel(m_model);
  m_sorted->setSortRole(models::TrialTableModel::SortRole);
  m_view->setModel(m_sorted);
  m_view->setAccessibleName(tr("All trials of the archive"));
  m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_view->setAlternatingRowColors(true);
  m_view->setShowGrid(false);
  m_view->setWordWrap(false);
  m_view->setTabKeyNavigation(false);
  m_view->verticalHeader()->hide();
  m_view->verticalHeader()->setDefaultSectionSize(m_view->fontMetrics().height() + 8);
  m_view->setTextElideMode(Qt::ElideMiddle);  // names are told apart by their ends, too
  m_view->horizontalHeader()->setSectionsMovable(true);
  m_view->horizontalHeader()->setHighlightSections(false);
  m_view->setItemDelegateForColumn(models::TrialTableModel::TrialColumn,
                                   new shell::MarkerDelegate(models::TrialTableModel::PlaceRole, m_view));
  m_view->setSortingEnabled(true);
  connect(m_view->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &ArchivePage::fitColumns);
  connect(m_view->horizontalHeader(), &QHeaderView::sectionResized, this,
          [this] { m_isArranged = m_isArranged || !m_fits; });
  connect(m_view->horizontalHeader(), &QHeaderView::sectionMoved, this, [this] { m_isArranged = true; });
  m_view->sortByColumn(models::TrialTableModel::StartedColumn, Qt::DescendingOrder);
  connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT trialChosen(index.data(models::TrialTableModel::TrialRole).toLongLong());
  });
  // What a person goes to here is what F7 and the other pages are about. Not at every row that the keyboard passes.
  m_choosing.setSingleShot(true);
  m_choosing.setInterval(kChoosing);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    if (m_view->hasFocus()) m_choosing.start();
  });
  connect(&m_choosing, &QTimer::timeout, this, &ArchivePage::tellChosen);
  auto* const copying = new QShortcut(QKeySequence::Copy, m_view);
  copying->setContext(Qt::WidgetWithChildrenShortcut);
  connect(copying, &QShortcut::activated, this, &ArchivePage::copy);

  m_filter->setPlaceholderText(tr("Filter trials: words, or skipped > 0"));
  m_filter->setToolTip(
      tr("Words that stand in any column, or an expression over columns and settings, such as\n"
         "trial.autocast == \"float16\" and skipped > 0"));
  m_filter->setAccessibleName(tr("Filter trials"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setMinimumWidth(200);
  m_filter->setMaximumWidth(560);
  connect(m_filter, &QLineEdit::textChanged, m_sorted, &TrialSearch::setText);
  connect(m_sorted, &TrialSearch::searched, this, &ArchivePage::tellCount);
  m_problem->setTextFormat(Qt::PlainText);
  m_problem->setWordWrap(true);
  m_problem->setObjectName(QStringLiteral("archive_filter_problem"));
  m_problem->hide();

  auto* const head = new QHBoxLayout;
  head->addWidget(m_filter, 2);
  head->addStretch(1);
  head->addWidget(m_count);
  auto* const body = new QWidget;
  auto* const layout = new QVBoxLayout(body);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addLayout(head);
  layout->addWidget(m_problem);
  layout->addWidget(m_view, 1);
  m_stack->addWidget(body);
  m_stack->addWidget(m_empty);
  m_stack->setCurrentWidget(m_empty);
}

shell::HelpTopic ArchivePage::help() const {
  return {id(),
          title(),
          tr("All trials of the archive in one table: what each was, how it ended, what it came to."),
          {{tr("Filter"), tr("Shows the rows that hold these words in any column. A text that compares something is an "
                             "expression over columns and settings: trial.autocast == \"float16\" and skipped > 0. A "
                             "number that is NaN or missing fits no comparison; quality is non_finite and quality is "
                             "missing find it. mantissa-cli help list names the columns.")},
           {tr("Header of a column"), tr("A click sorts by it; drag it to another place.")},
           {tr("Return, double click"), tr("Shows the trial on the Run page.")},
           {tr("Ctrl+C"), tr("Copies the selected rows as tab-separated values.")},
           {tr("Tree on the left"),
            tr("The same trials, each under its experiment; its menu begins a new experiment from an archived one.")}},
          {QStringLiteral("open_archive"), QStringLiteral("reload"), QStringLiteral("filter_tree"),
           QStringLiteral("run_resume"), QStringLiteral("run_again")}};
}

void ArchivePage::setArchive(const QString& path, const models::TrialList& trials) {
  const bool isAlike = models::standAlike(m_trials, trials);
  m_trials = trials;
  m_model->setTrials(trials);
  m_sorted->setTrials(path, trials);
  if (isAlike) return;  // counts of arms that run: columns keep their width
  m_stack->setCurrentIndex(m_model->rowCount() == 0 ? 1 : 0);
  fitColumns();
  tellCount();
}

/// Columns keep the width that a person gave them; before, they fit what they show. Qt's own fitting would keep room
/// for the arrow of sorting in every header, so that the last columns leave the window.
void ArchivePage::fitColumns() {
  if (m_isArranged || m_model->rowCount() == 0) return;
  const QHeaderView& header = *m_view->horizontalHeader();
  const QFontMetrics words(header.font());
  m_fits = true;
  for (int column = 0; column < m_model->columnCount(); ++column) {
    const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const int arrow = column == header.sortIndicatorSection() ? kSortArrow : 0;
    const QAbstractItemView& view = *m_view;  // where its hint is public
    const int least = words.horizontalAdvance(title) + kHeaderRoom + arrow;
    m_view->setColumnWidth(column,
                           std::max(least, std::min(kWidestColumn, view.sizeHintForColumn(column) + kColumnRoom)));
  }
  m_fits = false;
}

void ArchivePage::selectTrial(std::int64_t id) {
  for (int row = 0; row < m_sorted->rowCount(); ++row) {
    if (m_sorted->index(row, 0).data(models::TrialTableModel::TrialRole).toLongLong() != id) continue;
    m_view->selectRow(row);
    return;
  }
  m_view->clearSelection();
}

bool ArchivePage::isSettled() const { return m_sorted->isSettled(); }

void ArchivePage::tellCount() {
  m_problem->setText(m_sorted->problem());
  m_problem->setVisible(!m_sorted->problem().isEmpty());
  QPalette colors = m_problem->palette();
  colors.setColor(QPalette::WindowText, shell::Theme::colors().bad);
  m_problem->setPalette(colors);
  const int shown = m_sorted->rowCount();
  const int all = m_model->rowCount();
  const QString trials = all == 1 ? tr("1 trial") : tr("%1 trials").arg(all);
  m_count->setText(shown == all ? trials : tr("%1 of %2").arg(shown).arg(trials));
}

void ArchivePage::copy() const {
  QStringList lines;
  QStringList header;
  const QHeaderView* const columns = m_view->horizontalHeader();
  QVector<int> shown;
  for (int visual = 0; visual < columns->count(); ++visual) {
    const int column = columns->logicalIndex(visual);
    if (!columns->isSectionHidden(column)) shown << column;
  }
  for (const int column : shown) header << m_sorted->headerData(column, Qt::Horizontal).toString();
  lines << header.join(QLatin1Char('\t'));
  for (const QModelIndex& row : m_view->selectionModel()->selectedRows()) {
    QStringList cells;
    for (const int column : shown) cells << models::withoutIsolates(row.siblingAtColumn(column).data().toString());
    lines << cells.join(QLatin1Char('\t'));
  }
  QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

/// The actions are about what is selected in the tree: it is told before the menu opens.
void ArchivePage::addContextAction(QAction* action) {
  m_view->addAction(action);
  if (m_view->contextMenuPolicy() == Qt::CustomContextMenu) return;
  m_view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_view, &QWidget::customContextMenuRequested, this, [this](const QPoint& place) {
    m_choosing.stop();
    tellChosen();
    auto* const menu = new QMenu(m_view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addActions(m_view->actions());
    menu->popup(m_view->viewport()->mapToGlobal(place));
  });
}

void ArchivePage::tellChosen() {
  const qint64 id = m_view->currentIndex().data(models::TrialTableModel::TrialRole).toLongLong();
  if (id != 0) Q_EMIT trialShown(id);
}

void ArchivePage::useActions(shell::ActionList& actions) { m_empty->addAction(actions.find(QStringLiteral("open"))); }

QByteArray ArchivePage::saveLayout() const {
  return m_isArranged ? m_view->horizontalHeader()->saveState() : QByteArray();
}

void ArchivePage::restoreLayout(const QByteArray& layout) {
  m_isArranged = !layout.isEmpty() && m_view->horizontalHeader()->restoreState(layout);
  fitColumns();
}

}  // namespace mantissa::ui::archive
