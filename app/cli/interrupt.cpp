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
std::array<struct sigaction, 2> former_actions;
constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

static_assert(std::atomic<session::StopToken*>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler must not wait");

// Only calls that are safe in a signal handler.
void on_signal(int) {
  session::StopToken* const stop = stop_of_the_run.load();
  if (stop == nullptr || signals_seen.fetch_add(1) > 0) _exit(exit_code::kStopped);
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
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &former_actions[i]);
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &former_actions[i], nullptr);
  stop_of_the_run = nullptr;
}

}  // namespace mantissa::cli
