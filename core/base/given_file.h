// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa {

/// Refuses, before it is opened, a path of the user's that is no regular file: opening a pipe that nobody writes to
/// waits for ever, and a device may never end. A missing file is left to opening it.
///
/// \param called  what the path should name: "a data file"
/// \throws Error FileProblem: a folder, a pipe, a socket, a device
void refuse_special_file(const std::string& path, const std::string& called);

/// Whether the caller handed this file over open: `… | mantissa-cli run /dev/stdin`, `mantissa-cli run <(…)`. Such a
/// pipe may be read, once and from its beginning.
bool is_handed_over(const std::string& path);

/// Says why opening failed. \param if_missing  what to do where there is no such file, without the full stop
/// \throws Error FileProblem; OutOfMemory where the system is at a limit of its own: open files, memory
[[noreturn]] void fail_to_open(const std::string& path, int error_number, const std::string& if_missing);

/// Whether the system refused because of a limit on open files, of the process or of the machine.
bool is_limit_of_open_files(int error_number);

/// What to do about that limit, without the full stop.
extern const char* const kMoreOpenFiles;

}  // namespace mantissa
