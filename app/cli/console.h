// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mantissa::cli {

/// Where the program speaks: results on stdout, everything else on stderr. Control characters from files, models and
/// names are shown as what they are (`\x1b`) and never reach a terminal as themselves.
class Console {
 public:
  bool quiet = false;
  bool verbose = false;

  /// A result, byte for byte unless stdout is a terminal. \throws Error DiskFull, WriteFailed where stdout takes no
  /// more.
  void result(std::string_view bytes);

  /// A result for people: verdicts are coloured where stdout is a terminal and NO_COLOR is not set.
  void result_for_people(const std::string& page);

  /// Sees everything through to stdout. Call it last. \throws Error as `result`.
  void flush();

  /// A line on stderr, behind what was said on stdout, unless quiet. Never fails: nobody may be reading any more.
  void message(std::string_view text);

  /// A line on stderr with -v only.
  void detail(std::string_view line);

  /// "mantissa-cli: sentence" on stderr, always.
  void failure(std::string_view text);

  /// Whether stderr is a terminal, and its columns.
  static bool messages_on_terminal();
  static bool results_on_terminal();
  static int terminal_columns();

  /// How wide a table on stdout may be; 0 where stdout is no terminal.
  static std::size_t result_columns();

  /// A line that replaces itself on the terminal; an empty one clears it.
  void transient(std::string_view text);

 private:
  void write(std::string_view bytes);
  static bool colours_wanted();
  void clear_transient();
  void see_stdout_through();

  bool transient_shown_ = false;
  int stdout_error_ = 0;  // the first one that a flush met
};

}  // namespace mantissa::cli
