// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>
#include <QTemporaryDir>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ui/run/run_page.h"
#include "ui/shell/log_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

namespace mantissa::bench {

/// Knows what the window's thread spends in events.
class BenchApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override;

  static double busyMilliseconds();  ///< so far

  /// The event that took most of the processor since the last call: what a stall would be on a quiet machine.
  struct Longest {
    double milliseconds = 0;
    QString event;
  };
  static Longest takeLongest();

 private:
  int m_depth = 0;
};

/// Asks the window's thread again and again to answer, and keeps how long each answer took.
class Watchdog : public QObject {
 public:
  Watchdog();
  ~Watchdog() override;

  /// Milliseconds, sorted; ends the asking.
  std::vector<double> answers();

 protected:
  bool event(QEvent* event) override;

 private:
  void ask();
  void stop();

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<double> m_answers;
  bool m_answered = false;
  bool m_quit = false;
  std::thread m_thread;  // last: asks when everything above is there
};

/// The window with its Run page, its settings and its archive in a folder of their own.
class BenchWindow {
 public:
  explicit BenchWindow(ui::worker::EngineFactory engine);

  ui::shell::MainWindow& window() { return *m_window; }
  ui::run::RunPage& page() { return *m_page; }
  QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
  std::string archive() const;

  /// Writes the experiment file, opens it and presses Run.
  void run(const std::string& experiment);

 private:
  QTemporaryDir m_folder;
  std::unique_ptr<ui::shell::Settings> m_settings;
  ui::shell::LogModel m_log;
  ui::run::RunPage* m_page;
  std::unique_ptr<ui::shell::MainWindow> m_window;
};

/// Handles events until the condition holds, and sleeps between them as the program does.
void handleEventsUntil(const std::function<bool()>& condition);

/// An experiment with `trials` trials that lasts as long as its engine likes.
std::string experimentText(long steps);

double residentMegabytes();

}  // namespace mantissa::bench
