// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <spdlog/spdlog.h>

#include <QApplication>
#include <QImage>
#include <QLineEdit>
#include <QLocale>
#include <QTest>

#include <cstdlib>
#include <memory>

#include "ui/memory/ledger_controls.h"
#include "ui/memory/ledger_field.h"
#include "ui/memory/ledger_pictures.h"
#include "ui/memory/ledger_results.h"
#include "ui/memory/memory_page.h"
#include "ui/memory/plans_view.h"
#include "ui/plot/picture_view.h"
#include "ui/plot/plot_view.h"
#include "ui/shell/action_list.h"
#include "ui/shell/glance_strip.h"
#include "ui/shell/message_strip.h"
#include "ui/shell/theme.h"

namespace mantissa::test {

using namespace mantissa::ui;
using namespace mantissa::ui::memory;

/// Pixels of a colour, or nearly of it.
inline int pixelsOf(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const QColor one = image.pixelColor(x, y);
      if (std::abs(one.red() - color.red()) + std::abs(one.green() - color.green()) +
              std::abs(one.blue() - color.blue()) <
          12)
        ++count;
    }
  }
  return count;
}

inline LedgerShades shades() {
  return LedgerShades::of(
      plot::PlotInk::fromPalette(QApplication::palette(), plot::plotColors(false), QApplication::font()));
}

/// A Memory page in light colours, alone in its window, with the example's values; one for each test.
class MemoryPageFixture : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test"));
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
  }
  void init() {
    m_theme = std::make_unique<shell::Theme>(*qApp);
    m_theme->setMode(shell::ThemeMode::Light);
    m_page = std::make_unique<MemoryPage>();
    m_actions = std::make_unique<shell::ActionList>();
    m_page->useActions(*m_actions);
    m_page->resize(1320, 900);
    m_page->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
    QTRY_VERIFY(m_page->isSettled());
  }
  void cleanup() {
    m_page.reset();
    m_actions.reset();
    m_theme.reset();
  }

 protected:
  LedgerField* field(FieldId id) const { return m_page->controls()->field(id); }
  void type(FieldId id, const QString& text) {
    auto* const line = field(id)->spin()->findChild<QLineEdit*>();
    line->selectAll();
    line->insert(text);
  }
  QString answer(std::size_t statement) const { return m_page->strip()->answerOf(statement); }
  static QString cell(const plot::PictureView* view, int row, int column) {
    return view->table()->rows().cell(row, column).text;
  }
  int rowOf(std::int64_t microbatch, const QString& checkpointing, const QString& name) const {
    const plot::RowsModel& rows = m_page->results()->plans()->table()->rows();
    for (int row = 0; row < rows.rowCount(); ++row) {
      if (rows.cell(row, static_cast<int>(PlanColumn::Plan)).text == name &&
          rows.cell(row, static_cast<int>(PlanColumn::Checkpointing)).text == checkpointing &&
          rows.cell(row, static_cast<int>(PlanColumn::Microbatch)).text == QString::number(microbatch))
        return row;
    }
    return -1;
  }

  std::unique_ptr<shell::Theme> m_theme;
  std::unique_ptr<shell::ActionList> m_actions;
  std::unique_ptr<MemoryPage> m_page;
};

}  // namespace mantissa::test
