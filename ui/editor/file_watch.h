// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

namespace mantissa::ui::editor {

/// Tells that a file may hold something else now: written to, replaced by another one of its name, gone, or there
/// again.
class FileWatch : public QObject {
  Q_OBJECT

 public:
  explicit FileWatch(QObject* parent = nullptr);

  /// The file to watch from now on; its folder has to be there. Empty: none.
  void watch(const QString& path);

  /// Programs that save write, rename and delete in a row: what comes within this time is one change.
  static constexpr int kPause = 100;  ///< ms

 Q_SIGNALS:
  void changed();

 private:
  void follow();

  QString m_path;
  QFileSystemWatcher m_watcher;
  QTimer m_pause;
};

}  // namespace mantissa::ui::editor
