// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QString>
#include <QStringList>

namespace mantissa::ui {

/// Qt's own dialogs for files, looking at names alone.
///
/// A dialog that shows what kind of file each is opens the files to find out, those beside an open archive (-wal, -shm)
/// included. Closing one of them drops every lock that this process holds on it (POSIX, fcntl(2)): SQLite's, too. Other
/// programs then take the archive for free and fold its log in under our hands. So no icons by content, and none of the
/// desktop's dialogs, which may run in this process.
namespace file_dialogs {

class IconsByName : public QFileIconProvider {
 public:
  QIcon icon(IconType type) const override { return QFileIconProvider::icon(type); }
  QIcon icon(const QFileInfo& info) const override { return QFileIconProvider::icon(info.isDir() ? Folder : File); }
  QString type(const QFileInfo& info) const override {
    return info.isDir() ? QFileDialog::tr("Folder") : info.suffix().toUpper();
  }
};

/// \param start  a folder, or a file that is to be chosen at first
inline QStringList ask(QWidget* parent, const QString& title, const QString& start, const QString& filter,
                       QFileDialog::FileMode mode, QFileDialog::AcceptMode accept) {
  IconsByName icons;  // outlives the dialog
  const QFileInfo info(start);
  const bool isFolder = start.isEmpty() || info.isDir();
  QFileDialog dialog(parent, title, isFolder ? start : info.path(), filter);
  dialog.setOption(QFileDialog::DontUseNativeDialog);
  dialog.setIconProvider(&icons);
  dialog.setFileMode(mode);
  dialog.setAcceptMode(accept);
  if (!isFolder) dialog.selectFile(info.fileName());
  return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles() : QStringList();
}

inline QString open(QWidget* parent, const QString& title, const QString& start, const QString& filter = {}) {
  return ask(parent, title, start, filter, QFileDialog::ExistingFile, QFileDialog::AcceptOpen).value(0);
}

inline QStringList openSeveral(QWidget* parent, const QString& title, const QString& start, const QString& filter) {
  return ask(parent, title, start, filter, QFileDialog::ExistingFiles, QFileDialog::AcceptOpen);
}

inline QString save(QWidget* parent, const QString& title, const QString& start, const QString& filter = {}) {
  return ask(parent, title, start, filter, QFileDialog::AnyFile, QFileDialog::AcceptSave).value(0);
}

}  // namespace file_dialogs
}  // namespace mantissa::ui
