// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_export.h"
#include "ui/plot/plot_header.h"
#include "ui/plot/plot_table.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kPictureScale = 2;  // of exported PNG files, for print

/// Whether nothing that was drawn is drawn again: ranges that were kept so that nothing jumps mean nothing any more.
bool otherData(const std::vector<PlotSeries>& now, const std::vector<PlotSeries>& before) {
  return std::none_of(now.begin(), now.end(), [&before](const PlotSeries& series) {
    return std::any_of(before.begin(), before.end(),
                       [&series](const PlotSeries& old) { return old.data == series.data && !series.data->empty(); });
  });
}

}  // namespace

PlotView::PlotView(const QString& id, QWidget* parent) : ChartWidget(parent) {
  m_state.id = id;
  m_state.colors = plotColors(isDark(palette()));
  setObjectName(id);
  m_header = new PlotHeader(m_state, this);
  m_pages = new QStackedWidget(this);
  m_canvas = new PlotCanvas(m_state);
  m_table = new PlotTable(m_state);
  m_pages->addWidget(m_canvas);
  m_pages->addWidget(m_table);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 3, 2, 4);
  layout->setSpacing(1);
  layout->addWidget(m_header);
  layout->addWidget(m_pages, 1);
  setFocusProxy(m_canvas);
  buildMenu();

  connect(m_header, &PlotHeader::seriesToggled, this, &PlotView::setSeriesVisible);
  connect(m_header, &PlotHeader::differenceToggled, this, &PlotView::setDifference);
  connect(m_canvas, &PlotCanvas::markActivated, this, &PlotView::markActivated);
  connect(m_canvas, &PlotCanvas::nonFiniteActivated, this, &PlotView::nonFiniteActivated);
  connect(m_canvas, &PlotCanvas::redrawNeeded, this, &PlotView::redrawNeeded);
  setNavigation(nullptr);
  setPlotCursor(nullptr);
  contentChanged(true);
}

PlotView::~PlotView() {
  // What is shared forgets this plot; what is its own goes with it.
  if (m_state.navigation) m_state.navigation->reportExtent(this, std::nullopt);
  delete m_pages;  // they read the state, which goes before a widget's children do
  delete m_header;
}

void PlotView::buildMenu() {
  auto* menu = m_header->menu();
  m_tableAction = menu->addAction(tr("Table"));
  m_tableAction->setCheckable(true);
  m_tableAction->setShortcut(Qt::CTRL | Qt::Key_T);
  m_tableAction->setShortcutContext(Qt::WidgetShortcut);  // to be read: keyPressEvent and the window look at the key
  connect(m_tableAction, &QAction::toggled, this, &PlotView::setTableShown);
  auto* copy = menu->addAction(tr("Copy"));
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(copy);
  copy->setToolTip(tr("The picture, or what is selected in the table"));
  connect(copy, &QAction::triggered, this, &PlotView::copyToClipboard);
  menu->addSeparator();
  auto* const png = menu->addAction(tr("Save as PNG\u2026"));
  auto* const svg = menu->addAction(tr("Save as SVG\u2026"));
  auto* const csv = menu->addAction(tr("Save as CSV, every value\u2026"));
  connect(png, &QAction::triggered, this, [this] { askAndExport(QStringLiteral("png"), tr("PNG picture (*.png)")); });
  connect(svg, &QAction::triggered, this, [this] { askAndExport(QStringLiteral("svg"), tr("SVG drawing (*.svg)")); });
  connect(csv, &QAction::triggered, this, [this] { askAndExport(QStringLiteral("csv"), tr("Values (*.csv)")); });
  menu->addSeparator();
  m_logAction = menu->addAction(tr("Logarithmic"));
  m_logAction->setCheckable(true);
  connect(m_logAction, &QAction::toggled, this, [this](bool logarithmic) {
    if (m_state.content.scale != YScale::Log2) setScale(logarithmic ? YScale::Log10 : YScale::Linear);
  });
  m_differenceAction = menu->addAction(tr("Difference to the reference"));
  m_differenceAction->setCheckable(true);
  connect(m_differenceAction, &QAction::toggled, this, &PlotView::setDifference);
  m_deeds = {m_tableAction, copy, png, svg, csv, m_logAction, m_differenceAction};
  menu->addSeparator();
  // Actions of the navigation may be replaced with it: these ask for the one in force.
  auto* back = menu->addAction(tr("Zoom back"));
  auto* forward = menu->addAction(tr("Zoom forward"));
  auto* all = menu->addAction(tr("Show all data"));
  connect(back, &QAction::triggered, this, [this] { m_state.navigation->back(); });
  connect(forward, &QAction::triggered, this, [this] { m_state.navigation->forward(); });
  connect(all, &QAction::triggered, this, [this] { m_state.navigation->reset(); });
  connect(menu, &QMenu::aboutToShow, this, [this, back, forward, all] {
    back->setEnabled(m_state.navigation->canGoBack());
    forward->setEnabled(m_state.navigation->canGoForward());
    all->setEnabled(m_state.navigation->resetAction()->isEnabled());
  });
}

