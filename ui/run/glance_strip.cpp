// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/glance_strip.h"
#include "ui/plain_tip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/run/elided_label.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::run {
namespace {

constexpr int kMargin = 8;  // px on both sides of a cell
constexpr int kLine = 4;    // px of a line between two cells, at most

QString signOf(Statement::State state) {
  switch (state) {
    case Statement::State::Good:
      return QStringLiteral("✓ ");
    case Statement::State::Warn:
      return QStringLiteral("! ");
    case Statement::State::Bad:
      return QStringLiteral("✕ ");
    case Statement::State::Unknown:
    case Statement::State::Plain:
      return {};
  }
  return {};
}

}  // namespace

GlanceStrip::GlanceStrip(QWidget* parent) : QFrame(parent) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  QHBoxLayout* const row = m_row = new QHBoxLayout(this);
  row->setContentsMargins(0, 4, 0, 4);
  row->setSpacing(0);
  for (std::size_t i = 0; i < kStatements; ++i) {
    auto* const column = new QVBoxLayout;
    column->setContentsMargins(kMargin, 0, kMargin, 0);
    column->setSpacing(1);
    Cell& cell = m_cells[i];
    cell = {new QLabel, new ElidedLabel, new ElidedLabel, 0, 0};
    QFont large = font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * 1.1);
    cell.answer->setFont(large);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    cell.question->setFont(small);
    cell.detail->setFont(small);
    for (QLabel* const label : {cell.question, cell.answer, cell.detail}) {
      label->setTextFormat(Qt::PlainText);
      label->setMinimumWidth(60);
      label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
      column->addWidget(label);
    }
    cell.question->setForegroundRole(QPalette::PlaceholderText);
    if (i > 0) {
      auto* const line = new QFrame;
      line->setFrameShape(QFrame::VLine);
      line->setForegroundRole(QPalette::Mid);
      row->addWidget(line);
    }
    row->addLayout(column, 1);
  }
  setStatements(glance({}, {}));
}

void GlanceStrip::setStatements(const std::array<Statement, kStatements>& statements) {
  m_statements = statements;
  for (std::size_t i = 0; i < kStatements; ++i) showOne(i);
}

void GlanceStrip::showOne(std::size_t index) {
  const Statement& statement = m_statements[index];
  const Cell& cell = m_cells[index];
  const QString answer = answerOf(index);
  if (cell.question->text() != statement.question) {
    cell.question->setText(statement.question);
    cell.question->setMinimumWidth(cell.question->sizeHint().width());  // never cut: answers are in dots first
  }
  if (cell.answer->text() != answer) {
    cell.answer->setText(answer);
    cell.answer->setToolTip(plainTip(answer));
  }
  if (cell.detail->text() != statement.detail) {
    cell.detail->setText(statement.detail);
    cell.detail->setToolTip(
        plainTip(statement.help.isEmpty() ? statement.detail : statement.detail + u'\n' + statement.help));
  }
  measure(index);
  const plot::PlotColors& colors = shell::Theme::colors();
  QColor color = palette().color(QPalette::Text);
  if (statement.state == Statement::State::Good) color = colors.good;
  if (statement.state == Statement::State::Warn) color = colors.warn;
  if (statement.state == Statement::State::Bad) color = colors.bad;
  if (cell.answer->palette().color(QPalette::Text) != color) {
    QPalette own = cell.answer->palette();
    own.setColor(QPalette::Text, color);  // the role on a ground of the base colour
    cell.answer->setPalette(own);
  }
}

/// Widths only grow, in large steps: little moves when an answer changes.
void GlanceStrip::measure(std::size_t index) {
  constexpr int kStep = 12;
  Cell& cell = m_cells[index];
  const auto needed = [](const QLabel* label) {
    return (label->fontMetrics().horizontalAdvance(label->text()) / kStep + 1) * kStep + 2 * kMargin;
  };
  const int answer = std::max({needed(cell.answer), needed(cell.question), cell.answerWidth});
  const int whole = std::max({answer, needed(cell.detail), cell.wholeWidth});
  if (answer == cell.answerWidth && whole == cell.wholeWidth) return;
  cell.answerWidth = answer;
  cell.wholeWidth = whole;
  share();
}

/// Answers get their room first, and what is left goes to the details. Where not even the answers fit, the longest are
/// cut, not the short ones.
void GlanceStrip::share() {
  std::array<int, kStatements> widths{};
  int answers = 0;
  int wholes = 0;
  for (std::size_t i = 0; i < kStatements; ++i) {
    widths[i] = m_cells[i].answerWidth;
    answers += m_cells[i].answerWidth;
    wholes += m_cells[i].wholeWidth;
  }
  const int room = width() - static_cast<int>(kStatements) * kLine;
  const double left = std::max(0, room - answers);
  const double wanted = std::max(1, wholes - answers);
  for (; answers > room && answers > 0; --answers) --*std::max_element(widths.begin(), widths.end());
  for (std::size_t i = 0; i < kStatements; ++i) {
    const int more = m_cells[i].wholeWidth - m_cells[i].answerWidth;
    // Lines stand between the cells.
    m_row->setStretch(static_cast<int>(2 * i), widths[i] + qRound(more * std::min(1.0, left / wanted)));
  }
}

void GlanceStrip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  share();
}

QString GlanceStrip::answerOf(std::size_t index) const {
  const Statement& statement = m_statements[index];
  if (statement.answer.isEmpty()) return QStringLiteral("–");
  QString words = statement.answer;
  if (!statement.beginsWithName) words[0] = words[0].toUpper();
  return signOf(statement.state) + words;
}

void GlanceStrip::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || m_cells[0].answer == nullptr) return;
  for (std::size_t i = 0; i < kStatements; ++i) showOne(i);
}

}  // namespace mantissa::ui::run
