// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa {

/// Where both programs keep what is the user's own (XDG Base Directory Specification: relative paths in its variables
/// are ignored).

/// The archive that is used where none is named: mantissa/mantissa.db in the data folder; empty where there is no home
/// folder to put it in.
std::string default_archive();

/// Makes the folder of the default archive. \throws Error FileProblem, DiskFull.
void make_default_archive_folder();

/// mantissa/mantissa.log in the state folder; empty where there is no home folder.
std::string log_file();

/// mantissa/unsaved in the state folder, where texts of editors are kept that are not saved; empty where there is no
/// home folder.
std::string unsaved_folder();

}  // namespace mantissa