QString PlotView::whyNot(Deed deed) const {
  const QString& title = m_state.content.title;
  if (deed == Deed::Difference && !m_differenceAction->isVisible()) {
    return tr("%1: there is no reference beside a trial to take the difference to.").arg(title);
  }
  if (deed != Deed::Logarithmic) return {};
  if (!m_logAction->isVisible()) return tr("%1 always stands as powers of two.").arg(title);
  return m_logAction->isEnabled() ? QString() : tr("%1: differences have a sign, their axis is linear.").arg(title);
}

void PlotView::openMenu() { m_header->openMenu(); }

void PlotView::keyPressEvent(QKeyEvent* event) {
  if (event->keyCombination() != (Qt::CTRL | Qt::Key_T)) return ChartWidget::keyPressEvent(event);
  m_tableAction->toggle();
}

/// A table is read from where the lines are looked at.
void PlotView::showZoomInTable() {
  const PlotNavigation& navigation = *m_state.navigation;
  const std::optional<double> low =
      isTableShown() && navigation.isZoomed() ? std::optional(navigation.xRange().low) : std::nullopt;
  if (low == m_tableZoom) return;
  m_tableZoom = low;
  const std::optional<double> first = low ? m_table->showFrom(*low) : std::nullopt;
  m_header->setTablePlace(
      first ? tr("scrolled to the zoom, %1 %2").arg(m_state.content.xName, placeText(m_state.content, *first))
            : QString());
}

void PlotView::setContent(PlotContent content) {
  const bool otherLayout = content.scale != m_state.content.scale || content.xKind != m_state.content.xKind ||
                           content.xName != m_state.content.xName || content.title != m_state.content.title ||
                           otherData(content.series, m_state.content.series);
  m_state.content = std::move(content);
  contentChanged(otherLayout);
}

void PlotView::contentChanged(bool otherLayout) {
  const auto& content = m_state.content;
  m_state.sources.setContent(content);
  m_state.sources.update();
  m_state.navigation->reportExtent(this,
                                   m_state.sources.xExtent());  // pictures are made of plots that were never shown
  if (otherLayout) m_canvas->forgetLayout();
  const QString unit = unitText(content);
  const auto name = unit.isEmpty() ? content.title : tr("%1, %2").arg(content.title, unit);
  setAccessibleName(name);
  m_canvas->setAccessibleName(tr("Plot of %1").arg(name));
  const QString tableUnit = tableUnitText(content);
  m_table->setAccessibleName(
      tr("Table of %1").arg(tableUnit.isEmpty() ? content.title : tr("%1, %2").arg(content.title, tableUnit)));
  const bool hasReference = std::any_of(content.series.begin(), content.series.end(),
                                        [](const PlotSeries& series) { return series.isReference; });
  m_differenceAction->setVisible(hasReference && content.series.size() > 1);
  const QSignalBlocker quietDifference(m_differenceAction);
  m_differenceAction->setChecked(content.difference);
  const QSignalBlocker quietLog(m_logAction);
  m_logAction->setChecked(content.scale == YScale::Log10);
  m_logAction->setVisible(content.scale != YScale::Log2);
  m_logAction->setEnabled(!content.difference);
  m_header->rebuild();
  offerDifference();
  if (isTableShown()) m_table->plotModel().rebuild();
  stale();
}

void PlotView::setMarks(std::vector<PlotMark> marks) {
  m_state.content.marks = std::move(marks);
  stale();
}

