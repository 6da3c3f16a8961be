// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QStringList>

namespace mantissa::test {

/// An X server without a screen, Xvfb, with xdotool as its keyboard.
class VirtualDisplay {
 public:
  /// Starts it where it is installed; `problem` says why there is none.
  VirtualDisplay() {
    for (const char* const tool : {"Xvfb", "xdotool"}) {
      if (!QStandardPaths::findExecutable(QString::fromLatin1(tool)).isEmpty()) continue;
      m_problem =
          QStringLiteral("%1 is not installed (packaging/apt-packages.txt has it)").arg(QString::fromLatin1(tool));
      return;
    }
    m_server.start(QStringLiteral("Xvfb"),
                   {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"), QStringLiteral("0"),
                    QStringLiteral("1500x1000x24"), QStringLiteral("-nolisten"), QStringLiteral("tcp")});
    if (m_server.waitForStarted() && m_server.waitForReadyRead(20'000)) {
      m_name = QStringLiteral(":") + QString::fromLatin1(m_server.readLine().trimmed());
    }
    if (m_name.size() < 2)
      m_problem = QStringLiteral("Xvfb did not start: ") + QString::fromUtf8(m_server.readAllStandardError());
  }
  ~VirtualDisplay() {
    m_server.terminate();
    m_server.waitForFinished();
  }
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;

  const QString& problem() const { return m_problem; }
  const QString& name() const { return m_name; }  ///< for the variable DISPLAY

  /// Calls xdotool and returns what it prints; empty where it failed.
  QString tool(const QStringList& arguments) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), m_name);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral("xdotool"), arguments);
    process.waitForFinished();
    return QString::fromUtf8(process.readAllStandardOutput()).trimmed();
  }

  /// Gives the keyboard to the visible window of this process: there is no window manager that would.
  bool focus(qint64 process) const {
    const QString windows = tool(
        {QStringLiteral("search"), QStringLiteral("--onlyvisible"), QStringLiteral("--pid"), QString::number(process)});
    if (windows.isEmpty()) return false;
    tool({QStringLiteral("windowfocus"), QStringLiteral("--sync"), windows.section(QLatin1Char('\n'), -1)});
    return true;
  }

  void press(const QString& keys) const { tool({QStringLiteral("key"), keys}); }
  void click(int x, int y) const {
    tool({QStringLiteral("mousemove"), QString::number(x), QString::number(y), QStringLiteral("click"),
          QStringLiteral("1")});
  }

 private:
  QProcess m_server;
  QString m_name;
  QString m_problem;
};

}  // namespace mantissa::test
