// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/toml_text.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace mantissa::ui::editor {
namespace {

bool isBare(QChar c) {
  return (c >= QLatin1Char('a') && c <= QLatin1Char('z')) || (c >= QLatin1Char('A') && c <= QLatin1Char('Z')) ||
         (c >= QLatin1Char('0') && c <= QLatin1Char('9')) || c == QLatin1Char('_') || c == QLatin1Char('-');
}

/// A name as a part of a path: in quotes where a dot or a bracket in it could be taken for structure.
QString asSegment(const QString& name) {
  const bool isPlain = !name.isEmpty() && std::all_of(name.begin(), name.end(), isBare);
  return isPlain ? name : tomlText(name);
}

QString joined(const QString& table, const QString& name) {
  return table.isEmpty() ? name : table + QLatin1Char('.') + name;
}

bool isBelow(const QString& path, const QString& table) {
  return path.startsWith(table) && path.size() > table.size() &&
         (path[table.size()] == QLatin1Char('.') || path[table.size()] == QLatin1Char('['));
}

/// Where the last segment of a path begins: behind the last dot that is in no quotes.
qsizetype lastSegment(const QString& path) {
  qsizetype begin = 0;
  bool isQuoted = false;
  for (qsizetype i = 0; i < path.size(); ++i) {
    if (isQuoted && path[i] == QLatin1Char('\\')) {
      ++i;
    } else if (path[i] == QLatin1Char('"')) {
      isQuoted = !isQuoted;
    } else if (!isQuoted && path[i] == QLatin1Char('.')) {
      begin = i + 1;
    }
  }
  return begin;
}

}  // namespace

/// Reads a text once, from its begin to its end.
class TomlScanner {
 public:
  explicit TomlScanner(const QString& text) : m_text(text), m_size(static_cast<int>(text.size())) {
    m_result.m_text = text;
    m_result.m_tables.push_back({});
  }

  std::optional<TomlText> scan() {
    while (skipToContent(), m_at < m_size) {
      if (!(peek() == QLatin1Char('[') ? takeHeader() : takeLine())) return std::nullopt;
    }
    return std::move(m_result);
  }

 private:
  QChar peek(int ahead = 0) const { return m_at + ahead < m_size ? m_text[m_at + ahead] : QChar(); }

  void skipBlanks() {
    while (peek() == QLatin1Char(' ') || peek() == QLatin1Char('\t')) ++m_at;
  }

  void skipComment() {
    if (peek() != QLatin1Char('#')) return;
    while (m_at < m_size && peek() != QLatin1Char('\n')) ++m_at;
  }

  /// Past blanks, line breaks and comments.
  void skipToContent() {
    while (m_at < m_size && (peek().isSpace() || peek() == QLatin1Char('#'))) {
      if (peek() == QLatin1Char('#')) {
        skipComment();
      } else {
        ++m_at;
      }
    }
  }

  /// The rest of a line holds nothing more. \return false where it does
  bool endLine() {
    skipBlanks();
    skipComment();
    int end = m_at;
    if (end > 0 && m_text[end - 1] == QLatin1Char('\r')) --end;
    if (peek() == QLatin1Char('\r')) ++m_at;
    m_result.m_tables.back().bodyEnd = end;
    return m_at == m_size || peek() == QLatin1Char('\n');
  }

  bool takeHeader() {
    const int begin = m_at;
    const bool isItem = peek(1) == QLatin1Char('[');
    m_at += isItem ? 2 : 1;
    QStringList names;
    if (!takeKey(names)) return false;
    for (int i = 0; i < (isItem ? 2 : 1); ++i, ++m_at) {
      if (peek() != QLatin1Char(']')) return false;
    }
    QString path;
    for (int i = 0; i < names.size(); ++i) {
      path = joined(path, names[i]);
      // Below a list, its newest item is meant.
      const bool isList = m_counts.contains(path);
      if (isItem && i + 1 == names.size()) {
        path += QStringLiteral("[%1]").arg(m_counts[path]++);
      } else if (isList) {
        path += QStringLiteral("[%1]").arg(m_counts[path] - 1);
      }
    }
    m_result.m_tables.push_back({path, {begin, m_at}, m_at});
    return endLine();
  }

