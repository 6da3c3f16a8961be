// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/toml_edit.h"

#include <QStringList>

#include <algorithm>

#include "ui/editor/toml_text.h"

namespace mantissa::ui::editor {
namespace {

/// The tables of a file in the order of the contract: where a new one goes.
const QStringList kOrder = {"data",   "model",  "training", "reference", "trial",   "cases", "rules",
                            "budget", "expect", "cost",     "utility",   "context", "risk"};

bool isAtOrBelow(const QString& path, const QString& table) {
  return path.startsWith(table) && (path.size() == table.size() || path[table.size()] == QLatin1Char('.') ||
                                    path[table.size()] == QLatin1Char('['));
}

QString lineBreakOf(const QString& text) {
  return text.contains(QLatin1String("\r\n")) ? QStringLiteral("\r\n") : QStringLiteral("\n");
}

int lineBegin(const QString& text, int position) {
  return position == 0 ? 0 : static_cast<int>(text.lastIndexOf(QLatin1Char('\n'), position - 1)) + 1;
}

/// Behind the line break of the line that `position` is in.
int lineEnd(const QString& text, int position) {
  const qsizetype end = text.indexOf(QLatin1Char('\n'), position);
  return end < 0 ? static_cast<int>(text.size()) : static_cast<int>(end) + 1;
}

/// A name as a key is spelled.
QString bareOrQuoted(const QString& name) {
  const bool isBare = !name.isEmpty() && std::all_of(name.begin(), name.end(), [](QChar c) {
    return c.unicode() < 128 && (c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('-'));
  });
  return isBare ? name : tomlText(name);
}

QString keyText(const QString& path) { return bareOrQuoted(lastName(path)); }

/// "trial" of "trial[0]", and the place 0; -1 where the path is no item.
int placeOf(const QString& path, QString* list) {
  if (!path.endsWith(QLatin1Char(']'))) return -1;
  const qsizetype bracket = path.lastIndexOf(QLatin1Char('['));
  *list = path.left(bracket);
  return path.mid(bracket + 1).chopped(1).toInt();
}

/// A table inside a table has braces, but for these.
bool hasHeader(const QString& path) {
  if (parentPath(path).isEmpty()) return true;
  const QString name = lastName(path);
  return name == QLatin1String("scaler") || name == QLatin1String("schedule");
}

QString top(const QString& path) { return withoutPlaces(path).section(QLatin1Char('.'), 0, 0); }

/// A line above all tables, where none is yet: below the comment that the file begins with.
TextEdit firstLine(const TomlText& toml, const QString& line) {
  const QString& text = toml.text();
  int position = 0;
  while (position < text.size() && text[position] == QLatin1Char('#')) position = lineEnd(text, position);
  const bool isOfTable = position < text.size() && text[position] == QLatin1Char('[');
  if (isOfTable) position = 0;
  return {position, 0, line + lineBreakOf(text)};
}

/// The end of the line behind which a table of this top name goes.
int endOfTablesUpTo(const TomlText& toml, const QString& name) {
  const bool isBlank = toml.tables().size() == 1 && toml.entries().empty();
  if (isBlank) return static_cast<int>(toml.text().size()) - (toml.text().endsWith(lineBreakOf(toml.text())) ? 1 : 0);
  const qsizetype order = kOrder.indexOf(name);
  int end = toml.tables().front().bodyEnd;
  for (const TomlTable& one : toml.tables()) {
    const qsizetype place = one.path.isEmpty() ? -1 : kOrder.indexOf(top(one.path));
    if (order < 0 || place <= order) end = std::max(end, one.bodyEnd);
  }
  return end;
}

int endOfTablesBelow(const TomlText& toml, const QString& table) {
  int end = -1;
  for (const TomlTable& one : toml.tables()) {
    if (isAtOrBelow(one.path, table)) end = std::max(end, one.bodyEnd);
  }
  return end;
}

/// A new block with a header. \param position  the end of a line
TextEdit newBlock(const QString& text, int position, const QString& header, const QString& lines, bool isApart) {
  const QString lineBreak = lineBreakOf(text);
  QString block = header;
  if (!lines.isEmpty()) block += lineBreak + lines;
  if (position == 0) return {0, 0, block + lineBreak + (text.isEmpty() ? QString() : lineBreak)};
  return {position, 0, lineBreak + (isApart ? lineBreak : QString()) + block};
}

TextEdit newTable(const TomlText& toml, const QString& path, const QString& line) {
  const QString header = QStringLiteral("[%1]").arg(withoutPlaces(path));
  const int within = endOfTablesBelow(toml, parentPath(path).isEmpty() ? path : parentPath(path));
  const int position = within >= 0 ? within : endOfTablesUpTo(toml, top(path));
  return newBlock(toml.text(), position, header, line, lastName(path) != QLatin1String("scaler"));
}

std::optional<TextEdit> newItem(const TomlText& toml, const QString& list, const QString& lines) {
  // A list in brackets has no place for a header.
  if (const TomlEntry* const entry = toml.entry(list)) {
    const QString item = QStringLiteral("{ %1 }").arg(QString(lines).replace(QLatin1Char('\n'), QLatin1String(", ")));
    const std::optional<QStringList> items = listItems(toml.value(list));
    if (!items) return std::nullopt;
    if (items->isEmpty()) return TextEdit{entry->value.begin, entry->value.end - entry->value.begin, '[' + item + ']'};
    const TomlEntry* const last = toml.entry(QStringLiteral("%1[%2]").arg(list).arg(toml.count(list) - 1));
    if (last == nullptr) return std::nullopt;
    return TextEdit{last->value.end, 0, QStringLiteral(", ") + item};
  }
  int position = -1;
  for (int i = 0; i < toml.count(list); ++i) {
    position = std::max(position, endOfTablesBelow(toml, QStringLiteral("%1[%2]").arg(list).arg(i)));
  }
  if (position < 0) position = endOfTablesUpTo(toml, top(list));
  return newBlock(toml.text(), position, QStringLiteral("[[%1]]").arg(withoutPlaces(list)), lines, true);
}

/// Indentation of the line that a key begins.
QString indentOf(const QString& text, const TomlEntry& entry) {
  const int begin = lineBegin(text, entry.key.begin);
  return text.mid(begin, entry.key.begin - begin);
}

const TomlEntry* lastIn(const TomlText& toml, const QString& table, bool isInline) {
  const TomlEntry* last = nullptr;
  for (const TomlEntry& one : toml.entries()) {
    if (one.table == table && one.isInline == isInline) last = &one;
  }
  return last;
}

/// The last key of a table that only dots make: scaler.init_scale.
const TomlEntry* lastDotted(const TomlText& toml, const QString& table) {
  const TomlEntry* last = nullptr;
  for (const TomlEntry& one : toml.entries()) {
    if (one.path.startsWith(table + QLatin1Char('.')) && one.table.size() < table.size()) last = &one;
  }
  return last;
}

TextEdit behind(const QString& text, const TomlEntry& entry, const QString& keyAndValue) {
  if (entry.isInline) return {entry.value.end, 0, QStringLiteral(", ") + keyAndValue};
  int position = lineEnd(text, entry.value.end);
  if (position > 0 && text[position - 1] == QLatin1Char('\n')) --position;
  if (position > 0 && text[position - 1] == QLatin1Char('\r')) --position;
  return {position, 0, lineBreakOf(text) + indentOf(text, entry) + keyAndValue};
}

/// The entries of the same braces, or of the same brackets, in order.
std::vector<const TomlEntry*> members(const TomlText& toml, const QString& table) {
  std::vector<const TomlEntry*> found;
  for (const TomlEntry& one : toml.entries()) {
    if (one.isInline && one.table == table) found.push_back(&one);
  }
  return found;
}

TextEdit withoutMember(const TomlText& toml, const TomlEntry& entry) {
  const std::vector<const TomlEntry*> all = members(toml, entry.table);
  const auto place = std::find(all.begin(), all.end(), &entry) - all.begin();
  if (place + 1 < static_cast<std::ptrdiff_t>(all.size())) {
    const int next = all[static_cast<std::size_t>(place) + 1]->key.begin;
    return {entry.key.begin, next - entry.key.begin, {}};
  }
  const int begin = place == 0 ? entry.key.begin : all[static_cast<std::size_t>(place) - 1]->value.end;
  return {begin, entry.value.end - begin, {}};
}

/// The lines of an item with a header, its tables below it included; nothing where others stand between them.
std::optional<Span> linesOf(const TomlText& toml, const QString& path) {
  const QString& text = toml.text();
  Span lines{-1, -1};
  bool isOver = false;
  for (const TomlTable& one : toml.tables()) {
    if (!isAtOrBelow(one.path, path)) {
      isOver = lines.begin >= 0;
      continue;
    }
    if (isOver) return std::nullopt;
    if (lines.begin < 0) lines.begin = lineBegin(text, one.header.begin);
    lines.end = one.bodyEnd;
  }
  if (lines.begin < 0) return std::nullopt;
  return lines;
}

}  // namespace

QString applied(const QString& text, const TextEdit& edit) {
  return text.left(edit.position) + edit.inserted + text.mid(edit.position + edit.removed);
}

std::optional<TextEdit> withValue(const QString& text, const QString& path, const QString& value) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return std::nullopt;
  if (const TomlEntry* const entry = toml->entry(path)) {
    return TextEdit{entry->value.begin, entry->value.end - entry->value.begin, value};
  }
  if (toml->has(path)) return std::nullopt;  // a table, or one that dots make: no value can stand there
  const QString table = parentPath(path);
  const QString line = QStringLiteral("%1 = %2").arg(keyText(path), value);
  if (const TomlEntry* const entry = toml->entry(table); entry != nullptr && !table.isEmpty()) {
    if (toml->value(table).startsWith(QLatin1Char('['))) return std::nullopt;
    // Between the braces; anything else that stands there gives way to them.
    const TomlEntry* const last = lastIn(*toml, table, true);
    if (last != nullptr) return behind(text, *last, line);
    return TextEdit{entry->value.begin, entry->value.end - entry->value.begin, QStringLiteral("{ %1 }").arg(line)};
  }
  if (const TomlTable* const header = toml->table(table)) {
    if (const TomlEntry* const last = lastIn(*toml, table, false)) return behind(text, *last, line);
    if (table.isEmpty()) return firstLine(*toml, line);
    return TextEdit{header->bodyEnd, 0, lineBreakOf(text) + line};
  }
  if (const TomlEntry* const sibling = lastDotted(*toml, table)) {
    const QString dots = sibling->table.isEmpty() ? table : table.mid(sibling->table.size() + 1);
    return behind(text, *sibling, dots + QLatin1Char('.') + line);
  }
  QString list;
  if (const int place = placeOf(table, &list); place >= 0) {
    return place == toml->count(list) ? newItem(*toml, list, line) : std::nullopt;
  }
  const TomlEntry* const above = toml->entry(parentPath(table));
  const bool isInNewItem = parentPath(table).endsWith(QLatin1Char(']')) && !toml->has(parentPath(table));
  if (hasHeader(table) && above == nullptr && !isInNewItem) return newTable(*toml, table, line);
  return withValue(text, table, QStringLiteral("{ %1 }").arg(line));
}

