// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/problem_summary.h"
#include "ui/plain_tip.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOptionFocusRect>

#include "ui/measured_text.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

constexpr int kPadding = 4;

}  // namespace

ProblemSummary::ProblemSummary(QWidget* parent) : QAbstractButton(parent) {
  setObjectName(QStringLiteral("problems"));
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setFocusPolicy(Qt::StrongFocus);
  setWhatsThis(tr("What is wrong with the experiment. A click goes to the next problem."));
}

void ProblemSummary::show(const TextProblems& problems) {
  const int count = static_cast<int>(problems.problems.size());
  QStringList cautions = problems.warnings;
  for (const Problem& problem : problems.missing) cautions << problem.sentence();
  const int warnings = static_cast<int>(cautions.size());
  QString words = tr("✓ No problems");
  QStringList all;
  m_state = State::Good;
  if (count > 0) {
    m_state = State::Bad;
    words = (count == 1 ? tr("✕ 1 problem") : tr("✕ %1 problems").arg(wholeText(count))) + QStringLiteral("  ·  ") +
            problems.problems.first().sentence();
    for (const Problem& problem : problems.problems) all << problem.sentence();
  } else if (warnings > 0) {
    m_state = State::Warned;
    words = (warnings == 1 ? tr("! 1 warning") : tr("! %1 warnings").arg(wholeText(warnings))) +
            QStringLiteral("  ·  ") + cautions.first();
    all = cautions;
  }
  setText(words);
  setAccessibleName(words);
  setToolTip(plainTip(all.join(QLatin1Char('\n'))));
  update();
}

QSize ProblemSummary::sizeHint() const {
  return {fontMetrics().horizontalAdvance(text()) + 2 * kPadding, fontMetrics().height() + 2 * kPadding};
}

void ProblemSummary::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const plot::PlotColors& colors = shell::Theme::colors();
  painter.setPen(m_state == State::Bad ? colors.bad : m_state == State::Warned ? colors.warn : colors.good);
  const QRect inside = rect().adjusted(kPadding, 0, -kPadding, 0);
  painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text(), Qt::ElideRight, inside.width()));
  if (hasFocus()) {
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }
}

}  // namespace mantissa::ui::editor
