// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_header.h"
#include "ui/plain_tip.h"

#include <QCursor>
#include <QEvent>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QStringList>
#include <QStyle>
#include <QStyleOption>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "ui/measured_text.h"
#include "ui/plot/plot_numbers.h"
#include "ui/plot/plot_painter.h"
#include "ui/plot/sign_button.h"

namespace mantissa::ui::plot {
namespace {

constexpr int kSwatch = 15;
constexpr int kBeforeUnit = 5;
constexpr int kGap = 4;
constexpr int kBetweenItems = 8;
constexpr int kMostLegendRows = 4;
constexpr int kRoomForLines = 96;       // px: what a legend leaves of a plot, its axis included
constexpr std::size_t kManySeries = 6;  // more stand below each other in columns
constexpr int kRowsHeight = 165;        // of a plot that can spare a second row

/// As long as values become, whatever a run does: what is written of it changes no layout.
QStringList longestValues(const PlotContent& content) {
  if (scaleOf(content) == YScale::Log2) return {QStringLiteral("2^\u2212149")};
  if (content.isCount) return {QStringLiteral("0,000")};
  // Deviations become multiples once their yardstick is there.
  QStringList longest = {QStringLiteral("0.0000000"), QStringLiteral("0.000e\u221200"),
                         QStringLiteral("0.0e\u221200 \u00D7")};
  if (!content.isMultiple && !content.valueSuffix.isEmpty()) longest = {QStringLiteral("0000.0") + content.valueSuffix};
  if (content.isSigned || content.difference) {
    for (QString& value : longest) value.prepend(QChar(0x2212));
  }
  return longest;
}

/// Of unit and legend: small beside the title.
QFont smaller(QFont font) {
  if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * 0.92);
  return font;
}

/// The pointer left the button while its menu had it: nobody tells the button that it is over it no more.
void letGoAfterMenu(QToolButton* button, QMenu* menu) {
  QObject::connect(
      menu, &QMenu::aboutToHide, button,
      [button] {
        button->setDown(false);
        button->setAttribute(Qt::WA_UnderMouse, button->rect().contains(button->mapFromGlobal(QCursor::pos())));
        button->update();
      },
      Qt::QueuedConnection);
}

}  // namespace

LegendItem::LegendItem(const PlotSeries& series, QWidget* parent) : QAbstractButton(parent), m_series(series) {
  setCheckable(true);
  setText(series.name);
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  connect(this, &QAbstractButton::toggled, this, &LegendItem::describe);
  describe();
}

void LegendItem::setStyle(const SeriesStyle& style) {
  m_series.style = style;
  update();
}

QFont LegendItem::valueFont() const {
  auto bold = smaller(font());
  bold.setBold(true);
  return bold;
}

void LegendItem::showValue(const QString& text, bool nonFinite, const QColor& bad, const QString& smoothed) {
  if (text == m_value && nonFinite == m_nonFinite && bad == m_bad && smoothed == m_smoothed) return;
  m_value = text;
  m_smoothed = smoothed;
  m_nonFinite = nonFinite;
  m_bad = bad;
  describe();
  update();
  const int wanted = widthWith(QFontMetricsF(valueFont()).horizontalAdvance(text));
  if (wanted <= wantedWidth()) return;
  m_wanted = wanted;
  Q_EMIT widthChanged();
}

void LegendItem::reserve(const QStringList& values) {
  m_longest = values;
  m_valueWidth = 0;
  const QFontMetricsF metrics(valueFont());
  for (const QString& value : values) m_valueWidth = std::max(m_valueWidth, metrics.horizontalAdvance(value));
}

void LegendItem::describe() {
  setAccessibleName(m_value.isEmpty() ? m_series.name : tr("%1: %2").arg(m_series.name, m_value));
  setAccessibleDescription(isChecked() ? tr("Shown in the plot") : tr("Hidden in the plot"));
  const QString click = isChecked() ? tr("Hide %1").arg(m_series.name) : tr("Show %1").arg(m_series.name);
  setToolTip(plainTip(m_smoothed.isEmpty()
                          ? click
                          : tr("%1 measured, %2 smoothed (the line)").arg(m_value, m_smoothed) + u'\n' + click));
}

int LegendItem::widthWith(double value) const {
  const QFontMetricsF metrics(smaller(font()));
  return static_cast<int>(std::ceil(kSwatch + kGap + metrics.horizontalAdvance(m_series.name) + kGap + value + 2));
}

