// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QVector>

namespace mantissa::ui::editor {

/// What an editor held that no file holds.
struct UnsavedText {
  QString copy;      ///< the file that keeps it, of UnsavedTexts
  QString file;      ///< that was edited; empty: none yet
  QString name;      ///< of an experiment without a file
  QByteArray print;  ///< of the edited file's bytes as they were read: see printOf()
  QString text;
  QDateTime when;  ///< it was kept
};

/// Copies of texts that are not saved, in a folder that all windows of a user share: what a program leaves there when
/// it is killed, the next one finds.
///
/// A program holds a lock while it lives, which the kernel takes away however it ends: copies of programs that are at
/// work are nobody else's. Window thread only.
class UnsavedTexts {
 public:
  /// The folder is made with the first copy.
  explicit UnsavedTexts(QString folder);
  ~UnsavedTexts();
  UnsavedTexts(const UnsavedTexts&) = delete;
  UnsavedTexts& operator=(const UnsavedTexts&) = delete;

  /// A place for the copies of one editor; nothing is written yet.
  QString newCopy();
  /// Writes the copy, whole or not at all, in place of the one before. Where that fails the log says why.
  void keep(const UnsavedText& text);
  void forget(const QString& copy);

  /// What programs have left that have ended, oldest first.
  QVector<UnsavedText> left() const;

  static QByteArray printOf(const QByteArray& bytes);

 private:
  bool takeLock();
  /// Whether the program that wrote a copy is at work.
  bool isHeld(const QString& copy) const;

  QString m_folder;
  QString m_program;  ///< tells the copies of this one apart
  int m_copies = 0;
  int m_lock = -1;  ///< a file descriptor
};

}  // namespace mantissa::ui::editor
