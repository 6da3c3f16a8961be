// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QString>
#include <QTemporaryDir>
#include <QTest>
#include <QVector>

#include "ui/shell/action_list.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/page.h"
#include "ui/shell/settings.h"

namespace mantissa::test {

/// A main window on the screen, with settings and a home of its own; gone with what it wrote when the test ends.
class WindowFixture {
 public:
  /// \param pages  the window takes them
  explicit WindowFixture(const QVector<ui::shell::Page*>& pages) : m_window(m_settings, &m_log, pages) {
    m_window.resize(1400, 900);
    m_window.show();
  }

  bool isShown() { return QTest::qWaitForWindowExposed(&m_window); }
  ui::shell::MainWindow& window() { return m_window; }
  ui::shell::LogModel& log() { return m_log; }
  ui::shell::Settings& settings() { return m_settings; }

  QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
  QAction* action(const char* name) const { return m_window.actions()->find(QString::fromLatin1(name)); }

 private:
  /// Before anything asks where the user's files are.
  struct Folder : QTemporaryDir {
    Folder() { qputenv("XDG_DATA_HOME", path().toUtf8()); }
  };

  Folder m_folder;
  ui::shell::Settings m_settings{path("workbench.ini")};
  ui::shell::LogModel m_log;
  ui::shell::MainWindow m_window;
};

}  // namespace mantissa::test
