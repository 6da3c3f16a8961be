// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include "ui/editor/key_fields.h"

class QBoxLayout;
class QToolButton;

namespace mantissa::ui::shell {
class ElidedLabel;
}

namespace mantissa::ui::editor {

/// One key of the file in the form: a widget by its type, its unit, a button that takes the key out of the file, and
/// below them what is wrong with it, in a line that is always there: no field moves when words come or go.
///
/// Values travel as TOML spells them. What is entered is written as it is, in the C locale; what is no number in the
/// place of one becomes a text: the file stays TOML, no engine takes it for a number, and the field says at once what
/// it expected.
class Field : public QWidget {
  Q_OBJECT

 public:
  /// \param path  of the key in the text: "trial[0].name"
  static Field* make(const FieldSpec& spec, const QString& path, QWidget* parent = nullptr);

  const FieldSpec& spec() const { return m_spec; }
  const QString& path() const { return m_path; }
  /// What a person works with: the combo box, the line.
  QWidget* input() const { return m_input; }

  /// \param value  as it is spelled; empty: the key is not in the file
  void showValue(const QString& value);
  /// What counts while the key is not in the file.
  virtual void showDefault(const QString& words) = 0;
  /// What the engine says of it. What is wrong with the value's type is said in any case.
  void showProblem(const QString& words);
  const QString& problem() const { return m_problemWords; }

  /// Longer values stand in the text alone: a line of one letter more takes a person nowhere, and one of a million
  /// letters takes half a second to be laid out, at every key.
  static constexpr int kLongestValue = 10'000;  ///< letters, as TOML spells it

  /// Empties what was typed and not sent yet: a line that was emptied keeps its key until it is left.
  /// \return whether there was something
  virtual bool takeBackTyping() { return false; }
  /// Sends it, as leaving the field does.
  virtual void finishTyping() {}

  /// The folder that paths are relative to; empty: none yet.
  void setFolder(const QString& folder) { m_folder = folder; }

 Q_SIGNALS:
  /// A person entered a value. \param isTyping  the next ones are of the same edit until the field is left
  void edited(const QString& value, bool isTyping);
  /// A person took the key out of the file.
  void cleared();
  /// The keyboard came into the field.
  void entered();

 protected:
  Field(const FieldSpec& spec, const QString& path, QWidget* parent);

  /// Puts the input into the row; call it once, in the constructor.
  void setInput(QWidget* input);
  /// Behind the input.
  void addToRow(QWidget* widget);
  virtual void showInInput(const QString& value) = 0;
  const QString& folder() const { return m_folder; }
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QString helpWords() const;
  void tellProblem();

  FieldSpec m_spec;
  QString m_path;
  QString m_folder;
  QWidget* m_input = nullptr;
  QBoxLayout* m_row;
  QToolButton* m_clear;
  shell::ElidedLabel* m_problem;
  QString m_problemWords;
  QString m_value;
  bool m_isTooLong = false;  ///< to be shown
  QString m_valueProblem;    ///< of the value's type: known at once
  QString m_engineProblem;   ///< of the last check
};

}  // namespace mantissa::ui::editor
