// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/field.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/editor/field_kinds.h"
#include "ui/editor/value_words.h"
#include "ui/measured_text.h"
#include "ui/plain_tip.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::editor {
namespace {

constexpr double kSmall = 0.9;      // of the form's font
constexpr int kLongestWords = 500;  // letters of a problem that quotes a value without an end

}  // namespace

Field* Field::make(const FieldSpec& spec, const QString& path, QWidget* parent) {
  switch (spec.kind) {
    case FieldKind::Choice:
    case FieldKind::OpenChoice:
      return new ChoiceField(spec, path, parent);
    case FieldKind::Switch:
      return new SwitchField(spec, path, parent);
    case FieldKind::SeveralWords:
      return new SeveralWordsField(spec, path, parent);
    default:
      return new LineField(spec, path, parent);
  }
}

Field::Field(const FieldSpec& spec, const QString& path, QWidget* parent)
    : QWidget(parent),
      m_spec(spec),
      m_path(path),
      m_row(new QHBoxLayout),
      m_clear(new QToolButton),
      m_problem(new shell::ElidedLabel) {
  setObjectName(path);
  m_row->setSpacing(4);
  m_row->setContentsMargins(0, 0, 0, 0);
  m_clear->setText(QStringLiteral("↺"));
  m_clear->setAutoRaise(true);
  m_clear->setAccessibleName(tr("Back to the default of %1").arg(spec.label));
  m_clear->setToolTip(tr("Takes the key out of the file: the default counts then"));
  QSizePolicy keepsRoom = m_clear->sizePolicy();
  keepsRoom.setRetainSizeWhenHidden(true);  // nothing jumps when a key comes or goes
  m_clear->setSizePolicy(keepsRoom);
  m_clear->hide();
  connect(m_clear, &QToolButton::clicked, this, &Field::cleared);
  m_row->addWidget(m_clear);
  QFont small = m_problem->font();
  if (small.pointSizeF() > 0) small.setPointSizeF(small.pointSizeF() * kSmall);
  m_problem->setFont(small);
  m_problem->setFixedHeight(m_problem->fontMetrics().height());
  m_problem->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // long words take no width from the names
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(m_row);
  layout->addWidget(m_problem);
}

void Field::setInput(QWidget* input) {
  m_input = input;
  setFocusProxy(input);
  input->setAccessibleName(m_spec.unit.isEmpty() ? m_spec.label : tr("%1, in %2").arg(m_spec.label, m_spec.unit));
  const QString help = helpWords();
  setToolTip(help);
  setWhatsThis(help);
  input->setAccessibleDescription(m_spec.help);
  input->installEventFilter(this);
  m_row->insertWidget(0, input, 1);
}

void Field::addToRow(QWidget* widget) { m_row->insertWidget(m_row->count() - 1, widget); }

void Field::showValue(const QString& value) {
  m_clear->setVisible(!value.isEmpty() && m_spec.kind != FieldKind::InTextOnly);
  m_isTooLong = value.size() > kLongestValue;
  if (m_isTooLong) takeBackTyping();  // an input that is switched off is left: that must not take the key out
  showInInput(m_isTooLong ? QString() : value);
  // What waits for a later version can only be taken out.
  m_input->setEnabled(!m_isTooLong && (m_spec.waitsFor.isEmpty() || !value.isEmpty()));
  if (m_value != value) m_engineProblem.clear();  // it was said of another value
  m_value = value;
  m_valueProblem = m_isTooLong ? QString() : valueProblem(m_spec, value);
  tellProblem();
}

void Field::showProblem(const QString& words) {
  m_engineProblem = words;
  tellProblem();
}

void Field::tellProblem() {
  const QString& problem = m_valueProblem.isEmpty() ? m_engineProblem : m_valueProblem;
  QString words = problem.size() > kLongestValue ? problem.left(kLongestWords) + QStringLiteral("…") : problem;
  if (m_isTooLong) {
    const QString note =
        tr("Too long for a field: %1 letters. It stands in the text alone.").arg(wholeText(m_value.size()));
    words = words.isEmpty() ? note : note + QLatin1Char('\n') + words;
  }
  m_problemWords = words;
  m_problem->setText(QString(words).replace(QLatin1Char('\n'), QLatin1Char(' ')));
  m_problem->setToolTip(plainTip(words));  // the whole of it, where it ends in dots
  QPalette palette = m_problem->palette();
  palette.setColor(QPalette::WindowText,
                   problem.isEmpty() ? this->palette().color(QPalette::WindowText) : shell::Theme::colors().bad);
  m_problem->setPalette(palette);
  m_input->setAccessibleDescription(words.isEmpty() ? m_spec.help : words);
}

QString Field::helpWords() const {
  QStringList lines = {m_spec.help, tr("In the file: %1").arg(m_spec.key)};
  if (!m_spec.standard.isEmpty()) lines << tr("Default: %1").arg(m_spec.standardWords);
  if (!m_spec.waitsFor.isEmpty()) lines << tr("Not yet available: %1").arg(m_spec.waitsFor);
  return lines.join(QLatin1Char('\n'));
}

bool Field::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::FocusIn:
      Q_EMIT entered();
      break;
    case QEvent::Wheel:
      // A wheel that scrolls the form changes nothing on its way.
      if (qobject_cast<QComboBox*>(watched) != nullptr) {
        event->ignore();
        return true;
      }
      break;
    case QEvent::ShortcutOverride: {
      // One stack of undo steps, the text's: not the line's own.
      const auto* const key = static_cast<QKeyEvent*>(event);
      if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
        event->ignore();
        return true;
      }
      break;
    }
    default:
      break;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace mantissa::ui::editor
