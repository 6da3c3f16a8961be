// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mantissa::data {

/// The folder with what the programs need at run time (data sets, templates), without a slash at the end.
///
/// In this order: the environment variable MANTISSA_RESOURCES; `../resources` and `../share/mantissa/resources` beside
/// the running program; the source tree that it was built from.
/// \throws Error FileProblem where none of them exists, or where the variable names no such folder.
std::string resources_folder();

}  // namespace mantissa::data
