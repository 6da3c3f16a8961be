// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>

namespace mantissa::ui::shell {
class MainWindow;
class Settings;
}  // namespace mantissa::ui::shell

namespace mantissa::workbench {

/// While it lives, SIGINT, SIGTERM and SIGHUP close the window instead of ending the process: a second SIGINT or
/// SIGTERM ends it at once with the exit code 130. SIGHUP only ever asks (the shell and the kernel may both send it),
/// and stays ignored where it was (nohup).
///
/// One at a time in a process.
class CloseSignals : public QObject {
 public:
  /// \param close  called on the thread that makes this object, from its event loop
  explicit CloseSignals(std::function<void()> close);
  ~CloseSignals() override;

 private:
  int m_pipe[2];
};

/// Shows the window until it has closed, by a person or a signal. Where something is at work that does not end, the
/// process ends here, too. \return the exit code
int runUntilClosed(ui::shell::MainWindow& window, ui::shell::Settings& settings);

}  // namespace mantissa::workbench
