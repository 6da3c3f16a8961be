// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QVector>
#include <QWidget>

#include "ui/editor/key_fields.h"

class QFormLayout;

namespace mantissa::ui::editor {

class Field;
class TomlText;

/// The fields of one table of a text.
class FormSection : public QWidget {
  Q_OBJECT

 public:
  /// \param table  its path in the text: "trial[0]"; empty: the keys above all tables, "*": see SectionSpec
  explicit FormSection(const QString& table, QWidget* parent = nullptr);

  const QString& table() const { return m_table; }
  const QVector<Field*>& fields() const { return m_fields; }

  void showText(const TomlText& toml, const QString& folder);
  /// \param problems  words by the path of a key
  void showProblems(const QHash<QString, QString>& problems);
  /// Keys of other kinds, too: those of a CNN where the model is an MLP.
  void setShowingAll(bool all);
  /// Whether there are any.
  bool hasOthers() const { return m_hasOthers; }

 Q_SIGNALS:
  void edited(const QString& path, const QString& value, bool isTyping);
  void cleared(const QString& path);
  void entered(const QString& path);

 private:
  void addField(const FieldSpec& spec);
  void hideOthers();

  QString m_table;
  QFormLayout* m_form;
  QVector<Field*> m_fields;
  QHash<const Field*, bool> m_isRelevant;
  bool m_isShowingAll = false;
  bool m_hasOthers = false;
};

}  // namespace mantissa::ui::editor
