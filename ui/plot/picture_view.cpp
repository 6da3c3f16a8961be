// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/picture_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QStackedWidget>
#include <QStyleOptionFocusRect>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/plain_tip.h"
#include "ui/plot/sign_button.h"

namespace mantissa::ui::plot {
namespace {

constexpr double kPictureScale = 2;  // of exported PNG files, for print
constexpr int kMargin = 8;
constexpr int kLeastWidth = 320;
constexpr int kLeastHeight = 120;
constexpr double kGap = 6;
constexpr double kSwatch = 10;
constexpr double kBetweenKeys = 12;

QFont smaller(QFont font) {
  if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * 0.9);
  return font;
}

class MenuButton final : public SignButton {
 public:
  using SignButton::SignButton;

 protected:
  /// Qt's buttons know the space bar alone.
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return showMenu();
    QToolButton::keyPressEvent(event);
  }
};

/// Title, unit, keys and note in one row: what has no room loses its end, the unit first, and the title last.
void paintTitle(QPainter& painter, const QRectF& row, const PictureWords& words, const QFont& font, const QColor& text,
                const QColor& faint) {
  QFont bold = font;
  bold.setBold(true);
  const QFont small = smaller(font);
  const QFontMetricsF boldMetrics(bold);
  const QFontMetricsF metrics(small);
  const auto flags = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  painter.setFont(bold);
  painter.setPen(text);
  const QString title = boldMetrics.elidedText(words.title, Qt::ElideRight, row.width());
  painter.drawText(row, flags, title);
  double left = row.left() + boldMetrics.horizontalAdvance(title) + kGap;
  double right = row.right();
  painter.setFont(small);
  const double note = words.note.isEmpty() ? 0 : std::ceil(metrics.horizontalAdvance(words.note)) + 1;
  if (note > 0 && right - note > left) {
    painter.setPen(faint);
    painter.drawText(QRectF(right - note, row.top(), note, row.height()), flags, words.note);
    right -= note + kBetweenKeys;
  }
  for (auto key = words.keys.rbegin(); key != words.keys.rend(); ++key) {
    const double width = std::ceil(metrics.horizontalAdvance(key->name)) + 1;
    if (right - width - kSwatch - kGap < left) break;
    painter.setPen(text);
    painter.drawText(QRectF(right - width, row.top(), width, row.height()), flags, key->name);
    right -= width + kGap + kSwatch;
    painter.fillRect(QRectF(right, row.center().y() - kSwatch / 2, kSwatch, kSwatch), key->color);
    right -= kBetweenKeys;
  }
  painter.setPen(faint);
  painter.drawText(QRectF(left, row.top(), std::max(0.0, right - left), row.height()), flags,
                   metrics.elidedText(words.unit, Qt::ElideRight, std::max(0.0, right - left)));
}

}  // namespace

class PictureView::Title final : public QWidget {
 public:
  explicit Title(const PictureView& view) : m_view(view) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    setFixedHeight(QFontMetrics(font()).height() + 6);
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintTitle(painter, rect(), m_view.m_words, font(), palette().color(QPalette::WindowText),
               palette().color(QPalette::PlaceholderText));
  }

 private:
  const PictureView& m_view;
};

class PictureView::Canvas final : public QWidget {
 public:
  explicit Canvas(const PictureView& view) : m_view(view) { setFocusPolicy(Qt::StrongFocus); }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    m_view.paintContent(painter, QRectF(rect()).adjusted(1, 1, -1, -1), m_view.ink());
    if (!hasFocus()) return;
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }
  void mousePressEvent(QMouseEvent* /*event*/) override { setFocus(Qt::MouseFocusReason); }

 private:
  const PictureView& m_view;
};

