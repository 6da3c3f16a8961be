// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace mantissa::ui::editor {

/// A text file as it was read: what is needed to write it back so that only what a person changed is other than before.
struct TextFile {
  QString path;
  QByteArray bytes;  ///< as on the disk when it was read or written last
  bool hasByteOrderMark = false;
  bool hasCarriageReturns = false;  ///< most lines end in CR LF: all will
  bool hasMixedEndings = false;     ///< some lines ended otherwise than most
  QString text;                     ///< lines end in LF
};

/// What stands under a file's name now.
struct OnDisk {
  enum class Kind { Nothing, Folder, Unreadable, TooLarge, Bytes };
  Kind kind = Kind::Nothing;
  QByteArray bytes;  ///< of the file; nothing where it is another kind
};

/// Looks at a file that may be anything by now: reads no more of it than readTextFile() takes.
OnDisk onDisk(const QString& path);

/// Reads a file for editing. \throws Error FileProblem: missing, unreadable, a folder, not UTF-8, too large
TextFile readTextFile(const QString& path);

/// What a text's bytes say of byte order mark and line ends; neither path nor text.
TextFile formOf(const QByteArray& bytes);

/// The bytes that `text` has in this file: its byte order mark, its line ends.
QByteArray bytesOf(const TextFile& file, const QString& text);

/// Whether the file holds other bytes now than when it was read or written here; also where it is gone.
bool isChangedOutside(const TextFile& file);

/// Writes `text` into the file, whole or not at all, with the permissions that it has, and takes over what was written.
/// \throws Error FileProblem (also a file that is marked as read-only), DiskFull, WriteFailed
void writeTextFile(TextFile& file, const QString& text);

}  // namespace mantissa::ui::editor
