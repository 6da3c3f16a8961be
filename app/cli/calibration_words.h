// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/memory/calibration.h"

namespace mantissa::cli {

/// How far the predictions of an archive's trials were off, and how far to trust the next one: sentences on a line of
/// their own. \param archive  whose trials they are
std::string calibration_words(const memory::Calibration& calibration, const std::string& archive);

/// Of the trials on this kind of device, where the archive has any with both peaks; nothing where it has none, or
/// cannot be read: a ledger needs no archive.
std::optional<memory::Calibration> calibration_in(const std::string& archive, const std::string& device);

}  // namespace mantissa::cli