QSize LegendItem::sizeHint() const {
  return {widthWith(m_valueWidth), static_cast<int>(std::ceil(QFontMetricsF(smaller(font())).height())) + 4};
}

void LegendItem::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!isChecked()) painter.setOpacity(0.45);
  paintSwatch(painter, QRectF(0, 0, kSwatch, height()), m_series.style);
  auto left = static_cast<double>(kSwatch + kGap);
  const QFontMetricsF metrics(smaller(font()));
  const auto text = palette().color(QPalette::WindowText);
  painter.setPen(text);
  auto nameFont = smaller(font());
  nameFont.setStrikeOut(!isChecked());
  painter.setFont(nameFont);
  const double value = std::max(m_valueWidth, QFontMetricsF(valueFont()).horizontalAdvance(m_value));
  const auto room = std::max(0.0, width() - left - kGap - value - 2);
  const auto name = metrics.elidedText(m_series.name, Qt::ElideMiddle, room + 1);
  painter.drawText(QRectF(left, 0, room + 1, height()), Qt::AlignLeft | Qt::AlignVCenter, name);
  left += metrics.horizontalAdvance(name) + kGap;
  painter.setFont(valueFont());
  painter.setPen(m_nonFinite ? m_bad : text);
  painter.drawText(QRectF(left, 0, width() - left, height()), Qt::AlignLeft | Qt::AlignVCenter, m_value);
  if (hasFocus()) {
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }
}

void LegendItem::changeEvent(QEvent* event) {
  QAbstractButton::changeEvent(event);
  if (event->type() == QEvent::FontChange) {
    reserve(m_longest);
    m_wanted = 0;
    Q_EMIT widthChanged();
  }
}