  bool takeLine() {
    const QString table = m_result.m_tables.back().path;
    return takeEntry(table, false) && endLine();
  }

  bool takeEntry(const QString& table, bool isInline) {
    TomlEntry entry;
    entry.table = table;
    entry.isInline = isInline;
    entry.key.begin = m_at;
    QStringList names;
    if (!takeKey(names)) return false;
    entry.key.end = m_keyEnd;
    entry.path = joined(table, names.join(QLatin1Char('.')));
    if (peek() != QLatin1Char('=')) return false;
    ++m_at;
    skipBlanks();
    entry.value.begin = m_at;
    const std::size_t place = m_result.m_entries.size();
    m_result.m_entries.push_back(entry);
    if (!takeValue(entry.path)) return false;
    m_result.m_entries[place].value.end = m_at;
    return true;
  }

  bool takeKey(QStringList& names) {
    while (true) {
      skipBlanks();
      const int begin = m_at;
      if (peek() == QLatin1Char('"') || peek() == QLatin1Char('\'')) {
        if (!takeText()) return false;
        names << asSegment(decodedText(m_text.mid(begin, m_at - begin)).value_or(QString()));
      } else {
        while (isBare(peek())) ++m_at;
        if (m_at == begin) return false;
        names << m_text.mid(begin, m_at - begin);
      }
      m_keyEnd = m_at;
      skipBlanks();
      if (peek() != QLatin1Char('.')) return true;
      ++m_at;
    }
  }

  bool takeText() {
    const QChar quote = peek();
    const bool isLong = peek(1) == quote && peek(2) == quote;
    m_at += isLong ? 3 : 1;
    while (m_at < m_size) {
      const QChar c = peek();
      if (c == QLatin1Char('\\') && quote == QLatin1Char('"')) {
        m_at += 2;
      } else if (c == quote && (!isLong || (peek(1) == quote && peek(2) == quote))) {
        m_at += isLong ? 3 : 1;
        // A long text may end in up to two more quotes of its own.
        while (isLong && peek() == quote) ++m_at;
        return true;
      } else if (c == QLatin1Char('\n') && !isLong) {
        return false;
      } else {
        ++m_at;
      }
    }
    return false;
  }

  bool takeValue(const QString& path) {
    const QChar c = peek();
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) return takeText();
    if (c == QLatin1Char('[')) return takeList(path);
    if (c == QLatin1Char('{')) return takeBraces(path);
    const int begin = m_at;
    int end = m_at;
    while (m_at < m_size && !QStringLiteral(",]}#\n\r=").contains(peek())) {
      if (!peek().isSpace()) end = m_at + 1;
      ++m_at;
    }
    m_at = end;
    return end > begin;
  }

  bool takeList(const QString& path) {
    ++m_at;
    for (int i = 0;; ++i) {
      skipToContent();
      if (peek() == QLatin1Char(']')) break;
      const QString item = QStringLiteral("%1[%2]").arg(path).arg(i);
      const bool isTable = peek() == QLatin1Char('{');
      const std::size_t place = m_result.m_entries.size();
      if (isTable) m_result.m_entries.push_back({item, path, {m_at, m_at}, {m_at, m_at}, true});
      if (!takeValue(item)) return false;
      if (isTable) {
        m_result.m_entries[place].value.end = m_at;
        m_counts[path] = i + 1;
      }
      skipToContent();
      if (peek() == QLatin1Char(',')) {
        ++m_at;
      } else if (peek() != QLatin1Char(']')) {
        return false;
      }
    }
    ++m_at;
    return true;
  }

  bool takeBraces(const QString& path) {
    ++m_at;
    while (true) {
      skipToContent();
      if (peek() == QLatin1Char('}')) break;
      if (!takeEntry(path, true)) return false;
      skipToContent();
      if (peek() == QLatin1Char(',')) {
        ++m_at;
      } else if (peek() != QLatin1Char('}')) {
        return false;
      }
    }
    ++m_at;
    return true;
  }

  const QString& m_text;
  int m_size;
  int m_at = 0;
  int m_keyEnd = 0;
  QHash<QString, int> m_counts;  ///< items of lists of tables
  TomlText m_result;
};

