// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/chart_actions.h"

#include <QAction>
#include <QApplication>
#include <QKeySequence>
#include <QStatusBar>
#include <QToolButton>

#include <utility>

#include "ui/shell/action_list.h"

namespace mantissa::ui::shell {
namespace {

constexpr int kStatusMilliseconds = 8000;  // a sentence is read

plot::ChartWidget* chartAround(QWidget* widget) {
  for (; widget != nullptr; widget = widget->parentWidget()) {
    if (auto* const view = qobject_cast<plot::ChartWidget*>(widget)) return view;
  }
  return nullptr;
}

}  // namespace

ChartActions::ChartActions(QMainWindow* window, std::function<QWidget*()> page)
    : QObject(window), m_window(window), m_page(std::move(page)) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget* /*before*/, QWidget* now) {
    if (plot::ChartWidget* const view = chartAround(now)) m_last = view;
  });
}

void ChartActions::make(ActionList& list) {
  using Deed = plot::ChartWidget::Deed;
  struct Entry {
    const char* name;
    Deed deed;
    QString text;
    QString keys;
    QString help;
  };
  const Entry entries[] = {
      {"chart_table", Deed::Table, tr("&Table of the chart"), tr("Ctrl+T"),
       tr("Shows the values instead of the lines, and back")},
      {"chart_copy", Deed::Copy, tr("&Copy the chart"), tr("Ctrl+Shift+C"),
       tr("The picture, or what is selected in the table, into the clipboard")},
      {"chart_png", Deed::Png, tr("Export the chart as &PNG\u2026"), tr("Ctrl+Shift+P"),
       tr("Writes the picture into a file")},
      {"chart_svg", Deed::Svg, tr("Export the chart as &SVG\u2026"), tr("Ctrl+Shift+G"),
       tr("Writes the drawing into a file")},
      {"chart_csv", Deed::Csv, tr("Export the values as CS&V\u2026"), tr("Ctrl+Shift+T"),
       tr("Writes every value of the chart into a file")},
      {"chart_logarithmic", Deed::Logarithmic, tr("&Logarithmic axis of the chart"), tr("Ctrl+L"),
       tr("Draws the chart on a logarithmic axis, or on a linear one again")},
      {"chart_difference", Deed::Difference, tr("&Difference to the reference"), tr("Ctrl+D"),
       tr("Draws trial minus reference in the chart, or the values again")},
  };
  for (const Entry& entry : entries) {
    const QString help = tr("%1: of the chart that has the keyboard, or had it last").arg(entry.help);
    list.add(QString::fromLatin1(entry.name), tr("Chart"), entry.text, QKeySequence(entry.keys), help,
             [this, deed = entry.deed] { perform(deed); });
  }
  list.add(QStringLiteral("chart_menu"), tr("View"), tr("&Menu of the chart"), QKeySequence(tr("Ctrl+M")),
           tr("All that can be done with the chart that has the keyboard, or had it last"), [this] { openMenu(); });
}

plot::ChartWidget* ChartActions::chart() const {
  QWidget* const page = m_page();
  const auto isInFront = [page](const plot::ChartWidget* view) {
    return view != nullptr && page != nullptr && view->isVisible() && page->isAncestorOf(view);
  };
  plot::ChartWidget* const focused = chartAround(m_window->focusWidget());
  if (isInFront(focused)) return focused;
  if (isInFront(m_last)) return m_last;
  if (page == nullptr) return nullptr;
  for (plot::ChartWidget* const one : page->findChildren<plot::ChartWidget*>()) {
    if (one->isVisible()) return one;
  }
  return nullptr;
}

void ChartActions::perform(plot::ChartWidget::Deed deed) {
  plot::ChartWidget* const view = chart();
  if (view == nullptr) return say(tr("No chart is in view."));
  const QString reason = view->whyNot(deed);
  if (!reason.isEmpty()) return say(reason);
  view->action(deed)->trigger();
}

void ChartActions::openMenu() {
  plot::ChartWidget* const view = chart();
  if (view == nullptr) return say(tr("No chart is in view."));
  view->openMenu();
}

void ChartActions::say(const QString& sentence) { m_window->statusBar()->showMessage(sentence, kStatusMilliseconds); }

}  // namespace mantissa::ui::shell