PictureView::PictureView(const QString& id, QWidget* parent)
    : ChartWidget(parent),
      m_title(new Title(*this)),
      m_menuButton(new MenuButton),
      m_menu(new QMenu(this)),
      m_pages(new QStackedWidget),
      m_canvas(new Canvas(*this)),
      m_table(new RowsTable) {
  setObjectName(id);
  m_menuButton->setText(QStringLiteral("\u22EE"));
  m_menuButton->setAutoRaise(true);
  m_menuButton->setPopupMode(QToolButton::InstantPopup);
  m_menuButton->setMenu(m_menu);
  m_menuButton->setFocusPolicy(Qt::TabFocus);
  m_menuButton->setToolTip(tr("Table, copy and export"));
  m_menuButton->setAccessibleName(tr("Menu of the picture"));  // until it has a title
  auto* const head = new QHBoxLayout;
  head->setSpacing(4);
  head->addWidget(m_title, 1);
  head->addWidget(m_menuButton);
  m_pages->addWidget(m_canvas);
  m_pages->addWidget(m_table);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin, 3, 2, 4);
  layout->setSpacing(1);
  layout->addLayout(head);
  layout->addWidget(m_pages, 1);
  buildMenu();
}

void PictureView::buildMenu() {
  m_tableAction = m_menu->addAction(tr("Table"));
  m_tableAction->setCheckable(true);
  connect(m_tableAction, &QAction::toggled, this, &PictureView::setTableShown);
  m_copy = m_menu->addAction(tr("Copy"));
  m_copy->setShortcut(QKeySequence::Copy);
  m_copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  addAction(m_copy);
  connect(m_copy, &QAction::triggered, this, &PictureView::copyToClipboard);
  m_menu->addSeparator();
  m_png = m_menu->addAction(tr("Save as PNG\u2026"));
  m_svg = m_menu->addAction(tr("Save as SVG\u2026"));
  m_csv = m_menu->addAction(tr("Save as CSV, every value\u2026"));
  connect(m_png, &QAction::triggered, this, [this] { askAndExport(QStringLiteral("png"), tr("PNG picture (*.png)")); });
  connect(m_svg, &QAction::triggered, this, [this] { askAndExport(QStringLiteral("svg"), tr("SVG drawing (*.svg)")); });
  connect(m_csv, &QAction::triggered, this, [this] { askAndExport(QStringLiteral("csv"), tr("Values (*.csv)")); });
}

void PictureView::setWords(PictureWords words) {
  m_words = std::move(words);
  const QString name = m_words.unit.isEmpty() ? m_words.title : tr("%1, %2").arg(m_words.title, m_words.unit);
  setAccessibleName(name);
  m_canvas->setAccessibleName(tr("Picture of %1").arg(name));
  m_canvas->setAccessibleDescription(m_words.emptyText.isEmpty() ? m_words.spoken : m_words.emptyText);
  m_table->setAccessibleName(tr("Table of %1").arg(name));
  m_menuButton->setAccessibleName(tr("Menu of the picture %1").arg(m_words.title));
  m_title->setToolTip(plainTip(m_words.spoken.isEmpty() ? name : name + u'\n' + m_words.spoken));
  m_title->update();
  m_canvas->update();
}

void PictureView::setPaint(Paint paint) {
  m_paint = std::move(paint);
  m_canvas->update();
}

void PictureView::setTableOnly() {
  m_isTableOnly = true;
  for (QAction* const action : {m_tableAction, m_png, m_svg}) action->setVisible(false);
  setTableShown(true);
}

void PictureView::fitRows(int least, int most) {
  const bool isFirst = m_mostRows == 0;
  m_leastRows = least;
  m_mostRows = most;
  if (isFirst) connect(m_table->horizontalScrollBar(), &QScrollBar::rangeChanged, this, &PictureView::fitHeight);
  fitHeight();
}

void PictureView::fitHeight() {
  constexpr int kFrame = 36;  // px of the title and of the edges
  const int rows = std::clamp(m_table->rows().rowCount(), m_leastRows, m_mostRows);
  const QScrollBar* const bar = m_table->horizontalScrollBar();
  const int below = bar->maximum() > bar->minimum() ? bar->sizeHint().height() : 0;
  setFixedHeight(m_table->heightOfRows(rows) + below + kFrame);
}

void PictureView::addToHeader(QWidget* widget) {
  auto* const head = static_cast<QBoxLayout*>(layout()->itemAt(0)->layout());
  head->insertWidget(head->count() - 1, widget);
}

