// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/editor/field.h"

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace mantissa::ui::editor {

/// A combo box of the words that a key takes.
class ChoiceField : public Field {
  Q_OBJECT

 public:
  ChoiceField(const FieldSpec& spec, const QString& path, QWidget* parent);
  void showDefault(const QString& words) override;
  bool takeBackTyping() override;
  void finishTyping() override;

 protected:
  void showInInput(const QString& value) override;

 private:
  void send(const QString& word);

  QComboBox* m_box;
};

/// A check box; half checked while the key is not in the file.
class SwitchField : public Field {
  Q_OBJECT

 public:
  SwitchField(const FieldSpec& spec, const QString& path, QWidget* parent);
  void showDefault(const QString& words) override;

 protected:
  void showInInput(const QString& value) override;

 private:
  QCheckBox* m_box;
};

/// A check box for every word.
class SeveralWordsField : public Field {
  Q_OBJECT

 public:
  SeveralWordsField(const FieldSpec& spec, const QString& path, QWidget* parent);
  void showDefault(const QString& words) override;

 protected:
  void showInInput(const QString& value) override;

 private:
  QVector<QCheckBox*> m_boxes;
};

/// A line: numbers, texts, lists with commas, paths.
class LineField : public Field {
  Q_OBJECT

 public:
  LineField(const FieldSpec& spec, const QString& path, QWidget* parent);
  void showDefault(const QString& words) override;
  bool takeBackTyping() override;
  void finishTyping() override;

 protected:
  void showInInput(const QString& value) override;
  void changeEvent(QEvent* event) override;

 private:
  QString encoded(const QString& text) const;
  QString decoded(const QString& value) const;
  void chooseFile();
  void showWhetherItCanBeChanged();

  QLineEdit* m_line = nullptr;
};

}  // namespace mantissa::ui::editor
