// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace mantissa::ui::editor {

/// Characters from `begin` up to and without `end`.
struct Span {
  int begin = 0;
  int end = 0;
};

/// A key with its value, in the body of a table or inside braces.
struct TomlEntry {
  QString path;   ///< "trial[0].scaler.init_scale": items of lists of tables by their place
  QString table;  ///< path of the table in whose body, or between whose braces, it is written; empty: above all tables
  Span key;       ///< as it is spelled, with its dots
  Span value;
  bool isInline = false;  ///< between braces
};

/// A table with a header of its own; the first one has none: the keys above all tables.
struct TomlTable {
  QString path;
  Span header;      ///< [ … ] or [[ … ]]
  int bodyEnd = 0;  ///< the end of the line of its last key, or of its header: before the line break
};

/// Where the keys of a TOML text are. It finds places, it does not judge: core/spec says what is wrong with a text.
class TomlText {
 public:
  /// Nothing where the text is broken in a way that hides places: a text or a bracket that is not closed, a key without
  /// a value.
  static std::optional<TomlText> read(const QString& text);

  const TomlEntry* entry(const QString& path) const;
  const TomlTable* table(const QString& path) const;
  /// In the order of the text.
  const std::vector<TomlEntry>& entries() const { return m_entries; }
  const std::vector<TomlTable>& tables() const { return m_tables; }

  /// The items of a list of tables: [[trial]] blocks, or tables in brackets.
  int count(const QString& list) const;
  /// Whether the key, or anything below it, stands in the text.
  bool has(const QString& path) const;
  /// The value as it is spelled; empty where there is none.
  QString value(const QString& path) const;
  /// The line (from 1) of a key or of a table's header; 0: it has none of its own.
  int lineOf(const QString& path) const;
  /// The key or table that stands at a line (from 1): the innermost one of a body that begins there or before.
  QString pathAt(int line) const;
  const QString& text() const { return m_text; }

 private:
  friend class TomlScanner;

  QString m_text;
  std::vector<TomlEntry> m_entries;
  std::vector<TomlTable> m_tables;
};

/// "trial[0].scaler" of "trial[0].scaler.init_scale"; empty of a key above all tables.
QString parentPath(const QString& path);
/// "init_scale" of the same, without quotes where it had some.
QString lastName(const QString& path);
/// "trial.scaler.init_scale" of the same: as the key catalogue names it.
QString withoutPlaces(const QString& path);

/// The value's text where it is one text in quotes, escapes resolved.
std::optional<QString> decodedText(const QString& value);
/// A value as a label or a comparison needs it: a text without its quotes, and only the beginning of what is longer
/// than any word.
QString wordOf(const QString& value);
/// A text as a value: in double quotes, escaped.
QString tomlText(const QString& text);
/// The values of a list, each as it is spelled; nothing where it is no list.
std::optional<QStringList> listItems(const QString& value);
/// Whether a value is a number as TOML spells it, in the C locale.
bool isTomlNumber(const QString& value);

}  // namespace mantissa::ui::editor
