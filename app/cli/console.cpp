// SPDX-License-Identifier: Apache-2.0
#include "app/cli/console.h"

#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/base/plain_text.h"

namespace mantissa::cli {
namespace {

constexpr int kUsualColumns = 80;

[[noreturn]] void fail_on_stdout(int error_number) {
  const ErrorKind kind = error_number == ENOSPC || error_number == EFBIG ? ErrorKind::DiskFull : ErrorKind::WriteFailed;
  throw Error(kind, {"the result could not be written: " + std::string(std::strerror(error_number)), "standard output",
                     0, 0, "", "", "", "Make room or write to another place"});
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t place = text.find(from); place != std::string::npos; place = text.find(from, place + to.size())) {
    text.replace(place, from.size(), to);
  }
}

int columns_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  // A serial line or a pseudo-terminal without a size: what the shell was told.
  const char* const told = std::getenv("COLUMNS");
  const int columns = told != nullptr ? std::atoi(told) : 0;
  return columns > 0 ? columns : kUsualColumns;
}

}  // namespace

void Console::result(std::string_view bytes) {
  if (results_on_terminal()) {
    write(visible(bytes));
  } else {
    write(bytes);
  }
}

void Console::write(std::string_view bytes) {
  clear_transient();
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) fail_on_stdout(errno);
}

void Console::result_for_people(const std::string& page) {
  std::string text = visible(page);
  if (results_on_terminal() && colours_wanted()) {
    replace_all(text, "✓ accepted", "\033[32m✓ accepted\033[0m");
    replace_all(text, "✕ rejected", "\033[31m✕ rejected\033[0m");
    replace_all(text, "? undecided", "\033[34m? undecided\033[0m");
  }
  write(text);
}

void Console::flush() {
  see_stdout_through();
  if (stdout_error_ != 0) fail_on_stdout(stdout_error_);
}

void Console::see_stdout_through() {
  if (std::fflush(stdout) != 0 && stdout_error_ == 0) stdout_error_ = errno;
}

void Console::message(std::string_view text) {
  const std::string line = visible(text);
  spdlog::info("{}", line);
  if (quiet) return;
  clear_transient();
  // Where both go to one place, they stand there in the order in which they were said. A terminal that has closed ends
  // no run: whoever waits for the result hears of it from `flush`.
  see_stdout_through();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void Console::detail(std::string_view line) {
  if (verbose) message(line);
}

void Console::failure(std::string_view text) {
  const std::string sentence = visible_line(text);
  spdlog::error("{}", sentence);
  clear_transient();
  std::fflush(stdout);  // in its order; where stdout is what failed, this is the message that says so
  std::fprintf(stderr, "mantissa-cli: %s\n", sentence.c_str());
}

bool Console::messages_on_terminal() { return isatty(STDERR_FILENO) == 1; }
bool Console::results_on_terminal() { return isatty(STDOUT_FILENO) == 1; }

int Console::terminal_columns() { return columns_of(STDERR_FILENO); }

std::size_t Console::result_columns() {
  return results_on_terminal() ? static_cast<std::size_t>(columns_of(STDOUT_FILENO)) : 0;
}

void Console::transient(std::string_view text) {
  if (quiet) return;
  const std::string line = visible_line(text);
  // Carriage return, the line, erase to the end: the line never flickers and never scrolls.
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  std::fflush(stderr);
  transient_shown_ = !line.empty();
}

bool Console::colours_wanted() {
  // https://no-color.org: any value that is not empty switches colours off.
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

void Console::clear_transient() {
  if (transient_shown_) transient("");
}

}  // namespace mantissa::cli
