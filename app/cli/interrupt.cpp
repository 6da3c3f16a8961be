// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string_view>

#include "app/cli/exit_code.h"

namespace mantissa::cli {
namespace {

std::atomic<session::StopToken*> stop_of_the_run{nullptr};
std::atomic<int> signals_seen{0};  // counts, because two threads may get one signal each at the same time
constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> former_actions;

static_assert(std::atomic<session::StopToken*>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait");

// Only calls that are safe in a signal handler.
void on_signal(int signal) {
  session::StopToken* const stop = stop_of_the_run.load();
  if (stop == nullptr) _exit(exit_code::kStopped);
  if (signal == SIGHUP) {  // the shell and the kernel may both send it: twice is no wish to end at once
    stop->request();
    return;
  }
  if (signals_seen.fetch_add(1) > 0) _exit(exit_code::kStopped);
  stop->request();
  constexpr std::string_view kText = "\nstopping after this microbatch; once more stops at once\n";
  const auto written = write(STDERR_FILENO, kText.data(), kText.size());
  (void)written;  // a closed stderr must not keep the run from stopping
}

}  // namespace

InterruptScope::InterruptScope(session::StopToken& stop) {
  signals_seen = 0;
  stop_of_the_run = &stop;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &former_actions[i]);
    // nohup starts a program that shall outlive its terminal.
    const bool outlives = kSignals[i] == SIGHUP && former_actions[i].sa_handler == SIG_IGN;
    if (outlives) sigaction(SIGHUP, &former_actions[i], nullptr);
  }
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &former_actions[i], nullptr);
  stop_of_the_run = nullptr;
}

}  // namespace mantissa::cli
