// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/ledger_field.h"

#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "ui/memory/ledger_words.h"
#include "ui/memory/typed_ledger.h"
#include "ui/plain_tip.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/theme.h"

namespace mantissa::ui::memory {
namespace {

constexpr int kLeastWidth = 90;  // px
constexpr double kSmall = 0.9;   // of the form's font

/// Of the number's second digit; one digit less where it would fall into the decade below.
double stepOf(double number, int steps) {
  if (number <= 0) return 1;
  double step = std::pow(10.0, std::floor(std::log10(number)) - 1);
  if (steps < 0 && number <= step * 10) step /= 10;
  return step;
}

}  // namespace

TextSpin::TextSpin(Kind kind, QWidget* parent) : QAbstractSpinBox(parent), m_kind(kind) {
  setFocusPolicy(Qt::StrongFocus);
  lineEdit()->setAlignment(Qt::AlignRight);
  connect(lineEdit(), &QLineEdit::textChanged, this, &TextSpin::edited);
}

QString TextSpin::value() const { return lineEdit()->text(); }

void TextSpin::setValue(const QString& text) {
  if (text != value()) lineEdit()->setText(text);
}

void TextSpin::setPlaceholder(const QString& text) { lineEdit()->setPlaceholderText(text); }

QString TextSpin::stepped(Kind kind, const QString& text, int steps) {
  if (kind == Kind::Count) {
    const std::optional<std::int64_t> count = countOf(text);
    // Doubles hold no count exactly beyond 2^53; nobody steps there.
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    if (!count || *count < 1 || *count > kMost) return text;
    return countText(std::max<std::int64_t>(1, *count + steps));
  }
  static const QRegularExpression form(QStringLiteral("^\\s*([0-9.eE+]+)(.*)$"));
  const QString pointed = withDecimalPoint(text);
  const bool hasComma = pointed != text;
  const QRegularExpressionMatch match = form.match(pointed);
  if (!match.hasMatch()) return text;
  const std::optional<double> number = number_from_text(match.captured(1).toStdString());
  if (!number || !std::isfinite(*number) || *number < 0) return text;
  const bool isPercent = kind == Kind::Share && match.captured(2).contains(u'%');
  double step = isPercent ? 1 : stepOf(*number, steps);
  if (kind == Kind::Share && !isPercent) step = 0.01;
  double next = std::max(0.0, *number + steps * step);
  if (kind == Kind::Share) next = std::min(next, isPercent ? 99.0 : 0.99);
  // To the step's own digits: 0.34 + 0.01 is 0.35 and no 0.35000000000000003.
  const int digits = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  QString shown = QString::number(next, 'f', digits);
  // A step upwards keeps the decimals that a person typed ("2.50"), and no others.
  const qsizetype point = match.captured(1).indexOf(u'.');
  const qsizetype decimals = point < 0 ? 0 : match.captured(1).size() - point - 1;
  if (decimals > digits) shown = QString::number(next, 'f', static_cast<int>(std::min<qsizetype>(decimals, 12)));
  if (hasComma) shown.replace(u'.', u',');
  return shown + match.captured(2);
}

QString TextSpin::grouped(Kind kind, const QString& text) {
  const std::optional<std::int64_t> count = kind == Kind::Count ? countOf(text) : std::nullopt;
  return count && *count >= 0 ? countText(*count) : text;
}

void TextSpin::stepBy(int steps) {
  setValue(stepped(m_kind, value(), steps));
  lineEdit()->selectAll();
}

QValidator::State TextSpin::validate(QString& /*input*/, int& /*position*/) const { return QValidator::Acceptable; }

QAbstractSpinBox::StepEnabled TextSpin::stepEnabled() const {
  if (isReadOnly()) return StepNone;
  return StepUpEnabled | StepDownEnabled;
}

/// Of a wheel that turns the page, not of one that a person has gone to this field for.
void TextSpin::wheelEvent(QWheelEvent* event) {
  if (!hasFocus()) return event->ignore();
  QAbstractSpinBox::wheelEvent(event);
}

QSize TextSpin::sizeHint() const { return {kLeastWidth * 3 / 2, QAbstractSpinBox::sizeHint().height()}; }

QSize TextSpin::minimumSizeHint() const { return {kLeastWidth, QAbstractSpinBox::minimumSizeHint().height()}; }

LedgerField::LedgerField(TextSpin::Kind kind, const QString& name, const QString& help, QWidget* parent)
    : QWidget(parent), m_spin(new TextSpin(kind)), m_problem(new shell::ElidedLabel), m_help(help) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_spin);
  layout->addWidget(m_problem);
  // A line that is always there: no field moves when words come or go.
  QFont small = m_problem->font();
  if (small.pointSizeF() > 0) small.setPointSizeF(small.pointSizeF() * kSmall);
  m_problem->setFont(small);
  m_problem->setFixedHeight(m_problem->fontMetrics().height());
  m_problem->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_spin->setAccessibleName(name);
  m_spin->setWhatsThis(help);
  m_spin->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setFocusProxy(m_spin);
  connect(m_spin, &TextSpin::edited, this, &LedgerField::edited);
  describe();
}

void LedgerField::setText(const QString& text) {
  const QSignalBlocker quiet(m_spin);
  m_spin->setValue(TextSpin::grouped(m_spin->kind(), text));
}

void LedgerField::setProblem(const QString& problem) {
  if (problem == m_problemText) return;
  m_problemText = problem;
  m_problem->setText(QString(problem).replace(QLatin1Char('\n'), QLatin1Char(' ')));
  m_problem->setToolTip(plainTip(problem));
  color();
  describe();
}

void LedgerField::setMeaning(const QString& meaning) {
  if (meaning == m_meaning) return;
  m_meaning = meaning;
  describe();
}

void LedgerField::setDerived(bool derived, const QString& reason) {
  m_spin->setReadOnly(derived);
  m_spin->setButtonSymbols(derived ? QAbstractSpinBox::NoButtons : QAbstractSpinBox::UpDownArrows);
  m_reason = derived ? reason : QString();
  describe();
}

void LedgerField::describe() {
  QStringList tip{m_help};
  if (!m_meaning.isEmpty()) tip << m_meaning;
  if (!m_reason.isEmpty()) tip << m_reason;
  m_spin->setToolTip(plainTip(tip.join(u'\n')));
  m_spin->setAccessibleDescription(m_problemText.isEmpty() ? m_meaning : m_problemText);
}

void LedgerField::color() {
  const QColor bad = shell::Theme::colors().bad;
  QPalette own = m_problem->palette();
  if (own.color(QPalette::WindowText) != bad) {
    own.setColor(QPalette::WindowText, bad);
    m_problem->setPalette(own);
  }
}

void LedgerField::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_problem != nullptr) color();
}

}  // namespace mantissa::ui::memory