PlotHeader::PlotHeader(PlotState& state, QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_menuButton(new SignButton(this)),
      m_differenceButton(new QToolButton(this)),
      m_moreButton(new SignButton(this)),
      m_menu(new QMenu(this)) {
  m_differenceButton->setText(QStringLiteral("\u0394"));
  m_differenceButton->setAutoRaise(true);
  m_differenceButton->setCheckable(true);
  m_differenceButton->setFocusPolicy(Qt::TabFocus);
  m_differenceButton->setToolTip(tr("Curves lie on each other: show their difference to the reference"));
  m_differenceButton->hide();
  connect(m_differenceButton, &QToolButton::toggled, this, &PlotHeader::differenceToggled);
  m_menuButton->setText(QStringLiteral("\u22EE"));
  m_menuButton->setAutoRaise(true);
  m_menuButton->setPopupMode(QToolButton::InstantPopup);
  m_menuButton->setMenu(m_menu);
  m_menuButton->setFocusPolicy(Qt::TabFocus);
  m_menuButton->setAccessibleName(tr("Menu of the plot"));  // until it has a title
  m_differenceButton->setAccessibleName(tr("Difference to the reference"));
  m_moreButton->setAutoRaise(true);
  m_moreButton->setPopupMode(QToolButton::InstantPopup);
  m_moreButton->setFocusPolicy(Qt::TabFocus);
  m_moreButton->setMenu(new QMenu(m_moreButton));
  m_moreButton->hide();
  letGoAfterMenu(m_menuButton, m_menu);
  letGoAfterMenu(m_moreButton, m_moreButton->menu());
  connect(m_moreButton->menu(), &QMenu::aboutToShow, this, &PlotHeader::fillMore);
  for (QToolButton* const button : {m_menuButton, m_differenceButton, m_moreButton}) button->installEventFilter(this);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

bool PlotHeader::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && watched == m_menuButton) {
    // The table's key stands in the menu to be read; it is the plot's, or the window's, and not the button's.
    for (const QAction* const action : m_menu->actions()) {
      if (action->shortcutContext() != Qt::WidgetShortcut || action->shortcut().isEmpty()) continue;
      if (action->shortcut() == QKeySequence(static_cast<QKeyEvent*>(event)->keyCombination())) {
        event->accept();
        return true;
      }
    }
  }
  auto* const button = qobject_cast<QAbstractButton*>(watched);
  if (button == nullptr || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* const key = static_cast<QKeyEvent*>(event);
  if (key->key() != Qt::Key_Return && key->key() != Qt::Key_Enter) return QWidget::eventFilter(watched, event);
  if (key->isAutoRepeat()) return true;
  if (button == m_menuButton || button == m_moreButton) {
    static_cast<QToolButton*>(button)->showMenu();
  } else {
    button->click();
  }
  return true;
}

QFont PlotHeader::titleFont() const {
  auto bold = font();
  bold.setBold(true);
  return bold;
}

int PlotHeader::rowHeight() const { return static_cast<int>(std::ceil(QFontMetricsF(font()).height())) + 6; }

void PlotHeader::rebuild() {
  const auto& sources = m_state.sources.sources();
  const auto same = [&] {
    if (sources.size() != m_items.size()) return false;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      if (m_items[i]->seriesId() != sources[i].series.id || m_items[i]->text() != sources[i].series.name) return false;
    }
    return true;
  };
  if (!same()) {
    for (auto* item : m_items) {
      item->hide();
      item->deleteLater();
    }
    m_items.clear();
    for (const auto& source : sources) {
      auto* item = new LegendItem(source.series, this);
      item->setChecked(!m_state.hidden.contains(source.series.id));
      item->installEventFilter(this);
      connect(item, &LegendItem::toggled, this,
              [this, item](bool visible) { Q_EMIT seriesToggled(item->seriesId(), visible); });
      connect(item, &LegendItem::widthChanged, this, &PlotHeader::arrange);
      item->setVisible(m_legendVisible);
      m_items.push_back(item);
    }
    // Tab goes through the legend and then to the menu, as one reads.
    QWidget* before = nullptr;
    for (auto* item : m_items) {
      if (before != nullptr) setTabOrder(before, item);
      before = item;
    }
    if (before != nullptr) setTabOrder(before, m_moreButton);
    setTabOrder(m_moreButton, m_differenceButton);
    setTabOrder(m_differenceButton, m_menuButton);
  }
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    // Without a value to come there is a note.
    const QString& note = sources[i].series.note;
    m_items[i]->reserve(note.isEmpty() ? longestValues(m_state.content) : QStringList(notMeasuredText() + u' ' + note));
    m_items[i]->setStyle(sources[i].series.style);
    const QSignalBlocker quiet(m_items[i]);
    m_items[i]->setChecked(!m_state.hidden.contains(sources[i].series.id));
  }
  m_menuButton->setAccessibleName(tr("Menu of the plot %1").arg(m_state.content.title));
  m_differenceButton->setAccessibleName(tr("Difference to the reference in the plot %1").arg(m_state.content.title));
  m_menuButton->setToolTip(tr("Table, copy and export"));
  const QString inWhat = fullUnit();
  QStringList words(inWhat.isEmpty() ? m_state.content.title : tr("%1: %2").arg(m_state.content.title, inWhat));
  if (m_state.content.smoothing.kind != Smoothing::Kind::None) {
    words << tr("Lines are smoothed; legend and table say measured values.");
  }
  if (!m_state.content.about.isEmpty()) words << m_state.content.about;
  setToolTip(plainTip(words.join(u'\n')));
  showValues();
  arrange();
  update();
}

void PlotHeader::setLegendVisible(bool visible) {
  m_legendVisible = visible;
  arrange();
}

void PlotHeader::setRemark(const QString& remark) {
  if (remark == m_remark) return;
  m_remark = remark;
  update();
}

void PlotHeader::setTableShown(bool shown) {
  if (shown == m_tableShown) return;
  m_tableShown = shown;
  rebuild();
}

void PlotHeader::setTablePlace(const QString& words) {
  if (words == m_tablePlace) return;
  m_tablePlace = words;
  rebuild();
}

void PlotHeader::openMenu() { m_menuButton->showMenu(); }

double PlotHeader::unitRoom() const {
  if (m_unitBelow) return width();
  const QFontMetricsF bold(titleFont());
  const double title = bold.horizontalAdvance(
      bold.elidedText(m_state.content.title, Qt::ElideRight, std::clamp(m_titleRoom, 0, m_titleRight)));
  return std::max(0.0, m_titleRight - title - kBeforeUnit);
}

double PlotHeader::unitWidth() const { return QFontMetricsF(smaller(font())).horizontalAdvance(shownUnit()); }

QString PlotHeader::fullUnit() const {
  QStringList words;
  for (const QString& part : {measuredUnitText(m_state.content), ending()}) {
    if (!part.isEmpty()) words << part;
  }
  return words.join(QStringLiteral(", "));
}

