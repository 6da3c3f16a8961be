// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVector>

#include <cstdint>

namespace mantissa::ui::shell {

enum class ThemeMode { System, Light, Dark };

/// What the workbench remembers from one start to the next. Window thread only.
class Settings {
 public:
  /// The user's own.
  Settings();
  /// In a file of its own: for tests, which must not touch the user's.
  explicit Settings(const QString& file);

  ThemeMode theme() const;
  void setTheme(ThemeMode mode);

  /// The archive that was open last; empty at the first start.
  QString archive() const;
  void setArchive(const QString& path);

  /// Experiment files and archives, newest first, at most kRecentFiles.
  QStringList recentFiles() const;
  void rememberFile(const QString& path);
  void forgetFile(const QString& path);
  void forgetRecentFiles();

  /// Experiment files that stood in editors, in the order of their tabs.
  QStringList editedFiles() const;
  void setEditedFiles(const QStringList& paths);

  /// Messages that a person has dismissed and does not want to see at the next start, by what they are about.
  bool isDismissed(const QString& what) const;
  void dismiss(const QString& what);
  /// What a file that is gone is dismissed by.
  static QString goneKey(const QString& path) { return QStringLiteral("gone ") + path; }
  /// It may be shown again.
  void recall(const QString& what);

  /// Where the last file of a kind ("open", "archive") was chosen; empty: none yet.
  QString folder(const QString& kind) const;
  void setFolderOf(const QString& kind, const QString& file);
  /// Where a dialog for files of a kind begins: where the last one was, in the folder of the file `beside` (empty:
  /// none), or among the documents.
  QString startFolder(const QString& kind, const QString& beside) const;

  /// Memory ledgers that were saved under a name, as ui/memory writes them; empty: none yet.
  QByteArray ledgers() const;
  void setLedgers(const QByteArray& ledgers);
  /// What stood on the Memory page when it was left, as ui/memory writes it; empty: nothing yet.
  QByteArray memoryPage() const;
  void setMemoryPage(const QByteArray& page);

  QByteArray windowGeometry() const;
  QByteArray windowState() const;
  /// The width in pixels that a person gave the archive's tree, in a window of a width; in a smaller one it is less.
  struct ArchiveWidth {
    int tree = 260;
    int window = 1400;
  };
  ArchiveWidth archiveWidth() const;
  /// From which height of the window in pixels on the log is there again, which gave its room by itself; 0: it is where
  /// a person wants it.
  int logRoom() const;
  void setWindow(const QByteArray& geometry, const QByteArray& state, const ArchiveWidth& archiveWidth, int logRoom);

  /// What was in front: where the next start goes on.
  struct View {
    QString page;                    ///< its id; empty: not known
    QString archive;                 ///< of the rest; empty: none
    std::int64_t experiment = 0;     ///< selected, or that of the trial; 0: none
    std::int64_t trial = 0;          ///< selected; 0: none
    QVector<std::int64_t> expanded;  ///< experiments of the tree
  };
  View view() const;
  void setView(const View& view);

  /// The layout of a page (splitters, hidden charts) under the page's name; empty: its default.
  QByteArray pageLayout(const QString& page) const;
  void setPageLayout(const QString& page, const QByteArray& layout);

  /// Forgets geometry, docks and page layouts; the next start looks like the first.
  void resetLayout();

  /// Onto the disk, which the end of the object does too.
  void sync() { m_values.sync(); }

  static constexpr int kRecentFiles = 12;

 private:
  void migrate();

  QSettings m_values;
};

}  // namespace mantissa::ui::shell