std::optional<TextEdit> withoutKey(const QString& text, const QString& path) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return std::nullopt;
  const TomlEntry* const entry = toml->entry(path);
  if (entry == nullptr) return std::nullopt;
  if (entry->isInline) {
    const bool isAlone = members(*toml, entry->table).size() == 1;
    const bool isInItem = entry->table.endsWith(QLatin1Char(']'));
    if (isAlone && !isInItem && toml->entry(entry->table) != nullptr) return withoutKey(text, entry->table);
    return withoutMember(*toml, *entry);
  }
  int begin = lineBegin(text, entry->key.begin);
  const int end = lineEnd(text, entry->value.end);
  // The last line without a line break takes the one before with it.
  const bool isLast = end == text.size() && (end == 0 || text[end - 1] != QLatin1Char('\n'));
  if (isLast && begin > 0) {
    --begin;
    if (begin > 0 && text[begin - 1] == QLatin1Char('\r')) --begin;
  }
  return TextEdit{begin, end - begin, {}};
}

std::optional<TextEdit> withOtherName(const QString& text, const QString& path, const QString& name) {
  const std::optional<TomlText> toml = TomlText::read(text);
  const TomlEntry* const entry = toml ? toml->entry(path) : nullptr;
  if (entry == nullptr) return std::nullopt;
  const QString key = text.mid(entry->key.begin, entry->key.end - entry->key.begin);
  // The last part begins behind the last dot that is in no quotes.
  int begin = 0;
  QChar quote;
  for (int i = 0; i < key.size(); ++i) {
    if (!quote.isNull()) {
      if (key[i] == QLatin1Char('\\') && quote == QLatin1Char('"')) {
        ++i;
      } else if (key[i] == quote) {
        quote = QChar();
      }
    } else if (key[i] == QLatin1Char('"') || key[i] == QLatin1Char('\'')) {
      quote = key[i];
    } else if (key[i] == QLatin1Char('.')) {
      begin = i + 1;
    }
  }
  while (begin < key.size() && key[begin].isSpace()) ++begin;
  const QString spelled = bareOrQuoted(name);
  const QString parent = parentPath(path);
  if (toml->has(parent.isEmpty() ? spelled : parent + QLatin1Char('.') + spelled)) return std::nullopt;
  return TextEdit{entry->key.begin + begin, static_cast<int>(key.trimmed().size()) - begin, spelled};
}

