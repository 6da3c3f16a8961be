// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mantissa::cli {

/// Sends what the program says to a rotating file too: mantissa/mantissa.log in the user's state folder (XDG), five
/// files of 1 MiB at most. Before the call, and where no file can be opened, log lines go nowhere.
///
/// Messages are logged with --quiet as well, so that a run in the night can be understood in the morning.
void open_log_file();

/// Sends log lines nowhere: spdlog would print them otherwise.
void silence_log();

}  // namespace mantissa::cli