void PlotView::addMarks(const std::vector<PlotMark>& marks) {
  if (marks.empty()) return;
  const auto isBefore = [](const PlotMark& left, const PlotMark& right) { return left.x < right.x; };
  auto& all = m_state.content.marks;
  const auto known = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), marks.begin(), marks.end());
  // Few stand behind the first new one: those of an arm that is ahead.
  const auto from = std::upper_bound(all.begin(), all.begin() + known, marks.front(), isBefore);
  std::inplace_merge(from, all.begin() + known, all.end(), isBefore);
  stale();
}

void PlotView::setLines(std::vector<PlotLimit> limits, std::vector<PlotBand> bands, double unit) {
  PlotContent& content = m_state.content;
  if (content.limits == limits && content.bands == bands && content.valueUnit == unit) return;
  content.limits = std::move(limits);
  content.bands = std::move(bands);
  const bool otherUnit = content.valueUnit != unit;
  content.valueUnit = unit;
  if (otherUnit && isTableShown()) m_table->plotModel().rebuild();
  stale();
}

void PlotView::setEmptyText(const QString& text) {
  if (m_state.content.emptyText == text) return;
  m_state.content.emptyText = text;
  stale();
}

void PlotView::setSmoothing(const Smoothing& smoothing) {
  if (m_state.content.smoothing == smoothing) return;
  m_state.content.smoothing = smoothing;
  contentChanged(false);
}

void PlotView::setDifference(bool difference) {
  if (m_state.content.difference == difference) return;
  m_state.content.difference = difference;
  contentChanged(true);
}

void PlotView::setScale(YScale scale) {
  if (m_state.content.scale == scale) return;
  m_state.content.scale = scale;
  contentChanged(true);
}

void PlotView::setLive(bool live) {
  if (m_state.content.live == live) return;
  m_state.content.live = live;
  stale();
}

void PlotView::setNavigation(PlotNavigation* navigation) {
  auto* next = navigation != nullptr ? navigation : &m_ownNavigation;
  if (next == m_state.navigation) return;
  if (m_state.navigation) {
    m_state.navigation->disconnect(this);
    m_state.navigation->reportExtent(this, std::nullopt);
  }
  m_state.navigation = next;
  connect(next, &PlotNavigation::rangesChanged, this, &PlotView::stale);
  connect(next, &PlotNavigation::rangesChanged, this, &PlotView::showZoomInTable);
  // A page that goes first takes its navigation with it.
  if (next != &m_ownNavigation)
    connect(next, &QObject::destroyed, this, [this] { m_state.navigation.clear(), setNavigation(nullptr); });
  next->reportExtent(this, m_state.sources.xExtent());
  stale();
}

void PlotView::setPlotCursor(PlotCursor* cursor) {
  auto* next = cursor != nullptr ? cursor : &m_ownCursor;
  if (next == m_state.cursor) return;
  if (m_state.cursor) m_state.cursor->disconnect(this);
  m_state.cursor = next;
  const auto moved = [this] {
    m_valuesStale = true;
    m_canvas->markOverlayStale();
    Q_EMIT redrawNeeded();
  };
  connect(next, &PlotCursor::positionChanged, this, moved);
  moved();
}

void PlotView::setColors(const PlotColors& colors) {
  m_ownColors = false;
  recolor(colors);
}

void PlotView::recolor(const PlotColors& colors) {
  const auto old = std::exchange(m_state.colors, colors);
  const auto sameRole = [&](QColor& color) {
    if (color == old.reference) {
      color = colors.reference;
      return;
    }
    const auto trial = std::find(old.trials.begin(), old.trials.end(), color);
    if (trial != old.trials.end()) color = colors.trials[static_cast<std::size_t>(trial - old.trials.begin())];
  };
  for (auto& series : m_state.content.series) sameRole(series.style.color);
  for (auto& band : m_state.content.bands) {
    if (band.color) sameRole(*band.color);
  }
  contentChanged(false);
}

void PlotView::setLegendVisible(bool visible) { m_header->setLegendVisible(visible); }

void PlotView::setSeriesVisible(const QString& seriesId, bool visible) {
  if (visible == isSeriesVisible(seriesId)) return;
  if (visible) {
    m_state.hidden.remove(seriesId);
  } else {
    m_state.hidden.insert(seriesId);
  }
  m_header->rebuild();
  stale();
  Q_EMIT seriesVisibilityChanged(seriesId, visible);
}

