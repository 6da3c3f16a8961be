// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>
#include <QString>
#include <QWidget>

namespace mantissa::ui::shell {
class ElidedLabel;
}

namespace mantissa::ui::memory {

/// A spin box whose value is a text: a number, and whatever unit a person gives it.
///
/// A step changes the number by one of its second digit (24 GB by 1 GB, 0.34 GB by 0.01 GB), a count and a percentage
/// by one, and leaves the unit. What is no number takes no step; nothing that is typed is ever changed on its own.
class TextSpin : public QAbstractSpinBox {
  Q_OBJECT

 public:
  enum class Kind { Size, Share, Count, Parameters, Duration, Price };

  explicit TextSpin(Kind kind, QWidget* parent = nullptr);

  QString value() const;
  void setValue(const QString& text);
  void setPlaceholder(const QString& text);

  /// The text after so many steps; the same where it takes none.
  static QString stepped(Kind kind, const QString& text, int steps);
  /// A count with its groups of digits, as all counts are written: "40,000"; any other text as it is.
  static QString grouped(Kind kind, const QString& text);

  Kind kind() const { return m_kind; }

  void stepBy(int steps) override;
  QValidator::State validate(QString& input, int& position) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void edited();

 protected:
  StepEnabled stepEnabled() const override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  Kind m_kind;
};

/// A spin box with what is wrong with its text below it, in a line that is always there.
class LedgerField : public QWidget {
  Q_OBJECT

 public:
  /// \param name  as its label says it; \param help  tip and What's This
  LedgerField(TextSpin::Kind kind, const QString& name, const QString& help, QWidget* parent = nullptr);

  QString text() const { return m_spin->value(); }
  /// Not an edit: `edited` is not emitted. A count is written in groups of digits.
  void setText(const QString& text);

  QString problem() const { return m_problemText; }
  void setProblem(const QString& problem);
  /// What the text means, for the tip: "25,769,803,776 bytes".
  void setMeaning(const QString& meaning);
  /// It shows what others say. \param reason  why it cannot be typed
  void setDerived(bool derived, const QString& reason);

  TextSpin* spin() const { return m_spin; }

 Q_SIGNALS:
  void edited();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void describe();
  void color();

  TextSpin* m_spin;
  shell::ElidedLabel* m_problem;
  QString m_help;
  QString m_meaning;
  QString m_reason;
  QString m_problemText;
};

}  // namespace mantissa::ui::memory
