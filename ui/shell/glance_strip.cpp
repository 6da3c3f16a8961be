// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/glance_strip.h"
#include "ui/plain_tip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <utility>

#include "ui/shell/theme.h"

namespace mantissa::ui::shell {
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
    case Statement::State::Undecided:
      return QStringLiteral("? ");
    case Statement::State::Unknown:
    case Statement::State::Plain:
      return {};
  }
  return {};
}

}  // namespace

GlanceStrip::GlanceStrip(std::size_t statements, QWidget* parent)
    : QFrame(parent), m_statements(statements), m_cells(statements) {
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  QHBoxLayout* const row = m_row = new QHBoxLayout(this);
  row->setContentsMargins(0, 4, 0, 4);
  row->setSpacing(0);
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    auto* const column = new QVBoxLayout;
    column->setContentsMargins(kMargin, 0, kMargin, 0);
    column->setSpacing(1);
    Cell& cell = m_cells[i];
    cell = {new QLabel, new ElidedLabel, new ElidedLabel, 0, 0, 0, 0, 0, {}};
    QFont large = font();
    large.setBold(true);
    large.setPointSizeF(large.pointSizeF() * 1.1);
    cell.answer->setFont(large);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    cell.question->setFont(small);
    cell.detail->setFont(small);
    for (QLabel* const label : std::initializer_list<QLabel*>{cell.question, cell.answer, cell.detail}) {
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
  for (std::size_t i = 0; i < m_cells.size(); ++i) showOne(i);
}

void GlanceStrip::put(std::vector<Statement> statements) {
  Q_ASSERT(statements.size() == m_cells.size());
  m_statements = std::move(statements);
  for (std::size_t i = 0; i < m_cells.size(); ++i) showOne(i);
}

void GlanceStrip::showOne(std::size_t index) {
  const Statement& statement = m_statements[index];
  const Cell& cell = m_cells[index];
  const QString answer = answerOf(index);
  if (cell.question->text() != statement.question) {
    cell.question->setText(statement.question);
    cell.question->setMinimumWidth(cell.question->sizeHint().width());  // never cut: answers are in dots first
  }
  QStringList shorter;
  for (const QString& one : statement.shorterAnswers) shorter << written(index, one);
  const auto shorten = [](ElidedLabel* label, const QStringList& words) {
    if (words.isEmpty()) return label->setShorter({});  // its end is cut
    label->setShorterOrCut(words);
  };
  shorten(cell.answer, shorter);
  shorten(cell.detail, statement.shorterDetails);
  // What a number is stands in the tip of the number, too.
  const auto tell = [&statement](ElidedLabel* label, const QString& words) {
    if (label->text() != words) label->setText(words);
    const QString tip = plainTip(statement.help.isEmpty() ? words : words + u'\n' + statement.help);
    if (label->toolTip() != tip) label->setToolTip(tip);
  };
  tell(cell.answer, answer);
  tell(cell.detail, statement.detail);
  measure(index);
  const plot::PlotColors& colors = Theme::colors();
  QColor color = palette().color(QPalette::Text);
  if (statement.state == Statement::State::Good) color = colors.good;
  if (statement.state == Statement::State::Warn) color = colors.warn;
  if (statement.state == Statement::State::Bad) color = colors.bad;
  if (statement.state == Statement::State::Undecided) color = colors.undecided;
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
  const auto needed = [](const QLabel* label, const QString& text) {
    return (label->fontMetrics().horizontalAdvance(text) / kStep + 1) * kStep + 2 * kMargin;
  };
  const Statement& statement = m_statements[index];
  const auto shortest = [](const QStringList& shorter, const QString& text) {
    return shorter.isEmpty() ? text : shorter.last();
  };
  // A sentence that says why there is no answer takes the room that others leave, and nothing of it when it goes.
  const bool isSentence = statement.answer.isEmpty();
  const int detail = isSentence ? 0 : needed(cell.detail, shortest(statement.shorterDetails, statement.detail));
  const int sentence = isSentence ? needed(cell.detail, cell.detail->text()) : 0;
  const QString fewestWords = shortest(statement.shorterAnswers, statement.answer);
  const int head = std::max(
      {needed(cell.answer, written(index, fewestWords)), needed(cell.question, cell.question->text()), cell.headWidth});
  const int least = std::max({head, detail, cell.leastWidth});
  const int answer = std::max({needed(cell.answer, cell.answer->text()), least, cell.answerWidth});
  const int whole = std::max({answer, isSentence ? 0 : needed(cell.detail, cell.detail->text()), cell.wholeWidth});
  // Of the forms of the answer between the shortest and the whole one, too.
  std::vector<int> forms;
  for (const QString& one : statement.shorterAnswers) {
    forms.push_back(std::clamp(needed(cell.answer, written(index, one)), least, answer));
  }
  forms.push_back(answer);
  std::sort(forms.begin(), forms.end());
  if (forms.size() == cell.forms.size()) {
    for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = std::max(forms[i], cell.forms[i]);
  }
  const bool isSame =
      head == cell.headWidth && least == cell.leastWidth && whole == cell.wholeWidth && sentence == cell.sentenceWidth;
  if (isSame && forms == cell.forms) return;
  cell.sentenceWidth = sentence;
  cell.forms = std::move(forms);
  cell.headWidth = head;
  cell.leastWidth = least;
  cell.answerWidth = answer;
  cell.wholeWidth = whole;
  share();
}

/// The shortest words of all get their room first, then the next longer form of an answer, always of the one that it
/// costs least: no long answer takes the room from all others. What is left goes to the details. Where the shortest
/// words do not fit, details are cut, the longest first; where the shortest answers do not, they are.
void GlanceStrip::share() {
  std::vector<int> widths(m_cells.size());
  int room = width() - static_cast<int>(m_cells.size()) * kLine;
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    widths[i] = m_cells[i].leastWidth;
    room -= widths[i];
  }
  const auto cutLongest = [&](const auto& canBeCut) {
    for (; room < 0; ++room) {
      std::size_t longest = m_cells.size();
      for (std::size_t i = 0; i < m_cells.size(); ++i) {
        if (canBeCut(i) && (longest == m_cells.size() || widths[i] > widths[longest])) longest = i;
      }
      if (longest == m_cells.size()) return;
      --widths[longest];
    }
  };
  cutLongest([&](std::size_t i) { return widths[i] > m_cells[i].headWidth; });
  cutLongest([&](std::size_t i) { return widths[i] > 1; });
  const auto more = [&](std::size_t i) {
    const std::vector<int>& forms = m_cells[i].forms;
    const auto next = std::upper_bound(forms.begin(), forms.end(), widths[i]);
    return next == forms.end() ? std::numeric_limits<int>::max() : *next - widths[i];
  };
  while (room > 0) {
    std::size_t cheapest = 0;
    for (std::size_t i = 1; i < m_cells.size(); ++i) cheapest = more(i) < more(cheapest) ? i : cheapest;
    const int cost = more(cheapest);
    if (cost > room) break;
    widths[cheapest] += cost;
    room -= cost;
  }
  int wanted = 0;
  const auto wholeOf = [this](std::size_t i) { return std::max(m_cells[i].wholeWidth, m_cells[i].sentenceWidth); };
  for (std::size_t i = 0; i < m_cells.size(); ++i) wanted += std::max(0, wholeOf(i) - widths[i]);
  const double part = std::min(1.0, static_cast<double>(std::max(0, room)) / std::max(1, wanted));
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    // Lines stand between the cells.
    const int detail = std::max(0, wholeOf(i) - widths[i]);
    m_row->setStretch(static_cast<int>(2 * i), widths[i] + qRound(detail * part));
  }
}

void GlanceStrip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  share();
}

QString GlanceStrip::answerOf(std::size_t index) const {
  const Statement& statement = m_statements[index];
  return statement.answer.isEmpty() ? QStringLiteral("–") : written(index, statement.answer);
}

QString GlanceStrip::written(std::size_t index, QString answer) const {
  const Statement& statement = m_statements[index];
  if (answer.isEmpty()) return QStringLiteral("–");
  if (!statement.beginsWithName) answer[0] = answer[0].toUpper();
  return signOf(statement.state) + answer;
}

void GlanceStrip::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || m_row == nullptr || m_cells.empty()) return;
  for (std::size_t i = 0; i < m_cells.size(); ++i) showOne(i);
}

}  // namespace mantissa::ui::shell