std::optional<TomlText> TomlText::read(const QString& text) { return TomlScanner(text).scan(); }

const TomlEntry* TomlText::entry(const QString& path) const {
  for (const TomlEntry& one : m_entries) {
    if (one.path == path) return &one;
  }
  return nullptr;
}

const TomlTable* TomlText::table(const QString& path) const {
  for (const TomlTable& one : m_tables) {
    if (one.path == path) return &one;
  }
  return nullptr;
}

int TomlText::count(const QString& list) const {
  int items = 0;
  while (has(QStringLiteral("%1[%2]").arg(list).arg(items))) ++items;
  return items;
}

bool TomlText::has(const QString& path) const {
  const auto isThere = [&](const QString& one) { return one == path || isBelow(one, path); };
  return std::any_of(m_entries.begin(), m_entries.end(), [&](const TomlEntry& one) { return isThere(one.path); }) ||
         std::any_of(m_tables.begin(), m_tables.end(), [&](const TomlTable& one) { return isThere(one.path); });
}

QString TomlText::value(const QString& path) const {
  const TomlEntry* const found = entry(path);
  return found == nullptr ? QString() : m_text.mid(found->value.begin, found->value.end - found->value.begin);
}

int TomlText::lineOf(const QString& path) const {
  int position = -1;
  if (const TomlEntry* const found = entry(path)) {
    position = found->key.begin;
  } else if (const TomlTable* const header = table(path); header != nullptr && header->header.end > 0) {
    position = header->header.begin;
  }
  return position < 0 ? 0 : 1 + static_cast<int>(QStringView(m_text).left(position).count(QLatin1Char('\n')));
}

QString TomlText::pathAt(int line) const {
  int begin = 0;
  for (int i = 1; i < line; ++i) {
    const qsizetype next = m_text.indexOf(QLatin1Char('\n'), begin);
    if (next < 0) break;
    begin = static_cast<int>(next) + 1;
  }
  const qsizetype lineBreak = m_text.indexOf(QLatin1Char('\n'), begin);
  const int end = lineBreak < 0 ? static_cast<int>(m_text.size()) : static_cast<int>(lineBreak);
  for (const TomlEntry& one : m_entries) {
    if (!one.isInline && one.key.begin <= end && one.value.end >= begin) return one.path;
  }
  QString path;
  for (const TomlTable& one : m_tables) {
    if (one.header.begin <= end) path = one.path;
  }
  return path;
}

QString parentPath(const QString& path) {
  if (path.endsWith(QLatin1Char(']'))) {
    const qsizetype bracket = path.lastIndexOf(QLatin1Char('['));
    if (bracket > 0) return path.left(bracket);
  }
  const qsizetype begin = lastSegment(path);
  return begin == 0 ? QString() : path.left(begin - 1);
}

QString lastName(const QString& path) {
  const QString name = path.mid(lastSegment(path));
  return name.startsWith(QLatin1Char('"')) ? decodedText(name).value_or(name) : name;
}

QString withoutPlaces(const QString& path) {
  static const QRegularExpression place(QStringLiteral("\\[[0-9]+\\]"));
  return QString(path).remove(place);
}