/// What of the unit is always said: a line that is smoothed is not what was measured.
QString PlotHeader::ending() const {
  QStringList words;
  if (m_state.content.smoothing.kind != Smoothing::Kind::None) {
    words << (m_tableShown ? tr("measured values") : tr("line smoothed"));
  }
  if (m_tableShown && !m_tablePlace.isEmpty()) words << m_tablePlace;
  return words.join(QStringLiteral(", "));
}

QString PlotHeader::shortEnding() const {
  if (m_tableShown && !m_tablePlace.isEmpty()) return m_tablePlace;
  return m_tableShown ? tr("measured") : tr("smoothed");
}

int PlotHeader::widthOf(const QString& text) const {
  return static_cast<int>(QFontMetricsF(smaller(font())).horizontalAdvance(text)) + 8;
}

/// As much of the unit as has room, its ending before all else.
QString PlotHeader::fitted(int room) const {
  constexpr int kWorthReading = 40;
  const QString full = fullUnit();
  const QString last = ending();
  if (last.isEmpty() || widthOf(full) <= room) return full;
  const QString before = QStringLiteral(", ") + last;
  const int left = room - widthOf(before);
  if (left >= kWorthReading) {
    const QFontMetricsF metrics(smaller(font()));
    return metrics.elidedText(measuredUnitText(m_state.content), Qt::ElideRight, left) + before;
  }
  return widthOf(last) <= room ? last : shortEnding();
}

/// \param title, legend  widths; \param right  where the buttons begin
void PlotHeader::chooseUnit(int title, int right, int legend) {
  const int room = (legend > 0 ? right - legend : right) - title;
  m_aside.clear();
  if (!m_unitBelow) {
    m_unit = fitted(room);
  } else if (widthOf(fullUnit()) <= width() || ending().isEmpty()) {
    m_unit = fullUnit();
  } else {
    m_unit = measuredUnitText(m_state.content);
    m_aside = widthOf(ending()) <= room ? ending() : shortEnding();
  }
  // Even a title is cut before it is hidden that lines are smoothed.
  const QString& beside = m_unitBelow ? m_aside : m_unit;
  const bool comesFirst = !beside.isEmpty() && (beside == ending() || beside == shortEnding());
  m_titleRoom = comesFirst ? std::min(title, room + title - widthOf(beside)) : title;
}

void PlotHeader::setDifference(bool possible, bool offered, bool shown) {
  const QSignalBlocker quiet(m_differenceButton);
  m_differenceButton->setChecked(shown);
  m_differenceButton->setVisible(possible && (offered || shown));
  if (possible == m_differencePossible) return;
  m_differencePossible = possible;
  arrange();
}

void PlotHeader::showValues() {
  const auto& sources = m_state.sources.sources();
  for (std::size_t i = 0; i < m_items.size() && i < sources.size(); ++i) {
    const auto& series = sources[i].series;
    const auto index = indexToRead(m_state, *series.data);
    const auto value = index ? std::optional(series.data->y(*index)) : std::nullopt;
    const auto none =
        series.data->empty() && !series.note.isEmpty() ? notMeasuredText() + u' ' + series.note : notMeasuredText();
    const bool finite = !value || std::isfinite(*value);
    const auto text = !value ? none : shownText(m_state.content, *value);
    QString smoothed;
    if (index && sources[i].smoothed && *index < sources[i].smoothed->size()) {
      BlockedValues::Block scratch;
      const double* const block = sources[i].smoothed->values(*index / BlockSummary::kSize, scratch);
      smoothed = shownText(m_state.content, block[*index % BlockSummary::kSize]);
    }
    m_items[i]->showValue(text, !finite, m_state.colors.bad, smoothed);
  }
}