QAction* PictureView::action(Deed deed) const {
  switch (deed) {
    case Deed::Table:
      return m_tableAction;
    case Deed::Copy:
      return m_copy;
    case Deed::Png:
      return m_png;
    case Deed::Svg:
      return m_svg;
    case Deed::Csv:
      return m_csv;
    case Deed::Logarithmic:
    case Deed::Difference:
      return nullptr;
  }
  return nullptr;
}

QString PictureView::whyNot(Deed deed) const {
  if (deed == Deed::Logarithmic) return tr("%1: its axis begins at zero, and is linear.").arg(m_words.title);
  if (deed == Deed::Difference) return tr("%1: there is no reference to take the difference to.").arg(m_words.title);
  const bool isPicture = deed == Deed::Table || deed == Deed::Png || deed == Deed::Svg;
  return m_isTableOnly && isPicture ? tr("%1 is a table: it can be copied, and saved as CSV.").arg(m_words.title)
                                    : QString();
}

void PictureView::openMenu() { m_menuButton->showMenu(); }

bool PictureView::isTableShown() const { return m_pages->currentWidget() == m_table; }

void PictureView::setTableShown(bool shown) {
  if (shown == isTableShown()) return;
  const bool hadFocus = isAncestorOf(QApplication::focusWidget());
  QWidget* const page = shown ? static_cast<QWidget*>(m_table) : m_canvas;
  m_pages->setCurrentWidget(page);
  if (hadFocus) page->setFocus();
  const QSignalBlocker quiet(m_tableAction);
  m_tableAction->setChecked(shown);
  Q_EMIT tableShownChanged(shown);
}

QWidget* PictureView::canvas() const { return m_canvas; }

PlotInk PictureView::ink() const {
  return PlotInk::fromPalette(palette(), plotColors(isDark(palette())), smaller(font()));
}

void PictureView::paintContent(QPainter& painter, const QRectF& area, const PlotInk& ink) const {
  painter.setFont(ink.font);
  if (m_words.emptyText.isEmpty() && m_paint) return m_paint(painter, area, ink);
  painter.setPen(ink.faintText);
  painter.drawText(area.adjusted(8, 4, -8, -4), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap,
                   m_words.emptyText);
}

/// With what the window around it says.
void PictureView::paintAll(QPainter& painter, const QSize& size) const {
  const PlotInk ink = this->ink();
  painter.fillRect(QRectF(QPointF(0, 0), size), ink.base);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF all = QRectF(QPointF(0, 0), size).adjusted(kMargin, kMargin, -kMargin, -kMargin);
  const double row = m_title->height();
  PictureWords words = m_words;
  if (!words.subject.isEmpty()) words.title += QStringLiteral(" \u00B7 ") + words.subject;
  paintTitle(painter, QRectF(all.left(), all.top(), all.width(), row), words, font(), ink.text, ink.faintText);
  paintContent(painter, all.adjusted(0, row + 4, 0, 0), ink);
}

QSize PictureView::pictureSize() const {
  const QSize shown = m_pages->size();
  return {std::max(shown.width(), kLeastWidth) + 2 * kMargin,
          std::max(shown.height(), kLeastHeight) + m_title->height() + 4 + 2 * kMargin};
}

QImage PictureView::image(const QSize& size, double scale) const {
  return paintedImage(size, scale, ink().base, [&](QPainter& painter) { paintAll(painter, size); });
}

QByteArray PictureView::pngFile() const { return pngBytes(image(pictureSize(), kPictureScale)); }

QByteArray PictureView::svg(const QSize& size) const {
  return paintedSvg(size, m_words.title, m_words.subject + u'\n' + m_words.spoken,
                    [&](QPainter& painter) { paintAll(painter, size); });
}

void PictureView::copyToClipboard() {
  if (isTableShown()) return m_table->copy();
  QGuiApplication::clipboard()->setImage(image(pictureSize(), kPictureScale));
}

void PictureView::keyPressEvent(QKeyEvent* event) {
  if (event->keyCombination() != (Qt::CTRL | Qt::Key_T) || m_isTableOnly) return ChartWidget::keyPressEvent(event);
  m_tableAction->toggle();
}

void PictureView::contextMenuEvent(QContextMenuEvent* event) { m_menu->popup(event->globalPos()); }

void PictureView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::Mid));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace mantissa::ui::plot