std::optional<QString> decodedText(const QString& value) {
  const QChar quote = value.isEmpty() ? QChar() : value[0];
  if (quote != QLatin1Char('"') && quote != QLatin1Char('\'')) return std::nullopt;
  const bool isLong = value.size() >= 6 && value.startsWith(QString(3, quote));
  const int marks = isLong ? 3 : 1;
  if (value.size() < 2 * marks || !value.endsWith(QString(marks, quote))) return std::nullopt;
  QString body = value.mid(marks, value.size() - 2 * marks);
  if (isLong && body.startsWith(QLatin1Char('\n'))) body.remove(0, 1);
  if (quote == QLatin1Char('\'')) return body;
  QString text;
  for (qsizetype i = 0; i < body.size(); ++i) {
    if (body[i] != QLatin1Char('\\')) {
      text += body[i];
      continue;
    }
    if (++i == body.size()) return std::nullopt;
    const char letter = body[i].toLatin1();
    const QByteArray letters("btnfre\"\\");
    const char* const meanings = "\b\t\n\f\r\x1b\"\\";
    if (const qsizetype known = letters.indexOf(letter); known >= 0 && letter != '\0') {
      text += QLatin1Char(meanings[known]);
    } else if (letter == 'u' || letter == 'U') {
      const int digits = letter == 'u' ? 4 : 8;
      bool isHex = false;
      const char32_t code = body.mid(i + 1, digits).toUInt(&isHex, 16);
      if (!isHex) return std::nullopt;
      text += QString::fromUcs4(&code, 1);
      i += digits;
    } else if (isLong && body[i].isSpace()) {
      while (i + 1 < body.size() && body[i + 1].isSpace()) ++i;  // a line that goes on
    } else {
      return std::nullopt;
    }
  }
  return text;
}

QString wordOf(const QString& value) {
  constexpr int kLongestWord = 1000;
  if (value.size() > kLongestWord) return value.left(kLongestWord) + QStringLiteral("…");
  return decodedText(value).value_or(value);
}

QString tomlText(const QString& text) {
  QString value = QStringLiteral("\"");
  for (const QChar c : text) {
    if (c == QLatin1Char('"') || c == QLatin1Char('\\')) {
      value += QLatin1Char('\\');
      value += c;
    } else if (c == QLatin1Char('\n')) {
      value += QLatin1String("\\n");
    } else if (c == QLatin1Char('\t')) {
      value += QLatin1String("\\t");
    } else if (c.unicode() < 0x20 || c.unicode() == 0x7f) {
      value += QStringLiteral("\\u%1").arg(c.unicode(), 4, 16, QLatin1Char('0'));
    } else {
      value += c;
    }
  }
  return value + QLatin1Char('"');
}

std::optional<QStringList> listItems(const QString& value) {
  if (!value.startsWith(QLatin1Char('['))) return std::nullopt;
  // The scanner knows where values end: a list is what a key could have.
  QStringList items;
  int depth = 0;
  QString item;
  for (qsizetype i = 0; i < value.size(); ++i) {
    const QChar c = value[i];
    if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
      const bool isLong = QStringView(value).mid(i).startsWith(QString(3, c));
      const QString end(isLong ? 3 : 1, c);
      qsizetype at = i + end.size();
      while (at < value.size() && !QStringView(value).mid(at).startsWith(end)) {
        at += value[at] == QLatin1Char('\\') && c == QLatin1Char('"') ? 2 : 1;
      }
      at = std::min(at + end.size(), value.size());
      item += QStringView(value).mid(i, at - i);
      i = at - 1;
      continue;
    }
    if (c == QLatin1Char('#')) {
      while (i < value.size() && value[i] != QLatin1Char('\n')) ++i;
      continue;
    }
    const bool opens = c == QLatin1Char('[') || c == QLatin1Char('{');
    const bool closes = c == QLatin1Char(']') || c == QLatin1Char('}');
    if (opens && ++depth == 1) continue;
    if (closes && --depth == 0) break;
    if (depth == 1 && c == QLatin1Char(',')) {
      items << item.trimmed();
      item.clear();
    } else {
      item += c;
    }
  }
  if (!item.trimmed().isEmpty()) items << item.trimmed();
  return items;
}

bool isTomlNumber(const QString& value) {
  static const QRegularExpression number(QRegularExpression::anchoredPattern(
      QStringLiteral("[+-]?(?:(?:0|[1-9](?:_?[0-9])*)(?:\\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?|inf|nan)|"
                     "0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*")));
  return number.match(value).hasMatch();
}

}  // namespace mantissa::ui::editor
