// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

namespace mantissa::ui::editor {

/// A change of a text: `removed` characters at `position` give way to `inserted`.
struct TextEdit {
  int position = 0;
  int removed = 0;
  QString inserted;
};

/// The text after a change.
QString applied(const QString& text, const TextEdit& edit);

// Changes of one key, or of one table, that leave everything else as it is written: comments, order, blanks, line ends.
// Paths are those of TomlText. All return nothing where the text is broken, or where the change has no place in it.

/// Gives a key a value. A key that is there keeps its place and the comment behind it. One that is not goes to the end
/// of its table's body, or between its braces; a table that is not there is made where the contract has it: a header
/// for the tables of a file, the scaler and the schedule, braces for what is inside of them.
/// \param value  as TOML spells it
std::optional<TextEdit> withValue(const QString& text, const QString& path, const QString& value);

/// Takes a key away with its line; between braces with its comma, and with the braces where it was alone.
std::optional<TextEdit> withoutKey(const QString& text, const QString& path);

/// Gives a key another name, its value stays: of a dotted key the last part. Nothing where its table has that name.
std::optional<TextEdit> withOtherName(const QString& text, const QString& path, const QString& name);

/// Adds an item to the end of a list of tables, such as "trial". \param body  its lines below the header
std::optional<TextEdit> withItem(const QString& text, const QString& list, const QString& body);

/// Takes an item of a list of tables away: "trial[1]", with the tables below it and the comment right above it.
std::optional<TextEdit> withoutItem(const QString& text, const QString& path);

/// Writes an item once more, right behind itself.
std::optional<TextEdit> withCopy(const QString& text, const QString& path);

}  // namespace mantissa::ui::editor
