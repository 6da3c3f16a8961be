// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/close_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <spdlog/spdlog.h>

#include <QApplication>
#include <QSocketNotifier>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "ui/shell/main_window.h"
#include "ui/shell/settings.h"

namespace mantissa::workbench {
namespace {

constexpr int kStopped = 130;  // as mantissa-cli ends
constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> formerActions;
std::atomic<int> pipeOfTheWindow{-1};
std::atomic<int> signalsSeen{0};

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait");

// Only calls that are safe in a signal handler.
void onSignal(int signal) {
  if (signal != SIGHUP && signalsSeen.fetch_add(1) > 0) _exit(kStopped);
  const char word = 0;
  const auto written = write(pipeOfTheWindow.load(), &word, 1);
  (void)written;  // a full pipe has asked already
}

}  // namespace

CloseSignals::CloseSignals(std::function<void()> close) : m_pipe{-1, -1} {
  if (::pipe2(m_pipe, O_NONBLOCK | O_CLOEXEC) != 0) return;  // then they end the process, as they do elsewhere
  pipeOfTheWindow = m_pipe[1];
  signalsSeen = 0;
  auto* const notifier = new QSocketNotifier(m_pipe[0], QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, [this, close = std::move(close)] {
    std::array<char, 64> words{};
    while (::read(m_pipe[0], words.data(), words.size()) > 0) continue;
    close();
  });
  struct sigaction action {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &formerActions[i]);
    const bool outlives = kSignals[i] == SIGHUP && formerActions[i].sa_handler == SIG_IGN;
    if (outlives) sigaction(SIGHUP, &formerActions[i], nullptr);
  }
}

CloseSignals::~CloseSignals() {
  if (m_pipe[0] < 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &formerActions[i], nullptr);
  ::close(m_pipe[0]);
  ::close(m_pipe[1]);
}

int runUntilClosed(ui::shell::MainWindow& window, ui::shell::Settings& settings) {
  const CloseSignals signals([&window] { window.closeUnasked(); });
  window.show();
  const int code = QApplication::exec();
  if (window.letsGo()) return code;
  settings.sync();
  spdlog::default_logger()->flush();
  std::_Exit(code);
}

}  // namespace mantissa::workbench