void PlotHeader::arrange() {
  const auto row = rowHeight();
  const auto buttonWidth = std::max(18, m_menuButton->fontMetrics().horizontalAdvance(m_menuButton->text()) + 12);
  m_menuButton->setGeometry(width() - buttonWidth, 1, buttonWidth, row - 2);
  m_differenceButton->setGeometry(width() - 2 * buttonWidth, 1, buttonWidth, row - 2);
  const auto title = static_cast<int>(QFontMetricsF(titleFont()).horizontalAdvance(m_state.content.title)) + 12;
  int legend = 0;
  const auto& items = m_legendVisible ? m_items : std::vector<LegendItem*>();
  for (const auto* item : items) legend += item->sizeHint().width() + kBetweenItems;
  const auto right = width() - (m_differencePossible ? 2 : 1) * buttonWidth - 4;
  // Where there is height, the legend leaves the first row to a unit that would not be read otherwise.
  const bool hasHeight = parentWidget() != nullptr && parentWidget()->height() >= kRowsHeight;
  const int least = hasHeight ? widthOf(fullUnit()) : ending().isEmpty() ? 0 : widthOf(ending());
  const bool besideLegend = title + legend + least <= right;
  m_unitBelow = hasHeight && !besideLegend && widthOf(fullUnit()) > right - title;
  chooseUnit(title, right, besideLegend ? legend : 0);
  int rows = 1;
  m_seenItems = items.size();
  m_measuredPlace = {};
  if (besideLegend) {
    const int said = title + (m_unitBelow ? 0 : widthOf(m_unit));
    m_titleRight = arrangeBeside(items, right, std::max(0, right - legend - said));
  } else {
    m_titleRight = right;
    if (m_unitBelow) ++rows;
    rows = arrangeRows(items, rows);
    fillRows(items);
  }
  for (std::size_t i = 0; i < m_items.size(); ++i) m_items[i]->setVisible(i < m_seenItems);
  const std::size_t more = items.size() - m_seenItems;
  m_moreButton->setVisible(more > 0);
  if (height() != rows * row || minimumHeight() != rows * row) {
    setFixedHeight(rows * row);
    // Within a pass of the layouts around it the news of another height is lost.
    QMetaObject::invokeMethod(
        this, [this] { updateGeometry(); }, Qt::QueuedConnection);
  }
  update();
}

/// From the right. \param spare  what is free beside the widths that are kept \return where the legend begins
int PlotHeader::arrangeBeside(const std::vector<LegendItem*>& items, int right, int spare) {
  int x = right + kBetweenItems;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    const int kept = (*item)->sizeHint().width();
    const int more = std::min(spare, (*item)->wantedWidth() - kept);
    spare -= more;
    x -= kept + more + kBetweenItems;
    (*item)->setGeometry(x, 0, kept + more, rowHeight());
  }
  if (items.empty() || !saysMeasured()) return x - kBetweenItems;
  placeMeasured(0, 0, spare - kBetweenItems);
  x -= m_measuredPlace.isEmpty() ? 0 : m_measuredPlace.width() + kBetweenItems;
  m_measuredPlace.moveLeft(x);
  return x - kBetweenItems;
}

/// Gives what is free at the end of each row to values that are longer than the room that was kept for them.
void PlotHeader::fillRows(const std::vector<LegendItem*>& items) {
  std::size_t next = 0;
  int end = 0;
  while (next < m_seenItems) {
    const std::size_t first = next;
    const int y = items[first]->y();
    while (next < m_seenItems && items[next]->y() == y) end = items[next++]->geometry().right() + 1;
    int spare = width() - end;
    int x = 0;
    for (std::size_t i = first; i < next; ++i) {
      const int more = std::clamp(items[i]->wantedWidth() - items[i]->width(), 0, std::max(0, spare));
      spare -= more;
      items[i]->setGeometry(x, y, items[i]->width() + more, rowHeight());
      x += items[i]->width() + kBetweenItems;
    }
    end = x;
  }
  if (m_seenItems == 0 || m_seenItems < items.size() || !saysMeasured()) return;
  placeMeasured(end, items[m_seenItems - 1]->y(), width() - end);
}

bool PlotHeader::saysMeasured() const {
  return m_state.content.smoothing.kind != Smoothing::Kind::None && !m_tableShown;
}

void PlotHeader::placeMeasured(int left, int top, int room) {
  for (const QString& word : {tr("measured values"), tr("measured")}) {
    if (widthOf(word) > room) continue;
    m_measuredWord = word;
    m_measuredPlace = QRect(left, top, widthOf(word), rowHeight());
    return;
  }
}

/// Of a legend, below those that have something else. One is always seen: it leads to the others.
int PlotHeader::mostRows(int above) const {
  const bool isPlaced = parentWidget() != nullptr && parentWidget()->testAttribute(Qt::WA_Resized);
  if (!isPlaced) return kMostLegendRows;
  return std::clamp((parentWidget()->height() - kRoomForLines) / rowHeight() - above, 1, kMostLegendRows);
}

