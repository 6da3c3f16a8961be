// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/difference_view.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdlib>

#include "ui/measured_text.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

constexpr int kContext = 3;  // lines of both around what differs

/// Whether a line of both is near enough to one that differs.
QVector<bool> nearDifference(const QVector<DifferenceLine>& lines) {
  QVector<bool> isNear(lines.size(), false);
  for (qsizetype i = 0; i < lines.size(); ++i) {
    if (lines[i].of == DifferenceLine::Of::Both) continue;
    const qsizetype end = std::min(lines.size() - 1, i + kContext);
    for (qsizetype k = std::max<qsizetype>(0, i - kContext); k <= end; ++k) isNear[k] = true;
  }
  return isNear;
}

}  // namespace

DifferenceView::DifferenceView(const QString& name, const QString& mine, const QString& theirs,
                               const QVector<QAction*>& ways, QWidget* parent)
    : QDialog(parent), m_text(new QPlainTextEdit) {
  using Of = DifferenceLine::Of;
  setObjectName(QStringLiteral("difference"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("%1: here and in the file").arg(name));
  const QVector<DifferenceLine> lines = lineDifference(mine, theirs);
  const QVector<bool> isNear = nearDifference(lines);
  QStringList shown;
  bool isGap = false;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    if (!isNear[i]) {
      isGap = true;
      continue;
    }
    if (isGap && !shown.isEmpty()) {
      shown << QStringLiteral("⋯");
      m_of << Of::Both;
    }
    isGap = false;
    const QString sign = lines[i].of == Of::Mine     ? QStringLiteral("−")
                         : lines[i].of == Of::Theirs ? QStringLiteral("+")
                                                     : QStringLiteral(" ");
    shown << QStringLiteral("%1 %2 %3").arg(lines[i].line, 5).arg(sign, lines[i].text);
    m_of << lines[i].of;
  }
  const auto countOf = [&](Of of) { return std::count(m_of.begin(), m_of.end(), of); };
  const auto words = [](qsizetype count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(wholeText(count));
  };
  auto* const summary = new QLabel(tr("−  %1 only here, in the editor;   +  %2 only in the file")
                                       .arg(words(countOf(Of::Mine), tr("1 line"), tr("%1 lines")),
                                            words(countOf(Of::Theirs), tr("1 line"), tr("%1 lines"))));
  summary->setTextFormat(Qt::PlainText);
  summary->setWordWrap(true);
  m_text->setReadOnly(true);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setTabChangesFocus(true);
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setStyleHint(QFont::Monospace);
  m_text->setFont(font);
  m_text->setAccessibleName(tr("Lines that differ"));
  m_text->setPlainText(shown.join(QLatin1Char('\n')));
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  for (QAction* const way : ways) {
    QPushButton* const button = buttons->addButton(way->text(), QDialogButtonBox::ActionRole);
    button->setToolTip(way->toolTip());
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, way, [this, way] {
      close();
      way->trigger();
    });
  }
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  layout->addWidget(summary);
  layout->addWidget(m_text, 1);
  layout->addWidget(buttons);
  resize(760, 480);
  colour();
}

void DifferenceView::colour() {
  QList<QTextEdit::ExtraSelection> marks;
  for (qsizetype i = 0; i < m_of.size(); ++i) {
    if (m_of[i] == DifferenceLine::Of::Both) continue;
    QColor ground = m_of[i] == DifferenceLine::Of::Mine ? shell::Theme::colors().bad : shell::Theme::colors().good;
    ground.setAlphaF(0.14F);
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(m_text->document()->findBlockByNumber(static_cast<int>(i)));
    mark.format.setBackground(ground);
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks << mark;
  }
  m_text->setExtraSelections(marks);
}

void DifferenceView::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) colour();
}

}  // namespace mantissa::ui::editor
