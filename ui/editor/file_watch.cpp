// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/file_watch.h"

#include <QFileInfo>

namespace mantissa::ui::editor {

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  m_pause.setSingleShot(true);
  m_pause.setInterval(kPause);
  const auto wait = [this] {
    if (!m_pause.isActive()) m_pause.start();
  };
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, wait);
  connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, wait);
  connect(&m_pause, &QTimer::timeout, this, [this] {
    follow();
    Q_EMIT changed();
  });
}

void FileWatch::watch(const QString& path) {
  const QStringList before = m_watcher.files() + m_watcher.directories();
  if (!before.isEmpty()) m_watcher.removePaths(before);
  m_pause.stop();
  m_path = path;
  follow();
}

void FileWatch::follow() {
  if (m_path.isEmpty()) return;
  // A file that was replaced is watched no more: it is another one. The folder tells of the new one, and of one that
  // comes back.
  const QFileInfo info(m_path);
  QStringList wanted = {info.absolutePath()};
  if (info.exists()) {
    wanted << m_path;
    wanted << QFileInfo(info.canonicalFilePath()).absolutePath();  // of what a link leads to
  }
  const QStringList watched = m_watcher.files() + m_watcher.directories();
  for (const QString& path : qAsConst(wanted)) {
    if (!watched.contains(path)) m_watcher.addPath(path);
  }
}

}  // namespace mantissa::ui::editor