bool PlotView::isTableShown() const { return m_pages->currentWidget() == m_table; }

void PlotView::setTableShown(bool shown) {
  if (shown == isTableShown()) return;
  if (shown) m_tableZoom.reset();
  const bool hadFocus = isAncestorOf(QApplication::focusWidget());
  if (shown) m_table->plotModel().rebuild();
  auto* page = shown ? static_cast<QWidget*>(m_table) : m_canvas;
  m_pages->setCurrentWidget(page);
  setFocusProxy(page);
  if (hadFocus) page->setFocus();
  m_header->setTableShown(shown);
  showZoomInTable();
  const QSignalBlocker quiet(m_tableAction);
  m_tableAction->setChecked(shown);
  stale();
  Q_EMIT tableShownChanged(shown);
}

void PlotView::stale() {
  m_valuesStale = true;
  m_canvas->markStale();
  Q_EMIT redrawNeeded();
}

bool PlotView::redraw() {
  if (!isVisible() || visibleRegion().isEmpty()) {
    m_missed = true;
    m_canvas->markStale();
    return false;
  }
  if (m_state.sources.update() || std::exchange(m_missed, false)) {
    m_missed = false;
    m_valuesStale = true;
    m_canvas->markStale();
    if (isTableShown()) m_table->plotModel().refresh();
  }
  // Before the frame: it may widen the range of all linked plots.
  m_state.navigation->reportExtent(this, m_state.sources.xExtent());
  const bool waits = isTableShown() && m_table->plotModel().standsStill();
  m_header->setRemark(waits ? tr("sorted; newer values wait until it is sorted again") : QString());
  if (std::exchange(m_valuesStale, false)) m_header->showValues();
  const bool drawn = m_canvas->redraw();
  offerDifference();
  return drawn;
}

void PlotView::offerDifference() {
  const PlotContent& content = m_state.content;
  const bool isPossible = m_differenceAction->isVisible();
  m_header->setDifference(isPossible, m_canvas->frame().coversReference, content.difference);
}

double PlotView::frameMilliseconds() const { return m_canvas->frameMilliseconds(); }

QImage PlotView::image(const QSize& size, double scale) const {
  const auto ink = m_canvas->exportInk();
  return plotImage(
      m_state, [&](const QSizeF& plot) { return m_canvas->frameFor(plot, ink.font); }, ink, size, scale);
}

QImage PlotView::wholePicture() const {
  return image(pictureSize(m_state, m_canvas->exportInk(), m_pages->size()), kPictureScale);
}

QByteArray PlotView::svg(const QSize& size) const {
  const auto ink = m_canvas->exportInk();
  return plotSvg(
      m_state, [&](const QSizeF& plot) { return m_canvas->frameFor(plot, ink.font); }, ink, size);
}

std::string PlotView::csv() const { return plotCsv(m_state); }

QByteArray PlotView::pngFile() const { return pngBytes(wholePicture()); }

QByteArray PlotView::svgFile() const { return svg(pictureSize(m_state, m_canvas->exportInk(), m_pages->size())); }

void PlotView::copyToClipboard() {
  if (isTableShown()) {
    m_table->copy();
    return;
  }
  QGuiApplication::clipboard()->setImage(wholePicture());
}

void PlotView::changeEvent(QEvent* event) {
  ChartWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_ownColors) {
    recolor(plotColors(isDark(palette())));
  }
}

void PlotView::contextMenuEvent(QContextMenuEvent* event) { m_header->menu()->popup(event->globalPos()); }

void PlotView::resizeEvent(QResizeEvent* event) {
  ChartWidget::resizeEvent(event);
  if (event->size().height() != event->oldSize().height()) m_header->fitHeight();
}

void PlotView::showEvent(QShowEvent* event) {
  ChartWidget::showEvent(event);
  stale();
}

void PlotView::paintEvent(QPaintEvent* /*event*/) {
  // It scrolls into view: legend and table catch up with the next tick of the page's clock, the picture at once.
  if (m_missed) QMetaObject::invokeMethod(this, &PlotView::redrawNeeded, Qt::QueuedConnection);
  QPainter painter(this);
  const auto base = palette().color(QPalette::Base);
  painter.setPen(palette().color(QPalette::Mid));
  painter.setBrush(base);
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace mantissa::ui::plot