int PlotHeader::arrangeRows(const std::vector<LegendItem*>& items, int above) {
  const int row = rowHeight();
  const int most = mostRows(above);
  int column = 0;  // width; 0: each as wide as it needs
  if (items.size() > kManySeries) {
    for (const auto* item : items) column = std::max(column, item->sizeHint().width());
  }
  const auto wanted = [&](const LegendItem* item) {
    return std::min(std::max(item->sizeHint().width(), column), std::max(width(), 1));
  };
  const auto place = [&](int roomForMore) {
    int x = 0;
    int rows = above;
    std::size_t seen = 0;
    for (auto* item : items) {
      const int least = wanted(item);
      const bool isLastRow = rows == above + most;
      if (x == 0 || x + least > width() - (isLastRow ? roomForMore : 0)) {
        if (isLastRow) break;
        x = 0;
        ++rows;
      }
      item->setGeometry(x, (rows - 1) * row, least, row);
      x += least + kBetweenItems;
      ++seen;
    }
    m_seenItems = seen;
    m_moreButton->move(x, (rows - 1) * row + 1);
    return rows;
  };
  const int rows = place(0);
  if (m_seenItems == items.size()) return rows;
  m_moreButton->setText(tr("and %1 more\u2026").arg(wholeText(static_cast<qlonglong>(items.size()))));
  const int button = m_moreButton->sizeHint().width();
  place(button);
  const auto more = static_cast<qlonglong>(items.size() - m_seenItems);
  m_moreButton->setText(tr("and %1 more\u2026").arg(wholeText(more)));
  m_moreButton->setAccessibleName(tr("%1 more series in the plot %2").arg(wholeText(more), m_state.content.title));
  m_moreButton->setToolTip(tr("The series that have no room here, with their values"));
  m_moreButton->resize(button, row - 2);
  return rows;
}

void PlotHeader::fillMore() {
  QMenu* const menu = m_moreButton->menu();
  menu->clear();
  const double ratio = devicePixelRatioF();
  for (std::size_t i = m_seenItems; i < m_items.size(); ++i) {
    LegendItem* const item = m_items[i];
    QPixmap swatch(QSize(kSwatch, kSwatch) * ratio);
    swatch.setDevicePixelRatio(ratio);
    swatch.fill(Qt::transparent);
    QPainter painter(&swatch);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSwatch(painter, QRectF(0, 0, kSwatch, kSwatch), item->seriesStyle());
    painter.end();
    QAction* const action = menu->addAction(QIcon(swatch), withoutMnemonic(item->accessibleName()));
    action->setCheckable(true);
    action->setChecked(item->isChecked());
    connect(action, &QAction::toggled, item, &QAbstractButton::setChecked);
  }
}

void PlotHeader::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const auto row = rowHeight();
  const QFontMetricsF bold(titleFont());
  const QFontMetricsF plain(smaller(font()));
  painter.setFont(titleFont());
  painter.setPen(palette().color(QPalette::WindowText));
  const auto title = bold.elidedText(m_state.content.title, Qt::ElideRight, std::clamp(m_titleRoom, 0, m_titleRight));
  painter.drawText(QRectF(0, 0, m_titleRight, row), Qt::AlignLeft | Qt::AlignVCenter, title);
  painter.setFont(smaller(font()));
  painter.setPen(PlotInk::fromPalette(palette(), m_state.colors, font()).faintText);
  const auto write = [&](const QString& text, double left, int top, double room) {
    if (room < 12) return;
    painter.drawText(QRectF(left, top, room, row), Qt::AlignLeft | Qt::AlignVCenter,
                     plain.elidedText(text, Qt::ElideRight, room));
  };
  const QRect& measured = m_measuredPlace;
  if (!measured.isEmpty()) write(m_measuredWord, measured.left(), measured.top(), measured.width());
  const double besideTitle = bold.horizontalAdvance(title) + kBeforeUnit;
  if (m_unitBelow) {
    write(m_aside, besideTitle, 0, m_titleRight - besideTitle);
    write(shownUnit(), 0, row, width());
  } else {
    write(shownUnit(), besideTitle, 0, m_titleRight - besideTitle);
  }
}

void PlotHeader::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void PlotHeader::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) arrange();
}

}  // namespace mantissa::ui::plot