std::optional<TextEdit> withItem(const QString& text, const QString& list, const QString& body) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return std::nullopt;
  QString lines = body;
  if (toml->entry(list) == nullptr) lines.replace(QLatin1Char('\n'), lineBreakOf(text));
  return newItem(*toml, list, lines);
}

std::optional<TextEdit> withoutItem(const QString& text, const QString& path) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return std::nullopt;
  if (const TomlEntry* const entry = toml->entry(path)) return withoutMember(*toml, *entry);
  const std::optional<Span> lines = linesOf(*toml, path);
  if (!lines) return std::nullopt;
  int begin = lines->begin;
  while (begin > 0) {
    const int before = lineBegin(text, begin - 1);
    if (text[before] != QLatin1Char('#')) break;
    begin = before;
  }
  int end = lineEnd(text, lines->end);
  // The blank lines behind it go with it; at the end of the file those before it.
  while (end < text.size() && text.mid(end, lineEnd(text, end) - end).trimmed().isEmpty()) end = lineEnd(text, end);
  if (end == text.size()) {
    while (begin > 0 && text.mid(lineBegin(text, begin - 1), begin - lineBegin(text, begin - 1)).trimmed().isEmpty()) {
      begin = lineBegin(text, begin - 1);
    }
  }
  return TextEdit{begin, end - begin, {}};
}

std::optional<TextEdit> withCopy(const QString& text, const QString& path) {
  const std::optional<TomlText> toml = TomlText::read(text);
  if (!toml) return std::nullopt;
  if (const TomlEntry* const entry = toml->entry(path)) {
    return TextEdit{entry->value.end, 0, QStringLiteral(", ") + toml->value(path)};
  }
  const std::optional<Span> lines = linesOf(*toml, path);
  if (!lines) return std::nullopt;
  const QString lineBreak = lineBreakOf(text);
  return TextEdit{lines->end, 0, lineBreak + lineBreak + text.mid(lines->begin, lines->end - lines->begin)};
}

}  // namespace mantissa::ui::editor
